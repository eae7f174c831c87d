//! Opens files that others may have manipulated: without blocking, without following links, and only if size, kind and owner
//! are acceptable.
//!
//! All access goes through descriptors of folders, so swapping a part of a path for a link cannot redirect a read or a
//! write. It never reads a pipe, a device, a terminal or standard input, never deletes or truncates a file, and never
//! changes the permissions of an existing one. A refusal is a [`Refused`], with the path and the reason.

mod anchor;
#[cfg(not(unix))]
#[path = "elsewhere.rs"]
mod system;
#[cfg(unix)]
#[path = "unix.rs"]
mod system;
pub mod yaml;

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

pub use anchor::{anchored, state_folder};

/// Largest file of settings or rules that is read, in bytes.
pub const LARGEST_SETTINGS: u64 = 1 << 20;

/// Largest file of settings of another program that also keeps data in it, in bytes. A choice: far above the histories that
/// hosts keep beside their settings.
pub const LARGEST_WITH_DATA: u64 = 64 << 20;

/// How to treat a path that contains links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Refuse it, whichever part is the link.
    Refuse,
    /// Resolve links first, except links to open files of a process (`/proc/self/fd/0`). After that none may appear.
    Follow,
}

/// Who may have written a file that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writers {
    /// Anyone.
    Any,
    /// Only this user and the superuser: the file and its folder belong to one of them, and neither the group nor others may
    /// write to them. Nor may others write to a folder above, since they could rename the folders below it. A folder with the
    /// sticky bit is accepted. Not checked on systems other than Unix.
    Own,
}

/// How to open a file for writing. It must be regular and have one name; a new file is private.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// It must not exist.
    New,
    /// Open to append and to read; created if needed.
    Append,
    /// Open to read and write without truncating; created if needed.
    Update,
}

/// Why a file was refused.
#[derive(Debug)]
pub enum RefusalReason {
    /// It does not exist.
    Missing,
    /// The path contains a link.
    Link,
    /// A part of the path is not a folder.
    NoFolder,
    /// It is not a regular file, but this kind.
    Kind(&'static str),
    /// It has more bytes than this limit.
    Large(u64),
    /// The path leaves the folder that it must stay in.
    Outside,
    /// The file has more than one name (hard links).
    Names,
    /// The file, or with `true` its folder, belongs to another user.
    Owner(bool),
    /// Others may write to the file, or with `true` to its folder; with the mode.
    Writable(bool, u32),
    /// Others may write to this folder above its folder; with the mode.
    WritableAbove(PathBuf, u32),
    /// An error of the system.
    System(io::Error),
}

/// A refused file or folder, and the reason.
#[derive(Debug)]
pub struct Refused {
    /// The path as requested.
    pub path: PathBuf,
    /// The reason.
    pub why: RefusalReason,
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |is_folder: &bool| if *is_folder { "its folder" } else { "it" };
        match self {
            Self::Missing => f.write_str("there is no such file"),
            Self::Link => f.write_str("the path holds a link, which is not followed"),
            Self::NoFolder => f.write_str("a part of the path is a link or no folder"),
            Self::Kind(kind) => write!(f, "is {kind}, allowed is a regular file"),
            Self::Large(limit) => write!(f, "has more than {limit} bytes, which are allowed"),
            Self::Outside => f.write_str("the path leads out of the folder that it must stay in"),
            Self::Names => f.write_str("has more than one name, allowed is one"),
            Self::Owner(folder) => {
                write!(f, "does not count: {} belongs to another user", of(folder))
            }
            Self::Writable(folder, mode) => write!(
                f,
                "does not count: others may write to {} (mode {mode:04o}); `chmod go-w` mends it",
                of(folder)
            ),
            Self::WritableAbove(folder, mode) => write!(
                f,
                "does not count: others may write to {} (mode {mode:04o}); `chmod o-w` mends it",
                folder.display()
            ),
            Self::System(error) => write!(f, "{error}"),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)
    }
}

impl std::error::Error for Refused {}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> Self {
        let kind = match &refused.why {
            RefusalReason::Missing => io::ErrorKind::NotFound,
            RefusalReason::NoFolder => io::ErrorKind::NotADirectory,
            RefusalReason::Large(_) => io::ErrorKind::FileTooLarge,
            RefusalReason::System(error) => error.kind(),
            _ => io::ErrorKind::PermissionDenied,
        };
        Self::new(kind, refused.to_string())
    }
}

/// Reads a regular file of at most `limit` bytes.
pub fn read_regular(path: &Path, limit: u64, links: Links, writers: Writers) -> Result<Vec<u8>, Refused> {
    let refused = |why| Refused { path: path.to_owned(), why };
    let (folder, name) = place_of(path, links, writers)?;
    folder.read(&name, limit, writers).map_err(|e| refused(e.why))
}

/// The text of a file of settings of another program: regular, and at most `limit` bytes. Links are followed, because users
/// keep such files elsewhere. Anybody may have written it, for example into a project, so reading it must neither
/// block nor go on for ever.
pub fn text_of_host(path: &Path, limit: u64) -> io::Result<String> {
    let bytes = read_regular(path, limit, Links::Follow, Writers::Any)?;
    String::from_utf8(bytes).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e.utf8_error()))
}

/// Opens a regular file for reading, without waiting for the other end of a pipe.
pub fn open_regular(path: &Path) -> Result<File, Refused> {
    let (folder, name) = place_of(path, Links::Follow, Writers::Any)?;
    folder.open_file(&name, Writers::Any).map_err(|e| Refused { path: path.to_owned(), why: e.why })
}

/// The open folder of a file, and the name of the file in it.
fn place_of(path: &Path, links: Links, writers: Writers) -> Result<(Folder, PathBuf), Refused> {
    let refused = |why| Refused { path: path.to_owned(), why };
    let whole = std::path::absolute(path).map_err(|e| refused(RefusalReason::System(e)))?;
    let place = match links {
        Links::Refuse => whole,
        Links::Follow => {
            // Whoever can write to the folder of the link can choose the file that is read.
            if writers == Writers::Own
                && let Some(folder) = whole.parent()
            {
                let folder = resolved(folder).and_then(|folder| Folder::open(&folder));
                folder.and_then(|folder| folder.check_writers()).map_err(|e| refused(e.why))?;
            }
            resolved(&whole).map_err(|e| refused(e.why))?
        }
    };
    let (Some(folder), Some(name)) = (place.parent(), place.file_name()) else {
        return Err(refused(RefusalReason::Kind("a folder")));
    };
    let folder = Folder::open(folder).map_err(|e| refused(e.why))?;
    Ok((folder, PathBuf::from(name)))
}

/// Opens the folder below `root`. The path between the two may contain no link.
pub fn open_dir_beneath(root: &Path, relative: &Path) -> Result<Folder, Refused> {
    Folder::open(&resolved(root)?)?.folder(relative)
}

/// Opens a file below `root` for writing. `root` and missing folders are created for this user alone.
pub fn create_file_beneath(root: &Path, relative: &Path, opening: Opening) -> Result<File, Refused> {
    let made = |e| Refused { path: root.to_owned(), why: RefusalReason::System(e) };
    if let Err(error) = resolved(root) {
        match error.why {
            RefusalReason::Missing => system::make_all(root).map_err(made)?,
            _ => return Err(error),
        }
    }
    Folder::open(&resolved(root)?)?.create(relative, opening)
}

/// Opens a regular file below `root` for reading.
pub fn open_beneath(root: &Path, relative: &Path) -> Result<File, Refused> {
    Folder::open(&resolved(root)?)?.open_file(relative, Writers::Any)
}

/// The path with its links resolved. None may lead to an open file of a process.
pub fn resolved(path: &Path) -> Result<PathBuf, Refused> {
    const MAX_LINKS: usize = 40;
    let refused = |why| Refused { path: path.to_owned(), why };
    let system = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => RefusalReason::Missing,
        io::ErrorKind::NotADirectory => RefusalReason::NoFolder,
        _ => RefusalReason::System(error),
    };
    let whole = std::path::absolute(path).map_err(|e| refused(RefusalReason::System(e)))?;
    let mut todo: Vec<PathBuf> = pieces(&whole);
    let (mut done, mut links) = (PathBuf::new(), 0);
    while let Some(piece) = todo.pop() {
        match piece.components().next() {
            Some(Component::ParentDir) => {
                done.pop();
                continue;
            }
            Some(Component::CurDir) | None => continue,
            _ => done.push(&piece),
        }
        if ["/proc", "/dev/fd"].iter().any(|of_process| done.starts_with(of_process)) {
            return Err(refused(RefusalReason::Kind("what a process has open")));
        }
        let about = std::fs::symlink_metadata(&done).map_err(|e| refused(system(e)))?;
        if about.is_symlink() {
            links += 1;
            if links > MAX_LINKS {
                return Err(refused(RefusalReason::Link));
            }
            let target = std::fs::read_link(&done).map_err(|e| refused(RefusalReason::System(e)))?;
            done.pop();
            todo.extend(pieces(&target));
        }
    }
    Ok(done)
}

/// The components of a path, last one first.
fn pieces(path: &Path) -> Vec<PathBuf> {
    path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect()
}

/// The names of a path that stays below its start.
fn names(relative: &Path) -> Result<Vec<&std::ffi::OsStr>, RefusalReason> {
    let mut names = Vec::new();
    for part in relative.components() {
        match part {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            // Without links, `..` removes the name before it.
            Component::ParentDir => {
                names.pop().ok_or(RefusalReason::Outside)?;
            }
            Component::RootDir | Component::Prefix(_) => return Err(RefusalReason::Outside),
        }
    }
    Ok(names)
}

/// The name of a file below a folder, and the names of the folders between the two.
fn name_and_folders(relative: &Path) -> Result<(&std::ffi::OsStr, Vec<&std::ffi::OsStr>), RefusalReason> {
    let mut folders = names(relative)?;
    let name = folders.pop().ok_or(RefusalReason::Kind("a folder"))?;
    Ok((name, folders))
}

/// An open folder. Files are found in this folder, even if its path is changed meanwhile.
#[derive(Debug)]
pub struct Folder {
    inner: system::Inner,
    path: PathBuf,
}

impl Folder {
    /// Opens a folder. No part of its path may be a link; use `resolved` first.
    pub fn open(path: &Path) -> Result<Self, Refused> {
        let refused = |why| Refused { path: path.to_owned(), why };
        let whole = std::path::absolute(path).map_err(|e| refused(RefusalReason::System(e)))?;
        let inner = system::Inner::open(&whole).map_err(refused)?;
        Ok(Self { inner, path: whole })
    }

    /// The path with which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a folder below this one.
    pub fn folder(&self, relative: &Path) -> Result<Self, Refused> {
        let path = self.path.join(relative);
        let refused = |why| Refused { path: path.clone(), why };
        let names = names(relative).map_err(refused)?;
        let inner = self.inner.folder(&names).map_err(refused)?;
        Ok(Self { inner, path })
    }

    /// Reads a regular file below this folder, of at most `limit` bytes.
    pub fn read(&self, relative: &Path, limit: u64, writers: Writers) -> Result<Vec<u8>, Refused> {
        let file = self.open_file(relative, writers)?;
        let refused = |why| Refused { path: self.path.join(relative), why };
        let large =
            |length: u64| if length > limit { Err(refused(RefusalReason::Large(limit))) } else { Ok(()) };
        large(file.metadata().map_err(|e| refused(RefusalReason::System(e)))?.len())?;
        let mut bytes = Vec::new();
        file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| refused(RefusalReason::System(e)))?;
        large(bytes.len() as u64)?;
        Ok(bytes)
    }

    /// Opens a regular file below this folder for reading.
    pub fn open_file(&self, relative: &Path, writers: Writers) -> Result<File, Refused> {
        let refused = |why| Refused { path: self.path.join(relative), why };
        let (name, folders) = name_and_folders(relative).map_err(refused)?;
        let below;
        let folder = match &folders[..] {
            [] => &self.inner,
            folders => {
                below = self.inner.folder(folders).map_err(refused)?;
                &below
            }
        };
        let file = folder.file(name).map_err(refused)?;
        if writers == Writers::Own {
            folder.check_writers().map_err(refused)?;
            let above = folders.iter().collect::<PathBuf>();
            system::check_above(&self.path.join(above)).map_err(refused)?;
            system::check_writers(&file).map_err(refused)?;
        }
        Ok(file)
    }

    /// Opens a file below this folder for writing. Missing folders are created for this user alone.
    pub fn create(&self, relative: &Path, opening: Opening) -> Result<File, Refused> {
        let refused = |why| Refused { path: self.path.join(relative), why };
        let (name, folders) = name_and_folders(relative).map_err(refused)?;
        let below;
        let folder = match &folders[..] {
            [] => &self.inner,
            folders => {
                below = self.inner.make_folders(folders).map_err(refused)?;
                &below
            }
        };
        folder.create(name, opening).map_err(refused)
    }

    /// Opens the folder below `root`. Missing folders, `root` included, are created for this user alone.
    pub fn create_beneath(root: &Path, relative: &Path) -> Result<Self, Refused> {
        if let Err(Refused { why: RefusalReason::Missing, .. }) = resolved(root) {
            system::make_all(root)
                .map_err(|e| Refused { path: root.to_owned(), why: RefusalReason::System(e) })?;
        }
        let (root, path) = (Self::open(&resolved(root)?)?, root.join(relative));
        let refused = |why| Refused { path: path.clone(), why };
        let names = names(relative).map_err(refused)?;
        let inner = root.inner.make_folders(&names).map_err(refused)?;
        Ok(Self { inner, path })
    }

    /// Renames a file in this folder. Replaces an existing file of that name.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), Refused> {
        let refused = |why| Refused { path: self.path.join(from), why };
        self.inner.rename(from, to).map_err(refused)
    }

    /// Checks that only this user and the superuser can have put files here.
    pub fn check_writers(&self) -> Result<(), Refused> {
        let refused = |why| Refused { path: self.path.clone(), why };
        self.inner.check_writers().map_err(refused)?;
        system::check_above(&self.path).map_err(refused)
    }

    /// The number of its file system, if the system has such numbers.
    pub fn device(&self) -> Option<u64> {
        self.inner.device()
    }

    /// Whether an entry of that name exists, including broken links.
    pub fn has(&self, name: &str) -> bool {
        self.inner.has(name)
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for Folder {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.inner.as_fd()
    }
}

#[cfg(all(test, unix))]
mod tests;
