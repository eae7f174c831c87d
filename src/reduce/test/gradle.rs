//! Gradle: successful tasks, passing tests and the messages of the daemon are left out; failures, warnings and
//! the verdict are kept.
//!
//! Grammar: the line of a task (`> Task :test`, `:test` before Gradle 4.7), below it the output of the task up to the
//! next one. The line is left out if no line of the output is kept. A test is reported as `Class > name PASSED`, its
//! output as `Class > name STANDARD_OUT` with indented lines below.

mod tasks;

use std::collections::HashSet;

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::are_unquoted;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;

/// The reducer of this module.
pub struct Gradle;

static META: Meta = Meta {
    id: "gradle",
    family: "test",
    reads: "`gradle` and `gradlew`: builds and tests",
    keeps: "failed and skipped tests whole, failed tasks, tasks that ended unlike those of the same name, tests without \
            sources, what tasks wrote, warnings, what went wrong, the verdict",
    omits: "tasks without output, passing tests and their output, downloads, messages of the daemon; \
            warnings of one line and message into one with every place",
    anchors: &["> Task :", "BUILD SUCCESSFUL in ", "BUILD FAILED", "FAILURE: Build "],
};

/// Groups of the markers.
const PROGRESS: u32 = 1;
const TESTS: u32 = 2;
const OUTPUT: u32 = 3;
const STEPS: u32 = 4;

impl Reducer for Gradle {
    fn meta(&self) -> &Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let (mut tasks, mut verdict) = (false, false);
        let is_report = are_unquoted(input.source.lines(), |line| {
            tasks |= line.starts_with("> Task :");
            verdict |= is_verdict(line) || line.starts_with("FAILURE: Build ");
            tasks
        });
        let alone = tasks && verdict && !input.detection.command.is_filtered();
        FormatProof::of(is_report && (tasks || verdict), is_report && alone)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        matches!(s.program(), "gradle" | "gradlew" | "gradlew.bat")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let passed: HashSet<&str> = source.lines().filter_map(|l| test(l, " PASSED")).collect();
        let failed: HashSet<&str> = source.lines().filter_map(|l| test(l, " FAILED")).collect();
        let odd = tasks::outlier_tasks(source);
        let mut actions = LineActions::new(source);
        // The line of the current task, while no line below it is kept.
        let mut task: Option<usize> = None;
        let mut prints: Option<bool> = None;
        let mut highlights = false;
        for i in 0..source.len() {
            let line = source.line(i);
            if line.trim().is_empty() {
                continue;
            }
            let printed = prints.filter(|_| line.starts_with("    "));
            prints = printed;
            highlights = line.starts_with("Here are the highlights") || highlights && line.starts_with(" - ");
            if let Some(goes) = printed {
                match goes && !signals::is_failure(line) {
                    true => actions.omit_unless_failure(i, Reason::TestOutput, OUTPUT),
                    false => task = None,
                }
            } else if is_task(line) {
                hide_task(&mut actions, std::mem::replace(&mut task, Some(i).filter(|i| !odd.contains(i))));
            } else if test(line, " PASSED")
                .or(test(line, " STARTED").filter(|name| passed.contains(name) && !failed.contains(name)))
                .is_some()
            {
                actions.omit_unless_failure(i, Reason::PassingTests, TESTS);
            } else if let Some(name) = test(line, " STANDARD_OUT").or(test(line, " STANDARD_ERROR")) {
                let goes = passed.contains(name) && !failed.contains(name);
                prints = Some(goes);
                if goes && !printed_failure(source, i + 1) {
                    actions.omit_unless_failure(i, Reason::TestOutput, OUTPUT);
                }
            } else if is_progress(line) || highlights {
                let is_transfer = ["Download", "<", "..."].iter().any(|start| line.starts_with(start));
                let (reason, group) = match is_transfer {
                    true => (Reason::Progress, PROGRESS),
                    false => (Reason::BuildSteps, STEPS),
                };
                actions.omit_unless_failure(i, reason, group);
            } else if is_verdict(line)
                || line.starts_with("FAILURE: ")
                || line.starts_with("Deprecated Gradle ")
            {
                hide_task(&mut actions, task.take());
            } else {
                task = None;
            }
        }
        hide_task(&mut actions, task);
        actions.keep_last().finish(Blanks::Behind)
    }

    fn is_format_line(&self, line: &str) -> bool {
        is_task(line)
            || is_progress(line)
            || is_verdict(line)
            || line.starts_with("FAILURE: ")
            || is_tally(line)
    }
}

fn hide_task(actions: &mut LineActions<'_>, task: Option<usize>) {
    if let Some(task) = task {
        actions.omit_unless_failure(task, Reason::BuildSteps, STEPS);
    }
}

/// `> Task :api:test UP-TO-DATE`, `:api:test`, `> Configure project :api`, `> Transform …`.
fn is_task(line: &str) -> bool {
    let words = ["> Task :", "> Configure project", "> Transform "];
    words.iter().any(|w| line.starts_with(w))
        || line.strip_prefix(':').is_some_and(|rest| {
            let (path, status) = rest.split_once(' ').unwrap_or((rest, ""));
            !path.is_empty()
                && path.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-:.".contains(&b))
                && status.bytes().all(|b| b.is_ascii_uppercase() || b == b'-')
        })
}

/// The test of `CartTest > adds PASSED`.
fn test<'a>(line: &'a str, outcome: &str) -> Option<&'a str> {
    let name = line.trim_end().strip_suffix(outcome)?;
    (name.contains(" > ") && !name.starts_with([' ', '>'])).then_some(name)
}

/// Whether one of the indented lines from line `from` on reads like a failure.
fn printed_failure(source: &crate::text::source::Source<'_>, from: usize) -> bool {
    (from..source.len())
        .map(|i| source.line(i))
        .take_while(|l| l.starts_with("    "))
        .any(signals::is_failure)
}

/// `BUILD SUCCESSFUL in 3s`, `BUILD FAILED in 3s`
fn is_verdict(line: &str) -> bool {
    line.starts_with("BUILD SUCCESSFUL in ") || line.starts_with("BUILD FAILED")
}

/// `5 actionable tasks: 3 executed, 2 up-to-date`
fn is_tally(line: &str) -> bool {
    line.split_once(" actionable task").is_some_and(|(n, _)| n.bytes().all(|b| b.is_ascii_digit()))
}

/// A progress message of Gradle that needs no action.
fn is_progress(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "Starting a Gradle Daemon",
        "To honour the JVM settings for this build",
        "Daemon will be stopped at the end of the build",
        "Welcome to Gradle ",
        "Here are the highlights of this release",
        "For more details see https://docs.gradle.org/",
        "Downloading https://services.gradle.org/",
        "Download https://",
        "Unzipping ",
        "Set executable permissions for",
        "Calculating task graph",
        "Reusing configuration cache",
        "> IDLE",
        "<-----",
        "<=",
    ];
    let is_dots =
        || line.starts_with("...") && line.bytes().all(|b| b == b'.' || b == b'%' || b.is_ascii_digit());
    STARTS.iter().any(|s| line.starts_with(s)) || is_dots()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines() {
        assert!(is_task("> Task :api:test UP-TO-DATE") && is_task(":compileJava") && is_task(":test FAILED"));
        assert!(!is_task(": a") && !is_task(":smile: now") && !is_task("::error file=a"));
        assert_eq!(test("CartTest > adds PASSED", " PASSED"), Some("CartTest > adds"));
        assert_eq!(test("adds PASSED", " PASSED"), None);
        assert!(is_tally("5 actionable tasks: 5 executed") && !is_tally("no actionable task"));
        assert!(is_progress("....10%....20%") && !is_progress("... 3 more"));
    }
}
