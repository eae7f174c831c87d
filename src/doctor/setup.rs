//! Whether a host is set up here and the setup works: its files hold the needed entries, and the program that they
//! start exists.

use std::path::{Path, PathBuf};

use crate::install::hosts::claude_code;
use crate::install::place::is_program;
use crate::install::{InstallState, Place, Row, Scope};

use super::shown;

/// The setup of a host on this machine; the first variant that applies is reported.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SetupState {
    /// It works: for this user, for this project, or by a plugin of the host.
    Whole(&'static str),
    /// Its files, or the program that they start, have a fault.
    Fault(String),
    /// Some parts are missing, or another version wrote them.
    Part,
    /// Not set up.
    Nothing,
}

impl SetupState {
    /// The first of these variants that applies in any scope of a row.
    pub fn of(row: &Row, place: &Place, own: &Path) -> Self {
        let scopes = row.scopes.iter().map(|scope| Self::in_scope(row, &place.with_scope(*scope), own));
        scopes.min().unwrap_or(Self::Nothing)
    }

    fn in_scope(row: &Row, place: &Place, own: &Path) -> Self {
        let status = row.status(place);
        if let Some(fault) = status.faults.first() {
            return Self::Fault(fault.clone());
        }
        match status.held {
            InstallState::All => {
                let fault = status.starts.iter().find_map(|start| {
                    started(place, start, own).err().map(|why| format!("starts {start}, {why}"))
                });
                let scope = if place.scope == Scope::User { "for this user" } else { "for this project" };
                fault.map_or(Self::Whole(scope), Self::Fault)
            }
            _ if is_plugin(row, place) => match started(place, "tersed", own) {
                Ok(_) => Self::Whole("by its plugin"),
                Err(why) => Self::Fault(format!("its plugin starts tersed, {why}")),
            },
            InstallState::Other => Self::Part,
            InstallState::None => Self::Nothing,
        }
    }
}

/// Whether the host has a plugin of ours, which needs no edits of its settings.
pub(super) fn is_plugin(row: &Row, place: &Place) -> bool {
    row.name == claude_code::ROW.name && claude_code::has_plugin(place)
}

/// Checks that the program that a host starts exists.
pub(super) fn started(place: &Place, start: &str, own: &Path) -> Result<String, String> {
    let path = PathBuf::from(start);
    if path.components().count() > 1 {
        if !is_program(&path) {
            return Err("which is not there".to_owned());
        }
        let is_own = path.canonicalize().ok() == own.canonicalize().ok();
        return Ok(if is_own { start.to_owned() } else { format!("{start}, which is not this program") });
    }
    match place.programs(start).first() {
        Some(found) => Ok(format!("{start}, which is {}", shown(found))),
        None => Err("which is not in the PATH".to_owned()),
    }
}
