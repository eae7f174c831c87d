//! Token counters: what a text costs a model.
//!
//! Counting is pure and needs no start-up; a counter never changes a text.

/// A way to count the tokens of a text.
pub trait TokenCounter: Sync {
    /// The name that stands in the evidence, for example `o200k`.
    fn name(&self) -> &'static str;

    /// The number of tokens that `text` costs.
    fn count(&self, text: &str) -> usize;
}
