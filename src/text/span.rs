//! Spans over source lines: what a step asks for, and what the ledger keeps.

use std::ops::Range;
use std::sync::Arc;

use crate::text::origin::Origin;
use crate::text::reason::Reason;

/// What happens to a run of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Shown as they are.
    Keep,
    /// Not shown. Spans of one non-zero `group` share one marker, in front of the first; the lines
    /// between them are shown.
    Omit {
        /// Why.
        reason: Reason,
        /// 0 for a marker of its own.
        group: u32,
        /// What the lines that share the marker name, with the numbers of the lines; in the first span.
        names: Option<Arc<str>>,
    },
    /// The first `period` lines are shown, the rest are repetitions of them.
    Repeat {
        /// Lines of the block that repeats.
        period: usize,
    },
    /// Shown as another text that says the same; without a final newline.
    Replace {
        /// The text.
        text: String,
        /// Why.
        reason: Reason,
        /// Bytes that the text leaves out behind a marker of its own, 0 for none.
        omitted_bytes: usize,
    },
    /// Not shown, since an earlier result shows the same lines.
    Refer {
        /// Where they stand.
        origin: Arc<Origin>,
        /// The number of the first of them there, from 1.
        there: usize,
        /// The number that it carries there; 0 where it carries none.
        carried: usize,
        /// How many results ago they were shown.
        ago: usize,
        /// Whether the model sees the ids of calls.
        shows_id: bool,
    },
}

/// A run of lines and what happens to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Lines, from 0, end exclusive.
    pub lines: Range<usize>,
    /// What happens to them.
    pub action: Action,
}
