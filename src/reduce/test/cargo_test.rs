//! `cargo test` and libtest binaries: passing tests and build progress go, failures stay whole.
//!
//! Grammar (libtest's pretty format): `running N tests`, then `test NAME ... OUTCOME` lines, then
//! `failures:` with one `---- NAME stdout ----` block per failure, then `test result: …`. Lines that
//! are none of these, such as compiler warnings and what tests print, stay as they are.

use crate::pipeline::ledger::Reduction;
use crate::pipeline::reason::Reason;
use crate::reduce::lines::{is_cargo_progress, leading_number};
use crate::reduce::{Claim, Input, Meta, Reducer};

/// See the module.
pub struct CargoTest;

static META: Meta = Meta {
    id: "cargo_test",
    family: "test",
    reads: "`cargo test` and libtest binaries in the pretty format",
    keeps: "every failed or ignored test, the whole `failures:` section, all `test result:` lines, warnings, what \
            tests print",
    folds: "`test … ok` lines, output of passing tests (`successes:`), build progress",
    anchors: &["test result: ", "running "],
};

/// Where in the output a line stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Build,
    Tests,
    Failures,
    Successes,
}

impl Reducer for CargoTest {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        let is_header = |line: &str| is_running(line) || line.starts_with("test result: ");
        if !input.source.lines().any(is_header) {
            return Claim::No;
        }
        let command = &input.detection.command;
        match command
            .runs(|s| s.program() == "cargo" && matches!(s.subcommand(), Some("test" | "t" | "bench")))
        {
            true => Claim::Command,
            false => Claim::Content,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut out = Reduction::default();
        let mut section = Section::Build;
        let mut group = 0;
        let mut blocks = 0;
        for i in 0..source.len() {
            let line = source.line(i);
            if is_running(line) {
                section = Section::Tests;
                // One marker for the passing tests of one binary.
                group += 1;
                blocks += 1;
                continue;
            }
            if line.starts_with("test result: ") {
                section = Section::Build;
                blocks += 1;
                continue;
            }
            match (section, line) {
                (Section::Tests | Section::Successes, "failures:") => section = Section::Failures,
                (Section::Tests, "successes:") => section = Section::Successes,
                (Section::Successes, _) => out.omit_in(i..i + 1, Reason::TestOutput, 0),
                (Section::Tests, _) if is_passed(line) => out.omit_in(i..i + 1, Reason::PassingTests, group),
                (Section::Build, _) if is_cargo_progress(line) => out.omit(i..i + 1, Reason::Progress),
                _ => {}
            }
        }
        match (blocks, out.is_empty()) {
            (0, _) => Err(Reason::NotRecognized),
            (_, true) => Err(Reason::NothingToDo),
            _ => Ok(out),
        }
    }
}

/// `running 3 tests`
fn is_running(line: &str) -> bool {
    line.strip_prefix("running ")
        .and_then(leading_number)
        .is_some_and(|(n, rest)| rest == if n == 1 { " test" } else { " tests" })
}

/// `test a::b ... ok`, also with the time that `--report-time` adds: `… ok <0.001s>`.
fn is_passed(line: &str) -> bool {
    let Some((name, outcome)) = line.strip_prefix("test ").and_then(|l| l.rsplit_once(" ... ")) else {
        return false;
    };
    let outcome = outcome.trim_end();
    !name.is_empty() && (outcome == "ok" || outcome.strip_prefix("ok <").is_some_and(|t| t.ends_with("s>")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines() {
        assert!(is_running("running 1 test") && is_running("running 0 tests"));
        assert!(!is_running("running 2 test") && !is_running("running late"));
        assert!(is_passed("test a::b ... ok") && is_passed("test src/a.rs - f (line 3) ... ok <0.1s>"));
        assert!(!is_passed("test a ... FAILED") && !is_passed("test a ... ignored") && !is_passed("ok"));
    }
}
