//! The markers of passed tests, for all runners: the number of tests, and their names if they are few or the command
//! selected them. Short output of passed tests is kept, and long output too if the command selected them and all
//! passed. A test that took most of the time is kept.
//!
//! Only lines that a reducer leaves out are read here.

pub mod prints;
mod selected;
mod slow;

use std::collections::{HashMap, HashSet};

use super::super::format::Forms;
use super::super::outliers;
use crate::input::Input;
use crate::text::ledger::{Action, Reduction};
use crate::text::reason::Reason;
use crate::text::source::Source;
use crate::text::span::Span;

/// If at most this many tests passed, they are named.
const MAX_NAMED_TESTS: usize = 15;
/// Output of passed tests is kept up to this many lines. A choice: a screen of them costs less than a second run.
const MAX_PRINTED_LINES: usize = 24;
/// The same if other tests failed. A choice: then a reader looks for the failures.
const MAX_PRINTED_LINES_BESIDE_FAILURES: usize = 8;
/// Longest list of names in a marker, in bytes.
const MAX_NAMES_BYTES: usize = 400;

/// The approximate length of a marker without names, in bytes.
const MARKER_BYTES: usize = 48;

/// What a line says about tests. "Group" means a capture group of the line's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TestLine {
    /// A test starts or prints; the group is the name of the test.
    Starts,
    /// A test passed; the group is the name of the test.
    Passed,
    /// All tests of a class or a file passed; the groups are the number of tests and the name.
    All,
    /// A file passed; the groups are its name and, if the line has it, the number of tests.
    File,
    /// Marks, one for each test that passed; the group is all marks.
    Marks,
}

static FORMS: Forms<TestLine> = Forms::new(&[
    (r"=== (?:RUN|PAUSE|CONT|NAME) +(\S+)", TestLine::Starts),
    (r" *--- PASS: (\S+) \([\d.]+s\)", TestLine::Passed),
    (r#"\{.*"Action":"run",.*"Test":"([^"]+)".*"#, TestLine::Starts),
    (r#"\{.*"Action":"pass",.*"Test":"([^"]+)".*"#, TestLine::Passed),
    (r"\[ RUN      \] (\S+)", TestLine::Starts),
    (r"\[       OK \] (\S+?)(?:, where .*)?(?: \(\d+ ms\))?", TestLine::Passed),
    (r"(\S.* > .+) PASSED", TestLine::Passed),
    (r"(\S.* > .+) (?:STARTED|STANDARD_OUT|STANDARD_ERROR)", TestLine::Starts),
    (r"(?:\[\w+\] )?Tests run: (\d+), .* in (\S+)", TestLine::All),
    (r"(?:\[\w+\] )?Running (\S+)", TestLine::Starts),
    (r"\[gw\d+\] (?:\[[ \d%/]+\] )?PASSED (.+)", TestLine::Passed),
    (r"PASSED (\S+::.+)", TestLine::Passed),
    (r"(\S+::.+?) (?:PASSED|SUBPASS\S*.*?)(?: +\[[ \d%/]+\])?", TestLine::Passed),
    (r"test (.+?) \.\.\. ok(?: <.*>)?", TestLine::Passed),
    (r" *(\S.*?) \.\.\. (?:.* )?ok(?: \(.*\))?", TestLine::Passed),
    (r" +Start +\d+: (\S+)", TestLine::Starts),
    (r" *\d+/\d+ Test +#\d+: (\S+) .*Passed .*", TestLine::Passed),
    (r" +PASS \[ *[\d.]+s\] (?:\( *\d+/\d+\) )?(\S.*)", TestLine::Passed),
    (r"(\S+#\S+) = [\d.]+ s = \.", TestLine::Passed),
    (r" +(test_.*) PASS \([\d.]+s\)", TestLine::Passed),
    (r"\[info\] +[-+] (.+)", TestLine::Passed),
    (r" *ok \d+(?: -)? (.+?)(?: # (?:time|duration).*)?", TestLine::Passed),
    (r"\(pass\) (.+?)(?: \[[\d.]+ms\])?", TestLine::Passed),
    (r"Test Case '(.+)' started.*", TestLine::Starts),
    (r"Test Case '(.+)' passed .*", TestLine::Passed),
    (r" {2}\* (?:test|doctest|property) (.+) \([\d.]+ms\).*", TestLine::Passed),
    (r" +Passed (\S.*?)(?: \[<? ?\d.*\])?", TestLine::Passed),
    (r"(//\S+) +(?:\(cached\) )?PASSED in .*", TestLine::Passed),
    (r" *<testcase\b.*\bname=\x22([^\x22]*)\x22.*", TestLine::Passed),
    (r"PASS +(\S+\.[cm]?[jt]sx?)(?: .*)?", TestLine::File),
    (r" (?:\xE2\x9C\x93|\xE2\x88\x9A) +(\S.*?\.[cm]?[jt]sx?) +\((\d+) tests?[^()]*\).*", TestLine::File),
    // A suite does not count as a test.
    (r"\xE2\x9C\x94 +Suite .+ passed after .*", TestLine::Starts),
    (
        r" *(?:\xE2\x9C\x93|\xE2\x9C\x94|\xE2\x88\x9A) +(?:Test |\d+ +)?(\S.*?)(?: +\((?:[\d.,]+ ?(?:ms|s|m|min|h) ?)+\)| +\[<? ?[\d.]+ ?m?s?\]| +[\d.]+ ?m?s| passed after .*)?",
        TestLine::Passed,
    ),
    (r"(?:\S+\.\S+ +)?([.,]+)(?: +\[[ \d%/]+\]| +\d+/\d+)?", TestLine::Marks),
]);

/// Adds the number and the names of passed tests to the markers of a reduction. Keeps output of these tests if it is
/// short or the tests were selected.
pub fn describe(id: &str, input: &Input<'_>, mut out: Reduction) -> Result<Reduction, Reason> {
    let has = |reason| out.spans.iter().any(|span| is(span, reason));
    let (tests, prints) = (has(Reason::PassingTests), has(Reason::TestOutput));
    if !(tests || prints) {
        return Ok(out);
    }
    if tests {
        slow::keep(input.source, &mut out);
    }
    let is_selected = selected::by_command(input);
    let mut shown: HashSet<&str> = HashSet::new();
    if prints {
        keep_prints(input, &mut out, is_selected, &mut shown);
        let odd = prints::outlier_lines(id, input.source, &out);
        if !odd.is_empty() {
            out = outliers::without(out, &odd);
        }
    }
    if tests {
        // Catch2 draws rules of dots, which are not marks of tests.
        let (has_marks, is_named) = (id != "catch_2", is_selected);
        label_markers(input.source, &mut out, is_named, has_marks, &shown);
    }
    out.unless_empty()
}

fn is(span: &Span, reason: Reason) -> bool {
    matches!(span.action, Action::Omit { reason: why, .. } if why == reason)
}

/// Keeps the output of passed tests if it is short, with the lines that name the tests. If all tests passed and the
/// command selected them, longer output is kept too.
fn keep_prints<'a>(input: &Input<'a>, out: &mut Reduction, is_selected: bool, shown: &mut HashSet<&'a str>) {
    let source = input.source;
    let lines: usize = out.spans.iter().filter(|s| is(s, Reason::TestOutput)).map(|s| s.lines.len()).sum();
    let all_passed = match input.call.exit_code {
        Some(code) => code == 0,
        None => source.failures().is_empty(),
    };
    let most = if all_passed { MAX_PRINTED_LINES } else { MAX_PRINTED_LINES_BESIDE_FAILURES };
    if !(lines <= most || all_passed && is_selected) {
        return;
    }
    let mut spans: Vec<Span> = Vec::with_capacity(out.spans.len());
    let mut end_of_prints = None;
    for mut span in out.spans.drain(..) {
        if !is(&span, Reason::TestOutput) {
            let first = span.lines.start;
            // Without its verdict, a test with output would look as if it never ended.
            if is(&span, Reason::PassingTests)
                && end_of_prints == Some(first)
                && named(source, first, TestLine::Passed).is_some_and(|name| shown.contains(name))
            {
                span.lines.start += 1;
            }
            if !span.lines.is_empty() {
                spans.push(span);
            }
            continue;
        }
        end_of_prints = Some(span.lines.end);
        shown.extend(span.lines.clone().filter_map(|i| started(source, i)));
        let above = span.lines.start.wrapping_sub(1);
        if let Some(last) = spans.last_mut()
            && last.lines.end == span.lines.start
            && is(last, Reason::PassingTests)
            && let Some(name) = started(source, above).or_else(|| named_above(source, above))
        {
            shown.insert(name);
            last.lines.end = above;
            spans.pop_if(|last| last.lines.is_empty());
        }
    }
    out.spans = spans;
}

/// The name of the test that starts in line `i`, or whose output follows it.
fn started<'a>(source: &Source<'a>, i: usize) -> Option<&'a str> {
    named(source, i, TestLine::Starts)
}

/// The file or test in line `i` whose output follows its verdict, as Jest and `dotnet test` write it.
fn named_above<'a>(source: &Source<'a>, i: usize) -> Option<&'a str> {
    let verdict = |start, kind| named(source, i, kind).filter(|_| source.line(i).starts_with(start));
    verdict("PASS ", TestLine::File)
        .or_else(|| verdict("  Passed ", TestLine::Passed))
        .or_else(|| verdict("  \u{221a} ", TestLine::Passed))
}

/// The name of the test in line `i`, if the line says `kind`.
fn named<'a>(source: &Source<'a>, i: usize, kind: TestLine) -> Option<&'a str> {
    let line = source.line(i);
    (FORMS.classify(line) == Some(kind)).then(|| FORMS.groups(line).into_iter().flatten().next()).flatten()
}

/// The content of the lines under one marker.
#[derive(Default)]
struct Group<'a> {
    /// The index of the span that has the marker.
    first: usize,
    lines: usize,
    /// Total bytes of the lines.
    hidden: usize,
    tests: usize,
    names: Vec<&'a str>,
    files: Vec<&'a str>,
    bytes: usize,
    /// Number of further tests whose names are not listed.
    more: usize,
    /// Whether names are missing that stand elsewhere in the output, or in the list of an earlier marker.
    is_part: bool,
    /// The kinds of lines that were counted, one bit each. With two kinds, the same tests may be counted twice.
    counted: u8,
    /// Whether a line stands for an unknown number of tests.
    count_is_unknown: bool,
}

/// One group for each marker, and the index in that list by the group number of a span.
fn groups<'a>(
    source: &'a Source<'_>,
    spans: &[Span],
    has_marks: bool,
    shown: &HashSet<&str>,
) -> (Vec<Group<'a>>, HashMap<u32, usize>) {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut numbers: HashMap<u32, usize> = HashMap::new();
    let mut named: HashSet<&str> = HashSet::new();
    for (at, span) in spans.iter().enumerate() {
        let Action::Omit { reason: Reason::PassingTests, group, .. } = span.action else { continue };
        let number = match group {
            0 => groups.len(),
            group => *numbers.entry(group).or_insert(groups.len()),
        };
        if number == groups.len() {
            groups.push(Group { first: at, ..Group::default() });
        }
        let group = &mut groups[number];
        for i in span.lines.clone() {
            crate::stop::check_sometimes();
            group.hidden += source.line(i).len() + 1;
            group.read(source.line(i), has_marks, shown, &mut named);
        }
        group.lines += span.lines.len();
    }
    (groups, numbers)
}

/// Writes into each marker the number of its tests, and their names if they are few or were selected.
fn label_markers(
    source: &Source<'_>,
    out: &mut Reduction,
    is_selected: bool,
    has_marks: bool,
    shown: &HashSet<&str>,
) {
    let (groups, numbers) = groups(source, &out.spans, has_marks, shown);
    let total: usize = groups.iter().map(|group| group.tests).sum();
    let is_few = total <= MAX_NAMED_TESTS;
    let lines: usize = groups.iter().map(|group| group.lines).sum();
    // If a few names do not fit into a marker, their lines are kept instead.
    let is_legible = |group: &Group<'_>| {
        let bytes = group.bytes - shared(&group.names) * group.names.len().saturating_sub(1);
        bytes <= MAX_NAMES_BYTES
            && group.more == 0
            && !group.names.iter().any(|name| name.contains(['[', ']']))
    };
    if is_few && lines <= 2 * MAX_NAMED_TESTS && total > 0 && !groups.iter().all(is_legible) {
        out.spans.retain(|span| !is(span, Reason::PassingTests));
        return;
    }
    let mut keep: HashSet<usize> = HashSet::new();
    for (number, group) in groups.iter().enumerate() {
        let mut text = group.text(is_few || is_selected);
        // If the list of names is as long as the lines themselves, the lines are better.
        if text.len() + MARKER_BYTES >= group.hidden && !group.names.is_empty() {
            if is_few {
                keep.insert(number);
                continue;
            }
            text = group.text(false);
        }
        if !text.is_empty()
            && let Some(Span { action: Action::Omit { names, .. }, .. }) = out.spans.get_mut(group.first)
            && names.is_none()
        {
            *names = Some(text.as_str().into());
        }
    }
    if !keep.is_empty() {
        let mut at = 0;
        out.spans.retain(|span| {
            let Action::Omit { reason: Reason::PassingTests, group, .. } = span.action else { return true };
            let number = if group == 0 { at } else { numbers.get(&group).copied().unwrap_or(usize::MAX) };
            at = at.max(number + 1);
            !keep.contains(&number)
        });
    }
}

impl<'a> Group<'a> {
    fn read(&mut self, line: &'a str, has_marks: bool, shown: &HashSet<&str>, named: &mut HashSet<&'a str>) {
        let Some(kind) = FORMS.classify(line) else { return };
        // Once the list is full, further names are only counted.
        let is_full = self.bytes > 2 * MAX_NAMES_BYTES;
        if kind != TestLine::Starts && (kind != TestLine::Marks || has_marks) {
            self.counted |= 1 << kind as u8;
        }
        match kind {
            TestLine::Starts => {}
            TestLine::Passed if is_full => {
                self.tests += 1;
                self.more += 1;
            }
            TestLine::Passed => {
                self.tests += 1;
                let name = FORMS.groups(line).into_iter().flatten().next().map(str::trim_end);
                match name {
                    Some(name) if !shown.contains(name) && named.insert(name) => {
                        self.bytes += name.len() + 2;
                        self.names.push(name);
                    }
                    Some(name) => self.is_part |= !self.names.contains(&name),
                    None => {}
                }
            }
            TestLine::All => {
                let groups = FORMS.groups(line);
                let [Some(tests), Some(name)] = groups[..] else { return };
                self.tests += tests.parse().unwrap_or(0);
                self.more += usize::from(is_full);
                self.is_part |= shown.contains(name);
                if !shown.contains(name) && !is_full {
                    self.bytes += name.len() + 2;
                    self.names.push(name);
                }
            }
            TestLine::File => {
                let groups = FORMS.groups(line);
                match groups.get(1).copied().flatten() {
                    Some(tests) => self.tests += tests.parse().unwrap_or(0),
                    None => self.count_is_unknown = true,
                }
                self.more += usize::from(is_full);
                self.bytes += line.len();
                self.files.extend(groups.first().copied().flatten().filter(|_| !is_full));
            }
            TestLine::Marks if !has_marks => {}
            TestLine::Marks => {
                let marks = FORMS.groups(line).into_iter().flatten().next().unwrap_or_default();
                self.tests += marks.bytes().filter(|b| *b == b'.').count();
            }
        }
    }

    /// The text of the marker.
    fn text(&self, is_named: bool) -> String {
        let mut text = String::new();
        let is_known = self.counted.is_power_of_two() && !self.count_is_unknown;
        if is_known && self.tests != self.lines && self.tests > 0 {
            text = format!("{} {}", self.tests, if self.tests == 1 { "test" } else { "tests" });
        }
        // With a file of unknown size the files are named too: tests alone would look like the complete list.
        let all: Vec<&str>;
        let names = match (self.names.is_empty(), self.count_is_unknown) {
            (true, _) => &self.files,
            (false, false) => &self.names,
            (false, true) => {
                all = self.names.iter().chain(&self.files).copied().collect();
                &all
            }
        };
        if !is_named || names.is_empty() || names.iter().any(|name| name.contains(['[', ']', '\n'])) {
            return text;
        }
        let shared = if self.bytes > MAX_NAMES_BYTES { shared(names) } else { 0 };
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&names[0][..shared]);
        let mut list = String::new();
        let mut listed = 0;
        for name in names.iter().map(|name| &name[shared..]) {
            if list.len() + name.len() + shared > MAX_NAMES_BYTES {
                break;
            }
            list.push_str(match (list.is_empty(), shared) {
                (true, 0) => "",
                (true, _) => " ",
                (false, _) => ", ",
            });
            list.push_str(name);
            listed += 1;
        }
        text.push_str(&list);
        let left = names.len() - listed + self.more;
        match left {
            0 if self.is_part => text.push_str(", \u{2026}"),
            0 => {}
            left => text.push_str(&format!(", and {left} more")),
        }
        text
    }
}

/// The length in bytes of the path or module with which all names start.
fn shared(names: &[&str]) -> usize {
    let Some((first, rest)) = names.split_first() else { return 0 };
    let mut most = first.len();
    for name in rest {
        most = first.bytes().take(most).zip(name.bytes()).take_while(|(a, b)| a == b).count();
    }
    let head = first.get(..most).unwrap_or_default();
    head.rfind("::")
        .map(|at| at + 2)
        .or_else(|| head.rfind(" > ").map(|at| at + 3))
        .or_else(|| head.rfind('/').map(|at| at + 1))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests;
