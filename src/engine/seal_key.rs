//! The key that seals markers: one random secret for each installation. It is created once, in a file in the user's state
//! folder that only the user may read. If that is impossible, a random key serves for the life of the process.
//!
//! This file follows no link to the key, trusts no file or folder that others may write, and never shows the key.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::OnceLock;

use crate::config::Policy;
use crate::layers::state_folder;
use crate::text::marker::SealKey;

/// Name of the key file in the folder `tersed` of the user's state folder.
const FILE: &str = "seal.key";

/// The random key of this process; lost when the process ends.
pub fn process_key() -> SealKey {
    static KEY: OnceLock<SealKey> = OnceLock::new();
    *KEY.get_or_init(random)
}

/// A new random key.
fn random() -> SealKey {
    let mut bytes = [0; SealKey::BYTES];
    if getrandom::fill(&mut bytes).is_err() {
        // Used if the system gives no random bytes: hash values with the library's random state, which differs
        // between processes.
        use std::hash::{BuildHasher, RandomState};
        for chunk in bytes.chunks_mut(8) {
            let word = RandomState::new().hash_one((std::process::id(), std::time::Instant::now()));
            chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
        }
    }
    SealKey::new(bytes)
}

/// Gives a policy without a key the key of the installation. If that fails, gives it the key of the process and returns the
/// reason in words.
pub fn ensure(policy: &mut Policy) -> Result<(), String> {
    if !policy.seal_key.is_unset() {
        return Ok(());
    }
    let found = user_key();
    policy.seal_key = found.as_ref().map_or_else(|_| process_key(), |key| *key);
    found.map(drop)
}

/// The key of the installation; created if there is none yet.
///
/// # Errors
///
/// The user has no state folder, or others can access the file or its folder. The error is a sentence.
pub fn user_key() -> Result<SealKey, String> {
    let folder = state_folder().ok_or("the key of seals: there is no folder for the state of programs")?;
    load_or_create(&folder)
        .map_err(|error| format!("the key of seals, {}: {error}", folder.join(FILE).display()))
}

/// Why the key of the installation cannot be used, in words; `None` if it can or does not exist yet. Creates no key.
pub fn why_unusable() -> Option<String> {
    let path = state_folder()?.join(FILE);
    let error = match std::fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => error,
        Ok(_) => check_folder(path.parent()?).and_then(|()| read(&path)).err()?,
    };
    Some(format!("{}: {error}", path.display()))
}

fn load_or_create(folder: &Path) -> io::Result<SealKey> {
    create_folder(folder)?;
    let path = folder.join(FILE);
    match read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        found => return found,
    }
    let mut bytes = [0; SealKey::BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    // The file is private from the start, and gets its name only when it is complete. If two processes create it, the second
    // uses the key of the first.
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

/// Creates the folder if it is missing.
fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    check_folder(folder)
}

/// Checks that a folder belongs to the user alone.
fn check_folder(folder: &Path) -> io::Result<()> {
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
        // If the path is a pipe, opening it must not block.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits() as i32);
    }
    #[cfg(not(unix))]
    if std::fs::symlink_metadata(path)?.file_type().is_symlink() {
        return Err(io::Error::other("it is a link"));
    }
    let file = options.open(path)?;
    check_file(&file)?;
    let mut text = String::new();
    file.take(256).read_to_string(&mut text)?;
    parse(text.trim_end()).ok_or_else(|| io::Error::other("it holds no key"))
}

/// Checks that only the user can read and write an open file.
fn check_file(file: &File) -> io::Result<()> {
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a regular file"));
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
            let all: Vec<_> = (0..8).map(|_| scope.spawn(|| load_or_create(&folder).unwrap())).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(all.iter().all(|key| *key == all[0] && !key.is_unset()));
        assert_eq!(std::fs::metadata(folder.join(FILE)).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        let other = tempfile::tempdir().unwrap();
        assert_ne!(load_or_create(&other.path().join("tersed")).unwrap(), all[0]);
        assert_ne!(random(), random());
        assert!(!format!("{:?}", all[0]).contains(|c: char| c.is_ascii_digit()));
    }

    #[test]
    fn what_others_could_have_put_there_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("tersed");
        let key = load_or_create(&folder).unwrap();
        let file = folder.join(FILE);
        mode(&file, 0o640);
        assert!(load_or_create(&folder).is_err());
        mode(&file, 0o600);
        assert_eq!(load_or_create(&folder).unwrap(), key);
        mode(&folder, 0o770);
        assert!(load_or_create(&folder).is_err());
        mode(&folder, 0o700);
        let aside = dir.path().join("aside");
        std::fs::rename(&file, &aside).unwrap();
        symlink(&aside, &file).unwrap();
        assert!(load_or_create(&folder).is_err());
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, "00".repeat(SealKey::BYTES)).unwrap();
        mode(&file, 0o600);
        assert!(load_or_create(&folder).is_err(), "a key of zeros is none");
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        assert!(load_or_create(&folder).is_err());
        let linked = dir.path().join("linked");
        symlink(&folder, &linked).unwrap();
        assert!(load_or_create(&linked).is_err());
    }
}
