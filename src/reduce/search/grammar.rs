//! Reads the lines of a search: the file, the number and whether the line matched or is around a
//! match.
//!
//! A match is `PATH:12:text`; the text around it is `PATH-12-text`, with numbers that lead up to it or away from it,
//! since `-` alone is too common in names. Without numbers the forms are `PATH:text` and `PATH-text`. Under a
//! heading, or in the search of one file, the path is missing. This module does not decide what is shown.

use std::collections::HashMap;

use crate::reduce::lines::leading_number;
use crate::text::source::Source;

/// Bytes of a line that are searched for a path. A choice; bounds the work.
const MAX_PATH_BYTES: usize = 512;

/// A line that the search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit<'a> {
    /// Line of the source.
    pub line: usize,
    /// Index into the files.
    pub file: usize,
    /// The path at the start of the line; `None` if a heading or the call names the file.
    pub path: Option<&'a str>,
    /// Number in the file.
    pub number: Option<usize>,
    /// Whether it only is around a match.
    pub is_context: bool,
}

impl Hit<'_> {
    /// Bytes at the start of the line that can be left out if the path is above it. Without a number the sign is
    /// kept: it distinguishes matches, context lines and paths.
    pub fn prefix(&self) -> usize {
        self.path.map_or(0, |path| path.len() + usize::from(self.number.is_some()))
    }

    /// Bytes before the text: the path, the number and the column.
    pub fn head(&self, line: &str) -> usize {
        let mut rest = line.get(self.prefix()..).unwrap_or_default();
        rest = rest.strip_prefix("Line ").unwrap_or(rest);
        for part in 0..2 {
            match leading_number(rest).filter(|_| self.number.is_some()) {
                Some((_, after)) if after.starts_with(':') || (part == 0 && after.starts_with('-')) => {
                    rest = &after[1..];
                }
                _ => break,
            }
        }
        line.len() - rest.len() + usize::from(self.number.is_none() && self.path.is_some())
    }
}

/// A file of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct File<'a> {
    /// Its path, empty if only the call names it.
    pub path: &'a str,
    /// The line that is its heading.
    pub heading: Option<usize>,
}

/// The matches and files of a text.
#[derive(Debug, Default)]
pub(super) struct Found<'a> {
    /// Lines, in order.
    pub hits: Vec<Hit<'a>>,
    /// Files, in the order in which they first appear.
    pub files: Vec<File<'a>>,
    /// Whether lines without numbers were read as context lines, which is uncertain.
    pub has_guesses: bool,
}

/// A line while the text is read.
type Read<'a> = Option<(Option<&'a str>, Option<usize>, bool)>;

impl<'a> Found<'a> {
    /// Reads the first `most` lines of a text. `by_search` says that the call ran a search, so that
    /// lines without numbers or without a path are read too.
    pub fn read(source: &Source<'a>, most: usize, by_search: bool) -> Self {
        let lines: Vec<&'a str> = source.lines().take(most).collect();
        let mut read: Vec<Read<'a>> = Vec::with_capacity(lines.len());
        let mut found = Self::default();
        for line in &lines {
            let last = read.last().copied().flatten();
            let here = last.and_then(|(path, number, _)| surrounding(line, path?, number?.checked_add(1)?));
            let here =
                here.or_else(|| numbered(line).map(|(path, number)| (Some(path), Some(number), false)));
            read.push(here.or_else(|| if by_search { unnumbered(line, last) } else { None }));
        }
        for i in (1..read.len()).rev() {
            let (Some((Some(path), number, _)), here) = (read[i], read[i - 1]) else { continue };
            let before = match number {
                Some(number) => number.checked_sub(1).and_then(|n| surrounding(lines[i - 1], path, n)),
                None if here.is_none() => sign(lines[i - 1], path, '-').then_some((Some(path), None, true)),
                None => None,
            };
            read[i - 1] = before.or(here);
        }
        found.has_guesses = read.iter().flatten().any(|(_, number, context)| number.is_none() && *context);
        let bare = if by_search { Bare::read(&lines, &read) } else { Bare::default() };
        found.collect(&read, &bare);
        found
    }

    fn collect(&mut self, read: &[Read<'a>], bare: &Bare<'a>) {
        let mut by_path: HashMap<&str, usize> = HashMap::new();
        let mut bare_file: Option<(usize, usize)> = None;
        for (line, here) in read.iter().enumerate() {
            let (path, number, is_context, file) = match (here, bare.lines.get(line).copied().flatten()) {
                (Some((path, number, context)), _) => {
                    let name = path.unwrap_or_default();
                    let file = *by_path.entry(name).or_insert_with(|| {
                        self.files.push(File { path: name, heading: None });
                        self.files.len() - 1
                    });
                    (*path, *number, *context, file)
                }
                (None, Some((section, number, context))) => {
                    let file = match bare_file.filter(|(last, _)| *last == section) {
                        Some((_, file)) => file,
                        None => {
                            self.files.push(bare.sections[section]);
                            self.files.len() - 1
                        }
                    };
                    bare_file = Some((section, file));
                    (None, Some(number), context, file)
                }
                (None, None) => continue,
            };
            self.hits.push(Hit { line, file, path, number, is_context });
        }
    }
}

/// Lines with a number but without a path.
#[derive(Debug, Default)]
struct Bare<'a> {
    /// For each line its section, its number and whether it is a context line.
    lines: Vec<Option<(usize, usize, bool)>>,
    /// The files, one for each heading and for each run without one.
    sections: Vec<File<'a>>,
}

impl<'a> Bare<'a> {
    fn read(lines: &[&'a str], taken: &[Read<'a>]) -> Self {
        let mut out = Self { lines: vec![None; lines.len()], sections: Vec::new() };
        // The last number of the section that is being read.
        let mut last: Option<usize> = None;
        for (i, line) in lines.iter().enumerate() {
            if taken[i].is_some() {
                last = None;
                continue;
            }
            let rising = |n: &usize| last.is_none_or(|last| *n >= last);
            if let Some((n, context)) = bare(line).filter(|(n, _)| rising(n)) {
                if last.is_none() {
                    let heading =
                        i.checked_sub(1).filter(|&h| taken[h].is_none() && is_path(lines[h], false));
                    out.sections.push(File { path: heading.map_or("", |h| lines[h]), heading });
                }
                last = Some(n);
                out.lines[i] = Some((out.sections.len() - 1, n, context));
            } else if *line != "--" {
                last = None;
            }
        }
        out.drop_stray();
        out
    }

    /// Context lines without an unbroken run of numbers to a match are not lines of the search.
    fn drop_stray(&mut self) {
        let mut i = 0;
        while i < self.lines.len() {
            let start = i;
            let mut has_match = false;
            while let Some((_, n, context)) = self.lines.get(i).copied().flatten() {
                let follows = i == start || self.lines[i - 1].is_some_and(|(_, before, _)| n <= before + 1);
                if !follows {
                    break;
                }
                has_match |= !context;
                i += 1;
            }
            if !has_match {
                self.lines[start..i].fill(None);
            }
            i += usize::from(i == start);
        }
    }
}

/// `12:text` and `12-text`; also `Line 12:text`, as agents' editors write it.
fn bare(line: &str) -> Option<(usize, bool)> {
    let (number, rest) = leading_number(line.strip_prefix("Line ").unwrap_or(line))?;
    match rest.as_bytes().first()? {
        b':' => Some((number, false)),
        b'-' => Some((number, true)),
        _ => None,
    }
}

/// Whether the line is the path and the sign after it.
fn sign(line: &str, path: &str, sign: char) -> bool {
    line.strip_prefix(path).is_some_and(|rest| rest.starts_with(sign))
}

/// `PATH-12-text` for this path and number.
fn surrounding<'a>(line: &'a str, path: &str, number: usize) -> Read<'a> {
    let rest = line.strip_prefix(path)?.strip_prefix('-')?;
    let (n, rest) = leading_number(rest)?;
    (n == number && rest.starts_with('-')).then(|| (line.get(..path.len()), Some(n), true))
}

/// `PATH:12:text`: the path and the number.
pub(super) fn numbered(line: &str) -> Option<(&str, usize)> {
    let head = &line.as_bytes()[..line.len().min(MAX_PATH_BYTES)];
    for colon in memchr::memchr_iter(b':', head) {
        let digits = line.as_bytes()[colon + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
        let end = colon + 1 + digits;
        if digits == 0 || digits > 9 || line.as_bytes().get(end) != Some(&b':') {
            continue;
        }
        let path = line.get(..colon).filter(|path| is_path(path, false))?;
        return Some((path, line.get(colon + 1..end)?.parse().ok()?));
    }
    None
}

/// `PATH:text`, and `PATH-text` after a line of that file.
fn unnumbered<'a>(line: &'a str, last: Read<'a>) -> Read<'a> {
    if let Some((Some(path), None, _)) = last {
        let own = line.get(..path.len());
        if sign(line, path, ':') {
            return Some((own, None, false));
        }
        if sign(line, path, '-') {
            return Some((own, None, true));
        }
    }
    let head = &line.as_bytes()[..line.len().min(MAX_PATH_BYTES)];
    let drive = usize::from(matches!(head, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic()));
    let colon = memchr::memchr(b':', &head[drive * 2..])? + drive * 2;
    let path = line.get(..colon).filter(|path| is_path(path, true))?;
    Some((Some(path), None, false))
}

/// Whether a text can be the path of a file. With `strict` a plain word such as `Makefile` is not accepted.
pub(super) fn is_path(text: &str, strict: bool) -> bool {
    const NEVER: &[u8] = b"\"<>|`;*?\t\0";
    let bytes = text.as_bytes();
    let windows = matches!(bytes, [letter, b':', b'\\', ..] if letter.is_ascii_alphabetic());
    let odd = |b: &u8| NEVER.contains(b);
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    if bytes.len() > MAX_PATH_BYTES || bytes.iter().any(odd) || text.contains("://") {
        return false;
    }
    if matches!(first, b' ' | b'-' | b':' | b',' | b'=' | b'#') || matches!(last, b' ' | b':' | b'/' | b'.') {
        return false;
    }
    // A bracket that stays open belongs to a message around the path.
    let opened = |open: u8, close: u8| bytes.contains(&open) && !bytes.contains(&close);
    if opened(b'[', b']') || opened(b'(', b')') {
        return false;
    }
    // A number before a colon or a `-` is a line number.
    if leading_number(text).is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with(':')) {
        return false;
    }
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    let has_extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        let plain = extension.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'~');
        let letter = extension.bytes().any(|b| b.is_ascii_alphabetic());
        plain && letter && extension.len() <= 12 && !stem.ends_with([' ', '('])
    });
    // Prose and log lines have blanks too; a file with blanks in its path has an extension.
    if bytes.contains(&b' ') {
        let word_before = text.split(' ').next().unwrap_or_default();
        return has_extension && text.contains(['/', '\\']) && !word_before.ends_with([':', ',', ']', ')']);
    }
    if has_extension || text.contains('/') || windows {
        return true;
    }
    let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    !strict && first.is_ascii_alphabetic() && bytes.iter().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Per line its path or file, number and kind, or nothing.
    fn read(text: &str) -> Vec<String> {
        let source = Source::new(text);
        let found = Found::read(&source, usize::MAX, true);
        let mut out = vec![String::new(); source.len()];
        for hit in &found.hits {
            let number = hit.number.map_or(String::new(), |n| n.to_string());
            let kind = if hit.is_context { "-" } else { ":" };
            out[hit.line] = format!("{}{kind}{number}", found.files[hit.file].path);
        }
        out
    }

    #[test]
    fn every_form_is_read() {
        assert_eq!(read("a/b.rs:12:x\na/b.rs:13:5:y"), ["a/b.rs:12", "a/b.rs:13"]);
        assert_eq!(read("C:\\a\\b.rs:12:x"), ["C:\\a\\b.rs:12"]);
        assert_eq!(read("HEAD~2:src/a.rs:7:x: 1"), ["HEAD~2:src/a.rs:7"]);
        assert_eq!(read("my docs/a b.md:3:x"), ["my docs/a b.md:3"]);
        assert_eq!(read("./a.py:  x\n./a.py-y\n"), ["./a.py:", "./a.py-"]);
        assert_eq!(read("src/a.rs\n12:x\n13-y\n"), ["", "src/a.rs:12", "src/a.rs-13"]);
        assert_eq!(read("Line 4:x\nLine 9:y"), [":4", ":9"]);
    }

    #[test]
    fn surroundings_lead_to_their_match() {
        let text = "a-1-b.py-8-x:9:y\na-1-b.py:9:x\na-1-b.py-10-see c.py:3:z\n--\na-1-b.py-30-stray\n";
        assert_eq!(read(text), ["a-1-b.py-8", "a-1-b.py:9", "a-1-b.py-10", "", ""]);
        assert_eq!(read("2024-01-02 x\n2024-01-03 y\n"), ["", ""]);
    }

    #[test]
    fn what_only_looks_like_a_hit_is_none() {
        for line in [
            "2024-01-01 12:30:45 error",
            "[2024-01-01T12:30:45] x",
            "10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a\"",
            "http://host:80:x",
            "{'a.b': 12: 3}",
            "[a/b.proto:12:3] too long",
            "key: 12: x",
            "  at f (a.js:12:5)",
            "    a_test.go:12: message",
            "-src/a.py:34:x",
            ":src/a.py:34:x",
            "12:5:src/a.py:34:x",
        ] {
            assert_eq!(numbered(line), None, "{line}");
        }
    }
}
