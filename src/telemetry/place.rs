//! Where the file is when nobody says: the folder for the state of programs.

use std::ffi::OsString;
use std::path::PathBuf;

/// `$XDG_STATE_HOME/tersed/telemetry.jsonl`, by default `~/.local/state/tersed/telemetry.jsonl`; on Windows below
/// `%LOCALAPPDATA%`. `None` where the system names no such folder.
pub fn default_path() -> Option<PathBuf> {
    Some(state(|name| std::env::var_os(name))?.join("tersed").join("telemetry.jsonl"))
}

fn state(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        return folder("LOCALAPPDATA");
    }
    folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local").join("state")))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_that_of_the_system() {
        let none = |_: &str| None;
        assert_eq!(state(none), None);
        let home = |name: &str| (name == "HOME").then(|| "/home/a".into());
        assert_eq!(state(home), Some("/home/a/.local/state".into()));
        let given = |name: &str| Some(if name == "HOME" { "/home/a" } else { "/state" }.into());
        assert_eq!(state(given), Some("/state".into()));
        let relative = |name: &str| Some(if name == "HOME" { "/home/a" } else { "state" }.into());
        assert_eq!(state(relative), Some("/home/a/.local/state".into()));
    }
}
