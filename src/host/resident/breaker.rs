//! A circuit breaker: after two timeouts in a row, no process sends a request for one minute. Every event is a new
//! process, so the state is a file in the private folder: one byte for each timeout. Its modification time is the
//! time of the last one.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// Timeouts in a row after which requests stop.
const MAX_LATE: u64 = 2;
/// How long requests stop.
const PAUSE: Duration = Duration::from_secs(60);

/// The timeouts of one resident process.
#[derive(Debug)]
pub struct Breaker {
    path: PathBuf,
    /// Whether this process has counted its timeout.
    is_counted: AtomicBool,
}

impl Breaker {
    /// `path` is the state file, which need not exist.
    pub fn new(path: PathBuf) -> Self {
        Self { path, is_counted: AtomicBool::new(false) }
    }

    /// Whether a request is allowed. After the pause, one process may try, and the others wait for its outcome.
    pub fn allows(&self) -> bool {
        let Ok(about) = self.path.symlink_metadata() else { return true };
        if about.len() < MAX_LATE {
            return true;
        }
        // A time in the future is ignored.
        let age = about.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
        if age.is_some_and(|age| age < PAUSE) {
            return false;
        }
        open(&self.path).and_then(|file| file.set_modified(SystemTime::now())).is_ok()
    }

    /// A request timed out. Counts once for each process.
    pub fn late(&self) {
        if !self.is_counted.swap(true, Ordering::SeqCst) {
            // One append, so that processes that time out together are all counted.
            let _ = open(&self.path).and_then(|mut file| file.write_all(b"x"));
        }
    }

    /// A request was answered.
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
