//! A removal batch: results that are removed together, and the calculation that shows that this pays. Only data, no
//! decisions.

use crate::text::marker::RemovalReason;

/// The numbers in the calculation of whether a batch pays.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sum {
    /// Tokens that are removed.
    pub removed: usize,
    /// Tokens that stay, are after the first removed result, and are in the provider's cache.
    pub behind: usize,
    /// Expected further requests, including the next one.
    pub requests: usize,
    /// Extra price of writing a token to the cache, as a multiple of the read price.
    pub factor: f64,
    /// The gain, in tokens read from the cache.
    pub gain: i64,
}

/// Results that are removed together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// The number of each result in the conversation, and why it may be removed. Empty if no batch pays.
    pub gone: Vec<(usize, RemovalReason)>,
    /// The calculation on which the decision is based.
    pub sum: Sum,
}
