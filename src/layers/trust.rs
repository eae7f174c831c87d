//! Records which project files the user trusts, and with which content.
//!
//! There is one small file for each in the user's state folder, outside of every project. It holds the path, a digest of the
//! bytes, and the same for the files of rules that it names. Changed content is not trusted. The bytes that are compared are
//! the bytes that are parsed, so nobody can change the file in between.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::{Folder, Links, Writers, open_dir_beneath, read_regular};

/// The folder, below the state folder.
pub(super) const FOLDER: &str = "trust";
/// Largest record, in bytes.
const MAX_RECORD_BYTES: u64 = 64 << 10;
/// Most records that are listed.
const MAX_RECORDS: usize = 10_000;

/// A file and the digest of its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// The file.
    pub path: String,
    /// 64 hexadecimal digits.
    pub digest: String,
}

impl Digest {
    /// The digest of these bytes.
    pub fn of(path: &Path, bytes: &[u8]) -> Self {
        Self { path: path.display().to_string(), digest: blake3::hash(bytes).to_hex().to_string() }
    }
}

/// A trusted file, and its files of rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The configuration file.
    pub file: Digest,
    /// The files of rules that it names, in its order.
    pub rules: Vec<Digest>,
}

/// The records of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    state: PathBuf,
}

impl Trusted {
    /// The records below the state folder of this program.
    pub fn below(state: &Path) -> Self {
        Self { state: state.to_owned() }
    }

    /// The folder of the records.
    pub fn folder(&self) -> PathBuf {
        self.state.join(FOLDER)
    }

    fn name(path: &Path) -> OsString {
        let digest = blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex();
        format!("{}.json", &digest[..32]).into()
    }

    fn open(&self) -> Option<Folder> {
        open_dir_beneath(&self.state, Path::new(FOLDER)).ok()
    }

    /// The record of a file. A record that others could have written is ignored.
    pub fn find(&self, path: &Path) -> Option<Record> {
        self.read(&self.open()?, &Self::name(path))
    }

    fn read(&self, folder: &Folder, name: &OsString) -> Option<Record> {
        let bytes = folder.read(Path::new(name), MAX_RECORD_BYTES, Writers::Own).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// All records, sorted by path.
    pub fn all(&self) -> Vec<Record> {
        let Some(folder) = self.open() else { return Vec::new() };
        let names =
            std::fs::read_dir(self.folder()).into_iter().flatten().flatten().map(|entry| entry.file_name());
        let mut all: Vec<Record> =
            names.take(MAX_RECORDS).filter_map(|name| self.read(&folder, &name)).collect();
        all.sort_by(|a, b| a.file.path.cmp(&b.file.path));
        all
    }

    /// Stores a record of `path`; replaces an earlier one. WebAssembly has no files.
    ///
    /// # Errors
    ///
    /// The folder cannot be created or written to, or others may write to it.
    #[cfg(not(target_family = "wasm"))]
    pub fn keep(&self, path: &Path, record: &Record) -> Result<(), String> {
        use std::io::Write as _;

        use crate::files::resolved;

        let folder = self.folder();
        let error = |e: &dyn std::fmt::Display| format!("{}: {e}", folder.display());
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder).map_err(|e| error(&e))?;
        let place = resolved(&folder).and_then(|folder| Folder::open(&folder));
        place.and_then(|place| place.check_writers()).map_err(|e| e.to_string())?;
        let text = serde_json::to_vec_pretty(record).map_err(|e| error(&e))?;
        let mut part = tempfile::NamedTempFile::new_in(&folder).map_err(|e| error(&e))?;
        part.write_all(&text).map_err(|e| error(&e))?;
        part.persist(folder.join(Self::name(path))).map_err(|e| error(&e.error))?;
        Ok(())
    }

    /// Deletes the record of a file. Returns whether there was one.
    ///
    /// # Errors
    ///
    /// The record cannot be removed.
    pub fn revoke(&self, path: &Path) -> Result<bool, String> {
        let file = self.folder().join(Self::name(path));
        match std::fs::remove_file(&file) {
            Ok(()) => Ok(true),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(format!("{}: {e}", file.display())),
        }
    }
}

/// The bytes of a file that the user names: regular, at most `limit` bytes, and writable by nobody else.
pub(super) fn of_user(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    read_regular(path, limit, Links::Follow, Writers::Own).map_err(|refused| refused.why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(path: &Path, bytes: &[u8]) -> Record {
        Record { file: Digest::of(path, bytes), rules: Vec::new() }
    }

    #[test]
    fn records_are_kept_listed_and_revoked() {
        let dir = tempfile::tempdir().unwrap();
        let trusted = Trusted::below(&dir.path().join("state/tersed"));
        let (one, two) = (Path::new("/a/tersed.yaml"), Path::new("/b/tersed.yaml"));
        assert_eq!((trusted.find(one), trusted.all()), (None, vec![]));
        assert!(!trusted.revoke(one).unwrap());
        trusted.keep(two, &record(two, b"2")).unwrap();
        trusted.keep(one, &record(one, b"0")).unwrap();
        trusted.keep(one, &record(one, b"1")).unwrap();
        assert_eq!(trusted.find(one), Some(record(one, b"1")));
        assert_eq!(trusted.all(), [record(one, b"1"), record(two, b"2")]);
        assert!(trusted.revoke(one).unwrap());
        assert_eq!((trusted.find(one), trusted.all().len()), (None, 1));
    }

    #[cfg(unix)]
    #[test]
    fn a_record_that_others_may_write_is_none() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let trusted = Trusted::below(dir.path());
        let path = Path::new("/a/tersed.yaml");
        trusted.keep(path, &record(path, b"1")).unwrap();
        let file = trusted.folder().join(Trusted::name(path));
        for (place, mode) in [(file, 0o666), (trusted.folder(), 0o777)] {
            let before = std::fs::metadata(&place).unwrap().permissions();
            std::fs::set_permissions(&place, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(trusted.find(path), None, "{}", place.display());
            std::fs::set_permissions(&place, before).unwrap();
            assert!(trusted.find(path).is_some());
        }
        std::fs::set_permissions(trusted.folder(), std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(trusted.keep(path, &record(path, b"1")).is_err());
        // A link in its place is replaced, not followed.
        std::fs::set_permissions(trusted.folder(), std::fs::Permissions::from_mode(0o700)).unwrap();
        let victim = dir.path().join("victim");
        std::fs::write(&victim, "of the user").unwrap();
        std::fs::remove_file(trusted.folder().join(Trusted::name(path))).unwrap();
        std::os::unix::fs::symlink(&victim, trusted.folder().join(Trusted::name(path))).unwrap();
        trusted.keep(path, &record(path, b"1")).unwrap();
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "of the user");
        assert!(trusted.find(path).is_some());
    }
}
