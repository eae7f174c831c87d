//! Lays a vocabulary out as the token table of `src/tokens/table.rs`, and reads every token back.

use super::table;
use tiktoken::CoreBpe;

/// One vocabulary, ready to be written.
pub struct Layout {
    /// One byte for each bucket.
    pub pilots: Vec<u8>,
    /// Eight bytes for each slot.
    pub slots: Vec<u8>,
    /// Length of the longest token in bytes.
    pub longest: usize,
}

/// The layout of all ordinary tokens of `encoding`.
pub fn layout(encoding: &CoreBpe) -> Layout {
    let tokens: Vec<Vec<u8>> = (0..encoding.vocab_size())
        .map(|rank| encoding.decode(&[u32::try_from(rank).expect("a rank")]))
        .collect();
    assert!(tokens.iter().all(|token| !token.is_empty()), "the vocabulary has gaps");
    assert!(tokens.len() < 1 << table::RANK_BITS, "ranks do not fit their field");
    for byte in 0..=u8::MAX {
        assert!(tokens.iter().any(|token| token == &[byte]), "byte {byte} is no token");
    }
    let slots = (tokens.len() * 5 / 4).next_power_of_two();
    let hashes: Vec<u64> = tokens.iter().map(|token| table::hash(token)).collect();
    let (pilots, entries) = place(&hashes, slots / 4, slots);
    for (rank, token) in tokens.iter().enumerate() {
        let hash = table::hash(token);
        let pilot = pilots[table::bucket(hash, pilots.len())];
        let found = table::rank_in(entries[table::slot(hash, pilot, slots)], hash);
        assert_eq!(found as usize, rank, "a token does not find its own slot");
    }
    Layout {
        pilots,
        slots: entries.iter().flat_map(|entry| entry.to_le_bytes()).collect(),
        longest: tokens.iter().map(Vec::len).max().unwrap_or(0),
    }
}

/// Pilots and slots, such that every hash has a slot of its own. Full buckets are placed first, while
/// there is room.
fn place(hashes: &[u64], buckets: usize, slots: usize) -> (Vec<u8>, Vec<u64>) {
    let mut members = vec![Vec::new(); buckets];
    for (rank, hash) in hashes.iter().enumerate() {
        members[table::bucket(*hash, buckets)].push(rank);
    }
    let mut order: Vec<usize> = (0..buckets).collect();
    order.sort_by_key(|bucket| std::cmp::Reverse(members[*bucket].len()));
    let mut pilots = vec![0; buckets];
    // An empty slot has all bits set: no token has that rank.
    let mut entries = vec![u64::MAX; slots];
    let mut taken: Vec<usize> = Vec::new();
    for bucket in order {
        let pilot = (0..=u8::MAX).find(|pilot| {
            taken.clear();
            members[bucket].iter().all(|rank| {
                let slot = table::slot(hashes[*rank], *pilot, slots);
                let free = entries[slot] == u64::MAX && !taken.contains(&slot);
                taken.push(slot);
                free
            })
        });
        pilots[bucket] = pilot.expect("no pilot places this bucket: use more buckets");
        for (rank, slot) in members[bucket].iter().zip(&taken) {
            entries[*slot] = table::entry(hashes[*rank], u32::try_from(*rank).expect("a rank"));
        }
    }
    (pilots, entries)
}
