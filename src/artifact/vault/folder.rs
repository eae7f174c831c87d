//! The folder of a vault: private, and opened once.
//!
//! On Unix no part of its path may be a link, see [`crate::files`]. All access uses the descriptor of the checked folder. So
//! nobody who swaps a folder above it for a link can redirect a read or a write, and no link to a file is followed. A folder
//! of another user, or one that others may enter, is refused and not changed.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::name::PART;
#[cfg(not(target_family = "wasm"))]
use crate::files::open_dir_beneath;
use crate::files::{RefusalReason, Refused, anchored};

/// The file whose lock serialises changes.
const LOCK: &str = "lock";
/// The file that marks the folder as a vault, and its content.
const MARK: &str = "tersed-originals";
const MARK_TEXT: &[u8] = b"originals kept by tersed, version 1\n";
/// Attempts to take the lock, and the pause between them. If a stopped process holds the lock, the copy is lost, not the
/// result.
const MAX_TRIES: u32 = 200;
const RETRY_PAUSE: Duration = Duration::from_millis(1);

/// Held while the files of a folder change.
#[derive(Debug)]
pub(super) struct Turn {
    _lock: File,
}

/// The folder; see the module.
#[derive(Debug)]
pub(super) struct Folder {
    inner: system::Inner,
}

impl Folder {
    /// Opens an existing folder.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        // With a slash at the end, the system would follow a link.
        let path: PathBuf = path.components().collect();
        Ok(Self { inner: system::Inner::open(&path)? })
    }

    /// Opens a folder; creates it and its parents if needed.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let (root, below) = anchored(path)?;
        match crate::files::Folder::create_beneath(&root, &below) {
            // `open` reports these cases better.
            Ok(_) | Err(Refused { why: RefusalReason::Link | RefusalReason::NoFolder, .. }) => {
                Self::open(path)
            }
            Err(refused) => Err(refused.into()),
        }
    }

    /// Names of all files that are text.
    pub(super) fn files(&self) -> io::Result<Vec<String>> {
        self.inner.files()
    }

    /// The bytes of a private file, at most `max`.
    pub(super) fn read(&self, file: &str, max: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.inner.open_file(file, false)?.take(max + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > max {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        Ok(bytes)
    }

    /// The first bytes of a file, at most `max`.
    pub(super) fn head(&self, file: &str, max: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.inner.open_file(file, false)?.take(max).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes a file completely or not at all. A killed process leaves at most a `.part` file.
    pub(super) fn write(&self, file: &str, pieces: &[&[u8]]) -> io::Result<()> {
        let part = format!("{file}{PART}");
        let written = {
            let mut out = self.inner.new_file(&part)?;
            pieces.iter().try_for_each(|piece| out.write_all(piece))
        };
        let done = written.and_then(|()| self.inner.rename(&part, file));
        if done.is_err() {
            // If this fails, the next change of the folder removes it.
            let _ = self.inner.remove(&part);
        }
        done
    }

    /// Deletes a file; a missing file is not an error.
    pub(super) fn remove(&self, file: &str) -> io::Result<()> {
        match self.inner.remove(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// Creates a file that stays locked while the returned value lives.
    pub(super) fn lock_new(&self, file: &str) -> io::Result<File> {
        let lock = self.inner.new_file(file)?;
        lock.try_lock()?;
        Ok(lock)
    }

    /// Whether the folder is marked as a vault.
    pub(super) fn is_marked(&self) -> bool {
        self.head(MARK, 64).is_ok_and(|mark| mark == MARK_TEXT)
    }

    /// Waits as [`Self::turn`] does, and marks the folder as a vault if needed. An error if it already holds other files: a
    /// folder in use is no place for a vault.
    pub(super) fn mark(&self, is_ours: impl Fn(&str) -> bool) -> io::Result<Turn> {
        let part = format!("{MARK}{PART}");
        let is_known = |file: &str| match file {
            "." | ".." => true,
            LOCK => self.head(LOCK, 1).is_ok_and(|head| head.is_empty()),
            file => file == part || file == MARK || is_ours(file),
        };
        let check = || match self.files()?.into_iter().find(|file| !is_known(file)) {
            Some(other) => {
                Err(refused(format!("holds {other:?}, not of tersed; name a folder for originals alone")))
            }
            None => Ok(()),
        };
        if !self.is_marked() {
            check()?;
        }
        let turn = self.turn()?;
        if !self.is_marked() {
            check()?;
            self.remove(&part)?;
            self.write(MARK, &[MARK_TEXT])?;
        }
        Ok(turn)
    }

    /// Whether a process holds the lock of a file.
    pub(super) fn is_locked(&self, file: &str) -> bool {
        let is_held = |file: File| matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        self.inner.open_file(file, false).is_ok_and(is_held)
    }

    /// Waits, with a limit, until no other process or thread changes the folder.
    pub(super) fn turn(&self) -> io::Result<Turn> {
        let lock = self.inner.open_file(LOCK, true)?;
        for _ in 0..MAX_TRIES {
            match lock.try_lock() {
                Ok(()) => return Ok(Turn { _lock: lock }),
                Err(TryLockError::WouldBlock) => std::thread::sleep(RETRY_PAUSE),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Err(io::Error::from(io::ErrorKind::ResourceBusy))
    }
}

/// An error about the folder.
fn refused(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}

#[cfg(unix)]
mod system {
    use std::os::fd::OwnedFd;

    use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, openat, renameat, unlinkat};

    use super::{File, Path, RefusalReason, anchored, io, open_dir_beneath, refused};

    #[derive(Debug)]
    pub(super) struct Inner(OwnedFd);

    impl Inner {
        pub(super) fn open(path: &Path) -> io::Result<Self> {
            let (root, below) = anchored(path)?;
            let folder = open_dir_beneath(&root, &below).map_err(|error| match error.why {
                RefusalReason::Link | RefusalReason::NoFolder => refused("is a link or no folder".to_owned()),
                _ => error.into(),
            })?;
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let dir = openat(&folder, ".", flags, Mode::empty())?;
            check(&fstat(&dir)?, FileType::Directory, "0700")?;
            Ok(Self(dir))
        }

        pub(super) fn files(&self) -> io::Result<Vec<String>> {
            let mut files = Vec::new();
            for entry in Dir::read_from(&self.0)? {
                if let Ok(name) = entry?.file_name().to_str() {
                    files.push(name.to_owned());
                }
            }
            Ok(files)
        }

        pub(super) fn open_file(&self, file: &str, create: bool) -> io::Result<File> {
            // Opening a pipe must not block until its other end is open.
            let mut flags = OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
            flags |= if create { OFlags::RDWR | OFlags::CREATE } else { OFlags::RDONLY };
            let opened = openat(&self.0, file, flags, Mode::RUSR | Mode::WUSR)?;
            check(&fstat(&opened)?, FileType::RegularFile, "0600")?;
            Ok(opened.into())
        }

        pub(super) fn new_file(&self, file: &str) -> io::Result<File> {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            Ok(openat(&self.0, file, flags, Mode::RUSR | Mode::WUSR)?.into())
        }

        pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            Ok(renameat(&self.0, from, &self.0, to)?)
        }

        pub(super) fn remove(&self, file: &str) -> io::Result<()> {
            Ok(unlinkat(&self.0, file, AtFlags::empty())?)
        }
    }

    /// Fails unless the file has that type, belongs to this user, and is private.
    fn check(stat: &Stat, wanted: FileType, allowed: &str) -> io::Result<()> {
        let mode = stat.st_mode & 0o777;
        if FileType::from_raw_mode(stat.st_mode) != wanted {
            return Err(refused("is not a folder or file of its own".to_owned()));
        }
        if stat.st_uid != rustix::process::geteuid().as_raw() {
            return Err(refused("belongs to another user".to_owned()));
        }
        match mode & 0o077 {
            0 => Ok(()),
            _ => Err(refused(format!("has mode {mode:04o}, allowed is {allowed}"))),
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::{self, OpenOptions};

    use super::{File, Path, PathBuf, io, refused};

    #[derive(Debug)]
    pub(super) struct Inner(PathBuf);

    impl Inner {
        pub(super) fn open(path: &Path) -> io::Result<Self> {
            match fs::symlink_metadata(path)?.is_dir() {
                true => Ok(Self(path.to_owned())),
                false => Err(refused("is a link or no folder".to_owned())),
            }
        }

        pub(super) fn files(&self) -> io::Result<Vec<String>> {
            let names = fs::read_dir(&self.0)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
            names.filter_map(Result::transpose).collect()
        }

        pub(super) fn open_file(&self, file: &str, create: bool) -> io::Result<File> {
            let path = self.0.join(file);
            match fs::symlink_metadata(&path) {
                Ok(meta) if !meta.is_file() => {
                    return Err(refused("is not a file of its own".to_owned()));
                }
                Err(error) if !create => return Err(error),
                _ => {}
            }
            OpenOptions::new().read(true).write(create).create(create).open(path)
        }

        pub(super) fn new_file(&self, file: &str) -> io::Result<File> {
            OpenOptions::new().write(true).create_new(true).open(self.0.join(file))
        }

        pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            fs::rename(self.0.join(from), self.0.join(to))
        }

        pub(super) fn remove(&self, file: &str) -> io::Result<()> {
            fs::remove_file(self.0.join(file))
        }
    }
}
