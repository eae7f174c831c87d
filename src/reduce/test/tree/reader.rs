//! Follows the lines of a run. A heading is decided once all lines below it are known; what needs the whole run is
//! decided in `verdict`.

use std::collections::HashSet;

use super::LineKind;
use crate::config::Mode;
use crate::input::Input;
use crate::reduce::format::Forms;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// Most lines of the details of a test. A choice; bounds how far an end is searched for.
const MAX_DETAIL_LINES: usize = 400;

/// A heading whose lines are still being read.
pub(super) struct Heading {
    line: usize,
    level: usize,
    /// Whether a test below it passed, and whether a line below it is kept.
    passed: bool,
    kept: bool,
    /// Whether the heading is the first line of a test, whose verdict comes later.
    announces_test: bool,
}

/// The output of a test: its lines, and the file of the test.
pub(super) struct Printed<'a> {
    pub(super) lines: std::ops::Range<usize>,
    pub(super) file: Option<&'a str>,
    /// The line with the verdict on the file, if it is above.
    pub(super) owner: Option<usize>,
    pub(super) failed: bool,
}

/// The line of a test, and what it says.
pub(super) struct TestResult<'a> {
    pub(super) line: usize,
    /// The lines of the file and of the heading above it.
    pub(super) above: (Option<usize>, Option<usize>),
    pub(super) name: &'a str,
    pub(super) passed: bool,
}

/// What is known about a run so far.
#[derive(Default)]
pub(super) struct Run {
    /// Whether totals were printed after the last test.
    pub(super) has_totals: bool,
    pub(super) failed: bool,
    /// The number of tests that a plan stated.
    pub(super) planned: Option<usize>,
    /// The number of tests of the outermost level.
    pub(super) tests: usize,
}

/// Lines that are decided at the end of the run.
#[derive(Default)]
pub(super) struct Undecided<'a> {
    /// Skipped tests, each with the line of its file, where that stands above.
    pub(super) skipped: Vec<(usize, Option<usize>)>,
    pub(super) steps: Vec<usize>,
    pub(super) printed: Vec<Printed<'a>>,
    pub(super) failed_files: HashSet<&'a str>,
    /// The results of tests by name.
    pub(super) results: Vec<TestResult<'a>>,
    /// The numbers that tests have, and their lines.
    pub(super) numbers: Vec<(usize, usize)>,
}

/// The state: see the module's documentation.
pub(super) struct Reader<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) forms: &'a Forms<LineKind>,
    pub(super) kinds: &'a [Option<LineKind>],
    pub(super) is_aggressive: bool,
    pub(super) actions: LineActions<'a>,
    pub(super) headings: Vec<Heading>,
    /// Whether a failure is being reported.
    pub(super) is_open: bool,
    /// Whether the next test ends that report.
    pub(super) until_test: bool,
    pub(super) recap: Option<usize>,
    pub(super) run: Run,
    /// Whether the test above was left out.
    pub(super) last_test_omitted: bool,
    /// The last line that was left out, and the last test that passed.
    pub(super) last_passed: Option<usize>,
    pub(super) last_test: Option<usize>,
    pub(super) undecided: Undecided<'a>,
    /// The result of the file above and its line, if the runner prints it before the tests.
    pub(super) file: Option<(bool, usize)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        input: &'a Input<'a>,
        forms: &'a Forms<LineKind>,
        kinds: &'a [Option<LineKind>],
    ) -> Self {
        Self {
            source: input.source,
            forms,
            kinds,
            is_aggressive: input.policy.mode == Mode::Aggressive,
            actions: LineActions::new(input.source),
            headings: Vec::new(),
            is_open: false,
            until_test: false,
            recap: None,
            run: Run::default(),
            last_test_omitted: false,
            last_passed: None,
            last_test: None,
            undecided: Undecided::default(),
            file: None,
        }
    }

    pub(super) fn read(mut self) -> Result<Reduction, Reason> {
        let mut i = 0;
        while i < self.kinds.len() {
            i = match self.kinds[i] {
                Some(kind) => self.line(i, kind),
                None => self.other(i),
            };
        }
        self.finish();
        self.actions.finish(Blanks::Between)
    }

    /// The text of the first capture group in a line.
    fn name(&self, line: &'a str) -> Option<&'a str> {
        self.forms.groups(line).first().copied().flatten()
    }

    /// Reads a line that has a form; returns the next line to read.
    fn line(&mut self, i: usize, kind: LineKind) -> usize {
        let line = self.source.line(i);
        let level = 1 + line.len() - line.trim_start_matches(' ').len();
        if self.until_test
            && matches!(kind, LineKind::Begins | LineKind::Passed | LineKind::Skipped | LineKind::Retried)
        {
            self.is_open = false;
        }
        match kind {
            LineKind::Shows | LineKind::Totals => {
                self.close(0);
                self.is_open = false;
                if kind == LineKind::Totals {
                    self.run.has_totals = true;
                    let tests = self.name(line).and_then(|n| n.parse().ok());
                    self.run.planned = self.run.planned.or(tests);
                }
                self.file = None;
            }
            LineKind::PassedFile | LineKind::FailedFile => self.file(i, kind == LineKind::FailedFile),
            LineKind::File => {
                self.close(0);
                self.is_open = false;
                self.headings.push(Heading {
                    line: i,
                    level: 0,
                    passed: false,
                    kept: false,
                    announces_test: false,
                });
            }
            LineKind::Opens | LineKind::OpensAbove | LineKind::Recap => self.open(i, kind),
            LineKind::Step | LineKind::Run => {
                if kind == LineKind::Run {
                    self.decide_steps();
                }
                self.is_open = false;
                self.run.has_totals = false;
                self.undecided.steps.push(i);
            }
            _ if self.is_open => {}
            LineKind::Passed => self.passed(i, level),
            LineKind::Failed | LineKind::Skipped | LineKind::Retried => self.keep_test(i, level, kind),
            LineKind::Heading | LineKind::Begins => {
                self.close(level);
                let announces_test = kind == LineKind::Begins;
                self.headings.push(Heading { line: i, level, passed: false, kept: false, announces_test });
            }
            LineKind::Output => return self.output(i, level),
            LineKind::Details => return self.details(i, level),
            LineKind::Follows if self.last_test_omitted => {
                self.actions.omit(i..i + 1, Reason::PassingTests, 1)
            }
            LineKind::Hide(reason) => self.actions.omit_unless_failure(i, reason, 1),
            LineKind::Keep | LineKind::Follows => {}
        }
        i + 1
    }

    /// Reads a line without a form. A line directly above it that looked like a heading is not one.
    fn other(&mut self, i: usize) -> usize {
        let line = self.source.line(i);
        if !line.trim().is_empty() && !self.is_open {
            while self
                .headings
                .last()
                .is_some_and(|h| h.level > 0 && !h.passed && !h.kept && !h.announces_test)
            {
                self.headings.pop();
            }
            if signals::is_failure(line) {
                self.keep_headings();
            }
            // The line with the start of a test is kept, since it shows which test printed this line.
            if let Some(begun) = self.headings.last_mut().filter(|h| h.announces_test) {
                begun.kept = true;
            }
        }
        i + 1
    }

    /// Starts the report of a failure.
    fn open(&mut self, i: usize, kind: LineKind) {
        self.until_test = kind == LineKind::OpensAbove;
        if let Some(above) = self.last_test.filter(|_| self.until_test) {
            self.actions.keep(above);
            self.keep_headings();
        }
        // Reports below a file belong to it, whether the file passed or not.
        if let Some((_, file)) = self.file.filter(|_| self.source.line(i).starts_with(' ')) {
            self.actions.keep(file);
        }
        self.run.failed = true;
        self.undecided.failed_files.extend(self.name(self.source.line(i)));
        self.close(0);
        self.is_open = true;
        if kind == LineKind::Recap {
            self.recap.get_or_insert(i);
        }
    }

    /// A test that was skipped, failed, or passed only after a retry.
    fn keep_test(&mut self, i: usize, level: usize, kind: LineKind) {
        self.count(i, level);
        self.close_with(level, false);
        self.note_result(i, false);
        self.keep_headings();
        self.last_test_omitted = false;
        let file = self.file.map(|(_, file)| file);
        match kind {
            LineKind::Skipped => self.undecided.skipped.push((i, file)),
            LineKind::Retried => {
                (self.last_test, self.run.has_totals) = (Some(i), false);
                file.into_iter().for_each(|file| self.actions.keep(file));
            }
            _ => {
                (self.run.failed, self.run.has_totals) = (true, false);
                self.undecided.failed_files.extend(self.name(self.source.line(i)));
            }
        }
    }

    fn passed(&mut self, i: usize, level: usize) {
        self.count(i, level);
        self.last_test = Some(i);
        let begun = self.close_with(level, true);
        self.note_result(i, true);
        // The name of a test may read like a failure: its lines are kept, but the test did not fail.
        let is_kept = |line: usize| signals::is_failure(self.source.line(line));
        self.last_test_omitted = !is_kept(i) && !begun.is_some_and(is_kept);
        for heading in &mut self.headings {
            heading.passed = true;
        }
        self.run.has_totals = false;
        if self.last_test_omitted {
            self.actions.omit(i..i + 1, Reason::PassingTests, 1);
            self.last_passed = Some(i);
        }
    }

    fn note_result(&mut self, line: usize, passed: bool) {
        let above = (self.file.map(|(_, file)| file), self.headings.last().map(|heading| heading.line));
        self.undecided.results.push(TestResult { line, above, name: bare(self.source.line(line)), passed });
    }

    /// Counts a test of the outermost level, and notes its number.
    fn count(&mut self, i: usize, level: usize) {
        if level > 1 {
            return;
        }
        self.run.tests += 1;
        if let Some(number) = number(self.source.line(i)) {
            self.undecided.numbers.push((number, i));
        }
    }

    fn file(&mut self, i: usize, failed: bool) {
        self.close(0);
        self.is_open = false;
        self.run.has_totals = false;
        self.file = Some((failed, i));
        if failed {
            self.run.failed = true;
            self.undecided.failed_files.extend(self.name(self.source.line(i)));
        } else if !signals::is_failure(self.source.line(i)) {
            self.actions.omit(i..i + 1, Reason::PassingTests, 1);
            self.last_passed = Some(i);
        }
    }

    /// Reads the output of a test, up to a line with a form or with less indentation.
    fn output(&mut self, i: usize, level: usize) -> usize {
        let mut end = i + 1;
        while end < self.kinds.len() {
            let line = self.source.line(end);
            let indent = 1 + line.len() - line.trim_start_matches(' ').len();
            if !matches!(self.kinds[end], None | Some(LineKind::Heading))
                || (indent <= level && level > 1 && !line.trim().is_empty())
            {
                break;
            }
            end += 1;
        }
        // Without a file name, output belongs to the file above if that passed; otherwise its test may have failed.
        let file = self.name(self.source.line(i));
        let owner = self.file.filter(|_| file.is_none());
        let failed = file.is_none() && owner.is_none_or(|(failed, _)| failed);
        let owner = owner.map(|(_, line)| line);
        self.undecided.printed.push(Printed { lines: i..end, file, owner, failed });
        end
    }

    /// Reads the details of a test.
    fn details(&mut self, i: usize, level: usize) -> usize {
        let is_end = |&n: &usize| {
            let line = self.source.line(n);
            line.trim() == "..." && line.len() - line.trim_start_matches(' ').len() < level
        };
        let last = self.kinds.len().min(i + MAX_DETAIL_LINES);
        let Some(end) = (i + 1..last).find(is_end) else { return i + 1 };
        let lines = i..end + 1;
        if self.last_test_omitted && !lines.clone().any(|n| signals::is_failure(self.source.line(n))) {
            self.actions.omit(lines, Reason::PassingTests, 1);
        }
        end + 1
    }

    fn keep_headings(&mut self) {
        for heading in &mut self.headings {
            heading.kept = true;
        }
    }

    /// Decides the headings of this level and of deeper ones.
    pub(super) fn close(&mut self, level: usize) {
        while let Some(heading) = self.headings.pop_if(|h| h.level >= level) {
            if heading.passed && !heading.kept && !heading.announces_test {
                self.actions.omit_unless_failure(heading.line, Reason::PassingTests, 1);
            }
        }
    }

    /// The same for a test of this level, which may have been announced. Returns the line that announced it.
    fn close_with(&mut self, level: usize, passed: bool) -> Option<usize> {
        self.close(level + 1);
        let begun = self.headings.pop_if(|h| h.level == level && h.announces_test);
        if let Some(begun) = begun.as_ref().filter(|begun| passed && !begun.kept) {
            self.actions.omit_unless_failure(begun.line, Reason::PassingTests, 1);
        }
        self.close(level);
        begun.map(|begun| begun.line)
    }
}

/// The number of a test in TAP: `ok 12 - name`, `not ok 12`.
fn number(line: &str) -> Option<usize> {
    let rest = line.strip_prefix("not ").unwrap_or(line).strip_prefix("ok ")?;
    rest.split(' ').next()?.parse().ok()
}

/// The name of a test without its mark or number, and without its duration: `✓ adds (3 ms)`, `2) adds`.
fn bare(line: &str) -> &str {
    let (first, rest) = line.trim().split_once(' ').unwrap_or(("", line.trim()));
    let is_mark = !first.bytes().any(|b| b.is_ascii_alphabetic());
    let name = if is_mark { rest.trim_start() } else { line.trim() };
    match name.rsplit_once(' ') {
        Some((front, "ms)" | "s)")) => front.rsplit_once(" (").map_or(name, |(front, _)| front),
        Some((front, time)) if time.ends_with("ms") || time.ends_with("s)") => match time.as_bytes() {
            [b'(' | b'0'..=b'9', ..] => front.trim_end(),
            _ => name,
        },
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_marks_and_times() {
        for line in [
            "  \u{2713} adds two",
            "  2) adds two",
            "- adds two",
            "\u{2713} adds two (3 ms)",
            "\u{2717} adds two 12ms",
            "\u{d7} adds two (4s)",
        ] {
            assert_eq!(bare(line), "adds two", "{line}");
        }
        assert_eq!(
            (bare("ok one"), bare("  \u{2713} waits (a lot)"), bare("x")),
            ("ok one", "waits (a lot)", "x")
        );
    }
}
