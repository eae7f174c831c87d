//! What tools put before every line: numbers, file names, signs of a diff, times and levels of a log.
//!
//! It returns the lines without it, for rules that read several lines or the start of a line.

use super::logged;
use super::near::Near;
use super::view::{View, blanks, line_end, line_start, table};
use crate::stop;
use std::ops::Range;

/// Longest file name before a line, in bytes.
const MAX_PATH_BYTES: usize = 200;
/// Lines without anything before them that are kept after one that has something.
const MAX_LINES_APART: usize = 8;
/// Most blanks in front of the sign of a comment.
const MAX_INDENT_BYTES: usize = 64;

/// The lines near keywords without their prefixes; `None` if no line has one.
pub(super) fn view(text: &[u8], near: &Near) -> Option<View> {
    if near.stretches().is_empty() {
        return None;
    }
    let is_diff = is_diff(text);
    let mut view = View::default();
    let mut before: &[u8] = b"";
    // Where the next line begins, and how many had nothing before it since the last one that had.
    let (mut at, mut apart) = (0, None);
    for stretch in near.stretches() {
        let start = line_start(text, stretch.start, MAX_PATH_BYTES + 1);
        if start > at {
            part(&mut view, at, apart.take());
            at = start;
        }
        while at < stretch.end {
            stop::tick();
            let end = line_end(text, at);
            let line = &text[at..end];
            let next = text.len().min(end + 1);
            let beside = [before, &text[next..line_end(text, next)]];
            let (mut skipped, mut cut) = (prefix(line, is_diff), 0);
            if skipped == 0 {
                (skipped, cut) = frame(line, beside);
            } else {
                // A logger that only the lines beside tell.
                skipped = skipped.max(logged::head(line, &beside));
            }
            if goes_on_below(line, skipped, beside[1]) {
                cut = line.len() - line[..line.len() - 1].trim_ascii_end().len();
            }
            before = line;
            apart = match apart {
                _ if skipped + cut > 0 => Some(0),
                Some(lines) if lines < MAX_LINES_APART => Some(lines + 1),
                apart => {
                    part(&mut view, at, apart);
                    None
                }
            };
            if apart.is_some() {
                view.copy(text, at + skipped..end - cut);
                view.copy(text, end..next);
            }
            at = next;
        }
    }
    (!view.bytes().is_empty()).then_some(view)
}

/// Whether a tool may have written something before the line that contains `at`, or at its end.
pub(super) fn is_framed(text: &[u8], at: usize) -> bool {
    let start = line_start(text, at, MAX_PATH_BYTES + 1);
    let rest = &text[start..text.len().min(at + MAX_PATH_BYTES)];
    let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
    let number = prefix(line, true);
    mark(line) > 0 || number > 0 && !is_dump(&line[number..]) || line.ends_with(b"$")
}

/// Whether the text after a number are bytes of a dump: `6669 7273 …`, of which the number is the offset.
fn is_dump(line: &[u8]) -> bool {
    let is_hex =
        |range: Range<usize>| line.get(range).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    is_hex(0..4) && line.get(4) == Some(&b' ') && is_hex(5..9)
}

/// Bytes before a line and at its end that frame it and a line beside it in the same way.
fn frame(line: &[u8], beside: [&[u8]; 2]) -> (usize, usize) {
    let shared = |test: &dyn Fn(&[u8]) -> bool| beside.into_iter().any(test);
    let mark = mark(line);
    let sign = line[..mark].trim_ascii_end();
    // An empty line of a comment may lack the blank, and a cell that goes on has no name.
    let is_alike = |other: &[u8]| {
        let there = self::mark(other);
        let is_bare = other.len() == there || line.len() == mark;
        let has_bar = |line: &[u8]| line.get(..mark).is_some_and(|start| start.ends_with(b"| "));
        let is_cell = |line: &[u8]| has_bar(line) && line[..mark - 2].iter().all(|b| *b == b' ');
        there > 0 && (there == mark || is_bare) && other.starts_with(sign)
            || has_bar(line) && has_bar(other) && (is_cell(line) || is_cell(other))
    };
    if mark > 0 && shared(&is_alike) {
        let is_box = BARS.iter().any(|bar| sign.ends_with(bar.as_bytes()));
        let ends = |line: &[u8], bar: &str| line.len() > mark && line.ends_with(bar.as_bytes());
        let bar = BARS.iter().find(|bar| is_box && ends(line, bar) && shared(&|other| ends(other, bar)));
        let inside = bar.map_or(line, |bar| line[..line.len() - bar.len()].trim_ascii_end());
        return (mark, line.len() - inside.len().max(mark));
    }
    // `cat -A` writes a dollar sign where a line ends.
    let ends = |line: &[u8]| line.ends_with(b"$") && !line.ends_with(b"$$");
    (0, usize::from(ends(line) && shared(&ends)))
}

/// Whether a cell of psql goes on in the next line: `  1 | first +` above `    | second`.
fn goes_on_below(line: &[u8], skipped: usize, next: &[u8]) -> bool {
    let is_blank = |bar: usize| next[..bar].iter().all(|b| *b == b' ');
    line.ends_with(b"+")
        && line.len() > skipped
        && skipped >= 3
        && line[..skipped].ends_with(b"| ")
        && next.get(skipped - 2) == Some(&b'|')
        && is_blank(skipped - 2)
}

/// The bars of boxes.
const BARS: &[&str] = &["│", "┃", "║", "|"];

/// Bytes of a sign, a name and a bar, or a name in brackets before a line: `# `, `  // `, `│ `, `app-1  | `,
/// `[pod/a/app] `.
fn mark(line: &[u8]) -> usize {
    const SIGNS: &[&str] = &["#", "//", "--", ";;", ";", "*", "│", "┃", "║", "|", "%%"];
    const NAME: [bool; 256] = table(b"._/-");
    let indent = blanks(line, 0, MAX_INDENT_BYTES);
    if let Some(sign) = SIGNS.iter().find(|sign| line[indent..].starts_with(sign.as_bytes())) {
        let end = indent + sign.len();
        match line.get(end) {
            Some(b' ') => return end + 1,
            // An empty line of a comment.
            None => return end,
            Some(_) => {}
        }
    }
    let open = usize::from(line.first() == Some(&b'['));
    let name = line[open..].iter().take(MAX_PATH_BYTES).take_while(|b| NAME[**b as usize]).count();
    let end = open + name;
    if name == 0 {
        return 0;
    }
    if open == 1 {
        return if line[end..].starts_with(b"] ") { end + 2 } else { 0 };
    }
    let bar = blanks(line, end, 64);
    if bar > end && line[bar..].starts_with(b"| ") { bar + 2 } else { 0 }
}

/// Separates the text from the lines before `at`, if there are any.
fn part(view: &mut View, at: usize, apart: Option<usize>) {
    if apart.is_some() {
        view.stand(b"\n\n", at..at);
    }
}

/// Whether some line is a hunk header of a diff, or all lines are additions and removals.
pub(super) fn is_diff(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"@@ ").is_some() || {
        let signed = |line: &&[u8]| matches!(line.first(), Some(b'+' | b'-'));
        let head = &text[..text.len().min(512)];
        let (all, with) =
            (head.split(|b| *b == b'\n').count(), head.split(|b| *b == b'\n').filter(signed).count());
        with > 0 && with * 3 >= all
    }
}

/// Bytes before a line that a tool put there.
pub(super) fn prefix(line: &[u8], is_diff: bool) -> usize {
    if is_diff && matches!(line.first(), Some(b'+' | b'-' | b' ')) {
        if line.get(1) != line.first() {
            return 1;
        }
        // A diff of a merge; `+++` and `---` name files.
        if line[0] != b' ' && line.get(2) != line.first() {
            return 2;
        }
    }
    let mut at = logged::head(line, &[]);
    if at == 0 {
        at = file(line);
        at += number(&line[at..]);
    }
    if at == 0 && line.starts_with(b"> ") {
        at = 2;
    }
    at
}

/// `HEAD~1:src/x.env:3:`, `src/x.env:3:`, `src/x.env-3-` and `src/x.env:`.
fn file(line: &[u8]) -> usize {
    const REVISION: [bool; 256] = table(b"._/@+~^{}-");
    let revision = line.iter().take(MAX_PATH_BYTES).take_while(|b| REVISION[**b as usize]).count();
    if revision > 0 && line.get(revision) == Some(&b':') {
        let rest = &line[revision + 1..];
        let path = path(rest);
        // Without a number `a:b:` may be anything.
        if path > 2 && rest[path - 2].is_ascii_digit() {
            return revision + 1 + path;
        }
    }
    path(line)
}

/// The same without a revision.
fn path(line: &[u8]) -> usize {
    const NAME: [bool; 256] = table(b"._/@+~-");
    let name = line.iter().take(MAX_PATH_BYTES).take_while(|b| NAME[**b as usize]).count();
    if name == 0 {
        return 0;
    }
    if let Some(behind) = dashed(line, name) {
        return behind;
    }
    let is_path = line[..name].iter().any(|b| matches!(b, b'.' | b'/'));
    if line.get(name) == Some(&b':') && is_path {
        let digits = digits(&line[name + 1..]);
        if digits > 0 && matches!(line.get(name + 1 + digits), Some(b':' | b'-')) {
            return name + digits + 2;
        }
        return if line[name + 1..].starts_with(b"//") { 0 } else { name + 1 };
    }
    0
}

/// `src/x.env-3-`: the name and the number are not separated, and the line itself may continue with letters.
fn dashed(line: &[u8], name: usize) -> Option<usize> {
    let mut at = memchr::memchr(b'.', &line[..name])?;
    loop {
        let from = at + memchr::memchr(b'-', &line[at..name])? + 1;
        let digits = digits(&line[from..name]);
        if digits > 0 && line.get(from + digits) == Some(&b'-') {
            return Some(from + digits + 1);
        }
        at = from + digits;
    }
}

/// `12:`, `12-`, `  12→`, `12<tab>`, `12 | `, `12. `.
fn number(line: &[u8]) -> usize {
    let from = blanks(line, 0, 12);
    let open = from + usize::from(matches!(line.get(from), Some(b'[' | b'L' | b'(')));
    let end = open + digits(line.get(open..).unwrap_or_default());
    if end == open {
        return 0;
    }
    let rest = &line[end..];
    let padded = blanks(rest, 0, 4);
    let bars = ["→".as_bytes(), "│".as_bytes(), "┃".as_bytes(), "|".as_bytes()];
    if let Some(bar) = bars.iter().find(|bar| rest[padded..].starts_with(bar)) {
        let at = end + padded + bar.len();
        return at + usize::from(line.get(at) == Some(&b' '));
    }
    match rest.first() {
        Some(b'\t') => end + 1,
        Some(b':' | b'-' | b')' | b']' | b'.') => {
            end + 1 + usize::from(rest.get(1) == Some(&b' ') && from == 0)
        }
        Some(b' ') if from > 0 && rest.get(1) == Some(&b' ') => end + 2,
        _ => 0,
    }
}

fn digits(bytes: &[u8]) -> usize {
    let n = bytes.iter().take(9).take_while(|b| b.is_ascii_digit()).count();
    if n > 8 { 0 } else { n }
}
