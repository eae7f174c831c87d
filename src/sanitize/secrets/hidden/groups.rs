//! Tokens in groups of one length, separated by blanks, as in `ghp_abcd efgh1234 …`.
//!
//! It reads only places where a token with a known prefix is too short.

use super::strings::is_mixed;
use super::view::is_inside;
use super::view::{View, line_end, line_start};
use super::wrapped::ahead;
use crate::stop;

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
        stop::tick();
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
