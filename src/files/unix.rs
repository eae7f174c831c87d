//! Folders and files by descriptor, on Unix.
//!
//! Linux checks a path of many parts in one call. Where that call is missing or forbidden, and on other systems, each part
//! is opened by itself. Both ways refuse the same paths.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, mkdirat, openat, statat};
use rustix::io::Errno;

use super::{Opening, RefusalReason};

/// Permissions of a new folder.
const FOLDER: Mode = Mode::RWXU;
/// In a folder with this bit, only the owner of a file can rename or remove it.
const STICKY: u32 = 0o1000;
/// Permissions of a new file.
const FILE: Mode = Mode::RUSR.union(Mode::WUSR);

#[derive(Debug)]
pub(super) struct Inner(File);

fn why(errno: Errno) -> RefusalReason {
    match errno {
        Errno::NOENT => RefusalReason::Missing,
        Errno::LOOP => RefusalReason::Link,
        Errno::NOTDIR => RefusalReason::NoFolder,
        Errno::XDEV => RefusalReason::Outside,
        errno => RefusalReason::System(errno.into()),
    }
}

fn folder_flags() -> OFlags {
    // Opening names in a folder does not need permission to list it.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let access = OFlags::PATH;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let access = OFlags::RDONLY;
    access | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

/// Opens the folder at the end of `names`.
fn enter(from: BorrowedFd<'_>, names: &[&OsStr]) -> Result<OwnedFd, Errno> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        use rustix::fs::{ResolveFlags, openat2};
        let path: PathBuf = names.iter().collect();
        let path = if names.is_empty() { Path::new(".") } else { &path };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match openat2(from, path, folder_flags(), Mode::empty(), resolve) {
            // Old kernels, and sandboxes that do not know the call.
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL | Errno::AGAIN) => {}
            opened => return opened,
        }
    }
    step(from, names)
}

/// Opens a folder below `from`, one part of the path at a time.
pub(super) fn step(from: BorrowedFd<'_>, names: &[&OsStr]) -> Result<OwnedFd, Errno> {
    let mut here = openat(from, ".", folder_flags(), Mode::empty())?;
    for name in names {
        here = openat(&here, *name, folder_flags(), Mode::empty())?;
    }
    Ok(here)
}

/// Creates a folder and its parents, for this user alone.
pub(super) fn make_all(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

impl Inner {
    pub(super) fn open(path: &Path) -> Result<Self, RefusalReason> {
        let root = openat(CWD, "/", folder_flags(), Mode::empty()).map_err(why)?;
        let below = path.strip_prefix("/").map_err(|_| RefusalReason::Outside)?;
        let names = super::names(below)?;
        enter(root.as_fd(), &names).map(|fd| Self(fd.into())).map_err(why)
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    pub(super) fn folder(&self, names: &[&OsStr]) -> Result<Self, RefusalReason> {
        enter(self.0.as_fd(), names).map(|fd| Self(fd.into())).map_err(why)
    }

    /// Opens the folder at the end of `names`; creates missing folders.
    pub(super) fn make_folders(&self, names: &[&OsStr]) -> Result<Self, RefusalReason> {
        let mut here = self.folder(&[])?;
        for name in names {
            match mkdirat(&here.0, *name, FOLDER) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(why(errno)),
            }
            here = here.folder(&[name])?;
        }
        Ok(here)
    }

    pub(super) fn file(&self, name: &OsStr) -> Result<File, RefusalReason> {
        // Opening a device may have effects, so the kind is checked before and after.
        let about = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).map_err(why)?;
        is_regular(FileType::from_raw_mode(about.st_mode))?;
        // Opening a pipe must not block until its other end is open.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file: File = openat(&self.0, name, flags, Mode::empty()).map_err(why)?.into();
        is_regular(FileType::from_raw_mode(about_open(&file)?.mode() as _))?;
        Ok(file)
    }

    pub(super) fn create(&self, name: &OsStr, opening: Opening) -> Result<File, RefusalReason> {
        let flags = OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let flags = flags
            | match opening {
                Opening::New => OFlags::WRONLY | OFlags::EXCL,
                Opening::Append => OFlags::RDWR | OFlags::APPEND,
                Opening::Update => OFlags::RDWR,
            };
        match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(about) => is_regular(FileType::from_raw_mode(about.st_mode))?,
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(why(errno)),
        }
        let file: File = openat(&self.0, name, flags, FILE).map_err(why)?.into();
        let about = about_open(&file)?;
        is_regular(FileType::from_raw_mode(about.mode() as _))?;
        // Writing would also change the file under its other name.
        if about.nlink() > 1 { Err(RefusalReason::Names) } else { Ok(file) }
    }

    pub(super) fn rename(&self, from: &str, to: &str) -> Result<(), RefusalReason> {
        rustix::fs::renameat(&self.0, from, &self.0, to).map_err(why)
    }

    pub(super) fn check_writers(&self) -> Result<(), RefusalReason> {
        let about = about_open(&self.0)?;
        is_own(&about, true)
    }

    pub(super) fn device(&self) -> Option<u64> {
        self.0.metadata().ok().map(|about| about.dev())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }
}

fn about_open(file: &File) -> Result<Metadata, RefusalReason> {
    file.metadata().map_err(RefusalReason::System)
}

fn is_regular(kind: FileType) -> Result<(), RefusalReason> {
    Err(match kind {
        FileType::RegularFile => return Ok(()),
        FileType::Symlink => RefusalReason::Link,
        FileType::Directory => RefusalReason::Kind("a folder"),
        FileType::Fifo => RefusalReason::Kind("a pipe"),
        FileType::Socket => RefusalReason::Kind("a socket"),
        _ => RefusalReason::Kind("a device"),
    })
}

pub(super) fn check_writers(file: &File) -> Result<(), RefusalReason> {
    is_own(&about_open(file)?, false)
}

/// Checks that others cannot rename `folder`: none of the folders above it is writable to all. A group may write there, as it
/// may to homes and projects on many systems.
pub(super) fn check_above(folder: &Path) -> Result<(), RefusalReason> {
    const ALL: u32 = 0o002;
    for above in folder.ancestors().skip(1) {
        let mode = std::fs::metadata(above).map_err(RefusalReason::System)?.mode() & 0o7777;
        if mode & ALL != 0 && mode & STICKY == 0 {
            return Err(RefusalReason::WritableAbove(above.to_owned(), mode));
        }
    }
    Ok(())
}

fn is_own(about: &Metadata, is_folder: bool) -> Result<(), RefusalReason> {
    const OTHERS: u32 = 0o022;
    if ![0, rustix::process::geteuid().as_raw()].contains(&about.uid()) {
        return Err(RefusalReason::Owner(is_folder));
    }
    let mode = about.mode() & 0o7777;
    let is_shared = mode & OTHERS != 0 && !(is_folder && mode & STICKY != 0);
    if is_shared { Err(RefusalReason::Writable(is_folder, mode)) } else { Ok(()) }
}
