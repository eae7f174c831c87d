//! Reads and replaces files on disk, always as a whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use crate::files::{LARGEST_WITH_DATA, Links, Writers, read_regular};

/// Most links that are followed; a longer chain counts as a circle.
const MAX_LINKS: usize = 40;

/// The file that a path leads to, after following links; it need not exist.
pub(super) fn target(path: &Path) -> Result<PathBuf, String> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("/")).join(next);
    }
    Err(format!("{}: more than {MAX_LINKS} links lead on from it", path.display()))
}

/// Checks that links on a path lead to no place outside of a folder. Whoever made a project may have put links into it.
pub(super) fn check_below(folder: &Path, path: &Path) -> Result<(), String> {
    let target = target(path)?;
    let real = target.ancestors().find_map(|above| {
        let real = above.canonicalize().ok().or_else(|| {
            // A link that leads nowhere yet.
            let to = fs::read_link(above).ok()?;
            Some(without_dots(&above.parent()?.canonicalize().ok()?.join(to)))
        })?;
        Some(real.join(target.strip_prefix(above).unwrap_or(Path::new(""))))
    });
    match real.filter(|real| !real.starts_with(folder)) {
        None => Ok(()),
        Some(real) => Err(format!(
            "{}: a link leads from it out of the project, to {}; replace the link, or use `--scope user`; nothing was changed",
            path.display(),
            real.display()
        )),
    }
}

/// A path without `.` and `..`.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// The bytes of a file; `None` if there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, String> {
    match fs::metadata(path) {
        Ok(about) if !about.is_file() => Err(format!("{}: is not a file", path.display())),
        // The file may be replaced by a pipe meanwhile.
        Ok(_) => read_regular(path, LARGEST_WITH_DATA, Links::Follow, Writers::Any)
            .map(Some)
            .map_err(|refused| refused.to_string()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(format!("{}: {e}", path.display())),
    }
}

/// Checks that a file may be replaced. The error says why not.
pub(super) fn check(path: &Path) -> Result<(), String> {
    match fs::metadata(path) {
        Ok(about) if about.permissions().readonly() => {
            Err(format!("{}: is read-only; make it writable, or leave it to what manages it", path.display()))
        }
        _ => Ok(()),
    }
}

/// Replaces, creates or deletes a file, if it still holds the expected bytes. With `is_shared` others may read a new file,
/// as far as the user's umask allows; otherwise it is private, because hosts keep keys in some files.
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
    let folder = path.parent().ok_or_else(|| format!("{}: is not a file", path.display()))?;
    fs::create_dir_all(folder).map_err(|e| no_folder(folder).unwrap_or_else(|| fault(e)))?;
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

/// The fault if something other than a folder is where a folder must be created.
fn no_folder(folder: &Path) -> Option<String> {
    let mut above: Vec<&Path> = folder.ancestors().collect();
    above.reverse();
    let first = above.into_iter().find(|path| path.symlink_metadata().is_ok() && !path.is_dir())?;
    let what = if first.is_symlink() { "a link that leads to no folder" } else { "no folder" };
    Some(format!("{}: is {what}; remove it, or make the folder that it means", first.display()))
}

/// Sets the mode and the owner of a file to those of another.
fn like(file: &File, about: &fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (about.uid(), about.gid()) {
            std::os::unix::fs::fchown(file, Some(about.uid()), Some(about.gid()))?;
        }
    }
    // After the owner, because changing the owner clears bits of the mode.
    file.set_permissions(about.permissions())
}

/// Removes empty folders, last one first.
pub(super) fn remove_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        // A folder that is not empty stays, and so do its parents.
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

/// Writes a private file in a private folder.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let fault = |e: io::Error| format!("{}: {e}", path.display());
    let folder = path.parent().unwrap_or(Path::new("."));
    private_folder(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(fault)?;
    file.write_all(bytes).map_err(fault)?;
    file.as_file().sync_all().map_err(fault)?;
    file.persist(path).map(|_| ()).map_err(|e| fault(e.error))
}

/// Creates a private folder and its parents.
pub(super) fn private_folder(folder: &Path) -> Result<(), String> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| format!("{}: {e}", folder.display()))
}
