//! JUnit's XML as many runners write it: passing test cases are left out; those with a failure, an error or a
//! reason for being skipped are kept whole.
//!
//! Some runners write one test case a line, others all of them in one line, from which passed ones are cut out. The
//! marker in place of the test cases is not XML. A test case passed unless an element in it or its `status` says
//! that it did not. Its output is left out with it, unless the output looks like a failure.

use crate::detect::Shape;
use crate::formats::xml;
use crate::input::{Claim, Input};
use crate::reduce::cut::Cut;
use crate::reduce::lines::reads_as_report;
use crate::reduce::{Meta, Reducer};
use crate::text::judge;
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// The reducer of this module.
pub struct JunitXml;

static META: Meta = Meta {
    id: "junit_xml",
    family: "test",
    reads: "JUnit XML reports of any runner, one element a line or all in one",
    keeps: "suites with their counts, test cases with failures, errors or skips whole, output of suites, properties; of test \
            cases that passed the slow ones, and up to three that printed",
    omits: "test cases that passed, with their output",
    anchors: &["<testsuite"],
};

const CASE: &str = "<testcase ";
const CASE_END: &str = "</testcase>";
/// The most lines that one tag may have; it bounds how often a line is read. Most writers put all attributes on one.
const MAX_TAG_LINES: usize = 64;
/// The root element must be within this many non-empty lines from the start.
const HEAD_LINES: usize = 20;

impl Reducer for JunitXml {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        let detection = input.detection;
        if detection.is_view()
            || !(reads_as_report(input) || detection.shape == Shape::File && !detection.is_written)
        {
            return Claim::No;
        }
        let mut lines =
            input.source.lines().map(str::trim_start).filter(|line| !line.is_empty()).take(HEAD_LINES);
        let is_start = |line: &str| line.starts_with("<?xml") || is_suite(line);
        let has_suite = |line: &str| line.find("<testsuite").is_some_and(|at| is_suite(&line[at..]));
        let mut head = lines.by_ref().skip_while(|line| !line.starts_with('<'));
        match head.next().is_some_and(|first| is_start(first) && (has_suite(first) || head.any(is_suite))) {
            true => Claim::Content,
            false => Claim::No,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut out = Reduction::default();
        let keep_rules = KeepRules::read(source.text());
        let mut i = 0;
        while i < source.len() {
            let Some(end) = case_end(source, i) else {
                cut(source.line(i), &keep_rules).apply(i, source.number(i), "", &mut out);
                i += 1;
                continue;
            };
            if (i..end).all(|n| passes(source.line(n))) && !keep_rules.keeps_passed(source.slice(i..end)) {
                out.omit_in(i..end, Reason::PassingTests, 1);
            }
            i = end;
        }
        out.unless_empty()
    }

    fn rewrites(&self) -> bool {
        true
    }
}

fn is_suite(line: &str) -> bool {
    line.strip_prefix("<testsuite").is_some_and(|rest| rest.starts_with(['s', ' ', '>']) || rest.is_empty())
}

/// The line after the test case that starts in line `i`; `None` if it shares a line with another element.
fn case_end(source: &Source<'_>, i: usize) -> Option<usize> {
    let is_case = |line: &str| {
        line.trim_start().strip_prefix("<testcase").is_some_and(|r| r.is_empty() || r.starts_with(' '))
    };
    if !is_case(source.line(i)) {
        return None;
    }
    let near = source.byte_range(i..source.len().min(i + MAX_TAG_LINES));
    let start = near.start + source.line(i).len() - source.line(i).trim_start().len();
    let tag = xml::tag(&source.text().as_bytes()[..near.end], start)?;
    let last = source.line_at(tag.end - 1);
    if tag.is_empty && source.text()[tag.end..source.byte_range(last..last + 1).end].trim().is_empty() {
        return Some(last + 1);
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

/// Which passed test cases are kept: those that took much of the time, and those that printed, if they are few.
#[derive(Default)]
struct KeepRules {
    /// Test cases that took at least this many milliseconds are kept.
    slow: Option<u64>,
    keeps_prints: bool,
}

/// Most slow test cases, and the least time of one, in milliseconds.
const MAX_SLOW: usize = 2;
const MIN_SLOW: u64 = 500;
/// A slow test case takes at least the time of all test cases divided by this.
const SLOW_ONE_IN: u64 = 4;
/// Test cases that printed are kept if the report has at most this many outputs, up to this many bytes each.
const MAX_PRINTING: usize = 3;
const MAX_PRINTED_BYTES: usize = 1_000;

impl KeepRules {
    fn read(text: &str) -> Self {
        let starts = memchr::memmem::find_iter(text.as_bytes(), CASE.trim_end());
        let times: Vec<u64> = starts.map(|at| time(&text[at..]).unwrap_or(0)).collect();
        let all = times.iter().fold(0u64, |sum, time| sum.saturating_add(*time));
        let is_slow = |time: &u64| *time >= MIN_SLOW && time.saturating_mul(SLOW_ONE_IN) >= all;
        let slow = judge::much_larger(&times, 1, MAX_SLOW).into_iter().map(|at| times[at]).filter(is_slow);
        let printing = memchr::memmem::find_iter(text.as_bytes(), "<system-").take(MAX_PRINTING + 1);
        Self { slow: slow.min(), keeps_prints: printing.count() <= MAX_PRINTING }
    }

    /// Whether a passed test case is kept.
    fn keeps_passed(&self, case: &str) -> bool {
        let is_slow = || self.slow.is_some_and(|slow| time(case).is_some_and(|time| time >= slow));
        let prints = || {
            let text = |at: usize| case[at..].split_once('>').map_or("", |(_, text)| text);
            let found = memchr::memmem::find(case.as_bytes(), b"<system-").map(text);
            found.is_some_and(|text| {
                !text.trim_start().trim_start_matches("<![CDATA[").starts_with(['<', ']'])
            })
        };
        is_slow() || self.keeps_prints && case.len() <= MAX_PRINTED_BYTES && prints()
    }
}

/// The time of the test case at the start of a text, in milliseconds.
fn time(text: &str) -> Option<u64> {
    const NAME: &str = " time=\"";
    let tag = text.trim_start().get(1..)?;
    let tag = &tag[..memchr::memchr2(b'>', b'\n', tag.as_bytes()).unwrap_or(tag.len())];
    let value = &tag[memchr::memmem::find(tag.as_bytes(), NAME.as_bytes())? + NAME.len()..];
    let seconds: f64 = value.split('"').next()?.parse().ok()?;
    Some((seconds * 1000.0) as u64)
}

/// The cuts that take the passed test cases out of a line.
fn cut<'a>(line: &'a str, keep_rules: &KeepRules) -> Cut<'a> {
    let mut cut = Cut::new(line);
    let mut from = 0;
    while let Some(start) = line.get(from..).and_then(|rest| rest.find(CASE)).map(|at| from + at) {
        let Some(end) = element_end(line, start) else { break };
        if passes(&line[start..end]) && !keep_rules.keeps_passed(&line[start..end]) {
            cut.hide(start..end, Reason::PassingTests);
        }
        from = end;
    }
    cut
}

/// The end of the test case that starts in `line` at `start`, if it is in the same line.
fn element_end(line: &str, start: usize) -> Option<usize> {
    let tag = xml::tag(line.as_bytes(), start)?;
    if tag.is_empty {
        return Some(tag.end);
    }
    let rest = &line[tag.end..];
    let end = rest.find(CASE_END)?;
    // If another test case starts before it, the end tag belongs to that one.
    (!rest[..end].contains(CASE)).then_some(tag.end + end + CASE_END.len())
}

/// Whether a line of a test case has no sign that the test case did not pass.
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
        // Elements that share a line are not separated.
        assert_eq!(end("<testcase name=\"a\"/><testcase name=\"b\"/>\n"), None);
        assert_eq!(end("<testcase name=\"a\"></testcase></testsuite>\n"), None);
        assert_eq!(end("<testcases>\n"), None);
    }

    #[test]
    fn cuts_passed_cases_out_of_a_line() {
        let passed: String = (0..9).map(|i| format!("<testcase name=\"is > {i}\" time=\"0.1\" />")).collect();
        let failed = "<testcase name=\"b\"><failure message=\"x\">left</failure></testcase>";
        let suite = format!("<testsuite name=\"{}\">", "n".repeat(200));
        let line = format!("{suite}{passed}{failed}{passed}</testsuite>");
        let (text, omitted, _) = cut(&line, &KeepRules::default()).text(1).unwrap();
        assert_eq!(omitted, 2 * passed.len());
        let marker = format!("[tersed: omitted {} bytes of line 1, passing_tests]", passed.len());
        assert_eq!(text, format!("{suite}{marker}{failed}{marker}</testsuite>"));
        assert_eq!(cut(failed, &KeepRules::default()).text(1), None);
        // A case whose end is in another line.
        assert_eq!(cut("<testcase name=\"a\"><system-out>x", &KeepRules::default()).text(1), None);
    }

    #[test]
    fn slow_cases_and_the_few_that_print_stay() {
        let case = |i: usize| match i {
            7 => "<testcase name=\"t7\" time=\"8.61\"/>\n".to_owned(),
            9 => {
                "<testcase name=\"t9\" time=\"0.1\"><system-out>retrying</system-out></testcase>\n".to_owned()
            }
            _ => format!("<testcase name=\"t{i}\" time=\"0.1\"/>\n"),
        };
        let text: String = (0..40).map(case).collect();
        let keep_rules = KeepRules::read(&text);
        let stay: Vec<usize> = (0..40).filter(|i| keep_rules.keeps_passed(&case(*i))).collect();
        assert_eq!(stay, [7, 9]);
        // All print, or all take as long.
        let all = text.replace("0.1\"/>", "8.0\"><system-out>x</system-out></testcase>");
        let keep_rules = KeepRules::read(&all);
        assert!(!all.lines().any(|case| keep_rules.keeps_passed(case)));
    }

    #[test]
    fn tells_passed_from_other() {
        assert!(passes("<testcase name=\"a\" status=\"run\" result=\"completed\"/>"));
        assert!(!passes("<testcase name=\"a\" status=\"notrun\"/>"));
        assert!(!passes("<skipped/>") && !passes("<failure message=\"x\">") && !passes("<rerunFailure"));
    }
}
