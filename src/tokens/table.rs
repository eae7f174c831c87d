//! The token table: the rank of a byte string, from one static array, without any start-up.
//!
//! The build script includes this very file to lay the tables out, so the writer and the reader
//! cannot disagree. It never allocates, and it never holds the tokens' own bytes.
//!
//! # Format
//!
//! A perfect hash by pilots. A 64-bit hash of the bytes chooses a bucket; the bucket's pilot byte and
//! the hash choose one slot of eight bytes, little-endian: 46 bits of the hash (the fingerprint)
//! above 18 bits of rank. Every token has a slot of its own, which the build script verifies, so a
//! token is always found. A string that is not a token is taken for one only if all 46 bits agree:
//! with probability 2⁻⁴⁶ a lookup, which is one wrong lookup in some 70 TB of distinct words.

/// "Not a token"; it sorts after every rank.
pub const NO_RANK: u32 = u32::MAX;

/// Bits of a slot that hold the rank. Both vocabularies have fewer than 2¹⁸ tokens.
pub const RANK_BITS: u32 = 18;

const RANK_MASK: u64 = (1 << RANK_BITS) - 1;

// Odd constants with about half their bits set: the fractions of √2, √3, √5 and √7.
const K0: u64 = 0x6a09_e667_f3bc_c909;
const K1: u64 = 0xbb67_ae85_84ca_a73b;
const K2: u64 = 0x3c6e_f372_fe94_f82b;
const K3: u64 = 0xa54f_f53a_5f1d_36f1;

/// Both halves of the 128-bit product: each bit of the result depends on all bits of both factors.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    (wide >> 64) as u64 ^ wide as u64
}

/// Longest string that is hashed in one step, in bytes.
const MAX_WHOLE_HASH_BYTES: usize = 16;

/// The 64-bit hash of a byte string.
#[inline(always)]
pub fn hash(bytes: &[u8]) -> u64 {
    if bytes.len() > MAX_WHOLE_HASH_BYTES {
        return hash_long(bytes);
    }
    let mut padded = [0; MAX_WHOLE_HASH_BYTES];
    padded[..bytes.len()].copy_from_slice(bytes);
    hash_short(&padded, bytes.len())
}

/// [`hash`] of `len` bytes of a longer string, read past their end where that is possible.
#[inline(always)]
#[allow(dead_code, reason = "the build script hashes tokens alone")]
pub fn hash_in(bytes: &[u8], start: usize, len: usize) -> u64 {
    match bytes.get(start..).and_then(<[u8]>::first_chunk::<MAX_WHOLE_HASH_BYTES>) {
        Some(here) if len <= MAX_WHOLE_HASH_BYTES => {
            let [low, high] = MASKS[len];
            let [a, b] = halves(here);
            hash_halves(a & low, b & high, len)
        }
        _ => hash(&bytes[start..start + len]),
    }
}

/// For each length, the mask of the used bytes among sixteen.
static MASKS: [[u64; 2]; MAX_WHOLE_HASH_BYTES + 1] = {
    let mut masks = [[0; 2]; MAX_WHOLE_HASH_BYTES + 1];
    let mut len = 0;
    while len <= MAX_WHOLE_HASH_BYTES {
        let mut byte = 0;
        while byte < len {
            masks[len][byte / 8] |= 0xff << (byte % 8 * 8);
            byte += 1;
        }
        len += 1;
    }
    masks
};

#[inline(always)]
fn hash_short(padded: &[u8; MAX_WHOLE_HASH_BYTES], len: usize) -> u64 {
    let [low, high] = halves(padded);
    hash_halves(low, high, len)
}

#[inline(always)]
fn hash_halves(low: u64, high: u64, len: usize) -> u64 {
    fold(fold(low ^ K0, high ^ K1) ^ len as u64, K2)
}

/// [`hash`] for more than sixteen bytes.
fn hash_long(bytes: &[u8]) -> u64 {
    let mut state = K3;
    let (pairs, _) = bytes.as_chunks::<16>();
    let tail = bytes.last_chunk::<16>();
    for pair in pairs.iter().chain(tail) {
        let [a, b] = halves(pair);
        state = fold(a ^ state, b ^ K1);
    }
    fold(state ^ bytes.len() as u64, K2)
}

#[inline(always)]
fn halves(pair: &[u8; 16]) -> [u64; 2] {
    let wide = u128::from_le_bytes(*pair);
    [wide as u64, (wide >> 64) as u64]
}

/// The bucket of `hash` among `buckets`, a power of two.
#[inline(always)]
pub fn bucket(hash: u64, buckets: usize) -> usize {
    (hash >> 40) as usize & (buckets - 1)
}

/// The slot of `hash` among `slots`, a power of two, under the pilot of its bucket.
#[inline(always)]
pub fn slot(hash: u64, pilot: u8, slots: usize) -> usize {
    ((hash ^ u64::from(pilot).wrapping_mul(K3)).wrapping_mul(K0) >> 40) as usize & (slots - 1)
}

/// The content of the slot of a token.
#[allow(dead_code, reason = "only the build script writes tables")]
pub fn entry(hash: u64, rank: u32) -> u64 {
    hash << RANK_BITS | u64::from(rank)
}

/// The rank in `entry` if it belongs to `hash`, else [`NO_RANK`].
#[inline(always)]
pub fn rank_in(entry: u64, hash: u64) -> u32 {
    if (entry ^ (hash << RANK_BITS)) >> RANK_BITS == 0 { (entry & RANK_MASK) as u32 } else { NO_RANK }
}
