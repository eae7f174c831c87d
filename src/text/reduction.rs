//! The result of a step: spans over source lines. The ledger applies them.

use std::ops::Range;
use std::sync::Arc;

use crate::text::reason::Reason;
use crate::text::span::{Action, Span};

/// What a step asks for: spans in order, without overlap; lines in no span are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reduction {
    /// The spans.
    pub spans: Vec<Span>,
    /// Whether trailing white space of kept lines is removed.
    pub trim_line_ends: bool,
    /// Whether blanks before the line numbers of a file view are removed.
    pub trim_numbers: bool,
}

impl Reduction {
    /// Sorts the spans from index `from` on by their lines.
    pub fn order(&mut self, from: usize) {
        self.spans[from..].sort_by_key(|span| span.lines.start);
    }

    /// The reduction, or the error that there is nothing to do.
    pub fn unless_empty(self) -> Result<Self, Reason> {
        if self.is_empty() { Err(Reason::NothingToDo) } else { Ok(self) }
    }

    /// Hides lines under a marker of their own.
    pub fn omit(&mut self, lines: Range<usize>, reason: Reason) {
        self.push(lines, Action::Omit { reason, group: 0, names: None });
    }

    /// Hides lines under the shared marker of a group.
    pub fn omit_in(&mut self, lines: Range<usize>, reason: Reason, group: u32) {
        self.omit_named(lines, reason, group, "");
    }

    /// Hides lines under the marker of a group (0 for a marker of their own), which lists names.
    pub fn omit_named(&mut self, lines: Range<usize>, reason: Reason, group: u32, names: &str) {
        let names = Some(Arc::from(names)).filter(|_| !names.is_empty());
        self.push(lines, Action::Omit { reason, group, names });
    }

    /// Shows `text` in place of the lines.
    pub fn replace(&mut self, lines: Range<usize>, text: String, reason: Reason) {
        self.push(lines, Action::Replace { text, reason, omitted_bytes: 0 });
    }

    /// Shows `text` in place of the lines; the text omits `bytes` bytes and has its own marker for them.
    pub fn cut_into(&mut self, lines: Range<usize>, text: String, reason: Reason, bytes: usize) {
        self.push(lines, Action::Replace { text, reason, omitted_bytes: bytes });
    }

    /// Adds a span; an empty one is ignored, and one that continues the last one is joined to it.
    pub fn push(&mut self, lines: Range<usize>, action: Action) {
        if lines.is_empty() {
            return;
        }
        if let Some(last) = self.spans.last_mut()
            && last.lines.end == lines.start
            && last.action == action
            && matches!(action, Action::Omit { .. } | Action::Keep)
        {
            last.lines.end = lines.end;
            return;
        }
        self.spans.push(Span { lines, action });
    }

    /// Whether some lines would be shown in another form.
    pub fn rewrites(&self) -> bool {
        self.trim_line_ends
            || self.trim_numbers
            || self.spans.iter().any(|span| matches!(span.action, Action::Replace { .. }))
    }

    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        !self.trim_line_ends && !self.trim_numbers && self.spans.iter().all(|s| s.action == Action::Keep)
    }
}
