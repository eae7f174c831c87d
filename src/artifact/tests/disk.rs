//! The private directory: its permissions, its deletion, and the store without one.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;

use super::*;
use crate::artifact::disk::{LOCK, PREFIX};

const LARGE: usize = 200 << 10;

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn nothing_is_made_before_the_first_large_one_and_nothing_stays() {
    let (mut store, root) = store(Limits::default());
    put(&mut store, None, numbered(10_000).as_bytes());
    assert_eq!(names(root.path()), [""; 0]);
    let id = put(&mut store, None, numbered(LARGE).as_bytes());
    let dirs = names(root.path());
    assert!(dirs.len() == 1 && dirs[0].starts_with(PREFIX));
    let dir = root.path().join(&dirs[0]);
    assert_eq!(names(&dir).len(), 2);
    let owner = std::fs::read_to_string(dir.join(LOCK)).unwrap();
    assert_eq!(owner, std::process::id().to_string());
    // Someone who reads has the bytes as long as they read, even when the store is gone.
    let artifact = store.open(None, &id).unwrap();
    drop(store);
    let page = Page { max_bytes: 1 << 20, cursor: None };
    assert!(artifact.read(&[], &page).unwrap().text == numbered(LARGE));
    drop(artifact);
    assert_eq!(names(root.path()), [""; 0]);
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_look() {
    use std::os::unix::fs::PermissionsExt;
    let (mut store, root) = store(Limits::default());
    put(&mut store, None, numbered(LARGE).as_bytes());
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let dir = root.path().join(&names(root.path())[0]);
    assert_eq!(mode(&dir), 0o700);
    let files = names(&dir);
    assert_eq!(files.len(), 2);
    for file in files {
        assert_eq!(mode(&dir.join(&file)), 0o600, "{file}");
    }
}

#[test]
fn the_file_is_packed() {
    let (mut store, root) = store(Limits::default());
    let text = "the same words again and again\n".repeat(20_000);
    put(&mut store, None, text.as_bytes());
    let dir = root.path().join(&names(root.path())[0]);
    let size: u64 = names(&dir).iter().map(|name| dir.join(name).metadata().unwrap().len()).sum();
    assert!(size * 10 < text.len() as u64, "{size}");
}

#[test]
fn a_missing_disk_is_replaced_by_memory_within_bounds() {
    let root = TempDir::new().unwrap();
    let file = root.path().join("a file, not a directory");
    std::fs::write(&file, "").unwrap();
    for bad in [file, root.path().join("missing")] {
        let limits = Limits { fallback_bytes: 150 << 10, ..Limits::default() };
        let mut store = Store::with_root(limits, bad);
        let text = numbered(LARGE);
        let id = put(&mut store, Some("s"), text.as_bytes());
        let page = Page { max_bytes: 1 << 20, cursor: None };
        assert!(store.read(Some("s"), &id, &[], &page).unwrap().text == text);
        let other = text.replace("line", "LINE");
        let refused = store.put(None, other.as_bytes(), meta("bash"), Duration::ZERO).unwrap_err();
        assert_eq!(refused.code(), "artifact_disk_failed");
        assert!(store.read(Some("s"), &id, &[], &page).is_ok(), "what is there stays");
        put(&mut store, None, b"small ones need no disk");
        store.session_closed("s");
        put(&mut store, None, other.as_bytes());
    }
}

#[cfg(unix)]
#[test]
fn a_read_only_directory_is_no_disk() {
    use std::os::unix::fs::PermissionsExt;
    let root = TempDir::new().unwrap();
    std::fs::set_permissions(root.path(), std::fs::Permissions::from_mode(0o500)).unwrap();
    if std::fs::write(root.path().join("probe"), "").is_ok() {
        return; // The super-user may write anywhere.
    }
    let mut store = Store::with_root(Limits::default(), root.path().to_owned());
    let id = put(&mut store, None, numbered(LARGE).as_bytes());
    assert!(has(&store, None, &id));
}

#[test]
fn a_directory_that_was_swept_away_is_made_again() {
    let (mut store, root) = store(Limits::default());
    let text = numbered(LARGE);
    let lost = put(&mut store, None, text.as_bytes());
    std::fs::remove_dir_all(root.path().join(&names(root.path())[0])).unwrap();
    let error = store.read(None, &lost, &[], &Page::default()).unwrap_err();
    assert_eq!(error, AccessError::Unreadable);
    assert_eq!(put(&mut store, None, text.as_bytes()), lost, "the same content again");
    assert!(store.read(None, &lost, &[], &Page::default()).unwrap().text.starts_with("1 line"));
    drop(store);
    assert_eq!(names(root.path()), [""; 0]);
}

#[test]
fn a_damaged_file_is_noticed() {
    let (mut store, root) = store(Limits::default());
    let noise: Vec<u8> =
        (0..LARGE as u64).map(|n| b'a' + (blake3::hash(&n.to_le_bytes()).as_bytes()[0] % 26)).collect();
    let id = put(&mut store, None, &noise);
    let dir = root.path().join(&names(root.path())[0]);
    let file = dir.join(names(&dir).into_iter().find(|name| name != LOCK).unwrap());
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 4;
    bytes[middle] = if bytes[middle] == b'x' { b'y' } else { b'x' };
    std::fs::write(&file, bytes).unwrap();
    let page = Page { max_bytes: 1 << 20, cursor: None };
    assert_eq!(store.read(None, &id, &[], &page).unwrap_err(), AccessError::Unreadable);
}

/// Runs only as the child of the next test, which says so in its environment.
#[test]
fn child_that_holds_a_large_artifact() {
    if std::env::var_os("TERSED_TEST_CHILD").is_none() {
        return;
    }
    let mut store = Store::new(Limits::default());
    put(&mut store, None, numbered(LARGE).as_bytes());
    println!("\nready");
    let _ = std::io::stdin().read_line(&mut String::new());
    drop(store);
}

/// The child, and its output, which it needs open until it ends.
fn spawn_child(temp_dir: &Path) -> (Child, impl Sized) {
    let test = "artifact::tests::disk::child_that_holds_a_large_artifact";
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env("TERSED_TEST_CHILD", "1")
        .env("TMPDIR", temp_dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(output.any(|line| line.unwrap() == "ready"), "the child never came up");
    (child, output)
}

#[cfg(unix)]
#[test]
fn what_a_killed_process_left_is_removed_by_the_next() {
    let root = TempDir::new().unwrap();
    let (mut first, _output) = spawn_child(root.path());
    let left = names(root.path());
    assert_eq!(left.len(), 1);
    assert_eq!(remove_leftovers(root.path()), 0, "its owner lives");
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(names(root.path()), left, "killed: nothing was cleaned up");

    let (mut next, _output) = spawn_child(root.path());
    let swept = (0..1_000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        !names(root.path()).contains(&left[0])
    });
    assert!(swept, "still there");
    assert_eq!(names(root.path()).len(), 1, "its own");
    drop(next.stdin.take());
    assert!(next.wait().unwrap().success());
    assert_eq!(names(root.path()), [""; 0]);
}

#[cfg(unix)]
#[test]
fn only_abandoned_directories_of_ours_are_removed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let root = TempDir::new().unwrap();
    let path = |name: &str| root.path().join(format!("{PREFIX}{name}"));
    let make = |name: &str, mode: u32, lock: bool| {
        std::fs::create_dir(path(name)).unwrap();
        if lock {
            std::fs::write(path(name).join(LOCK), "1").unwrap();
            std::fs::write(path(name).join("aQ1xYz9"), "bytes").unwrap();
        }
        std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let age = |name: &str, seconds: u64| {
        let then = SystemTime::now() - Duration::from_secs(seconds);
        std::fs::File::open(path(name)).unwrap().set_modified(then).unwrap();
    };
    make("abandoned", 0o700, true);
    make("open to others", 0o755, true);
    make("used by somebody", 0o700, true);
    std::fs::write(path("used by somebody").join("precious"), "").unwrap();
    make("being made", 0o700, false);
    make("never finished", 0o700, false);
    age("never finished", 2 * 60 * 60);
    make("not ours", 0o700, false);
    std::fs::write(path("not ours").join("precious"), "").unwrap();
    age("not ours", 2 * 60 * 60);
    std::fs::write(path("a file"), "").unwrap();
    let elsewhere = TempDir::new().unwrap();
    std::fs::set_permissions(elsewhere.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    std::fs::write(elsewhere.path().join(LOCK), "1").unwrap();
    symlink(elsewhere.path(), path("link")).unwrap();
    std::fs::create_dir(root.path().join("another")).unwrap();

    assert_eq!(remove_leftovers(root.path()), 2);
    let mut left = names(root.path());
    left.sort();
    let mut expected: Vec<_> =
        ["a file", "being made", "link", "not ours", "open to others", "used by somebody"]
            .map(|name| format!("{PREFIX}{name}"))
            .into();
    expected.insert(0, "another".to_owned());
    assert_eq!(left, expected);
    assert!(elsewhere.path().join(LOCK).exists() && path("not ours").join("precious").exists());
    assert!(path("used by somebody").join("precious").exists());
}

#[test]
fn making_and_removing_at_once_hurts_nobody() {
    let root = TempDir::new().unwrap();
    let text = numbered(LARGE);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    remove_leftovers(root.path());
                    let mut store = Store::with_root(
                        Limits { fallback_bytes: 0, ..Limits::default() },
                        root.path().into(),
                    );
                    let id = put(&mut store, None, text.as_bytes());
                    let page = Page { max_bytes: 1 << 20, cursor: None };
                    assert!(store.read(None, &id, &[], &page).unwrap().text == text);
                }
            });
        }
    });
    assert_eq!(names(root.path()), [""; 0]);
}

#[test]
fn what_lay_in_a_folder_that_was_removed_is_told_and_can_be_put_again() {
    let root = TempDir::new().unwrap();
    let mut store = Store::with_root(Limits::default(), root.path().into());
    let text = numbered(LARGE);
    let id = put(&mut store, None, text.as_bytes());
    assert!(store.open(None, &id).is_ok());
    for folder in std::fs::read_dir(root.path()).unwrap() {
        std::fs::remove_dir_all(folder.unwrap().path()).unwrap();
    }
    assert_eq!(store.open(None, &id).map(|_| ()), Err(AccessError::Unreadable));
    assert_eq!(put(&mut store, None, text.as_bytes()), id);
    assert_eq!(store.read(None, &id, &[], &Page { max_bytes: 1 << 20, cursor: None }).unwrap().text, text);
}
