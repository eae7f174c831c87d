//! The paths of a resident process: a private folder of the user, with file names derived from the workspace and from
//! everything that client and process must share: program, variables, settings.

use std::ffi::OsString;
use std::hash::Hasher;
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use crate::engine::seal_key;
use crate::layers;

/// Longest socket path that every system accepts, in bytes.
const MAX_SOCKET_PATH: usize = 100;

/// The place of one resident process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The private folder.
    pub folder: PathBuf,
    /// The workspace: the folder in which settings are searched.
    pub workspace: PathBuf,
    /// File name prefix: hash of the workspace, a dash, hash of the rest.
    key: String,
}

impl Place {
    /// The place for a process in `directory` with `settings` as flags. Creates the folder if needed.
    ///
    /// # Errors
    ///
    /// The folder cannot be created, is a link, belongs to another user or is open to others.
    pub fn of(directory: &Path, settings: &[String]) -> io::Result<Self> {
        let folder = folder()?;
        let workspace = workspace(directory);
        let mut of_workspace = Xxh3::new();
        of_workspace.update(workspace.as_os_str().as_encoded_bytes());
        let mut of_rest = Xxh3::new();
        let mut add = |bytes: &[u8]| {
            of_rest.write_usize(bytes.len());
            of_rest.update(bytes);
        };
        add(env!("CARGO_PKG_VERSION").as_bytes());
        add(program().as_bytes());
        let mut variables: Vec<(OsString, OsString)> =
            std::env::vars_os().filter(|(name, _)| is_setting(name.as_encoded_bytes())).collect();
        variables.sort_unstable();
        for (name, value) in &variables {
            add(name.as_encoded_bytes());
            add(value.as_encoded_bytes());
        }
        settings.iter().for_each(|setting| add(setting.as_bytes()));
        let key = format!("{:016x}-{:016x}", of_workspace.digest(), of_rest.digest());
        Ok(Self { folder, workspace, key })
    }

    /// Path of the socket.
    pub fn socket(&self) -> PathBuf {
        self.folder.join(format!("{}.sock", self.key))
    }

    /// Path of the lock file that is held while the process is started.
    pub fn starting(&self) -> PathBuf {
        self.folder.join(format!("{}.starting", self.key))
    }

    /// Path of the lock file that the process holds while it runs.
    pub fn running(&self) -> PathBuf {
        self.folder.join(format!("{}.running", self.key))
    }

    /// Path of the file that counts timeouts.
    pub fn late(&self) -> PathBuf {
        self.folder.join(format!("{}.late", self.key))
    }

    /// The folder for originals that no resident process has.
    pub fn originals(&self) -> PathBuf {
        self.folder.join("originals")
    }

    /// The sockets of the resident processes of this workspace.
    pub fn own_sockets(&self) -> Vec<PathBuf> {
        let of_workspace = self.of_workspace();
        let is_own = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&of_workspace))
        };
        self.sockets().into_iter().filter(is_own).collect()
    }

    /// How the file names of all processes of this workspace start.
    fn of_workspace(&self) -> String {
        format!("{}-", self.key.split('-').next().unwrap_or_default())
    }

    /// The sockets of all resident processes of the user; those of this workspace come first.
    pub fn sockets(&self) -> Vec<PathBuf> {
        let own = self.socket();
        let of_workspace = self.of_workspace();
        let files = std::fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|file| file.path());
        let mut all: Vec<PathBuf> =
            files.filter(|path| path.extension().is_some_and(|end| end == "sock")).collect();
        all.sort_by_cached_key(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (*path != own, !name.starts_with(&of_workspace), name)
        });
        all
    }
}

/// Keyed fingerprint of the workspace of this process, with which its originals on disk are marked; `None` without a key.
pub fn mark() -> Option<u64> {
    let key = seal_key::user_key().ok()?;
    let workspace = workspace(&std::env::current_dir().ok()?);
    Some(key.fingerprint(workspace.as_os_str().as_encoded_bytes()))
}

/// Whether a variable changes the behaviour of the process.
fn is_setting(name: &[u8]) -> bool {
    let is_ours = name.starts_with(b"TERSED_") && !matches!(name, b"TERSED_BIN" | b"TERSED_DEADLINE_MS");
    is_ours || matches!(name, b"HOME" | b"XDG_CONFIG_HOME" | b"XDG_STATE_HOME")
}

/// The nearest folder from `directory` upwards with a repository or with our settings.
fn workspace(directory: &Path) -> PathBuf {
    layers::workspace(directory).unwrap_or_else(|| directory.to_owned())
}

/// Identifies the program file, so that a replaced file counts as another program.
#[cfg(unix)]
fn program() -> String {
    use std::os::unix::fs::MetadataExt;
    let path = if cfg!(target_os = "linux") { Ok("/proc/self/exe".into()) } else { std::env::current_exe() };
    let about = path.and_then(std::fs::metadata);
    about
        .map(|about| format!("{} {} {} {}", about.dev(), about.ino(), about.size(), about.mtime()))
        .unwrap_or_default()
}

#[cfg(not(unix))]
fn program() -> String {
    std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_default()
}

/// The private folder: in the session's runtime folder, or else in the one for temporary files.
fn folder() -> io::Result<PathBuf> {
    let of_session = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(parent) = of_session
        && parent.as_os_str().len() < MAX_SOCKET_PATH - 50
        && let Ok(folder) = private(&parent.join("tersed"))
    {
        return Ok(folder);
    }
    let parent = std::env::temp_dir();
    let name = format!("tersed-{}", user());
    // Leaves room for the name of a socket.
    if parent.as_os_str().len() + name.len() < MAX_SOCKET_PATH - 40 {
        return private(&parent.join(name));
    }
    let mut of_parent = Xxh3::new();
    of_parent.update(parent.as_os_str().as_encoded_bytes());
    private(&Path::new("/tmp").join(format!("{name}-{:016x}", of_parent.digest())))
}

#[cfg(unix)]
fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn user() -> &'static str {
    "user"
}

/// The folder, created if needed, if it belongs to this user alone.
#[cfg(unix)]
fn private(path: &Path) -> io::Result<PathBuf> {
    use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};
    use std::os::unix::fs::DirBuilderExt;

    let refused =
        |why: &str| io::Error::new(io::ErrorKind::PermissionDenied, format!("{}: {why}", path.display()));
    match std::fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(CWD, path, flags, Mode::empty()).map_err(|_| refused("is a link or no folder"))?;
    let about = fstat(&opened)?;
    let is_folder = FileType::from_raw_mode(about.st_mode) == FileType::Directory;
    if !is_folder || about.st_uid != user() {
        return Err(refused("belongs to another user"));
    }
    if about.st_mode & 0o077 != 0 {
        return Err(refused("is open to others, allowed is mode 0700"));
    }
    Ok(path.to_owned())
}

#[cfg(not(unix))]
fn private(path: &Path) -> io::Result<PathBuf> {
    std::fs::create_dir_all(path).map(|()| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_is_found_from_below() {
        let place = tempfile::tempdir().unwrap();
        let deep = place.path().join("a/b/c");
        std::fs::create_dir_all(&deep).unwrap();
        assert_eq!(workspace(&deep), deep);
        std::fs::create_dir(place.path().join("a/.git")).unwrap();
        assert_eq!(workspace(&deep), place.path().join("a"));
        std::fs::write(deep.join("tersed.toml"), "").unwrap();
        assert_eq!(workspace(&deep), deep);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_a_link_or_open_is_refused() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("own");
        private(&folder).unwrap();
        assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        let link = place.path().join("link");
        symlink(&folder, &link).unwrap();
        assert!(private(&link).unwrap_err().to_string().contains("is a link"));
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o750)).unwrap();
        assert!(private(&folder).unwrap_err().to_string().contains("open to others"));
    }

    #[test]
    fn names_differ_by_workspace_and_settings_and_fit() {
        let place = |folder: &str, settings: &[&str]| {
            let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
            Place::of(Path::new(folder), &settings).unwrap()
        };
        let (a, b, c) = (place("/a", &[]), place("/b", &[]), place("/a", &["--mode", "safe"]));
        assert_eq!(a, place("/a", &[]));
        assert!(a.socket() != b.socket() && a.socket() != c.socket());
        assert_eq!(a.key.split('-').next(), c.key.split('-').next());
        assert!(a.socket().as_os_str().len() <= MAX_SOCKET_PATH);
        assert!(place("/a", &["--mo", "de"]).key != place("/a", &["--mode"]).key);
    }
}
