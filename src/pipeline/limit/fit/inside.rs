//! Cuts inside a line, and the last resort if not even a marker fits.

use super::Form;
use crate::text::marker::Marker;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::tokens::TokenCounter;

/// The suffix of a text that is cut because not even a marker fits.
pub(in crate::pipeline) const TRUNCATED: &str = " [...truncated]";

/// The start of a text, the text around its first failure and its end, with a marker in each gap; and the bytes left
/// out.
pub(super) fn windows(text: &str, bytes: usize, line: usize, reason: Reason) -> (String, usize) {
    let failure = signals::first_failure(text);
    let share = bytes / if failure.is_some() { 3 } else { 2 };
    let around = failure.map(|at| {
        let from = text.floor_char_boundary(at.saturating_sub(share / 4));
        from..text.ceil_char_boundary((at + share * 3 / 4).min(text.len()))
    });
    let head = 0..text.floor_char_boundary(share);
    let tail = text.ceil_char_boundary(text.len() - share.min(text.len()))..text.len();
    let windows = std::iter::once(head).chain(around).chain(std::iter::once(tail));
    let mut out = String::with_capacity(bytes + 128);
    let (mut at, mut omitted) = (0, 0);
    for window in windows {
        let start = window.start.max(at);
        if start > at {
            omitted += start - at;
            let reason = reason.code().to_owned();
            out.push_str(&Marker::Bytes { count: start - at, line, reason, id: None }.write());
        }
        out.push_str(text.get(start..window.end.max(start)).unwrap_or_default());
        at = at.max(window.end);
    }
    (out, omitted)
}

/// The last resort if not even a marker fits: the text from byte `from` on, cut at a character boundary, with the
/// suffix `TRUNCATED`. Returns it and the byte at which it ends; `None` if not even the suffix fits.
pub(in crate::pipeline) fn clip(
    text: &str,
    from: usize,
    tokens: usize,
    form: Form,
    counter: &dyn TokenCounter,
) -> Option<(String, usize)> {
    // No token of the vocabularies encodes more bytes of plain text.
    const MAX_TOKEN_BYTES: usize = 128;
    let with_end = |end: usize| {
        let mut out = text.get(from..end).unwrap_or_default().trim_end().to_owned();
        out.push_str(if out.is_empty() { TRUNCATED.trim_start() } else { TRUNCATED });
        form.write(out)
    };
    let fits = |end: usize| counter.count(&with_end(end)) <= tokens;
    let most = text.floor_char_boundary((from + tokens * MAX_TOKEN_BYTES).min(text.len()));
    let (mut low, mut high) = (from, most);
    while low < high {
        let middle = text.ceil_char_boundary(low + (high - low).div_ceil(2)).min(high);
        match fits(middle) {
            true => low = middle,
            false => high = text.floor_char_boundary(middle - 1).max(low),
        }
    }
    // A shorter text may take a few tokens more.
    while low > from && !fits(low) {
        low = text.floor_char_boundary(low - 1).max(from);
    }
    fits(low).then(|| (with_end(low), low))
}
