//! What a line of a record is about: its key, or its first word that is not a number.

use crate::pipeline::limit::candidate::digest;
use crate::text::judge::{self, number};
use crate::text::maps::Map;
use crate::text::source::Source;

/// The form of a line without text.
pub(super) const BLANK: u64 = 0;
/// Bytes at the start of a line that are read.
const MAX_BYTES: usize = 256;
/// The longest key, in bytes.
const MAX_KEY_BYTES: usize = 48;
/// The most words that are searched for the one that a line is about.
const MAX_WORDS: usize = 4;
/// The most lines of one form in one record that are distinguished.
const MAX_NTH: u32 = 64;

/// The form of a line, and its position among the lines of this form in its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Slot {
    form: u64,
    nth: u32,
}

impl Slot {
    pub(super) fn is_blank(self) -> bool {
        self.form == BLANK
    }
}

/// The slots of all lines from the first record on. A line with only numbers is about the same as the line above it.
pub(super) fn numbered(source: &Source<'_>, forms: &[u64], starts: &[usize]) -> Vec<Slot> {
    let mut seen: Map<u64, u32> = Map::default();
    let mut next = starts.iter().peekable();
    let mut above = BLANK;
    let mut out = Vec::new();
    for (line, &form) in forms.iter().enumerate().skip(starts[0]) {
        crate::stop::tick();
        if next.next_if_eq(&&line).is_some() {
            seen.clear();
        }
        let is_numbers = form != BLANK && only_numbers(source.line(line));
        let form = if is_numbers { digest(&above.to_le_bytes(), 1) } else { form };
        above = form;
        let nth = seen.entry(form).or_default();
        out.push(Slot { form, nth: *nth });
        *nth = (*nth + 1).min(MAX_NTH);
    }
    out
}

/// A digest of the indentation of a line and what it is about, without digits and ids.
pub(super) fn form(line: &str) -> u64 {
    form_without(line, "")
}

/// The form of a line of a record, without the name of its record.
pub(super) fn form_without(line: &str, name: &str) -> u64 {
    let text = start(line);
    if text.is_empty() {
        return BLANK;
    }
    let about = match key(text) {
        Some(key) => key,
        None => word(text, name),
    };
    let is_word = |at: &usize| {
        let is_part = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let bytes = about.as_bytes();
        !is_part(at.checked_sub(1).and_then(|before| bytes.get(before)))
            && !is_part(bytes.get(at + name.len()))
    };
    let found =
        if name.is_empty() { None } else { about.match_indices(name).map(|(at, _)| at).find(is_word) };
    let (before, behind) = found.map_or((about, ""), |at| (&about[..at], &about[at + name.len()..]));
    let mut kept = [0; MAX_BYTES];
    let mut len = 0;
    for part in [before, behind] {
        for run in part.as_bytes().chunk_by(|a, b| a.is_ascii_alphanumeric() == b.is_ascii_alphanumeric()) {
            if judge::is_id(run) {
                continue;
            }
            for byte in run.iter().filter(|b| !b.is_ascii_digit()) {
                kept[len] = *byte;
                len += 1;
            }
        }
    }
    // Never 0, which is the form of a blank line.
    digest(&kept[..len], indent(line)).max(1)
}

/// The number of a task whose lines are interleaved with those of others, at the start of a line: `#17` of `#17 DONE 0.3s`.
pub(super) fn tag(line: &str) -> Option<&str> {
    let tag = line.split_once(' ')?.0;
    let digits = tag.strip_prefix('#')?;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(tag)
}

/// A line without its tag.
pub(super) fn untagged(line: &str) -> &str {
    tag(line).map_or(line, |tag| &line[tag.len() + 1..])
}

/// Whether a line is a comment without text, as above and below a title: it does not start a record.
pub(super) fn is_empty_comment(line: &str) -> bool {
    matches!(line.trim(), "--" | "#" | "//" | "*" | ";" | "##")
}

/// The first word of a line that is not a number.
pub(super) fn title(line: &str) -> &str {
    word(start(line), "")
}

/// Whether a line has a key: `Exit Code:  137`.
pub(super) fn has_key(line: &str) -> bool {
    key(start(line)).is_some()
}

/// Whether a line may be the heading of columns: two words or more, and no digits.
pub(super) fn is_heading(line: &str) -> bool {
    let line = line.trim();
    line.split_ascii_whitespace().nth(1).is_some() && !line.bytes().any(|b| b.is_ascii_digit())
}

/// Whether a line ends with something other than a number: if all lines of a slot differ, they name their records.
pub(super) fn is_name(line: &str) -> bool {
    let last = start(line).split_ascii_whitespace().next_back().unwrap_or_default();
    number(last.as_bytes()).is_none()
}

/// The number of blanks and tabs before a line.
pub(super) fn indent(line: &str) -> usize {
    line.bytes().take(MAX_BYTES).take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// The part of a line that is read.
fn start(line: &str) -> &str {
    line[..line.floor_char_boundary(MAX_BYTES)].trim()
}

/// The text before a colon that is followed by a blank or by nothing.
fn key(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let is_end = |at: &usize| bytes.get(at + 1).is_none_or(|b| matches!(b, b' ' | b'\t'));
    let colon = memchr::memchr_iter(b':', &bytes[..bytes.len().min(MAX_KEY_BYTES)]).find(is_end)?;
    Some(&text[..colon])
}

/// The first word with a letter, other than `name`; but the first word if it has neither a letter nor a leading digit,
/// as `#3` or `->`.
fn word<'a>(text: &'a str, name: &str) -> &'a str {
    let first = text.split_ascii_whitespace().next().unwrap_or_default();
    if !first.bytes().any(|b| b.is_ascii_alphabetic()) && !first.starts_with(|c: char| c.is_ascii_digit()) {
        return first;
    }
    // A level in brackets is at the start of many lines: `[INFO]`.
    let is_level = |word: &str| word.starts_with('[') && word.ends_with(']');
    let skipped = usize::from(is_level(first));
    let words = text.split_ascii_whitespace().skip(skipped).take(MAX_WORDS);
    let is_word = |word: &&str| number(word.as_bytes()).is_none() && (name.is_empty() || *word != name);
    words
        .filter(is_word)
        .find(|word| word.bytes().any(|b| b.is_ascii_alphabetic()) || !word.is_ascii())
        .unwrap_or_default()
}

fn only_numbers(line: &str) -> bool {
    start(line).split_ascii_whitespace().all(|word| number(word.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lines_are_about() {
        let same = |a: &str, b: &str| form(a) == form(b);
        for (a, b) in [
            ("2: eth0: <UP>", "13: veth1@if2: <DOWN>"),
            ("  5 Reallocated_Sector_Ct 0x33 200", "  5 Reallocated_Sector_Ct 0x33 1"),
            ("    Exit Code:    137", "    Exit Code:    0"),
            ("#0  0x7f in a ()", "#3  wait (b=1)"),
            ("   ->  Index Scan using a", "   ->  Seq Scan on b"),
            ("Thread 1 (Thread 0x7f6e1c00c35d (LWP 4001)):", "Thread 14 (Thread 0x7f0d238fd486 (LWP 4014)):"),
            ("rx_queue_3_bytes: 1", "rx_queue_21_bytes: 0"),
            ("[INFO] |  \\- com.x:core:jar:2.15.3", "[INFO] |  \\- com.x:core:jar:2.15.0"),
        ] {
            assert!(same(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("Name: a", "  Name: a"),
            ("Status: up", "State: up"),
            ("12 a", "12 b"),
            ("[INFO] a b", "[INFO] b b"),
            ("", "a"),
        ] {
            assert!(!same(a, b), "{a} {b}");
        }
        // The name of the record is left out as a word, not as a part of one.
        assert!(form_without("tar is slow", "tar") == form_without("qs is slow", "qs"));
        assert!(form_without("Starting: 1", "tar") == form("Starting: 1"));
        assert!(has_key("Exit Code: 1") && !has_key("at 12:00 a") && only_numbers(" 1 2.5 0"));
        assert!(is_name("Serial: A12") && !is_name("Hours: 812") && is_heading("RX: bytes packets"));
    }
}
