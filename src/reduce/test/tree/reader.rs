//! Follows the lines of a run and says which go. It decides about a heading only when all below it
//! is known, and about what tests printed only when the whole run is.

use std::collections::{HashMap, HashSet};

use regex_automata::meta::Regex;

use super::{Fate, name};
use crate::config::Mode;
use crate::pipeline::ledger::Reduction;
use crate::pipeline::reason::Reason;
use crate::pipeline::signals;
use crate::pipeline::source::Source;
use crate::reduce::Input;

/// What tests of a run printed that stays when all passed: blocks in `standard` and in `aggressive`.
const PRINTED: (usize, usize) = (12, 3);
/// Skipped tests that stay: in `standard` and in `aggressive`.
const SKIPPED: (usize, usize) = (20, 5);
/// Empty lines between two lines that go which go with them, at most.
const BLANK: usize = 2;
/// Fewest lines of a failure told again that go.
const RECAP: usize = 3;

/// A heading whose lower lines are still being read.
struct Heading {
    line: usize,
    level: usize,
    /// Whether a test below it passed, and whether a line below it stays.
    passed: bool,
    kept: bool,
    begins: bool,
}

/// What a test printed: its lines and the file it is in.
struct Printed<'a> {
    lines: std::ops::Range<usize>,
    file: Option<&'a str>,
    failed: bool,
}

/// The state: see the module.
pub(super) struct Reader<'a> {
    source: &'a Source<'a>,
    automaton: &'a Regex,
    fates: &'a [Option<Fate>],
    is_aggressive: bool,
    /// Lines that go.
    gone: Vec<Option<Reason>>,
    headings: Vec<Heading>,
    /// Whether a failure is being told.
    is_open: bool,
    /// Whether the next test ends that.
    until_test: bool,
    recap: Option<usize>,
    /// Whether totals were there after the last test.
    ended: bool,
    failed: bool,
    /// The number of tests that a plan told, and how many of the outermost level there were.
    planned: Option<usize>,
    tests: usize,
    /// Whether the test above went.
    went: bool,
    last_passed: Option<usize>,
    skipped: Vec<usize>,
    steps: Vec<usize>,
    printed: Vec<Printed<'a>>,
    failed_files: HashSet<&'a str>,
    /// What the file above came to, where the runner says that first.
    file_failed: Option<bool>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(input: &'a Input<'a>, automaton: &'a Regex, fates: &'a [Option<Fate>]) -> Self {
        Self {
            source: input.source,
            automaton,
            fates,
            is_aggressive: input.policy.mode == Mode::Aggressive,
            gone: vec![None; fates.len()],
            headings: Vec::new(),
            is_open: false,
            until_test: false,
            recap: None,
            ended: false,
            failed: false,
            planned: None,
            tests: 0,
            went: false,
            last_passed: None,
            skipped: Vec::new(),
            steps: Vec::new(),
            printed: Vec::new(),
            failed_files: HashSet::new(),
            file_failed: None,
        }
    }

    pub(super) fn read(mut self) -> Reduction {
        let mut i = 0;
        while i < self.fates.len() {
            i = match self.fates[i] {
                Some(fate) => self.line(i, fate),
                None => self.other(i),
            };
        }
        self.finish();
        self.spans()
    }

    /// Reads a line of some form; gives the next line to read.
    fn line(&mut self, i: usize, fate: Fate) -> usize {
        let line = self.source.line(i);
        let level = 1 + line.len() - line.trim_start_matches(' ').len();
        if self.until_test && matches!(fate, Fate::Begins | Fate::Passed | Fate::Skipped) {
            self.is_open = false;
        }
        match fate {
            Fate::Shows | Fate::Totals => {
                self.close(0);
                self.is_open = false;
                if fate == Fate::Totals {
                    self.ended = true;
                    let tests = name(self.automaton, line).and_then(|n| n.parse().ok());
                    self.planned = self.planned.or(tests);
                }
                self.file_failed = None;
            }
            Fate::PassedFile | Fate::FailedFile => self.file(i, fate == Fate::FailedFile),
            Fate::File => {
                self.close(0);
                self.is_open = false;
                self.headings.push(Heading { line: i, level: 0, passed: false, kept: false, begins: false });
            }
            Fate::Opens | Fate::OpensAbove | Fate::Recap => {
                if fate == Fate::OpensAbove
                    && let Some(above) = (0..i).rev().find(|&n| self.fates[n] == Some(Fate::Passed))
                {
                    self.gone[above] = None;
                    self.keep_headings();
                }
                self.failed = true;
                self.failed_files.extend(name(self.automaton, line));
                self.until_test = fate == Fate::OpensAbove;
                self.close(0);
                self.is_open = true;
                if fate == Fate::Recap {
                    self.recap.get_or_insert(i);
                }
            }
            Fate::Step => {
                self.is_open = false;
                self.ended = false;
                self.steps.push(i);
            }
            _ if self.is_open => {}
            Fate::Passed => self.passed(i, level),
            Fate::Failed | Fate::Skipped => {
                self.tests += usize::from(level == 1);
                self.close_with(level, false);
                self.keep_headings();
                self.went = false;
                if fate == Fate::Skipped {
                    self.skipped.push(i);
                } else {
                    (self.failed, self.ended) = (true, false);
                    self.failed_files.extend(name(self.automaton, line));
                }
            }
            Fate::Heading | Fate::Begins => {
                self.close(level);
                let begins = fate == Fate::Begins;
                self.headings.push(Heading { line: i, level, passed: false, kept: false, begins });
            }
            Fate::Output => return self.output(i, level),
            Fate::Details => return self.details(i, level),
            Fate::Follows if self.went => self.gone[i] = Some(Reason::PassingTests),
            Fate::Goes(reason) if !signals::is_failure(line) => self.gone[i] = Some(reason),
            Fate::Stays | Fate::Goes(_) | Fate::Follows => {}
        }
        i + 1
    }

    /// Reads a line of no form: no heading stands right above such a line.
    fn other(&mut self, i: usize) -> usize {
        let line = self.source.line(i);
        if !line.trim().is_empty() && !self.is_open {
            while self.headings.last().is_some_and(|h| h.level > 0 && !h.passed && !h.kept && !h.begins) {
                self.headings.pop();
            }
            if signals::is_failure(line) {
                self.keep_headings();
            }
            // What a test printed is told apart by the line on which the test began.
            if let Some(begun) = self.headings.last_mut().filter(|h| h.begins) {
                begun.kept = true;
            }
        }
        i + 1
    }

    fn passed(&mut self, i: usize, level: usize) {
        self.tests += usize::from(level == 1);
        self.close_with(level, true);
        // The name of a test may read like a failure: such a line stays, and is no failure.
        self.went = !signals::is_failure(self.source.line(i));
        for heading in &mut self.headings {
            heading.passed = true;
        }
        self.ended = false;
        if self.went {
            self.gone[i] = Some(Reason::PassingTests);
            self.last_passed = Some(i);
        }
    }

    fn file(&mut self, i: usize, failed: bool) {
        self.close(0);
        self.is_open = false;
        self.ended = false;
        self.file_failed = Some(failed);
        if failed {
            self.failed = true;
            self.failed_files.extend(name(self.automaton, self.source.line(i)));
        } else if !signals::is_failure(self.source.line(i)) {
            self.gone[i] = Some(Reason::PassingTests);
            self.last_passed = Some(i);
        }
    }

    /// Reads what a test printed: up to a line of another form, or one that is less indented.
    fn output(&mut self, i: usize, level: usize) -> usize {
        let mut end = i + 1;
        while end < self.fates.len() {
            let line = self.source.line(end);
            let indent = 1 + line.len() - line.trim_start_matches(' ').len();
            if !matches!(self.fates[end], None | Some(Fate::Heading))
                || (indent <= level && level > 1 && !line.trim().is_empty())
            {
                break;
            }
            end += 1;
        }
        // A runner that names no file prints right below the verdict on the file, or no one knows.
        let file = name(self.automaton, self.source.line(i));
        let failed = file.is_none() && self.file_failed != Some(false);
        self.printed.push(Printed { lines: i..end, file, failed });
        end
    }

    /// Reads the details of a test.
    fn details(&mut self, i: usize, level: usize) -> usize {
        let is_end = |&n: &usize| {
            let line = self.source.line(n);
            line.trim() == "..." && line.len() - line.trim_start_matches(' ').len() + 1 <= level
        };
        let Some(end) = (i + 1..self.fates.len()).find(is_end) else { return i + 1 };
        let lines = i..end + 1;
        if self.went && !lines.clone().any(|n| signals::is_failure(self.source.line(n))) {
            self.gone[lines].fill(Some(Reason::PassingTests));
        }
        end + 1
    }

    fn keep_headings(&mut self) {
        for heading in &mut self.headings {
            heading.kept = true;
        }
    }

    /// Decides about the headings of a level and of those below it.
    fn close(&mut self, level: usize) {
        while let Some(heading) = self.headings.pop_if(|h| h.level >= level) {
            let goes = heading.passed && !heading.kept && !heading.begins;
            if goes && !signals::is_failure(self.source.line(heading.line)) {
                self.gone[heading.line] = Some(Reason::PassingTests);
            }
        }
    }

    /// The same at a test of that level, which may be the one whose beginning a line told.
    fn close_with(&mut self, level: usize, passed: bool) {
        self.close(level + 1);
        if let Some(begun) = self.headings.pop_if(|h| h.level == level && h.begins) {
            let stays = begun.kept || !passed || signals::is_failure(self.source.line(begun.line));
            if !stays {
                self.gone[begun.line] = Some(Reason::PassingTests);
            }
        }
        self.close(level);
    }

    /// Decides about what only the whole run tells.
    fn finish(&mut self) {
        // Headings that are still open at the end of a text that was cut stay.
        self.ended |= self.tests > 0 && self.planned == Some(self.tests);
        if self.ended {
            self.close(0);
            for i in std::mem::take(&mut self.steps) {
                if !signals::is_failure(self.source.line(i)) {
                    self.gone[i] = Some(Reason::Progress);
                }
            }
        } else if let Some(last) = self.last_passed {
            self.gone[last] = None;
        }
        let most = |(standard, aggressive)| if self.is_aggressive { aggressive } else { standard };
        for &line in self.skipped.iter().skip(most(SKIPPED)) {
            if !signals::is_failure(self.source.line(line)) {
                self.gone[line] = Some(Reason::SkippedTests);
            }
        }
        let stays = if self.failed { 0 } else { most(PRINTED) };
        for printed in self.printed.iter().skip(stays) {
            let failed =
                printed.failed && self.failed || printed.file.is_some_and(|f| self.failed_files.contains(f));
            if self.ended && !failed && !self.source_fails(printed.lines.clone()) {
                self.gone[printed.lines.clone()].fill(Some(Reason::TestOutput));
            }
        }
        if let Some(recap) = self.recap {
            self.forget(recap);
        }
    }

    fn source_fails(&self, mut lines: std::ops::Range<usize>) -> bool {
        lines.any(|i| signals::is_failure(self.source.line(i)))
    }

    /// Drops from the recap what stands above, line for line.
    fn forget(&mut self, recap: usize) {
        let text = |i: usize| self.source.line(i).trim();
        let mut first: HashMap<(&str, &str), usize> = HashMap::new();
        for i in (0..recap.saturating_sub(1)).filter(|&i| !text(i).is_empty()) {
            first.entry((text(i), text(i + 1))).or_insert(i);
        }
        let mut i = recap + 1;
        while i + 1 < self.fates.len() {
            let same = first.get(&(text(i), text(i + 1))).map_or(0, |&from| {
                (0..)
                    .take_while(|n| {
                        from + n < recap
                            && i + n < self.fates.len()
                            && text(from + n) == text(i + n)
                            && self.gone[from + n].is_none()
                    })
                    .count()
            });
            if same >= RECAP {
                self.gone[i..i + same].fill(Some(Reason::RepeatedDiagnostic));
            }
            i += same.max(1);
        }
    }

    fn spans(self) -> Reduction {
        let blank = |i: usize| self.source.line(i).trim().is_empty();
        let mut out = Reduction::default();
        let mut i = 0;
        while i < self.gone.len() {
            let Some(reason) = self.gone[i] else {
                i += 1;
                continue;
            };
            let start = i;
            let mut end = i + 1;
            while end < self.gone.len() {
                let next = (end..self.gone.len().min(end + BLANK + 1)).find(|&n| self.gone[n].is_some());
                match next {
                    Some(n) if self.gone[n] == Some(reason) && (end..n).all(blank) => end = n + 1,
                    _ => break,
                }
            }
            let group = reason as u32 + 1;
            out.omit_in(start..end, reason, group);
            i = end;
        }
        out
    }
}
