//! An outlier: a line that stands out among others, and by what.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

/// Lines that are remembered for each word or value.
pub(super) const MAX_LINES_PER_VALUE: usize = 16;

/// A line that stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// Which of the lines that were given.
    pub place: usize,
    /// How many earlier candidates stand out for the same reason.
    pub nth: usize,
    /// How many candidates stand out for that reason.
    pub count: usize,
    /// Digest of what it says, and of why it stands out. One candidate per key is enough.
    pub key: u64,
    /// Whether a line that is like it but for digits says the same.
    pub is_word: bool,
}

/// A digest that is the same everywhere.
pub(super) fn digest(value: &[u8], place: usize) -> u64 {
    FixedState::default().hash_one((value, place))
}
