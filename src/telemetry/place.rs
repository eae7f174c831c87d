//! The default path of the file of events: in the user's state folder.

use std::path::PathBuf;

use crate::files::state_folder;

/// `$XDG_STATE_HOME/tersed/telemetry.jsonl`, by default `~/.local/state/tersed/telemetry.jsonl`; on Windows below
/// `%LOCALAPPDATA%`. `None` if the system names no such folder.
pub fn default_path() -> Option<PathBuf> {
    Some(state_folder()?.join("tersed").join("telemetry.jsonl"))
}
