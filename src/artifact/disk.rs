//! The private directory of one process, and the removal of directories of killed processes.
//!
//! A process owns a directory by a lock on a file in it. The system releases the lock when the process ends, however it
//! ends. Process ids are not checked, because they are reused. Nothing here follows a link, touches another user's
//! directory, or looks below the one level that it created.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tempfile::{NamedTempFile, TempDir};

pub(super) use tempfile::TempPath;

/// Prefix of the directory names.
pub(super) const PREFIX: &str = "tersed-artifacts-";
/// The locked file in each directory; it holds the process id, for people.
pub(super) const LOCK: &str = "owner.lock";
/// A younger directory without a lock file may still be under construction.
const CREATION_TIME: Duration = Duration::from_secs(60 * 60);
/// How often to recreate a directory that a clean-up took for abandoned.
const MAX_ATTEMPTS: usize = 4;

/// A directory that only this process uses; deleted on drop.
#[derive(Debug)]
pub(super) struct PrivateDir {
    dir: TempDir,
    /// Holds the lock; dropping it releases the directory.
    _lock: File,
}

impl PrivateDir {
    fn create(root: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        for _ in 0..MAX_ATTEMPTS {
            let dir = builder.tempdir_in(root)?;
            let path = dir.path().join(LOCK);
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut lock = options.open(&path)?;
            // Between the two lines above, another process may have taken it for abandoned. Then that process holds the
            // lock, or has already removed the file.
            match lock.try_lock() {
                Ok(()) if path.exists() => {
                    write!(lock, "{}", std::process::id())?;
                    return Ok(Self { dir, _lock: lock });
                }
                Ok(()) | Err(fs::TryLockError::WouldBlock) => {}
                Err(fs::TryLockError::Error(error)) => return Err(error),
            }
        }
        Err(io::Error::from(io::ErrorKind::ResourceBusy))
    }
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        // The lock file is removed last, so an interrupted removal is still recognised. If anything fails here, the
        // directory's own drop or a later start removes it.
        let _ = remove_files(self.dir.path());
    }
}

/// The directory for large artifacts.
#[derive(Debug)]
pub(super) struct Disk {
    root: PathBuf,
    dir: Option<Arc<PrivateDir>>,
}

impl Disk {
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root, dir: None }
    }

    /// A new private file, with the directory that must outlive it.
    pub(super) fn file(&mut self) -> io::Result<(NamedTempFile, Arc<PrivateDir>)> {
        if let Some(dir) = &self.dir {
            match new_file(dir) {
                // Somebody removed the directory: create a new one.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                other => return Ok((other?, Arc::clone(dir))),
            }
        }
        let dir = Arc::new(PrivateDir::create(&self.root)?);
        let file = new_file(&dir)?;
        self.dir = Some(Arc::clone(&dir));
        Ok((file, dir))
    }
}

fn new_file(dir: &PrivateDir) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("a");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600));
    builder.tempfile_in(dir.dir.path())
}

/// Removes the artifact directories below `root` whose process has ended. Returns their number.
///
/// Only private directories of this user are examined. A directory that cannot be removed stays.
pub fn remove_leftovers(root: &Path) -> usize {
    let Ok(entries) = fs::read_dir(root) else { return 0 };
    entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX)))
        .map(|entry| entry.path())
        .filter(|path| is_ours(path) && remove_if_abandoned(path).unwrap_or(false))
        .count()
}

#[cfg(unix)]
fn is_ours(dir: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(dir).is_ok_and(|meta| {
        meta.is_dir() && meta.uid() == rustix::process::geteuid().as_raw() && meta.mode() & 0o077 == 0
    })
}

#[cfg(not(unix))]
fn is_ours(dir: &Path) -> bool {
    fs::symlink_metadata(dir).is_ok_and(|meta| meta.is_dir())
}

/// Whether a name is one that [`new_file`] creates: a letter and a random part.
fn is_own_name(name: &std::ffi::OsStr) -> bool {
    name.to_str().is_some_and(|name| {
        name.len() == 7 && name.starts_with('a') && name.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

fn remove_if_abandoned(dir: &Path) -> io::Result<bool> {
    let lock = match File::open(dir.join(LOCK)) {
        Ok(lock) => lock,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let age = fs::symlink_metadata(dir)?.modified()?.elapsed().unwrap_or_default();
            // Fails, as it should, if the directory is not empty: without a lock file it is not known to be ours.
            return if age > CREATION_TIME { fs::remove_dir(dir).map(|()| true) } else { Ok(false) };
        }
        Err(error) => return Err(error),
    };
    if lock.try_lock().is_err() {
        return Ok(false);
    }
    remove_files(dir)?;
    fs::remove_dir(dir)?;
    Ok(true)
}

fn remove_files(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        // Files of others stay, and so does the directory.
        if is_own_name(&entry.file_name()) {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_file(dir.join(LOCK))
}
