//! Sets up agent hosts: edits their settings, and undoes the edits.
//!
//! | module | holds |
//! | --- | --- |
//! | [`hosts`] | the table of hosts, one row and one file each |
//! | [`place`] | where hosts keep their files, for a user or for a project |
//! | [`change`] | what a host needs in one file |
//! | [`parts`] | our parts of a file that others also use |
//! | [`jsonc`], [`toml`] | edits that change no other byte |
//! | `plan` | the steps to take, without taking them |
//! | `commit` | applies all steps or none |
//! | `record` | the earlier contents, for undoing |
//! | `write` | reads and replaces files |
//!
//! If nothing else changed a file, uninstalling restores it byte for byte. Otherwise our entries are removed and the rest
//! stays as written. If a file cannot be parsed, no file of its host is changed.

pub mod change;
mod commit;
pub mod hosts;
pub mod jsonc;
pub mod parts;
pub mod place;
mod plan;
mod record;
pub mod toml;
mod write;

pub use change::{Change, InstallState};
pub use commit::{install, uninstall};
pub use hosts::Row;
pub use place::{Place, Scope};
pub use plan::{Action, Step};

/// The state of a host's setup on this machine.
#[derive(Debug)]
pub struct Status {
    /// The host's executables in the `PATH`.
    pub programs: Vec<std::path::PathBuf>,
    /// Whether the host has a folder here.
    pub has_folder: bool,
    /// How much of the setup exists.
    pub held: InstallState,
    /// Programs of our name that its files start, as written.
    pub starts: Vec<String>,
    /// Files that cannot be read.
    pub faults: Vec<String>,
}

impl Row {
    /// The state of its setup at a place.
    pub fn status(&self, place: &Place) -> Status {
        let mut status = Status {
            programs: self.programs.iter().flat_map(|name| place.programs(name)).collect(),
            has_folder: (self.folders)(place).iter().any(|folder| folder.is_dir()),
            held: InstallState::None,
            starts: Vec::new(),
            faults: Vec::new(),
        };
        let mut held = Vec::new();
        for change in (self.changes)(place) {
            match plan::held(&change) {
                Ok((one, starts)) => {
                    held.push(one);
                    status.starts.extend(starts);
                }
                Err(fault) => {
                    held.push(InstallState::None);
                    status.faults.push(fault);
                }
            }
        }
        let all = held.iter().min().copied().unwrap_or(InstallState::None);
        let any = held.iter().max().copied().unwrap_or(InstallState::None);
        status.held = if all == InstallState::All { all } else { any.min(InstallState::Other) };
        status.starts.sort();
        status.starts.dedup();
        status
    }
}
