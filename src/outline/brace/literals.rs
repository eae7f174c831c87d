//! Finds the ends of strings and other literals on a line, and detects a start inside a comment or page.

/// Whether the lines start inside a block comment: a line that ends one comes before any that opens one.
pub(super) fn starts_in_comment(lines: &[&str]) -> bool {
    for line in lines {
        let (bytes, text) = (line.as_bytes(), line.trim());
        let end = memchr::memmem::find(bytes, b"*/").unwrap_or(bytes.len());
        if memchr::memmem::find(&bytes[..end], b"/*").is_some() || text.starts_with("//") {
            return false;
        }
        if end < bytes.len() {
            return text.starts_with('*') || text.ends_with("*/");
        }
        if text.ends_with(['{', ';', '}']) && !text.starts_with('*') {
            return false;
        }
    }
    false
}

/// Whether the lines start outside `<?php … ?>`.
pub(super) fn starts_in_page(lines: &[&str]) -> bool {
    for line in lines {
        match (memchr::memmem::find(line.as_bytes(), b"<?"), memchr::memmem::find(line.as_bytes(), b"?>")) {
            (Some(open), Some(close)) => return open < close,
            (Some(_), None) => return true,
            (None, Some(_)) => return false,
            (None, None) => {}
        }
    }
    false
}

/// Where a string on one line ends, after its quote.
pub(super) fn line_text_end(bytes: &[u8], start: usize, quote: u8) -> Option<usize> {
    text_end(bytes, start + 1, &[quote], true)
}

/// The end, after its closing text, of a string that continues at `at`.
pub(super) fn text_end(bytes: &[u8], mut at: usize, end: &[u8], escapes: bool) -> Option<usize> {
    let first = *end.first()?;
    while let Some(found) = memchr::memchr2(first, b'\\', bytes.get(at..)?) {
        let i = at + found;
        if bytes[i] == b'\\' && first != b'\\' {
            at = i + if escapes { 2 } else { 1 };
        } else if !escapes && end == b"\"" && bytes.get(i + 1) == Some(&b'"') {
            // In a verbatim string, two quotes mean one.
            at = i + 2;
        } else if bytes[i..].starts_with(end) {
            return Some(i + end.len());
        } else {
            at = i + 1;
        }
    }
    None
}

/// Where a character literal of C ends; `None` for a stray quote.
pub(super) fn char_end(bytes: &[u8], start: usize) -> Option<usize> {
    line_text_end(bytes, start, b'\'').filter(|end| end - start <= 16)
}

/// Where a character literal or a lifetime of Rust ends.
pub(super) fn lifetime_end(bytes: &[u8], start: usize) -> usize {
    let Some(next) = bytes.get(start + 1) else { return start + 1 };
    if *next == b'\\' {
        return line_text_end(bytes, start, b'\'').unwrap_or(start + 1);
    }
    let width = match next {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    };
    if bytes.get(start + 1 + width) == Some(&b'\'') { start + width + 2 } else { start + 1 }
}

/// Where a regular expression literal ends, after its flags; `None` when the line does not close it.
pub(super) fn regex_end(bytes: &[u8], start: usize) -> Option<usize> {
    const MAX_LITERAL_BYTES: usize = 1000;
    let bytes = bytes.get(..bytes.len().min(start + MAX_LITERAL_BYTES))?;
    let (mut at, mut class) = (start + 1, false);
    loop {
        match bytes.get(at)? {
            b'\\' => at += 1,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => break,
            _ => {}
        }
        at += 1;
    }
    Some(at + 1 + bytes[at + 1..].iter().take_while(|b| b.is_ascii_alphabetic()).count())
}
