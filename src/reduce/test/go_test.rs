//! `go test`: what passing tests wrote is left out; failures, races, crashes and package lines are kept.
//!
//! Grammar of the text form (package `testing` with `-v`): `=== RUN   TestA`, the output of the test,
//! `--- PASS: TestA (0.00s)`, subtests indented by four blanks a level, and at the end of each package a line of the
//! go command (`ok  `, `FAIL`, `?   `, with tabs). The form of `-json` is read in `json`. The output of a test is
//! left out only if the test and its parent test passed, and it is certain which test wrote it; the lines with the
//! names of passing tests are left out in any case.

mod json;
mod packages;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::lines::are_unquoted;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::{Action, Reduction, Span};
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;
use packages::{FoldedPackages, package_end};

/// The reducer of this module.
pub struct GoTest;

static META: Meta = Meta {
    id: "go_test",
    family: "test",
    reads: "`go test`, plain, `-v` and `-json`",
    keeps: "failed and skipped tests with their output, panics, data races, build failures, benchmarks, coverage, \
            package lines",
    omits: "lines and output of passing tests; where many packages passed or have no tests, their lines, but for slow ones \
            and coverage, behind their numbers; downloads, fuzzing progress",
    anchors: &[
        "ok  \t",
        "ok      ",
        "FAIL\t",
        "[no test files]",
        "=== RUN   ",
        "--- PASS: ",
        "--- FAIL: ",
        "{\"Time\":\"",
        "\"Action\":\"",
    ],
};

/// How a test ended. If a name occurs more than once (`-count=2`), its worst outcome counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Pass,
    Skip,
    Fail,
}

impl Reducer for GoTest {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let (mut package, mut ran, mut result) = (false, false, false);
        let is_report = are_unquoted(input.source.lines(), |line| {
            match line.as_bytes().first() {
                Some(b'{') if json::is_event(line) => (package, ran, result) = (true, true, true),
                Some(b'o' | b'F' | b'?') => package |= package_end(line).is_some(),
                Some(b'=') => ran |= marker(line).is_some_and(|name| !name.is_empty()),
                Some(b'-' | b' ') => result |= verdict(line).is_some(),
                _ => {}
            }
            package
        });
        // A filter such as `grep` may have picked lines: the text is claimed only if all kinds of lines are left.
        let alone = match input.detection.command.is_filtered() {
            true => package && ran && result,
            false => package || (ran && result),
        };
        FormatProof::of(is_report && (package || ran || result), is_report && alone)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        s.program() == "go" && s.subcommand() == Some("test")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        if let Some(out) = json::reduce(input) {
            return out.unless_empty();
        }
        let source = input.source;
        let mut out = Reduction::default();
        let folded = FoldedPackages::read(source);
        let mut start = 0;
        let mut number = 0;
        while start < source.len() {
            let end = (start..source.len()).find(|&i| package_end(source.line(i)).is_some());
            let lines = start..end.unwrap_or(source.len());
            start = lines.end + 1;
            let verdict = end.and_then(|i| package_end(source.line(i)));
            let package = Package::read(source, lines.clone(), verdict);
            let fold = end.filter(|&i| folded.folds(source, i));
            let without_tests = match (fold, end) {
                (Some(_), _) => Some((Reason::PassingTests, PACKAGES)),
                (None, Some(end)) if says_no_tests(source.line(end)) => Some((Reason::ToolHints, PACKAGES)),
                _ => None,
            };
            package.reduce(source, lines, number, without_tests, &mut out);
            if let Some(end) = fold {
                out.omit_in(end..end + 1, Reason::PassingTests, PACKAGES);
            }
            number += 1;
        }
        // The first of the lines that are folded has the text of their marker.
        let is_folded = |span: &&mut Span| {
            matches!(span.action, Action::Omit { group: PACKAGES, reason: Reason::PassingTests, .. })
        };
        if let Some(Span { action: Action::Omit { names, .. }, .. }) = out.spans.iter_mut().find(is_folded) {
            *names = Some(folded.marker_text.as_str().into());
        }
        out.unless_empty()
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let source = input.source;
        let ends = |l: &str| {
            package_end(l).is_some()
                || json::is_event(l)
                || l == "FAIL"
                || l == "PASS"
                || l.starts_with("exit status ")
        };
        let known = |l: &str| {
            ends(l)
                || marker(l).is_some()
                || verdict(l).is_some()
                || is_fuzzing(l)
                || is_race_rule(l)
                || ["panic: ", "goos: ", "# ", "go: downloading "].iter().any(|s| l.starts_with(s))
        };
        let first = (0..source.len()).find(|&i| known(source.line(i))).unwrap_or(0);
        // If the run has no last line, it was cut off or crashed, and everything below belongs to it.
        let last = (first..source.len()).rev().find(|&i| ends(source.line(i)));
        first..last.map_or(source.len(), |last| last + 1)
    }
}

/// Marker groups: one for packages that passed or have no tests, one for downloads, and two more for each package.
const PACKAGES: u32 = 1;
const DOWNLOADS: u32 = 2;

/// What is known about the output of one package.
struct Package<'a> {
    outcomes: HashMap<&'a str, Outcome>,
    /// Tests with a failure line in name or output. That line is kept, so their marker and verdict are kept too.
    with_failure_line: HashSet<&'a str>,
    /// Whether a line between test markers certainly belongs to the test named by the marker above it.
    attributed: bool,
}

impl<'a> Package<'a> {
    /// Collects the outcomes. `passed` is the go command's verdict on the package.
    fn read(source: &Source<'a>, lines: Range<usize>, passed: Option<bool>) -> Self {
        let mut outcomes: HashMap<&str, Outcome> = HashMap::new();
        let mut with_failure_line = HashSet::new();
        let mut parallel = false;
        let mut current = "";
        for i in lines {
            let line = source.line(i);
            parallel |= line.starts_with("=== PAUSE ");
            let verdict = verdict(line);
            if let Some((outcome, name)) = verdict {
                let worst = outcomes.entry(name).or_insert(outcome);
                *worst = outcome.max(*worst);
            }
            current = verdict.map(|(_, name)| name).or_else(|| marker(line)).unwrap_or(current);
            if !current.is_empty() && signals::is_failure(line) {
                with_failure_line.insert(current);
            }
        }
        // Parallel tests share one stream, so the writer of a line is unclear; if all passed, that does not matter.
        Self { outcomes, with_failure_line, attributed: passed == Some(true) || !parallel }
    }

    fn passed(&self, name: &str) -> bool {
        self.outcomes.get(name) == Some(&Outcome::Pass)
    }

    /// Whether a line that test `name` wrote may be left out. `testing` writes a marker before a log line (`is_log`)
    /// of another test. After a subtest the parent test continues without a marker, so the parent must have passed too.
    fn may_omit_output(&self, name: &str, line: &str, is_log: bool) -> bool {
        (self.attributed || is_log)
            && self.passed(name)
            && self.passed(name.split('/').next().unwrap_or(name))
            && !signals::is_failure(line)
    }

    /// `without_tests`: why and in which group lines are left out that only say that the package passed or has no tests, if
    /// its last line says that too.
    fn reduce(
        &self,
        source: &Source<'_>,
        lines: Range<usize>,
        number: u32,
        without_tests: Option<(Reason, u32)>,
        out: &mut Reduction,
    ) {
        let (names, output) = (DOWNLOADS + 1 + 2 * number, DOWNLOADS + 2 + 2 * number);
        let end = lines.end;
        // The test whose marker or verdict came last, and whether it was a verdict.
        let mut current: Option<(&str, bool)> = None;
        let mut race = false;
        let mut log = false;
        for i in lines {
            let line = source.line(i);
            let next = (i + 1 < end).then(|| source.line(i + 1));
            race |= is_race_rule(line) && next == Some("WARNING: DATA RACE");
            if let Some((reason, group)) = without_tests.filter(|_| !race && says_only_result(line)) {
                out.omit_in(i..i + 1, reason, group);
            } else if race {
                race = !is_race_rule(line) || next == Some("WARNING: DATA RACE");
            } else if let Some(name) = marker(line) {
                (current, log) = (Some((name, false)), false);
                if self.passed(name)
                    && !self.with_failure_line.contains(name)
                    && !self.keeps_output(source, i + 1..end, name)
                {
                    out.omit_in(i..i + 1, Reason::PassingTests, names);
                }
            } else if let Some((_, name)) = verdict(line) {
                (current, log) = (Some((name, true)), false);
                if self.passed(name) && !self.with_failure_line.contains(name) {
                    out.omit_in(i..i + 1, Reason::PassingTests, names);
                }
            } else if let Some((name, over)) = current {
                log = continues_log(line, log);
                // After the verdict of a test, only log lines belong to it: Go before 1.14 prints them there.
                if (!over || log) && self.may_omit_output(name, line, log) {
                    out.omit_in(i..i + 1, Reason::TestOutput, output);
                }
            } else if line.starts_with("go: downloading ") {
                out.omit_in(i..i + 1, Reason::Progress, DOWNLOADS);
            } else if is_fuzzing(line) && next.is_some_and(is_fuzzing) {
                out.omit(i..i + 1, Reason::Progress);
            }
        }
    }

    /// Whether a line below the marker of `name` is kept: then the marker must be kept too.
    fn keeps_output(&self, source: &Source<'_>, lines: Range<usize>, name: &str) -> bool {
        let mut log = false;
        for i in lines {
            let line = source.line(i);
            if marker(line).is_some() || verdict(line).is_some() {
                return false;
            }
            log = continues_log(line, log);
            if !self.may_omit_output(name, line, log) {
                return true;
            }
        }
        false
    }
}

/// The test named in a line such as `=== RUN   TestA/b`. Empty for a bare `=== CONT`, after which the output belongs
/// to no test.
fn marker(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("=== ")?;
    let (verb, name) = rest.split_once(' ').unwrap_or((rest, ""));
    let name = name.trim();
    let known = match verb {
        "RUN" | "PAUSE" => !name.is_empty(),
        "CONT" | "NAME" => true,
        _ => false,
    };
    (known && !name.contains(' ')).then_some(name)
}

/// Outcome and test of `    --- FAIL: TestA/b (0.00s)`.
fn verdict(line: &str) -> Option<(Outcome, &str)> {
    let rest = line.trim_start_matches(' ');
    let (outcome, rest) = rest.strip_prefix("--- ")?.split_once(": ")?;
    let outcome = match outcome {
        "PASS" => Outcome::Pass,
        "SKIP" => Outcome::Skip,
        "FAIL" => Outcome::Fail,
        _ => return None,
    };
    let (name, time) = rest.trim_end().rsplit_once(" (")?;
    time.strip_suffix("s)")?.parse::<f64>().ok()?;
    Some((outcome, name))
}

/// `    list_test.go:11: l.Len() = 2, want 1`
fn is_log(line: &str) -> bool {
    line.starts_with("    ")
        && line
            .trim_start()
            .split_once(".go:")
            .is_some_and(|(file, rest)| !file.contains(' ') && rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether a line belongs to a log. `log` says whether the line before it does.
fn continues_log(line: &str, log: bool) -> bool {
    is_log(line) || (log && line.starts_with("        "))
}

/// Whether a line of a package says no more than its last line does: `PASS`, `testing: warning: no tests to run`.
fn says_only_result(line: &str) -> bool {
    matches!(line, "PASS" | "testing: warning: no tests to run")
}

/// Whether the last line of a package says that it had no tests to run.
fn says_no_tests(line: &str) -> bool {
    line.trim_end().ends_with("[no tests to run]")
}

/// `fuzz: elapsed: 3s, execs: 155836 (51929/sec), new interesting: 0 (total: 1)`
fn is_fuzzing(line: &str) -> bool {
    line.starts_with("fuzz: elapsed: ")
}

/// The line of `=` above and below a report of the race detector.
fn is_race_rule(line: &str) -> bool {
    line == "=================="
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Policy;
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Raw, compress};
    use crate::text::call::ToolCall;

    #[test]
    fn packages_without_tests_to_run_are_counted_with_all_their_lines() {
        let shown = |packages: usize| {
            let none = |i: usize| {
                format!(
                    "testing: warning: no tests to run\nPASS\nok  \tx.org/a/p{i}\t0.01s [no tests to run]\n"
                )
            };
            let mut text: String = (0..packages).map(none).collect();
            text.push_str("=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tx.org/a/one\t0.02s\n");
            let call =
                ToolCall { command: Some("go test -v -run TestA ./...".to_owned()), ..ToolCall::default() };
            let policy = Policy { min_bytes: 0, ..Policy::default() };
            compress(&call, &[Raw::Text(&text)], &policy, false, &NoHistory).unwrap().texts.concat()
        };
        let many = shown(20);
        assert!(many.contains("20 packages without tests to run]"), "{many}");
        assert_eq!(
            (many.matches("warning: no tests").count(), many.matches("PASS\n").count()),
            (0, 1),
            "{many}"
        );
        assert!(many.contains("ok  \tx.org/a/one"), "{many}");
        // If there are few packages, their lines stay, and say all that the warnings do.
        let few = shown(6);
        assert_eq!(few.matches("[no tests to run]").count(), 6, "{few}");
        assert!(few.contains("tool_hints]") && !few.contains("warning: no tests"), "{few}");
    }

    #[test]
    fn reads_lines() {
        assert_eq!(marker("=== RUN   TestA/b_c"), Some("TestA/b_c"));
        assert_eq!(marker("=== CONT  "), Some(""));
        assert_eq!(marker("=== CONT"), Some(""));
        assert_eq!((marker("=== RUN all of them"), marker("=== RUN")), (None, None));
        assert_eq!(verdict("    --- PASS: TestA/b (0.00s)"), Some((Outcome::Pass, "TestA/b")));
        assert_eq!(verdict("--- PASS: no time"), None);
        assert!(is_log("    a_test.go:3: x") && !is_log("a_test.go:3: x") && !is_log("    see a.go: it"));
    }
}
