//! Counts that are known line by line, so that a text made of lines of another is not counted again.
//!
//! A piece never extends over the start of a line that begins, after any blanks, with a printable ASCII character,
//! except a `/` as its first character. Pieces with a newline are either white space up to the last newline of its
//! run, or symbols with newlines and slashes after them. So the tokens between two such starts do not depend on the
//! text around. This is true for the splitters of both vocabularies, but not for the estimate.

use std::ops::Range;

use super::Other;

/// Tokens before each line.
#[derive(Debug, Default)]
pub struct LineCounts {
    /// [`UNKNOWN`] if a piece may extend over the start of the line.
    before: Vec<u32>,
    total: usize,
}

const UNKNOWN: u32 = u32::MAX;

/// Lines that a text has verbatim from another text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verbatim {
    /// The start of the first of them in the text.
    pub at: usize,
    /// Their lines in the other text.
    pub lines: Range<usize>,
}

impl LineCounts {
    /// Counts a text by its lines; `count` counts from one start of a line to another.
    pub(super) fn new(text: &[u8], mut count: impl FnMut(Range<usize>) -> usize) -> Self {
        let mut before = Vec::with_capacity(text.len() / 32 + 2);
        let (mut total, mut done) = (0, 0);
        if !text.is_empty() {
            before.push(0);
        }
        for start in memchr::memchr_iter(b'\n', text).map(|newline| newline + 1) {
            crate::stop::check_sometimes();
            if start < text.len() {
                before.push(match begins_piece(text, start) {
                    true => {
                        total += count(done..start);
                        done = start;
                        u32::try_from(total).unwrap_or(UNKNOWN)
                    }
                    false => UNKNOWN,
                });
            }
        }
        total += count(done..text.len());
        Self { before, total }
    }

    /// Tokens of the whole text.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Tokens of `text`, of which some lines are those of `other`, which this counts.
    pub(super) fn recount(
        &self,
        text: &str,
        other: Other<'_>,
        verbatim: &[Verbatim],
        mut count: impl FnMut(Range<usize>) -> usize,
    ) -> usize {
        let (text, starts, other) = (text.as_bytes(), other.starts, other.text.as_bytes());
        let (mut tokens, mut done) = (0, 0);
        for Verbatim { at, lines } in verbatim {
            let (Some(&from), Some(&to)) = (starts.get(lines.start), starts.get(lines.end)) else { continue };
            let before = |line: &usize| self.before.get(*line).copied().unwrap_or(UNKNOWN);
            let is_known = |line: &usize| before(line) != UNKNOWN;
            let starts_line = *at == 0 || text.get(at - 1) == Some(&b'\n');
            let is_same = *at >= done
                && starts_line
                && text.get(*at..at + (to - from)).is_some_and(|here| Some(here) == other.get(from..to));
            let first = lines.clone().find(is_known);
            let last = lines.clone().rev().find(is_known);
            let (true, Some(first), Some(last)) = (is_same, first, last) else { continue };
            let place = |line: usize| at + (starts[line] - from);
            if first < last {
                tokens += count(done..place(first));
                tokens += (before(&last) - before(&first)) as usize;
                done = place(last);
            }
        }
        tokens + count(done..text.len())
    }
}

/// Whether a piece begins with the line at `start`, whatever is before it.
fn begins_piece(text: &[u8], start: usize) -> bool {
    let blanks = text[start..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    match text.get(start + blanks) {
        Some(b'/') => blanks > 0,
        Some(byte) => byte.is_ascii_graphic(),
        None => false,
    }
}
