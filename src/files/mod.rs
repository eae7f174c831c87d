//! Files that others may have had a hand in: opened without waiting, without following links, and only as far as their
//! size, kind and owner allow.
//!
//! Everything goes through descriptors of folders, so that nobody who swaps a part of a path for a link meanwhile can
//! lead a read or a write elsewhere. It never reads a pipe, a device, a terminal or standard input, never removes or
//! shortens a file, and never changes the rights of one that is there.

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

/// What becomes of a path with links in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// It is refused, whichever part the link is.
    Refuse,
    /// They are followed first, but for those of processes (`/proc/self/fd/0`); then none may appear.
    Follow,
}

/// Who may have written what is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writers {
    /// Anybody.
    Any,
    /// This user and the superuser: the file and its folder belong to one of them, and neither the group nor others
    /// may write to them. A folder in which everybody may only remove what is theirs is fine. Not checked on systems
    /// that are no Unix.
    Own,
}

/// How a file to write to is opened. It is regular, has one name, and is private when it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// It must not be there.
    New,
    /// To write at its end, and to read; made if need be.
    Append,
    /// To read and write; made if need be. Nothing in it is taken away.
    Update,
}

/// Why a file was refused.
#[derive(Debug)]
pub enum Why {
    /// Nothing is there.
    Missing,
    /// The path holds a link.
    Link,
    /// A part of the path that should be a folder is none.
    NoFolder,
    /// It is there and no regular file: what it is.
    Kind(&'static str),
    /// It has more bytes than this.
    Large(u64),
    /// The path leads out of the folder that it has to stay in.
    Outside,
    /// The file has more than one name.
    Names,
    /// It, or `true` for its folder, belongs to another user.
    Owner(bool),
    /// It, or `true` for its folder, has rights by which others may write to it.
    Writable(bool, u32),
    /// What the system says.
    System(io::Error),
}

/// A file or folder that was refused, and why.
#[derive(Debug)]
pub struct Refused {
    /// As it was asked for.
    pub path: PathBuf,
    /// Why.
    pub why: Why,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |is_folder: &bool| if *is_folder { "its folder" } else { "it" };
        match self {
            Self::Missing => f.write_str("there is no such file"),
            Self::Link => f.write_str("the path holds a link, which is not followed"),
            Self::NoFolder => f.write_str("a part of the path is a link or no folder"),
            Self::Kind(kind) => write!(f, "is {kind}, allowed is a regular file"),
            Self::Large(limit) => write!(f, "has more than {limit} bytes, which are allowed"),
            Self::Outside => f.write_str("the path leads out of the folder that it has to stay in"),
            Self::Names => f.write_str("has more than one name, allowed is one"),
            Self::Owner(folder) => {
                write!(f, "does not count: {} belongs to another user", of(folder))
            }
            Self::Writable(folder, mode) => write!(
                f,
                "does not count: others may write to {} (mode {mode:04o}); `chmod go-w` mends it",
                of(folder)
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
            Why::Missing => io::ErrorKind::NotFound,
            Why::Large(_) => io::ErrorKind::FileTooLarge,
            Why::System(error) => error.kind(),
            _ => io::ErrorKind::PermissionDenied,
        };
        Self::new(kind, refused.to_string())
    }
}

/// The bytes of a regular file of at most `limit`.
pub fn read_regular(path: &Path, limit: u64, links: Links, writers: Writers) -> Result<Vec<u8>, Refused> {
    let refused = |why| Refused { path: path.to_owned(), why };
    let whole = std::path::absolute(path).map_err(|e| refused(Why::System(e)))?;
    let place = match links {
        Links::Refuse => whole,
        Links::Follow => {
            // Whoever may write to the folder of the link says what is read.
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
        return Err(refused(Why::Kind("a folder")));
    };
    let folder = Folder::open(folder).map_err(|e| refused(e.why))?;
    folder.read(Path::new(name), limit, writers).map_err(|e| refused(e.why))
}

/// The folder below `root`, without a link between the two.
pub fn open_dir_beneath(root: &Path, relative: &Path) -> Result<Folder, Refused> {
    Folder::open(&resolved(root)?)?.folder(relative)
}

/// A file below `root`, to write to. `root` and the folders on the way are made if need be, for this user alone.
pub fn create_file_beneath(root: &Path, relative: &Path, opening: Opening) -> Result<File, Refused> {
    let made = |e| Refused { path: root.to_owned(), why: Why::System(e) };
    if let Err(error) = resolved(root) {
        match error.why {
            Why::Missing => system::make_all(root).map_err(made)?,
            _ => return Err(error),
        }
    }
    Folder::open(&resolved(root)?)?.create(relative, opening)
}

/// A regular file below `root`, to read.
pub fn open_beneath(root: &Path, relative: &Path) -> Result<File, Refused> {
    Folder::open(&resolved(root)?)?.open_file(relative, Writers::Any)
}

/// A path with its links followed, none of which may lead to what a process has open.
pub fn resolved(path: &Path) -> Result<PathBuf, Refused> {
    const MOST: usize = 40;
    let refused = |why| Refused { path: path.to_owned(), why };
    let system = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Why::Missing,
        io::ErrorKind::NotADirectory => Why::NoFolder,
        _ => Why::System(error),
    };
    let whole = std::path::absolute(path).map_err(|e| refused(Why::System(e)))?;
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
            return Err(refused(Why::Kind("what a process has open")));
        }
        let about = std::fs::symlink_metadata(&done).map_err(|e| refused(system(e)))?;
        if about.is_symlink() {
            links += 1;
            if links > MOST {
                return Err(refused(Why::Link));
            }
            let target = std::fs::read_link(&done).map_err(|e| refused(Why::System(e)))?;
            done.pop();
            todo.extend(pieces(&target));
        }
    }
    Ok(done)
}

/// The components of a path, the last one first.
fn pieces(path: &Path) -> Vec<PathBuf> {
    path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect()
}

/// The names of a path that stays below where it begins.
fn names(relative: &Path) -> Result<Vec<&std::ffi::OsStr>, Why> {
    let mut names = Vec::new();
    for part in relative.components() {
        match part {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            // Without links the name in front of it is what it takes back.
            Component::ParentDir => {
                names.pop().ok_or(Why::Outside)?;
            }
            Component::RootDir | Component::Prefix(_) => return Err(Why::Outside),
        }
    }
    Ok(names)
}

/// A folder that was entered; what is asked for in it is found in it, wherever its path leads meanwhile.
#[derive(Debug)]
pub struct Folder {
    inner: system::Inner,
    path: PathBuf,
}

impl Folder {
    /// Enters a folder; no part of its path may be a link. See `resolved`.
    pub fn open(path: &Path) -> Result<Self, Refused> {
        let refused = |why| Refused { path: path.to_owned(), why };
        let whole = std::path::absolute(path).map_err(|e| refused(Why::System(e)))?;
        let inner = system::Inner::open(&whole).map_err(refused)?;
        Ok(Self { inner, path: whole })
    }

    /// Its path when it was entered.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder below this one.
    pub fn folder(&self, relative: &Path) -> Result<Self, Refused> {
        let path = self.path.join(relative);
        let refused = |why| Refused { path: path.clone(), why };
        let names = names(relative).map_err(refused)?;
        let inner = self.inner.folder(&names).map_err(refused)?;
        Ok(Self { inner, path })
    }

    /// The bytes of a regular file below this folder, at most `limit`.
    pub fn read(&self, relative: &Path, limit: u64, writers: Writers) -> Result<Vec<u8>, Refused> {
        let file = self.open_file(relative, writers)?;
        let refused = |why| Refused { path: self.path.join(relative), why };
        let large = |length: u64| if length > limit { Err(refused(Why::Large(limit))) } else { Ok(()) };
        large(file.metadata().map_err(|e| refused(Why::System(e)))?.len())?;
        let mut bytes = Vec::new();
        file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| refused(Why::System(e)))?;
        large(bytes.len() as u64)?;
        Ok(bytes)
    }

    /// A regular file below this folder, to read.
    pub fn open_file(&self, relative: &Path, writers: Writers) -> Result<File, Refused> {
        let refused = |why| Refused { path: self.path.join(relative), why };
        let names = names(relative).map_err(refused)?;
        let Some((name, folders)) = names.split_last() else { return Err(refused(Why::Kind("a folder"))) };
        let below;
        let folder = match folders {
            [] => &self.inner,
            folders => {
                below = self.inner.folder(folders).map_err(refused)?;
                &below
            }
        };
        let file = folder.file(name).map_err(refused)?;
        if writers == Writers::Own {
            folder.check_writers().map_err(refused)?;
            system::check_writers(&file).map_err(refused)?;
        }
        Ok(file)
    }

    /// A file below this folder, to write to; the folders on the way are made if need be, for this user alone.
    pub fn create(&self, relative: &Path, opening: Opening) -> Result<File, Refused> {
        let refused = |why| Refused { path: self.path.join(relative), why };
        let names = names(relative).map_err(refused)?;
        let Some((name, folders)) = names.split_last() else { return Err(refused(Why::Kind("a folder"))) };
        let below;
        let folder = match folders {
            [] => &self.inner,
            folders => {
                below = self.inner.make_folders(folders).map_err(refused)?;
                &below
            }
        };
        folder.create(name, opening).map_err(refused)
    }

    /// The folder below `root`, made if need be with those on the way, for this user alone; `root` too.
    pub fn create_beneath(root: &Path, relative: &Path) -> Result<Self, Refused> {
        if let Err(Refused { why: Why::Missing, .. }) = resolved(root) {
            system::make_all(root).map_err(|e| Refused { path: root.to_owned(), why: Why::System(e) })?;
        }
        let (root, path) = (Self::open(&resolved(root)?)?, root.join(relative));
        let refused = |why| Refused { path: path.clone(), why };
        let names = names(relative).map_err(refused)?;
        let inner = root.inner.make_folders(&names).map_err(refused)?;
        Ok(Self { inner, path })
    }

    /// Gives a file in this folder another name in it, in the place of one that has it.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), Refused> {
        let refused = |why| Refused { path: self.path.join(from), why };
        self.inner.rename(from, to).map_err(refused)
    }

    /// Whether only this user and the superuser may have put something here.
    pub fn check_writers(&self) -> Result<(), Refused> {
        self.inner.check_writers().map_err(|why| Refused { path: self.path.clone(), why })
    }

    /// The file system that it is on, where the system numbers them.
    pub fn device(&self) -> Option<u64> {
        self.inner.device()
    }

    /// Whether something of that name is in it, a link that leads nowhere too.
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
