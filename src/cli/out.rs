//! Prints the output of the subcommands and writes their files. A closed pipe is not an error; a full disk is one.
//! Neither causes a panic. A file that tersed did not write is never overwritten.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use super::Failure;

/// Prints to standard output and flushes it: an error while a buffer is flushed at the end of the process would go
/// unnoticed.
///
/// # Errors
///
/// The output cannot be written, for another reason than a closed pipe.
pub(super) fn print(bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    written("standard output", out.write_all(bytes.as_ref()).and_then(|()| out.flush()))
}

/// The result of writing to `place`.
///
/// # Errors
///
/// As [`print`].
pub(super) fn written(place: &str, result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(format!("{place}: {error}").into()),
        _ => Ok(()),
    }
}

/// The message for an error at a path, which names the path once.
pub(super) fn at(path: &Path, error: &io::Error) -> String {
    let (text, place) = (error.to_string(), path.display().to_string());
    if text.contains(&place) { text } else { format!("{place}: {text}") }
}

/// In the head of every page that is written, so that a later page may overwrite it.
pub(super) const PAGE_HEAD: &str = "<meta name=\"generator\" content=\"tersed\">\n";

/// How much of a file is read to see whether it is one of ours, in bytes. Our heads are shorter. A choice.
const MAX_HEAD: u64 = 4096;

/// A file for a page or a report. It is written beside its place and moved there when it is complete: a report that
/// fails changes nothing, and a report never replaces a file that it reads.
pub(super) struct NewFile {
    place: PathBuf,
    to: To,
}

enum To {
    /// A file that will be moved; and whether one of ours is there already.
    Beside(BufWriter<NamedTempFile>, bool),
    /// A device or a pipe.
    Device(BufWriter<File>),
}

impl NewFile {
    /// Opens the file. `inputs` are files that are read.
    ///
    /// # Errors
    ///
    /// The file is an input, or exists and is neither empty nor a page or report of ours, or cannot be written.
    pub fn open(file: &Path, inputs: &[PathBuf]) -> Result<Self, Failure> {
        let fault = |e: &dyn std::fmt::Display| Failure::from(format!("{}: {e}", file.display()));
        // A link is followed first, so that its target is checked.
        let (place, kind) = match fs::canonicalize(file)
            .and_then(|place| Ok((place.clone(), fs::metadata(place)?)))
        {
            Ok((place, found)) => (place, Some(found)),
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(fault(&e)),
            Err(_) if fs::symlink_metadata(file).is_ok() => return Err(fault(&"a link that leads nowhere")),
            Err(_) => (file.to_owned(), None),
        };
        match &kind {
            Some(found) if found.is_dir() => return Err(fault(&"a folder")),
            Some(found) if !found.is_file() => {
                let to = fs::OpenOptions::new().write(true).open(&place).map_err(|e| fault(&e))?;
                return Ok(Self { place, to: To::Device(BufWriter::new(to)) });
            }
            Some(_)
                if inputs.iter().any(|input| fs::canonicalize(input).is_ok_and(|input| input == place)) =>
            {
                return Err(fault(&"is read here, so it is not overwritten; name another file"));
            }
            Some(_) if !is_ours(&place).map_err(|e| fault(&e))? => {
                return Err(fault(
                    &"exists and is no page or report of tersed, so it is not overwritten; name another file, or remove it first",
                ));
            }
            _ => {}
        }
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = Builder::new();
        builder.prefix(".tersed-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The same as for any new file: the user's umask applies.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let part = builder.tempfile_in(folder).map_err(|e| fault(&e))?;
        Ok(Self { place, to: To::Beside(BufWriter::new(part), kind.is_some()) })
    }

    /// Moves the file to its place.
    pub fn end(self) -> io::Result<()> {
        match self.to {
            To::Device(mut to) => to.flush(),
            To::Beside(to, is_there) => {
                let part = to.into_inner().map_err(|e| e.into_error())?;
                let moved =
                    if is_there { part.persist(&self.place) } else { part.persist_noclobber(&self.place) };
                moved.map(drop).map_err(|e| e.error)
            }
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            To::Beside(to, _) => to.write(bytes),
            To::Device(to) => to.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Beside(to, _) => to.flush(),
            To::Device(to) => to.flush(),
        }
    }
}

/// Whether a file is empty, or begins as pages and reports of ours do.
fn is_ours(file: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(file)?.take(MAX_HEAD).read_to_end(&mut head)?;
    let head = String::from_utf8_lossy(&head);
    let first = head.lines().next().unwrap_or_default();
    let is_page = head.starts_with("<!doctype html>\n") && head.contains(PAGE_HEAD);
    let is_table = first.starts_with("tersed ") && first.contains(" audit, mode ");
    let is_report = head.starts_with("{\n  \"version\": ") && head.contains("\n  \"tersed\": \"");
    let is_row = first.starts_with("{\"format\":\"") && first.contains(",\"tokensBefore\":");
    Ok(head.is_empty() || is_page || is_table || is_report || is_row)
}

/// Prints a line to standard error, which may be closed or full.
pub(super) fn note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Prints a line to standard error, with the name of the program before it.
pub(super) fn print_message(line: &str) {
    note(&format!("tersed: {line}"));
}

/// A number with its noun, as `1 rule` or `2 rules`.
pub(super) fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_ours_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let ours = [
            ("a.html", format!("<!doctype html>\n<html lang=\"en\">\n<head>\n{PAGE_HEAD}")),
            ("a.txt", "tersed 0.1.0 audit, mode standard, o200k tokens\n".to_owned()),
            ("a.json", "{\n  \"version\": 1,\n  \"tersed\": \"0.1.0\",\n".to_owned()),
            ("a.jsonl", "{\"format\":\"codex\",\"file\":\"~/a\",\"tokensBefore\":3}\n".to_owned()),
            ("empty", String::new()),
        ];
        for (name, text) in &ours {
            fs::write(path(name), text).unwrap();
            let mut new = NewFile::open(&path(name), &[]).ok().unwrap();
            new.write_all(b"new").unwrap();
            // The old content stays until the end.
            assert_eq!(fs::read_to_string(path(name)).unwrap(), *text);
            new.end().unwrap();
            assert_eq!(fs::read_to_string(path(name)).unwrap(), "new");
        }
        let others = [
            "a log\n",
            "<!doctype html>\n<title>tersed</title>\n",
            "tersed is small\n",
            "{\"type\":\"user\"}\n",
            "{}",
        ];
        for text in others {
            fs::write(path("other"), text).unwrap();
            assert!(NewFile::open(&path("other"), &[]).is_err(), "{text}");
            assert_eq!(fs::read_to_string(path("other")).unwrap(), text);
        }
        // Not even an empty file, if the command also reads it.
        fs::write(path("input"), "").unwrap();
        assert!(NewFile::open(&path("input"), &[path("./input")]).is_err());
        assert!(NewFile::open(folder.path(), &[]).is_err());
        drop(NewFile::open(&path("dropped"), &[]).ok().unwrap());
        assert!(!path("dropped").exists());
        #[cfg(unix)]
        {
            let link = |to: &str, name: &str| std::os::unix::fs::symlink(path(to), path(name)).unwrap();
            link("other", "link");
            link("nowhere", "dangling");
            assert!(NewFile::open(&path("link"), &[]).is_err());
            assert!(NewFile::open(&path("dangling"), &[]).is_err());
            assert!(NewFile::open(Path::new("/dev/null"), &[]).is_ok());
        }
    }
}
