//! What an agent used from earlier results, at any distance.

use super::references::WHOLE;

/// A text that the agent wrote and could only know from results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Need {
    /// The text that the agent wrote.
    pub text: String,
    /// The type of the reference.
    pub kind: &'static str,
    /// The indexes of the earlier results that contain the text.
    pub results: Vec<usize>,
    /// The index of the answer that needed it.
    pub answer: usize,
}

impl Need {
    /// Whether the whole text must be shown in one place, and not just a word of it.
    pub(in crate::cli) fn is_whole(&self) -> bool {
        WHOLE.contains(&self.kind)
    }
}
