//! Notes on what each step does to the lines of a part, taken while the steps run.
//!
//! A run makes them only on request. They decide nothing.

use std::collections::HashSet;
use std::ops::Range;

use super::evidence::Omission;
use crate::sanitize::binary::Binary;
use crate::text::ledger::{Action, Ledger, Reduction, Span};
use crate::text::source::Source;

/// The changes of one part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// The text that lines are numbered in: without secrets, cleaned up unless the text is kept exact. Empty for
    /// binary data.
    pub original: String,
    /// Lines of the parts before it.
    pub lines_before: usize,
    /// Media type and size of binary data.
    pub binary: Option<(&'static str, usize)>,
    /// Lines of the output before those of the spans: the pointer to an externalized original.
    pub lead: usize,
    /// All lines of the original in order, none twice.
    pub spans: Vec<Traced>,
    /// Lines of the original that report a failure, from 0.
    pub signals: Vec<usize>,
    /// Those of these lines that a step had hidden and the guard brought back, with the step.
    pub restored: Vec<(usize, usize)>,
    /// Restored lines that are not failures, but belong to one or end the text, with the step that had hidden
    /// them.
    pub restored_more: Vec<(usize, usize)>,
    /// The steps of the evidence that are about this part.
    pub steps: Vec<usize>,
    /// The step that took white space at the ends of lines or before their numbers.
    pub trimmed_by: Vec<usize>,
    /// Whether the output was rewritten as a whole after the steps, so that its lines are not those of the spans.
    pub is_rewritten: bool,
    /// The last step that rewrote the output as a whole or put the pointer before it.
    pub rewritten_by: Option<usize>,
}

/// Lines of the original, what happened to them, and the lines of the output that represent them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traced {
    /// Lines of the original, from 0, end exclusive.
    pub lines: Range<usize>,
    /// The lines of the output; empty if an earlier marker covers these lines.
    pub shown: Range<usize>,
    /// The action on them.
    pub action: Action,
    /// The steps that did it, as indexes into the steps of the evidence, in the order of their lines, and to
    /// how many of the lines each did. If one step changed the text of another, the later step comes later.
    pub steps: Vec<(usize, usize)>,
    /// The steps among them that left out bytes inside the text that replaces the lines.
    pub cut_by: Vec<usize>,
}

impl Part {
    /// Whether the whole output is a reference to an earlier result.
    pub fn is_reference(&self) -> bool {
        matches!(self.spans.as_slice(), [Traced { action: Action::Refer { .. }, shown, .. }] if *shown == (0..1))
    }

    /// Whether the output has the lines that the spans describe, with at most the exit status after them.
    pub(super) fn matches_output(&self, text: &str) -> bool {
        let original: Vec<&str> = self.original.lines().collect();
        let output: Vec<&str> = text.lines().collect();
        let shown = self.spans.last().map_or(self.lead, |span| span.shown.end);
        let same = |span: &Traced| {
            let lines = span.lines.clone().zip(span.shown.clone());
            lines.into_iter().all(|(from, to)| match (original.get(from), output.get(to)) {
                (Some(from), Some(to)) if self.trimmed_by.is_empty() => from == to,
                (Some(from), Some(to)) => from.trim() == to.trim(),
                _ => false,
            })
        };
        self.binary.is_some()
            || ((shown..=shown + 1).contains(&output.len())
                && self.spans.iter().filter(|span| span.action == Action::Keep).all(same))
    }

    /// A part as its ledger describes it; without a ledger all lines are kept. `lead` lines of the output
    /// come before it.
    pub(super) fn of(source: &Source<'_>, ledger: Option<&Ledger>, lead: usize) -> Self {
        let keep = Ledger::new(source);
        let ledger = ledger.unwrap_or(&keep);
        let mut at = lead;
        let mut groups = HashSet::new();
        let (marked, joined) = (ledger.gap_marks(source), ledger.joined_references());
        let spans = ledger.spans().iter().enumerate().map(|(place, span)| {
            let start = at;
            at += match joined.binary_search(&place) {
                Ok(_) => 0,
                Err(_) => lines_written(span, &mut groups, marked.binary_search(&place).is_ok()),
            };
            let action = span.action.clone();
            let (lines, steps, cut_by) = (span.lines.clone(), Vec::new(), Vec::new());
            Traced { lines, shown: start..at, action, steps, cut_by }
        });
        Self {
            lead,
            original: source.text().to_owned(),
            lines_before: source.number(0) - 1,
            spans: spans.collect(),
            ..Self::default()
        }
    }
}

/// How many lines the ledger writes for a span. `groups` are those whose marker was written before, `is_marked`: the
/// gap has a short mark of its own.
fn lines_written(span: &Span, groups: &mut HashSet<u32>, is_marked: bool) -> usize {
    match &span.action {
        Action::Keep => span.lines.len(),
        Action::Replace { text, .. } => text.matches('\n').count() + 1,
        Action::Repeat { period } => period + 1,
        Action::Refer { .. } | Action::Omit { group: 0, .. } => 1,
        Action::Omit { group, .. } => usize::from(groups.insert(*group) || is_marked),
    }
}

/// A step, and whether it left bytes out inside the text that it wrote.
type By = (usize, bool);

/// Lines that are not kept, and the steps that changed them: more than one if a step changed the text of an earlier
/// one.
type Taken = (Range<usize>, Vec<By>);

/// Notes on one part.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Media type, size, and lines before it, of binary data.
    pub(super) binary: Option<(&'static str, usize, usize)>,
    /// Lines that are not kept, in order.
    pub(super) taken: Vec<Taken>,
    pub(super) restored: Vec<(usize, usize)>,
    pub(super) restored_more: Vec<(usize, usize)>,
    pub(super) signals: Vec<usize>,
    trimmed_by: Vec<usize>,
    pub(super) steps: Vec<usize>,
    pub(super) lead: usize,
    pub(super) rewritten_by: Option<usize>,
    /// The lines that the last resort of a budget kept; its output has no markers for the others.
    pub(super) cut_lines: Option<Ledger>,
}

impl Notes {
    /// Notes on a part that is binary data.
    pub(super) fn of_binary(binary: &Binary, lines_before: usize) -> Self {
        Self { binary: Some((binary.mime, binary.size, lines_before)), ..Self::default() }
    }

    /// Adds the steps of the evidence that concern the part.
    pub(super) fn with_steps(self, steps: Range<usize>) -> Self {
        Self { steps: steps.collect(), ..self }
    }

    pub(super) fn changed(&mut self, old: &Ledger, new: &Ledger, step: usize) {
        self.taken = attribute_lines(old, &self.taken, new, step);
        if old.trims() != new.trims() {
            self.trimmed_by.push(step);
        }
    }

    /// The result of the notes. Without a ledger all lines are unchanged.
    pub(super) fn part(self, source: &Source<'_>, ledger: Option<&Ledger>) -> Part {
        let ledger = self.cut_lines.as_ref().or(ledger);
        let mut part = Part::of(source, ledger, self.lead);
        part.is_rewritten = self.cut_lines.is_some();
        let mut taken = self.taken.iter().peekable();
        for span in part.spans.iter_mut().filter(|span| span.action != Action::Keep) {
            while taken.next_if(|(lines, _)| lines.end <= span.lines.start).is_some() {}
            while let Some((lines, by)) = taken.peek().filter(|(lines, _)| lines.start < span.lines.end) {
                let count = lines.end.min(span.lines.end) - lines.start.max(span.lines.start);
                for (step, cuts) in by {
                    match span.steps.iter_mut().find(|(by, _)| by == step) {
                        Some((_, sum)) => *sum += count,
                        None => span.steps.push((*step, count)),
                    }
                    if *cuts && !span.cut_by.contains(step) {
                        span.cut_by.push(*step);
                    }
                }
                if lines.end > span.lines.end {
                    break;
                }
                taken.next();
            }
        }
        if ledger.is_some_and(|ledger| ledger.trims() != (false, false)) {
            part.trimmed_by = self.trimmed_by;
        }
        Part {
            restored: self.restored,
            restored_more: self.restored_more,
            signals: self.signals,
            steps: self.steps,
            rewritten_by: self.rewritten_by,
            ..part
        }
    }
}

/// A ledger in which the lines that the last resort of a budget dropped are left out.
pub(super) fn cut_lines(source: &Source<'_>, omissions: &[Omission]) -> Option<Ledger> {
    let mut step = Reduction::default();
    for Omission { lines: [first, last], reason, bytes, .. } in omissions {
        let lines = first.checked_sub(source.number(0))?..last.checked_sub(source.number(0))? + 1;
        match bytes {
            0 => step.omit(lines, *reason),
            _ => {
                let text = String::new();
                step.push(lines, Action::Replace { text, reason: *reason, omitted_bytes: *bytes });
            }
        }
    }
    Ledger::new(source).apply(source, step).ok()
}

/// The steps that changed each line that `new` does not keep: the steps in `taken` for spans that `old`
/// already had, otherwise `step`.
pub(super) fn attribute_lines(old: &Ledger, taken: &[Taken], new: &Ledger, step: usize) -> Vec<Taken> {
    let mut out: Vec<Taken> = Vec::with_capacity(taken.len() + 8);
    let mut spans = old.spans().iter().peekable();
    let mut before = taken.iter().peekable();
    for span in new.spans().iter().filter(|span| span.action != Action::Keep) {
        let mut at = span.lines.start;
        while at < span.lines.end {
            while spans.next_if(|s| s.lines.end <= at).is_some() {}
            while before.next_if(|(lines, _)| lines.end <= at).is_some() {}
            let Some(was) = spans.peek() else { break };
            let mut end = was.lines.end.min(span.lines.end);
            let mut by = Vec::new();
            let is_same = is_same(&was.action, &span.action);
            let is_further = matches!(
                (&was.action, &span.action),
                (Action::Replace { .. }, Action::Replace { .. }) if was.lines == span.lines
            );
            if (is_same || is_further)
                && let Some((lines, first)) = before.peek().filter(|(lines, _)| lines.contains(&at))
            {
                end = end.min(lines.end);
                by.clone_from(first);
            }
            if !is_same || by.is_empty() {
                let was = if is_further { omitted_bytes(&was.action) } else { 0 };
                by.push((step, omitted_bytes(&span.action) > was));
            }
            match out.last_mut().filter(|(lines, last)| lines.end == at && *last == by) {
                Some((lines, _)) => lines.end = end,
                None => out.push((at..end, by)),
            }
            at = end;
        }
    }
    out
}

/// Bytes that are left out inside the text that replaces lines.
fn omitted_bytes(action: &Action) -> usize {
    match action {
        Action::Replace { omitted_bytes, .. } => *omitted_bytes,
        _ => 0,
    }
}

/// Whether a span is unchanged. Group numbers differ between steps, so equal groups are of one step.
fn is_same(old: &Action, new: &Action) -> bool {
    match (old, new) {
        (Action::Omit { reason: a, group: x, .. }, Action::Omit { reason: b, group: y, .. }) => {
            a == b && x == y
        }
        _ => old == new,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::ledger::Reduction;
    use crate::text::reason::Reason;

    /// The ledger after steps, and whose its gaps are.
    fn steps(steps: &[&dyn Fn(&mut Reduction)]) -> Vec<(Range<usize>, Vec<usize>)> {
        let source = Source::new("a\nb\nc\nd\ne\nf\ng\nh\n");
        let (mut ledger, mut taken) = (Ledger::new(&source), Vec::new());
        for (at, step) in steps.iter().enumerate() {
            let mut reduction = Reduction::default();
            step(&mut reduction);
            let next = ledger.apply(&source, reduction).unwrap();
            taken = attribute_lines(&ledger, &taken, &next, at);
            ledger = next;
        }
        taken.into_iter().map(|(lines, by)| (lines, by.into_iter().map(|(step, _)| step).collect())).collect()
    }

    #[test]
    fn lines_are_of_the_step_that_took_them_first_for_their_reason() {
        let first = |r: &mut Reduction| r.omit(1..3, Reason::Progress);
        let beside = |r: &mut Reduction| r.omit(3..5, Reason::Progress);
        assert_eq!(steps(&[&first, &beside]), [(1..3, vec![0]), (3..5, vec![1])]);
        let around = |r: &mut Reduction| r.omit(0..6, Reason::OutputCap);
        assert_eq!(steps(&[&first, &beside, &around]), [(0..6, vec![2])]);
        let more = |r: &mut Reduction| r.omit(0..6, Reason::Progress);
        assert_eq!(steps(&[&first, &more]), [(0..1, vec![1]), (1..3, vec![0]), (3..6, vec![1])]);
        let anew = |r: &mut Reduction| r.replace(6..8, "x".to_owned(), Reason::JsonWhitespace);
        assert_eq!(steps(&[&anew, &first]), [(1..3, vec![1]), (6..8, vec![0])]);
    }

    #[test]
    fn what_is_changed_further_is_of_both_steps() {
        let source = Source::new("a\nb\n");
        let mut reduction = Reduction::default();
        reduction.replace(0..2, "a b".to_owned(), Reason::JsonWhitespace);
        let written = Ledger::new(&source).apply(&source, reduction).unwrap();
        let mut cut = written.clone();
        for span in cut.spans_mut() {
            span.action =
                Action::Replace { text: "a".to_owned(), reason: Reason::OutputCap, omitted_bytes: 2 };
        }
        let first = attribute_lines(&Ledger::new(&source), &[], &written, 0);
        let second = attribute_lines(&written, &first, &cut, 1);
        assert_eq!(second, [(0..2, vec![(0, false), (1, true)])]);
        // A step that only rewrites the lines after the cut leaves out nothing itself.
        let mut table = cut.clone();
        for span in table.spans_mut() {
            if let Action::Replace { text, .. } = &mut span.action {
                *text = "t".to_owned();
            }
        }
        assert_eq!(
            attribute_lines(&cut, &second, &table, 2),
            [(0..2, vec![(0, false), (1, true), (2, false)])]
        );
    }

    #[test]
    fn groups_of_two_steps_are_not_one() {
        let first = |r: &mut Reduction| r.omit_in(1..3, Reason::Progress, 1);
        let second = |r: &mut Reduction| r.omit_in(4..6, Reason::Progress, 1);
        assert_eq!(steps(&[&first, &second]), [(1..3, vec![0]), (4..6, vec![1])]);
    }

    #[test]
    fn a_text_that_the_spans_do_not_tell_is_known() {
        let source = Source::new("a\nb\nc\n");
        let mut reduction = Reduction::default();
        reduction.omit(1..2, Reason::Progress);
        let ledger = Ledger::new(&source).apply(&source, reduction).unwrap();
        let part = Part::of(&source, Some(&ledger), 0);
        assert!(part.matches_output("a\n[marker]\nc\n"));
        assert!(part.matches_output("a\n[marker]\nc\n[tersed: exit status 1]\n"));
        assert!(!part.matches_output("a\n[marker]\nd\n"));
        assert!(!part.matches_output("legend\na\n[marker]\nc\n"));
        assert!(!part.matches_output("a\nc\n"));
        let part = Part::of(&source, Some(&ledger), 1);
        assert!(part.matches_output("pointer\na\n[marker]\nc\n") && !part.matches_output("a\n[marker]\nc\n"));
    }
}
