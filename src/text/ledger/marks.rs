//! Which gaps of a cut get a mark of their own.

use super::{CAP_GROUPS, Ledger, MAX_LINES_BETWEEN_TIMES, MAX_RULES};
use crate::text::line_position::{Place, place};
use crate::text::reason::Reason;
use crate::text::source::Source;
use crate::text::span::{Action, Span};

impl Ledger {
    /// Indexes of the gaps of a cut, after the first one of a marker, that need a short mark, so that a reader does
    /// not take the lines around them for neighbours.
    pub fn gap_marks(&self, source: &Source<'_>) -> Vec<usize> {
        let mut seen = [false; (u32::MAX - CAP_GROUPS) as usize + 1];
        let mut marked = Vec::new();
        for (at, span) in self.spans.iter().enumerate() {
            let Action::Omit { group: group @ CAP_GROUPS.., .. } = span.action else { continue };
            let is_further = std::mem::replace(&mut seen[(group - CAP_GROUPS) as usize], true);
            if is_further && self.needs_mark(source, at) {
                marked.push(at);
            }
        }
        marked
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
            && match place(source.line(lines.start - 1)).min(place(source.line(lines.end))) {
                Place::Number => true,
                Place::Time => lines.len() <= MAX_LINES_BETWEEN_TIMES,
                Place::Unknown => false,
            };
        !is_evident && !before.is_some_and(|span| matches!(span.action, Action::Omit { .. }))
    }
}
