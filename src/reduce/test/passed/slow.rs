//! Tests that passed but took a large part of the total time: runners mark them, and readers look for them. In long
//! runs, `reduce::outliers` keeps those of a second and more; the limit here is lower, as in the runners.

use super::{FORMS, TestLine, is};
use crate::reduce::quantities::{MILLI, nanoseconds};
use crate::text::judge;
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;
use crate::text::span::Span;

/// A faster test is never slow. Vitest marks tests from 300 ms on, Mocha from 75 ms, Jest files from 5 s. A choice.
const MIN_SLOW: u64 = 400 * MILLI;
/// If a runner writes times only for slow tests, those that take at least this long are slow, provided that there are
/// at least `MIN_LINES` lines.
const MIN_MARKED: u64 = 75 * MILLI;
const MIN_LINES: usize = 20;
/// The most slow tests that are kept. Each takes at least the total time divided by `SLOW_ONE_IN`.
const MAX_SLOW: usize = 2;
const SLOW_ONE_IN: u64 = 4;
/// The most headings that are shown with a slow test, and the most lines up from one to the next omitted line.
const MAX_HEADINGS: usize = 4;
const MAX_LINES_ABOVE: usize = 3;
/// Longest duration, in bytes.
const MAX_BYTES: usize = 24;

/// Shows the slow tests among the lines that are left out.
pub(super) fn keep(source: &Source<'_>, out: &mut Reduction) {
    let lines: Vec<usize> = out
        .spans
        .iter()
        .filter(|span| is(span, Reason::PassingTests))
        .flat_map(|span| span.lines.clone())
        .collect();
    let times: Vec<u64> = lines.iter().map(|line| duration(source.line(*line)).unwrap_or(0)).collect();
    let all = times.iter().fold(0u64, |sum, time| sum.saturating_add(*time));
    let marked = times.iter().filter(|time| **time > 0).count();
    let least = if marked <= MAX_SLOW && lines.len() >= MIN_LINES { MIN_MARKED } else { MIN_SLOW };
    let is_slow = |at: &usize| {
        times[*at] >= least
            && times[*at].saturating_mul(SLOW_ONE_IN) >= all
            && FORMS.classify(source.line(lines[*at])) == Some(TestLine::Passed)
    };
    let slow: Vec<usize> =
        judge::much_larger(&times, MILLI, MAX_SLOW).into_iter().filter(is_slow).map(|at| lines[at]).collect();
    let with_headings: Vec<usize> =
        slow.iter().flat_map(|line| headings(source, &lines, *line)).chain(slow.iter().copied()).collect();
    for line in with_headings {
        let Some(at) = out.spans.iter().position(|span| span.lines.contains(&line)) else { continue };
        let behind = Span { lines: line + 1..out.spans[at].lines.end, action: out.spans[at].action.clone() };
        out.spans[at].lines.end = line;
        if !behind.lines.is_empty() {
            out.spans.insert(at + 1, behind);
        }
        if out.spans[at].lines.is_empty() {
            out.spans.remove(at);
        }
    }
}

/// The headings of an indented line: those of the lines in `lines` (in order) above it with less indentation.
fn headings(source: &Source<'_>, lines: &[usize], line: usize) -> Vec<usize> {
    let indent = |line: usize| source.line(line).len() - source.line(line).trim_start_matches(' ').len();
    let mut out = Vec::new();
    let (mut below, mut under) = (line, indent(line));
    for &above in lines[..lines.partition_point(|known| *known < line)].iter().rev() {
        // If the gap is larger, the lines between are shown anyway and may hold the heading.
        if under == 0 || out.len() == MAX_HEADINGS || below - above > MAX_LINES_ABOVE {
            break;
        }
        below = above;
        let is_heading = || FORMS.classify(source.line(above)) != Some(TestLine::Passed);
        if !source.line(above).trim().is_empty() && indent(above) < under && is_heading() {
            under = indent(above);
            out.push(above);
        }
    }
    out
}

/// The duration at the end of a line, in nanoseconds: `(801 ms)`, `(643ms)`, ` 702ms`, `[1.20s]`, `(1m 2s)`, `<0.9s>`.
fn duration(line: &str) -> Option<u64> {
    let line = line.trim_end();
    let inside = match line.strip_suffix([')', ']', '>']) {
        Some(inside) => &inside[inside.rfind(['(', '[', '<'])? + 1..],
        None => &line[line.rfind(' ')? + 1..],
    };
    let is_duration = inside.len() <= MAX_BYTES
        && inside.starts_with(|c: char| c.is_ascii_digit())
        && inside.ends_with(|c: char| c.is_ascii_alphabetic());
    if is_duration { nanoseconds(inside.as_bytes()) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(lines: &[&str]) -> Vec<usize> {
        let text = lines.join("\n");
        let source = Source::new(&text);
        let mut out = Reduction::default();
        out.omit_in(0..source.len(), Reason::PassingTests, 1);
        keep(&source, &mut out);
        let hidden: Vec<usize> = out.spans.iter().flat_map(|span| span.lines.clone()).collect();
        (0..source.len()).filter(|line| !hidden.contains(line)).collect()
    }

    #[test]
    fn a_test_that_took_most_of_the_time_stays() {
        for slow in [
            "  \u{2713} slow (801 ms)",
            "    \u{2714} is slow (643ms)",
            " \u{2713} a > slow 702ms",
            "    \u{2713} s (12.5 s)",
            "  \u{2713} s (1m 2s)",
            "  \u{2713} s (1.2m)",
            "test s ... ok <61.882s>",
        ] {
            let fast = "  \u{2713} adds 1 (3 ms)";
            assert_eq!(kept(&[fast, fast, slow, fast]), [2], "{slow}");
        }
        // The runner writes the time of slow tests alone.
        let mut tests = ["    \u{2714} is fast"; 30];
        tests[11] = "    \u{2714} is slow (189ms)";
        assert_eq!(kept(&tests), [11]);
        // The slow test and its heading.
        let tree = ["  a", "    \u{2713} x", "  b", "    \u{2713} y", "    \u{2713} slow (801 ms)"];
        assert_eq!(kept(&tree), [2, 4]);
        // All are slow, or none is.
        assert_eq!(
            kept(&["  \u{2713} a (801 ms)", "  \u{2713} b (801 ms)", "  \u{2713} c (790 ms)"]),
            [0; 0]
        );
        assert_eq!(kept(&["  \u{2713} a (80 ms)", "  \u{2713} b", "  \u{2713} c"]), [0; 0]);
    }
}
