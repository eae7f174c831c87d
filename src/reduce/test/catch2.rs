//! Catch2: assertions that passed (`-s`) are left out, and so are headings of test cases with nothing else below
//! them. Failures, warnings, what tests print and the totals are kept.
//!
//! Grammar of the console form: a heading between two rules of `-` with the place and a rule of `.`
//! below, then assertions, each from `file:line: PASSED:` or `file:line: FAILED:` to an empty line, then
//! a rule of `=` and the totals. In the compact form an assertion is one line.

use std::ops::Range;

use crate::input::Input;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::{are_unquoted, leading_number};
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub struct Catch2;

static META: Meta = Meta {
    id: "catch_2",
    family: "test",
    reads: "binaries that are built with Catch2, in the console and the compact form",
    keeps: "failed assertions whole with their headings, warnings, what tests print, the totals",
    omits: "assertions that passed, headings of test cases that hold nothing else",
    anchors: &["test cases: ", "All tests passed (", " test case", "~~~~~~~~~~~~~~~~~~~~"],
};

impl Reducer for Catch2 {
    fn meta(&self) -> &Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let (mut total, mut assertion) = (false, false);
        let is_report = !input.detection.command.is_filtered()
            && are_unquoted(input.source.lines(), |line| {
                total |= is_total(line);
                assertion |= verdict(line).is_some();
                assertion
            });
        FormatProof::full_if(is_report && total && assertion)
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut actions = LineActions::new(source);
        let mut i = 0;
        // The last heading, while no line below it has been kept.
        let mut heading: Option<Range<usize>> = None;
        while i < source.len() {
            let line = source.line(i);
            if let Some(end) = heading_at(source, i) {
                hide(&mut actions, heading.replace(i..end));
                i = end;
            } else if is_rule(line, b'=') {
                hide(&mut actions, heading.take());
                i += 1;
            } else if verdict(line) == Some(Verdict::Passed) {
                let end = (i + 1..source.len()).find(|&n| is_end(source, n)).unwrap_or(source.len());
                hide(&mut actions, Some(i..end));
                i = end;
            } else if verdict(line) == Some(Verdict::PassedLine) {
                hide(&mut actions, Some(i..i + 1));
                i += 1;
            } else {
                if !line.trim().is_empty() {
                    heading = None;
                }
                i += 1;
            }
        }
        actions.keep_last().finish(Blanks::Behind)
    }
}

fn hide(actions: &mut LineActions<'_>, lines: Option<Range<usize>>) {
    for i in lines.into_iter().flatten() {
        actions.omit_unless_failure(i, Reason::PassingTests, 1);
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// The head of an assertion that passed, in the console form.
    Passed,
    /// A passed assertion in the compact form.
    PassedLine,
    /// Anything else about an assertion.
    Other,
}

/// What a line says about an assertion: `../ct.cpp:8: PASSED:`, `a.cpp(8): FAILED:`, `../ct.cpp:9: passed: a`.
fn verdict(line: &str) -> Option<Verdict> {
    let (place, rest) = line.rsplit_once(": ").filter(|(_, rest)| !rest.is_empty()).map_or_else(
        || line.trim_end().strip_suffix(':').and_then(|l| l.rsplit_once(": ")),
        |(place, rest)| Some((place, rest.trim_end().trim_end_matches(':'))),
    )?;
    if is_place(place) {
        return match rest {
            "PASSED" => Some(Verdict::Passed),
            "FAILED" | "warning" => Some(Verdict::Other),
            _ => None,
        };
    }
    let compact = |word: &str| line.split_once(word).is_some_and(|(place, _)| is_place(place));
    match () {
        () if compact(": passed: ") => Some(Verdict::PassedLine),
        () if compact(": failed: ") => Some(Verdict::Other),
        () => None,
    }
}

/// `../ct.cpp:8`, `a.cpp(8)`
fn is_place(text: &str) -> bool {
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    match text.strip_suffix(')') {
        Some(t) => t.rsplit_once('(').is_some_and(|(file, n)| file.contains('.') && digits(n)),
        None => text.rsplit_once(':').is_some_and(|(file, n)| file.contains('.') && digits(n)),
    }
}

/// Whether an assertion ends before line `i`.
fn is_end(source: &Source<'_>, i: usize) -> bool {
    let line = source.line(i);
    line.trim().is_empty() || verdict(line).is_some() || is_rule(line, b'-') || is_rule(line, b'=')
}

/// The line after the heading that starts in line `i`: a rule, names, a rule, a place, a rule of dots.
fn heading_at(source: &Source<'_>, i: usize) -> Option<usize> {
    const MAX_HEADING_LINES: usize = 12;
    if !is_rule(source.line(i), b'-') {
        return None;
    }
    let mut lines = (i + 1..source.len()).take(MAX_HEADING_LINES);
    let second = lines.find(|&n| is_rule(source.line(n), b'-'))?;
    let dots = lines.find(|&n| is_rule(source.line(n), b'.'))?;
    (dots - second <= 3).then_some(dots + 1)
}

fn is_rule(line: &str, of: u8) -> bool {
    line.len() >= 60 && line.bytes().all(|b| b == of)
}

/// `test cases: 6 | 4 passed | 2 failed`, `All tests passed (12 assertions in 3 test cases)`,
/// `Failed 2 test cases, failed 2 assertions.`, `Passed all 3 test cases with 12 assertions.`
fn is_total(line: &str) -> bool {
    line.strip_prefix("test cases: ").is_some_and(|rest| leading_number(rest.trim_start()).is_some())
        || line.starts_with("All tests passed (")
        || (line.starts_with("Failed ") || line.starts_with("Passed ")) && line.contains(" test case")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines() {
        assert_eq!(verdict("../ct.cpp:8: PASSED:"), Some(Verdict::Passed));
        assert_eq!(verdict("C:\\a\\ct.cpp(8): FAILED:"), Some(Verdict::Other));
        assert_eq!(verdict("../ct.cpp:8: passed: 3 + 20 == 23 for: 23 == 23"), Some(Verdict::PassedLine));
        assert_eq!(verdict("../ct.cpp:9: failed: a == \"pot\""), Some(Verdict::Other));
        assert_eq!((verdict("tests: PASSED:"), verdict("  REQUIRE( true )")), (None, None));
    }
}
