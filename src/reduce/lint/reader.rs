//! The shared part of the reducers of this family. A format only classifies its lines ([`Reading`]); claim, reduction
//! and extent follow from that.

use std::ops::Range;

use super::group::{Block, Plan};
use crate::config::Mode;
use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::format::is_command;
use crate::reduce::lines::SHORT_CLAIM_LINES;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// What a format recognized in the lines of a text.
#[derive(Debug, Default)]
pub struct Reading<'a> {
    /// The diagnostics, in order.
    pub blocks: Vec<Block<'a>>,
    /// Lines to leave out, with the reason.
    pub gone: Vec<(Range<usize>, Reason)>,
    /// Headings and the lines below them: a heading is left out if all lines below it are.
    pub headings: Vec<Range<usize>>,
    /// Lines that only this format has.
    pub own: usize,
    /// Lines that look like this format but may belong to another.
    pub weak: usize,
    /// Lines with text that the format recognizes, including those above and their bodies.
    pub known: usize,
    /// Lines with text.
    pub all: usize,
    /// The lines from the first to the last one that the format recognizes.
    pub extent: Range<usize>,
}

impl Reading<'_> {
    /// A reading in which no line is classified yet.
    pub fn of(source: &Source<'_>, lines: &Range<usize>) -> Self {
        let all = lines.clone().filter(|i| !source.line(*i).trim().is_empty()).count();
        Self { all, ..Self::default() }
    }

    /// Counts lines that the format recognizes.
    pub fn knows(&mut self, source: &Source<'_>, lines: Range<usize>) {
        self.known += lines.clone().filter(|i| !source.line(*i).trim().is_empty()).count();
        if self.extent.is_empty() {
            self.extent = lines;
        } else {
            self.extent.end = self.extent.end.max(lines.end);
        }
    }
}

/// A format of this family.
pub struct Linter {
    /// Its description.
    pub meta: Meta,
    /// The commands that write it: a program, and words that follow it.
    pub commands: &'static [&'static str],
    /// Fewest own lines for a claim by content alone.
    pub content: usize,
    /// Reads these lines, and no others.
    pub read: for<'a> fn(&'a Source<'a>, Range<usize>) -> Reading<'a>,
}

/// If none of the first lines is recognized, the rest is not examined. A choice, for speed.
const PROBE_LINES: usize = 60;

impl Linter {
    fn is_direct(&self, simple: &Simple) -> bool {
        self.commands.iter().any(|words| is_command(simple, words))
    }
}

impl Reducer for Linter {
    fn meta(&self) -> &Meta {
        &self.meta
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let source = input.source;
        // Findings that the agent selected itself are not reduced.
        let is_picked =
            || input.detection.command.producers().any(|(s, filtered)| filtered && self.is_direct(s));
        if input.detection.is_window || is_picked() {
            return FormatProof::None;
        }
        let is_direct = input.detection.command.runs(|s| self.is_direct(s));
        let head = (self.read)(source, 0..source.len().min(PROBE_LINES));
        if !is_direct && head.own + head.weak == 0 && source.len() > PROBE_LINES {
            return FormatProof::None;
        }
        let found = (self.read)(source, 0..source.len().min(SHORT_CLAIM_LINES));
        let is_own = found.own >= self.content && found.known * 2 >= found.all;
        let is_most = found.own + found.weak >= 2 * self.content && found.known * 10 >= found.all * 9;
        FormatProof::of(found.own + found.weak > 0, is_own || is_most)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        self.is_direct(s)
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let reading = (self.read)(source, 0..source.len());
        let mut plan = Plan::new(source, input.policy.mode == Mode::Aggressive);
        apply(source, &reading, &mut plan);
        plan.finish()
    }

    fn rewrites(&self) -> bool {
        true
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        (self.read)(input.source, 0..input.source.len()).extent
    }
}

/// Hides and groups the findings of a reading.
pub fn apply<'a>(source: &'a Source<'a>, reading: &Reading<'a>, plan: &mut Plan<'a>) {
    plan.group(&reading.blocks);
    for (lines, reason) in &reading.gone {
        plan.omit(lines.clone(), *reason);
    }
    for lines in &reading.headings {
        let below = (lines.start + 1..lines.end).filter(|i| !source.line(*i).trim().is_empty());
        let mut below = below.map(|i| plan.is_hidden(i)).peekable();
        if below.peek().is_some() && below.all(|hidden| hidden) {
            plan.omit(lines.start..lines.start + 1, Reason::SharedMessage);
        }
    }
}
