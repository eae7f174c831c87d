//! Private keys in blocks: PEM, OpenSSH, PGP, static keys of OpenVPN (between BEGIN and END) and PuTTY (after
//! `Private-Lines`).
//!
//! The body is removed, the lines around it stay. A block without an end, as in cut output, is removed up to the first line
//! that is not key material. Code that only mentions the markers stays.

use super::hidden::strings::is_path;
use super::hidden::wrapped::is_end;
use super::judge::{ByteSet, Doubt, is_random, skip};
use super::scan::Scan;

use super::table::Rule;
use std::ops::Range;

/// Longest block, in bytes; an RSA key of 16,384 bits has 13 KB.
const MAX_BLOCK_BYTES: usize = 64 << 10;
/// Longest name between the dashes, in bytes.
const MAX_LABEL_BYTES: usize = 64;
/// A body has at least one base64 run of this length.
const MIN_RUN_BYTES: usize = 16;
/// Among program text, only runs of this length count as key material.
const MIN_RUN_IN_CODE_BYTES: usize = 40;

/// Most header and empty lines among key material; limits the work on a text full of markers.
const MAX_HEADER_LINES: usize = 8;

const BASE64: ByteSet = ByteSet::parse("a-zA-Z0-9+/=");
/// Bytes that no key block contains, however it is quoted.
const CODE: ByteSet = ByteSet::parse("(){}<>[]$@#%^&*?!~");
const SPACE: ByteSet = ByteSet::parse(" \t\r\n");

/// Examines a `-----BEGIN` or a `Private-Lines:`, and claims the key material after it.
pub(super) fn find(scan: &mut Scan<'_>, rule: &Rule, index: u16, hit: Range<usize>) {
    let text = scan.text;
    if !scan.may_read(index, hit.end) {
        return;
    }
    if text[hit.end - 1] == b':' {
        let body = skip(text, hit.end, const { ByteSet::parse(" \t0-9") }, 8);
        return claim_lines(scan, rule, index, body..text.len().min(body + MAX_BLOCK_BYTES), false);
    }
    let label = &text[hit.end..text.len().min(hit.end + MAX_LABEL_BYTES)];
    let Some(dashes) = label.windows(4).position(|w| w == b"----") else { return };
    let label = &label[..dashes];
    if !is_key(label) {
        return;
    }
    let is_hex = is_of_hex(label);
    let from = hit.end + dashes;
    let from = from + text[from..].iter().take_while(|&&b| b == b'-').count();
    let block = block_end(text, from);
    scan.add_read(index, block.0 - from);
    match block {
        (end, true) => claim_block(scan, rule, index, from..end),
        (end, false) => claim_lines(scan, rule, index, from..end, is_hex),
    }
}

/// Whether a block with this name holds a key.
fn is_key(label: &[u8]) -> bool {
    /// Labels of private keys that do not say that the key is private.
    const KEYS: &[&[u8]] = &[b"tls-crypt-v2 client key", b"tls-crypt-v2 server key"];
    label.windows(11).any(|w| w == b"PRIVATE KEY")
        || is_of_hex(label)
        || KEYS.iter().any(|key| label.windows(key.len()).any(|w| w.eq_ignore_ascii_case(key)))
}

/// Whether the lines of a block with this name are hexadecimal digits.
fn is_of_hex(label: &[u8]) -> bool {
    label.windows(11).any(|w| w.eq_ignore_ascii_case(b"STATIC KEY "))
}

/// The start of the last block of a text that is still arriving, if it is a key without its END line and contains
/// only key material so far.
pub(super) fn open(text: &[u8]) -> Option<usize> {
    /// Bytes before the word: the dashes, and what tools put before a line.
    const MAX_BEFORE_BYTES: usize = 64;
    let near = text.len().saturating_sub(MAX_BLOCK_BYTES);
    let word = near + memchr::memmem::rfind(text.get(near..)?, b"BEGIN ")?;
    let rest = text.get(word..)?;
    let line = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
    let (label, body) = rest.split_at(line);
    let before = text.get(word.saturating_sub(MAX_BEFORE_BYTES)..word)?;
    let start = word - before.len() + memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    if !before.trim_ascii_end().ends_with(b"-") || !is_key(label) {
        return None;
    }
    let mut headers = 0;
    let is_of_block = |line: &[u8]| {
        let line = line.trim_ascii();
        let is_header = line.is_empty() || line.windows(2).any(|w| w == b": ") || line.starts_with(b"#");
        headers += usize::from(is_header);
        is_header && headers <= MAX_HEADER_LINES || line.iter().all(|b| BASE64.has(*b))
    };
    body.split(|b| *b == b'\n').all(is_of_block).then_some(start)
}

/// The latest possible end of the block, and whether it is its END line.
fn block_end(text: &[u8], from: usize) -> (usize, bool) {
    let limit = text.len().min(from + MAX_BLOCK_BYTES);
    let mut at = from;
    while let Some(n) = memchr::memmem::find(&text[at..limit], b"----") {
        at += n;
        let dashes = text[at..].iter().take_while(|&&b| b == b'-').count();
        let word = text[at + dashes..].trim_ascii_start();
        if word.starts_with(b"END") {
            return (at, true);
        }
        if word.starts_with(b"BEGIN") {
            return (at, false);
        }
        at = limit.min(at + dashes);
    }
    (limit, false)
}

/// Claims the body of a block that has its END line; as one value if it is only key material.
fn claim_block(scan: &mut Scan<'_>, rule: &Rule, index: u16, body: Range<usize>) {
    let text = scan.text;
    if text[body.clone()].iter().any(|&b| CODE.has(b)) {
        for run in runs(text, body, MIN_RUN_IN_CODE_BYTES) {
            scan.claim(rule, index, run);
        }
        return;
    }
    let Some(last) = runs(text, body.clone(), 1).last() else { return };
    if runs(text, body.clone(), MIN_RUN_BYTES).next().is_none() {
        return;
    }
    let start = body_start(text, body.start).min(last.start);
    let tail = &text[start..body.end];
    // The bytes between the last newline and the END marker belong to that line: indent, number, `+`.
    let line = tail.iter().rposition(|&b| b == b'\n').filter(|n| tail.len() - n < 24);
    let mut end = line.map_or(body.end, |n| start + n);
    while end > start && !BASE64.has(text[end - 1])
        || text[start..end].ends_with(b"\\n")
        || text[start..end].ends_with(b"\\r")
    {
        end -= 1;
    }
    scan.claim(rule, index, start..end);
}

/// Claims lines from `range.start` on while they are key material, of hexadecimal digits if `is_hex`.
fn claim_lines(scan: &mut Scan<'_>, rule: &Rule, index: u16, range: Range<usize>, is_hex: bool) {
    let text = scan.text;
    let start = body_start(text, range.start).min(range.end);
    let (mut at, mut end) = (start, start);
    let mut headers = 0;
    while at < range.end && headers <= MAX_HEADER_LINES {
        let next = memchr::memchr(b'\n', &text[at..range.end]).map_or(range.end, |n| at + n + 1);
        scan.add_read(index, next - at);
        // No key line contains these bytes; in an escaped one-line block they follow the key.
        let code = text[at..next].iter().position(|&b| CODE.has(b));
        let stop = code.map_or(next, |n| at + n);
        let line = text[at..stop].trim_ascii();
        let base64 = line.iter().filter(|&&b| BASE64.has(b)).count();
        let longest = runs(text, at..stop, 1).max_by_key(Range::len).unwrap_or(at..at);
        let run = &text[longest];
        let is_digits = is_hex && run.len() >= MIN_RUN_BYTES && run.iter().all(u8::is_ascii_hexdigit);
        let is_key = (is_digits || is_key_line(run)) && base64 * 10 >= line.len() * 8;
        // The last line of a key may be short, but only after others.
        let is_last = code.is_none()
            && end > start
            && base64 == line.len()
            && !line.is_empty()
            && (line.ends_with(b"=") || is_end(line));
        if is_key || is_last {
            // Text after the last run, such as the end of a JSON string, is not key material.
            let last = runs(text, at..stop, if is_key { MIN_RUN_BYTES } else { 1 }).last();
            end = last.map_or(end, |run| run.end);
        }
        // Names and values come before the key; after it they are part of other text.
        let is_header = line.is_empty()
            || line.starts_with(b"#") && is_hex
            || end == start && line.windows(2).any(|w| w == b": ");
        if code.is_some() || !(is_key || is_header) {
            break;
        }
        headers += usize::from(!is_key);
        at = next;
    }
    if end > start {
        scan.claim(rule, index, start..end);
    }
}

/// Whether the longest run of a line is key material, and not a name, path or digest.
fn is_key_line(run: &[u8]) -> bool {
    let is_digest = run.iter().all(u8::is_ascii_hexdigit);
    run.len() >= MIN_RUN_BYTES
        && !is_digest
        && !is_path(run)
        && (run.len() >= MIN_RUN_IN_CODE_BYTES || run.ends_with(b"=") || is_random(run, Doubt::Little))
}

/// Skips the line end after the BEGIN line, plain or escaped.
fn body_start(text: &[u8], from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = &text[at..];
        if rest.starts_with(b"\\n") || rest.starts_with(b"\\r") {
            at += 2;
        } else if rest.first().is_some_and(|&b| SPACE.has(b))
            || rest.starts_with(b"\\\\")
            || rest.first() == Some(&b'\\') && rest.get(1).is_some_and(|&b| SPACE.has(b))
        {
            // Any other escape, such as one for a colour, is skipped as a whole.
            at += 1;
        } else {
            return at;
        }
    }
}

/// The runs of base64 digits of at least `shortest` bytes.
fn runs(text: &[u8], range: Range<usize>, shortest: usize) -> impl Iterator<Item = Range<usize>> {
    let mut at = range.start;
    std::iter::from_fn(move || {
        loop {
            at += text[at..range.end].iter().position(|&b| BASE64.has(b))?;
            let start = at;
            at = BASE64.run(&text[..range.end], at);
            if at - start >= shortest {
                return Some(start..at);
            }
        }
    })
}
