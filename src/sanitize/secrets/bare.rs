//! Numbers in JSON that are secrets. A placeholder in place of one needs quotation marks, or the text is no longer JSON.

use std::ops::Range;

/// Blanks that are skipped on each side of a colon. JSON writers use one, or align by a few.
const MAX_BLANKS: usize = 16;

/// The quotation mark to write around a placeholder for `value`: that of the name before it, with its backslashes. `None`
/// if the value is not a number, or does not stand behind a quoted name and a colon.
pub(super) fn quote<'a>(text: &'a [u8], value: &Range<usize>) -> Option<&'a [u8]> {
    let is_number = |b: &u8| b.is_ascii_digit() || b"+-.eE".contains(b);
    let first = text.get(value.clone())?.first()?;
    if !(first.is_ascii_digit() || *first == b'-') || !text[value.clone()].iter().all(is_number) {
        return None;
    }
    let rest = &text[value.end..];
    let next = rest.iter().take(MAX_BLANKS).find(|b| !b.is_ascii_whitespace());
    if !next.is_some_and(|b| b",}]".contains(b)) {
        return None;
    }
    let before = trim_end(&text[..value.start]).strip_suffix(b":")?;
    let name = trim_end(before).strip_suffix(b"\"")?;
    let backslashes = name.iter().rev().take(MAX_BLANKS).take_while(|b| **b == b'\\').count();
    Some(&text[name.len() - backslashes..=name.len()])
}

/// The text without a few blanks at its end.
fn trim_end(text: &[u8]) -> &[u8] {
    let blanks = text.iter().rev().take(MAX_BLANKS).take_while(|b| b.is_ascii_whitespace()).count();
    &text[..text.len() - blanks]
}
