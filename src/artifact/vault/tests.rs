//! Tests of vaults on real folders.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use tempfile::tempdir;

use super::*;
use crate::artifact::Page;

const START: u64 = 1_800_000_000;

fn bounds(max_count: usize, seconds: u64) -> Bounds {
    Bounds { max_count, max_bytes: 1 << 20, retention: Duration::from_secs(seconds) }
}

fn vault(folder: &Path, reach: AccessScope) -> Vault {
    Vault::new(folder.join("originals"), bounds(4, 100), reach)
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(START + seconds)
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn keep(vault: &Vault, session: Option<&str>, text: &str, seconds: u64) -> String {
    let id = digest(text);
    let label = Label { tool: "bash".to_owned(), ..Label::default() };
    vault.keep(session, &id, text.as_bytes(), &Media::Text, &label, at(seconds)).unwrap();
    id
}

fn read(vault: &Vault, session: Option<&str>, id: &str, seconds: u64) -> Result<String, &'static str> {
    let found = vault.find(session, id, at(seconds)).map_err(|error| error.code())?;
    let (_, artifact) = found.ok_or("unknown")?;
    Ok(artifact.read(&[], &Page::default()).unwrap().text)
}

fn originals(folder: &Path) -> usize {
    let names = fs::read_dir(folder.join("originals")).unwrap();
    names.filter(|name| name.as_ref().unwrap().file_name().to_string_lossy().ends_with(".original")).count()
}

#[test]
fn what_is_kept_is_read_by_its_session_and_by_the_start_of_its_id() {
    let folder = tempdir().unwrap();
    let vault = vault(folder.path(), AccessScope::Process);
    let id = keep(&vault, Some("s"), "one\ntwo\n", 0);
    for handle in [&id[..], &id[..32], &id[..8]] {
        assert_eq!(read(&vault, Some("s"), handle, 1).unwrap(), "one\ntwo\n");
    }
    for (session, handle) in
        [(None, &id[..]), (Some("t"), &id), (Some("s"), &id[..7]), (Some("s"), "no hex!!!")]
    {
        assert_eq!(read(&vault, session, handle, 1), Err("unknown"), "{session:?} {handle}");
    }
    let near = format!("{}{}", &id[..40], "0".repeat(24));
    assert_eq!(read(&vault, Some("s"), &near, 1), Err("unknown"));
}

#[test]
fn a_later_process_reads_what_should_last_and_nothing_else() {
    let folder = tempdir().unwrap();
    let first = vault(folder.path(), AccessScope::Lasting);
    let lasting = keep(&first, None, "lasting", 0);
    drop(first);
    let second = vault(folder.path(), AccessScope::Process);
    let passing = keep(&second, None, "passing", 1);
    assert_eq!(read(&second, None, &passing, 2).unwrap(), "passing");
    assert_eq!(read(&second, None, &lasting, 2), Err("unknown"));
    let operator = vault(folder.path(), AccessScope::Everything);
    assert_eq!(read(&operator, None, &passing, 2).unwrap(), "passing");
    assert_eq!(read(&vault(folder.path(), AccessScope::Process), None, &passing, 2), Err("unknown"));
    assert_eq!(read(&vault(folder.path(), AccessScope::Lasting), None, &passing, 2), Err("unknown"));
    drop(second);
    assert_eq!(originals(folder.path()), 1);
    assert_eq!(read(&operator, None, &passing, 2), Err("unknown"));
    assert_eq!(read(&vault(folder.path(), AccessScope::Lasting), None, &lasting, 2).unwrap(), "lasting");
}

#[test]
fn what_a_killed_process_left_is_never_read_and_goes() {
    let folder = tempdir().unwrap();
    let killed = vault(folder.path(), AccessScope::Process);
    let id = keep(&killed, None, "left", 0);
    // The lock goes with the process, the files do not.
    killed.state().run.take();
    let half = folder.path().join("originals").join(format!(
        "{}-0000000000000000-0000000000000001-00000000ffffffff-0000000000000000.original.part",
        &id[..32]
    ));
    fs::write(&half, "{\"tersed\":1,\"dig").unwrap();
    fs::set_permissions(&half, fs::Permissions::from_mode(0o600)).unwrap();
    let operator = vault(folder.path(), AccessScope::Everything);
    assert_eq!(read(&operator, None, &id, 1), Err("unknown"));
    assert_eq!(operator.list(None, u64::MAX, 9, &|_| true, at(1)).unwrap(), []);
    keep(&vault(folder.path(), AccessScope::Lasting), None, "other", 1);
    assert_eq!(originals(folder.path()), 1);
    assert!(!half.exists());
    let left = fs::read_dir(folder.path().join("originals")).unwrap();
    let runs = left.filter(|name| name.as_ref().unwrap().file_name().to_string_lossy().ends_with(".run"));
    assert_eq!(runs.count(), 0);
}

#[test]
fn what_is_over_is_told_from_what_never_was() {
    let folder = tempdir().unwrap();
    let vault = vault(folder.path(), AccessScope::Lasting);
    let id = keep(&vault, Some("s"), "old", 0);
    assert_eq!(read(&vault, Some("s"), &id, 99).unwrap(), "old");
    assert_eq!(read(&vault, Some("s"), &id, 100), Err("artifact_expired"));
    assert_eq!(read(&vault, Some("t"), &id, 100), Err("unknown"));
    // Also when the content is gone, for a while.
    keep(&vault, Some("s"), "new", 150);
    assert_eq!(originals(folder.path()), 1);
    assert_eq!(read(&vault, Some("s"), &id, 151), Err("artifact_expired"));
    let week = 8 * 24 * 60 * 60;
    keep(&vault, Some("s"), "newer", week);
    assert_eq!(read(&vault, Some("s"), &id, week), Err("unknown"));
    // An original that is stored again is there again.
    keep(&vault, Some("s"), "old", week);
    assert_eq!(read(&vault, Some("s"), &id, week).unwrap(), "old");
}

#[test]
fn the_oldest_make_room_and_the_same_content_is_one() {
    let folder = tempdir().unwrap();
    let vault = vault(folder.path(), AccessScope::Lasting);
    let ids: Vec<String> = (0..6).map(|i| keep(&vault, None, &format!("text {i}"), i)).collect();
    let seen: Vec<_> = ids.iter().map(|id| read(&vault, None, id, 9).is_ok()).collect();
    assert_eq!(seen, [false, false, true, true, true, true]);
    assert_eq!(read(&vault, None, &ids[0], 9), Err("artifact_expired"));
    // Stored again, it counts as new and has no second file, even if the clock stands still.
    keep(&vault, None, "text 2", 5);
    keep(&vault, None, "text 7", 5);
    assert_eq!(read(&vault, None, &ids[3], 9), Err("artifact_expired"));
    assert_eq!(read(&vault, None, &ids[2], 9).unwrap(), "text 2");
    let listed = vault.list(None, u64::MAX, 9, &|_| true, at(9)).unwrap();
    let names: Vec<&str> = listed.iter().map(|copy| &copy.header.digest[..]).collect();
    assert_eq!(names, [&digest("text 7"), &digest("text 2"), &ids[5], &ids[4]]);
    let page = vault.list(None, listed[1].order, 1, &|_| true, at(9)).unwrap();
    assert_eq!(page, listed[2..3]);
    assert_eq!(vault.prune(0, at(9)).unwrap(), Pruned { removed: 0, left: 4 });
    assert_eq!(vault.prune(listed[1].order, at(9)).unwrap(), Pruned { removed: 2, left: 2 });
    assert_eq!(vault.prune(0, at(200)).unwrap(), Pruned { removed: 2, left: 0 });
}

#[test]
fn the_folder_and_its_files_are_private() {
    let folder = tempdir().unwrap();
    let vault = vault(&folder.path().join("deep"), AccessScope::Process);
    keep(&vault, None, "text", 0);
    let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777;
    let inner = folder.path().join("deep/originals");
    assert_eq!((mode(&folder.path().join("deep")), mode(&inner)), (0o700, 0o700));
    let mut count = 0;
    for file in fs::read_dir(&inner).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
        count += 1;
    }
    assert_eq!(count, 4, "a lock, a mark, a run, an original");
}

#[test]
fn a_folder_that_is_not_private_or_a_link_is_refused_and_left_alone() {
    let folder = tempdir().unwrap();
    let (target, place) = (folder.path().join("target"), folder.path().join("originals"));
    fs::create_dir(&target).unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o700)).unwrap();
    let refused = |path: &Path| {
        let vault = Vault::new(path.to_owned(), bounds(4, 100), AccessScope::Lasting);
        let kept = vault.keep(None, &digest("x"), b"x", &Media::Text, &Label::default(), at(0));
        (kept.unwrap_err().to_string(), vault.list(None, u64::MAX, 9, &|_| true, at(0)).is_err())
    };
    symlink(&target, &place).unwrap();
    for path in [place.clone(), place.join(""), place.join(".")] {
        assert_eq!(refused(&path), ("is a link or no folder".to_owned(), true), "{path:?}");
    }
    assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
    fs::remove_file(&place).unwrap();
    fs::write(&place, "").unwrap();
    assert_eq!(refused(&place), ("is a link or no folder".to_owned(), true));
    fs::remove_file(&place).unwrap();
    fs::create_dir(&place).unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o750)).unwrap();
    assert_eq!(refused(&place), ("has mode 0750, allowed is 0700".to_owned(), true));
    fs::set_permissions(&place, fs::Permissions::from_mode(0o700)).unwrap();
    // Only root can make another user's.
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&place, Some(1), None).unwrap();
        assert_eq!(refused(&place), ("belongs to another user".to_owned(), true));
    }
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
}

#[test]
fn files_that_are_links_or_open_to_others_are_not_followed() {
    let folder = tempdir().unwrap();
    let vault = vault(folder.path(), AccessScope::Lasting);
    let id = keep(&vault, None, "mine", 0);
    let inner = folder.path().join("originals");
    let file = |end: &str| {
        let mut files = fs::read_dir(&inner).unwrap().map(|file| file.unwrap().path());
        files.find(|file| file.to_string_lossy().ends_with(end)).unwrap()
    };
    let (outside, original) = (folder.path().join("outside"), file(".original"));
    fs::rename(&original, &outside).unwrap();
    symlink(&outside, &original).unwrap();
    assert_eq!(read(&vault, None, &id, 1), Err("artifact_unreadable"));
    assert_eq!(vault.list(None, u64::MAX, 9, &|_| true, at(1)).unwrap(), []);
    fs::remove_file(&original).unwrap();
    fs::rename(&outside, &original).unwrap();
    fs::set_permissions(&original, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(read(&vault, None, &id, 1), Err("artifact_unreadable"));
    fs::set_permissions(&original, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(read(&vault, None, &id, 1).unwrap(), "mine");
    // A lock that leads elsewhere costs the copy and nothing there.
    fs::write(&outside, "precious").unwrap();
    fs::remove_file(file("lock")).unwrap();
    symlink(&outside, inner.join("lock")).unwrap();
    let kept = vault.keep(None, &digest("x"), b"x", &Media::Text, &Label::default(), at(2));
    assert!(kept.is_err());
    assert_eq!(fs::read_to_string(&outside).unwrap(), "precious");
}

#[test]
fn a_folder_that_was_swapped_for_a_link_leads_nowhere_else() {
    let folder = tempdir().unwrap();
    let vault = vault(folder.path(), AccessScope::Lasting);
    keep(&vault, None, "one", 0);
    let (inner, away, trap) =
        (folder.path().join("originals"), folder.path().join("away"), folder.path().join("trap"));
    fs::create_dir(&trap).unwrap();
    fs::rename(&inner, &away).unwrap();
    symlink(&trap, &inner).unwrap();
    keep(&vault, None, "two", 1);
    assert_eq!(fs::read_dir(&trap).unwrap().count(), 0);
}

#[test]
fn a_folder_that_was_removed_is_made_again() {
    let folder = tempdir().unwrap();
    for reach in [AccessScope::Lasting, AccessScope::Process] {
        let vault = vault(folder.path(), reach);
        keep(&vault, None, "one", 0);
        fs::remove_dir_all(folder.path().join("originals")).unwrap();
        let id = keep(&vault, None, "two", 1);
        assert_eq!(read(&vault, None, &id, 1).unwrap(), "two");
    }
}

#[test]
fn damaged_files_are_passed_over_and_never_shown() {
    let folder = tempdir().unwrap();
    let vault = vault(folder.path(), AccessScope::Lasting);
    let text: String = (0..200).map(|i| format!("line {i} of a text\n")).collect();
    let (id, other) = (keep(&vault, None, &text, 0), keep(&vault, None, "whole", 1));
    let inner = folder.path().join("originals");
    let path = fs::read_dir(&inner)
        .unwrap()
        .map(|file| file.unwrap().path())
        .find(|file| file.file_name().unwrap().to_string_lossy().starts_with(&id[..32]))
        .unwrap();
    let whole = fs::read(&path).unwrap();
    let head = memchr::memchr(b'\n', &whole).unwrap();
    for at_byte in (0..whole.len()).step_by(7).chain([head, whole.len() - 1]) {
        let mut damaged = whole.clone();
        damaged[at_byte] ^= 0x20;
        fs::write(&path, &damaged).unwrap();
        // A damaged label may still be read, but then the content is the same.
        if let Ok(shown) = read(&vault, None, &id, 2) {
            assert_eq!(shown, text);
            assert!(at_byte < head);
        }
    }
    for cut in [0, 5, head, head + 1, whole.len() - 1] {
        fs::write(&path, &whole[..cut]).unwrap();
        assert_eq!(read(&vault, None, &id, 2), Err("artifact_unreadable"), "{cut}");
    }
    fs::write(&path, &whole[..5]).unwrap();
    let listed = vault.list(None, u64::MAX, 9, &|_| true, at(2)).unwrap();
    assert_eq!(listed.iter().map(|copy| &copy.header.digest).collect::<Vec<_>>(), [&other]);
    // Another's content under this name.
    let swapped = fs::read_dir(&inner)
        .unwrap()
        .map(|file| file.unwrap().path())
        .find(|file| file.file_name().unwrap().to_string_lossy().starts_with(&other[..32]))
        .unwrap();
    fs::write(&path, fs::read(swapped).unwrap()).unwrap();
    assert_eq!(read(&vault, None, &id, 2), Err("artifact_unreadable"));
}

#[test]
fn what_is_not_ours_stays() {
    let folder = tempdir().unwrap();
    let vault = vault(folder.path(), AccessScope::Lasting);
    keep(&vault, None, "one", 0);
    let inner = folder.path().join("originals");
    let strange = ["notes.txt", "x.original", "0.run", "letter.part", "ID-1-2-3-4.original"];
    for name in strange {
        fs::write(inner.join(name), "kept").unwrap();
    }
    keep(&vault, None, "two", 500);
    vault.prune(u64::MAX, at(900_000_000)).unwrap();
    for name in strange {
        assert_eq!(fs::read_to_string(inner.join(name)).unwrap(), "kept", "{name}");
    }
}

#[test]
fn a_folder_that_somebody_uses_is_left_alone() {
    let folder = tempdir().unwrap();
    let inner = folder.path().join("originals");
    fs::create_dir(&inner).unwrap();
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o700)).unwrap();
    for name in ["notes.txt", "lock"] {
        fs::write(inner.join(name), "kept").unwrap();
        let vault = vault(folder.path(), AccessScope::Lasting);
        let kept = vault.keep(None, &digest("x"), b"x", &Media::Text, &Label::default(), at(0));
        assert!(kept.unwrap_err().to_string().contains(name));
        assert_eq!(vault.prune(u64::MAX, at(900_000_000)).unwrap(), Pruned::default());
        assert_eq!(fs::read_dir(&inner).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(inner.join(name)).unwrap(), "kept");
        fs::remove_file(inner.join(name)).unwrap();
    }
}

#[test]
fn what_is_named_as_ours_and_holds_something_else_stays() {
    let folder = tempdir().unwrap();
    let vault = vault(folder.path(), AccessScope::Lasting);
    keep(&vault, None, "one", 0);
    let inner = folder.path().join("originals");
    let forged = Name { stored: 1, id: "0".repeat(ID_DIGITS), scope: 0, expires: 2, run: 0, is_gone: false };
    let gone = Name { is_gone: true, ..forged.clone() };
    let names = [forged.file(), gone.file(), format!("{}{}", forged.file(), name::PART)];
    for name in &names {
        fs::write(inner.join(name), "precious").unwrap();
        fs::set_permissions(inner.join(name), fs::Permissions::from_mode(0o600)).unwrap();
    }
    (0..8).for_each(|i| _ = keep(&vault, None, &format!("text {i}"), 500 + i));
    vault.prune(u64::MAX, at(900_000_000)).unwrap();
    for name in &names {
        assert_eq!(fs::read_to_string(inner.join(name)).unwrap(), "precious", "{name}");
    }
}

#[test]
fn no_link_on_the_way_to_the_folder_is_followed() {
    let folder = tempdir().unwrap();
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    fs::create_dir(&real).unwrap();
    symlink(&real, &link).unwrap();
    let vault = Vault::new(link.join("originals"), bounds(4, 100), AccessScope::Lasting);
    let kept = vault.keep(None, &digest("x"), b"x", &Media::Text, &Label::default(), at(0));
    assert_eq!(kept.unwrap_err().to_string(), "is a link or no folder");
    assert_eq!(fs::read_dir(&real).unwrap().count(), 0);
}

#[test]
fn what_is_too_large_or_comes_too_late_is_refused() {
    let folder = tempdir().unwrap();
    let vault = vault(folder.path(), AccessScope::Process);
    let large = vec![b'x'; (1 << 20) + 1];
    let keep = |bytes: &[u8]| vault.keep(None, &digest("x"), bytes, &Media::Text, &Label::default(), at(0));
    assert_eq!(keep(&large).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    assert!(!folder.path().join("originals").exists());
    keep(b"x").unwrap();
    vault.close();
    assert!(keep(b"x").is_err());
    assert_eq!(originals(folder.path()), 0);
}

#[test]
fn the_same_kept_twice_at_one_moment_is_there() {
    let folder = tempdir().unwrap();
    let vaults = [vault(folder.path(), AccessScope::Lasting), vault(folder.path(), AccessScope::Lasting)];
    for vault in &vaults {
        let id = keep(vault, None, "the same", 222);
        assert_eq!(read(vault, None, &id, 222), Ok("the same".to_owned()));
    }
    assert_eq!(originals(folder.path()), 1);
}

#[test]
fn threads_and_vaults_share_a_folder_within_the_bounds() {
    let folder = tempdir().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = folder.path();
            scope.spawn(move || {
                let vault = vault(path, AccessScope::Lasting);
                for i in 0..12 {
                    let text = format!("{writer} {i}");
                    // If the lock cannot be taken, the copy is lost here too.
                    let (id, bytes) = (digest(&text), text.as_bytes());
                    let _ = vault.keep(None, &id, bytes, &Media::Text, &Label::default(), at(i));
                }
            });
        }
    });
    assert_eq!(originals(folder.path()), 4);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// For any sequence of stored originals, the limits hold after every step, and every original that is shown is
    /// complete.
    #[test]
    fn bounds_hold(
        steps in proptest::collection::vec((0usize..3, 0u8..12, 0u64..400, any::<bool>()), 1..40),
        max in 1usize..6,
    ) {
        let folder = tempdir().unwrap();
        let path = folder.path().join("originals");
        let reaches = [AccessScope::Lasting, AccessScope::Process, AccessScope::Lasting];
        let vaults = reaches.map(|reach| Vault::new(path.clone(), bounds(max, 100), reach));
        for (who, content, seconds, with_session) in steps {
            let text = format!("content {content}\n").repeat(usize::from(content) + 1);
            let session = with_session.then_some("s");
            let id = keep(&vaults[who], session, &text, seconds);
            prop_assert_eq!(read(&vaults[who], session, &id, seconds), Ok(text));
            prop_assert!(originals(folder.path()) <= max);
            let graves = fs::read_dir(&path).unwrap().count() - originals(folder.path());
            // The lock, the mark and a run.
            prop_assert!(graves <= max + 3, "{} names", graves);
            for vault in &vaults {
                for copy in vault.list(session, u64::MAX, 99, &|_| true, at(seconds)).unwrap() {
                    prop_assert!(copy.header.expires > START + seconds);
                    prop_assert!(read(vault, session, copy.id(), seconds).is_ok());
                }
            }
        }
    }
}
