//! Lines of files that a result points at: frames of a stack trace, places of diagnostics, hits of a narrow search,
//! changed lines of a diff. A call that views such a file next probably needs these lines.
//!
//! Line numbers are used as written; later changes of the file may have moved the lines.

use xxhash_rust::xxh3::xxh3_64;

use super::command::CommandLine;
use super::{Detection, Shape, viewed};
use crate::stop;
use crate::text::call::ToolCall;
use crate::text::source::Source;

/// Most places that are taken from one result. A choice.
const MAX_PLACES: usize = 32;
/// A search with more hits does not look for one place. A choice.
const MAX_HITS: usize = 24;
/// Bytes of a report that are read for places.
const MAX_REPORT_BYTES: usize = 256 << 10;
/// Longest path, in bytes.
const MAX_PATH_BYTES: usize = 256;
/// Most digits of a line number.
const MAX_DIGITS: usize = 7;

/// A line of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PointedLine {
    /// Digest of the file's name without its folder, see [`file()`]. Tools name one file by different paths.
    pub file: u64,
    /// The line, from 1.
    pub line: u32,
}

/// The digest of the name of the file at a path.
pub fn file(path: &str) -> u64 {
    xxh3_64(viewed::name(path).as_bytes())
}

/// The places that a result points at, in order, each once. `has_failures` says whether it reports some.
pub fn places(
    call: &ToolCall,
    detection: &Detection,
    source: &Source<'_>,
    has_failures: bool,
) -> Vec<PointedLine> {
    let mut places = Places::default();
    match detection.shape {
        Shape::Diff => changed_lines(source, &mut places),
        Shape::Search if source.len() <= MAX_HITS => hits(call, &detection.command, source, &mut places),
        Shape::Other if has_failures => frames(source.text(), &mut places),
        _ => {}
    }
    places.0
}

#[derive(Default)]
struct Places(Vec<PointedLine>);

impl Places {
    fn add(&mut self, path: &str, line: u32) {
        let place = PointedLine { file: file(path), line };
        if self.0.len() < MAX_PLACES && !self.0.contains(&place) {
            self.0.push(place);
        }
    }

    fn is_full(&self) -> bool {
        self.0.len() >= MAX_PLACES
    }
}

/// The first line of each change in a unified diff.
fn changed_lines(source: &Source<'_>, places: &mut Places) {
    let (mut path, mut next, mut in_change) = (None, None::<u32>, false);
    for line in source.lines() {
        stop::check_sometimes();
        if places.is_full() {
            return;
        }
        if let Some(new) = line.strip_prefix("+++ ") {
            (path, next) = (Some(new.trim_end().trim_start_matches("b/")), None);
            continue;
        }
        if line.starts_with("@@ ") {
            let new = line.split(' ').find_map(|word| word.strip_prefix('+'));
            next = new.and_then(|new| new.split(',').next()?.parse().ok());
            in_change = false;
            continue;
        }
        let (Some(path), Some(number)) = (path, next.as_mut()) else { continue };
        match line.as_bytes().first() {
            Some(sign @ (b'+' | b'-')) => {
                if !std::mem::replace(&mut in_change, true) {
                    places.add(path, *number);
                }
                *number = number.saturating_add(u32::from(*sign == b'+'));
            }
            Some(b' ') | None => {
                in_change = false;
                *number = number.saturating_add(1);
            }
            _ => next = None,
        }
    }
}

/// The lines that a search found: `path:12:text`, or `12:text` in the one file that was searched.
fn hits(call: &ToolCall, command: &CommandLine, source: &Source<'_>, places: &mut Places) {
    let searched = command.pipelines.first().and_then(|pipeline| pipeline.first());
    let last = searched.and_then(|simple| simple.argv.last()).map(String::as_str);
    let only = call.path.as_deref().or(last.filter(|word| word.contains('.')));
    for line in source.lines() {
        let Some((start, rest)) = line.split_once(':') else { continue };
        match (number(start), rest.split_once(':').and_then(|(line, _)| number(line)), only) {
            (Some(line), _, Some(path)) => places.add(path, line),
            (None, Some(line), _) => places.add(start, line),
            _ => {}
        }
    }
}

fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|_| text.len() <= MAX_DIGITS)
}

/// The places in a report: `src/a.rs:12`, `File "a.py", line 12`.
fn frames(text: &str, places: &mut Places) {
    const PYTHON: &str = "\", line ";
    let bytes = &text.as_bytes()[..text.len().min(MAX_REPORT_BYTES)];
    let mut last = None;
    for at in memchr::memchr2_iter(b':', b',', bytes) {
        stop::check_sometimes();
        if places.is_full() {
            return;
        }
        let (end, digits) = match bytes[at] {
            b':' => (at, at + 1),
            _ if at > 0 && bytes[at - 1..].starts_with(PYTHON.as_bytes()) => (at - 1, at - 1 + PYTHON.len()),
            _ => continue,
        };
        let count = bytes[digits..].iter().take(MAX_DIGITS + 1).take_while(|b| b.is_ascii_digit()).count();
        if count == 0 || count > MAX_DIGITS {
            continue;
        }
        let near = &bytes[end.saturating_sub(MAX_PATH_BYTES)..end];
        let is_outside = |b: &u8| b.is_ascii_whitespace() || b"\"'()[]<>,;=:|".contains(b);
        let path = near.iter().rposition(is_outside).map_or(near, |at| &near[at + 1..]);
        let (Ok(path), Some(line)) =
            (std::str::from_utf8(path), std::str::from_utf8(&bytes[digits..digits + count]).ok())
        else {
            continue;
        };
        // `10.0.0.1:80`, `12.5:3` are not files.
        let is_ending =
            |ending: &str| ending.len() <= 5 && ending.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_file =
            path.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && is_ending(ending));
        if is_file && last != Some((path, line)) {
            last = Some((path, line));
            if let Some(line) = number(line) {
                places.add(path, line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::detect;

    fn found(command: &str, text: &str) -> Vec<(u64, u32)> {
        let call = ToolCall { tool: "bash".into(), command: Some(command.into()), ..ToolCall::default() };
        let source = Source::new(text);
        let detection = detect(&call, &source);
        places(&call, &detection, &source, true).into_iter().map(|place| (place.file, place.line)).collect()
    }

    #[test]
    fn frames_hits_and_changes_are_places() {
        let trace = "Traceback (most recent call last):\n  File \"/srv/run.py\", line 8, in <module>\n    main()\n  \
                     File \"/srv/cookies.py\", line 181, in _quote\nValueError: bad\n";
        assert_eq!(found("python run.py", trace), [(file("run.py"), 8), (file("cookies.py"), 181)]);
        let go = "panic: nil\n\nmain.send(...)\n\t/srv/transfer.go:670 +0x1d\n\tat 10.0.0.1:80\n";
        assert_eq!(found("go run .", go), [(file("transfer.go"), 670)]);
        assert_eq!(found("grep -n _quote cookies.py", "174:def _quote(str):\n"), [(file("cookies.py"), 174)]);
        let hits = "src/a.rs:12:fn a() {\nsrc/b.rs:3:    a();\n";
        assert_eq!(found("rg -n a src", hits), [(file("a.rs"), 12), (file("b.rs"), 3)]);
        let diff =
            "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -9,4 +9,4 @@ fn a() {\n one\n-two\n+Two\n three\n four\n";
        assert_eq!(found("git diff", diff), [(file("src/a.rs"), 10)]);
    }

    #[test]
    fn a_broad_search_points_at_nothing() {
        let hits: String = (1..=MAX_HITS + 1).map(|n| format!("a.rs:{n}:x\n")).collect();
        assert_eq!(found("rg -n x", &hits), []);
    }
}
