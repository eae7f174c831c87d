//! Tokens in groups of one length, separated by blanks, as in `ghp_abcd efgh1234 …`, and tokens that go on in the cells
//! below, where a table has wrapped them.
//!
//! It reads only places where a token with a known prefix is too short.

use super::columns;
use super::strings::is_mixed;
use super::view::is_inside;
use super::view::{View, line_end, line_start};
use super::wrapped::ahead;
use crate::stop;
use std::ops::Range;

/// Bytes after the beginning of a token that are examined.
const REACH_BYTES: usize = 512;
/// Bytes before it that the rules may need.
const BEFORE_BYTES: usize = 128;

/// The lines on which a token is cut short at one of `cut`, which are in order, and continues in groups, with these
/// together.
pub(super) fn view(text: &[u8], cut: &[usize]) -> Option<View> {
    let (mut view, mut done) = (View::default(), 0);
    let mut blanks = Vec::new();
    for &start in cut {
        stop::check_sometimes();
        if start < done {
            continue;
        }
        let end = line_end(&text[..text.len().min(start + REACH_BYTES)], start);
        done = end;
        let mut groups = Groups::default();
        blanks.clear();
        blanks.extend(memchr::memchr_iter(b' ', &text[start..end]).map(|n| start + n));
        blanks.retain(|&at| groups.go_on(text, at));
        if blanks.is_empty() {
            continue;
        }
        let mut copied = line_start(text, start, BEFORE_BYTES);
        for &at in &blanks {
            view.copy(text, copied..at);
            copied = at + 1;
        }
        view.copy(text, copied..end);
        view.stand(b"\n", end..end);
    }
    (!view.bytes().is_empty()).then_some(view)
}

/// The groups of one token.
#[derive(Default)]
struct Groups {
    /// Where the last group begins; 0 without one.
    last: usize,
    /// Bytes of each but the last one, which may be shorter and ends the token.
    size: usize,
    /// Where the last token ended.
    end: usize,
}

impl Groups {
    /// Whether the words around the blank at `at` are two groups.
    fn go_on(&mut self, text: &[u8], at: usize) -> bool {
        let next = ahead(text, at + 1);
        // A flag, or an address.
        if text[next.clone()].starts_with(b"-") || text[next.clone()].starts_with(b"0x") {
            self.last = 0;
            return false;
        }
        let goes_on = self.last > 0 && at - self.last == self.size && !next.is_empty();
        let size = if goes_on { self.size } else { next.len() };
        let (fits, ends) = (next.len() <= size, next.len() < size);
        if at == self.end || !fits || !(4..=32).contains(&size) || size > at {
            self.last = 0;
            return false;
        }
        let before = at - size..at;
        let starts =
            before.start == 0 || text[before.start - 1] == b'=' || !is_inside(text[before.start - 1]);
        let whole = goes_on || (starts && text[before.clone()].iter().all(|b| is_inside(*b)));
        // Two words are not groups if only the second one is shorter.
        let is = whole && (goes_on && ends || is_mixed(&text[before]) || is_mixed(&text[next.clone()]));
        (self.last, self.size) = if is && !ends { (next.start, size) } else { (0, 0) };
        if is && ends {
            self.end = next.end;
        }
        is
    }
}

/// The tokens that begin at one of `cut`, which are in order, and continue in the cells below, with their pieces together.
pub(super) fn wrapped(text: &[u8], cut: &[usize]) -> Option<View> {
    let (mut view, mut done) = (View::default(), 0);
    for &start in cut {
        stop::check_sometimes();
        if start < done {
            continue;
        }
        let near = &text[..text.len().min(start + columns::MAX_LINE_BYTES)];
        let line = line_start(text, start, columns::MAX_LINE_BYTES)..line_end(near, start);
        done = line.end;
        let Some(pieces) = pieces(text, line, start) else { continue };
        for piece in &pieces {
            view.copy(text, piece.clone());
        }
        let end = pieces.last().map_or(start, |piece| piece.end);
        view.stand(b"\n", end..end);
        done = end;
    }
    (!view.bytes().is_empty()).then_some(view)
}

/// The pieces of a token in a cell of `line`, and in the cells below it that go on: nothing else is in their lines.
fn pieces(text: &[u8], line: Range<usize>, start: usize) -> Option<Vec<Range<usize>>> {
    /// Most lines of a token. A choice.
    const MAX_LINES: usize = 16;
    let has_bar = |line: &[u8]| columns::BARS.iter().any(|bar| memchr::memmem::find(line, bar).is_some());
    let is_word = |bytes: &[u8]| !bytes.is_empty() && bytes.iter().all(u8::is_ascii_graphic);
    has_bar(&text[line.clone()]).then_some(())?;
    let cells = columns::cells(text, line.clone(), columns::Cut::Bar);
    let column = cells.iter().position(|cell| cell.contains(&start))?;
    let first = start..cells[column].end;
    let mut pieces = vec![first];
    is_word(&text[pieces[0].clone()]).then_some(())?;
    let mut end = line.end;
    for _ in 0..MAX_LINES {
        let at = end + 1;
        let near = text.get(at..text.len().min(at + columns::MAX_LINE_BYTES))?;
        let line = at..at + memchr::memchr(b'\n', near).unwrap_or(near.len());
        if columns::is_ruler(&text[line.clone()]) || !has_bar(&text[line.clone()]) {
            break;
        }
        let here = columns::cells(text, line.clone(), columns::Cut::Bar);
        let is_alone = here.iter().enumerate().all(|(i, cell)| (i == column) != cell.is_empty());
        if here.len() != cells.len() || !is_alone || !is_word(&text[here[column].clone()]) {
            break;
        }
        let (last, mut next) = (pieces.last_mut()?, here[column].clone());
        // psql writes a full stop at the end of a cell and before its rest.
        if text[last.clone()].ends_with(b".") && text[next.clone()].starts_with(b".") {
            last.end -= 1;
            next.start += 1;
        }
        pieces.push(next);
        end = line.end;
    }
    (pieces.len() > 1).then_some(pieces)
}
