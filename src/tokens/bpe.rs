//! The exact counters: a splitter, a token table, and merging for the pieces that are not a token.
//!
//! The tables are static data of the binary (about 2.2 MB for o200k and 1.1 MB for cl100k): nothing
//! is built at start, and only the pages that a text touches become resident.

use super::{LineCounts, Other, TokenCounter, Verbatim, merge, split, table};
use crate::stop;
use std::cell::RefCell;
use std::ops::Range;

include!(concat!(env!("OUT_DIR"), "/longest.rs"));

/// Counts as `o200k_base` does.
pub struct O200k;

/// Counts as `cl100k_base` does.
pub struct Cl100k;

impl TokenCounter for O200k {
    fn name(&self) -> &'static str {
        "o200k"
    }

    fn count(&self, text: &str) -> usize {
        Counter::new(text, split::o200k, O200K).count(0..text.len())
    }

    fn count_lines(&self, text: &str) -> Option<LineCounts> {
        let counter = Counter::new(text, split::o200k, O200K);
        Some(LineCounts::new(text.as_bytes(), |range| counter.count_line(range)))
    }

    fn recount(&self, text: &str, counts: &LineCounts, other: Other<'_>, verbatim: &[Verbatim]) -> usize {
        let counter = Counter::new(text, split::o200k, O200K);
        counts.recount(text, other, verbatim, |range| counter.count(range))
    }
}

impl TokenCounter for Cl100k {
    fn name(&self) -> &'static str {
        "cl100k"
    }

    fn count(&self, text: &str) -> usize {
        Counter::new(text, split::cl100k, CL100K).count(0..text.len())
    }

    fn count_lines(&self, text: &str) -> Option<LineCounts> {
        let counter = Counter::new(text, split::cl100k, CL100K);
        Some(LineCounts::new(text.as_bytes(), |range| counter.count_line(range)))
    }

    fn recount(&self, text: &str, counts: &LineCounts, other: Other<'_>, verbatim: &[Verbatim]) -> usize {
        let counter = Counter::new(text, split::cl100k, CL100K);
        counts.recount(text, other, verbatim, |range| counter.count(range))
    }
}

/// A token table as the build script wrote it; see [`table`] for the format.
#[derive(Clone, Copy)]
struct Vocabulary {
    pilots: &'static [u8],
    slots: &'static [[u8; 8]],
    /// Bytes of the longest token.
    longest: usize,
    /// Its place among the vocabularies.
    number: usize,
}

const O200K: Vocabulary = Vocabulary {
    pilots: include_bytes!(concat!(env!("OUT_DIR"), "/o200k_pilots.bin")),
    slots: include_bytes!(concat!(env!("OUT_DIR"), "/o200k_slots.bin")).as_chunks().0,
    longest: O200K_LONGEST,
    number: 0,
};

const CL100K: Vocabulary = Vocabulary {
    pilots: include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_pilots.bin")),
    slots: include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_slots.bin")).as_chunks().0,
    longest: CL100K_LONGEST,
    number: 1,
};

impl Vocabulary {
    #[inline(always)]
    fn rank_of_hash(self, hash: u64) -> u32 {
        let pilot = self.pilots[table::bucket(hash, self.pilots.len())];
        let entry = self.slots[table::slot(hash, pilot, self.slots.len())];
        table::rank_in(u64::from_le_bytes(entry), hash)
    }

    #[inline(always)]
    fn rank(self, bytes: &[u8]) -> u32 {
        if bytes.len() > self.longest { table::NO_RANK } else { self.rank_of_hash(table::hash(bytes)) }
    }
}

/// Working memory of a count: buffers, and the counts of pieces that had to be merged.
#[derive(Default)]
struct Work {
    scratch: merge::Scratch,
    /// Direct-mapped: the upper bits of a piece's hash above its count. The position gives the lower
    /// bits, so that a piece is recognised by its hash. Empty until the first merge.
    merged: Vec<u64>,
    /// Counts of pieces that are longer than any token, by hash and length. Empty until the first such piece.
    long: Vec<Long>,
}

/// A piece that is longer than any token.
#[derive(Clone, Copy, Default)]
struct Long {
    hash: u64,
    /// Length in bytes; 0 for an unused entry.
    len: usize,
    tokens: usize,
}

/// Entries of [`Work::long`]: a text is counted before and after each step on it.
const LONG: usize = 1 << 8;

/// Entries of [`Work::merged`]: names repeat within a result, and in the next ones.
const MERGED: usize = 1 << 12;
/// Bits of an entry that hold the count. Only pieces with fewer bytes than the longest token have a hash.
const COUNT_BITS: u32 = 11;
const _: () = assert!(MERGED >= 1 << COUNT_BITS);
const _: () = assert!(O200K_LONGEST < 1 << COUNT_BITS && CL100K_LONGEST < 1 << COUNT_BITS);
/// Most bytes of a buffer that is kept for the next count.
const MAX_KEPT_BYTES: usize = 64 << 10;

thread_local! {
    /// The working memory of this thread, for each vocabulary.
    static WORK: [RefCell<Work>; 2] = Default::default();
}

/// The tokens of a line that was counted.
#[derive(Clone, Copy, Default)]
struct Line {
    hash: u64,
    /// Length in bytes; 0 for an unused entry.
    len: u32,
    tokens: u32,
}

/// Entries of [`LINES`]. A choice: the lines of some files, since sessions show the same lines again.
const LINE_ENTRIES: usize = 1 << 13;
/// Lengths in bytes of the lines that are remembered: counting a shorter one is as fast as finding it.
const LINE_BYTES: Range<usize> = 8..4 << 10;

thread_local! {
    /// The lines that this thread counted, by hash and length, for each vocabulary. Direct-mapped; empty until the first line.
    static LINES: [RefCell<Vec<Line>>; 2] = Default::default();
}

/// Bytes between two checks for cancellation.
const STRIDE: usize = 64 << 10;

/// Counts parts of one text.
struct Counter<'a, S> {
    bytes: &'a [u8],
    split: S,
    vocabulary: Vocabulary,
}

impl<'a, S: Fn(&[u8], usize) -> usize> Counter<'a, S> {
    fn new(text: &'a str, split: S, vocabulary: Vocabulary) -> Self {
        Self { bytes: text.as_bytes(), split, vocabulary }
    }

    /// The tokens of whole lines, which do not depend on the text around them; see [`LineCounts`]. They are remembered, but for
    /// the last line of the text, which may have no end.
    fn count_line(&self, part: Range<usize>) -> usize {
        if part.end == self.bytes.len() || !LINE_BYTES.contains(&part.len()) {
            return self.count(part);
        }
        let line = &self.bytes[part.clone()];
        let (hash, len) = (xxhash_rust::xxh3::xxh3_64(line), line.len() as u32);
        let place = hash as usize % LINE_ENTRIES;
        LINES.with(|all| {
            let mut lines = all[self.vocabulary.number].borrow_mut();
            if lines.is_empty() {
                lines.resize(LINE_ENTRIES, Line::default());
            }
            let known = &mut lines[place];
            if (known.hash, known.len) != (hash, len) {
                *known = Line { hash, len, tokens: self.count(part) as u32 };
            }
            known.tokens as usize
        })
    }

    /// The tokens of a part that begins and ends where a piece does.
    #[inline(never)]
    fn count(&self, part: Range<usize>) -> usize {
        let (bytes, vocabulary) = (self.bytes, self.vocabulary);
        let mut start = part.start;
        let mut tokens = 0;
        let mut check = start;
        while start < part.end {
            if start >= check {
                stop::check();
                check = start + STRIDE;
            }
            // Every run of one to three digits is a token, and so is every single byte.
            if bytes[start].is_ascii_digit() {
                let end = digits(bytes, start);
                if bytes.get(end).is_none_or(u8::is_ascii) {
                    tokens += (end - start).div_ceil(DIGITS);
                    start = end;
                    continue;
                }
            }
            let end = (self.split)(bytes, start);
            let len = end - start;
            if len > 1 {
                let hash =
                    if len > vocabulary.longest { None } else { Some(table::hash_in(bytes, start, len)) };
                if hash.is_none_or(|hash| vocabulary.rank_of_hash(hash) == table::NO_RANK) {
                    tokens += merged(&bytes[start..end], hash, vocabulary);
                    start = end;
                    continue;
                }
            }
            tokens += 1;
            start = end;
        }
        tokens
    }
}

/// Most digits of a piece.
const DIGITS: usize = 3;

/// The end of the run of ASCII digits that starts at `at`.
#[inline(always)]
fn digits(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while bytes.get(end).is_some_and(u8::is_ascii_digit) {
        end += 1;
    }
    end
}

/// The tokens of a piece that is not a token itself; pieces with a hash are remembered.
#[inline(never)]
fn merged(piece: &[u8], hash: Option<u64>, vocabulary: Vocabulary) -> usize {
    WORK.with(|all| {
        let Work { scratch, merged, long } = &mut *all[vocabulary.number].borrow_mut();
        let rank = |bytes: &[u8]| vocabulary.rank(bytes);
        let Some(hash) = hash else {
            let hash = xxhash_rust::xxh3::xxh3_64(piece);
            long.resize(LONG, Long::default());
            let known = &mut long[hash as usize % LONG];
            if (known.hash, known.len) != (hash, piece.len()) {
                let tokens = merge::count(piece, rank, scratch);
                scratch.shrink(MAX_KEPT_BYTES);
                *known = Long { hash, len: piece.len(), tokens };
            }
            return known.tokens;
        };
        if merged.is_empty() {
            merged.resize(MERGED, 0);
        }
        const LOW: u64 = (1 << COUNT_BITS) - 1;
        let known = &mut merged[hash as usize % MERGED];
        if *known != 0 && (*known ^ hash) & !LOW == 0 {
            return (*known & LOW) as usize;
        }
        let tokens = merge::count(piece, rank, scratch);
        *known = hash & !LOW | tokens as u64;
        tokens
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the claim in the documentation of [`split::cl100k`] with the vocabulary itself, byte by byte, since a
    /// token may end inside a character.
    #[test]
    fn no_cl100k_token_joins_a_newline_with_white_space_after_it() {
        let spaces: String = ('\0'..=char::MAX).filter(|character| character.is_whitespace()).collect();
        let newline = |byte: &u8| matches!(byte, b'\r' | b'\n');
        let encoding = tiktoken::get_encoding("cl100k_base").unwrap();
        let mut with_newline = 0;
        for rank in 0..encoding.vocab_size() as u32 {
            let token = encoding.decode(&[rank]);
            if token.iter().any(newline) && token.iter().all(|byte| spaces.as_bytes().contains(byte)) {
                with_newline += 1;
                assert!(token.last().is_some_and(newline), "{token:?}");
            }
        }
        assert!(with_newline > 100, "{with_newline}");
    }

    #[test]
    fn a_line_counts_the_same_wherever_it_is() {
        let lines =
            ["let total = items.len();\n", "    total += 1; // two\n", "\n", "naïve 12345 x\t\n", "end\n"];
        for first in lines {
            for second in lines {
                let text = [first, second, first, lines[0], "  }\n"].concat();
                let alone = Counter::new(&text, super::super::split::o200k, O200K).count(0..text.len());
                assert_eq!(O200k.count_lines(&text).map(|counts| counts.total()), Some(alone), "{text:?}");
            }
        }
    }

    #[test]
    fn up_to_three_digits_are_a_token() {
        for vocabulary in [O200K, CL100K] {
            for number in 0..1000 {
                for digits in [format!("{number}"), format!("{number:02}"), format!("{number:03}")] {
                    assert_ne!(vocabulary.rank(digits.as_bytes()), table::NO_RANK, "{digits}");
                }
            }
        }
    }

    #[test]
    fn every_token_has_its_rank_and_a_mangled_one_has_none() {
        for (name, vocabulary) in [("o200k_base", O200K), ("cl100k_base", CL100K)] {
            let encoding = tiktoken::get_encoding(name).unwrap();
            for rank in 0..encoding.vocab_size() as u32 {
                let mut token = encoding.decode(&[rank]);
                assert_eq!(vocabulary.rank(&token), rank);
                assert!(token.len() <= vocabulary.longest);
                token.extend_from_slice(b"\0\0\0");
                assert_eq!(vocabulary.rank(&token), table::NO_RANK);
            }
        }
    }
}
