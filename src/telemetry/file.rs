//! A file of lines that only its owner may read, and its older parts: `events.jsonl`, `events.jsonl.1`, …
//!
//! Several processes may write one file: each line is one write at its end, and who moves the files holds the
//! lock of the current one meanwhile.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// See the module.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    file: File,
    max_bytes: u64,
    max_files: usize,
}

impl LogFile {
    /// Opens the file, and makes it and its folder if need be.
    pub fn open(path: &Path, max_bytes: usize, max_files: usize) -> io::Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            private_folder(folder)?;
        }
        let file = append(path)?;
        Ok(Self { path: path.to_owned(), file, max_bytes: max_bytes as u64, max_files: max_files.max(1) })
    }

    /// Writes one line, of at most `max_bytes` bytes; `line` has no line end. A file that would grow beyond its
    /// size is put aside first.
    pub fn write(&mut self, line: &str) -> io::Result<()> {
        if !self.is_current() {
            self.file = append(&self.path)?;
        }
        let size = self.file.metadata()?;
        // What is no file, a pipe for example, has no size and is never moved.
        if size.is_file() && size.len() > 0 && size.len() + line.len() as u64 + 1 > self.max_bytes {
            self.rotate()?;
        }
        self.file.write_all(format!("{line}\n").as_bytes())
    }

    fn rotate(&mut self) -> io::Result<()> {
        self.file.lock()?;
        // Another process may have been first.
        if self.is_current() {
            if self.max_files == 1 {
                self.file.set_len(0)?;
                return self.file.unlock();
            }
            for i in (1..self.max_files).rev() {
                let from = if i == 1 { self.path.clone() } else { self.part(i - 1) };
                match fs::rename(from, self.part(i)) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    done => done?,
                }
            }
        }
        // Closing the file that was put aside unlocks it.
        self.file = append(&self.path)?;
        Ok(())
    }

    fn part(&self, i: usize) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{i}"));
        name.into()
    }

    /// Whether the path still leads to the file that is open.
    fn is_current(&self) -> bool {
        match (fs::metadata(&self.path), self.file.metadata()) {
            (Ok(there), Ok(here)) => is_same(&there, &here),
            _ => false,
        }
    }
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

fn append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &Path) -> Vec<String> {
        fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn files_are_put_aside_and_the_oldest_goes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/events.jsonl");
        let mut log = LogFile::open(&path, 12, 3).unwrap();
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
        let mut log = LogFile::open(&path, 12, 1).unwrap();
        for i in 0..5 {
            log.write(&format!("line{i}")).unwrap();
        }
        assert_eq!(lines(&path), ["line4"]);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn two_writers_share_a_file_that_is_moved() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        let mut logs = [LogFile::open(&path, 12, 64).unwrap(), LogFile::open(&path, 12, 64).unwrap()];
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

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/events.jsonl");
        LogFile::open(&path, 100, 2).unwrap().write("a").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path) & 0o077, 0);
        assert_eq!(mode(path.parent().unwrap()) & 0o077, 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_file_is_never_moved() {
        let dir = tempfile::tempdir().unwrap();
        let (reader, mut log) = {
            let path = dir.path().join("pipe");
            let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
            rustix::fs::mknodat(rustix::fs::CWD, &path, kind, mode, 0).unwrap();
            let reader = OpenOptions::new().read(true).write(true).open(&path).unwrap();
            (reader, LogFile::open(&path, 4, 3).unwrap())
        };
        for _ in 0..3 {
            log.write("long line").unwrap();
        }
        drop(reader);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
