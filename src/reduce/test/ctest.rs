//! CTest: passing tests and what they printed are left out. Other tests, the list of failures and the totals are
//! kept.
//!
//! Grammar: `    Start  3: name`; with `-V` the output of the test, each line with its number before it (`3: …`);
//! then ` 3/25 Test  #3: name .....   Passed    0.05 sec` or another outcome. The number shows to which test a line
//! belongs, so tests may run in parallel. The passing tests of a failing GoogleTest binary are left out as well.

use std::collections::{HashMap, HashSet};

use super::googletest::Running;
use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::{are_unquoted, leading_number};
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;

/// The reducer of this module.
pub struct Ctest;

static META: Meta = Meta {
    id: "ctest",
    family: "test",
    reads: "`ctest`, also with `-V`, `-j` and `--output-on-failure`",
    keeps: "tests that failed, crashed, timed out or did not run, with their output, their list, the totals",
    omits: "passing tests and their output",
    anchors: &["Test project ", "% tests passed", "Test  #", "Test #", "No tests were found"],
};

/// Groups of the markers; those of GoogleTest come first.
const TESTS: u32 = 3;
const OUTPUT: u32 = 4;

impl Reducer for Ctest {
    fn meta(&self) -> &Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let (mut results, mut total) = (false, false);
        let is_report = are_unquoted(input.source.lines(), |line| {
            results |= result(line).is_some();
            total |= line.contains("% tests passed, ");
            results
        });
        let alone = results && !input.detection.command.is_filtered();
        FormatProof::of(is_report && (results || total), is_report && alone)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        s.program() == "ctest"
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut outcomes: HashMap<usize, bool> = HashMap::new();
        for (number, passed) in source.lines().filter_map(result) {
            *outcomes.entry(number).or_insert(true) &= passed;
        }
        let mut wrote: HashSet<usize> = HashSet::new();
        let mut with_failure_line: HashSet<usize> = HashSet::new();
        for (number, text) in source.lines().filter_map(output) {
            wrote.insert(number);
            if signals::is_failure(text) {
                with_failure_line.insert(number);
            }
        }
        let mut actions = LineActions::new(source);
        let mut binaries: HashMap<usize, Running> = HashMap::new();
        // Whether lines without a test number follow a failed test, which then wrote them.
        let mut failed = false;
        let mut list = false;
        for i in 0..source.len() {
            let line = source.line(i);
            let ends = result(line);
            let frame = ends.map(|(n, _)| n).or_else(|| start(line));
            let written = output(line).filter(|_| frame.is_none());
            let Some(number) = frame.or(written.map(|(n, _)| n)).filter(|n| outcomes.contains_key(n)) else {
                list = line == "The following tests passed:" || list && line.starts_with('\t');
                if list {
                    actions.omit_unless_failure(i, Reason::PassingTests, TESTS);
                } else if failed {
                    binaries.entry(usize::MAX).or_default().line(i, line, &mut actions);
                }
                continue;
            };
            failed = ends.is_some_and(|(_, passed)| !passed);
            // A test's frame lines get the same reason and group as its output, so that one marker covers both.
            let (reason, group) = match wrote.contains(&number) {
                true => (Reason::TestOutput, OUTPUT),
                false => (Reason::PassingTests, TESTS),
            };
            match (outcomes.get(&number), written) {
                (Some(true), _) if written.is_some() || !with_failure_line.contains(&number) => {
                    actions.omit_unless_failure(i, reason, group)
                }
                (Some(false), Some((_, text))) => {
                    binaries.entry(number).or_default().line(i, text, &mut actions);
                }
                _ => {}
            }
        }
        actions.keep_last().finish(Blanks::Behind)
    }

    fn is_format_line(&self, line: &str) -> bool {
        result(line).is_some()
            || start(line).is_some()
            || ["Test project ", "Total Test time", "Errors while running CTest", "Use \"--rerun-failed"]
                .iter()
                .any(|s| line.starts_with(s))
    }
}

/// The number of a test and whether it passed: ` 3/25 Test  #3: item_1 .....   Passed    0.05 sec`.
fn result(line: &str) -> Option<(usize, bool)> {
    let (_, rest) = leading_number(line.trim_start())?;
    let (_, rest) = leading_number(rest.strip_prefix('/')?)?;
    let rest = rest.trim_start().strip_prefix("Test")?.trim_start().strip_prefix('#')?;
    let (number, rest) = leading_number(rest)?;
    let rest = rest.strip_prefix(": ")?.trim_end();
    let time = rest.strip_suffix(" sec")?;
    let outcome = time.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end();
    Some((number, outcome.ends_with(" Passed")))
}

/// The number in `test 3` and `      Start  3: item_1`.
fn start(line: &str) -> Option<usize> {
    if let Some((number, "")) = line.strip_prefix("test ").and_then(leading_number) {
        return Some(number);
    }
    let rest = line.strip_prefix("  ")?.trim_start().strip_prefix("Start ")?;
    let (number, rest) = leading_number(rest.trim_start())?;
    rest.starts_with(": ").then_some(number)
}

/// The number and the text of a line that a test wrote: `3: hello`.
fn output(line: &str) -> Option<(usize, &str)> {
    let (number, rest) = leading_number(line)?;
    rest.strip_prefix(':').map(|rest| (number, rest.strip_prefix(' ').unwrap_or(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines() {
        assert_eq!(
            result(" 3/25 Test  #3: item_1 ...........................   Passed    0.05 sec"),
            Some((3, true))
        );
        assert_eq!(
            result("24/25 Test #24: slow .............................***Timeout   1.00 sec"),
            Some((24, false))
        );
        assert_eq!(result("25/25 Test #25: off ....***Not Run (Disabled)   0.00 sec"), Some((25, false)));
        assert_eq!(result("3/4 Tests are fine"), None);
        assert_eq!(
            (start("      Start  3: item_1"), start("test 12"), start("test it")),
            (Some(3), Some(12), None)
        );
        assert_eq!(
            (output("12: hello"), output("12:"), output("a: b")),
            (Some((12, "hello")), Some((12, "")), None)
        );
    }
}
