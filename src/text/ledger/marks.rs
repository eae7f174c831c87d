//! Which gaps of a cut get a mark of their own.

use super::{CAP_GROUPS, Ledger, MAX_LINES_BETWEEN_TIMES, MAX_REFERENCES_IN_MARKER, MAX_RULES};
use crate::text::line_position::{Place, numbered, place};
use crate::text::maps::Map;
use crate::text::reason::Reason;
use crate::text::source::Source;
use crate::text::span::{Action, Span};

impl Ledger {
    /// Indexes of the gaps of a cut, after the first one of a marker, that need a short mark, so that a reader does
    /// not take the lines around them for neighbours.
    pub fn gap_marks(&self, source: &Source<'_>) -> Vec<usize> {
        let mut seen = [false; (u32::MAX - CAP_GROUPS) as usize + 1];
        let mut marked = Vec::new();
        // Whether a gap of a cut with a marker or mark stands directly above.
        let mut is_below_mark = false;
        for (at, span) in self.spans.iter().enumerate() {
            let Action::Omit { group: group @ CAP_GROUPS.., .. } = span.action else {
                is_below_mark = false;
                continue;
            };
            let is_further = std::mem::replace(&mut seen[(group - CAP_GROUPS) as usize], true);
            let is_marked = is_further && !is_below_mark && self.needs_mark(source, at);
            if is_marked {
                marked.push(at);
            }
            is_below_mark |= is_marked || !is_further;
        }
        marked
    }

    /// Indexes of the references that the marker of the reference directly before them names too.
    pub fn joined_references(&self) -> Vec<usize> {
        let mut joined = Vec::new();
        let mut in_marker = 0;
        for (at, span) in self.spans.iter().enumerate() {
            in_marker = match span.action {
                Action::Refer { is_outline: false, .. } => 1 + in_marker % MAX_REFERENCES_IN_MARKER,
                _ => 0,
            };
            if in_marker > 1 {
                joined.push(at);
            }
        }
        joined
    }

    /// The number of hidden lines of each group.
    pub fn hidden_in_groups(&self) -> Map<u32, usize> {
        self.group_ranges().into_iter().map(|(group, (count, ..))| (group, count)).collect()
    }

    /// Whether a reader could overlook a gap: the lines around it show no line numbers or times.
    fn needs_mark(&self, source: &Source<'_>, at: usize) -> bool {
        let Some(Span { lines, action: Action::Omit { group: CAP_GROUPS.., reason, .. } }) =
            self.spans.get(at)
        else {
            return false;
        };
        // Under a budget, a mark would take the tokens of a failure line.
        if matches!(reason, Reason::Budget | Reason::Externalized) {
            return false;
        }
        // A gap with only blank lines and rules needs no mark.
        let says =
            |line: usize| source.line(line).bytes().any(|b| b.is_ascii_alphanumeric() || !b.is_ascii());
        if lines.len() <= MAX_RULES && !lines.clone().any(says) {
            return false;
        }
        let is_kept = |span: Option<&Span>| span.is_some_and(|span| span.action == Action::Keep);
        let before = at.checked_sub(1).and_then(|before| self.spans.get(before));
        let is_evident = is_kept(before)
            && is_kept(self.spans.get(at + 1))
            && is_evident(source.line(lines.start - 1), lines.len(), source.line(lines.end));
        !is_evident
    }
}

/// Whether two lines with `hidden` lines between them show by themselves that some are missing.
fn is_evident(before: &str, hidden: usize, after: &str) -> bool {
    match place(before).min(place(after)) {
        Place::Number => match (numbered(before), numbered(after)) {
            (Some((first, above)), Some((last, below))) => {
                // Fewer numbers than lines: they do not count lines. A reader may take two rows for one table.
                let are_rows = above.trim_start().starts_with('|') && below.trim_start().starts_with('|');
                last.saturating_sub(first) > hidden && !are_rows
            }
            _ => true,
        },
        Place::Time => hidden <= MAX_LINES_BETWEEN_TIMES,
        Place::Unknown => false,
    }
}
