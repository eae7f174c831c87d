//! The key that markers are sealed with: one random secret for each installation, made once, in a file in the user's state
//! folder that nobody else may read. Where it cannot be had, a random one serves for the life of the process.
//!
//! Nothing here follows a link to the file, trusts a file or folder that others may write, or shows the key.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::OnceLock;

use crate::config::Policy;
use crate::layers::state_folder;
use crate::text::marker::SealKey;

/// Name of the file in the folder `tersed` of the user's state folder.
const FILE: &str = "seal.key";

/// The random key of this process, which dies with it.
pub fn of_process() -> SealKey {
    static KEY: OnceLock<SealKey> = OnceLock::new();
    *KEY.get_or_init(random)
}

/// A key that nobody knows.
fn random() -> SealKey {
    let mut bytes = [0; SealKey::BYTES];
    if getrandom::fill(&mut bytes).is_err() {
        // No source of randomness: what differs from process to process, hashed with a random state of the library.
        use std::hash::{BuildHasher, RandomState};
        for chunk in bytes.chunks_mut(8) {
            let word = RandomState::new().hash_one((std::process::id(), std::time::Instant::now()));
            chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
        }
    }
    SealKey::new(bytes)
}

/// Gives a policy without a key that of the installation, or that of the process and the reason why in words.
pub fn give(policy: &mut Policy) -> Result<(), String> {
    if !policy.seal_key.is_unset() {
        return Ok(());
    }
    let found = of_user();
    policy.seal_key = found.as_ref().map_or_else(|_| of_process(), |key| *key);
    found.map(drop)
}

/// The key of the installation; made if there is none yet.
///
/// # Errors
/// There is no state folder, or the file or its folder is not the user's alone; in words.
pub fn of_user() -> Result<SealKey, String> {
    let folder = state_folder().ok_or("the key of seals: there is no folder for the state of programs")?;
    in_folder(&folder).map_err(|error| format!("the key of seals, {}: {error}", folder.join(FILE).display()))
}

/// Why the key of the installation is not used, in words, where there is one that cannot be; makes none.
pub fn fault() -> Option<String> {
    let path = state_folder()?.join(FILE);
    let error = match std::fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => error,
        Ok(_) => made(path.parent()?).and_then(|()| read(&path)).err()?,
    };
    Some(format!("{}: {error}", path.display()))
}

fn in_folder(folder: &Path) -> io::Result<SealKey> {
    make(folder)?;
    let path = folder.join(FILE);
    match read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        found => return found,
    }
    let mut bytes = [0; SealKey::BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    // Readable by its owner alone from the start, and under its name only once it is whole. Who comes second takes the
    // key of who came first.
    let mut file = tempfile::Builder::new().prefix(".seal.key").tempfile_in(folder)?;
    file.write_all(hex.as_bytes())?;
    file.write_all(b"\n")?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(&path) {
        Ok(_) => {}
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error.error),
    }
    read(&path)
}

/// Makes the folder, if need be.
fn make(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    made(folder)
}

/// Looks whose a folder is.
fn made(folder: &Path) -> io::Result<()> {
    let found = std::fs::symlink_metadata(folder)?;
    if !found.is_dir() {
        return Err(io::Error::other("its folder is a link or no folder"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if found.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::other("its folder belongs to another user"));
        }
        if found.mode() & 0o022 != 0 {
            return Err(io::Error::other("others may write its folder"));
        }
    }
    Ok(())
}

fn read(path: &Path) -> io::Result<SealKey> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        // A pipe of that name must not hold the process up.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits() as i32);
    }
    #[cfg(not(unix))]
    if std::fs::symlink_metadata(path)?.file_type().is_symlink() {
        return Err(io::Error::other("it is a link"));
    }
    let file = options.open(path)?;
    look(&file)?;
    let mut text = String::new();
    file.take(256).read_to_string(&mut text)?;
    parse(text.trim_end()).ok_or_else(|| io::Error::other("it holds no key"))
}

/// Looks whether an open file is one that nobody else reads or writes.
fn look(file: &File) -> io::Result<()> {
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if found.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::other("it belongs to another user"));
        }
        if found.mode() & 0o077 != 0 {
            return Err(io::Error::other("others may read it"));
        }
    }
    Ok(())
}

fn parse(text: &str) -> Option<SealKey> {
    let mut bytes = [0; SealKey::BYTES];
    if text.len() != 2 * bytes.len() || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(SealKey::new(bytes)).filter(|key| !key.is_unset())
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn one_key_is_made_and_kept_for_its_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/tersed");
        let all: Vec<SealKey> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(|| in_folder(&folder).unwrap())).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(all.iter().all(|key| *key == all[0] && !key.is_unset()));
        assert_eq!(std::fs::metadata(folder.join(FILE)).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        let other = tempfile::tempdir().unwrap();
        assert_ne!(in_folder(&other.path().join("tersed")).unwrap(), all[0]);
        assert_ne!(random(), random());
        assert!(!format!("{:?}", all[0]).contains(|c: char| c.is_ascii_digit()));
    }

    #[test]
    fn what_others_could_have_put_there_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("tersed");
        let key = in_folder(&folder).unwrap();
        let file = folder.join(FILE);
        mode(&file, 0o640);
        assert!(in_folder(&folder).is_err());
        mode(&file, 0o600);
        assert_eq!(in_folder(&folder).unwrap(), key);
        mode(&folder, 0o770);
        assert!(in_folder(&folder).is_err());
        mode(&folder, 0o700);
        let aside = dir.path().join("aside");
        std::fs::rename(&file, &aside).unwrap();
        symlink(&aside, &file).unwrap();
        assert!(in_folder(&folder).is_err());
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, "00".repeat(SealKey::BYTES)).unwrap();
        mode(&file, 0o600);
        assert!(in_folder(&folder).is_err(), "a key of zeros is none");
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        assert!(in_folder(&folder).is_err());
        let linked = dir.path().join("linked");
        symlink(&folder, &linked).unwrap();
        assert!(in_folder(&linked).is_err());
    }
}
