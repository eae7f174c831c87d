//! Test reports in .NET's XML formats: `.trx`, NUnit and xUnit.
//!
//! A passed test whose element fills exactly one line is left out. A test with more lines, or with text that reads
//! like a failure, is kept, and so is everything else. The marker in place of the tests is not XML.

use crate::detect::Shape;
use crate::formats::xml;
use crate::input::{Claim, Input};
use crate::reduce::lines::reads_as_report;
use crate::reduce::{Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;

/// The reducer of this module.
pub struct DotnetXml;

static META: Meta = Meta {
    id: "dotnet_xml",
    family: "test",
    reads: "reports of tests as `.trx` and in the XML of NUnit and xUnit, one element a line",
    keeps: "tests that did not pass, whole; tests with more than a line; counts, suites, definitions",
    omits: "passing tests on one line",
    anchors: &["<TestRun", "<test-run", "<test-results", "<assemblies", "<assembly "],
};

/// Test elements: how they start, the attribute that says that the test passed, and how they end.
const PASSED: &[(&str, &str, &str)] = &[
    ("<UnitTestResult ", " outcome=\"Passed\"", "</UnitTestResult>"),
    ("<test-case ", " result=\"Passed\"", "</test-case>"),
    ("<test-case ", " result=\"Success\"", "</test-case>"),
    ("<test ", " result=\"Pass\"", "</test>"),
];
/// The root elements of these reports.
const ROOTS: &[&str] = &["<TestRun", "<test-run", "<test-results", "<assemblies", "<assembly "];
/// The root element must be within this many lines from the start.
const HEAD_LINES: usize = 8;
/// A report with fewer passed tests than this is not claimed: leaving them out would gain nothing.
const MIN_TESTS: usize = 3;

impl Reducer for DotnetXml {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        let detection = input.detection;
        let is_file = detection.shape == Shape::File && !detection.is_written && !detection.is_document;
        if detection.is_view() || !(reads_as_report(input) || is_file) {
            return Claim::No;
        }
        let is_root = |line: &str| ROOTS.iter().any(|root| line.starts_with(root));
        let mut head =
            input.source.lines().map(str::trim_start).filter(|line| !line.is_empty()).take(HEAD_LINES);
        let first = head.next().unwrap_or_default();
        let is_first = first.starts_with(['<', '\u{feff}']);
        let has_root = is_root(first) || head.any(is_root);
        let tests = input.source.lines().filter(|line| passed(line)).take(MIN_TESTS).count();
        if is_first && has_root && tests == MIN_TESTS { Claim::Content } else { Claim::No }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let count = (0..source.len()).filter(|i| passed(source.line(*i))).count();
        let mut said = format!("{count} tests");
        let mut out = Reduction::default();
        for i in (0..source.len()).filter(|i| passed(source.line(*i))) {
            out.omit_named(i..i + 1, Reason::PassingTests, 1, &std::mem::take(&mut said));
        }
        out.unless_empty()
    }

    fn extent(&self, input: &Input<'_>) -> std::ops::Range<usize> {
        0..input.source.len()
    }
}

/// Whether a line is one whole passed test and nothing else.
fn passed(line: &str) -> bool {
    let line = line.trim();
    let Some((start, _, end)) =
        PASSED.iter().find(|(start, word, _)| line.starts_with(start) && line.contains(word))
    else {
        return false;
    };
    let is_whole = line.ends_with(end)
        || xml::tag(line.as_bytes(), 0).is_some_and(|tag| tag.is_empty && tag.end == line.len());
    let is_one = line.matches(start).count() == 1;
    let says_more = ["<failure", "<reason", "<ErrorInfo", "<StdErr", "<output", "<Output"];
    is_whole && is_one && !says_more.iter().any(|tag| line.contains(tag)) && !signals::is_failure(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_passed_on_one_line() {
        for (line, expected) in [
            ("<UnitTestResult testName=\"a\" outcome=\"Passed\" />", true),
            ("  <test-case id=\"1\" result=\"Passed\" asserts=\"1\"/>", true),
            ("<test name=\"a\" result=\"Pass\"><traits /></test>", true),
            ("<UnitTestResult testName=\"a\" outcome=\"Passed\">", false),
            ("<UnitTestResult testName=\"a\" outcome=\"Failed\" />", false),
            ("<test-case result=\"Passed\"><output>x</output></test-case>", false),
            ("<test name=\"a\" result=\"Fail\"><failure /></test>", false),
            ("<test name=\"a\" result=\"Pass\" /><test name=\"b\" result=\"Fail\" />", false),
        ] {
            assert_eq!(passed(line), expected, "{line}");
        }
    }
}
