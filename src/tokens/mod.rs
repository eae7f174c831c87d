//! Token counters: the number of tokens of a text.
//!
//! Counting is pure and needs no start-up; a counter never changes a text, never fails, and knows no
//! special tokens: `<|endoftext|>` in a tool's output is ordinary text.

mod bpe;
mod class;
mod heuristic;
mod lines;
mod merge;
mod scan;
mod split;
mod table;
#[cfg(test)]
mod tests;

pub use heuristic::estimate;
pub use lines::{LineCounts, Verbatim};

use serde::{Deserialize, Serialize};

/// A way to count the tokens of a text.
pub trait TokenCounter: Sync {
    /// The name in the evidence, for example `o200k`.
    fn name(&self) -> &'static str;

    /// The number of tokens that `text` costs.
    fn count(&self, text: &str) -> usize;

    /// The tokens of each line; `None` for a counter whose counts do not add up over lines.
    fn count_lines(&self, _text: &str) -> Option<LineCounts> {
        None
    }

    /// [`TokenCounter::count`] of a text that shows lines of another one, for which there are `counts`. Parts of
    /// `verbatim` that are not equal are counted like any other text.
    fn recount(&self, text: &str, _counts: &LineCounts, _other: Other<'_>, _verbatim: &[Verbatim]) -> usize {
        self.count(text)
    }
}

/// A text that was counted by lines, and the offset at which each line begins.
#[derive(Clone, Copy)]
pub struct Other<'a> {
    /// The text.
    pub text: &'a str,
    /// Offsets of its lines.
    pub starts: &'a [usize],
}

/// The counters that a policy can name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Tokenizer {
    /// Exactly as tiktoken's `o200k_base` counts.
    #[default]
    O200k,
    /// Exactly as tiktoken's `cl100k_base` counts.
    Cl100k,
    /// An estimate of o200k from the shape of the text, without a vocabulary.
    Heuristic,
}

/// The counter that `tokenizer` names.
pub fn counter(tokenizer: Tokenizer) -> &'static dyn TokenCounter {
    match tokenizer {
        Tokenizer::O200k => &bpe::O200k,
        Tokenizer::Cl100k => &bpe::Cl100k,
        Tokenizer::Heuristic => &heuristic::Heuristic,
    }
}
