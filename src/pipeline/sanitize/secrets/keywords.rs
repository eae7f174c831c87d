//! Finds every place where a keyword stands, in any case, in one pass.
//!
//! Two bitmaps over hashes of three and of four bytes turn almost every position away at a load or two; the few
//! that are left are compared with the keywords of their hash. An automaton over as many words takes milliseconds to build
//! and a megabyte, and is no faster. It knows nothing of rules.

const HASH_BITS: u32 = 15;
const SLOTS: usize = 1 << HASH_BITS;
/// Makes letters lower case and does no harm to the rest: it only merges some bytes.
const FOLD: u32 = 0x2020_2020;
/// The first three of four bytes.
const THREE: u32 = 0x00FF_FFFF;
const FACTOR: u32 = 0x9E37_79B1;

/// A set of keywords, prepared for [`Keywords::for_each`].
#[derive(Debug)]
pub(super) struct Keywords {
    /// Slots of the first three bytes of all words.
    three: Bitmap,
    /// Slots of the first four bytes of the words that have as many.
    four: Bitmap,
    /// Slots of the words that have but three bytes.
    short: Bitmap,
    /// Per slot where its words begin in `order`; one more at the end.
    starts: Vec<u16>,
    order: Vec<u16>,
    words: Vec<String>,
}

impl Keywords {
    /// `words` are lower case and at least three bytes long; others are never found.
    pub(super) fn new(words: Vec<String>) -> Keywords {
        let mut slots: Vec<(usize, u16)> = Vec::new();
        let (mut three, mut four, mut short) = (Bitmap::new(), Bitmap::new(), Bitmap::new());
        for (word, index) in words.iter().zip(0u16..) {
            let (first, longer) = match *word.as_bytes() {
                [a, b, c, d, ..] => (u32::from_le_bytes([a, b, c, d]), true),
                [a, b, c] => (u32::from_le_bytes([a, b, c, 0]), false),
                _ => continue,
            };
            three.set(slot(first & THREE));
            slots.push((slot(first & THREE), index));
            if longer { four.set(slot(first)) } else { short.set(slot(first)) }
        }
        slots.sort_unstable();
        let mut starts = vec![0u16; SLOTS + 1];
        for &(slot, _) in &slots {
            starts[slot + 1] += 1;
        }
        for slot in 0..SLOTS {
            starts[slot + 1] += starts[slot];
        }
        Keywords { three, four, short, starts, order: slots.into_iter().map(|(_, i)| i).collect(), words }
    }

    /// Calls `found(word, start)` for every keyword at every place, in the order of the places.
    pub(super) fn for_each(&self, text: &[u8], mut found: impl FnMut(usize, usize)) {
        for (start, window) in text.windows(4).enumerate() {
            let bytes = u32::from_le_bytes([window[0], window[1], window[2], window[3]]);
            let slot_of_three = slot(bytes & THREE);
            if self.three.has(slot_of_three) && (self.four.has(slot(bytes)) || self.short.has(slot_of_three))
            {
                self.compare(text, start, slot_of_three, &mut found);
            }
        }
        if let [.., a, b, c] = *text {
            self.compare(text, text.len() - 3, slot(u32::from_le_bytes([a, b, c, 0])), &mut found);
        }
    }

    #[cold]
    #[inline(never)]
    fn compare(&self, text: &[u8], start: usize, slot: usize, found: &mut impl FnMut(usize, usize)) {
        let words = &self.order[usize::from(self.starts[slot])..usize::from(self.starts[slot + 1])];
        for &word in words {
            let bytes = self.words[usize::from(word)].as_bytes();
            let here = text.get(start..start + bytes.len());
            if here.is_some_and(|here| here.eq_ignore_ascii_case(bytes)) {
                found(usize::from(word), start);
            }
        }
    }

    /// The keyword with this index.
    pub(super) fn word(&self, index: usize) -> &str {
        &self.words[index]
    }
}

fn slot(bytes: u32) -> usize {
    ((bytes | FOLD).wrapping_mul(FACTOR) >> (32 - HASH_BITS)) as usize
}

#[derive(Debug)]
struct Bitmap(Box<[u64; SLOTS / 64]>);

impl Bitmap {
    fn new() -> Bitmap {
        Bitmap(Box::new([0; SLOTS / 64]))
    }

    fn set(&mut self, slot: usize) {
        self.0[slot / 64] |= 1 << (slot % 64);
    }

    fn has(&self, slot: usize) -> bool {
        // The remainder never changes a slot; it tells the compiler that the index is in bounds.
        self.0[slot / 64 % (SLOTS / 64)] >> (slot % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_an_automaton_finds(
            words in proptest::collection::btree_set("[a-c@_:]{3,6}", 1..12),
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
