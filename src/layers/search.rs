//! Searches the project's file: in the working folder and above, within the project.
//!
//! The search ends at the root of the repository, the user's home folder and the boundary of a file system. Nothing is read
//! here.

use std::path::{Path, PathBuf};

use super::CONFIG_FILE_NAMES;
use crate::files::{Folder, resolved};

/// Names that mark the root of a repository.
const REPOSITORY: [&str; 3] = [".git", ".hg", ".jj"];

/// The result of the search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// The searched folders, lowest first.
    pub folders: Vec<PathBuf>,
    /// The first folder with configuration files, and their names, whatever their kind.
    pub file: Option<(PathBuf, Vec<&'static str>)>,
    /// The root of the repository.
    pub repository: Option<PathBuf>,
}

/// Searches `directory` and the folders above it.
pub(super) fn upwards(directory: &Path, home: Option<&Path>) -> Found {
    let mut found = Found::default();
    let Ok(start) = resolved(directory) else { return found };
    let home = home.and_then(|home| resolved(home).ok());
    let mut device = None;
    for path in start.ancestors() {
        let Ok(folder) = Folder::open(path) else { break };
        if !found.folders.is_empty() && folder.device() != device {
            break;
        }
        device = folder.device();
        found.folders.push(path.to_owned());
        let names: Vec<&str> = CONFIG_FILE_NAMES.into_iter().filter(|name| folder.has(name)).collect();
        if found.file.is_none() && !names.is_empty() {
            found.file = Some((path.to_owned(), names));
        }
        if REPOSITORY.iter().any(|name| folder.has(name)) {
            found.repository = Some(path.to_owned());
            break;
        }
        if home.as_deref() == Some(path) {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_way_up_ends_with_the_project() {
        let dir = tempfile::tempdir().unwrap();
        let top = resolved(dir.path()).unwrap();
        let low = top.join("home/work/repository/a/b");
        fs::create_dir_all(&low).unwrap();
        let look = || upwards(&low, Some(&top.join("home")));
        fs::write(top.join("tersed.yaml"), "").unwrap();
        let found = look();
        assert_eq!(found.file, None, "above the home folder nothing is looked for");
        assert_eq!(found.folders.last(), Some(&top.join("home")));
        fs::write(top.join("home/tersed.toml"), "").unwrap();
        assert_eq!(look().file, Some((top.join("home"), vec!["tersed.toml"])));
        for root in [".git", ".hg", ".jj"] {
            // In a linked work tree, `.git` is a file.
            let root = top.join("home/work/repository").join(root);
            fs::write(&root, "").unwrap();
            let found = look();
            assert_eq!((found.file, found.repository.as_deref()), (None, root.parent()));
            fs::remove_file(root).unwrap();
        }
        fs::create_dir(top.join("home/work/repository/.git")).unwrap();
        fs::create_dir(top.join("home/work/repository/tersed.yml")).unwrap();
        fs::write(top.join("home/work/repository/tersed.toml"), "").unwrap();
        let names = vec!["tersed.yml", "tersed.toml"];
        assert_eq!(look().file, Some((top.join("home/work/repository"), names)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_way_up_ends_at_a_file_system() {
        let Ok(dir) = tempfile::tempdir_in("/dev/shm") else { return };
        let found = upwards(dir.path(), None);
        assert_eq!(found.folders.last().map(PathBuf::as_path), Some(Path::new("/dev/shm")));
    }
}
