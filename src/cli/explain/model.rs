//! The content of the explanation, independent of its layout. Text and HTML show the same content.
//!
//! It is built only from the ledgers and the evidence; no texts are compared.

use std::collections::HashMap;
use std::ops::Range;

use super::facts::{self, Fact, StepRow};
use super::words;
use crate::pipeline::explain::{Explained, Part, Traced};
use crate::text::call::ToolCall;
use crate::text::ledger::Action;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// One result, explained.
#[derive(Debug)]
pub struct Page<'a> {
    /// The call and its outcome, on one line.
    pub(super) title: String,
    /// Facts about the whole result.
    pub(super) facts: Vec<Fact>,
    /// The steps in order.
    pub(super) steps: Vec<StepRow>,
    /// The parts of the result.
    pub(super) views: Vec<View<'a>>,
}

/// One part: its original and its output.
#[derive(Debug)]
pub(super) struct View<'a> {
    /// Its name, if there are several parts.
    pub heading: Option<String>,
    /// The original.
    pub original: Source<'a>,
    /// The output.
    pub output: Source<'a>,
    /// Blocks of lines, in order.
    pub blocks: Vec<Block>,
    /// Lines of the original that report a failure, from 0, in order.
    failures: &'a [usize],
}

/// What happened to a run of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The same on both sides, except white space at line ends.
    Kept,
    /// Left out.
    Omitted,
    /// Rewritten.
    Replaced,
    /// Replaced by a reference to an earlier result.
    Referred,
    /// Only in the output.
    Added,
}

/// Lines of the original and the output lines that represent them.
#[derive(Debug)]
pub(super) struct Block {
    pub kind: Kind,
    /// Lines of the original, from 0.
    pub left: Range<usize>,
    /// Lines of the output, from 0.
    pub right: Range<usize>,
    /// Why; absent if the previous note covers this block too.
    pub note: Option<Note>,
}

/// Why lines were changed.
#[derive(Debug)]
pub(super) struct Note {
    /// Number of the gap, from 1; absent if nothing is left out.
    pub gap: Option<usize>,
    /// Which lines, how many, and what happened to them.
    pub what: String,
    /// The reason.
    pub reason: Option<Reason>,
    /// The step that did it.
    pub by: String,
    /// Where the marker is, if it is elsewhere.
    pub place: Option<String>,
}

impl<'a> Page<'a> {
    /// The page of one result.
    pub fn new(call: &ToolCall, explained: &'a Explained) -> Self {
        let evidence = &explained.outcome.evidence;
        let mut gaps = 0;
        let mut shown_before = 0;
        let mut views: Vec<View<'a>> = Vec::new();
        for (part, text) in explained.parts.iter().zip(&explained.outcome.texts) {
            let output = Source::part(text, shown_before);
            shown_before += output.len();
            let heading = (explained.parts.len() > 1).then(|| format!("part {}", views.len() + 1));
            let mut view = View {
                heading,
                original: Source::part(&part.original, part.lines_before),
                output,
                blocks: Vec::new(),
                failures: &part.signals,
            };
            view.blocks = Blocks { view: &view, part, explained, gaps: &mut gaps, out: Vec::new() }.all();
            views.push(view);
        }
        let title = facts::title(call, evidence);
        Self { title, facts: facts::facts(call, explained, gaps), steps: facts::steps(explained), views }
    }
}

impl View<'_> {
    /// Whether a line of the original reports a failure.
    pub fn is_failure(&self, line: usize) -> bool {
        self.failures.binary_search(&line).is_ok()
    }
}

/// Builds the blocks of a view.
struct Blocks<'a, 'b> {
    view: &'b View<'a>,
    part: &'a Part,
    explained: &'a Explained,
    gaps: &'b mut usize,
    out: Vec<Block>,
}

impl Blocks<'_, '_> {
    fn all(mut self) -> Vec<Block> {
        let lines = self.view.output.len();
        let shown = match (&self.part.binary, self.part.is_rewritten) {
            (None, false) => self.part.spans.last().map_or(self.part.lead, |span| span.shown.end).min(lines),
            (Some(_), _) => self.part.lead.min(lines),
            _ => 0,
        };
        let lead = self.part.lead.min(shown);
        if lead > 0 {
            let note = self.pointer();
            self.push(Kind::Added, 0..0, 0..lead, Some(note));
        }
        // The marker of a group is at its first lines.
        let mut markers: HashMap<u32, usize> = HashMap::new();
        for (at, span) in self.part.spans.iter().enumerate() {
            self.span(at, span, &mut markers);
        }
        if shown < lines {
            let note = self.added();
            self.push(Kind::Added, 0..0, shown..lines, note);
        }
        self.out
    }

    fn push(&mut self, kind: Kind, left: Range<usize>, right: Range<usize>, note: Option<Note>) {
        // A text that was rewritten as a whole is shown separately.
        let right = if self.part.is_rewritten && kind != Kind::Added { 0..0 } else { right };
        self.out.push(Block { kind, left, right, note });
    }

    fn span(&mut self, at: usize, span: &Traced, markers: &mut HashMap<u32, usize>) {
        let Traced { lines, shown, action, .. } = span;
        match action {
            Action::Keep => self.push(Kind::Kept, lines.clone(), shown.clone(), None),
            Action::Repeat { period } => {
                let (first, marker) = (lines.start + period, shown.end - 1);
                self.push(Kind::Kept, lines.start..first, shown.start..marker, None);
                let note = self.left_out(first..lines.end, Reason::RepeatedLines, span, None);
                self.push(Kind::Omitted, first..lines.end, marker..shown.end, Some(note));
            }
            Action::Omit { reason, group, .. } => {
                let marker = markers.get(group).copied();
                if *group > 0 {
                    markers.entry(*group).or_insert(shown.start);
                }
                let note = self.left_out(lines.clone(), *reason, span, marker);
                self.push(Kind::Omitted, lines.clone(), shown.clone(), Some(note));
            }
            Action::Refer { origin, origin_number, is_outline, .. } => {
                let end = origin_number + lines.len() - 1;
                let of = match &origin.argument {
                    Some(argument) => format!("`{argument}` of {} ({})", origin.call, origin.tool),
                    None => format!("{} ({})", origin.call, origin.tool),
                };
                let (how, reason) = match is_outline {
                    true => ("with the same outline as", Reason::SameOutline),
                    false => ("shown before as", Reason::ShownBefore),
                };
                let what =
                    format!("{}, {how} {} of {of}", self.sizes(lines), words::lines(*origin_number, end));
                let note = self.note(true, what, Some(reason), span);
                self.push(Kind::Referred, lines.clone(), shown.clone(), Some(note));
            }
            Action::Replace { reason, omitted_bytes, .. } => {
                let note = self.replaced(at, span, *reason, *omitted_bytes);
                self.push(Kind::Replaced, lines.clone(), shown.clone(), note);
            }
        }
    }

    /// The note on omitted lines; `marker` is the line of their shared marker.
    fn left_out(
        &mut self,
        lines: Range<usize>,
        reason: Reason,
        span: &Traced,
        marker: Option<usize>,
    ) -> Note {
        let what = format!("{} left out", self.sizes(&lines));
        let place =
            marker.map(|line| format!("told by the marker in line {}", self.view.output.number(line)));
        Note { place, ..self.note(true, what, Some(reason), span) }
    }

    /// The note on rewritten lines: one for each run of them.
    fn replaced(&mut self, at: usize, span: &Traced, reason: Reason, omitted: usize) -> Option<Note> {
        let numbers = |lines: &Range<usize>| {
            words::lines(self.view.original.number(lines.start), self.view.original.number(lines.end - 1))
        };
        if omitted > 0 {
            let bytes = words::count(omitted, "byte");
            let lines = if span.lines.len() == 1 { "the line" } else { "the lines" };
            // One step may have cut text that another wrote, and a third may have rewritten the rest.
            let mut cut = span.clone();
            cut.steps.retain(|(step, _)| span.cut_by.contains(step));
            let others = |is_before: bool| {
                let is_cutter = |step: &usize| span.cut_by.contains(step);
                let steps: Vec<usize> = span.steps.iter().map(|(step, _)| *step).collect();
                let first = steps.iter().position(is_cutter).unwrap_or(steps.len());
                let (before, after) = steps.split_at(first);
                let some = if is_before { before } else { after };
                let some: Vec<usize> = some.iter().copied().filter(|step| !is_cutter(step)).collect();
                (!some.is_empty()).then(|| facts::by(self.explained, some.into_iter()))
            };
            let inside =
                others(true).map_or_else(|| lines.to_owned(), |writers| format!("what {writers} wrote"));
            let after = others(false).map_or_else(String::new, |by| format!("; {by} rewrote the rest"));
            let what = format!("{}: {bytes} left out inside {inside}{after}", numbers(&span.lines));
            return Some(self.note(true, what, Some(reason), &cut));
        }
        let is_alike = |other: &&Traced| {
            matches!(other.action, Action::Replace { reason: r, omitted_bytes: 0, .. } if r == reason)
                && other.steps.iter().map(|s| s.0).eq(span.steps.iter().map(|s| s.0))
        };
        let spans = &self.part.spans;
        if at.checked_sub(1).and_then(|before| spans.get(before)).filter(is_alike).is_some() {
            return None;
        }
        let last = spans[at..].iter().take_while(is_alike).last().unwrap_or(span);
        let lines = span.lines.start..last.lines.end;
        let what = format!(
            "{}: {} written as {}",
            numbers(&lines),
            words::count(lines.len(), "line"),
            words::number(last.shown.end - span.shown.start),
        );
        Some(self.note(false, what, Some(reason), span))
    }

    /// The note on a pointer before a preview.
    fn pointer(&self) -> Note {
        let by = facts::by(self.explained, self.part.rewritten_by.into_iter());
        let what = "the pointer to the original, of which this is a preview".to_owned();
        Note { gap: None, what, reason: None, by, place: None }
    }

    /// The note on lines that are only in the output.
    fn added(&self) -> Option<Note> {
        let rewritten_by =
            self.part.rewritten_by.map(|step| facts::by(self.explained, std::iter::once(step)));
        let rewritten_by = rewritten_by.as_deref().unwrap_or("a later step");
        let by_session = facts::by(self.explained, std::iter::empty());
        let (what, by) = match (self.part.binary, self.explained.outcome.evidence.exit_code) {
            (Some((mime, size)), _) => (
                format!("{} of binary data ({mime}), not shown", words::count(size, "byte")),
                "the safe stage",
            ),
            _ if self.part.is_reference() => {
                let what =
                    "lines of the result that are shown again: its failures and its last line".to_owned();
                return Some(Note { gap: None, what, reason: None, by: by_session, place: None });
            }
            _ if self.part.is_rewritten => {
                ("the output as a whole, which was written anew".to_owned(), rewritten_by)
            }
            (None, status) => {
                let status = status.map_or_else(String::new, |status| format!(" {status}"));
                let what = format!("the exit status{status}, which nothing that is shown tells");
                (what, "the last step, which adds it where lines are left out")
            }
        };
        Some(Note { gap: None, what, reason: None, by: by.to_owned(), place: None })
    }

    fn note(&mut self, is_gap: bool, what: String, reason: Option<Reason>, span: &Traced) -> Note {
        *self.gaps += usize::from(is_gap);
        let steps = span.steps.iter().map(|(step, _)| *step);
        let by = facts::by(self.explained, steps);
        Note { gap: is_gap.then_some(*self.gaps), what, reason, by, place: None }
    }

    /// Which lines, how many, and their bytes.
    fn sizes(&self, lines: &Range<usize>) -> String {
        let source = &self.view.original;
        let bytes = source.byte_range(lines.clone()).len();
        format!(
            "{}: {}, {}",
            words::lines(source.number(lines.start), source.number(lines.end - 1)),
            words::count(lines.len(), "line"),
            words::count(bytes, "byte"),
        )
    }
}
