//! `gh run view --log` and `--log-failed`: job, step and day, which are before every line, are written once above the
//! lines of a step, and the time of day only where its second changes.
//!
//! Grammar: job, tab, step, tab, time, blank, text. A line that reads like a failure is kept unchanged, and so is
//! every text after the columns. The heading explains how times are written.

use std::ops::Range;

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::{Action, Reduction};
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;
use crate::text::unlike::jumps_in;

/// The reducer of this module.
pub struct ForgeLog;

static META: Meta = Meta {
    id: "forge_log",
    family: "git",
    reads: "`gh run view --log`, `--log-failed`",
    keeps: "the text of every line, job and step, the second at which it was written; lines of failures as they are",
    omits: "job, step and day of lines in a row of one step, fractions of seconds",
    anchors: &["\t20"],
};

/// Most lines in a row that are written as one piece, which a later limit removes as a whole. A choice.
const MAX_PIECE_LINES: usize = 60;
/// In a shorter log no limit removes pieces. A choice.
const MIN_CUT_LINES: usize = 3 * MAX_PIECE_LINES;
/// The note in a heading about times that are not written.
const NOTE: &str = " (a time stands where its second changes)";
/// Fewest lines for a claim. A choice.
const MIN_CLAIM_LINES: usize = 3;

/// A line of a log.
#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    /// Job and step, with the tab between and the one after.
    step: &'a str,
    /// `2024-05-01`
    day: &'a str,
    /// `10:00:01.1234567Z`
    clock: &'a str,
    text: &'a str,
}

impl<'a> Line<'a> {
    /// `10:00:01`
    fn second(&self) -> &'a str {
        self.clock.get(..8).unwrap_or_default()
    }
}

impl Reducer for ForgeLog {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn rewrites(&self) -> bool {
        true
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let head = || input.source.lines().take(200);
        let known = head().filter(|line| read(line).is_some()).count();
        let is_log = known >= MIN_CLAIM_LINES && known * 2 >= head().count();
        let is_headed = || head().zip(head().skip(1)).any(|(line, next)| is_heading(line) && is_under(next));
        FormatProof::full_if(is_log || is_headed())
    }

    fn is_writer(&self, s: &Simple) -> bool {
        s.program() == "gh" && s.argv.iter().any(|a| a == "run")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        pieces(input.source).unless_empty()
    }
}

/// Writes runs of lines of one step as pieces.
fn pieces(source: &Source<'_>) -> Reduction {
    let mut out = Reduction::default();
    let jumps = if source.len() < MIN_CUT_LINES { Vec::new() } else { jumps_in(source) };
    let mut at = 0;
    while at < source.len() {
        // The lines at a jump in time are not grouped, so that a limit can keep just these lines.
        let Some(first) = read(source.line(at)).filter(|_| !jumps.contains(&at)) else {
            at += 1;
            continue;
        };
        let same = |i: &usize| {
            read(source.line(*i)).is_some_and(|l| (l.step, l.day) == (first.step, first.day))
                && !jumps.contains(i)
        };
        let end = (at..source.len())
            .take(MAX_PIECE_LINES)
            .find(|i| !same(i))
            .unwrap_or((at + MAX_PIECE_LINES).min(source.len()));
        step(source, at..end, first, &mut out);
        at = end;
    }
    out
}

/// Whether a line is a heading that `step` writes above the lines of a step.
fn is_heading(line: &str) -> bool {
    let mut parts = line.split('\t').skip(2);
    parts.next().and_then(|day| day.strip_suffix(NOTE)).is_some_and(is_day) && parts.next().is_none()
}

/// Whether a line is one that `step` writes first under a heading.
fn is_under(line: &str) -> bool {
    let is_clock = |text: &str| {
        text.bytes().enumerate().all(|(i, b)| if i == 2 || i == 5 { b == b':' } else { b.is_ascii_digit() })
    };
    line.get(..8).is_some_and(is_clock) || read(line).is_some()
}

/// `2024-05-01`
fn is_day(text: &str) -> bool {
    text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(i, b)| if i == 4 || i == 7 { b == b'-' } else { b.is_ascii_digit() })
}

/// Reads a line.
fn read(line: &str) -> Option<Line<'_>> {
    let line = line.trim_end_matches('\r');
    let (job, rest) = line.split_once('\t')?;
    let (name, rest) = rest.split_once('\t')?;
    let rest = rest.strip_prefix('\u{feff}').unwrap_or(rest);
    let (time, text) = rest.split_once(' ').unwrap_or((rest, ""));
    let (day, clock) = time.split_once('T')?;
    let is_digits = |text: &str, marks: &[u8]| text.bytes().all(|b| b.is_ascii_digit() || marks.contains(&b));
    let second = clock.get(..8)?;
    let is_time = is_day(day) && clock.ends_with('Z') && is_digits(second, b":");
    let step = line.get(..job.len() + name.len() + 2)?;
    is_time.then_some(Line { step, day, clock, text })
}

/// Writes some lines of one step.
fn step(source: &Source<'_>, lines: Range<usize>, first: Line<'_>, out: &mut Reduction) {
    let mut text = format!("{}{}{NOTE}", first.step, first.day);
    let mut last = "";
    // Bytes of the times that are not written.
    let mut omitted_bytes = 0;
    for raw in lines.clone().map(|i| source.line(i)) {
        text.push('\n');
        match read(raw).filter(|_| !signals::is_failure(raw)) {
            Some(line) => {
                let body = line.text.trim_end();
                omitted_bytes += line.clock.len();
                if line.second() != last && !body.is_empty() {
                    text.push_str(line.second());
                    text.push(' ');
                    last = line.second();
                    omitted_bytes -= last.len();
                }
                text.push_str(body);
            }
            None => text.push_str(raw),
        }
    }
    if text.len() < source.byte_range(lines.clone()).len() {
        out.push(lines, Action::Replace { text, reason: Reason::StepPrefix, omitted_bytes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_beside_a_jump_in_time_are_no_part_of_a_piece() {
        let line = |i: usize| {
            let seconds = i + if i > 40 { 900 } else { 0 };
            format!(
                "build\tRun tests\t2024-05-01T10:{:02}:{:02}.1234567Z step {i}\n",
                seconds / 60,
                seconds % 60
            )
        };
        let text: String = (0..200).map(line).collect();
        let source = Source::new(&text);
        let out = pieces(&source);
        let lines: Vec<Range<usize>> = out.spans.into_iter().map(|span| span.lines).collect();
        assert_eq!(lines, [0..40, 42..102, 102..162, 162..200]);
    }

    #[test]
    fn reads_lines() {
        let line = read("build\tRun tests\t2024-05-01T10:00:01.1234567Z a\tb");
        assert_eq!(
            line.map(|l| (l.step, l.day, l.second(), l.text)),
            Some(("build\tRun tests\t", "2024-05-01", "10:00:01", "a\tb"))
        );
        for line in ["a\tb\tc", "a\tb\t2024-05-01 10:00 x", "2024-05-01T10:00:01.1Z x"] {
            assert!(read(line).is_none(), "{line}");
        }
    }
}
