//! String literals in code, and the rest of a line without one.

use crate::sanitize::secrets::judge::{ByteSet, skip};
use std::ops::Range;

/// Longest value, in bytes.
const MAX_VALUE_BYTES: usize = 4 << 10;

/// The rest of the line from `at` on, if it is not a string.
pub(super) fn line(text: &[u8], at: usize) -> Option<Range<usize>> {
    let near = &text[at..text.len().min(at + MAX_VALUE_BYTES)];
    let len = memchr::memchr(b'\n', near).unwrap_or(near.len());
    let len = near[..len].trim_ascii_end().len();
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
