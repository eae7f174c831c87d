//! Keeps a host from being held up again and again: after two waits in a row that were for nothing, nobody is asked for a
//! minute. The state is a file in the private folder, since every event is a process of its own: one byte for each wait,
//! the last of which its time tells.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// Waits in a row after which nobody is asked.
const MAX_LATE: u64 = 2;
/// For how long.
const REST: Duration = Duration::from_secs(60);

/// The waits of one place.
#[derive(Debug)]
pub struct Breaker {
    path: PathBuf,
    /// Whether this process has told its wait.
    is_told: AtomicBool,
}

impl Breaker {
    /// The state in a file, which need not be there.
    pub fn new(path: PathBuf) -> Self {
        Self { path, is_told: AtomicBool::new(false) }
    }

    /// Whether somebody may be asked. After the rest one process may, and others wait for what comes of it.
    pub fn allows(&self) -> bool {
        let Ok(about) = self.path.symlink_metadata() else { return true };
        if about.len() < MAX_LATE {
            return true;
        }
        // A time in the future is no reason to wait for it.
        let age = about.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
        if age.is_some_and(|age| age < REST) {
            return false;
        }
        open(&self.path).and_then(|file| file.set_modified(SystemTime::now())).is_ok()
    }

    /// A wait was for nothing. Counts once for each process.
    pub fn late(&self) {
        if !self.is_told.swap(true, Ordering::SeqCst) {
            // Appended in one step, so that processes that wait at the same time count both.
            let _ = open(&self.path).and_then(|mut file| file.write_all(b"x"));
        }
    }

    /// There was an answer.
    pub fn answered(&self) {
        if self.path.symlink_metadata().is_ok() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_waits_in_a_row_are_a_reason_to_rest_and_one_may_look_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.late");
        let new = || Breaker::new(path.clone());
        assert!(new().allows());
        let one = new();
        one.late();
        one.late();
        assert!(new().allows(), "a process counts once");
        new().answered();
        new().late();
        assert!(new().allows(), "an answer between them");
        new().late();
        assert!(!new().allows() && !new().allows());
        let ago = |seconds| {
            let file = File::options().append(true).open(&path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
        };
        ago(59);
        assert!(!new().allows());
        ago(61);
        assert!(new().allows(), "one may look");
        assert!(!new().allows(), "and others wait for what it finds");
        ago(61);
        assert!(new().allows());
        new().late();
        assert!(!new().allows(), "one more wait is enough");
        new().answered();
        assert!(new().allows() && !path.exists());
        new().answered();
    }
}
