//! Repeated sequences of pieces by Re-Pair (Larsson and Moffat): the most frequent pair becomes one symbol, until no
//! pair occurs three times. Every symbol is a phrase. n log n in the number of pieces.

use std::collections::{BinaryHeap, HashMap};

use super::atoms::Atoms;
use super::select::{Candidate, MAX_PHRASE, MIN_OCCURRENCES};

const NONE: u32 = u32::MAX;

type Pair = (u32, u32);

/// Where a pair occurs.
#[derive(Default)]
struct Places {
    /// How often it occurs now; runs of one symbol count each neighbour.
    count: usize,
    /// Every place where it has occurred.
    all: Vec<u32>,
}

/// The sequence of symbols, each at its first piece.
struct Sequence {
    symbols: Vec<u32>,
    /// For each symbol in the sequence, the places of the next and the previous one.
    next: Vec<u32>,
    before: Vec<u32>,
    /// For each symbol in the sequence, its number of pieces.
    length: Vec<u32>,
    pairs: HashMap<Pair, Places, foldhash::fast::FixedState>,
    heap: BinaryHeap<(usize, Pair)>,
    steps: usize,
}

/// The phrases that may pay, and the number of steps of the search.
pub fn candidates(atoms: &Atoms<'_>) -> (Vec<Candidate>, usize) {
    let mut sequence = Sequence::new(atoms);
    let mut found = Vec::new();
    let mut symbol = atoms.kinds as u32;
    while let Some((count, pair)) = sequence.heap.pop() {
        sequence.steps += 1;
        let now = sequence.pairs.get(&pair).map_or(0, |places| places.count);
        if now < count {
            if now >= MIN_OCCURRENCES {
                sequence.heap.push((now, pair));
            }
            continue;
        }
        let Some(places) = sequence.pairs.remove(&pair) else { continue };
        let Some(&first) = places.all.iter().find(|&&at| sequence.stands(at, pair)) else { continue };
        let pieces = sequence.pieces(first);
        if atoms.bytes(first as usize, pieces) > MAX_PHRASE {
            continue;
        }
        let replaced = sequence.replace(pair, &places.all, symbol);
        symbol += 1;
        if replaced.len() >= MIN_OCCURRENCES {
            found.extend(inside_lines(atoms, pieces, replaced));
        }
    }
    (found, sequence.steps)
}

/// A phrase without the line ends around it: lines that a reference joins are hard to read.
fn inside_lines(atoms: &Atoms<'_>, pieces: usize, mut places: Vec<u32>) -> Option<Candidate> {
    let (mut start, mut end) = (*places.first()? as usize, *places.first()? as usize + pieces);
    let is_line_end = |at: usize| atoms.slice(at, 1) == "\n";
    while start < end && is_line_end(start) {
        start += 1;
        places.iter_mut().for_each(|place| *place += 1);
    }
    while start < end && is_line_end(end - 1) {
        end -= 1;
    }
    Candidate::at(atoms, end - start, places)
}

impl Sequence {
    fn new(atoms: &Atoms<'_>) -> Self {
        let n = atoms.ids.len() as u32;
        let mut out = Self {
            symbols: atoms.ids.clone(),
            next: (1..=n).map(|i| if i == n { NONE } else { i }).collect(),
            before: (0..n).map(|i| i.checked_sub(1).unwrap_or(NONE)).collect(),
            length: vec![1; n as usize],
            pairs: HashMap::default(),
            heap: BinaryHeap::new(),
            steps: 0,
        };
        for at in 1..n {
            let pair = (out.symbols[at as usize - 1], out.symbols[at as usize]);
            out.pairs.entry(pair).or_default().add(at - 1);
        }
        let often = out.pairs.iter().filter(|(_, places)| places.count >= MIN_OCCURRENCES);
        out.heap = often.map(|(pair, places)| (places.count, *pair)).collect();
        out
    }

    /// The pair of the symbol at `at` and the next.
    fn pair(&self, at: u32) -> Option<Pair> {
        let next = *self.next.get(at as usize)?;
        Some((*self.symbols.get(at as usize)?, *self.symbols.get(next as usize)?))
    }

    fn stands(&self, at: u32, pair: Pair) -> bool {
        // Places inside a longer symbol are not symbols.
        self.length[at as usize] > 0 && self.pair(at) == Some(pair)
    }

    /// Pieces of the pair at `at`.
    fn pieces(&self, at: u32) -> usize {
        (self.length[at as usize] + self.length[self.next[at as usize] as usize]) as usize
    }

    /// Replaces a pair by one symbol everywhere; returns the places.
    fn replace(&mut self, pair: Pair, places: &[u32], symbol: u32) -> Vec<u32> {
        let mut replaced = Vec::new();
        let mut grown: Vec<Pair> = Vec::new();
        self.steps += places.len();
        // Places are in the order of the text only while the same symbols exist.
        let mut places = places.to_vec();
        places.sort_unstable();
        places.dedup();
        for at in places {
            if !self.stands(at, pair) {
                continue;
            }
            let second = self.next[at as usize];
            let (before, after) = (self.before[at as usize], self.next[second as usize]);
            for lost in [before, second] {
                if let Some(places) = self.pair(lost).and_then(|pair| self.pairs.get_mut(&pair)) {
                    places.count = places.count.saturating_sub(1);
                }
            }
            self.symbols[at as usize] = symbol;
            self.length[at as usize] += self.length[second as usize];
            self.length[second as usize] = 0;
            self.next[at as usize] = after;
            if after != NONE {
                self.before[after as usize] = at;
            }
            for new in [before, at] {
                if let Some(pair) = self.pair(new) {
                    self.pairs.entry(pair).or_default().add(new);
                    grown.push(pair);
                }
            }
            replaced.push(at);
        }
        self.steps += grown.len();
        for pair in grown {
            let count = self.pairs.get(&pair).map_or(0, |places| places.count);
            if count >= MIN_OCCURRENCES {
                self.heap.push((count, pair));
            }
        }
        replaced
    }
}

impl Places {
    fn add(&mut self, at: u32) {
        self.count += 1;
        self.all.push(at);
    }
}
