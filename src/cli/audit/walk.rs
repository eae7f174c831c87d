//! Finds files below the given paths: those that a format recognises, and the others.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::formats::{FORMATS, Format, HEAD_BYTES};

/// The result for a file.
pub(super) enum Found {
    /// A format reads it, alone or with related files.
    Claimed(&'static Format, PathBuf),
    /// It belongs to a file that was found before.
    Part,
    /// No format reads it, for this reason.
    Unknown(PathBuf, String),
}

/// Visits every file below a path, sorted by name. Links to folders are not followed, except the path itself.
pub(super) fn walk(
    root: &Path,
    seen: &mut HashSet<PathBuf>,
    each: &mut dyn FnMut(Found) -> Result<(), String>,
) -> Result<(), String> {
    let mut open = vec![root.to_path_buf()];
    while let Some(path) = open.pop() {
        let kind = if path == root { fs::metadata(&path) } else { fs::symlink_metadata(&path) };
        match kind {
            Err(e) => each(Found::Unknown(path, e.to_string()))?,
            Ok(kind) if kind.is_dir() => match fs::read_dir(&path) {
                Err(e) => each(Found::Unknown(path, e.to_string()))?,
                Ok(entries) => {
                    let mut below: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
                    below.sort();
                    open.extend(below.into_iter().rev());
                }
            },
            // Opening a pipe would block.
            Ok(kind) if kind.is_symlink() && fs::metadata(&path).is_ok_and(|kind| !kind.is_file()) => {}
            Ok(kind) if kind.is_file() || kind.is_symlink() => each(classify(path, seen))?,
            Ok(_) if path == root => each(Found::Unknown(path, "no file and no folder".to_owned()))?,
            Ok(_) => {}
        }
    }
    Ok(())
}

fn classify(path: PathBuf, seen: &mut HashSet<PathBuf>) -> Found {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // The log of a database belongs to it.
    if name.ends_with("-wal") || name.ends_with("-shm") {
        return Found::Part;
    }
    let head = match head(&path) {
        Ok(head) => head,
        Err(e) => return Found::Unknown(path, e.to_string()),
    };
    if head.trim_ascii().is_empty() {
        return Found::Unknown(path, "empty".to_owned());
    }
    let Some(format) = FORMATS.iter().find(|format| (format.claims)(&head)) else {
        return Found::Unknown(path, "none of the formats".to_owned());
    };
    let unit = (format.unit)(&path, &head);
    let whole = unit.canonicalize().unwrap_or_else(|_| unit.clone());
    if seen.insert(whole) { Found::Claimed(format, unit) } else { Found::Part }
}

fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    Ok(head)
}
