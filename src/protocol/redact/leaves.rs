//! Iterates over the strings and numbers of a JSON text, and decodes strings. Never recurses, and allocates only for
//! strings with escapes.

use std::borrow::Cow;
use std::ops::Range;

use crate::formats::json;
use crate::sanitize::secrets::Finding;

/// The kind of a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The name of a member.
    Name,
    /// A string.
    String,
    /// A number.
    Number,
}

/// A name, a string or a number.
#[derive(Debug, Clone)]
pub(super) struct Leaf<'a> {
    /// Its place, quotes included.
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
    /// The last name before it, as it is written, without its quotes.
    pub(super) name: &'a str,
}

/// Walks over the leaves of a part of a valid JSON text.
pub(super) struct Leaves<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    name: &'a str,
}

impl<'a> Leaves<'a> {
    pub(super) fn new(text: &'a str, range: Range<usize>) -> Self {
        Self { text, at: range.start, end: range.end.min(text.len()), name: "" }
    }
}

impl<'a> Iterator for Leaves<'a> {
    type Item = Leaf<'a>;

    fn next(&mut self) -> Option<Leaf<'a>> {
        let bytes = self.text.as_bytes();
        while self.at < self.end {
            let start = self.at;
            match bytes[start] {
                b'"' => {
                    let end = json::string_end(bytes, start, b'"').map_or(self.end, |end| end.min(self.end));
                    self.at = end;
                    let behind = bytes[end..self.end].iter().find(|b| !b.is_ascii_whitespace());
                    let kind = if behind == Some(&b':') { Kind::Name } else { Kind::String };
                    if kind == Kind::Name {
                        self.name = self.text.get(start + 1..end - 1).unwrap_or_default();
                    }
                    return Some(Leaf { range: start..end, kind, name: self.name });
                }
                b'-' | b'0'..=b'9' => {
                    let is_number = |b: &u8| b.is_ascii_digit() || b"+-.eE".contains(b);
                    let len = bytes[start..self.end].iter().take_while(|b| is_number(b)).count();
                    self.at = start + len;
                    return Some(Leaf { range: start..self.at, kind: Kind::Number, name: self.name });
                }
                _ => self.at += 1,
            }
        }
        None
    }
}

/// The decoded string at `range`, and those findings that touch it, as ranges of the decoded string.
pub(super) fn value<'a>(
    text: &'a str,
    range: &Range<usize>,
    over: &[&Finding],
) -> (Cow<'a, str>, Vec<(Range<usize>, &'static str)>) {
    let inner = range.start + 1..range.end - 1;
    let raw = text.get(inner.clone()).unwrap_or_default();
    let clipped = |f: &&Finding| {
        let start = f.start.max(inner.start) - inner.start;
        (start..f.end.min(inner.end).saturating_sub(inner.start).max(start), f.rule)
    };
    let found = over.iter().map(clipped).filter(|(range, _)| !range.is_empty());
    if memchr::memchr(b'\\', raw.as_bytes()).is_none() {
        return (raw.into(), found.collect());
    }
    let found: Vec<_> = found.collect();
    let (value, steps) = unescaped(raw);
    let found = found.into_iter().map(|(range, rule)| (place(&steps, range), rule)).collect();
    (value.into(), found)
}

/// An escape: its range in the text as written, and the range of its character in the decoded string.
struct Step {
    written: Range<usize>,
    said: Range<usize>,
}

/// Decodes a string with escapes. Halves of surrogate pairs become U+FFFD.
fn unescaped(raw: &str) -> (String, Vec<Step>) {
    let bytes = raw.as_bytes();
    let (mut out, mut steps, mut at) = (String::with_capacity(raw.len()), Vec::new(), 0);
    while let Some(n) = memchr::memchr(b'\\', &bytes[at..]) {
        out.push_str(&raw[at..at + n]);
        let start = at + n;
        let from = out.len();
        // The text is valid JSON, so an escape that cannot be decoded is half a surrogate pair.
        let (decoded, end) = json::decoded_escape(bytes, start).unwrap_or((None, start + 1));
        out.push(decoded.unwrap_or(char::REPLACEMENT_CHARACTER));
        at = end;
        steps.push(Step { written: start..at, said: from..out.len() });
    }
    out.push_str(&raw[at..]);
    (out, steps)
}

/// The range of the decoded string for a range of the written one; a range that cuts an escape includes the whole
/// character.
fn place(steps: &[Step], range: Range<usize>) -> Range<usize> {
    let at = |offset: usize, is_end: bool| {
        let before = steps.partition_point(|step| step.written.start < offset);
        let Some(step) = before.checked_sub(1).map(|i| &steps[i]) else { return offset };
        match offset < step.written.end {
            true if is_end => step.said.end,
            true => step.said.start,
            false => step.said.end + (offset - step.written.end),
        }
    };
    at(range.start, false)..at(range.end, true)
}
