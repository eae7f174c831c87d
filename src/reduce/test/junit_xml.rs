//! JUnit's XML as many runners write it: test cases that passed go, those with a failure, an error or
//! a reason for being skipped stay whole.
//!
//! Read line by line, so a file that is one long line is left to others. The marker in place of the
//! test cases is no XML. A test case is passed when nothing in it says otherwise, neither an element
//! nor its `status`; what it printed goes with it, unless that reads like a failure.

use crate::pipeline::detect::Shape;
use crate::pipeline::ledger::Reduction;
use crate::pipeline::reason::Reason;
use crate::pipeline::signals;
use crate::pipeline::source::Source;
use crate::reduce::lines::reads_as_report;
use crate::reduce::{Claim, Input, Meta, Reducer};

/// See the module.
pub struct JunitXml;

static META: Meta = Meta {
    id: "junit_xml",
    family: "test",
    reads: "JUnit XML reports of any runner, one element a line",
    keeps: "suites with their counts, test cases with failures, errors or skips whole, what suites printed, properties",
    folds: "test cases that passed, with what they printed",
    anchors: &["<testsuite"],
};

/// Lines at the start among which the root element has to be.
const HEAD: usize = 20;

impl Reducer for JunitXml {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        let detection = input.detection;
        let is_view = detection.is_numbered || detection.is_range || detection.is_window;
        if is_view || !(reads_as_report(input) || detection.shape == Shape::File && !detection.is_written) {
            return Claim::No;
        }
        let mut lines = input.source.lines().map(str::trim_start).filter(|line| !line.is_empty()).take(HEAD);
        let is_start = |line: &str| line.starts_with("<?xml") || is_suite(line);
        let mut head = lines.by_ref().skip_while(|line| !line.starts_with('<'));
        match head.next().is_some_and(|first| is_start(first) && (is_suite(first) || head.any(is_suite))) {
            true => Claim::Content,
            false => Claim::No,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut out = Reduction::default();
        let mut i = 0;
        while i < source.len() {
            let Some(end) = case_end(source, i) else {
                i += 1;
                continue;
            };
            if (i..end).all(|n| passes(source.line(n))) {
                out.omit_in(i..end, Reason::PassingTests, 1);
            }
            i = end;
        }
        if out.is_empty() { Err(Reason::NothingToDo) } else { Ok(out) }
    }
}

fn is_suite(line: &str) -> bool {
    line.strip_prefix("<testsuite").is_some_and(|rest| rest.starts_with(['s', ' ', '>']) || rest.is_empty())
}

/// The line after a test case that starts in line `i` and shares its lines with no other element.
fn case_end(source: &Source<'_>, i: usize) -> Option<usize> {
    let is_case = |line: &str| {
        line.trim_start().strip_prefix("<testcase").is_some_and(|r| r.is_empty() || r.starts_with(' '))
    };
    if !is_case(source.line(i)) {
        return None;
    }
    // The tag may take several lines.
    let tag = (i..source.len()).find(|&n| source.line(n).trim_end().ends_with('>'))?;
    let line = source.line(tag).trim_end();
    let opened = (i..=tag).map(|n| source.line(n).matches('<').count()).sum::<usize>();
    if line.ends_with("/>") && opened == 1 {
        return Some(tag + 1);
    }
    for n in i..source.len() {
        let line = source.line(n);
        if n > i && line.contains("<testcase") {
            return None;
        }
        if let Some(at) = memchr::memmem::find(line.as_bytes(), b"</testcase>") {
            return line[at..]
                .trim_end()
                .strip_prefix("</testcase>")
                .filter(|rest| rest.is_empty())
                .map(|_| n + 1);
        }
    }
    None
}

/// Whether a line of a test case says nothing but that it passed.
fn passes(line: &str) -> bool {
    const ELEMENTS: &[&str] = &["<failure", "<error", "<skipped", "<rerun", "<flaky", "<disabled"];
    const STATES: &[&str] = &["fail", "error", "skip", "notrun", "disabled", "pending", "aborted"];
    let states = |name: &str| {
        line.split_once(name).is_some_and(|(_, value)| {
            STATES
                .iter()
                .any(|state| value.get(..state.len()).is_some_and(|head| head.eq_ignore_ascii_case(state)))
        })
    };
    !ELEMENTS.iter().any(|element| line.contains(element))
        && !states(" status=\"")
        && !states(" result=\"")
        && !signals::is_failure(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(text: &str) -> Option<usize> {
        case_end(&Source::new(text), 0)
    }

    #[test]
    fn finds_the_end_of_a_case() {
        assert_eq!(end("<testcase name=\"a\"/>\n"), Some(1));
        assert_eq!(end("<testcase name=\"a\"\n  time=\"1\"/>\n"), Some(2));
        assert_eq!(end("<testcase name=\"a\"></testcase>\n"), Some(1));
        assert_eq!(end("<testcase name=\"a\">\n<system-out>x</system-out>\n</testcase>\n"), Some(3));
        assert_eq!(end("<testcase name=\"a\">\n<system-out/>\n</testcase>\n"), Some(3));
        // Elements that share a line cannot be told apart.
        assert_eq!(end("<testcase name=\"a\"/><testcase name=\"b\"/>\n"), None);
        assert_eq!(end("<testcase name=\"a\"></testcase></testsuite>\n"), None);
        assert_eq!(end("<testcases>\n"), None);
    }

    #[test]
    fn tells_passed_from_other() {
        assert!(passes("<testcase name=\"a\" status=\"run\" result=\"completed\"/>"));
        assert!(!passes("<testcase name=\"a\" status=\"notrun\"/>"));
        assert!(!passes("<skipped/>") && !passes("<failure message=\"x\">") && !passes("<rerunFailure"));
    }
}
