//! What an agent used of earlier results, at any distance.

use super::references::WHOLE;

/// Something that the agent wrote and could know from results alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Need {
    /// What it wrote.
    pub text: String,
    /// The type of the reference.
    pub kind: &'static str,
    /// The places of the results before it that hold the text.
    pub results: Vec<usize>,
    /// The answer that needed it, by its place.
    pub answer: usize,
}

impl Need {
    /// Whether a word alone does not satisfy it.
    pub(in crate::cli) fn is_whole(&self) -> bool {
        WHOLE.contains(&self.kind)
    }
}
