//! Lines that a program wrote out of order, by moving the cursor: `abc ESC[3C ghi ESC[6D def`; and the two texts that a
//! diff of words holds: `a [-old-]{+new+} b`.
//!
//! Each line is written as a terminal shows it. The text after the first move maps to the whole rest of the line. A
//! line of a diff is written twice, as it was and as it is.

use super::view::{View, line_end, line_start};
use crate::stop;
use std::ops::Range;

/// Longest line, in bytes, and widest, in columns.
const MAX_LINE_BYTES: usize = 4 << 10;
/// Most digits of a count.
const MAX_DIGITS: usize = 4;

/// The lines in which the cursor moves; `None` without one.
pub(super) fn view(text: &[u8]) -> Option<View> {
    let (mut view, mut at) = (View::default(), 0);
    while let Some(escape) = memchr::memchr(0x1b, &text[at..]) {
        stop::check_sometimes();
        at += escape;
        if moved(&text[at..]).is_none() {
            at += 1;
            continue;
        }
        let line = line_start(text, at, MAX_LINE_BYTES)..line_end(text, at);
        if line.len() <= MAX_LINE_BYTES {
            write(text, line.clone(), at, &mut view);
        }
        at = line.end;
    }
    (!view.bytes().is_empty()).then_some(view)
}

/// Writes the line whose cursor first moves at `first`.
fn write(text: &[u8], line: Range<usize>, first: usize, view: &mut View) {
    let mut cells = text[line.start..first].to_vec();
    let (mut column, mut least, mut at) = (cells.len(), cells.len(), first);
    while at < line.end {
        stop::check_sometimes();
        if text[at] != 0x1b {
            if column >= cells.len() {
                cells.resize(column + 1, b' ');
            }
            cells[column] = text[at];
            least = least.min(column);
            (column, at) = (column + 1, at + 1);
            continue;
        }
        let Some((letter, count, len)) = moved(&text[at..line.end]) else {
            at += 1;
            continue;
        };
        column = match letter {
            b'C' => column + count,
            b'D' => column.saturating_sub(count),
            _ => count.saturating_sub(1),
        };
        column = column.min(MAX_LINE_BYTES);
        at += len;
    }
    view.copy(text, line.start..line.start + least);
    view.stand(&cells[least..], line.start + least..line.end);
    view.stand(b"\n", line.end..line.end);
}

/// The letter, the count and the length of a sequence that moves the cursor within its line.
fn moved(rest: &[u8]) -> Option<(u8, usize, usize)> {
    let digits = rest.strip_prefix(b"\x1b[")?;
    let len = digits.iter().take(MAX_DIGITS).take_while(|b| b.is_ascii_digit()).count();
    let letter = *digits.get(len).filter(|b| matches!(b, b'C' | b'D' | b'G'))?;
    let count = digits[..len].iter().fold(0, |sum, b| sum * 10 + usize::from(b - b'0'));
    Some((letter, count.max(1), len + 3))
}

/// The marks around words that a diff added and removed.
const ADDED: [&[u8]; 2] = [b"{+", b"+}"];
const REMOVED: [&[u8]; 2] = [b"[-", b"-]"];
/// The most words in one line of a word diff that has each word on a line of its own.
const MAX_PIECES: usize = 64;

/// The lines of a diff of words, as they were and as they are; `None` without one.
pub(super) fn compared(text: &[u8]) -> Option<View> {
    let mut view = View::default();
    for (mark, other) in [(ADDED[1], None), (REMOVED[1], Some(ADDED[1]))] {
        let mut done = 0;
        for at in memchr::memmem::find_iter(text, mark) {
            stop::check_sometimes();
            if at < done {
                continue;
            }
            let line = line_start(text, at, MAX_LINE_BYTES)..line_end(text, at);
            done = line.end;
            let is_read =
                other.is_some_and(|other| memchr::memmem::find(&text[line.clone()], other).is_some());
            if line.len() <= MAX_LINE_BYTES && !is_read {
                write_version(text, line.clone(), true, &mut view);
                write_version(text, line, false, &mut view);
            }
        }
    }
    if memchr::memmem::find(text, b"\n~").is_some() && memchr::memmem::find(text, b"@@").is_some() {
        write_pieces(text, &mut view);
    }
    (!view.bytes().is_empty()).then_some(view)
}

/// Writes a line without its marks, and without what was removed from it or added to it.
fn write_version(text: &[u8], line: Range<usize>, is_new: bool, view: &mut View) {
    let mut at = line.start;
    while at < line.end {
        stop::check_sometimes();
        let rest = &text[at..line.end];
        let Some(open) = memchr::memchr2_iter(b'[', b'{', rest)
            .find(|open| rest[*open..].starts_with(ADDED[0]) || rest[*open..].starts_with(REMOVED[0]))
        else {
            break;
        };
        let is_added = rest[open] == b'{';
        let close = if is_added { ADDED[1] } else { REMOVED[1] };
        let Some(len) = memchr::memmem::find(&rest[open + 2..], close) else { break };
        view.copy(text, at..at + open);
        if is_added == is_new {
            view.copy(text, at + open + 2..at + open + 2 + len);
        }
        at += open + len + 4;
    }
    view.copy(text, at..line.end);
    view.stand(b"\n", line.end..line.end);
}

/// A value with the marks around its first and its last piece, if the others of these pairs are inside it.
pub(super) fn with_marks(text: &[u8], value: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = value;
    for [open, close] in [[ADDED[0], ADDED[1]], [REMOVED[0], REMOVED[1]]] {
        let bytes = &text[start..end];
        let (first, last) = (memchr::memmem::find(bytes, close), memchr::memmem::rfind(bytes, open));
        let is_open = last.is_some_and(|last| memchr::memmem::find(&bytes[last..], close).is_none());
        let is_closed = first.is_some_and(|first| memchr::memmem::find(&bytes[..first], open).is_none());
        if is_open && text[end..].starts_with(close) {
            end += close.len();
        }
        if is_closed && text[..start].ends_with(open) {
            start -= open.len();
        }
    }
    start..end
}

/// Writes the lines of a diff that has one word on each line, and `~` where a line ends.
fn write_pieces(text: &[u8], view: &mut View) {
    let (mut pieces, mut at): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
    while at < text.len() {
        stop::check_sometimes();
        let line = at..line_end(text, at);
        at = line.end + 1;
        match text.get(line.start) {
            Some(b' ' | b'+' | b'-') if pieces.len() < MAX_PIECES => pieces.push(line),
            Some(b'~') if line.len() == 1 => {
                for left_out in [b'-', b'+'] {
                    for piece in pieces.iter().filter(|piece| text[piece.start] != left_out) {
                        view.copy(text, piece.start + 1..piece.end);
                    }
                    view.stand(b"\n", line.start..line.start);
                }
                pieces.clear();
            }
            _ => pieces.clear(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::sanitize::secrets::redact;

    #[test]
    fn both_texts_of_a_diff_of_words_are_read() {
        let key = ["AI", "zaTwRlOEVHzc0X0AWIRh-JUqBlIFXZ53NcqeW"].concat();
        let (first, second) = (["gh", "p_16C7e42F292c69"].concat(), "12E7710c838347Ae178B4a");
        for (text, shown) in [
            (format!("key: [-{key}-]{{+new+}}\n"), "key: [-[REDACTED:gcp-api-key]-]{+new+}\n"),
            (format!("key: {{+{key}+}}\n"), "key: {+[REDACTED:gcp-api-key]+}\n"),
            (format!("key: {first}[-x-]{{+{second}+}}\n"), "key: [REDACTED:github-pat]\n"),
            (format!("key: {{+{first}+}}{second}\n"), "key: [REDACTED:github-pat]\n"),
            (format!("key: {{+{first}+}}[-x-]{{+{second}+}};\n"), "key: [REDACTED:github-pat];\n"),
            (
                "@@ -1,2 +1,2 @@\n DB_PASSWORD=\n-old\n+xK9uhfJX$mQ2v!Lp\n~\n".to_owned(),
                "@@ -1,2 +1,2 @@\n DB_PASSWORD=\n-old\n+[REDACTED:generic-password]\n~\n",
            ),
        ] {
            assert_eq!(redact(&text).map(|redacted| redacted.text).as_deref(), Some(shown));
        }
        for text in ["[-f file] {+x+}\n", "@@ -1 +1 @@\n password\n-old\n+new\n~\n", "a[-1] {+b\n"] {
            assert_eq!(redact(text), None);
        }
    }
}
