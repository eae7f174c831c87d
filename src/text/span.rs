//! Spans over source lines: what a step asks for, and what the ledger records.

use std::ops::Range;
use std::sync::Arc;

use crate::stop;
use crate::text::marker::Ago;
use crate::text::origin::Origin;
use crate::text::reason::Reason;

/// What happens to a run of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Shown unchanged.
    Keep,
    /// Not shown. Spans with the same `group` (not 0) share one marker, which is before the first; the lines
    /// between them are shown.
    Omit {
        /// Why.
        reason: Reason,
        /// Marker group; 0 for a separate marker.
        group: u32,
        /// The names in the shared marker, with the numbers of their lines; only in the first span.
        names: Option<Arc<str>>,
    },
    /// The first `period` lines are shown, the rest are repetitions of them.
    Repeat {
        /// The number of lines of the repeated block.
        period: usize,
    },
    /// Shown as another text with the same meaning; without a final newline.
    Replace {
        /// The text.
        text: String,
        /// Why.
        reason: Reason,
        /// Bytes that the text omits and marks itself; 0 for none.
        omitted_bytes: usize,
    },
    /// Not shown, since an earlier result shows the same lines, or the same outline of them.
    Refer {
        /// The origin that shows them.
        origin: Arc<Origin>,
        /// The number of the first line in the origin, from 1.
        origin_number: usize,
        /// The line number that the origin shows for it; 0 for none.
        view_number: usize,
        /// How far back they were shown.
        ago: Ago,
        /// Whether the model sees the ids of calls.
        shows_id: bool,
        /// Whether the origin shows only an outline of the lines: the same outline that would be shown here.
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

/// Adds a span for a run of lines, unless the run is empty.
pub(super) fn push_run(spans: &mut Vec<Span>, lines: Range<usize>, action: &Action) {
    if !lines.is_empty() {
        spans.push(Span { lines, action: action.clone() });
    }
}

/// Joins adjacent spans of the same kind.
pub(super) fn join(spans: &mut Vec<Span>) {
    spans.dedup_by(|next, last| {
        stop::check_sometimes();
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
