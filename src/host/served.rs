//! Which workspaces an MCP server of ours serves now: each server keeps a file locked for as long as it runs.
//!
//! A hook that hands a result to a tool has to know that the tool is there, or the result would be lost to an error.
//! The system gives a lock back when its process ends, however it ends. One that hangs tells nobody, so that each server
//! also says again and again that it works: the time of its file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The sign of this process; it goes when this is dropped.
#[derive(Debug)]
pub struct Sign {
    path: PathBuf,
    // Holds the lock.
    file: File,
}

/// How often a server says that it works.
pub const BEAT: Duration = Duration::from_secs(1);
/// A process that is silent for this long counts as hanging.
const SILENCE: Duration = Duration::from_secs(5);

impl Sign {
    /// Says that the process works.
    pub fn beat(&self) {
        // A sign that cannot be renewed is one that does not count any more.
        let _ = self.file.set_modified(SystemTime::now());
    }
}

impl Drop for Sign {
    fn drop(&mut self) {
        // What is left of it is found unlocked, and removed then.
        let _ = fs::remove_file(&self.path);
    }
}

/// Shows that this process serves `host` in `workspace`; `None` where no sign can be left.
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
    sign.beat();
    Some(sign)
}

fn is_up(folder: &Path, host: &str, workspace: &Path) -> bool {
    let Some(signs) = of_workspace(folder, host, workspace).and_then(|folder| fs::read_dir(folder).ok())
    else {
        return false;
    };
    signs.flatten().any(|sign| is_locked(&sign.path()))
}

/// Whether a process that works holds the file; one that none holds is removed.
fn is_locked(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    // Shared, so that hooks that look at the same time do not take each other for servers.
    match file.try_lock_shared() {
        Ok(()) => {
            let _ = fs::remove_file(path);
            false
        }
        Err(TryLockError::WouldBlock) => {
            let at = file.metadata().and_then(|about| about.modified()).ok();
            at.and_then(|at| SystemTime::now().duration_since(at).ok()).is_none_or(|age| age < SILENCE)
        }
        Err(TryLockError::Error(_)) => false,
    }
}

/// The folder of signs of one host in one workspace.
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
        // One that hangs holds its lock and says nothing.
        sign.file.set_modified(SystemTime::now() - Duration::from_secs(6)).unwrap();
        assert!(!up("gemini", &one));
        sign.beat();
        assert!(up("gemini", &one));
        drop(sign);
        assert!(!up("gemini", &one));
        // What a process left behind that was killed.
        let left = of_workspace(&signs, "gemini", &one).unwrap().join("1");
        fs::write(&left, "").unwrap();
        assert!(!up("gemini", &one) && !left.exists());
        assert!(!up("gemini", &folder.path().join("nowhere")));
    }
}
