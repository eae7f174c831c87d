//! Files as they lie on disk: read whole, replaced whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Links that are followed before a chain of them counts as a circle.
const MAX_LINKS: usize = 40;

/// Where a path leads: the file behind links, which need not be there.
pub(super) fn target(path: &Path) -> Result<PathBuf, String> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("/")).join(next);
    }
    Err(format!("{}: more than {MAX_LINKS} links lead on from it", path.display()))
}

/// The bytes of a file; `None` where there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, String> {
    match fs::metadata(path) {
        Ok(about) if !about.is_file() => Err(format!("{}: is no file", path.display())),
        Ok(_) => fs::read(path).map(Some).map_err(|e| format!("{}: {e}", path.display())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(format!("{}: {e}", path.display())),
    }
}

/// Whether a file may be replaced; says why not.
pub(super) fn check(path: &Path) -> Result<(), String> {
    match fs::metadata(path) {
        Ok(about) if about.permissions().readonly() => {
            Err(format!("{}: is read-only; make it writable, or leave it to what manages it", path.display()))
        }
        _ => Ok(()),
    }
}

/// Replaces a file, or makes or removes it, if it still is what it was. One that is made can be read by others where
/// `is_shared`, as far as the user lets them: hosts keep keys in some of their files.
pub(super) fn replace(
    path: &Path,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
    is_shared: bool,
) -> Result<(), String> {
    let fault = |e: io::Error| format!("{}: {e}", path.display());
    if read(path)?.as_deref() != before {
        return Err(format!("{}: was changed by someone else just now; try again", path.display()));
    }
    check(path)?;
    let Some(after) = after else {
        return fs::remove_file(path).map_err(fault);
    };
    let folder = path.parent().ok_or_else(|| format!("{}: is no file", path.display()))?;
    fs::create_dir_all(folder).map_err(fault)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tersed-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(if is_shared { 0o666 } else { 0o600 }));
    let mut file = builder.tempfile_in(folder).map_err(fault)?;
    file.write_all(after).map_err(fault)?;
    if let Ok(about) = fs::metadata(path) {
        like(file.as_file(), &about).map_err(fault)?;
    }
    file.as_file().sync_all().map_err(fault)?;
    file.persist(path).map(|_| ()).map_err(|e| fault(e.error))
}

/// Gives a file the mode and the owner of another.
fn like(file: &File, about: &fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (about.uid(), about.gid()) {
            std::os::unix::fs::fchown(file, Some(about.uid()), Some(about.gid()))?;
        }
    }
    // Behind the owner, whose change takes bits of the mode away.
    file.set_permissions(about.permissions())
}

/// Removes folders that are empty, the last first.
pub(super) fn remove_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        // One that has something in it stays, with those above it.
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

/// Writes a file that only its owner may read, in a folder that only its owner may enter.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let fault = |e: io::Error| format!("{}: {e}", path.display());
    let folder = path.parent().unwrap_or(Path::new("."));
    private_folder(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(fault)?;
    file.write_all(bytes).map_err(fault)?;
    file.as_file().sync_all().map_err(fault)?;
    file.persist(path).map(|_| ()).map_err(|e| fault(e.error))
}

/// Makes a folder that only its owner may enter, with those above it.
pub(super) fn private_folder(folder: &Path) -> Result<(), String> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| format!("{}: {e}", folder.display()))
}
