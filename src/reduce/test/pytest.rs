//! pytest: passing tests and what they printed are left out; everything from the first failure on is kept whole,
//! except for what an earlier failure already shows (`failures`).
//!
//! Grammar: a session is a title (`=== test session starts ===`, absent with `-q` and in a text that
//! `tail` cut), progress lines, titled sections (`=== FAILURES ===`, …) and the totals
//! (`=== 1 failed in 0.1s ===`). Progress is `file ..F. [ 9%]`, `file::test PASSED [ 9%]`, or with
//! xdist `[gw0] [ 9%] PASSED file::test`. Only progress lines of passing tests, the section `PASSES`
//! and `PASSED` lines of the short summary are ever left out. If a test printed the output of another session,
//! everything from there on is kept, except in the section `PASSES` (`passes`).

mod failures;
mod fragment;
mod grammar;
mod passes;
mod warnings;

use std::collections::HashSet;
use std::ops::Range;

use crate::config::Mode;
use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::lines::are_unquoted;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;
use grammar::{
    dots, is_end_of_progress, is_inside_block, is_start, is_test_id, is_totals, is_totals_line, passed,
    strip_percent, title, xdist_passed,
};
use passes::{Passes, PassesAction};

/// The reducer of this module.
pub struct Pytest;

static META: Meta = Meta {
    id: "pytest",
    family: "test",
    reads: "`pytest` in all its verbosities, with xdist too; also a part of it without title and totals",
    keeps: "failures and errors whole, with their output, once; skipped and expected failures; warnings, coverage, \
            durations, the short summary, the totals; in a run that did not end, the last progress line; of a passed test \
            that ran a failing pytest session, all that it printed",
    omits: "of failures the reports that are the same as the one before but for the name, and source lines that an earlier one \
            shows; progress lines that hold only passed tests, the section `PASSES`, `PASSED` lines of the short summary; in \
            `aggressive` the tests and source lines of warnings that repeat",
    anchors: &[
        "test session starts",
        " passed",
        " failed",
        "= FAILURES =",
        "short test summary info",
        "docs.pytest.org",
        " PASSED",
        "= FAILURES ",
        "....",
        ".py ",
    ],
};

/// The part of the output that a line is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Before any title: perhaps the progress of a session whose title was cut off.
    Head,
    /// Before any title, inside a block whose start was cut off.
    InsideBlock,
    /// The progress of a session.
    Progress,
    /// A section that is kept.
    Section,
    /// What passing tests printed.
    Passes,
    /// The short summary.
    Summary,
    /// After the totals.
    After,
}

impl Reducer for Pytest {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let source = input.source;
        if input.detection.command.runs(|s| self.is_writer(s)) {
            // `-qq` writes neither the start title nor totals, but sections.
            let is_section = |l: &str| l.starts_with('=') && is_end_of_progress(l);
            let is_known = source.lines().any(|l| is_start(l) || is_totals_line(l) || is_section(l));
            return FormatProof::full_if(is_known || fragment::is_one(source, true));
        }
        // If the command does not say so, the session must be complete.
        let (mut started, mut total) = (false, false);
        let is_report = are_unquoted(source.lines(), |line| {
            match is_start(line) {
                true => started = true,
                false => total |= started && !total && title(line).is_some_and(is_totals),
            }
            started
        });
        FormatProof::full_if(is_report && (total || fragment::is_one(source, false)))
    }

    fn is_writer(&self, s: &Simple) -> bool {
        matches!(s.program(), "pytest" | "py.test" | "pytest-3")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let mut reader = Reader::new(input);
        for i in 0..input.source.len() {
            if !reader.line(i) {
                break;
            }
        }
        reader.end_progress(false);
        match (reader.sessions + usize::from(reader.is_fragment), reader.out.is_empty()) {
            (0, _) => Err(Reason::NotRecognized),
            (_, true) => Err(Reason::NothingToDo),
            _ => Ok(reader.out),
        }
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let source = input.source;
        if fragment::is_one(source, true) {
            return 0..source.len();
        }
        let first = (0..source.len()).find(|&i| is_start(source.line(i))).unwrap_or(0);
        let mut reader = Reader { only_place: true, ..Reader::new(input) };
        let read = (0..source.len()).all(|i| reader.line(i));
        let last = (first..source.len()).rev().find(|&i| is_totals_line(source.line(i)));
        match last {
            // After the last totals nothing of a session follows.
            Some(last) if read && reader.at == Part::After => first..last + 1,
            _ => first..source.len(),
        }
    }
}

/// Whether a title is that of a section with failure reports.
fn is_of_failures(title: &str) -> bool {
    ["FAILURES", "ERRORS"]
        .iter()
        .any(|name| title == *name || title.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')))
}

/// The state while reading the lines of the text.
struct Reader<'a> {
    source: &'a Source<'a>,
    out: Reduction,
    at: Part,
    /// The marker group of the current section.
    group: u32,
    sessions: usize,
    /// The last line to be left out; it is kept if the session turns out not to have ended.
    held: Option<usize>,
    /// Whether only the last progress line shows how far the session came: the user interrupted it, or there are no
    /// totals.
    is_unfinished: bool,
    /// Tests that xdist reported as passed: the lines that announce their start can be left out too.
    passed: HashSet<&'a str>,
    /// Whether the text is a part of a session without its title and totals.
    is_fragment: bool,
    /// Whether repeated warnings are shortened.
    shortens_warnings: bool,
    /// Whether the caller only needs `at`, and not the reduction.
    only_place: bool,
    /// The state of the section `PASSES`.
    passes: Passes,
}

impl<'a> Reader<'a> {
    fn new(input: &'a Input<'a>) -> Self {
        let source = input.source;
        let passed = source.lines().filter_map(xdist_passed).collect();
        let is_unfinished = memchr::memmem::find(source.text().as_bytes(), b"! KeyboardInterrupt !")
            .is_some()
            || !source.lines().any(is_totals_line);
        let (out, held) = (Reduction::default(), None);
        Self {
            source,
            out,
            at: Part::Head,
            group: 1,
            sessions: 0,
            held,
            is_unfinished,
            passed,
            is_fragment: fragment::is_one(source, true),
            shortens_warnings: input.policy.mode == Mode::Aggressive,
            only_place: false,
            passes: Passes::default(),
        }
    }

    /// Reads a line. Returns `false` if it is unknown to what the lines below belong.
    fn line(&mut self, i: usize) -> bool {
        let line = self.source.line(i);
        if self.at == Part::Passes {
            match self.passes.action(self.source, i) {
                PassesAction::Keep => return true,
                PassesAction::Hide if self.only_place => return true,
                PassesAction::Hide => {
                    self.out.omit_in(i..i + 1, Reason::TestOutput, self.group);
                    return true;
                }
                PassesAction::Open => {}
            }
        }
        if is_start(line) {
            if matches!(self.at, Part::Section | Part::Passes | Part::Summary) {
                return false;
            }
            self.end_progress(false);
            (self.at, self.sessions) = (Part::Progress, self.sessions + 1);
            self.group += 1;
            return true;
        }
        match self.at {
            Part::After => {}
            Part::Head | Part::InsideBlock | Part::Progress if is_end_of_progress(line) => {
                self.section(i, line)
            }
            Part::Section | Part::Passes | Part::Summary if title(line).is_some() || is_totals_line(line) => {
                self.section(i, line);
            }
            Part::Head if is_inside_block(line) => self.at = Part::InsideBlock,
            _ if self.only_place => {}
            Part::Head | Part::Progress => self.progress(i, line),
            Part::Summary if line.starts_with("PASSED ") && !signals::is_failure(line) => {
                self.out.omit_in(i..i + 1, Reason::PassingTests, self.group);
            }
            Part::InsideBlock | Part::Section | Part::Passes | Part::Summary => {}
        }
        true
    }

    /// A title, the totals, or a crash of pytest itself.
    fn section(&mut self, i: usize, line: &str) {
        let crashed = line.starts_with(['!', 'I']);
        // The first section of a session whose start title was cut off.
        self.sessions += usize::from(self.sessions == 0);
        self.end_progress(!self.is_unfinished && !crashed);
        self.at = match title(line) {
            _ if is_totals_line(line) => Part::After,
            Some("PASSES") => {
                self.group += 1;
                self.passes = Passes::new(self.source, i + 1);
                Part::Passes
            }
            Some("short test summary info") => {
                self.group += 1;
                Part::Summary
            }
            Some(name) if !self.only_place && is_of_failures(name) => {
                let gone = failures::repeated(self.source, i + 1);
                self.group += 2;
                for (lines, reason) in gone {
                    let group = self.group - u32::from(reason == Reason::SameFailure);
                    self.out.omit_in(lines, reason, group);
                }
                Part::Section
            }
            Some("warnings summary" | "warnings summary (final)") if self.shortens_warnings => {
                self.group += 1;
                for lines in warnings::repeated(self.source, i + 1) {
                    self.out.omit_in(lines, Reason::DiagnosticExcerpt, self.group);
                }
                Part::Section
            }
            _ => Part::Section,
        };
    }

    fn progress(&mut self, i: usize, line: &'a str) {
        let in_session = self.at == Part::Progress || self.is_fragment;
        let (body, percent) = strip_percent(line);
        let gone = if let Some(test) = passed(body) {
            // Without the start title, the line must have its percentage.
            is_test_id(test) && (in_session || percent)
        } else if let Some(test) = xdist_passed(line) {
            !signals::is_failure(test)
        } else if in_session && is_test_id(body) {
            self.passed.contains(body) && !signals::is_failure(body)
        } else if let Some((path, true)) = dots(body) {
            (in_session || percent) && (path.is_empty() || self.passes_to_the_end(i))
        } else {
            false
        };
        if gone && self.source.failures().binary_search(&i).is_err() {
            self.hide(i);
        }
    }

    /// Whether the lines that continue the progress of the file in line `i` hold only passed tests. If one of them is
    /// kept, the line with the name of the file is needed.
    fn passes_to_the_end(&self, i: usize) -> bool {
        (i + 1..self.source.len())
            .map_while(|n| dots(strip_percent(self.source.line(n)).0).filter(|(path, _)| path.is_empty()))
            .all(|(_, passed)| passed)
    }

    fn hide(&mut self, i: usize) {
        if let Some(held) = self.held.replace(i) {
            self.out.omit_in(held..held + 1, Reason::PassingTests, self.group);
        }
    }

    fn end_progress(&mut self, ended: bool) {
        if let Some(held) = self.held.take().filter(|_| ended) {
            self.out.omit_in(held..held + 1, Reason::PassingTests, self.group);
        }
    }
}
