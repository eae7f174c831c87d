//! Splits a path at an anchor. The user or the system made everything above it, so links there may be followed; below it no
//! link is followed.

use std::path::{Path, PathBuf};

use super::{RefusalReason, Refused, resolved};

/// Splits `path` into a folder, whose own path may contain links, and the rest, in which no link is followed.
///
/// The anchor is the user's state folder for paths below it. For other paths, only links of the superuser are followed, such
/// as `/tmp` on some systems; none if this user is the superuser.
pub fn anchored(path: &Path) -> Result<(PathBuf, PathBuf), Refused> {
    anchored_in(path, state_folder().as_deref())
}

fn anchored_in(path: &Path, state: Option<&Path>) -> Result<(PathBuf, PathBuf), Refused> {
    let refused = |why| Refused { path: path.to_owned(), why };
    let whole = std::path::absolute(path).map_err(|e| refused(RefusalReason::System(e)))?;
    if let Some(state) = state
        && let Ok(below) = whole.strip_prefix(state)
        && below.file_name().is_some()
    {
        return Ok((state.to_owned(), below.to_owned()));
    }
    let whole = without_system_links(whole);
    match (root(&whole), whole.file_name()) {
        (Some(root), Some(_)) => {
            let below = whole.strip_prefix(&root).unwrap_or(&whole).to_owned();
            Ok((root, below))
        }
        _ => Err(refused(RefusalReason::Kind("a folder"))),
    }
}

/// `$XDG_STATE_HOME`, by default `~/.local/state`; on Windows `%LOCALAPPDATA%`. `None` if the system names none.
pub fn state_folder() -> Option<PathBuf> {
    state(|name| std::env::var_os(name))
}

fn state(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> Option<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        return folder("LOCALAPPDATA");
    }
    folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local").join("state")))
}

fn root(path: &Path) -> Option<PathBuf> {
    #[cfg(unix)]
    return path.ancestors().last().map(Path::to_owned);
    #[cfg(not(unix))]
    return path.parent().map(Path::to_owned);
}

/// The path with its leading links resolved, as far as only the superuser can have made them.
#[cfg(unix)]
fn without_system_links(path: PathBuf) -> PathBuf {
    use std::os::unix::fs::MetadataExt;
    if rustix::process::geteuid().is_root() {
        return path;
    }
    let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
    above.reverse();
    let mut last = None;
    for folder in above {
        match std::fs::symlink_metadata(folder) {
            Ok(about) if about.is_symlink() && about.uid() == 0 => last = Some(folder),
            Ok(about) if about.uid() == 0 => {}
            // The owner of a folder may have put a link into it.
            _ => break,
        }
    }
    let Some(folder) = last else { return path };
    match (resolved(folder), path.strip_prefix(folder)) {
        (Ok(real), Ok(below)) => real.join(below),
        _ => path,
    }
}

#[cfg(not(unix))]
fn without_system_links(path: PathBuf) -> PathBuf {
    let real = path.parent().and_then(|folder| resolved(folder).ok());
    match (real, path.file_name()) {
        (Some(real), Some(name)) => real.join(name),
        _ => path,
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_for_state_is_that_of_the_system() {
        let none = |_: &str| None;
        assert_eq!(state(none), None);
        let home = |name: &str| (name == "HOME").then(|| "/home/a".into());
        assert_eq!(state(home), Some("/home/a/.local/state".into()));
        let given = |name: &str| Some(if name == "HOME" { "/home/a" } else { "/state" }.into());
        assert_eq!(state(given), Some("/state".into()));
        let relative = |name: &str| Some(if name == "HOME" { "/home/a" } else { "state" }.into());
        assert_eq!(state(relative), Some("/home/a/.local/state".into()));
    }

    #[test]
    fn paths_are_held_at_the_folder_for_state_or_at_the_root() {
        let state = Some(Path::new("/home/a/.local/state"));
        let anchor = |path: &str| anchored_in(Path::new(path), state).unwrap();
        let pair = |root: &str, below: &str| (PathBuf::from(root), PathBuf::from(below));
        assert_eq!(anchor("/home/a/.local/state/tersed/x"), pair("/home/a/.local/state", "tersed/x"));
        assert_eq!(anchor("/nowhere/x"), pair("/", "nowhere/x"));
        assert!(anchored_in(Path::new("/"), state).is_err());
    }
}
