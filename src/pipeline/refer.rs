//! References of a text to earlier outputs that show the same lines.

use super::attempt::Attempt;
use super::request::Request;
use crate::detail::conflicts;
use crate::detect::{Detection, Shape, range};
use crate::pipeline::limit::headings::Headings;
use crate::pipeline::limit::records::Records;
use crate::pipeline::repeat::blocks::{self, Earlier, Reference, outlines};
use crate::text::ledger::Ledger;
use crate::text::signals;
use crate::text::source::Source;

/// The most searches for references of a window, before all its failure lines are kept.
const MAX_WINDOW_ROUNDS: usize = 3;
/// Lines at the end of a report that are never a reference.
const SUMMARY_LINES: usize = 5;
/// Lines that a view shows on each side of a line of the last edit.
const EDIT_CONTEXT: usize = 3;
/// Lines that are shown on each side of the line to which an editor was told to go.
const ASKED_CONTEXT: usize = 8;
/// The most lines of a view that are taken for those of the last edit: its lines may occur in many places.
const MAX_EDITED_LINES: usize = 16;

impl Attempt<'_, '_> {
    /// Refers to earlier outputs for lines that they show. Failure lines, the end of a report, the heads of commits and
    /// the conflicts of a merge are shown again.
    pub(super) fn refer_to_blocks(
        &mut self,
        source: &Source<'_>,
        detection: &Detection,
        signals: &[usize],
        state: &mut (Ledger, usize),
    ) {
        if self.request.earlier.is_empty() {
            return;
        }
        // The end of a report is its summary.
        let mut fixed = signals.to_vec();
        if detection.reports_failures() {
            let end = source.len().saturating_sub(SUMMARY_LINES);
            fixed.retain(|&line| line < end);
            fixed.extend(end..source.len());
        }
        if detection.shape == Shape::Other {
            fixed.extend(blocks::verdicts_and_commit_heads(source, detection.reports_failures()));
            fixed.sort_unstable();
            fixed.dedup();
        }
        if let Earlier::Live { edit, .. } = self.request.earlier
            && !edit.is_empty()
        {
            let is_edited = |line: &usize| edit.iter().any(|edited| source.line(*line).ends_with(&**edited));
            let around =
                |line: usize| line.saturating_sub(EDIT_CONTEXT)..(line + EDIT_CONTEXT + 1).min(source.len());
            fixed.extend((0..source.len()).filter(is_edited).take(MAX_EDITED_LINES).flat_map(around));
            fixed.sort_unstable();
            fixed.dedup();
        }
        if matches!(self.request.earlier, Earlier::Live { .. })
            && let Some(asked) = range::asked_line(self.request.call)
            && let Some(line) = source.view().line_of(asked as usize)
        {
            fixed.extend(line.saturating_sub(ASKED_CONTEXT)..(line + ASKED_CONTEXT + 1).min(source.len()));
            fixed.sort_unstable();
            fixed.dedup();
        }
        let holds = |mark: &[u8]| memchr::memmem::find(source.text().as_bytes(), mark).is_some();
        if holds(b"<<<<<<< ") || holds(b">>>>>>> ") {
            let view = source.view();
            let lines: Vec<&str> = (0..source.len()).map(|i| view.text(source.raw(i), i)).collect();
            fixed.extend(conflicts(&lines));
            fixed.sort_unstable();
            fixed.dedup();
        }
        let references = match detection.is_window {
            true => self.references_of_window(source, &state.0, fixed),
            false => self.below_headings(source, self.references(source, &state.0, fixed)),
        };
        let reduction = || blocks::reduction(&references, self.request.policy);
        if references.is_empty() || !self.rule_allows("block_dedup") {
            return;
        }
        if self.try_step("block_dedup", source, &[], state, |_| Ok(reduction())) {
            self.found.references.extend(references);
        }
    }

    /// Refers to earlier outputs for parts of an outline that they show as well.
    pub(super) fn refer_to_outlines(
        &mut self,
        source: &Source<'_>,
        protected: &[usize],
        state: &mut (Ledger, usize),
    ) {
        if !self.rule_allows("block_dedup") {
            return;
        }
        let others = blocks::count_markers(&self.found.references);
        let found = outlines::find(source, self.part, &state.0, protected, self.request.earlier, others);
        let reduction = || blocks::reduction(&found, self.request.policy);
        if !found.is_empty() && self.try_step("block_dedup", source, protected, state, |_| Ok(reduction())) {
            self.found.references.extend(found);
        }
    }

    /// The references to earlier outputs; `fixed` lines are kept, and so are the lines that an edit changed.
    fn references(&self, source: &Source<'_>, ledger: &Ledger, mut fixed: Vec<usize>) -> Vec<Reference> {
        // It is unknown which lines the edit changed, so any line may be one of them.
        if self.is_edit && self.touched.is_empty() {
            return Vec::new();
        }
        let Request { earlier, counter, .. } = *self.request;
        fixed.extend(&self.touched);
        fixed.sort_unstable();
        fixed.dedup();
        let others = blocks::count_markers(&self.found.references);
        blocks::find(source, self.part, ledger, &fixed, earlier, others, counter)
    }

    /// The references, split so that the text below each one has its heading: otherwise it would read as part of the
    /// section before.
    fn below_headings(&self, source: &Source<'_>, references: Vec<Reference>) -> Vec<Reference> {
        if references.is_empty() || !matches!(self.request.earlier, Earlier::Live { .. }) {
            return references;
        }
        let mut headings = Headings::new(source);
        let records = Records::read(source);
        let counter = self.request.counter;
        let mut all = Vec::new();
        for (i, reference) in references.iter().enumerate() {
            let end = reference.lines.1 as usize;
            let next = references.get(i + 1).map_or(source.len(), |next| next.lines.0 as usize);
            // Lines with numbers of their file show where they are.
            let first = (end..next).find(|&line| !source.line(line).trim().is_empty());
            let Some(first) = first.filter(|line| source.view().number(*line).is_none()) else {
                all.push(reference.clone());
                continue;
            };
            let mut shown = headings.above(source, first, end);
            shown.extend(records.as_ref().and_then(|records| records.name(first)));
            all.extend(blocks::split(reference, &shown, source, counter));
        }
        let others = blocks::count_markers(&self.found.references);
        blocks::keep_best(all, blocks::MAX_REFERENCES.saturating_sub(others), source, counter)
    }

    /// The references in the window of an editor. Its failure lines are kept, since their numbers would differ if
    /// lines have moved.
    fn references_of_window(
        &self,
        source: &Source<'_>,
        ledger: &Ledger,
        mut fixed: Vec<usize>,
    ) -> Vec<Reference> {
        let failures = signals::failure_lines(source);
        for _ in 0..MAX_WINDOW_ROUNDS {
            let references = self.references(source, ledger, fixed.clone());
            let shifted: Vec<_> = references.iter().filter_map(|r| r.shifted(source)).collect();
            let moved = failures.iter().filter(|line| shifted.iter().any(|lines| lines.contains(line)));
            let before = fixed.len();
            fixed.extend(moved);
            if fixed.len() == before {
                return references;
            }
        }
        fixed.extend(failures);
        self.references(source, ledger, fixed)
    }
}
