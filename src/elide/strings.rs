//! Cuts a long string, and keeps its head, its tail, failure reports and text that the request asks for.
//!
//! Works on the string as written, with escapes; no cut splits an escape. Counts are characters as a reader of the string
//! would count them.

use std::collections::HashSet;
use std::ops::Range;

use crate::text::marker::{Marker, Unit};
use crate::text::reason::Reason;
use crate::text::relevance::Relevance;

/// Shortest run of base64 that is removed, in bytes. A choice: keys and hashes are shorter.
const MIN_BASE64_BYTES: usize = 512;
/// Longest line that counts as one piece, in bytes.
const MAX_PIECE_BYTES: usize = 400;
/// Bytes that are shown around a failure. A choice: about a line.
const CONTEXT_BYTES: usize = 120;
/// Smaller gaps, in bytes, are not worth a marker.
const MIN_GAP_BYTES: usize = 120;
/// Larger middles, in bytes, are not searched for the request.
const MAX_SEARCHED_BYTES: usize = 1 << 20;

/// The escape syntax of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escapes {
    /// A backslash, as in JSON.
    Backslash,
    /// None, or references such as `&amp;`, which are not split.
    References,
}

/// A string as shown, and the bytes left out.
#[derive(Debug, PartialEq, Eq)]
pub struct Cut {
    /// The text with its markers.
    pub text: String,
    /// Bytes not shown.
    pub omitted: usize,
}

/// Cuts the string in `raw` to about `limit` characters; `None` if it stays whole. `fixed` are ranges of `raw`, in order,
/// that stay.
pub fn cut(
    raw: &str,
    limit: usize,
    fixed: &[Range<usize>],
    about: &Relevance,
    escapes: Escapes,
) -> Option<Cut> {
    if raw.len() <= limit.max(MIN_GAP_BYTES) {
        return None;
    }
    if let Some(run) = encoded(raw).filter(|_| fixed.is_empty()) {
        let count = run.len();
        let mut text = raw[..run.start].to_owned();
        text.push_str(&marker(count, count, Reason::EncodedString));
        text.push_str(&raw[run.end..]);
        return Some(Cut { text, omitted: count });
    }
    let total = length(raw, escapes);
    if total <= limit {
        return None;
    }
    let head = line_end(raw, place(raw, 0, limit / 2, escapes));
    let tail = tail_start(raw, limit / 4, escapes).max(head);
    let mut windows: Vec<Range<usize>> = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    for range in fixed {
        let start = range.start.saturating_sub(CONTEXT_BYTES).max(line_before(raw, range.start));
        let end = (range.end + CONTEXT_BYTES).min(line_after(raw, range.end));
        let window = safe(raw, start, escapes)..safe(raw, end.min(raw.len()), escapes).max(range.end);
        if seen.insert(&raw[window.clone()]) {
            windows.push(window);
        }
    }
    windows.extend(asked_for(raw, head..tail, limit / 4, about, escapes));
    windows.push(0..head);
    windows.push(tail..raw.len());
    windows.sort_by_key(|w| (w.start, w.end));
    Some(write(raw, &windows, total, escapes)).filter(|cut| cut.text.len() < raw.len())
}

/// The kept windows, with a marker for each gap.
fn write(raw: &str, windows: &[Range<usize>], total: usize, escapes: Escapes) -> Cut {
    let mut out = Cut { text: String::new(), omitted: 0 };
    let mut at = 0;
    for window in windows {
        if window.start > at {
            let gap = &raw[at..window.start];
            if gap.len() < MIN_GAP_BYTES {
                out.text.push_str(gap);
            } else {
                out.text.push_str(&marker(length(gap, escapes), total, Reason::LongString));
                out.omitted += gap.len();
            }
        }
        let start = window.start.max(at);
        out.text.push_str(raw.get(start..window.end).unwrap_or_default());
        at = at.max(window.end);
    }
    out
}

fn marker(count: usize, of: usize, reason: Reason) -> String {
    let reason = reason.code().to_owned();
    Marker::Parts { count, of, unit: Unit::Characters, reason, names: None }.write()
}

/// The run of base64 at the end of a string, if little but `data:…;base64,` precedes it.
fn encoded(raw: &str) -> Option<Range<usize>> {
    let bytes = raw.as_bytes();
    let is_code = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'_' | b'-');
    let start = match memchr::memmem::find(&bytes[..bytes.len().min(200)], b";base64,") {
        Some(at) if raw.starts_with("data:") => at + 8,
        _ => 0,
    };
    let len = bytes[start..].iter().take_while(|b| is_code(b)).count();
    let run = &bytes[start..start + len];
    let kinds = [u8::is_ascii_digit, u8::is_ascii_uppercase, u8::is_ascii_lowercase];
    // Hexadecimal digits and capitalised words lack one kind; paths have a slash every few letters.
    let mixed = kinds.iter().all(|kind| run.iter().filter(|b| kind(b)).count() * 20 > len);
    let joints = run.iter().filter(|b| matches!(b, b'/' | b'-' | b'_')).count();
    (start + len == bytes.len() && len >= MIN_BASE64_BYTES && mixed && joints * 12 < len)
        .then_some(start..start + len)
}

/// The lines of the middle that match the request best, of about `limit` bytes together.
fn asked_for(
    raw: &str,
    middle: Range<usize>,
    limit: usize,
    about: &Relevance,
    escapes: Escapes,
) -> Vec<Range<usize>> {
    if about.is_empty() || middle.len() > MAX_SEARCHED_BYTES || middle.len() < MIN_GAP_BYTES {
        return Vec::new();
    }
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let mut at = middle.start;
    while at < middle.end {
        let end =
            safe(raw, line_after(raw, at + 1).min(at + MAX_PIECE_BYTES).min(middle.end), escapes).max(at + 1);
        let end = raw.ceil_char_boundary(end);
        pieces.push(at..end);
        at = end;
    }
    let texts: Vec<&str> = pieces.iter().map(|piece| &raw[piece.clone()]).collect();
    let scores = about.scores_of(&texts);
    let best = scores.iter().copied().max().unwrap_or(0);
    let mut order: Vec<usize> =
        (0..pieces.len()).filter(|&i| scores[i] > 0 && scores[i] * 2 >= best).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(scores[i]));
    let mut left = limit;
    let mut out = Vec::new();
    for i in order {
        let Some(rest) = left.checked_sub(pieces[i].len()) else { break };
        left = rest;
        out.push(pieces[i].clone());
    }
    out
}

/// Characters of a string; an escape counts as one.
pub fn length(raw: &str, escapes: Escapes) -> usize {
    let chars = if raw.is_ascii() { raw.len() } else { raw.chars().count() };
    if escapes == Escapes::References || memchr::memchr(b'\\', raw.as_bytes()).is_none() {
        return chars;
    }
    let bytes = raw.as_bytes();
    let mut more = 0;
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'\\', &bytes[at..]) {
        let len = escape_length(&bytes[at + next..]);
        // The second half of a surrogate pair belongs to the first one's character.
        let half = bytes[at + next..].get(2).is_some_and(|b| matches!(b, b'd' | b'D'))
            && bytes[at + next..].get(3).is_some_and(|b| matches!(b, b'c'..=b'f' | b'C'..=b'F'));
        more += len - usize::from(!(len == 6 && half));
        at = (at + next + len).min(bytes.len());
    }
    chars.saturating_sub(more)
}

fn escape_length(bytes: &[u8]) -> usize {
    let is_wide = bytes.get(1) == Some(&b'u')
        && bytes.get(2..6).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
    if is_wide { 6 } else { 2 }.min(bytes.len())
}

/// The offset `count` characters after `from`.
fn place(raw: &str, from: usize, count: usize, escapes: Escapes) -> usize {
    // Characters have at least one byte, so this is close enough.
    safe(raw, (from + count).min(raw.len()), escapes)
}

fn tail_start(raw: &str, count: usize, escapes: Escapes) -> usize {
    let start = raw.len().saturating_sub(count);
    let line = line_after(raw, start);
    safe(raw, if line < start + count / 4 { line } else { start }, escapes)
}

/// The end of the previous line, if it is near.
fn line_end(raw: &str, at: usize) -> usize {
    let line = line_before(raw, at);
    if line > at - at / 4 { line } else { at }
}

/// The start of the line that contains `at`: after a line end or its escape.
fn line_before(raw: &str, at: usize) -> usize {
    let before = &raw.as_bytes()[..at];
    let plain = memchr::memrchr(b'\n', before).map_or(0, |i| i + 1);
    let near = &before[plain.max(at.saturating_sub(4 * MAX_PIECE_BYTES))..];
    memchr::memmem::rfind(near, b"\\n").map_or(plain, |i| at - near.len() + i + 2)
}

/// The start of the next line from `at` on, or the end.
fn line_after(raw: &str, at: usize) -> usize {
    let bytes = raw.as_bytes();
    let rest = bytes.get(at..).unwrap_or_default();
    let near = &rest[..rest.len().min(4 * MAX_PIECE_BYTES)];
    let plain = memchr::memchr(b'\n', near).map(|i| at + i + 1);
    let escaped = memchr::memmem::find(near, b"\\n").map(|i| at + i + 2);
    plain.into_iter().chain(escaped).min().unwrap_or(bytes.len())
}

/// The last offset up to `at` that is between characters and outside of escapes.
fn safe(raw: &str, at: usize, escapes: Escapes) -> usize {
    let mut at = raw.floor_char_boundary(at);
    let bytes = raw.as_bytes();
    match escapes {
        Escapes::Backslash => {
            // Inside `\u1234`, or between the halves of a pair of them.
            for _ in 0..2 {
                let near = at.saturating_sub(6);
                for start in (near..at).rev() {
                    if bytes[start] == b'\\' && is_escape_start(bytes, start) {
                        let end = start + escape_length(&bytes[start..]);
                        let is_high = end - start == 6
                            && matches!(bytes[start + 2], b'd' | b'D')
                            && matches!(bytes[start + 3], b'8' | b'9' | b'a' | b'b' | b'A' | b'B');
                        if end > at || (is_high && end == at) {
                            at = start;
                        }
                        break;
                    }
                }
            }
        }
        Escapes::References => {
            let near = at.saturating_sub(12);
            if let Some(i) = memchr::memrchr(b'&', &bytes[near..at])
                && memchr::memchr(b';', &bytes[near + i..at]).is_none()
            {
                at = near + i;
            }
        }
    }
    at
}

/// Whether a backslash starts an escape, and is not itself escaped.
fn is_escape_start(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].iter().rev().take_while(|b| **b == b'\\').count();
    before.is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(raw: &str, limit: usize) -> Option<Cut> {
        cut(raw, limit, &[], &Relevance::default(), Escapes::Backslash)
    }

    #[test]
    fn head_tail_and_fixed_parts_stay() {
        let raw: String = (0..500).map(|i| format!("line {i} is fine\\n")).collect();
        let at = raw.find("line 250 ").unwrap();
        let fixed = at..at + 8;
        let cut =
            cut(&raw, 1000, std::slice::from_ref(&fixed), &Relevance::default(), Escapes::Backslash).unwrap();
        assert!(
            cut.text.starts_with("line 0 is") && cut.text.ends_with("line 499 is fine\\n"),
            "{}",
            cut.text
        );
        assert!(cut.text.contains("line 250 is fine\\n") && cut.text.len() < 1300, "{}", cut.text);
        let shown: usize =
            cut.text
                .split("[tersed: omitted ")
                .skip(1)
                .map(|rest| {
                    assert!(rest.contains(&format!(
                        " of {} characters, long_string]",
                        length(&raw, Escapes::Backslash)
                    )));
                    rest.split(' ').next().unwrap().parse::<usize>().unwrap()
                })
                .sum();
        let rest: String =
            regex::Regex::new(r"\[tersed[^\]]*\]").unwrap().replace_all(&cut.text, "").into_owned();
        assert_eq!(length(&rest, Escapes::Backslash) + shown, length(&raw, Escapes::Backslash));
    }

    #[test]
    fn what_was_asked_for_stays() {
        let raw: String =
            (0..500).map(|i| format!("line {i} says word{}\\n", "abcdefgh".repeat(1 + i % 3))).collect();
        let raw = raw.replace("line 300 says", "line 300 holds the parse_header");
        let about = Relevance::new(Some("parse_header"), &[], &[]);
        let cut = cut(&raw, 1000, &[], &about, Escapes::Backslash).unwrap();
        assert!(cut.text.contains("line 300 holds the parse_header"), "{}", cut.text);
    }

    #[test]
    fn base64_is_counted() {
        let code = "aB3/".repeat(300).replace("/aB3/", "xYz9Q");
        let cut = plain(&format!("data:image/png;base64,{code}"), 1000).unwrap();
        assert_eq!(
            cut.text,
            format!(
                "data:image/png;base64,[tersed: omitted {0} of {0} characters, encoded_string]",
                code.len()
            )
        );
        let path = "/usr/lib/Python3".repeat(100);
        assert!(plain(&path, 1000).unwrap().text.contains("long_string"));
    }

    proptest! {
        #[test]
        fn what_is_cut_is_still_a_string(pieces in proptest::collection::vec(prop_oneof![
            "[a-z ]{1,30}", Just("\\n".to_owned()), Just("\\\\".to_owned()), Just("\\\"".to_owned()),
            Just("\\ud83d\\ude00".to_owned()), Just("\\u00e9".to_owned()), Just("ä→😀".to_owned())
        ], 20..120), limit in 1usize..300, fixed in proptest::option::of(any::<prop::sample::Index>())) {
            let raw = pieces.concat();
            let fixed: Vec<_> = fixed.map(|at| {
                let start: usize = pieces[..at.index(pieces.len())].iter().map(String::len).sum();
                start..start + pieces[at.index(pieces.len())].len()
            }).into_iter().collect();
            if let Some(cut) = cut(&raw, limit, &fixed, &Relevance::default(), Escapes::Backslash) {
                let back: Result<String, _> = serde_json::from_str(&format!("\"{}\"", cut.text));
                prop_assert!(back.is_ok(), "{}", cut.text);
                let whole: String = serde_json::from_str(&format!("\"{raw}\"")).unwrap();
                prop_assert_eq!(length(&raw, Escapes::Backslash), whole.chars().count());
                for range in fixed {
                    prop_assert!(cut.text.contains(&raw[range]));
                }
            }
        }
    }
}
