//! String literals in code, and the rest of a line without one.

use super::view::{MAX_WORD_BYTES, is_inside};
use crate::sanitize::secrets::judge::{ByteSet, skip};
use std::ops::Range;

/// Bytes before a value that are searched for an escaped line end.
const BEFORE_BYTES: usize = 64;
/// Longest value, in bytes.
const MAX_VALUE_BYTES: usize = 4 << 10;

/// The rest of the line from `at` on, if it is not a string.
pub(super) fn line(text: &[u8], at: usize) -> Option<Range<usize>> {
    let near = &text[at..text.len().min(at + MAX_VALUE_BYTES)];
    let len = memchr::memchr(b'\n', near).unwrap_or(near.len());
    // In a string, an escape ends the line.
    let before = &text[at.saturating_sub(BEFORE_BYTES)..at];
    let is_string = memchr::memmem::find(before, b"\\n").is_some();
    let len = memchr::memmem::find(&near[..len], b"\\n").filter(|_| is_string).unwrap_or(len);
    let slashes = near[..len].iter().rev().take_while(|b| **b == b'\\' && is_string).count();
    let len = near[..len - slashes].trim_ascii_end().len();
    (len > 0 && !b"\"'[{(|>&*".contains(&near[0])).then_some(at..at + len)
}

/// The inside of the string that begins at `at`.
pub(super) fn string(text: &[u8], at: usize) -> Option<Range<usize>> {
    let slashes = skip(text, at, const { ByteSet::parse("\\") }, 3) - at;
    let quote = *text.get(at + slashes).filter(|b| matches!(b, b'"' | b'\''))?;
    let start = at + slashes + 1;
    if slashes > 0 {
        // Inside another string: it ends at the next quotation mark of the same form.
        let near = &text[start..text.len().min(start + MAX_VALUE_BYTES)];
        let len = memchr::memmem::find(near, &text[at..start])?;
        return (!near[..len].contains(&b'\n')).then_some(start..start + len);
    }
    let mut end = start;
    let limit = text.len().min(start + MAX_VALUE_BYTES);
    while end < limit && text[end] != quote && text[end] != b'\n' {
        end += 1 + usize::from(text[end] == b'\\');
    }
    (end < limit && text[end] == quote).then_some(start..end)
}

/// Whether a word may be the first piece of a value that is cut at a blank: mixed, and not the name of a secret, as `dbPassword` is.
pub(super) fn may_be_piece(word: &[u8]) -> bool {
    const NAMES: &[&[u8]] = &[b"Password", b"Passwd", b"Token", b"Secret", b"Key", b"Passphrase"];
    is_mixed(word) && !NAMES.iter().any(|name| word.ends_with(name))
}

/// Digits among letters, or mixed case: not an ordinary word.
pub(super) fn is_mixed(word: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| word.iter().any(is);
    has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
        || has(u8::is_ascii_lowercase) && word.iter().skip(1).any(u8::is_ascii_uppercase)
}

/// Whether the word before `end` has digits and letters, or small letters and capitals: most have neither.
pub(super) fn may_be_mixed(text: &[u8], end: usize) -> bool {
    let word = text[end.saturating_sub(MAX_WORD_BYTES)..end].iter().rev();
    let (mut lower, mut upper, mut digit) = (false, false, false);
    for byte in word.take_while(|byte| is_inside(**byte) && **byte != b'=') {
        lower |= byte.is_ascii_lowercase();
        upper |= byte.is_ascii_uppercase();
        digit |= byte.is_ascii_digit();
    }
    digit && (lower || upper) || lower && upper
}

/// Whether two parts of a line are words in small letters, as in `target/debug/lib-1a2b`.
pub(in crate::sanitize::secrets) fn is_path(piece: &[u8]) -> bool {
    let is_word = |part: &&[u8]| part.len() >= 3 && part.iter().all(u8::is_ascii_lowercase);
    piece.split(|b| b"/._-".contains(b)).filter(is_word).count() >= 2
}
