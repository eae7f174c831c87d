//! Removes the text that tools put before every line: numbers, file names, signs of a diff, times and levels of a
//! log.
//!
//! It returns the lines without that text, for rules that read several lines or the start of a line.

use super::logged::{self, BARS, MAX_PATH_BYTES, mark, prefix};
use super::near::Near;
use super::view::{View, line_end, line_start};
use crate::stop;
use std::ops::Range;

/// The most lines without a prefix that are kept after one with a prefix.
const MAX_LINES_APART: usize = 8;

/// The lines near keywords without their prefixes; `None` if no line has one.
pub(super) fn view(text: &[u8], near: &Near) -> Option<View> {
    if near.stretches().is_empty() {
        return None;
    }
    let is_diff = is_diff(text);
    let mut view = View::default();
    let mut before: &[u8] = b"";
    // Where the next line begins, and the number of lines without a prefix since the last line with one.
    let (mut at, mut apart) = (0, None);
    for stretch in near.stretches() {
        let start = line_start(text, stretch.start, MAX_PATH_BYTES + 1);
        if start > at {
            part(&mut view, at, apart.take());
            at = start;
        }
        while at < stretch.end {
            stop::check_sometimes();
            let end = line_end(text, at);
            let line = &text[at..end];
            let next = text.len().min(end + 1);
            let beside = [before, &text[next..line_end(text, next)]];
            let (mut skipped, mut cut) = (prefix(line, is_diff), 0);
            if skipped == 0 {
                (skipped, cut) = frame(line, beside);
            } else {
                // The name of a logger that is recognized only because a neighbouring line has it too.
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

/// Whether the text after a number consists of the bytes of a dump, such as `6669 7273 …`, so that the number is an
/// offset.
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
    // An empty line of a comment may lack the blank, and the next line of a continued cell has no name.
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

/// Whether a cell of psql continues on the next line: `  1 | first +` above `    | second`.
fn goes_on_below(line: &[u8], skipped: usize, next: &[u8]) -> bool {
    let is_blank = |bar: usize| next[..bar].iter().all(|b| *b == b' ');
    line.ends_with(b"+")
        && line.len() > skipped
        && skipped >= 3
        && line[..skipped].ends_with(b"| ")
        && next.get(skipped - 2) == Some(&b'|')
        && is_blank(skipped - 2)
}

/// Separates the text at `at` from the lines before it, if there are any.
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
