//! Records of installations: for each file, what it held before and what was written, so that it can be undone.
//!
//! Records and copies are in the user's state folder, not beside the files: settings hold keys, and hosts read every
//! file in some of their folders.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::parts::Part;
use super::place::{Place, Scope};
use super::write::{private_folder, read, write_private};

/// Version of the record format.
const VERSION: u32 = 1;

/// The record of one host, for a user or a project.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record {
    version: u32,
    /// Name of the host.
    pub host: String,
    /// `user` or `project`.
    pub scope: String,
    /// The project folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// The files.
    pub files: Vec<Entry>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    /// The file, as the host knows it.
    pub path: PathBuf,
    /// Digest of the earlier bytes, of which a copy is kept; `None` if there was no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Digest of the written bytes.
    pub after: String,
    /// Paths of objects and arrays that were created in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<Vec<String>>,
    /// The parts that were added to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// Folders that were created for it, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<PathBuf>,
}

/// All records of a user.
#[derive(Debug)]
pub(super) struct Records {
    folder: PathBuf,
}

/// A lock that is held while files change.
#[derive(Debug)]
pub(super) struct Turn {
    _lock: File,
}

impl Records {
    pub(super) fn of(place: &Place) -> Self {
        Self { folder: place.state() }
    }

    /// Waits until no other process installs anything.
    pub(super) fn turn(&self) -> Result<Turn, String> {
        private_folder(&self.folder)?;
        let path = self.folder.join("lock");
        let lock = File::options().write(true).create(true).truncate(false).open(&path);
        let lock = lock.and_then(|lock| lock.lock().map(|()| lock));
        lock.map(|lock| Turn { _lock: lock }).map_err(|e| format!("{}: {e}", path.display()))
    }

    fn file(&self, host: &str, place: &Place) -> PathBuf {
        let name = match place.scope {
            Scope::User => format!("{host}.json"),
            Scope::Project => {
                let digest = blake3::hash(place.project.as_os_str().as_encoded_bytes()).to_hex();
                format!("{host}-{}.json", &digest[..16])
            }
        };
        self.folder.join(name)
    }

    /// The record of a host, if it was installed.
    pub(super) fn get(&self, host: &str, place: &Place) -> Result<Option<Record>, String> {
        let path = self.file(host, place);
        let Some(bytes) = read(&path)? else { return Ok(None) };
        let record: Record =
            serde_json::from_slice(&bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        match record.version {
            VERSION => Ok(Some(record)),
            other => Err(format!(
                "{}: version {other} of records is not known, expected {VERSION}",
                path.display()
            )),
        }
    }

    /// Writes the record of a host; deletes it if there are no files.
    pub(super) fn put(&self, host: &str, place: &Place, files: Vec<Entry>) -> Result<(), String> {
        let path = self.file(host, place);
        if files.is_empty() {
            return match fs::remove_file(&path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(format!("{}: {e}", path.display())),
                _ => Ok(()),
            };
        }
        let record = Record {
            version: VERSION,
            host: host.to_owned(),
            scope: place.scope.name().to_owned(),
            project: (place.scope == Scope::Project).then(|| place.project.clone()),
            files,
        };
        let mut bytes = serde_json::to_vec_pretty(&record).map_err(|e| e.to_string())?;
        bytes.push(b'\n');
        write_private(&path, &bytes)
    }

    fn copy(&self, digest: &str) -> PathBuf {
        self.folder.join("copies").join(digest)
    }

    /// Keeps a copy. Returns its digest.
    pub(super) fn keep(&self, bytes: &[u8]) -> Result<String, String> {
        let digest = digest(bytes);
        let path = self.copy(&digest);
        if !path.exists() {
            write_private(&path, bytes)?;
        }
        Ok(digest)
    }

    /// The bytes of a copy; `None` if it is missing or damaged.
    pub(super) fn kept(&self, digest: &str) -> Option<Vec<u8>> {
        read(&self.copy(digest)).ok()?.filter(|bytes| self::digest(bytes) == digest)
    }

    /// The folders above a file that were created for any host, outermost first.
    pub(super) fn folders_above(&self, target: &Path) -> Vec<PathBuf> {
        let paths =
            files_in(&self.folder).into_iter().filter(|path| path.extension().is_some_and(|e| e == "json"));
        let records = paths.filter_map(|path| serde_json::from_slice::<Record>(&read(&path).ok()??).ok());
        let entries = records.flat_map(|record| record.files);
        let mut folders: Vec<PathBuf> = entries.flat_map(|entry| entry.folders).collect();
        // A folder that somebody removed is missing, and is recorded as such.
        folders.retain(|folder| target.starts_with(folder) && folder.is_dir());
        folders.sort();
        folders.dedup();
        folders
    }

    /// Deletes copies that no record names.
    pub(super) fn prune(&self) {
        let records =
            files_in(&self.folder).into_iter().filter(|path| path.extension().is_some_and(|e| e == "json"));
        let mut named = Vec::new();
        for path in records {
            // A record that cannot be read may name any copy.
            let Some(record) =
                read(&path).ok().flatten().and_then(|bytes| serde_json::from_slice::<Record>(&bytes).ok())
            else {
                return;
            };
            named.extend(record.files.into_iter().filter_map(|file| file.before));
        }
        for copy in files_in(&self.folder.join("copies")) {
            let is_named = copy.file_name().is_some_and(|name| named.iter().any(|named| **named == *name));
            if !is_named && copy.extension().is_none() {
                // A copy that cannot be deleted only costs space.
                let _ = fs::remove_file(copy);
            }
        }
    }

    /// Backs up a user's changes to a file of ours that is deleted. Returns the path of the copy.
    pub(super) fn keep_changed(&self, path: &Path, bytes: &[u8]) -> Result<PathBuf, String> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let kept = self.folder.join("copies").join(format!("{}.{name}", &digest(bytes)[..16]));
        write_private(&kept, bytes)?;
        Ok(kept)
    }
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect()
}

/// The digest of some bytes.
pub(super) fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}
