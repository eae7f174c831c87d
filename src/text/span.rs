//! Spans over source lines: what a step asks for, and what the ledger keeps.

use std::ops::Range;
use std::sync::Arc;

use crate::stop;
use crate::text::marker::Ago;
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
    /// Not shown, since an earlier result shows the same lines, or the same outline of them.
    Refer {
        /// What shows them.
        origin: Arc<Origin>,
        /// The number of the first of them there, from 1.
        there: usize,
        /// The number that it carries there; 0 where it carries none.
        carried: usize,
        /// How far back they were shown.
        ago: Ago,
        /// Whether the model sees the ids of calls.
        shows_id: bool,
        /// Whether that result shows only an outline of the lines, the same that would be shown here.
        is_outline: bool,
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

/// Adds a span for a run of lines; an empty one is none.
pub(super) fn push_run(spans: &mut Vec<Span>, lines: Range<usize>, action: &Action) {
    if !lines.is_empty() {
        spans.push(Span { lines, action: action.clone() });
    }
}

/// Joins neighbours of the same kind.
pub(super) fn join(spans: &mut Vec<Span>) {
    spans.dedup_by(|next, last| {
        stop::tick();
        let same = match (&last.action, &next.action) {
            (Action::Keep, Action::Keep) => true,
            (a @ Action::Omit { .. }, b @ Action::Omit { .. }) => a == b,
            _ => false,
        };
        if same {
            last.lines.end = next.lines.end;
        }
        same
    });
}
