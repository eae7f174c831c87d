//! Where lines stand that a reference points at.

use std::ops::Range;

use super::marker::{self, Marker};
use super::source::Source;

/// Where lines stand: in the result of a call, or in what the model wrote into one of its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The call's id.
    pub call: String,
    /// Its tool, as the host wrote it.
    pub tool: String,
    /// The argument; `None` for the result.
    pub argument: Option<String>,
}

impl Origin {
    /// The marker of lines that stand there from line `there` on, from 1.
    pub fn marker(&self, source: &Source<'_>, lines: &Range<usize>, there: usize) -> Marker {
        let (first, last) = source.numbers(lines);
        Marker::Shown { first, last, there, origin: self.clone() }
    }

    /// Whether a marker can name it so that it is read back as the same.
    pub fn can_be_named(&self) -> bool {
        [Some(&self.call), Some(&self.tool), self.argument.as_ref()]
            .into_iter()
            .flatten()
            .all(|name| marker::is_name(name))
    }
}
