//! A batch of results that are removed together, and the sum that decided it. It decides nothing.

use crate::text::marker::RemovedWhy;

/// The sum that decided.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sum {
    /// Tokens that go.
    pub removed: usize,
    /// Tokens that stay behind the first that go, and that the provider's cache holds.
    pub behind: usize,
    /// Requests to come, the next one included.
    pub requests: usize,
    /// Extra price of writing a token to the cache, as a multiple of the read price.
    pub factor: f64,
    /// What it gains, in tokens read.
    pub gain: i64,
}

/// Results that go together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// Each by its number in the order of the conversation, and why it may go. None where nothing pays.
    pub gone: Vec<(usize, RemovedWhy)>,
    /// The sum.
    pub sum: Sum,
}
