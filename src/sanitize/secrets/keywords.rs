//! Finds every occurrence of all keywords, in any case, in one pass.
//!
//! A bitmap over hashes of four bytes rejects almost every position with one load. The remaining positions are compared with
//! the keywords of their hash. An automaton for this many words takes milliseconds to build and a megabyte, and is no
//! faster. This file knows nothing of rules.

use crate::stop;

/// Bits of a slot number of the table.
const HASH_BITS: u32 = 15;
const SLOTS: usize = 1 << HASH_BITS;
/// Bits of a slot number of the bitmap. The first three of four bytes choose sixteen slots, the fourth chooses one of
/// them. A word of three bytes takes all sixteen. Few slots are taken, so nearly every other position is rejected.
const MAP_BITS: u32 = 18;
const FOURTH_BITS: u32 = 4;
const MAP_SLOTS: usize = 1 << MAP_BITS;
/// Makes letters lower case; for other bytes it only merges some.
const FOLD: u32 = 0x2020_2020;
/// The bit that holds the case of a letter.
const CASE: u8 = 0x20;
const FOLD_ALL: u64 = (FOLD as u64) << 32 | FOLD as u64;
/// Positions whose four bytes all lie within eight bytes.
const PLACES: usize = 5;
/// The first three of four bytes.
const THREE: u32 = 0x00FF_FFFF;
const FACTOR: u32 = 0x9E37_79B1;
/// Bytes between two checks for cancellation.
const STRIDE: usize = 64 << 10;

/// A set of keywords, prepared for [`Keywords::for_each`].
#[derive(Debug)]
pub(super) struct Keywords {
    /// Slots of the first four bytes of all words; for a word of three bytes, those with any fourth byte.
    four: Bitmap,
    /// Words of three bytes.
    short: Rows,
    /// All longer words, by their first four bytes.
    long: Rows,
    words: Vec<String>,
}

/// Words by a hash of their first bytes.
#[derive(Debug)]
struct Rows {
    /// For each slot, the start of its words in `heads`; with one more entry at the end.
    starts: Vec<u16>,
    heads: Vec<Head>,
}

/// The first bytes of a word.
#[derive(Debug)]
struct Head {
    /// Its first eight bytes, and the bits of them that a text must have too: all but the case of letters.
    eight: u64,
    mask: u64,
    /// The next eight bytes.
    tail: u64,
    tail_mask: u64,
    /// How many of the heads after it, within its slot, have the same first eight bytes.
    alike: u16,
    /// How many of these have the same ninth byte too.
    alike_in_nine: u16,
    /// Its index.
    word: u16,
    /// Whether it has more than sixteen bytes.
    is_long: bool,
}

impl Head {
    fn of(word: &str, index: u16) -> Head {
        let bytes = word.as_bytes();
        let behind = bytes.get(8..).unwrap_or_default();
        let bits = |bytes: &[u8]| {
            let mut bits = [0; 8];
            for (bits, byte) in bits.iter_mut().zip(bytes) {
                *bits = if byte.is_ascii_alphabetic() { !CASE } else { u8::MAX };
            }
            u64::from_le_bytes(bits)
        };
        let (mask, tail_mask) = (bits(bytes), bits(behind));
        let (eight, tail) = (eight(bytes), eight(behind));
        Head {
            eight,
            mask,
            tail,
            tail_mask,
            alike: 0,
            alike_in_nine: 0,
            word: index,
            is_long: bytes.len() > 16,
        }
    }

    /// Its first four bytes; for a word of three bytes, these three.
    fn four(&self) -> u32 {
        self.eight as u32
    }

    /// Whether its first eight bytes are these, in any case.
    fn starts(&self, eight: u64) -> bool {
        (self.eight ^ eight) & self.mask == 0
    }

    /// The bits in which `tail` differs from the second eight bytes of the word, ignoring case. The lowest are those of
    /// the ninth byte.
    fn differs_behind(&self, tail: u64) -> u64 {
        (self.tail ^ tail) & self.tail_mask
    }
}

/// The first eight bytes, or as many as there are.
fn eight(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => bytes.iter().rev().fold(0, |rest, b| rest << 8 | u64::from(*b)),
    }
}

impl Rows {
    fn new(mut heads: Vec<Head>) -> Rows {
        heads.sort_unstable_by_key(|head| (slot(head.four()), head.word));
        let mut starts = vec![0u16; SLOTS + 1];
        for head in &heads {
            starts[slot(head.four()) + 1] += 1;
        }
        for slot in 0..SLOTS {
            starts[slot + 1] += starts[slot];
        }
        for at in (1..heads.len()).rev() {
            let [before, head] = &mut heads[at - 1..=at] else { continue };
            if (before.eight, before.mask) == (head.eight, head.mask) {
                before.alike = head.alike + 1;
                if (before.tail as u8, before.tail_mask as u8) == (head.tail as u8, head.tail_mask as u8) {
                    before.alike_in_nine = head.alike_in_nine + 1;
                }
            }
        }
        Rows { starts, heads }
    }

    /// The words whose first four bytes have the hash of these.
    fn of(&self, four: u32) -> &[Head] {
        let slot = slot(four);
        &self.heads[usize::from(self.starts[slot])..usize::from(self.starts[slot + 1])]
    }
}

impl Keywords {
    /// `words` must be lower case and at least three bytes long; others are never found.
    pub(super) fn new(words: Vec<String>) -> Keywords {
        let (mut short, mut long) = (Vec::new(), Vec::new());
        let mut four = Bitmap::new();
        for (word, index) in words.iter().zip(0u16..) {
            match *word.as_bytes() {
                [a, b, c, d, ..] => {
                    let head = u32::from_le_bytes([a, b, c, d]);
                    four.set(head);
                    long.push(Head::of(word, index));
                }
                [a, b, c] => {
                    short.push(Head::of(word, index));
                    (0..=u8::MAX).for_each(|d| four.set(u32::from_le_bytes([a, b, c, d])));
                }
                _ => {}
            }
        }
        Keywords { four, short: Rows::new(short), long: Rows::new(long), words }
    }

    /// Calls `found(word, start)` for every occurrence of every keyword, in order of position.
    pub(super) fn for_each(&self, text: &[u8], mut found: impl FnMut(usize, usize)) {
        // Five positions at a time: those whose four bytes lie in the eight.
        let mut start = 0;
        while start + 8 <= text.len() {
            stop::check();
            let near = &text[..text.len().min(start + STRIDE)];
            while let Some(bytes) = near.get(start..).and_then(<[u8]>::first_chunk::<8>) {
                let bytes = u64::from_le_bytes(*bytes);
                let folded = bytes | FOLD_ALL;
                let bit = |place: u32| self.four.bit((folded >> (8 * place)) as u32);
                if (bit(0) | bit(1) | bit(2) | bit(3) | bit(4)) & 1 == 1 {
                    self.compare_five(text, start, bytes, &mut found);
                }
                start += PLACES;
            }
        }
        for (at, window) in (start..).zip(text.get(start..).unwrap_or_default().windows(4)) {
            let four = u32::from_le_bytes([window[0], window[1], window[2], window[3]]);
            if self.four.has(four) {
                self.compare(text, at, four, &mut found);
            }
        }
        if let [.., a, b, c] = *text {
            self.compare(text, text.len() - 3, u32::from_le_bytes([a, b, c, 0]), &mut found);
        }
    }

    /// Compares those of five positions that pass the bitmap.
    #[inline(never)]
    fn compare_five(&self, text: &[u8], start: usize, bytes: u64, found: &mut impl FnMut(usize, usize)) {
        for place in 0..PLACES {
            let four = (bytes >> (8 * place)) as u32;
            if self.four.has(four) {
                self.compare(text, start + place, four, found);
            }
        }
    }

    fn compare(&self, text: &[u8], start: usize, four: u32, found: &mut impl FnMut(usize, usize)) {
        let first = eight(&text[start..]);
        let tail = eight(text.get(start + 8..).unwrap_or_default());
        self.compare_with(self.short.of(four & THREE), text, start, (first, tail), found);
        self.compare_with(self.long.of(four), text, start, (first, tail), found);
    }

    /// Compares words with the sixteen bytes at `start`, as two halves, and the longer ones with what follows.
    fn compare_with(
        &self,
        heads: &[Head],
        text: &[u8],
        start: usize,
        (first, tail): (u64, u64),
        found: &mut impl FnMut(usize, usize),
    ) {
        let mut next = 0;
        while let Some(head) = heads.get(next) {
            next += 1;
            if !head.starts(first) {
                // Heads with the same first eight bytes do not match either.
                next += usize::from(head.alike);
                continue;
            }
            let differs = head.differs_behind(tail);
            if differs != 0 {
                let is_ninth_wrong = differs as u8 != 0;
                next += if is_ninth_wrong { usize::from(head.alike_in_nine) } else { 0 };
                continue;
            }
            // The first sixteen bytes match, even at the end of the text: no word has a zero byte.
            if !head.is_long || self.ends(usize::from(head.word), text, start) {
                found(usize::from(head.word), start);
            }
        }
    }

    /// Whether the text matches a word after its first sixteen bytes.
    fn ends(&self, word: usize, text: &[u8], start: usize) -> bool {
        let rest = self.words[word].as_bytes().get(16..).unwrap_or_default();
        let here = text.get(start + 16..).and_then(|here| here.get(..rest.len()));
        here.is_some_and(|here| here.eq_ignore_ascii_case(rest))
    }

    /// The keyword with this index.
    pub(super) fn word(&self, index: usize) -> &str {
        &self.words[index]
    }
}

fn slot(bytes: u32) -> usize {
    ((bytes | FOLD).wrapping_mul(FACTOR) >> (32 - HASH_BITS)) as usize
}

fn map_slot(bytes: u32) -> usize {
    map_slot_of_folded(bytes | FOLD)
}

#[inline(always)]
fn map_slot_of_folded(bytes: u32) -> usize {
    // The shift removes the fourth byte from the product.
    let three = bytes.wrapping_mul(FACTOR << 8) >> (32 - MAP_BITS + FOURTH_BITS);
    (three << FOURTH_BITS | (bytes >> 24) & ((1 << FOURTH_BITS) - 1)) as usize
}

#[derive(Debug)]
struct Bitmap(Box<[u64; MAP_SLOTS / 64]>);

impl Bitmap {
    fn new() -> Bitmap {
        Bitmap(Box::new([0; MAP_SLOTS / 64]))
    }

    fn set(&mut self, four: u32) {
        let slot = map_slot(four);
        self.0[slot / 64] |= 1 << (slot % 64);
    }

    fn has(&self, four: u32) -> bool {
        self.bit(four | FOLD) & 1 == 1
    }

    /// The bit of four bytes with the bits of `FOLD`, below others.
    #[inline(always)]
    fn bit(&self, folded: u32) -> u64 {
        let slot = map_slot_of_folded(folded);
        // The remainder never changes a slot; it tells the compiler that the index is in bounds.
        self.0[slot / 64 % (MAP_SLOTS / 64)] >> (slot % 64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_an_automaton_finds(
            words in proptest::collection::btree_set("[a-c@_:]{3,9}", 1..12),
            text in "[a-cA-C@_:` ]{0,80}",
        ) {
            let words: Vec<String> = words.into_iter().collect();
            let automaton =
                aho_corasick::AhoCorasick::builder().ascii_case_insensitive(true).build(&words).unwrap();
            let mut expected: Vec<(usize, usize)> =
                automaton.find_overlapping_iter(&text).map(|m| (m.start(), m.pattern().as_usize())).collect();
            expected.sort_unstable();
            let mut found = Vec::new();
            Keywords::new(words).for_each(text.as_bytes(), |word, start| found.push((start, word)));
            prop_assert!(found.is_sorted_by_key(|f| f.0));
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
