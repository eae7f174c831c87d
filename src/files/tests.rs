//! Tests of which files are opened, and which are refused at once.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::*;

const MAX_FILE_BYTES: u64 = 1 << 20;

fn folder() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = resolved(dir.path()).unwrap();
    (dir, path)
}

fn rights(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn why(path: &Path, links: Links) -> String {
    read_regular(path, MAX_FILE_BYTES, links, Writers::Own).unwrap_err().why.to_string()
}

#[test]
fn what_is_no_regular_file_is_refused_without_waiting() {
    let (_dir, dir) = folder();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        dir.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(dir.join("socket")).unwrap();
    fs::create_dir(dir.join("folder")).unwrap();
    let sparse = fs::File::create(dir.join("sparse")).unwrap();
    sparse.set_len(2 << 30).unwrap();
    for links in [Links::Refuse, Links::Follow] {
        for (name, kind) in [("pipe", "a pipe"), ("socket", "a socket"), ("folder", "a folder")] {
            let text = why(&dir.join(name), links);
            assert!(text.starts_with(&format!("is {kind},")), "{text}");
        }
        assert!(why(&dir.join("sparse"), links).contains("more than 1048576 bytes"));
        assert!(why(&dir.join("none"), links).contains("no such file"));
        assert!(why(Path::new("/dev/zero"), links).contains("a device"));
        assert!(why(Path::new("/"), links).contains("a folder"));
    }
    for of_process in ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/proc/self/environ"] {
        assert!(
            read_regular(Path::new(of_process), MAX_FILE_BYTES, Links::Follow, Writers::Any).is_err(),
            "{of_process}"
        );
    }
    let link = dir.join("in");
    symlink("/proc/self/fd/0", &link).unwrap();
    assert!(why(&link, Links::Follow).contains("a process"));
}

#[test]
fn a_link_is_refused_wherever_it_stands() {
    let (_dir, dir) = folder();
    fs::create_dir(dir.join("real")).unwrap();
    fs::write(dir.join("real/file"), "text").unwrap();
    symlink("real", dir.join("linked")).unwrap();
    symlink("file", dir.join("real/link")).unwrap();
    symlink("round", dir.join("round")).unwrap();
    let read = |name: &str, links| read_regular(&dir.join(name), MAX_FILE_BYTES, links, Writers::Own);
    assert_eq!(read("real/file", Links::Refuse).unwrap(), b"text");
    for name in ["linked/file", "real/link", "linked/link"] {
        assert_eq!(read(name, Links::Follow).unwrap(), b"text", "{name}");
        let refused = read(name, Links::Refuse).unwrap_err();
        assert!(matches!(refused.why, RefusalReason::Link | RefusalReason::NoFolder), "{refused}");
    }
    assert!(read("round", Links::Follow).is_err());
    let root = Folder::open(&dir).unwrap();
    assert!(root.read(Path::new("linked/file"), MAX_FILE_BYTES, Writers::Any).is_err());
    assert!(
        root.read(Path::new("linked/../real/file"), MAX_FILE_BYTES, Writers::Any).is_ok(),
        "the link is not used"
    );
    assert!(open_dir_beneath(&dir, Path::new("linked")).is_err());
    // Both ways to open files refuse the same ones.
    let open = fs::File::open(&dir).unwrap();
    let names = |path: &'static str| names(Path::new(path)).unwrap();
    assert!(system::step(open.as_fd(), &names("real")).is_ok());
    assert!(system::step(open.as_fd(), &names("linked")).is_err());
    assert!(system::step(open.as_fd(), &names("real/file")).is_err());
}

#[test]
fn a_path_stays_below_its_folder() {
    let (_dir, dir) = folder();
    fs::create_dir(dir.join("in")).unwrap();
    fs::write(dir.join("out"), "out").unwrap();
    let inside = Folder::open(&dir.join("in")).unwrap();
    for path in ["../out", "a/../../out", "/etc/passwd", "./../out"] {
        let read = inside.read(Path::new(path), MAX_FILE_BYTES, Writers::Any).unwrap_err();
        assert!(matches!(read.why, RefusalReason::Outside), "{path}: {read}");
        assert!(matches!(
            inside.create(Path::new(path), Opening::Append).unwrap_err().why,
            RefusalReason::Outside
        ));
    }
    assert_eq!(fs::read(dir.join("out")).unwrap(), b"out");
}

#[test]
fn only_what_nobody_else_may_write_counts() {
    let (_dir, dir) = folder();
    let file = dir.join("file");
    fs::write(&file, "text").unwrap();
    for (mode, is_fine) in
        [(0o600, true), (0o644, true), (0o444, true), (0o664, false), (0o646, false), (0o666, false)]
    {
        rights(&file, mode);
        let read = read_regular(&file, MAX_FILE_BYTES, Links::Refuse, Writers::Own);
        assert_eq!(read.is_ok(), is_fine, "{mode:o}");
        assert!(read_regular(&file, MAX_FILE_BYTES, Links::Refuse, Writers::Any).is_ok());
    }
    rights(&file, 0o600);
    for (mode, is_fine) in [(0o700, true), (0o755, true), (0o775, false), (0o777, false), (0o1777, true)] {
        rights(&dir, mode);
        assert_eq!(
            read_regular(&file, MAX_FILE_BYTES, Links::Refuse, Writers::Own).is_ok(),
            is_fine,
            "{mode:o}"
        );
    }
    rights(&dir, 0o700);
    // Whoever can rename a folder can put another one in its place.
    let (above, below) = (dir.join("above"), dir.join("above/below"));
    fs::create_dir_all(&below).unwrap();
    fs::write(below.join("file"), "text").unwrap();
    let read = || read_regular(&below.join("file"), MAX_FILE_BYTES, Links::Refuse, Writers::Own);
    for (mode, is_fine) in [(0o755, true), (0o775, true), (0o777, false), (0o1777, true), (0o702, false)] {
        rights(&above, mode);
        let told = read().map_err(|refused| refused.to_string());
        let text = format!("others may write to {} (mode {mode:04o})", above.display());
        assert!(if is_fine { told.is_ok() } else { told.as_ref().unwrap_err().contains(&text) }, "{told:?}");
        assert_eq!(Folder::open(&below).unwrap().check_writers().is_ok(), is_fine, "{mode:o}");
    }
    // Whoever can swap the link can choose the file that is read.
    let shared = dir.join("shared");
    fs::create_dir(&shared).unwrap();
    symlink(&file, shared.join("link")).unwrap();
    assert!(read_regular(&shared.join("link"), MAX_FILE_BYTES, Links::Follow, Writers::Own).is_ok());
    rights(&shared, 0o777);
    assert!(why(&shared.join("link"), Links::Follow).contains("its folder"));
}

#[test]
fn files_are_made_below_and_nothing_is_taken_from_them() {
    let (_dir, dir) = folder();
    let state = dir.join("state/tersed");
    let mut made = create_file_beneath(&state, Path::new("a/b/log"), Opening::Append).unwrap();
    made.write_all(b"one").unwrap();
    let mode = |path: &str| fs::metadata(state.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode("a"), mode("a/b"), mode("a/b/log")], [0o700, 0o700, 0o600]);
    let mut again = create_file_beneath(&state, Path::new("a/b/log"), Opening::Append).unwrap();
    again.write_all(b"two").unwrap();
    let mut text = String::new();
    let mut update = create_file_beneath(&state, Path::new("a/b/log"), Opening::Update).unwrap();
    update.read_to_string(&mut text).unwrap();
    assert_eq!(text, "onetwo");
    assert!(create_file_beneath(&state, Path::new("a/b/log"), Opening::New).is_err());

    let victim = dir.join("victim");
    fs::write(&victim, "of the user").unwrap();
    symlink(&victim, state.join("link")).unwrap();
    symlink(&dir, state.join("way")).unwrap();
    fs::hard_link(&victim, state.join("name")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        state.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    for path in ["link", "way/victim", "way/new", "name", "pipe", "a"] {
        for opening in [Opening::New, Opening::Append, Opening::Update] {
            assert!(create_file_beneath(&state, Path::new(path), opening).is_err(), "{path}");
        }
    }
    assert_eq!(fs::read_to_string(&victim).unwrap(), "of the user");
    assert!(!dir.join("new").exists());
}
