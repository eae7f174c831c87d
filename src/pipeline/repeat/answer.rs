//! What is new in the answer to a question that was asked before.
//!
//! If an answer that leaves lines out hid a line that is new since the last answer, a reader would think that nothing
//! changed. So the lines of the last answer are remembered by hash, and new lines are shown.

use std::hash::{BuildHasher, Hasher};

use super::dedup::pieces_without_digits;
use crate::memory::size as memory;
use crate::stop;
use crate::text::lines::trimmed_end;
use crate::text::source::Source;

/// An answer of fewer lines leaves out little; one of more is not remembered, to bound the memory.
const LINES: std::ops::RangeInclusive<usize> = 12..=8192;
/// With more new lines than this, the answer as a whole is new.
const MAX_NEW_LINES: usize = 12;
/// New lines of more bytes together are not kept.
const MAX_NEW_BYTES: usize = 4096;

/// The lines of an answer: their hashes, sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    lines: Box<[u32]>,
    /// The same lines without their digits: in a log, every line has another time.
    without_digits: Box<[u32]>,
}

impl Answer {
    /// The answer of these texts; `None` if it is too short or too long.
    pub(in crate::pipeline) fn of(sources: &[Source<'_>]) -> Option<Self> {
        let count: usize = sources.iter().map(Source::len).sum();
        if !LINES.contains(&count) {
            return None;
        }
        let sorted = |hash: fn(&str) -> u32| {
            let mut hashes: Vec<u32> = sources
                .iter()
                .flat_map(|source| (0..source.len()).map(|i| hash(source.view().text(source.raw(i), i))))
                .collect();
            hashes.sort_unstable();
            hashes.dedup();
            hashes.into_boxed_slice()
        };
        Some(Self { lines: sorted(hash), without_digits: sorted(hash_without_digits) })
    }

    /// The few lines of a text that this answer does not have. If nearly all lines differ, but only in numbers, these
    /// are the lines that differ in more than numbers.
    pub(crate) fn new_lines(&self, source: &Source<'_>) -> Vec<u32> {
        let new = |known: &[u32], hash: fn(&str) -> u32| {
            let is_new = |i: &usize| {
                stop::check_sometimes();
                let line = source.view().text(source.raw(*i), *i);
                line.bytes().any(|b| b.is_ascii_alphanumeric() || b >= 0x80)
                    && known.binary_search(&hash(line)).is_err()
            };
            (0..source.len()).filter(is_new).take(MAX_NEW_LINES + 1).collect::<Vec<_>>()
        };
        let mut lines = new(&self.lines, hash);
        if lines.len() > MAX_NEW_LINES {
            lines = new(&self.without_digits, hash_without_digits);
        }
        let bytes: usize = lines.iter().map(|&line| source.raw(line).len()).sum();
        if lines.len() > MAX_NEW_LINES || bytes > MAX_NEW_BYTES {
            return Vec::new();
        }
        lines.into_iter().map(|line| line as u32).collect()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        memory::block(size_of_val(&*self.lines)) + memory::block(size_of_val(&*self.without_digits))
    }
}

fn hash(line: &str) -> u32 {
    foldhash::fast::FixedState::default().hash_one(trimmed_end(line)) as u32
}

fn hash_without_digits(line: &str) -> u32 {
    let mut hasher = foldhash::fast::FixedState::default().build_hasher();
    pieces_without_digits(trimmed_end(line).as_bytes(), |piece| hasher.write(piece));
    hasher.finish() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(before: &str, after: &str) -> Vec<u32> {
        let answer = Answer::of(&[Source::new(before)]).unwrap();
        answer.new_lines(&Source::new(after))
    }

    #[test]
    fn few_new_lines_are_found() {
        let rows: String = (0..40).map(|n| format!("tcp LISTEN 0.0.0.0:{}\n", 3000 + n)).collect();
        assert_eq!(new(&rows, &rows), [0; 0]);
        let inserted = rows.replacen("0.0.0.0:3007\n", "0.0.0.0:3007\ntcp LISTEN 0.0.0.0:4444\n", 1);
        assert_eq!(new(&rows, &inserted), [8]);
        let logged = |minute: usize, more: &str| {
            let lines =
                (0..40).map(|n| format!("10:{minute}:{:02} GET /{n}\n{}", n, if n == 9 { more } else { "" }));
            lines.collect::<String>()
        };
        assert_eq!(new(&logged(10, ""), &logged(11, "10:11:09 POST /admin\n")), [10]);
        let other: String = (0..40).map(|n| format!("line {}\n", "x".repeat(n))).collect();
        assert_eq!(new(&rows, &other), [0; 0]);
    }

    #[test]
    fn numbers_of_views_do_not_count() {
        let view = |from: usize, lines: &[String]| {
            let lines = lines.iter().enumerate().map(|(i, line)| format!("{:>6}\t{line}\n", from + i));
            lines.collect::<String>()
        };
        let mut lines: Vec<String> = (0..30).map(|n| format!("let a{n} = {n};")).collect();
        let before = view(1, &lines);
        lines.insert(20, "assert!(z);".to_owned());
        assert_eq!(new(&before, &view(1, &lines)), [20]);
    }
}
