//! Python's `unittest` and Django's test runner: lines on passing tests and applied migrations are left out.
//!
//! Grammar of the text runner: with `-v` one line a test, `test_a (pkg.Class.test_a) ... ok`, or two lines if the
//! test has a docstring; otherwise dots. Then one block per failure, each from a rule of `=` to the next, then
//! `Ran N tests in 0.1s`. The output of tests is in between, and is kept. From the first failure block on
//! everything is kept, since what follows may be the output of that test.

use std::ops::Range;

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::lines::{are_unquoted, leading_number};
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// The reducer of this module.
pub struct Unittest;

static META: Meta = Meta {
    id: "unittest",
    family: "test",
    reads: "`python -m unittest` and `manage.py test`",
    keeps: "failures and errors whole, skipped and expected failures, what tests print, the totals; in a run that \
            did not end, the last passing line",
    omits: "lines on passing tests, migrations that were applied",
    anchors: &["Ran ", " ... ok"],
};

/// Groups of the two markers.
const TESTS: u32 = 1;
const MIGRATIONS: u32 = 2;

impl Reducer for Unittest {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let (mut total, mut passed) = (false, false);
        let mut at = 0..;
        let is_report = are_unquoted(input.source.lines(), |line| {
            let i = at.next().unwrap_or_default();
            match line.as_bytes().first() {
                Some(b'R') => total |= is_total(line),
                _ => passed = passed || passing(input.source, i).is_some(),
            }
            // `false`: a quotation anywhere in the text, not only at its start, means that it is a document.
            false
        });
        let alone = total && passed && !input.detection.command.is_filtered();
        FormatProof::of(is_report && (total || passed), is_report && alone)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        s.program() == "unittest" || s.argv.windows(2).any(|w| w[0].ends_with("manage.py") && w[1] == "test")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut out = Reduction::default();
        // The last lines to be left out; they are kept if the run turns out not to have ended.
        let mut held: Option<(usize, usize)> = None;
        let mut ended = false;
        for i in 0..source.len() {
            let line = source.line(i);
            if is_failure_block(source, i) {
                ended = true;
                break;
            }
            ended = is_total(line) || (ended && passing(source, i).is_none());
            if let Some(lines) = passing(source, i) {
                if let Some((first, last)) = held.replace((i + 1 - lines, i)) {
                    out.omit_in(first..last + 1, Reason::PassingTests, TESTS);
                }
            } else if is_migration(line) && held.is_none() {
                out.omit_in(i..i + 1, Reason::Progress, MIGRATIONS);
            }
        }
        if let Some((first, last)) = held.filter(|_| ended) {
            out.omit_in(first..last + 1, Reason::PassingTests, TESTS);
        }
        out.unless_empty()
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let source = input.source;
        let starts = |i: &usize| {
            passing(source, *i).is_some() || is_failure_block(source, *i) || is_migration(source.line(*i))
        };
        let Some(first) = (0..source.len()).find(starts) else { return 0..source.len() };
        // A test may have printed something like totals; only the last one ends the run.
        let Some(total) = (first..source.len()).rev().find(|&i| is_total(source.line(i))) else {
            return first..source.len();
        };
        let ends = |l: &str| {
            ["OK", "FAILED (", "NO TESTS RAN", "Destroying test database"].iter().any(|s| l.starts_with(s))
        };
        let last = (total + 1..source.len().min(total + 4)).rev().find(|&i| ends(source.line(i)));
        // A test with a docstring starts one line earlier.
        first.saturating_sub(1)..last.unwrap_or(total) + 1
    }
}

/// The number of lines of the passed test that ends in line `i`: one, or two if the docstring of the test is in the
/// second. `None` if no passed test ends there.
fn passing(source: &Source<'_>, i: usize) -> Option<usize> {
    let line = source.line(i);
    let before = |n: usize| i.checked_sub(n).map(|i| source.line(i));
    if is_dots(line) {
        let rule = |l: &str| is_rule(l, b'-') || is_rule(l, b'=');
        let ends = (i + 1..source.len().min(i + 3)).any(|n| rule(source.line(n)));
        return ends.then_some(1);
    }
    let report = line.strip_suffix(" ... ok")?;
    // Before Python 3.11, a test with failed subtests does not end its line, so that two tests share a line.
    if report.contains(" ... ") || signals::is_failure(line) {
        return None;
    }
    if is_test(report) {
        return Some(1);
    }
    before(1).filter(|l| is_test(l) && !signals::is_failure(l)).map(|_| 2)
}

/// `test_a (pkg.module.Class.test_a)`, or `test_a (pkg.module.Class)` before Python 3.11.
fn is_test(text: &str) -> bool {
    let Some((name, id)) = text.split_once(" (") else { return false };
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || !b.is_ascii();
    id.strip_suffix(')').is_some_and(|id| {
        !id.is_empty()
            && id.contains('.')
            && id.bytes().all(|b| is_name(b) || matches!(b, b'.' | b'<' | b'>'))
    }) && !name.is_empty()
        && name.bytes().all(is_name)
}

/// `Ran 39 tests in 0.005s`
fn is_total(line: &str) -> bool {
    line.strip_prefix("Ran ").and_then(leading_number).is_some_and(|(n, rest)| {
        rest.strip_prefix(if n == 1 { " test in " } else { " tests in " }).is_some_and(|t| t.ends_with('s'))
    })
}

/// A rule of `=` and the title of a failure.
fn is_failure_block(source: &Source<'_>, i: usize) -> bool {
    const TITLES: &[&str] = &["FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: "];
    is_rule(source.line(i), b'=')
        && i + 1 < source.len()
        && TITLES.iter().any(|t| source.line(i + 1).starts_with(t))
}

/// A rule of the text runner: 70 equal characters.
fn is_rule(line: &str, of: u8) -> bool {
    line.len() == 70 && line.bytes().all(|b| b == of)
}

fn is_dots(line: &str) -> bool {
    !line.is_empty() && line.bytes().all(|b| b == b'.')
}

/// `  Applying auth.0001_initial... OK`
fn is_migration(line: &str) -> bool {
    line.starts_with("  Applying ") && line.ends_with("... OK")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(text: &str) -> Option<usize> {
        let source = Source::new(text);
        passing(&source, source.len() - 1)
    }

    #[test]
    fn reads_lines() {
        assert_eq!(lines_of("test_a (m.C.test_a) ... ok"), Some(1));
        assert_eq!(lines_of("test_a (m.C)\nAdding keeps the order. ... ok"), Some(2));
        assert_eq!(lines_of("something else\nAdding keeps the order. ... ok"), None);
        assert_eq!(lines_of("test_a (m.C) ... test_b (m.C) ... ok"), None);
        assert_eq!(lines_of("test_a (m.C) ... FAIL"), None);
        assert_eq!(lines_of("Linting (all files) ... ok"), None);
        assert!(is_total("Ran 1 test in 0.1s") && is_total("Ran 0 tests in 0.000s") && !is_total("Ran far"));
        assert!(
            is_migration("  Applying a.0001_b... OK") && !is_migration("  Applying a.0001_b...Traceback")
        );
    }
}
