//! Byte pair merging: how many tokens a piece becomes that is not itself a token.
//!
//! The rule: while any two neighbours together are a token, join the pair with the lowest rank, and among equal
//! ranks the leftmost. It never builds the tokens, only their end positions.
//!
//! Short pieces are merged in arrays, longer ones through a heap, and pieces of more than [`CHUNK`] bytes in
//! chunks, so that time is linear and memory bounded however long a run is. Each cut between chunks is checked: the
//! bytes of the two tokens beside it are merged on their own. If that gives the same two tokens, no merge of the
//! whole piece crosses the cut. (Until the first merge that crosses a boundary, the whole piece is merged within
//! these bytes exactly as they are on their own.) If a check fails, the piece is merged without cuts.

use super::table::NO_RANK;
use std::{cmp::Reverse, collections::BinaryHeap};

/// Longest piece that is merged in arrays, in bytes; less than 256.
const MAX_ARRAY_BYTES: usize = 48;
/// Bytes of a long piece that are merged at a time.
const CHUNK: usize = 2048;
/// Bytes at the end of a chunk whose tokens are left to the next one: they depend on what follows.
const MARGIN: usize = 256;

const NONE: u32 = u32::MAX;

/// Buffers that all pieces of a text share.
#[derive(Default)]
pub struct Scratch {
    /// Ends of the tokens of the last merge.
    ends: Vec<u32>,
    short: Short,
    /// For the heap: one for each byte.
    links: Vec<Link>,
    /// Candidates, rank above position. Those whose link has changed since are stale.
    heap: BinaryHeap<Reverse<u64>>,
    /// Known runs, by their byte. Empty until the first.
    runs: Vec<Option<Run>>,
}

/// Runs of one byte.
#[derive(Clone, Default)]
struct Run {
    /// Bytes of the token that long runs consist of; 0 if they do not consist of one token.
    unit: usize,
    /// The remainders after such tokens, by their length.
    rests: Vec<Rest>,
}

/// The tokens of a run that is shorter than two units.
#[derive(Clone, Copy, Default)]
struct Rest {
    /// 0 if it was not merged yet.
    tokens: usize,
    /// Whether its tokens are the same after a unit.
    follows: bool,
}

/// Bytes of the run from which the unit is determined.
const LONG_RUN: usize = 1024;

/// The parts of a short piece, by the byte they start at. Sized so that no index of one byte can miss.
struct Short {
    /// Rank of the part joined with the next, [`NO_RANK`] also where no part starts any more.
    ranks: [u32; 256],
    /// Start of the part before.
    prev: [u8; 256],
    /// Start of the part after, which is this part's end.
    next: [u8; 256],
}

impl Default for Short {
    fn default() -> Self {
        Self { ranks: [NO_RANK; 256], prev: [0; 256], next: [0; 256] }
    }
}

/// The part that starts at a byte, if one does.
#[derive(Clone, Copy)]
struct Link {
    /// Start of the part before, [`NONE`] at the first.
    prev: u32,
    /// Start of the part after, which is this part's end; [`NONE`] if no part starts here any more.
    next: u32,
    /// Rank of this part joined with the next.
    rank: u32,
}

impl Scratch {
    /// Frees buffers that take more than about `bytes`.
    pub fn shrink(&mut self, bytes: usize) {
        if self.links.capacity() * size_of::<Link>() > bytes {
            *self = Self { runs: std::mem::take(&mut self.runs), ..Self::default() };
        }
    }
}

/// The number of tokens of `piece`, where `rank` returns the rank of a byte string.
pub fn count(piece: &[u8], rank: impl Fn(&[u8]) -> u32 + Copy, scratch: &mut Scratch) -> usize {
    if piece.len() <= MAX_ARRAY_BYTES {
        return merge_short(piece, rank, &mut scratch.short);
    }
    if piece[1..] == piece[..piece.len() - 1]
        && let Some(tokens) = count_run(piece, rank, scratch)
    {
        return tokens;
    }
    count_chunks(piece, rank, scratch, CHUNK, MARGIN)
}

/// The number of tokens of a run of one byte; `None` if it does not consist of equal tokens and a remainder.
fn count_run(piece: &[u8], rank: impl Fn(&[u8]) -> u32 + Copy, scratch: &mut Scratch) -> Option<usize> {
    let (byte, len) = (piece[0], piece.len());
    let mut runs = std::mem::take(&mut scratch.runs);
    runs.resize_with(256, || None);
    // The ends of the tokens of a run of this many bytes.
    let mut merged = |len: usize| {
        merge(&vec![byte; len], rank, scratch);
        scratch.ends.clone()
    };
    let run = runs[usize::from(byte)].get_or_insert_with(|| {
        let unit = merged(LONG_RUN)[0] as usize;
        let is_cut = 2 * unit <= LONG_RUN && merged(2 * unit) == [unit as u32, 2 * unit as u32];
        let unit = if is_cut { unit } else { 0 };
        Run { unit, rests: vec![Rest::default(); 2 * unit] }
    });
    let units = len.checked_div(run.unit).unwrap_or_default().saturating_sub(1);
    let length = len - units * run.unit;
    let tokens = run.rests.get_mut(length).and_then(|rest| {
        if rest.tokens == 0 {
            let ends = merged(length);
            let (tokens, first) = (ends.len(), ends[0]);
            let both = run.unit as u32 + first;
            *rest = Rest { tokens, follows: merged(both as usize) == [run.unit as u32, both] };
        }
        (units == 0 || rest.follows).then_some(units + rest.tokens)
    });
    scratch.runs = runs;
    tokens
}

/// [`count`] by chunks of `size` bytes. Without the last `margin` bytes a chunk must still be longer
/// than any token.
fn count_chunks(
    piece: &[u8],
    rank: impl Fn(&[u8]) -> u32 + Copy,
    scratch: &mut Scratch,
    size: usize,
    margin: usize,
) -> usize {
    let mut tokens = 0;
    let mut done = 0;
    let mut last_len = 0;
    // The previous chunk, its result, and the previous cut: in a run of one character or word, all chunks are equal.
    let (mut before, mut of_before): (&[u8], _) = (&[], StableTokens::default());
    let mut cut_before: (usize, &[u8]) = (0, &[]);
    while done < piece.len() {
        let chunk = &piece[done..piece.len().min(done + size)];
        let is_last = done + chunk.len() == piece.len();
        crate::stop::check();
        if is_last || chunk != before {
            merge(chunk, rank, scratch);
            let keep = if is_last { chunk.len() } else { chunk.len() - margin };
            (before, of_before) = (chunk, StableTokens::of(&scratch.ends, keep));
        }
        let StableTokens { tokens: kept, first_len, len, last_len: kept_last_len } = of_before;
        let cut = (last_len, &piece[done - last_len..done + first_len]);
        if done > 0 && cut != cut_before {
            cut_before = cut;
            merge(cut.1, rank, scratch);
            let apart = scratch.ends == [last_len as u32, (last_len + first_len) as u32];
            // Positions of the heap are 32 bits wide; only a piece beyond 4 GiB keeps a bad cut.
            if !apart && piece.len() < NONE as usize {
                merge(piece, rank, scratch);
                return scratch.ends.len();
            }
        }
        tokens += kept;
        done += len;
        last_len = kept_last_len;
    }
    tokens
}

/// The tokens of a chunk that do not depend on the text after it.
#[derive(Clone, Copy, Default)]
struct StableTokens {
    tokens: usize,
    /// Bytes of the first one.
    first_len: usize,
    /// Bytes of all.
    len: usize,
    /// Bytes of the last one.
    last_len: usize,
}

impl StableTokens {
    /// The tokens of a chunk that end within its first `keep` bytes; `ends` are the ends of all its tokens.
    fn of(ends: &[u32], keep: usize) -> Self {
        let tokens = ends.partition_point(|end| *end as usize <= keep);
        let end_of = |token: usize| ends.get(token).map_or(0, |end| *end as usize);
        let len = end_of(tokens - 1);
        let last_len = if tokens > 1 { len - end_of(tokens - 2) } else { len };
        Self { tokens, first_len: end_of(0), len, last_len }
    }
}

/// The number of tokens of `piece`, which has at most [`MAX_ARRAY_BYTES`] bytes.
fn merge_short(piece: &[u8], rank: impl Fn(&[u8]) -> u32, short: &mut Short) -> usize {
    let Short { ranks, prev, next } = short;
    let len = piece.len();
    for at in 0..len {
        ranks[at] = piece.get(at..at + 2).map_or(NO_RANK, &rank);
        prev[at] = at.wrapping_sub(1) as u8;
        next[at] = at as u8 + 1;
    }
    let mut tokens = len;
    loop {
        let mut at = 0;
        let mut lowest = NO_RANK;
        for (candidate, rank) in ranks[..len].iter().enumerate() {
            if *rank < lowest {
                (at, lowest) = (candidate, *rank);
            }
        }
        if lowest == NO_RANK {
            return tokens;
        }
        tokens -= 1;
        let joined = usize::from(next[at]);
        let end = next[joined];
        ranks[joined] = NO_RANK;
        next[at] = end;
        ranks[at] = NO_RANK;
        if usize::from(end) < len {
            prev[usize::from(end)] = at as u8;
            ranks[at] = rank(&piece[at..usize::from(next[usize::from(end)])]);
        }
        if at > 0 {
            let before = usize::from(prev[at]);
            ranks[before] = rank(&piece[before..usize::from(end)]);
        }
    }
}

/// Leaves the ends of the tokens of `piece` in `scratch.ends`.
fn merge(piece: &[u8], rank: impl Fn(&[u8]) -> u32 + Copy, scratch: &mut Scratch) {
    let Scratch { ends, links, heap, .. } = scratch;
    let len = piece.len();
    let mut candidates = std::mem::take(heap).into_vec();
    candidates.clear();
    links.clear();
    for at in 0..len {
        let rank = if at + 1 < len { rank(&piece[at..at + 2]) } else { NO_RANK };
        links.push(Link { prev: (at as u32).wrapping_sub(1), next: at as u32 + 1, rank });
        if rank != NO_RANK {
            candidates.push(candidate(rank, at));
        }
    }
    *heap = candidates.into();
    while let Some(Reverse(best)) = heap.pop() {
        let at = best as u32 as usize;
        let link = links[at];
        if link.next == NONE || u64::from(link.rank) != best >> 32 {
            continue;
        }
        let joined = link.next as usize;
        let end = links[joined].next as usize;
        links[joined].next = NONE;
        links[at].next = end as u32;
        if end < len {
            links[end].prev = at as u32;
        }
        for part in [link.prev as usize, at] {
            let Some(next) = links.get(part).map(|link| link.next as usize) else { continue };
            let pair_end = links.get(next).map(|link| link.next as usize);
            let rank = pair_end.map_or(NO_RANK, |pair_end| rank(&piece[part..pair_end]));
            links[part].rank = rank;
            if rank != NO_RANK {
                heap.push(candidate(rank, part));
            }
        }
    }
    ends.clear();
    let mut at = 0;
    while at < len {
        at = links[at].next as usize;
        ends.push(at as u32);
    }
}

fn candidate(rank: u32, at: usize) -> Reverse<u64> {
    Reverse(u64::from(rank) << 32 | at as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of every byte and of all lengths up to several units.
    #[test]
    fn a_run_is_what_it_is_merged_to() {
        let vocabulary = tiktoken::get_encoding("o200k_base").unwrap();
        let ranks: std::collections::HashMap<Vec<u8>, u32> =
            (0..vocabulary.vocab_size() as u32).map(|rank| (vocabulary.decode(&[rank]), rank)).collect();
        let rank = |bytes: &[u8]| ranks.get(bytes).copied().unwrap_or(NO_RANK);
        let (mut scratch, mut other) = (Scratch::default(), Scratch::default());
        let mut known = 0;
        for byte in b" -=_.*#/a0A\t\n\x80\xe2" {
            for len in (49..420).chain([700, 1000, 1501, 2047, 2049, 5000]) {
                let run = vec![*byte; len];
                merge(&run, rank, &mut other);
                let tokens = count_run(&run, rank, &mut scratch);
                assert!(tokens.is_none_or(|tokens| tokens == other.ends.len()), "{byte} {len}");
                known += usize::from(tokens.is_some());
            }
        }
        assert!(known > 14 * 377 * 9 / 10, "{known}");
    }

    /// Letters at random make many tokens near the end of a chunk that depend on what follows: with a tiny margin
    /// cuts fail, and the count must still be right.
    #[test]
    fn a_bad_cut_changes_no_count() {
        let vocabulary = tiktoken::get_encoding("o200k_base").unwrap();
        let ranks: std::collections::HashMap<Vec<u8>, u32> =
            (0..vocabulary.vocab_size() as u32).map(|rank| (vocabulary.decode(&[rank]), rank)).collect();
        let rank = |bytes: &[u8]| ranks.get(bytes).copied().unwrap_or(NO_RANK);
        let mut scratch = Scratch::default();
        let mut state = 1u64;
        for _ in 0..60 {
            let word: Vec<u8> = (0..700)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    b"etaoinshrdlu"[(state >> 33) as usize % 12]
                })
                .collect();
            merge(&word, rank, &mut scratch);
            let whole = scratch.ends.len();
            for margin in [1, 2, 3, 40] {
                assert_eq!(count_chunks(&word, rank, &mut scratch, 200, margin), whole);
            }
        }
        // Chunks that equal the previous one, up to a place where they differ.
        for run in ["-", "=", "ab", "\t", "ha-", "=+-"] {
            let mut word = run.repeat(700 / run.len()).into_bytes();
            for at in [0, 350, 699] {
                word.resize(700, b'x');
                word[at] = b'x';
                merge(&word, rank, &mut scratch);
                let whole = scratch.ends.len();
                assert_eq!(count_chunks(&word, rank, &mut scratch, 200, 40), whole);
            }
        }
    }
}
