//! GoogleTest: passing tests and what they printed are left out; failures, skipped tests and the totals are kept.
//!
//! Grammar: `[ RUN      ] Suite.Test`, the output of the test, `[       OK ] Suite.Test (0 ms)` or another outcome;
//! `[----------]` lines around the tests of a suite. The output is left out only if an `OK` of the same test follows.
//! Without an outcome (after a crash) everything is kept.

use crate::input::Input;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::are_unquoted;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;
use std::ops::Range;

/// The reducer of this module.
pub struct GoogleTest;

static META: Meta = Meta {
    id: "googletest",
    family: "test",
    reads: "binaries that are built with GoogleTest",
    keeps: "failed, skipped and disabled tests with their output, a test that did not end, the totals",
    omits: "passing tests and their output, the lines around suites",
    anchors: &["[==========]"],
};

/// Groups of the markers.
const TESTS: u32 = 1;
const OUTPUT: u32 = 2;

impl Reducer for GoogleTest {
    fn meta(&self) -> &Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let mut first = None;
        let is_report = are_unquoted(input.source.lines(), |line| {
            first = first.or(line.starts_with("[==========] ").then_some(line));
            first.is_some()
        });
        let is_start = first.is_some_and(|line| line.starts_with("[==========] Running "));
        FormatProof::full_if(is_report && is_start && !input.detection.command.is_filtered())
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut actions = LineActions::new(source);
        let mut running = Running::default();
        for i in 0..source.len() {
            running.line(i, source.line(i), &mut actions);
        }
        actions.keep_last().finish(Blanks::Behind)
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let source: &Source<'_> = input.source;
        let first = (0..source.len()).find(|&i| source.line(i).starts_with("[==========]")).unwrap_or(0);
        let last = (first..source.len())
            .rev()
            .find(|&i| {
                let line = source.line(i);
                line.starts_with("[  ") || line.starts_with("[==========]") || is_tally(line)
            })
            .unwrap_or(first);
        // Without the closing line the binary crashed: the lines below say how.
        let ended = (first..source.len()).any(|i| source.line(i).contains(" ran. ("));
        first..if ended { last + 1 } else { source.len() }
    }
}

/// ` 2 FAILED TESTS`, `  YOU HAVE 1 DISABLED TEST`
fn is_tally(line: &str) -> bool {
    line.starts_with("  YOU HAVE ") || (line.starts_with(' ') && line.contains(" FAILED TEST"))
}

/// If a line that a passing test printed reads like a failure, its whole output is kept, up to this many lines. A
/// choice: the output may be the report of a sanitizer.
const MAX_REPORT_LINES: usize = 60;

/// Follows the lines of one test binary.
#[derive(Default)]
pub struct Running {
    /// The line and the name of the test that is running.
    test: Option<(usize, String)>,
    /// The lines that it printed so far.
    output: Vec<usize>,
    /// Whether one of these lines reads like a failure: then the test's own lines are kept too.
    has_failure_line: bool,
}

impl Running {
    /// Reads a line without the prefix that it may have in the text.
    pub fn line(&mut self, i: usize, line: &str, actions: &mut LineActions<'_>) {
        if let Some(name) = line.strip_prefix("[ RUN      ] ") {
            self.test = Some((i, name.trim().to_owned()));
            self.output.clear();
            self.has_failure_line = false;
        } else if let Some(name) = line.strip_prefix("[       OK ] ") {
            let name = name.trim();
            let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
            let name = name.split(", where ").next().unwrap_or(name);
            let start = self.test.take().filter(|(_, test)| test == name).map(|(start, _)| start);
            let keeps_own_lines = self.has_failure_line || signals::is_failure(name);
            // A test's own lines get the same reason and group as its output, so that one marker covers both.
            let (reason, group) = match self.output.is_empty() {
                true => (Reason::PassingTests, TESTS),
                false => (Reason::TestOutput, OUTPUT),
            };
            // A report of a sanitizer or an assertion is only understood as a whole.
            let is_report = self.has_failure_line && self.output.len() <= MAX_REPORT_LINES;
            for &line in self.output.iter().filter(|_| start.is_some() && !is_report) {
                actions.omit_unless_failure(line, reason, group);
            }
            for line in start.into_iter().chain([i]).filter(|_| !keeps_own_lines) {
                actions.omit_unless_failure(line, reason, group);
            }
            self.output.clear();
        } else if line.starts_with("[  FAILED  ] ") || line.starts_with("[  SKIPPED ] ") {
            self.test = None;
        } else if self.test.is_some() {
            self.output.push(i);
            self.has_failure_line |= signals::is_failure(line);
        } else if line.starts_with("[----------] ") {
            actions.omit_unless_failure(i, Reason::PassingTests, TESTS);
        }
    }
}
