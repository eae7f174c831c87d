//! Relevance: which blocks of a text matter for what the agent is looking for.
//!
//! Terms come from the request's `query`, from the call itself and from recent calls of the session. They rank what
//! an elision keeps; they never decide whether a failure is kept. Scores are BM25 (k1 = 1.2, b = 0.75) over blocks of
//! lines, in thousandths, so that ranks are the same on every machine.

use std::ops::Range;
use std::sync::Arc;

use crate::text::maps::Map;
use crate::text::source::Source;

/// The shortest word that counts, in bytes.
const MIN_WORD_BYTES: usize = 3;
/// Weights of words: of the query, of the call, and of the session's recent calls.
const QUERY_WEIGHT: u32 = 4;
const CALL_WEIGHT: u32 = 2;
/// See `QUERY_WEIGHT`.
pub const SESSION_WEIGHT: u32 = 1;

/// A word, as a digest, and its weight. Digests are valid within one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// Digest of the word in lower case.
    pub word: u64,
    /// Its weight.
    pub weight: u32,
}

/// The words by which lines are ranked.
#[derive(Debug, Clone, Default)]
pub struct Relevance {
    weights: Map<u64, u32>,
    edited: Vec<Arc<str>>,
    pointed: Vec<u32>,
}

impl Relevance {
    /// Words of the query and of the call's arguments, and terms of the session.
    pub fn new(query: Option<&str>, call: &[&str], session: &[Term]) -> Self {
        let mut weights: Map<u64, u32> = session.iter().map(|t| (t.word, t.weight)).collect();
        for (texts, weight) in [(call, CALL_WEIGHT), (query.as_slice(), QUERY_WEIGHT)] {
            for text in texts {
                words(text, |word| {
                    weights.insert(word, weight);
                });
            }
        }
        Self { weights, edited: Vec::new(), pointed: Vec::new() }
    }

    /// The same, with texts that the agent wrote into this file.
    pub fn with_edited(self, edited: Vec<Arc<str>>) -> Self {
        Self { edited, ..self }
    }

    /// The same, with lines of this file to which recent results point.
    pub fn with_pointed(self, pointed: Vec<u32>) -> Self {
        Self { pointed, ..self }
    }

    /// Numbers of lines of this file to which recent results point, newest first.
    pub fn pointed(&self) -> &[u32] {
        &self.pointed
    }

    /// Texts that the agent wrote into this file: it works at the places where they occur.
    pub fn edited(&self) -> &[Arc<str>] {
        &self.edited
    }

    /// Whether an identifier, as a whole, is a term.
    pub fn has(&self, identifier: &str) -> bool {
        self.weights.contains_key(&digest(identifier.as_bytes()))
    }

    /// Whether there are no terms, so that every score is 0.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The terms that occur in the text, at most `most`, in the order of their first occurrence.
    pub fn found_in(&self, text: &str, most: usize) -> Vec<Term> {
        let mut left = self.weights.clone();
        let mut found = Vec::new();
        let filter = self.filter();
        each_word(text, Numbers::Skip, |word| {
            if filter.has(word)
                && let Some(weight) = left.remove(&word)
            {
                found.push(Term { word, weight });
            }
            found.len() < most && !left.is_empty()
        });
        found
    }

    fn filter(&self) -> Filter {
        let mut filter = Filter([0; 16]);
        for word in self.weights.keys() {
            filter.0[(*word >> 6) as usize % 16] |= 1 << (*word % 64);
        }
        filter
    }

    /// The relevance of each block of lines. Linear in the text of the blocks.
    pub fn scores(&self, source: &Source<'_>, blocks: &[Range<usize>]) -> Vec<u32> {
        let texts: Vec<&str> = blocks.iter().map(|block| source.slice(block.clone())).collect();
        self.scores_of(&texts)
    }

    /// The relevance of each text.
    pub fn scores_of(&self, blocks: &[&str]) -> Vec<u32> {
        if self.is_empty() {
            return vec![0; blocks.len()];
        }
        let mut lengths: Vec<u32> = Vec::with_capacity(blocks.len());
        // For each block, the terms that occur in it, and how often.
        let mut counts: Vec<Vec<(u64, u32)>> = Vec::with_capacity(blocks.len());
        let mut blocks_with: Map<u64, u32> = Map::default();
        let filter = self.filter();
        for block in blocks {
            let mut length = 0;
            let mut here: Vec<(u64, u32)> = Vec::new();
            words(block, |word| {
                length += 1;
                if filter.has(word) && self.weights.contains_key(&word) {
                    match here.iter_mut().find(|(w, _)| *w == word) {
                        Some((_, count)) => *count += 1,
                        None => here.push((word, 1)),
                    }
                }
            });
            for (word, _) in &here {
                *blocks_with.entry(*word).or_default() += 1;
            }
            lengths.push(length);
            counts.push(here);
        }
        let all = blocks.len() as f64;
        let mean = lengths.iter().map(|l| f64::from(*l)).sum::<f64>() / all.max(1.0);
        let score = |here: &[(u64, u32)], length: u32| {
            let mut sum = 0.0;
            for (word, count) in here {
                let with = f64::from(blocks_with.get(word).copied().unwrap_or(0));
                let weight = f64::from(self.weights.get(word).copied().unwrap_or(0));
                let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
                let count = f64::from(*count);
                let norm = 1.2 * (0.25 + 0.75 * f64::from(length) / mean.max(1.0));
                sum += weight * rarity * count * 2.2 / (count + norm);
            }
            (sum * 1000.0).round() as u32
        };
        counts.iter().zip(&lengths).map(|(here, length)| score(here, *length)).collect()
    }
}

/// The most lines that answer a query by themselves, and the most lines that a word of the query may be in: a more
/// frequent word does not distinguish lines. Choices.
const MAX_ANSWERS: usize = 12;

/// The lines that answer a query, in order: those with its rarest words, at most `most_bytes` bytes together.
pub fn answers(query: &str, source: &Source<'_>, most_bytes: usize) -> Vec<usize> {
    let mut asked = Relevance::default();
    each_word(query, Numbers::Count, |word| {
        asked.weights.insert(word, QUERY_WEIGHT);
        true
    });
    if asked.is_empty() {
        return Vec::new();
    }
    let filter = asked.filter();
    // For each word of the query, the lines with it, at most one more than may count.
    let mut lines_with: Map<u64, Vec<usize>> = Map::default();
    for line in 0..source.len() {
        crate::stop::check_sometimes();
        each_word(source.line(line), Numbers::Count, |word| {
            if filter.has(word) && asked.weights.contains_key(&word) {
                let lines = lines_with.entry(word).or_default();
                if lines.len() <= MAX_ANSWERS && lines.last() != Some(&line) {
                    lines.push(line);
                }
            }
            true
        });
    }
    let mut scores: Map<usize, usize> = Map::default();
    for lines in lines_with.into_values().filter(|lines| lines.len() <= MAX_ANSWERS) {
        let weight = MAX_ANSWERS + 1 - lines.len();
        lines.into_iter().for_each(|line| *scores.entry(line).or_default() += weight);
    }
    let mut ranked: Vec<(usize, usize)> = scores.into_iter().collect();
    ranked.sort_unstable_by_key(|(line, score)| (std::cmp::Reverse(*score), *line));
    let mut left = most_bytes;
    let mut fits = |line: &usize| {
        let bytes = source.raw(*line).len();
        let is_in = bytes <= left;
        left -= if is_in { bytes } else { 0 };
        is_in
    };
    let mut out: Vec<usize> =
        ranked.into_iter().map(|(line, _)| line).filter(|line| fits(line)).take(MAX_ANSWERS).collect();
    out.sort_unstable();
    out
}

/// A filter that rejects most words that are not terms.
struct Filter([u64; 16]);

impl Filter {
    fn has(&self, word: u64) -> bool {
        self.0[(word >> 6) as usize % 16] >> (word % 64) & 1 == 1
    }
}

/// Calls `found` with the digest of every word of a text: each identifier, and its parts if it is compound (separated
/// by `_` or capitals).
pub fn words(text: &str, mut found: impl FnMut(u64)) {
    each_word(text, Numbers::Skip, |word| {
        found(word);
        true
    });
}

/// Whether words of digits alone count. In a query they are ids; in calls and results they are mostly sizes and lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Skip,
    Count,
}

/// Like [`words`], until `found` returns false.
fn each_word(text: &str, numbers: Numbers, mut found: impl FnMut(u64) -> bool) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let kind = KINDS[usize::from(bytes[at])];
        if kind & WORD == 0 {
            at += if kind == SIGN { SIGN_BYTES } else { 1 };
            continue;
        }
        let start = at;
        let mut all = 0;
        while let Some(&byte) = bytes.get(at)
            && KINDS[usize::from(byte)] & WORD != 0
        {
            all |= KINDS[usize::from(byte)];
            at += 1;
        }
        let word = &bytes[start..at];
        if word.len() < MIN_WORD_BYTES || all == DIGIT && numbers == Numbers::Skip {
            continue;
        }
        if !found(digest(word)) {
            return;
        }
        let is_hump = |two: &[u8]| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase();
        let is_joined = all & JOINT != 0 || (all & UPPER != 0 && word.windows(2).any(is_hump));
        if is_joined && !parts(word, &mut found) {
            return;
        }
    }
}

/// Calls `found` with each part of a compound word, until it returns false.
fn parts(word: &[u8], found: &mut impl FnMut(u64) -> bool) -> bool {
    let mut part = 0;
    for i in 1..=word.len() {
        let ends = i == word.len()
            || word[i] == b'_'
            || (word[i].is_ascii_uppercase() && word[i - 1].is_ascii_lowercase());
        if ends {
            let piece = &word[part..i];
            if piece.len() >= MIN_WORD_BYTES && piece.len() < word.len() && !found(digest(piece)) {
                return false;
            }
            part = if i < word.len() && word[i] == b'_' { i + 1 } else { i };
        }
    }
    true
}

/// The kind of a byte; see `KINDS`. All kinds except `SIGN` may be part of a word.
const LOWER: u8 = 1;
const UPPER: u8 = 1 << 1;
const DIGIT: u8 = 1 << 2;
const JOINT: u8 = 1 << 3;
const WIDE: u8 = 1 << 4;
const WORD: u8 = LOWER | UPPER | DIGIT | JOINT | WIDE;
/// The first byte in UTF-8 of U+2000 to U+2FFF: arrows, box drawing, bullets, quotation marks.
const SIGN: u8 = 1 << 5;
const SIGN_BYTES: usize = 3;

static KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => JOINT,
            0xE2 => SIGN,
            0x80.. => WIDE,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

/// The digest of a word, ignoring case.
fn digest(word: &[u8]) -> u64 {
    finish(word.iter().fold(START, |state, byte| step(state, *byte)))
}

/// FNV-1a; at the end the upper bits are mixed into the lower ones, which differ little for short words.
const START: u64 = 0xcbf2_9ce4_8422_2325;

#[inline(always)]
fn step(state: u64, byte: u8) -> u64 {
    (state ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3)
}

fn finish(state: u64) -> u64 {
    (state ^ state >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_that_holds_the_words_ranks_first() {
        let text = "fn open() {}\nfn parseHeader(x) {}\nfn close() {}\n";
        let source = Source::new(text);
        let scores = |query| Relevance::new(Some(query), &[], &[]).scores(&source, &[0..1, 1..2, 2..3]);
        let of_header = scores("where is the header parsed");
        assert!(of_header[1] > of_header[0] && of_header[0] == of_header[2]);
        assert!(scores("parse_header")[1] > 0);
        assert_eq!(scores("unrelated words"), [0, 0, 0]);
    }

    #[test]
    fn signs_part_words() {
        let found = |text: &str| {
            let mut words = Vec::new();
            super::words(text, |word| words.push(word));
            words
        };
        assert_eq!(found("12→header"), found("header"));
        assert_eq!(found("•header│"), found("header"));
        assert_ne!(found("überheader"), found("header"));
    }

    #[test]
    fn terms_that_were_found_give_the_same_scores_again() {
        let source = Source::new("alpha beta\ngamma alpha\n");
        let all = Relevance::new(Some("alpha"), &["gamma other"], &[]);
        let found = all.found_in(source.text(), 8);
        assert_eq!(found.len(), 2);
        let again = Relevance::new(None, &[], &found);
        assert_eq!(all.scores(&source, &[0..1, 1..2]), again.scores(&source, &[0..1, 1..2]));
    }

    #[test]
    fn lines_with_rare_words_of_the_query_are_answers() {
        let line = |i: usize| format!("GET /orders/{i} by shopper{} took {} ms\n", i % 50, i * 7 % 90);
        let text: String = (0..900).map(line).collect();
        let source = Source::new(&text);
        let found = |query: &str, bytes| answers(query, &source, bytes);
        assert_eq!(found("why was order 321 slow", 900), [321]);
        // Each of these words is on many lines.
        assert_eq!(found("GET shopper7", 900), [0; 0]);
        assert_eq!(found("orders 100 or 700", 900), [100, 700]);
        assert_eq!(found("orders 100 or 700", 50), [100]);
        assert_eq!((found("", 900), found("a b", 900)), (vec![], vec![]));
    }
}
