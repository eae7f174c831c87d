//! Chooses the phrases of a dictionary: first the one that saves most tokens, then the next in the remaining text.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::atoms::Atoms;
use super::{MAX_ENTRIES, MIN_SAVED};
use crate::tokens::TokenCounter;

/// Fewest occurrences of a phrase.
pub const MIN_OCCURRENCES: usize = 3;
/// Shortest phrase in bytes. A choice: shorter ones save little and make the text harder to read.
const MIN_PHRASE: usize = 20;
/// Longest phrase in bytes. A choice: longer ones make the text hard to read.
pub const MAX_PHRASE: usize = 1024;
/// Most phrases that are evaluated exactly.
const MAX_CANDIDATES: usize = 256;
/// Most steps of the choice, as a multiple of the number of pieces.
const MAX_ROUNDS: usize = 32;
/// Most references in one line. A choice: a line with more look-ups can no longer be read by itself.
pub const MAX_IN_LINE: u8 = 2;
/// Bytes of a reference, and of a line of the legend without the phrase.
const REFERENCE_BYTES: usize = "<<F1:10>>".len();
const LEGEND_BYTES: usize = "<<F1:10>> = \"\"\n".len();

/// A phrase that repeats.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Its pieces at its first occurrence.
    pub start: usize,
    pub count: usize,
    /// The first pieces of all its occurrences, in order.
    pub occurrences: Vec<u32>,
    /// The occurrences as a range of the suffix array, before they are looked up.
    pub suffixes: Range<usize>,
    /// Bytes that it saves at most.
    bound: usize,
}

impl Candidate {
    /// A phrase with its occurrences as suffixes, if it may pay.
    pub fn run(atoms: &Atoms<'_>, start: usize, count: usize, suffixes: Range<usize>) -> Option<Self> {
        let bound = saved(atoms.bytes(start, count), suffixes.len())?;
        Some(Self { start, count, occurrences: Vec::new(), suffixes, bound })
    }

    /// A phrase with its occurrences, if it may pay.
    pub fn at(atoms: &Atoms<'_>, count: usize, occurrences: Vec<u32>) -> Option<Self> {
        let start = *occurrences.first()? as usize;
        let bound = saved(atoms.bytes(start, count), occurrences.len())?;
        Some(Self { start, count, occurrences, suffixes: 0..0, bound })
    }
}

/// Bytes that an entry saves, if it is long enough, not too long and saves enough.
fn saved(bytes: usize, occurrences: usize) -> Option<usize> {
    let gain = occurrences * bytes.checked_sub(REFERENCE_BYTES)?;
    let saved = gain.checked_sub(bytes + LEGEND_BYTES)?;
    (saved >= MIN_SAVED && (MIN_PHRASE..=MAX_PHRASE).contains(&bytes) && occurrences >= MIN_OCCURRENCES)
        .then_some(saved)
}

/// Keeps the phrases that may save most.
pub fn keep_best(candidates: &mut Vec<Candidate>) {
    let key = |c: &Candidate| (Reverse(c.bound), c.start, c.count);
    if candidates.len() > MAX_CANDIDATES {
        candidates.select_nth_unstable_by_key(MAX_CANDIDATES, key);
        candidates.truncate(MAX_CANDIDATES);
    }
    candidates.sort_unstable_by_key(key);
}

/// A phrase of the dictionary and the places at which it is replaced.
#[derive(Debug)]
pub struct Entry {
    /// Its first piece at its first occurrence.
    pub start: usize,
    /// Pieces.
    pub count: usize,
    /// The piece of every place, in order; no place overlaps another, of this entry or any other.
    pub places: Vec<u32>,
}

/// Chooses among candidates, and returns the number of steps.
pub fn choose(
    atoms: &Atoms<'_>,
    mut candidates: Vec<Candidate>,
    counter: &dyn TokenCounter,
) -> (Vec<Entry>, usize) {
    keep_best(&mut candidates);
    let reference = counter.count("<<F1:10>>");
    let legend = counter.count("<<F1:10>> = \"\"\n");
    let mut tokens: Vec<Option<usize>> = vec![None; candidates.len()];
    let mut covered = Covered::new(atoms);
    // The savings of each candidate, and after how many choices they were computed: a choice can only reduce the
    // savings of others. At first an estimate of two bytes per token.
    let mut heap: BinaryHeap<(usize, Reverse<usize>, Option<usize>)> =
        candidates.iter().enumerate().map(|(i, c)| (c.bound / 2, Reverse(i), None)).collect();
    let mut chosen: Vec<Entry> = Vec::new();
    let mut steps = 0;
    while let Some((_, Reverse(i), known)) = heap.pop() {
        let candidate = &candidates[i];
        steps += candidate.occurrences.len();
        if chosen.len() == MAX_ENTRIES || steps > MAX_ROUNDS * atoms.ids.len() {
            break;
        }
        let places = covered.free(atoms, candidate);
        if known == Some(chosen.len()) {
            covered.add(atoms, &places, candidate.count);
            steps += atoms.ids.len();
            chosen.push(Entry { start: candidate.start, count: candidate.count, places });
            continue;
        }
        let text = atoms.slice(candidate.start, candidate.count);
        if saved(text.len(), places.len()).is_none() {
            continue;
        }
        let each = *tokens[i].get_or_insert_with(|| counter.count(text));
        let gain = places.len() * each.saturating_sub(reference);
        if let Some(net) = gain.checked_sub(each + legend).filter(|net| *net > 0) {
            heap.push((net, Reverse(i), Some(chosen.len())));
        }
    }
    (chosen, steps)
}

/// The pieces that are a part of a chosen phrase.
struct Covered {
    is: Vec<bool>,
    /// For each piece, the number of covered pieces before it.
    before: Vec<u32>,
    /// The number of references in each line.
    references: Vec<u8>,
}

impl Covered {
    fn new(atoms: &Atoms<'_>) -> Self {
        let pieces = atoms.ids.len();
        Self {
            is: vec![false; pieces],
            before: vec![0; pieces + 1],
            references: vec![0; atoms.line(pieces) + 1],
        }
    }

    /// The free places of a candidate, without overlaps, in lines that may take another reference.
    fn free(&self, atoms: &Atoms<'_>, candidate: &Candidate) -> Vec<u32> {
        let (mut end, mut last, mut in_line) = (0, usize::MAX, 0);
        let is_free = |at: &u32| {
            let at = *at as usize;
            let line = atoms.line(at);
            if line != last {
                (last, in_line) = (line, self.references[line]);
            }
            let free = at >= end
                && in_line < MAX_IN_LINE
                && self.before[at] == self.before[at + candidate.count]
                && !atoms.is_whole_line(at, candidate.count);
            if free {
                end = at + candidate.count;
                in_line += 1;
            }
            free
        };
        candidate.occurrences.iter().copied().filter(is_free).collect()
    }

    fn add(&mut self, atoms: &Atoms<'_>, places: &[u32], count: usize) {
        for &place in places {
            self.is[place as usize..place as usize + count].fill(true);
            self.references[atoms.line(place as usize)] += 1;
        }
        for (i, &is) in self.is.iter().enumerate() {
            self.before[i + 1] = self.before[i] + u32::from(is);
        }
    }
}
