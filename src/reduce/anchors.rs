//! The search for anchors: finds in one pass over the bytes of a text which reducers have an anchor in it.
//!
//! A bitmap over hashes of four bytes rules out almost every place; at the others, the anchors with these bytes are
//! compared. Each anchor is represented by those four of its bytes that are rarest in texts. An anchor that was found is not
//! searched for again. An automaton over as many anchors takes five times as long.

use memchr::memmem::Finder;

/// Bits of a hash, and the slots of the bitmap. A choice: the bitmap fits the fastest cache.
const BITS: u32 = 16;
const SLOTS: usize = 1 << BITS;
/// Offsets at which four bytes lie within eight.
const OFFSETS: usize = 5;
/// Multiplier of the hash (the golden ratio, as in Fibonacci hashing).
const FACTOR: u32 = 0x9E37_79B9;

/// Anchors of reducers, by the number of the reducer.
#[derive(Debug)]
pub(super) struct Anchors {
    seen: Box<[u64; SLOTS / 64]>,
    /// For the upper bits of each slot, the index at which its rows begin; one more entry at the end.
    starts: Vec<u16>,
    rows: Vec<Row>,
    /// Anchors of fewer than four bytes.
    short: Vec<(Finder<'static>, usize)>,
}

/// Four bytes of an anchor.
#[derive(Debug)]
struct Row {
    four: u32,
    /// Their offset in the anchor.
    at: usize,
    anchor: &'static [u8],
    owner: usize,
}

/// Slots that share an entry of `starts`.
const SHARED: u32 = 6;

impl Anchors {
    /// The anchors, each with the number of its reducer.
    pub(super) fn new(anchors: impl Iterator<Item = (&'static str, usize)>) -> Self {
        let (mut rows, mut short) = (Vec::new(), Vec::new());
        for (anchor, owner) in anchors {
            let anchor = anchor.as_bytes();
            match rarest(anchor) {
                Some((at, four)) => rows.push(Row { four, at, anchor, owner }),
                None => short.push((Finder::new(anchor), owner)),
            }
        }
        rows.sort_by_key(|row: &Row| slot(row.four));
        let mut seen = Box::new([0u64; SLOTS / 64]);
        let mut starts = vec![0; (SLOTS >> SHARED) + 1];
        for row in &rows {
            seen[slot(row.four) / 64] |= 1 << (slot(row.four) % 64);
            starts[(slot(row.four) >> SHARED) + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        Self { seen, starts, rows, short }
    }

    /// Sets the numbers of the reducers of which an anchor is in the text.
    pub(super) fn find(&self, text: &[u8], found: &mut [bool]) {
        for (anchor, owner) in &self.short {
            found[*owner] = found[*owner] || anchor.find(text).is_some();
        }
        let mut start = 0;
        // Eight bytes at a time: they contain the four bytes of five places.
        while let Some(bytes) = text.get(start..).and_then(<[u8]>::first_chunk::<8>) {
            let bytes = u64::from_le_bytes(*bytes);
            let bit = |place: u32| self.bit((bytes >> (8 * place)) as u32);
            if (bit(0) | bit(1) | bit(2) | bit(3) | bit(4)) & 1 == 1 {
                for place in 0..OFFSETS {
                    let four = (bytes >> (8 * place)) as u32;
                    if self.bit(four) & 1 == 1 {
                        self.compare(text, start + place, four, found);
                    }
                }
            }
            start += OFFSETS;
        }
        for (at, window) in (start..).zip(text.get(start..).unwrap_or_default().windows(4)) {
            self.compare(text, at, u32::from_le_bytes([window[0], window[1], window[2], window[3]]), found);
        }
    }

    /// The bit of four bytes in the lowest position; other bits are above it.
    #[inline(always)]
    fn bit(&self, four: u32) -> u64 {
        let slot = slot(four);
        // The remainder never changes a slot; it tells the compiler that the index is in bounds.
        self.seen[slot / 64 % (SLOTS / 64)] >> (slot % 64)
    }

    #[inline(never)]
    fn compare(&self, text: &[u8], at: usize, four: u32, found: &mut [bool]) {
        let group = slot(four) >> SHARED;
        let rows = usize::from(self.starts[group])..usize::from(self.starts[group + 1]);
        for row in self.rows[rows].iter().filter(|row| row.four == four) {
            if !found[row.owner] {
                let start = at.checked_sub(row.at);
                let here = start.and_then(|start| text.get(start..start + row.anchor.len()));
                found[row.owner] = here == Some(row.anchor);
            }
        }
    }
}

#[inline(always)]
fn slot(four: u32) -> usize {
    (four.wrapping_mul(FACTOR) >> (32 - BITS)) as usize
}

/// The four bytes of an anchor that are the least likely to be in a text, and their offset.
fn rarest(anchor: &[u8]) -> Option<(usize, u32)> {
    let weight = |b: &u8| match b {
        b' ' | b'-' | b'=' | b'.' => 0,
        b'a'..=b'z' => 2,
        b'0'..=b'9' => 3,
        _ => 4,
    };
    let all = anchor.windows(4).enumerate();
    let (at, four) = all.max_by_key(|(_, four)| four.iter().map(weight).sum::<u32>())?;
    Some((at, u32::from_le_bytes([four[0], four[1], four[2], four[3]])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_stands_there(
            anchors in proptest::collection::vec("[a-b ]{1,6}", 1..9),
            text in "[a-b ]{0,40}",
        ) {
            let anchors: Vec<&'static str> = anchors.into_iter().map(|a| &*a.leak()).collect();
            let mut found = vec![false; anchors.len()];
            let search = Anchors::new(anchors.iter().copied().zip(0..));
            search.find(text.as_bytes(), &mut found);
            let expected: Vec<bool> = anchors.iter().map(|anchor| text.contains(anchor)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
