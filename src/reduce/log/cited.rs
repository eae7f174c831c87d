//! Values that one record shares with another, such as the number of an order that an earlier record accepted and a
//! later one could not reserve. A record that would be left out with its form is kept if a severe record or the
//! request names one of its values, or if it names a commit.

use std::collections::{HashMap, HashSet};

use super::layout::Level;
use super::mask;
use super::record::{self, Record};
use crate::text::source::Source;

/// Shortest and longest value, in bytes. A choice: shorter ones are equal by chance.
const VALUE_BYTES: std::ops::RangeInclusive<usize> = 3..=64;
/// Fewest digits of a number. A choice: shorter ones are equal by chance.
const MIN_DIGITS: usize = 4;
/// Most records that share a value. A choice: a value of more records, such as a port or a host, distinguishes none.
const MAX_SHARED_RECORDS: usize = 8;
/// Most values that are searched for. Bounds time and memory.
const MAX_VALUES: usize = 1024;
/// Digits of the full hash of a commit (SHA-1), which needs no word before it.
const COMMIT_HASH_DIGITS: usize = 40;
/// Words before the hash of a commit.
const COMMIT: &[&[u8]] = &[b"commit", b"sha", b"rev", b"revision", b"HEAD", b"ref", b"checkout"];

/// The records in `gone` that are kept after all.
pub fn stay(source: &Source<'_>, records: &[Record], gone: &[usize], query: Option<&str>) -> HashSet<usize> {
    let mut cited: HashSet<&[u8]> = HashSet::new();
    for record in records.iter().filter(|r| r.level >= Level::Error) {
        if cited.len() >= MAX_VALUES {
            break;
        }
        let head = record::message(source.line(record.lines.start).as_bytes(), record.head);
        for i in record.lines.clone() {
            let from = if i == record.lines.start { head } else { 0 };
            values(&source.line(i).as_bytes()[from..], |value| {
                cited.insert(value);
            });
        }
    }
    values(query.unwrap_or_default().as_bytes(), |value| {
        cited.insert(value);
    });
    let mut stay = HashSet::new();
    let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for &i in gone {
        let line = source.line(records[i].lines.start).as_bytes();
        let message = &line[record::message(line, records[i].head)..];
        if names_commit(message) {
            stay.insert(i);
        } else if !cited.is_empty() {
            values(message, |value| {
                if cited.contains(value) {
                    let at = places.entry(value).or_default();
                    if at.last() != Some(&i) && at.len() <= MAX_SHARED_RECORDS {
                        at.push(i);
                    }
                }
            });
        }
    }
    stay.extend(places.into_values().filter(|at| at.len() <= MAX_SHARED_RECORDS).flatten());
    stay
}

/// The words with digits, except times, durations, ids of processes and the like.
fn values<'a>(text: &'a [u8], mut each: impl FnMut(&'a [u8])) {
    let mut masked = Vec::new();
    for (at, word) in words(text) {
        let before = text[..at].last();
        if VALUE_BYTES.contains(&word.len())
            && word.iter().any(u8::is_ascii_digit)
            // A status, an error number.
            && !(word.len() < MIN_DIGITS && word.iter().all(u8::is_ascii_digit))
            && !word.starts_with(b"HTTP/")
            // A part of a larger word, such as the minutes of a time.
            && !matches!(before, Some(b':'))
        {
            masked.clear();
            mask::strict(word, None, &mut masked);
            if masked == word {
                each(word);
            }
        }
    }
}

/// Whether a text names a commit by its hash.
fn names_commit(text: &[u8]) -> bool {
    let mut last: &[u8] = b"";
    for (_, word) in words(text) {
        let is_hash = matches!(word.len(), 7..=12 | COMMIT_HASH_DIGITS)
            && word.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            && word.iter().any(u8::is_ascii_digit);
        if is_hash
            && (word.len() == COMMIT_HASH_DIGITS || COMMIT.iter().any(|c| last.eq_ignore_ascii_case(c)))
        {
            return true;
        }
        last = word;
    }
    false
}

/// Runs of letters, digits and what joins them in a name, with their places.
fn words(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let is_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/');
        at += text[at..].iter().position(is_word)?;
        let start = at;
        at += text[at..].iter().take_while(|b| is_word(b)).count();
        let word = &text[start..at];
        let end = word.iter().rposition(|b| b.is_ascii_alphanumeric()).map_or(0, |i| i + 1);
        Some((start, &word[..end]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut out = Vec::new();
        values(text.as_bytes(), |value| out.push(std::str::from_utf8(value).unwrap()));
        out
    }

    #[test]
    fn values_are_words_with_digits() {
        assert_eq!(
            found("HTTP/2.0 502: order 1047 of c-149 failed, took 12ms at 10:00:31."),
            ["1047", "c-149"]
        );
        assert_eq!(found("no 7 at all"), [""; 0]);
    }

    #[test]
    fn commits_are_named_by_their_hash() {
        assert!(names_commit(b"deployed commit 1a2b3c4 to web"));
        assert!(names_commit(b"HEAD: 0123456789abcdef0123456789abcdef01234567"));
        assert!(names_commit(b"deployed 0123456789abcdef0123456789abcdef01234567"));
        assert!(!names_commit(b"commit deadbeef: no digit"));
        assert!(!names_commit(b"container 1a2b3c4d5e6f started"));
    }
}
