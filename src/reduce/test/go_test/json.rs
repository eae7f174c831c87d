//! `go test -json`: one event a line, as `go doc test2json` describes them. The events of passing tests are
//! left out; those of failed, skipped and unfinished tests and of the packages are kept, verbatim.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::Outcome;
use crate::input::Input;
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;

/// The fields of an event that are read.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event<'a> {
    #[serde(borrow)]
    action: Cow<'a, str>,
    #[serde(borrow, default)]
    package: Cow<'a, str>,
    #[serde(borrow, default)]
    test: Cow<'a, str>,
    #[serde(borrow, default)]
    output: Cow<'a, str>,
}

/// What is known about a package.
#[derive(Default)]
struct Package<'a> {
    outcomes: HashMap<&'a str, Outcome>,
    /// The package's own last event.
    ended: Option<Outcome>,
    parallel: bool,
    /// Tests whose name or output has a line like a failure: their marker and verdict events are kept.
    with_failure_line: HashSet<&'a str>,
    /// The number of the package, from which its marker groups follow.
    number: u32,
}

impl Package<'_> {
    fn passed(&self, test: &str) -> bool {
        self.outcomes.get(test) == Some(&Outcome::Pass)
    }

    /// See `may_omit_output` of the text form.
    fn may_omit_output(&self, test: &str, is_log: bool) -> bool {
        let attributed =
            is_log || !self.parallel || matches!(self.ended, Some(Outcome::Pass | Outcome::Skip));
        attributed && self.passed(test) && self.passed(test.split('/').next().unwrap_or(test))
    }
}

/// Whether a line is an event. A cheap check: how the line starts, and which fields it names.
pub fn is_event(line: &str) -> bool {
    let is_start = line.starts_with("{\"Time\":\"") || line.starts_with("{\"Action\":\"");
    is_start
        && memchr::memmem::find(line.as_bytes(), b"\"Action\":\"").is_some()
        && memchr::memmem::find(line.as_bytes(), b"\"Package\":\"").is_some()
}

/// The reduction of the JSON form; `None` when the text is not in that form.
pub fn reduce(input: &Input<'_>) -> Option<Reduction> {
    let source = input.source;
    let events: Vec<Option<Event<'_>>> = source
        .lines()
        .map(|line| is_event(line).then(|| serde_json::from_str(line).ok()).flatten())
        .collect();
    let mut packages: HashMap<&str, Package<'_>> = HashMap::new();
    for (i, event) in events.iter().enumerate() {
        let Some(event) = event else { continue };
        let number = packages.len() as u32;
        let package =
            packages.entry(&event.package).or_insert_with(|| Package { number, ..Package::default() });
        note(package, event);
        if !event.test.is_empty() && signals::is_failure(source.line(i)) {
            package.with_failure_line.insert(&event.test);
        }
    }
    if packages.is_empty() {
        return None;
    }
    let mut out = Reduction::default();
    let mut race = false;
    // The test whose log line came last, while its log continues.
    let mut log: Option<&str> = None;
    for (i, event) in events.iter().enumerate() {
        let Some(event) = event else { continue };
        let Some(package) = packages.get(event.package.as_ref()) else { continue };
        let (names, output) = (1 + 2 * package.number, 2 + 2 * package.number);
        let next = events.get(i + 1).and_then(Option::as_ref).map(|e| e.output.trim_end());
        let rule = event.output.trim_end() == "==================";
        race |= rule && next == Some("WARNING: DATA RACE");
        if race {
            race = !rule || next == Some("WARNING: DATA RACE");
            continue;
        }
        if event.action == "output" {
            let goes_on = super::continues_log(&event.output, log == Some(event.test.as_ref()));
            log = goes_on.then_some(event.test.as_ref());
        }
        match reason(package, event, log.is_some()) {
            Some(reason @ Reason::TestOutput) if !signals::is_failure(source.line(i)) => {
                out.omit_in(i..i + 1, reason, output);
            }
            Some(reason @ Reason::PassingTests)
                if !package.with_failure_line.contains(event.test.as_ref()) =>
            {
                out.omit_in(i..i + 1, reason, names);
            }
            _ => {}
        }
    }
    Some(out)
}

/// Records what an event says about its package.
fn note<'a>(package: &mut Package<'a>, event: &'a Event<'_>) {
    let outcome = match event.action.as_ref() {
        "pass" => Some(Outcome::Pass),
        "skip" => Some(Outcome::Skip),
        "fail" => Some(Outcome::Fail),
        _ => None,
    };
    package.parallel |= event.action == "pause";
    match outcome {
        Some(outcome) if event.test.is_empty() => package.ended = Some(outcome),
        Some(outcome) => {
            let worst = package.outcomes.entry(&event.test).or_insert(outcome);
            *worst = outcome.max(*worst);
        }
        None => {}
    }
}

/// The reason for leaving the event out, if it may be left out.
fn reason(package: &Package<'_>, event: &Event<'_>, is_log: bool) -> Option<Reason> {
    let test = event.test.as_ref();
    if test.is_empty() {
        // The package's last output and last event say the same: that it passed, and how long it took.
        let is_said_again = event.action == "start" || event.action == "output" && event.output == "PASS\n";
        return (is_said_again && package.ended == Some(Outcome::Pass)).then_some(Reason::PassingTests);
    }
    if !package.passed(test) {
        return None;
    }
    match event.action.as_ref() {
        "run" | "pause" | "cont" | "pass" => Some(Reason::PassingTests),
        "output" if is_frame(&event.output) => Some(Reason::PassingTests),
        "output" if package.may_omit_output(test, is_log) => Some(Reason::TestOutput),
        _ => None,
    }
}

/// Whether an output is the test's marker or verdict rather than something the test printed.
fn is_frame(output: &str) -> bool {
    let line = output.trim_end();
    super::marker(line).is_some() || super::verdict(line).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_events() {
        assert!(is_event(r#"{"Time":"2026-01-01T00:00:00Z","Action":"run","Package":"a","Test":"TestA"}"#));
        assert!(is_event(r#"{"Action":"output","Package":"a","Output":"ok\n"}"#));
        assert!(!is_event(r#"{"Time":"2026-01-01T00:00:00Z","level":"info"}"#));
        assert!(
            is_frame("=== RUN   TestA\n")
                && is_frame("    --- PASS: TestA/b (0.00s)\n")
                && !is_frame("hello\n")
        );
    }
}
