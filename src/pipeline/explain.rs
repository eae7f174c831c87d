//! What became of every line of one result, and by which step: for a person who wants to see it.
//!
//! `explain` runs the very steps of `compress` and notes, after each that was applied, whose lines are
//! whose. Normal calls note nothing. It decides nothing, and no text is compared with another: all comes
//! from the ledgers.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::blocks::Origin;
use super::call::ToolCall;
use super::dedup::{First, History};
use super::ledger::{Action, Ledger, Span};
use super::marker::Marker;
use super::run::Run;
use super::source::{Source, count_lines};
use super::{Outcome, Raw, RedactionFailed};
use crate::config::Policy;

/// An outcome and how it came about.
#[derive(Debug)]
pub struct Explained {
    /// What `compress` gives.
    pub outcome: Outcome,
    /// One for each part that came in.
    pub parts: Vec<Part>,
}

/// What became of one part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// The text that lines are numbered in: without secrets, cleaned up unless the text stays exact.
    /// Empty for binary data.
    pub original: String,
    /// Lines of the parts before it.
    pub lines_before: usize,
    /// Media type and size of binary data.
    pub binary: Option<(&'static str, usize)>,
    /// All lines of the original in order, none twice.
    pub spans: Vec<Traced>,
    /// Lines of the original that report a failure, from 0.
    pub signals: Vec<usize>,
    /// Of these, lines that a step had hidden and the guard brought back, and the step.
    pub restored: Vec<(usize, usize)>,
    /// The steps of the evidence that are about this part.
    pub steps: Range<usize>,
    /// The step that took white space at the ends of lines or before their numbers.
    pub trimmed_by: Vec<usize>,
    /// Whether the output was written anew as a whole after the steps, so that its lines are not those
    /// which the spans tell.
    pub is_rewritten: bool,
}

/// Lines, what happened to them, and what of the output stands for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traced {
    /// Lines of the original, from 0, end exclusive.
    pub lines: Range<usize>,
    /// Lines of the output, alike. Empty where an earlier marker speaks for these lines too.
    pub shown: Range<usize>,
    /// What happened.
    pub action: Action,
    /// The steps that did it, as indexes into the steps of the evidence, in the order of their lines, and
    /// to how many of the lines each did. Where one changed what another wrote, the last is the last.
    pub steps: Vec<(usize, usize)>,
}

/// Compresses one result and says what became of each line.
pub fn explain(
    call: &ToolCall,
    parts: &[Raw<'_>],
    policy: &Policy,
    full_output: bool,
    history: &dyn History,
) -> Result<Explained, RedactionFailed> {
    let mut trace = Trace::default();
    let outcome = super::run(call, parts, policy, full_output, history, Some(&mut trace))?;
    let mut parts = trace.parts;
    // What stays exact never came to the steps.
    if parts.is_empty() {
        let mut lines_before = 0;
        for text in &outcome.texts {
            let source = Source::part(text, lines_before);
            parts.push(Part { steps: 0..outcome.evidence.steps.len(), ..Part::of(&source, None) });
            lines_before += source.len();
        }
    }
    if let Some(first) = &outcome.decision.duplicate_of {
        refer(&mut parts, &outcome.texts, first);
    }
    for (part, text) in parts.iter_mut().zip(&outcome.texts) {
        part.is_rewritten = !part.is_told_by(text);
    }
    Ok(Explained { outcome, parts })
}

/// Notes which parts became a reference as a whole.
fn refer(parts: &mut [Part], texts: &[String], first: &First) {
    let marker = Marker::Duplicate { call: first.call.clone(), tool: first.tool.clone() }.write();
    for (part, text) in parts.iter_mut().zip(texts) {
        let lines = count_lines(&part.original);
        if *text == marker && lines > 0 {
            let origin = Origin { call: first.call.clone(), tool: first.tool.clone(), argument: None };
            let there = part.lines_before + 1;
            let action = Action::Refer { origin: Arc::new(origin), there, carried: there };
            part.spans = vec![Traced { lines: 0..lines, shown: 0..1, action, steps: Vec::new() }];
            part.trimmed_by.clear();
        }
    }
}

impl Part {
    /// Whether the output has the lines that the spans tell, with at most the exit status after them.
    fn is_told_by(&self, text: &str) -> bool {
        let original: Vec<&str> = self.original.lines().collect();
        let output: Vec<&str> = text.lines().collect();
        let shown = self.spans.last().map_or(0, |span| span.shown.end);
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

    /// A part of which everything is as its ledger says, if there is one, and else as it came.
    fn of(source: &Source<'_>, ledger: Option<&Ledger>) -> Self {
        let keep = Ledger::new(source);
        let ledger = ledger.unwrap_or(&keep);
        let mut at = 0;
        let mut groups = HashSet::new();
        let spans = ledger.spans().iter().map(|span| {
            let start = at;
            at += lines_written(span, &mut groups);
            let action = span.action.clone();
            Traced { lines: span.lines.clone(), shown: start..at, action, steps: Vec::new() }
        });
        Self {
            original: source.text().to_owned(),
            lines_before: source.number(0) - 1,
            spans: spans.collect(),
            ..Self::default()
        }
    }
}

/// How many lines the ledger writes for a span; `groups` are those whose marker stands before it.
fn lines_written(span: &Span, groups: &mut HashSet<u32>) -> usize {
    match &span.action {
        Action::Keep => span.lines.len(),
        Action::Replace { text, .. } => text.matches('\n').count() + 1,
        Action::Repeat { period } => period + 1,
        Action::Refer { .. } | Action::Omit { group: 0, .. } => 1,
        Action::Omit { group, .. } => usize::from(groups.insert(*group)),
    }
}

/// What is noted while the steps run.
#[derive(Debug, Default)]
pub(super) struct Trace {
    parts: Vec<Part>,
    now: Notes,
}

/// Lines that are not kept, and the steps that changed them: more than one where a step changed what an
/// earlier one wrote.
type Taken = (Range<usize>, Vec<usize>);

/// Notes on the part at hand.
#[derive(Debug, Default)]
struct Notes {
    /// Lines that are not kept, in order.
    taken: Vec<Taken>,
    restored: Vec<(usize, usize)>,
    signals: Vec<usize>,
    trimmed_by: Vec<usize>,
    first_step: usize,
}

impl Trace {
    fn changed(&mut self, old: &Ledger, new: &Ledger, restored: &[usize], step: usize) {
        self.now.taken = whose(old, &self.now.taken, new, step);
        self.now.restored.extend(restored.iter().map(|line| (*line, step)));
        if old.trims() != new.trims() {
            self.now.trimmed_by.push(step);
        }
    }

    fn end(&mut self, source: &Source<'_>, ledger: Option<&Ledger>, steps: usize) {
        let notes = std::mem::take(&mut self.now);
        let mut part = Part::of(source, ledger);
        let mut taken = notes.taken.iter().peekable();
        for span in part.spans.iter_mut().filter(|span| span.action != Action::Keep) {
            while taken.next_if(|(lines, _)| lines.end <= span.lines.start).is_some() {}
            while let Some((lines, steps)) = taken.peek().filter(|(lines, _)| lines.start < span.lines.end) {
                let count = lines.end.min(span.lines.end) - lines.start.max(span.lines.start);
                for step in steps {
                    match span.steps.iter_mut().find(|(by, _)| by == step) {
                        Some((_, sum)) => *sum += count,
                        None => span.steps.push((*step, count)),
                    }
                }
                if lines.end > span.lines.end {
                    break;
                }
                taken.next();
            }
        }
        if ledger.is_some_and(|ledger| ledger.trims() != (false, false)) {
            part.trimmed_by = notes.trimmed_by;
        }
        part.restored = notes.restored;
        part.signals = notes.signals;
        part.steps = notes.first_step..steps;
        self.parts.push(part);
    }
}

/// Whose the lines are that a new ledger does not keep: of a span that was there before, whoever took it
/// then, of any other the step that was just applied.
fn whose(old: &Ledger, taken: &[Taken], new: &Ledger, step: usize) -> Vec<Taken> {
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
                by.push(step);
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

/// Whether lines were already as they are. Groups are told apart over all steps.
fn is_same(old: &Action, new: &Action) -> bool {
    match (old, new) {
        (Action::Omit { reason: a, group: x, .. }, Action::Omit { reason: b, group: y, .. }) => {
            a == b && x == y
        }
        _ => old == new,
    }
}

impl Run<'_> {
    /// Starts the notes on a part anew.
    pub(super) fn trace_begin(&mut self) {
        let first_step = self.evidence.steps.len();
        if let Some(trace) = &mut self.trace {
            trace.now = Notes { first_step, ..Notes::default() };
        }
    }

    /// Notes what reports a failure.
    pub(super) fn trace_signals(&mut self, signals: &[usize]) {
        if let Some(trace) = &mut self.trace {
            trace.now.signals = signals.to_vec();
        }
    }

    /// Notes what the last step of the evidence did, and the lines that the guard took from it.
    pub(super) fn trace_step(&mut self, old: &Ledger, new: &Ledger, restored: &[usize]) {
        if let Some(trace) = &mut self.trace {
            trace.changed(old, new, restored, self.evidence.steps.len().saturating_sub(1));
        }
    }

    /// Notes what a part came to; without a ledger everything is as it came.
    pub(super) fn trace_end(&mut self, source: &Source<'_>, ledger: Option<&Ledger>) {
        if let Some(trace) = &mut self.trace {
            trace.end(source, ledger, self.evidence.steps.len());
        }
    }

    /// Notes a part that is binary data.
    pub(super) fn trace_binary(&mut self, mime: &'static str, size: usize, lines_before: usize) {
        let steps = self.evidence.steps.len();
        if let Some(trace) = &mut self.trace {
            let binary = Some((mime, size));
            trace.parts.push(Part { binary, lines_before, steps: steps..steps, ..Part::default() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ledger::Reduction;
    use super::super::reason::Reason;
    use super::*;

    /// The ledger after steps, and whose its gaps are.
    fn steps(steps: &[&dyn Fn(&mut Reduction)]) -> Vec<Taken> {
        let source = Source::new("a\nb\nc\nd\ne\nf\ng\nh\n");
        let (mut ledger, mut taken) = (Ledger::new(&source), Vec::new());
        for (at, step) in steps.iter().enumerate() {
            let mut reduction = Reduction::default();
            step(&mut reduction);
            let next = ledger.apply(&source, reduction).unwrap();
            taken = whose(&ledger, &taken, &next, at);
            ledger = next;
        }
        taken
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
        let first = whose(&Ledger::new(&source), &[], &written, 0);
        assert_eq!(whose(&written, &first, &cut, 1), [(0..2, vec![0, 1])]);
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
        let part = Part::of(&source, Some(&ledger));
        assert!(part.is_told_by("a\n[marker]\nc\n"));
        assert!(part.is_told_by("a\n[marker]\nc\n[tersed: exit status 1]\n"));
        assert!(!part.is_told_by("a\n[marker]\nd\n"));
        assert!(!part.is_told_by("legend\na\n[marker]\nc\n"));
        assert!(!part.is_told_by("a\nc\n"));
    }
}
