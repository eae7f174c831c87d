//! Wiring of agent hosts: their settings are edited, and edited back.
//!
//! | module | holds |
//! | --- | --- |
//! | [`hosts`] | the table of hosts: one row each, its files in a file of its own |
//! | [`place`] | where hosts keep their files, for a user or for a project |
//! | [`change`] | what a host needs in one file |
//! | [`parts`] | what is ours in a file that others use too |
//! | [`jsonc`], [`toml`] | edits that leave every other byte as it is |
//! | `plan` | what would be written, without writing it |
//! | `commit` | all of it or nothing |
//! | `record` | what stood there before |
//! | `write` | files as they lie on disk |
//!
//! A file is given back as it was, to the byte, where nothing else changed it since; where something did, what is ours
//! is taken out and all else stays as it is written. A file that cannot be read as what it should be is left alone,
//! with all others of its host.

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

pub use change::{Change, Held};
pub use commit::{install, uninstall};
pub use hosts::Row;
pub use place::{Place, Scope};
pub use plan::{Action, Step};

/// How a host is wired on this machine.
#[derive(Debug)]
pub struct Status {
    /// The programs of the host in the `PATH`.
    pub programs: Vec<std::path::PathBuf>,
    /// Whether the host has a folder here.
    pub has_folder: bool,
    /// How much of what it needs is there.
    pub held: Held,
    /// Programs of this name that its files start, as they are written.
    pub starts: Vec<String>,
    /// Files that cannot be read.
    pub faults: Vec<String>,
}

impl Row {
    /// How it is wired at a place.
    pub fn status(&self, place: &Place) -> Status {
        let mut status = Status {
            programs: self.programs.iter().flat_map(|name| place.programs(name)).collect(),
            has_folder: (self.folders)(place).iter().any(|folder| folder.is_dir()),
            held: Held::None,
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
                    held.push(Held::None);
                    status.faults.push(fault);
                }
            }
        }
        let all = held.iter().min().copied().unwrap_or(Held::None);
        let any = held.iter().max().copied().unwrap_or(Held::None);
        status.held = if all == Held::All { all } else { any.min(Held::Other) };
        status.starts.sort();
        status.starts.dedup();
        status
    }
}
