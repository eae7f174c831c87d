//! Where the file is when nobody says: the folder for the state of programs.

use std::path::PathBuf;

use crate::files::state_folder;

/// `$XDG_STATE_HOME/tersed/telemetry.jsonl`, by default `~/.local/state/tersed/telemetry.jsonl`; on Windows below
/// `%LOCALAPPDATA%`. `None` where the system names no such folder.
pub fn default_path() -> Option<PathBuf> {
    Some(state_folder()?.join("tersed").join("telemetry.jsonl"))
}
