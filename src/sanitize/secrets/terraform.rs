//! Values of Terraform's state: the results of `random_password`, and attributes of a resource with sensitive
//! attributes.
//!
//! Each byte is read once for each of the two. It does not parse the state as a whole.

use super::judge::{self, skip};
use super::scan::Scan;
use super::shapes::operator;
use super::table::Rule;
use std::ops::Range;

/// How far a result may be from the type of its resource, in bytes.
const FORWARD_BYTES: usize = 4 << 10;
/// How far the attributes may begin before the list of the sensitive ones.
const BACK_BYTES: usize = 32 << 10;
/// Members that hold a random password.
const RESULTS: &[&[u8]] = &[b"result", b"bcrypt_hash"];
/// Words in the names of attributes that hold secrets.
const SECRET_WORDS: &[&str] =
    &["password", "passphrase", "secret", "private_key", "token", "access_key", "connection_string"];
/// Ends of names that only describe a secret.
const ABOUT: &[&str] =
    &["arn", "name", "id", "version", "path", "url", "length", "policy", "type", "enabled"];

/// `"type": "random_password"`: the results after it.
pub(super) fn random(scan: &mut Scan<'_>, rule: &Rule, index: u16, hit: Range<usize>) {
    let text = scan.text;
    let end = text.len().min(hit.end + FORWARD_BYTES);
    let Some(close) = memchr::memchr(b'"', &text[hit.end..text.len().min(hit.end + 64)]) else { return };
    let from = (hit.end + close + 1).max(scan.state(index).seen.end);
    if from < end {
        let read =
            members(text, from..end, |name| RESULTS.contains(&name), |value| scan.claim(rule, index, value));
        scan.state(index).seen = hit.start..read;
    }
}

/// `"sensitive_attributes"`: the attributes with names of secrets before it.
pub(super) fn attributes(scan: &mut Scan<'_>, rule: &Rule, index: u16, hit: Range<usize>) {
    let text = scan.text;
    let from = hit.start.saturating_sub(BACK_BYTES).max(scan.state(index).seen.end.min(hit.start));
    let near = &text[from..hit.start];
    scan.state(index).seen = from..hit.end;
    let Some(start) = memchr::memmem::rfind(near, b"\"attributes\"") else { return };
    let telling = |name: &[u8]| {
        SECRET_WORDS.iter().any(|word| judge::contains(name, word))
            && !ABOUT.iter().any(|end| name.ends_with(end.as_bytes()))
    };
    members(text, from + start..hit.start, telling, |value| scan.claim(rule, index, value));
}

/// Calls `found` with the strings of the members that `telling` accepts. Returns the position at which it stopped,
/// between two strings.
fn members(
    text: &[u8],
    range: Range<usize>,
    telling: impl Fn(&[u8]) -> bool,
    mut found: impl FnMut(Range<usize>),
) -> usize {
    let blank = const { judge::ByteSet::parse(" \t\r\n") };
    let mut at = range.start;
    while let Some(n) = memchr::memchr(b'"', &text[at..range.end]) {
        let open = at + n + 1;
        let Some(close) = string_end(text, open, range.end) else { return range.end };
        at = close + 1;
        let Some(from) = operator(text, skip(text, at, blank, 8)).map(|from| skip(text, from, blank, 8))
        else {
            continue;
        };
        if text.get(from) != Some(&b'"') {
            continue;
        }
        let Some(end) = string_end(text, from + 1, text.len().min(range.end + FORWARD_BYTES)) else {
            return range.end;
        };
        if end > from + 4 && telling(&text[open..close]) {
            found(from + 1..end);
        }
        at = end + 1;
        if at >= range.end {
            break;
        }
    }
    at
}

/// Where a string ends: before a quote that is not escaped.
fn string_end(text: &[u8], from: usize, limit: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..limit)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}
