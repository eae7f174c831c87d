//! Finds repeated runs of pieces inside lines, by a suffix array: every run that cannot be extended on either side
//! without losing an occurrence. n log n in the number of pieces.

use super::atoms::Atoms;
use super::select::{Candidate, MIN_OCCURRENCES};

/// Most occurrences of phrases that are looked up, as a multiple of the number of pieces.
const MAX_PLACES: usize = 16;

/// Whether the occurrences of a run all have the same piece before them, and which.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Same(u32),
    Different,
}

impl Left {
    fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::Different }
    }
}

/// The runs that may pay, and the number of steps of the search.
pub fn candidates(atoms: &Atoms<'_>) -> (Vec<Candidate>, usize) {
    let ids = &atoms.ids;
    let (order, mut steps) = suffix_array(ids, atoms.kinds);
    let common = common_prefixes(ids, &order);
    let left = |suffix: u32| match suffix.checked_sub(1) {
        Some(before) => Left::Same(ids[before as usize]),
        None => Left::Different,
    };
    let mut found = Vec::new();
    // Open intervals of the suffix array: the common length, the first suffix, and the piece before the
    // occurrences.
    let mut open: Vec<(u32, usize, Left)> = Vec::new();
    for i in 1..=order.len() {
        steps += 1;
        let length = common.get(i).copied().unwrap_or(0);
        let mut start = i - 1;
        let mut before = left(order[i - 1]);
        while let Some((long, first, seen)) = open.pop_if(|(long, ..)| *long > length) {
            start = first;
            before = before.and(seen);
            let count = i - first;
            if count >= MIN_OCCURRENCES && before == Left::Different {
                let at = order[first] as usize;
                found.push(Candidate::run(atoms, at, long as usize, first..i));
            }
        }
        match open.last_mut() {
            Some((top, _, seen)) if *top == length => *seen = seen.and(before),
            _ if length > 0 => open.push((length, start, before)),
            _ => {}
        }
    }
    let mut found: Vec<Candidate> = found.into_iter().flatten().collect();
    super::select::keep_best(&mut found);
    // In a text that repeats one phrase, phrases share their places, so not all places are looked up.
    let mut room = MAX_PLACES * ids.len();
    found.retain_mut(|candidate| {
        let count = candidate.suffixes.len();
        if count > room {
            return false;
        }
        room -= count;
        steps += count;
        candidate.occurrences = order[candidate.suffixes.clone()].to_vec();
        candidate.occurrences.sort_unstable();
        true
    });
    (found, steps)
}

/// The order of all suffixes, by doubling: each round sorts by twice as many pieces.
fn suffix_array(ids: &[u32], kinds: usize) -> (Vec<u32>, usize) {
    let n = ids.len();
    if n == 0 {
        return (Vec::new(), 0);
    }
    let mut rank: Vec<u32> = ids.to_vec();
    let mut next = vec![0u32; n];
    let mut order: Vec<u32> = vec![0; n];
    let mut by_second: Vec<u32> = (0..n as u32).collect();
    let mut counts = vec![0u32; kinds.max(n) + 1];
    let mut classes = kinds;
    let mut width = 1;
    let mut steps = 0;
    let mut first = true;
    loop {
        steps += n;
        if !first {
            by_second.clear();
            by_second.extend((n - width.min(n)) as u32..n as u32);
            by_second.extend(order.iter().filter(|&&i| i as usize >= width).map(|&i| i - width as u32));
        }
        counts[..=classes].fill(0);
        rank.iter().for_each(|&r| counts[r as usize + 1] += 1);
        for i in 1..=classes {
            counts[i] += counts[i - 1];
        }
        for &i in &by_second {
            let slot = &mut counts[rank[i as usize] as usize];
            order[*slot as usize] = i;
            *slot += 1;
        }
        let second = |i: u32| if first { None } else { rank.get(i as usize + width).copied() };
        let mut class = 0;
        for pair in 0..n {
            let (a, b) = (order[pair.saturating_sub(1)], order[pair]);
            let same = rank[a as usize] == rank[b as usize] && second(a) == second(b);
            class += u32::from(!same);
            next[b as usize] = class;
        }
        std::mem::swap(&mut rank, &mut next);
        classes = class as usize + 1;
        if classes == n {
            break;
        }
        width = if first { 1 } else { width * 2 };
        first = false;
    }
    (order, steps)
}

/// For each suffix in order, the number of pieces that it shares with the one before it (Kasai).
fn common_prefixes(ids: &[u32], order: &[u32]) -> Vec<u32> {
    let n = ids.len();
    let mut rank = vec![0usize; n];
    for (i, &suffix) in order.iter().enumerate() {
        rank[suffix as usize] = i;
    }
    let mut common = vec![0u32; n];
    let mut length = 0;
    for suffix in 0..n {
        let Some(before) = rank[suffix].checked_sub(1) else {
            length = 0;
            continue;
        };
        let other = order[before] as usize;
        while suffix.max(other) + length < n && ids[suffix + length] == ids[other + length] {
            length += 1;
        }
        common[rank[suffix]] = length as u32;
        length = length.saturating_sub(1);
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn suffixes_are_in_order(ids in proptest::collection::vec(0u32..4, 0..60)) {
            let (order, _) = suffix_array(&ids, 4);
            let mut expected: Vec<u32> = (0..ids.len() as u32).collect();
            expected.sort_by_key(|&i| &ids[i as usize..]);
            prop_assert_eq!(&order, &expected);
            let common = common_prefixes(&ids, &order);
            for pair in 1..ids.len() {
                let (a, b) = (&ids[order[pair - 1] as usize..], &ids[order[pair] as usize..]);
                let shared = a.iter().zip(b).take_while(|(a, b)| a == b).count();
                prop_assert_eq!(common[pair] as usize, shared);
            }
        }
    }
}
