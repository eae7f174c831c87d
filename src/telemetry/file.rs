//! A private log file of lines, and its older parts: `events.jsonl`, `events.jsonl.1`, …
//!
//! Each begins with our header. A file without it belongs to another program: it is never written to, moved, truncated or
//! replaced, and then nothing is logged. No link on its path is followed, see [`crate::files`].
//!
//! Several processes may write one file. Each line is one append under a shared lock; a process that moves the files holds
//! the lock exclusively.

use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use crate::files::{Folder, Opening, RefusalReason, Refused, Writers, anchored};

/// Longest header that is read, in bytes.
const MAX_HEADER: u64 = 4096;
/// How often to retry, and the pause between, while another process has created the file but not written its header yet.
const MAX_TRIES: u32 = 20;
const RETRY_PAUSE: Duration = Duration::from_millis(5);
/// How often to reopen a file that was moved meanwhile.
const MAX_REOPENS: usize = 16;

/// The log file; see the module.
#[derive(Debug)]
pub struct LogFile {
    folder: Folder,
    name: String,
    header: String,
    is_header: fn(&str) -> bool,
    file: File,
    max_bytes: u64,
    max_files: usize,
}

impl LogFile {
    /// Opens the file; creates it and its folder if needed. `header` is the first line of a new file; `is_header` recognises
    /// the header of an existing one.
    pub fn open(
        path: &Path,
        header: &str,
        is_header: fn(&str) -> bool,
        max_bytes: usize,
        max_files: usize,
    ) -> io::Result<Self> {
        let at = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let (root, relative) = anchored(path)?;
        let name = relative.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| at(io::ErrorKind::InvalidFilename.into()))?.to_owned();
        let folder = Folder::create_beneath(&root, relative.parent().unwrap_or(Path::new("")))?;
        let file = open(&folder, &name, header, is_header).map_err(at)?;
        let (header, max_bytes) = (header.to_owned(), max_bytes as u64);
        Ok(Self { folder, name, header, is_header, file, max_bytes, max_files: max_files.max(1) })
    }

    /// Writes one line; `line` has no line end. A file that would exceed its size limit is rotated first. A file that holds
    /// only its header takes a line of any size.
    ///
    /// # Errors
    ///
    /// The system fails, a file that would be replaced is not ours, or other processes rotate the file again and again.
    pub fn write(&mut self, line: &str) -> io::Result<()> {
        for _ in 0..MAX_REOPENS {
            self.file.lock_shared()?;
            if !self.is_current() {
                self.reopen()?;
                continue;
            }
            let length = self.file.metadata()?.len();
            if length > self.header.len() as u64 + 1 && length + line.len() as u64 + 1 > self.max_bytes {
                self.file.unlock()?;
                self.rotate()?;
                continue;
            }
            let written = self.file.write_all(format!("{line}\n").as_bytes());
            return self.file.unlock().and(written);
        }
        Err(io::Error::from(io::ErrorKind::ResourceBusy))
    }

    fn rotate(&mut self) -> io::Result<()> {
        self.file.lock()?;
        let length = self.file.metadata()?.len();
        // Another process may already have rotated it.
        if !self.is_current() || length <= self.header.len() as u64 + 1 {
            return self.reopen();
        }
        // Files that would be replaced or moved must be ours too.
        for i in 1..self.max_files {
            let part = self.part(i);
            match self.folder.open_file(Path::new(&part), Writers::Any) {
                Ok(mut file) => check(&mut file, self.is_header)
                    .map_err(|error| io::Error::new(error.kind(), format!("{part}: {error}")))?,
                Err(Refused { why: RefusalReason::Missing, .. }) => {}
                Err(refused) => return Err(refused.into()),
            }
        }
        if self.max_files == 1 {
            self.file.set_len(0)?;
            self.file.write_all(format!("{}\n", self.header).as_bytes())?;
            return self.file.unlock();
        }
        for i in (1..self.max_files).rev() {
            let from = if i == 1 { self.name.clone() } else { self.part(i - 1) };
            match self.folder.rename(&from, &self.part(i)) {
                Err(Refused { why: RefusalReason::Missing, .. }) => {}
                done => done?,
            }
        }
        self.reopen()
    }

    /// Opens the file again; closing the old one releases its lock.
    fn reopen(&mut self) -> io::Result<()> {
        let path = self.folder.path().join(&self.name);
        let at = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        self.file = open(&self.folder, &self.name, &self.header, self.is_header).map_err(at)?;
        Ok(())
    }

    fn part(&self, i: usize) -> String {
        format!("{}.{i}", self.name)
    }

    /// Whether the path still leads to the open file.
    fn is_current(&self) -> bool {
        let there = self.folder.open_file(Path::new(&self.name), Writers::Any).and_then(|file| {
            file.metadata()
                .map_err(|e| Refused { path: self.name.clone().into(), why: RefusalReason::System(e) })
        });
        match (there, self.file.metadata()) {
            (Ok(there), Ok(here)) => is_same(&there, &here),
            _ => false,
        }
    }
}

/// Checks that an existing file can be written to. Changes nothing.
pub fn check_there(path: &Path, is_header: fn(&str) -> bool) -> io::Result<()> {
    let (root, relative) = anchored(path)?;
    let mut file = crate::files::open_beneath(&root, &relative)?;
    check(&mut file, is_header)
}

/// The error without the path, which the caller adds.
fn without_path(refused: Refused) -> io::Error {
    let why = refused.why.to_string();
    io::Error::new(io::Error::from(refused).kind(), why)
}

/// The file with its header: created, or checked to be ours.
fn open(folder: &Folder, name: &str, header: &str, is_header: fn(&str) -> bool) -> io::Result<File> {
    let name = Path::new(name);
    // The header is written under a lock, so that no other process takes the new file for an empty file of another
    // program.
    match folder.create(name, Opening::New) {
        Ok(made) => {
            made.lock()?;
            let mut file: File = folder.create(name, Opening::Append).map_err(without_path)?;
            file.write_all(format!("{header}\n").as_bytes())?;
            return Ok(file);
        }
        Err(Refused { why: RefusalReason::System(e), .. }) if e.kind() == io::ErrorKind::AlreadyExists => {}
        // The code below reports this case better.
        Err(Refused { why: RefusalReason::Kind(_) | RefusalReason::Link, .. }) => {}
        Err(refused) => return Err(without_path(refused)),
    }
    let mut file = folder.create(name, Opening::Append).map_err(without_path)?;
    for _ in 0..MAX_TRIES {
        if file.metadata()?.len() > 0 {
            break;
        }
        std::thread::sleep(RETRY_PAUSE);
    }
    check(&mut file, is_header)?;
    Ok(file)
}

/// Fails unless the file belongs to this user and begins with our header.
fn check(file: &mut File, is_header: fn(&str) -> bool) -> io::Result<()> {
    let refused = |why: &str| Err(io::Error::new(io::ErrorKind::PermissionDenied, why.to_owned()));
    if !is_own(&file.metadata()?) {
        return refused("the file belongs to another user; it is left alone");
    }
    let mut first = String::new();
    file.seek(SeekFrom::Start(0))?;
    let read = BufReader::new(Read::by_ref(file)).take(MAX_HEADER).read_line(&mut first);
    match read {
        Ok(_) if first.ends_with('\n') && is_header(&first) => Ok(()),
        _ => refused("the file is there and was not made by tersed; it is left alone"),
    }
}

#[cfg(unix)]
fn is_own(about: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(about) == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_own(_: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    a.created().ok() == b.created().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const HEADER: &str = "#ours";

    fn log(path: &Path, max_bytes: usize, max_files: usize) -> io::Result<LogFile> {
        LogFile::open(path, HEADER, |line| line.trim_end() == HEADER, max_bytes, max_files)
    }

    /// The lines of a file after its header.
    fn lines(path: &Path) -> Vec<String> {
        let text = fs::read_to_string(path).unwrap();
        let mut lines = text.lines().map(str::to_owned);
        assert_eq!(lines.next().as_deref(), Some(HEADER), "{text}");
        lines.collect()
    }

    #[test]
    fn files_are_put_aside_and_the_oldest_goes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/events.jsonl");
        let mut log = log(&path, 18, 3).unwrap();
        for i in 0..9 {
            log.write(&format!("line{i}")).unwrap();
        }
        assert_eq!(lines(&path), ["line8"]);
        assert_eq!(lines(&path.with_extension("jsonl.1")), ["line6", "line7"]);
        assert_eq!(lines(&path.with_extension("jsonl.2")), ["line4", "line5"]);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 3);
    }

    #[test]
    fn one_file_alone_begins_anew() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        let mut log = log(&path, 18, 1).unwrap();
        for i in 0..5 {
            log.write(&format!("line{i}")).unwrap();
        }
        assert_eq!(lines(&path), ["line4"]);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn two_writers_share_a_file_that_is_moved() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        let mut logs = [log(&path, 18, 64).unwrap(), log(&path, 18, 64).unwrap()];
        for i in 0..10 {
            logs[i % 2].write(&format!("line{i}")).unwrap();
        }
        let mut all = lines(&path);
        assert_eq!(all.len(), 2);
        for i in 1..5 {
            let part = lines(&path.with_extension(format!("jsonl.{i}")));
            assert_eq!(part.len(), 2);
            all.splice(0..0, part);
        }
        assert_eq!(all, (0..10).map(|i| format!("line{i}")).collect::<Vec<_>>());
    }

    #[test]
    fn many_writers_at_once_lose_no_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    let mut log = log(path, 200, 200).unwrap();
                    (0..100).for_each(|i| log.write(&format!("{writer}/{i}")).unwrap());
                });
            }
        });
        let mut all: Vec<String> =
            fs::read_dir(dir.path()).unwrap().flat_map(|file| lines(&file.unwrap().path())).collect();
        all.sort_unstable();
        let mut expected: Vec<String> =
            (0..4).flat_map(|w| (0..100).map(move |i| format!("{w}/{i}"))).collect();
        expected.sort_unstable();
        assert_eq!(all, expected);
    }

    #[test]
    fn what_is_there_and_not_ours_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("notes.txt");
        for text in ["", "my notes", "my notes\n", "#ours", "\n#ours\n", "#ours and more\n"] {
            fs::write(&path, text).unwrap();
            let error = log(&path, 18, 1).unwrap_err().to_string();
            assert!(error.contains("not made by tersed") && error.contains("notes.txt"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_stands_where_a_part_would_go_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        let foreign = dir.path().join("events.jsonl.2");
        fs::write(&foreign, "my notes\n").unwrap();
        let mut log = log(&path, 18, 3).unwrap();
        log.write("line0").unwrap();
        log.write("line1").unwrap();
        let error = log.write("line2").unwrap_err().to_string();
        assert!(error.contains("events.jsonl.2"), "{error}");
        assert_eq!(fs::read_to_string(&foreign).unwrap(), "my notes\n");
        assert_eq!(lines(&path), ["line0", "line1"]);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/events.jsonl");
        log(&path, 100, 2).unwrap().write("a").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path) & 0o077, 0);
        assert_eq!(mode(path.parent().unwrap()) & 0o077, 0);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_what_is_no_file_are_refused() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("real")).unwrap();
        fs::write(at("real/victim"), format!("{HEADER}\nvictim\n")).unwrap();
        symlink(at("real/victim"), at("link")).unwrap();
        symlink(at("real"), at("folder")).unwrap();
        symlink(at("nowhere"), at("dangling")).unwrap();
        fs::hard_link(at("real/victim"), at("twin")).unwrap();
        let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), kind, mode, 0).unwrap();
        for name in ["link", "folder/victim", "folder/new", "dangling", "twin", "pipe", "real"] {
            assert!(log(&at(name), 4, 1).is_err(), "{name}");
        }
        assert_eq!(fs::read_to_string(at("real/victim")).unwrap(), format!("{HEADER}\nvictim\n"));
        assert!(!at("nowhere").exists() && !at("real/new").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_part_that_is_a_link_is_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        fs::write(dir.path().join("victim"), format!("{HEADER}\n")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("victim"), dir.path().join("events.jsonl.1")).unwrap();
        let mut log = log(&path, 18, 2).unwrap();
        (0..2).for_each(|i| log.write(&format!("line{i}")).unwrap());
        assert!(log.write("line2").is_err());
        assert!(dir.path().join("events.jsonl.1").is_symlink());
    }
}
