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
use crate::text::maps::{Map, Set};
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
    omit_shown_code(source, &reading.blocks, plan);
    for lines in &reading.headings {
        let below = (lines.start + 1..lines.end).filter(|i| !source.line(*i).trim().is_empty());
        let mut below = below.map(|i| plan.is_hidden(i)).peekable();
        if below.peek().is_some() && below.all(|hidden| hidden) {
            plan.omit(lines.start..lines.start + 1, Reason::SharedMessage);
        }
    }
}

/// Bars between the number of a line and its code.
const BARS: &[char] = &['\u{2502}', '|'];
/// Fewest lines that are left out together. A choice: a single line costs little more than its absence.
const MIN_LINES: usize = 2;

/// Leaves out the lines of code frames that the findings above show: findings near each other repeat them, and so do the
/// notes of one finding. The line that a frame points at stays, with the marks below it.
fn omit_shown_code<'a>(source: &'a Source<'a>, blocks: &[Block<'a>], plan: &mut Plan<'a>) {
    // Paths by number: a long path is not compared again with each line.
    let mut paths: Map<&str, usize> = Map::default();
    let mut seen: Set<(usize, &str, &str)> = Set::default();
    let mut omitted = Vec::new();
    for block in blocks {
        let next = paths.len();
        let path = *paths.entry(block.path).or_insert(next);
        let mut run: Range<usize> = 0..0;
        for i in block.lines.clone() {
            let code = code(source.line(i)).filter(|_| !plan.is_changed(i));
            let is_known = code.is_some_and(|code| {
                let is_new = seen.insert((path, code.number, code.text));
                let is_pointed = i + 1 < block.lines.end && points(source.line(i + 1));
                !(is_new || code.is_marked || is_pointed || plan.has_failure(&(i..i + 1)))
            });
            if is_known && run.end == i {
                run.end = i + 1;
                continue;
            }
            omitted.push(std::mem::replace(&mut run, if is_known { i..i + 1 } else { 0..0 }));
        }
        omitted.push(run);
    }
    for lines in omitted.into_iter().filter(|lines| lines.len() >= MIN_LINES) {
        plan.omit(lines, Reason::RepeatedExcerpt);
    }
}

/// Whether a line has the marks below a line of code, such as `  |     ^^^^`.
fn points(line: &str) -> bool {
    let marks = line.trim_start().strip_prefix(BARS).unwrap_or_default();
    marks.trim_start().starts_with(['^', '~', '-', '_', '\u{2500}', '\u{252c}'])
}

/// A line of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Code<'a> {
    number: &'a str,
    text: &'a str,
    /// Whether the frame points at it.
    is_marked: bool,
}

/// Reads `  > 205 │ code` or `204 | code`.
fn code(line: &str) -> Option<Code<'_>> {
    let line = line.trim_start();
    let unmarked = line.strip_prefix('>');
    let rest = unmarked.unwrap_or(line).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = rest.split_at(digits);
    let text = rest.trim_start().strip_prefix(BARS)?;
    let is_change = text.starts_with(" - ") || text.starts_with(" + ");
    (digits > 0 && !is_change).then_some(Code {
        number,
        text: text.trim_end(),
        is_marked: unmarked.is_some(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines_of_frames() {
        let code = |line| code(line).map(|code| (code.number, code.text, code.is_marked));
        assert_eq!(code("    204 \u{2502} \tconst a = 1;"), Some(("204", " \tconst a = 1;", false)));
        assert_eq!(code("  > 205 \u{2502} b"), Some(("205", " b", true)));
        assert_eq!(code("> 7 | c"), Some(("7", " c", true)));
        assert_eq!(code("    8 \u{2502} "), Some(("8", "", false)));
        assert_eq!(code("        \u{2502} \t^^^"), None);
        assert_eq!(code("12 errors"), None);
        assert!(points("  |     ^^^^ unused") && points("        \u{2502} \t^"));
        assert!(!points("  |") && !points("3 | a"));
        // A line of a suggested change.
        assert_eq!(code("     2    \u{2502} - const a"), None);
        assert_eq!(code("     1  1 \u{2502}   const a"), None);
    }
}
