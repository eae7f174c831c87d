//! Numbers in JSON that are secrets, and lists of numbers that spell a secret. A placeholder for them needs quotation
//! marks, so that the text stays JSON.

use std::ops::Range;

/// Blanks that are skipped on each side of a colon. JSON writers use one, or align by a few.
const MAX_BLANKS: usize = 16;

/// The quotation mark to write around a placeholder for `value`: that of the name before it, with its backslashes. `None`
/// if the value is not a number, or is not after a quoted name and a colon.
pub(super) fn quote<'a>(text: &'a [u8], value: &Range<usize>) -> Option<&'a [u8]> {
    if is_list(text, value) {
        return quote_of_list(text, value.start);
    }
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

/// Whether a value is a part of a list such as `[1, 2]`.
fn is_list(text: &[u8], value: &Range<usize>) -> bool {
    let Some(bytes) = text.get(value.clone()) else { return false };
    let is_first = bytes.first().is_some_and(u8::is_ascii_digit) && bytes.contains(&b',');
    let next = text[value.end..].iter().take(MAX_BLANKS).find(|b| !b.is_ascii_whitespace());
    is_first
        && bytes.iter().all(|b| b.is_ascii_digit() || *b == b',' || b.is_ascii_whitespace())
        && trim_end(&text[..value.start]).last().is_some_and(|b| b"[,".contains(b))
        && next.is_some_and(|b| b"],".contains(b))
}

/// The quotation mark for a placeholder in a list, with the backslashes of the string that holds the list. `None`
/// after a name without quotation marks, as in YAML: such a list may be part of a string.
fn quote_of_list(text: &[u8], start: usize) -> Option<&[u8]> {
    /// Bytes before a list that are searched for the name of its member. A choice.
    const MAX_NAME_BYTES: usize = 64;
    /// Bytes of numbers before a value that are searched for the start of their list. A choice.
    const MAX_LIST_BYTES: usize = 4 << 10;
    let is_item = |b: &&u8| b.is_ascii_digit() || b", \t\r\n[".contains(b);
    let start = start - text[..start].iter().rev().take(MAX_LIST_BYTES).take_while(is_item).count();
    let near = &text[start.saturating_sub(MAX_NAME_BYTES)..start];
    let name = trim_end(near).strip_suffix(b":").map(trim_end);
    if name.and_then(<[u8]>::last).is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    let Some(at) = memchr::memrchr(b'"', near) else { return Some(b"\"") };
    let backslashes = near[..at].iter().rev().take(MAX_BLANKS).take_while(|b| **b == b'\\').count();
    Some(&near[at - backslashes..=at])
}

/// The text without a few blanks at its end.
fn trim_end(text: &[u8]) -> &[u8] {
    let blanks = text.iter().rev().take(MAX_BLANKS).take_while(|b| b.is_ascii_whitespace()).count();
    &text[..text.len() - blanks]
}
