//! `cargo test` and libtest binaries: passing tests and build progress are left out, failures are kept whole.
//!
//! Grammar (libtest's pretty format): `running N tests`, then `test NAME ... OUTCOME` lines, then
//! `failures:` with one `---- NAME stdout ----` block per failure, then `test result: …`. Lines that
//! are none of these, such as compiler warnings and what tests print, stay as they are.

use std::ops::Range;

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::lines::{is_cargo_progress, leading_number};
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::judge::Counted;
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub struct CargoTest;

static META: Meta = Meta {
    id: "cargo_test",
    family: "test",
    reads: "`cargo test`, `cargo bench` and libtest binaries in the pretty and the terse format, Criterion",
    keeps: "every failed or ignored test, the whole `failures:` section, all `test result:` lines, warnings, what \
            tests print",
    omits: "`test … ok` lines, output of passing tests (`successes:`), build progress, progress of Criterion",
    anchors: &["test result: ", "running ", ": Warming up for "],
};

/// The marker group of Criterion's progress lines. Each binary with tests has its own group.
const BENCHMARKS: u32 = 1;

/// The section of the output that a line is in.
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

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let is_header = |line: &str| {
            is_running(line)
                || line.starts_with("test result: ")
                || line.starts_with("Benchmarking ") && line.contains(": Warming up for ")
        };
        FormatProof::full_if(input.source.lines().any(is_header))
    }

    fn is_writer(&self, s: &Simple) -> bool {
        s.program() == "cargo" && matches!(s.subcommand(), Some("test" | "t" | "bench"))
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut out = Reduction::default();
        let mut section = Section::Build;
        let mut group = BENCHMARKS;
        let mut blocks = 0;
        let rare = rare_kinds(source);
        for i in first(source)..source.len() {
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
                (Section::Tests, _) if rare.contains(&i) => {}
                (Section::Tests, _) if is_passed(line) || is_dots(line) => {
                    out.omit_in(i..i + 1, Reason::PassingTests, group)
                }
                (Section::Build, _) if is_benchmarking(line) => {
                    blocks += 1;
                    out.omit_in(i..i + 1, Reason::Progress, BENCHMARKS);
                }
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

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let source = input.source;
        let last = (0..source.len()).rev().find(|&i| source.line(i).starts_with("test result: "));
        // Without a `test result:` line the last binary crashed, and the lines below say how.
        let Some(last) = last else { return first(source)..source.len() };
        let crashed = (last..source.len()).any(|i| is_running(source.line(i)));
        let of_cargo = |l: &str| {
            ["error: ", "all doctests ran in ", "    `", "Benchmarking "].iter().any(|s| l.starts_with(s))
                || l.contains(" time:   [")
        };
        let end = (last..source.len()).rev().find(|&i| of_cargo(source.line(i))).unwrap_or(last);
        first(source)..if crashed { source.len() } else { end + 1 }
    }
}

/// The first line to read: 0, or the start of the tests if the compiler printed diagnostics above them, which another
/// reducer reads.
fn first(source: &Source<'_>) -> usize {
    let of_tests = |l: &str| {
        is_running(l) || ["     Running ", "   Doc-tests ", "Benchmarking "].iter().any(|s| l.starts_with(s))
    };
    let tests = (0..source.len()).find(|&i| of_tests(source.line(i))).unwrap_or(0);
    let is_diagnostic =
        |l: &str| l.starts_with("warning: ") || l.starts_with("warning[") || l.starts_with("error");
    if (0..tests).any(|i| is_diagnostic(source.line(i))) { tests } else { 0 }
}

/// `running 3 tests`
fn is_running(line: &str) -> bool {
    line.strip_prefix("running ")
        .and_then(leading_number)
        .is_some_and(|(n, rest)| rest == if n == 1 { " test" } else { " tests" })
}

/// The dots of `-q`, with the count at the end of a full line: `....... 87/231`.
fn is_dots(line: &str) -> bool {
    let dots = line.bytes().take_while(|&b| b == b'.').count();
    let rest = line[dots..].trim();
    dots > 0
        && rest.split_once('/').map_or(rest.is_empty(), |(n, of)| {
            [n, of].iter().all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        })
}

/// A progress line of Criterion: `Benchmarking sum: Collecting 100 samples in …`.
fn is_benchmarking(line: &str) -> bool {
    line.strip_prefix("Benchmarking ").is_some_and(|rest| {
        [": Warming up for ", ": Collecting ", ": Analyzing"].iter().any(|w| rest.contains(w))
            || !rest.contains(": ")
    })
}

/// `test a::b ... ok`, also with the time that `--report-time` adds: `… ok <0.001s>`.
fn is_passed(line: &str) -> bool {
    let Some((name, outcome)) = line.strip_prefix("test ").and_then(|l| l.rsplit_once(" ... ")) else {
        return false;
    };
    let outcome = outcome.trim_end();
    !name.is_empty() && (outcome == "ok" || outcome.strip_prefix("ok <").is_some_and(|t| t.ends_with("s>")))
}

/// The kind of test that libtest names after a name, such as `compile fail`; nothing for a usual test.
fn kind(line: &str) -> &str {
    let name = line.rsplit_once(" ... ").map_or("", |(name, _)| name);
    let kind = name.rsplit_once(" - ").map_or("", |(_, kind)| kind);
    if matches!(kind, "should panic" | "compile fail" | "compile") { kind } else { "" }
}

/// The lines of passed tests of a rare kind.
fn rare_kinds(source: &Source<'_>) -> Vec<usize> {
    let mut kinds: Counted<&str> = Counted::default();
    for (i, line) in source.lines().enumerate().filter(|(_, line)| is_passed(line)) {
        crate::stop::check_sometimes();
        kinds.add(kind(line), i);
    }
    kinds.rare()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_kind_of_test_is_found() {
        let tests = |rare: usize| -> String {
            (0..50)
                .map(|i| format!("test a::t{i}{} ... ok\n", if i < rare { " - should panic" } else { "" }))
                .collect()
        };
        assert_eq!(rare_kinds(&Source::new(&tests(1))), [0]);
        assert_eq!(rare_kinds(&Source::new(&tests(9))), [0; 0]);
        assert_eq!(kind("test src/a.rs - A (line 9) - compile fail ... ok"), "compile fail");
        assert_eq!((kind("test src/a.rs - A (line 9) ... ok"), kind("test a - b ... ok")), ("", ""));
    }

    #[test]
    fn reads_lines() {
        assert!(is_running("running 1 test") && is_running("running 0 tests"));
        assert!(!is_running("running 2 test") && !is_running("running late"));
        assert!(is_passed("test a::b ... ok") && is_passed("test src/a.rs - f (line 3) ... ok <0.1s>"));
        assert!(is_dots("....") && is_dots("....... 87/231") && !is_dots("..F."));
        assert!(!is_dots("") && !is_dots("..1/a") && !is_dots("12/13"));
        assert!(is_benchmarking(
            "Benchmarking sum: Collecting 100 samples in estimated 5.0 s (1M iterations)"
        ));
        assert!(is_benchmarking("Benchmarking sum") && !is_benchmarking("Benchmarking sum: it failed"));
        assert!(!is_passed("test a ... FAILED") && !is_passed("test a ... ignored") && !is_passed("ok"));
    }
}
