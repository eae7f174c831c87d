//! Tokens in groups of one length, parted by blanks, as in `ghp_abcd efgh1234 …`.
//!
//! It looks only where a token of a known beginning is cut short.

use super::view::{View, line_end, line_start};
use super::wrapped::{ahead, is_inside, is_mixed};
use std::ops::Range;

/// Bytes behind the beginning of a token that are looked at.
const REACH: usize = 512;
/// Bytes before it that the rules may need.
const NEAR: usize = 128;

/// The lines on which a token is cut short at one of `cut`, which are in order, with the groups there together.
pub(super) fn view(text: &[u8], cut: &[usize]) -> Option<View> {
    let (mut view, mut any, mut done) = (View::default(), false, 0);
    for &start in cut {
        if start < done {
            continue;
        }
        let end = line_end(&text[..text.len().min(start + REACH)], start);
        done = end;
        let mut copied = line_start(text, start, NEAR);
        let (mut at, mut joined) = (start, 0);
        while let Some(n) = memchr::memchr(b' ', &text[at..end]) {
            at += n;
            if let Some(gap) = gap(text, at, joined) {
                view.copy(text, copied..gap.start);
                (copied, joined, any) = (gap.end, gap.end, true);
            }
            at += 1;
        }
        view.copy(text, copied..end);
        view.stand(b"\n", end..end);
    }
    any.then_some(view)
}

/// The blank between two groups. The last one behind `joined` others may be shorter.
fn gap(text: &[u8], at: usize, joined: usize) -> Option<Range<usize>> {
    let next = ahead(text, at + 1);
    let goes_on = joined > 0 && (4..=32).contains(&(at - joined)) && next.len() < at - joined && !next.is_empty();
    let len = if goes_on { at - joined } else { next.len() };
    if !(4..=32).contains(&len) || len > at {
        return None;
    }
    let before = at - len..at;
    let starts = before.start == 0 || matches!(text[before.start - 1], b'=') || !is_inside(text[before.start - 1]);
    let whole = (starts || before.start == joined) && text[before.clone()].iter().all(|b| is_inside(*b));
    (whole && (is_mixed(&text[before]) || is_mixed(&text[next]))).then_some(at..at + 1)
}
