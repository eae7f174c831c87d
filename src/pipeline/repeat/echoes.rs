//! Blocks of lines that occur again further down in the same text, such as a redrawn screen or a configuration
//! printed for each step. Only texts that no reducer can parse and that are too long to be shown whole are searched,
//! so that the next cut removes less new text.
//!
//! Only verbatim repetitions count.

use std::fmt::Write as _;
use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::fast::RandomState;

use crate::text::ledger::{Ledger, Reduction};
use crate::text::maps::Map;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// A repetition is found by this many equal lines.
const SEED_LINES: usize = 4;
/// The fewest lines of a block that is left out.
const MIN_BLOCK_LINES: usize = 6;
/// Lines at the end of a text that are always shown.
const END_LINES: usize = 5;
/// The fewest bytes of a block that is left out.
const MIN_BLOCK_BYTES: usize = 200;

/// The line numbers in the marker of a block.
pub(in crate::pipeline) fn lines_in(names: &str) -> Option<(usize, usize)> {
    let lines = names.strip_prefix(AS_LINES)?.split(',').next()?;
    let (first, last) = lines.split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?))
}

/// The text before the line numbers.
const AS_LINES: &str = "as lines ";

/// Leaves out the second and later copies of blocks of kept lines; the marker names the lines of the first copy.
pub fn reduce(source: &Source<'_>, ledger: &Ledger) -> Result<Reduction, Reason> {
    let mut out = Reduction::default();
    let mut copies: Vec<Copies> = Vec::new();
    // The last lines of a text are always shown.
    let last = source.len().saturating_sub(END_LINES);
    let digests = Digests::new(source);
    // The first occurrence of each run of `SEED_LINES` lines, by its digest.
    let mut seeds: Map<u64, usize> = Map::default();
    let mut is_shown = vec![false; source.len()];
    for kept in ledger.kept() {
        is_shown[kept].fill(true);
    }
    for kept in ledger.kept() {
        let mut at = kept.start;
        let end = kept.end.min(last);
        while at + SEED_LINES <= end {
            // A block that occurs twice only has lines that occur twice.
            let Some(digest) = digests.of_seed(at) else {
                at += 1;
                continue;
            };
            let seed = source.slice(at..at + SEED_LINES);
            let there =
                seeds.get(&digest).filter(|there| source.slice(**there..**there + SEED_LINES) == seed);
            if let Some(&there) = there {
                let block = at..at + length(source, &is_shown, there, at, end);
                if block.len() >= MIN_BLOCK_LINES && source.byte_range(block.clone()).len() >= MIN_BLOCK_BYTES
                {
                    at = block.end;
                    is_shown[block.clone()].fill(false);
                    let size = block.len();
                    match copies.last_mut() {
                        Some(last) if last.block.end == block.start && last.of == (there, size) => {
                            last.block.end = block.end;
                        }
                        _ => copies.push(Copies { block, of: (there, size) }),
                    }
                    continue;
                }
            } else if seed.trim().len() >= SEED_LINES {
                seeds.insert(digest, at);
            }
            at += 1;
        }
    }
    for Copies { block, of: (there, size) } in copies {
        let first = source.number(there);
        let mut names = format!("{AS_LINES}{first}-{}", first + size - 1);
        if block.len() > size {
            let _ = write!(names, ", {} times", block.len() / size);
        }
        out.omit_named(block, Reason::RepeatedBlock, 0, &names);
    }
    if out.is_empty() { Err(Reason::NothingToDo) } else { Ok(out) }
}

/// Copies of a block, one directly below the other.
struct Copies {
    block: Range<usize>,
    /// The first line of the original block, and its number of lines.
    of: (usize, usize),
}

/// Digests of the lines that occur more than once; 0 for the others.
struct Digests(Vec<u64>);

impl Digests {
    fn new(source: &Source<'_>) -> Self {
        let state = RandomState::default();
        let mut lines: Vec<u64> = (0..source.len()).map(|i| state.hash_one(source.raw(i)).max(1)).collect();
        // For each slot whether a digest occurred once, and more than once: a line that is alone in its slot occurs
        // once in the text.
        let slots = (lines.len() * 16).next_power_of_two();
        let slot = |digest: u64| digest as usize & (slots - 1);
        let (mut once, mut twice) = (vec![0u64; slots / 64 + 1], vec![0u64; slots / 64 + 1]);
        for digest in &lines {
            let (word, bit) = (slot(*digest) / 64, 1 << (slot(*digest) % 64));
            twice[word] |= once[word] & bit;
            once[word] |= bit;
        }
        for digest in &mut lines {
            if twice[slot(*digest) / 64] >> (slot(*digest) % 64) & 1 == 0 {
                *digest = 0;
            }
        }
        Self(lines)
    }

    /// The digest of the `SEED_LINES` lines from `at` on; `None` if one of them occurs only once.
    fn of_seed(&self, at: usize) -> Option<u64> {
        self.0[at..at + SEED_LINES].iter().try_fold(0u64, |state, line| {
            (*line != 0).then(|| (state ^ line).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29))
        })
    }
}

/// How many lines from `at` on are equal to those from `there` on. The earlier block must end before `at`, and it
/// must be shown.
fn length(source: &Source<'_>, is_shown: &[bool], there: usize, at: usize, end: usize) -> usize {
    let is_same = |i: &usize| is_shown[there + i] && source.raw(there + i) == source.raw(at + i);
    (0..(end - at).min(at - there)).take_while(is_same).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(text: &str) -> Vec<Range<usize>> {
        let source = Source::new(text);
        let step = reduce(&source, &Ledger::new(&source));
        step.map_or(Vec::new(), |step| step.spans.into_iter().map(|span| span.lines).collect())
    }

    #[test]
    fn later_copies_go() {
        let block: String = (0..8).map(|i| format!("a line of a block that says something, {i}\n")).collect();
        let text = format!("{block}between\n{block}end\n{block}{}", "last\n".repeat(END_LINES));
        assert_eq!(gaps(&text), vec![9..17, 18..26]);
        assert_eq!(gaps(&format!("{block}between\n{}end\n", block.replace("block", "Block"))), vec![0..0; 0]);
        // Too short for a marker to pay.
        assert_eq!(gaps(&"a\nb\nc\nd\ne\nf\nx\na\nb\nc\nd\ne\nf\n".repeat(2)), vec![0..0; 0]);
    }

    #[test]
    fn the_marker_says_where_the_first_copy_stands() {
        let block: String = (0..8).map(|i| format!("a line of a block that says something, {i}\n")).collect();
        let text = format!("start\n{block}between\n{block}{}", "last\n".repeat(END_LINES));
        let source = Source::new(&text);
        let ledger = Ledger::new(&source);
        let ledger = ledger.apply(&source, reduce(&source, &ledger).unwrap()).unwrap();
        let shown = ledger.render(&source, None);
        assert!(shown.contains("omitted 8 lines 11-18, repeated_block: as lines 2-9]"), "{shown}");
        let text = format!("start\n{block}{block}{block}{}", "last\n".repeat(END_LINES));
        let source = Source::new(&text);
        let names: Vec<_> = reduce(&source, &Ledger::new(&source)).unwrap().spans;
        assert!(format!("{names:?}").contains("as lines 2-9, 2 times"), "{names:?}");
        assert_eq!(lines_in("as lines 2-9, 2 times"), Some((2, 9)));
    }
}
