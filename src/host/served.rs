//! Records which workspaces our MCP servers serve: each server holds a lock on a file while it runs.
//!
//! A hook that hands a result to a tool must know that the tool exists, or the result would be lost. The system releases the
//! lock when the process ends. For processes that hang, each server also updates the time of its file regularly.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The file that shows that this process serves a workspace. It is removed on drop.
#[derive(Debug)]
pub struct Sign {
    path: PathBuf,
    // This file holds the lock.
    file: File,
}

/// How often a server renews its sign.
pub const HEARTBEAT: Duration = Duration::from_secs(1);
/// A process that has not renewed its sign for this long counts as hanging.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(5);

impl Sign {
    /// Renews the sign.
    pub fn renew(&self) {
        // If this fails, the sign expires.
        let _ = self.file.set_modified(SystemTime::now());
    }
}

impl Drop for Sign {
    fn drop(&mut self) {
        // A left-over file is unlocked, and is removed by the next reader.
        let _ = fs::remove_file(&self.path);
    }
}

/// Shows that this process serves `host` in `workspace`; `None` if the sign cannot be created.
pub fn serve(host: &str, workspace: &Path) -> Option<Sign> {
    put_up(&folder()?, host, workspace)
}

/// Whether a process serves `host` in `workspace`.
pub fn is_served(host: &str, workspace: &Path) -> bool {
    folder().is_some_and(|folder| is_up(&folder, host, workspace))
}

fn put_up(folder: &Path, host: &str, workspace: &Path) -> Option<Sign> {
    let folder = of_workspace(folder, host, workspace)?;
    fs::create_dir_all(&folder).ok()?;
    let path = folder.join(std::process::id().to_string());
    let file = OpenOptions::new().create(true).write(true).truncate(false).open(&path).ok()?;
    file.lock().ok()?;
    let sign = Sign { path, file };
    sign.renew();
    Some(sign)
}

fn is_up(folder: &Path, host: &str, workspace: &Path) -> bool {
    let Some(signs) = of_workspace(folder, host, workspace).and_then(|folder| fs::read_dir(folder).ok())
    else {
        return false;
    };
    signs.flatten().any(|sign| is_locked(&sign.path()))
}

/// Whether a working process holds the file. An unlocked file is removed.
fn is_locked(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    // A shared lock, so that hooks that check at the same time do not mistake each other for servers.
    match file.try_lock_shared() {
        Ok(()) => {
            let _ = fs::remove_file(path);
            false
        }
        Err(TryLockError::WouldBlock) => {
            let at = file.metadata().and_then(|about| about.modified()).ok();
            at.and_then(|at| SystemTime::now().duration_since(at).ok())
                .is_none_or(|age| age < HEARTBEAT_TIMEOUT)
        }
        Err(TryLockError::Error(_)) => false,
    }
}

/// The folder for signs of one host in one workspace.
fn of_workspace(folder: &Path, host: &str, workspace: &Path) -> Option<PathBuf> {
    let workspace = fs::canonicalize(workspace).ok()?;
    let mut hasher = DefaultHasher::new();
    workspace.hash(&mut hasher);
    Some(folder.join(format!("{host}-{:016x}", hasher.finish())))
}

fn folder() -> Option<PathBuf> {
    use etcetera::base_strategy::{BaseStrategy, choose_base_strategy};
    Some(choose_base_strategy().ok()?.cache_dir().join("tersed").join("served"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_is_served_while_a_process_holds_its_sign() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        let signs = folder.path().join("signs");
        for workspace in [&one, &other] {
            fs::create_dir(workspace).unwrap();
        }
        let up = |host: &str, workspace: &Path| is_up(&signs, host, workspace);
        assert!(!up("gemini", &one));
        let sign = put_up(&signs, "gemini", &one.join("../one")).unwrap();
        assert!(up("gemini", &one) && up("gemini", &one));
        assert!(!up("gemini", &other) && !up("cursor", &one));
        // A process that hangs holds its lock but does not renew its sign.
        sign.file.set_modified(SystemTime::now() - Duration::from_secs(6)).unwrap();
        assert!(!up("gemini", &one));
        sign.renew();
        assert!(up("gemini", &one));
        drop(sign);
        assert!(!up("gemini", &one));
        // The file of a killed process.
        let left = of_workspace(&signs, "gemini", &one).unwrap().join("1");
        fs::write(&left, "").unwrap();
        assert!(!up("gemini", &one) && !left.exists());
        assert!(!up("gemini", &folder.path().join("nowhere")));
    }
}
