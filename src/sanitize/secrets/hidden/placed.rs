//! Lines that a program wrote out of order, by moving the cursor: `abc ESC[3C ghi ESC[6D def`.
//!
//! Each line is written as a terminal shows it. The moved text maps to all of the line from the first move on.

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
        stop::tick();
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
        stop::tick();
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
