//! Folders and files by path, on systems other than Unix. Links are checked before a file is opened, so a link that is
//! swapped in meanwhile is not noticed. Owners and permissions are not checked.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::{Opening, RefusalReason};

#[derive(Debug)]
pub(super) struct Inner(PathBuf);

fn why(error: io::Error) -> RefusalReason {
    match error.kind() {
        io::ErrorKind::NotFound => RefusalReason::Missing,
        io::ErrorKind::NotADirectory => RefusalReason::NoFolder,
        _ => RefusalReason::System(error),
    }
}

fn folder(path: PathBuf) -> Result<Inner, RefusalReason> {
    let about = fs::symlink_metadata(&path).map_err(why)?;
    match about.is_dir() && !about.is_symlink() {
        true => Ok(Inner(path)),
        false => Err(RefusalReason::NoFolder),
    }
}

/// Creates a folder and its parents.
pub(super) fn make_all(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

impl Inner {
    pub(super) fn open(path: &Path) -> Result<Self, RefusalReason> {
        folder(path.to_owned())
    }

    pub(super) fn folder(&self, names: &[&OsStr]) -> Result<Self, RefusalReason> {
        names.iter().try_fold(Self(self.0.clone()), |here, name| folder(here.0.join(name)))
    }

    pub(super) fn make_folders(&self, names: &[&OsStr]) -> Result<Self, RefusalReason> {
        names.iter().try_fold(Self(self.0.clone()), |here, name| {
            let path = here.0.join(name);
            match fs::create_dir(&path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(why(error)),
                _ => folder(path),
            }
        })
    }

    pub(super) fn file(&self, name: &OsStr) -> Result<File, RefusalReason> {
        let path = self.0.join(name);
        is_regular(&fs::symlink_metadata(&path).map_err(why)?)?;
        File::open(path).map_err(why)
    }

    pub(super) fn create(&self, name: &OsStr, opening: Opening) -> Result<File, RefusalReason> {
        let path = self.0.join(name);
        match fs::symlink_metadata(&path) {
            Ok(about) => is_regular(&about)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(why(error)),
        }
        let mut options = OpenOptions::new();
        match opening {
            Opening::New => options.write(true).create_new(true),
            Opening::Append => options.read(true).append(true).create(true),
            Opening::Update => options.read(true).write(true).create(true).truncate(false),
        };
        options.open(path).map_err(why)
    }

    pub(super) fn rename(&self, from: &str, to: &str) -> Result<(), RefusalReason> {
        fs::rename(self.0.join(from), self.0.join(to)).map_err(why)
    }

    pub(super) fn check_writers(&self) -> Result<(), RefusalReason> {
        Ok(())
    }

    pub(super) fn device(&self) -> Option<u64> {
        None
    }

    pub(super) fn has(&self, name: &str) -> bool {
        fs::symlink_metadata(self.0.join(name)).is_ok()
    }
}

pub(super) fn check_above(_: &Path) -> Result<(), RefusalReason> {
    Ok(())
}

pub(super) fn check_writers(_: &File) -> Result<(), RefusalReason> {
    Ok(())
}

fn is_regular(about: &fs::Metadata) -> Result<(), RefusalReason> {
    match () {
        () if about.is_symlink() => Err(RefusalReason::Link),
        () if about.is_dir() => Err(RefusalReason::Kind("a folder")),
        () if about.is_file() => Ok(()),
        () => Err(RefusalReason::Kind("a device")),
    }
}
