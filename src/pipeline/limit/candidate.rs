//! A candidate for an outlier: a line that stands out among others, and the reason.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

/// The most lines that are remembered for one word or value.
pub(super) const MAX_LINES_PER_VALUE: usize = 16;

/// A line that stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The index of the line in the list of lines that was searched.
    pub place: usize,
    /// How many earlier candidates stand out for the same reason.
    pub nth: usize,
    /// How many candidates stand out for that reason.
    pub count: usize,
    /// Digest of the line's content and of the reason. One line per key is kept.
    pub key: u64,
    /// Whether another line that differs only in digits makes this one unnecessary.
    pub is_word: bool,
}

/// A digest that is the same on every machine and in every run.
pub(super) fn digest(value: &[u8], place: usize) -> u64 {
    FixedState::default().hash_one((value, place))
}
