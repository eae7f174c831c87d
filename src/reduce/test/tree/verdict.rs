//! Decisions at the end of a run: whether it ended, whether a test failed, and which reports are repeated.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::LineKind;
use super::reader::{Printed, Reader};
use crate::reduce::test::passed::prints::form;
use crate::text::reason::Reason;
use crate::text::signals;

/// Mixes the forms of lines into one digest: the multiplier of FNV-1a.
const DIGEST_FACTOR: u64 = 0x0100_0000_01b3;

/// A limit that depends on the mode.
struct ByMode {
    standard: usize,
    aggressive: usize,
}

/// The most blocks of output that are kept if all tests passed. A choice.
const MAX_PRINTED_BLOCKS: ByMode = ByMode { standard: 12, aggressive: 3 };
/// The most of them that differ only in numbers, if there are more. A choice.
const MAX_ALIKE_BLOCKS: ByMode = ByMode { standard: 3, aggressive: 1 };
/// Most skipped tests that are kept. A choice.
const MAX_SKIPPED_TESTS: ByMode = ByMode { standard: 20, aggressive: 5 };
/// The most gaps in the numbers of tests that are shown. A choice.
const MAX_NUMBER_GAPS: usize = 20;
/// The fewest lines of a repeated failure that are left out of the recap. A choice.
const MIN_RECAP_LINES: usize = 3;
/// The fewest lines and bytes that are left out elsewhere because they are shown above. A choice.
const MIN_REPEAT_LINES: usize = 8;
const MIN_REPEAT_BYTES: usize = 300;

impl Reader<'_> {
    /// Makes the decisions that need the whole run.
    pub(super) fn finish(&mut self) {
        // If the text was cut off, headings that are still open are kept.
        self.run.has_totals |= self.run.tests > 0 && self.run.planned == Some(self.run.tests);
        if self.run.has_totals {
            self.close(0);
        }
        self.decide_steps();
        let most = |most: ByMode| if self.is_aggressive { most.aggressive } else { most.standard };
        for (n, &(line, file)) in self.undecided.skipped.iter().enumerate() {
            match file {
                _ if n >= most(MAX_SKIPPED_TESTS) => {
                    self.actions.omit_unless_failure(line, Reason::SkippedTests, 1)
                }
                Some(file) => self.actions.keep(file),
                None => {}
            }
        }
        let shown = match self.run.failed {
            true => vec![false; self.undecided.printed.len()],
            false => self.shown_prints(most(MAX_PRINTED_BLOCKS), most(MAX_ALIKE_BLOCKS)),
        };
        for (printed, shown) in self.undecided.printed.iter().zip(shown) {
            let failed = printed.failed && self.run.failed
                || printed.file.is_some_and(|f| self.undecided.failed_files.contains(f));
            if !shown && self.run.has_totals && !failed && !self.source_fails(printed.lines.clone()) {
                self.actions.omit(printed.lines.clone(), Reason::TestOutput, 1);
            } else if let Some(owner) = printed.owner {
                // The line above a block names the test that wrote it.
                self.actions.keep(owner);
            }
        }
        self.show_number_gaps();
        self.show_other_results();
        if self.run.failed {
            self.hide_repeats();
        }
    }

    /// Which blocks of output are shown: all if they are few, otherwise the first ones, a few of each form.
    fn shown_prints(&self, most: usize, alike: usize) -> Vec<bool> {
        let is_few = self.undecided.printed.len() <= most;
        let (mut left, mut known) = (most, HashMap::new());
        let shown = self.undecided.printed.iter().map(|printed| {
            if left == 0 && !is_few {
                return false;
            }
            if !is_few {
                let count = known.entry(self.form(printed)).or_insert(0);
                *count += 1;
                if *count > alike {
                    return false;
                }
            }
            left = left.saturating_sub(1);
            true
        });
        shown.collect()
    }

    /// A digest of the forms of the lines of a block, with the first word of its title.
    fn form(&self, printed: &Printed<'_>) -> u64 {
        let line = |i: usize| self.source.line(i);
        let title = line(printed.lines.start).split_ascii_whitespace().next().unwrap_or_default();
        let lines = printed.lines.clone().skip(1).map(line).filter(|line| !line.trim().is_empty());
        std::iter::once(title).chain(lines).fold(0, |digest, line| {
            crate::stop::check_sometimes();
            (digest ^ form(line)).wrapping_mul(DIGEST_FACTOR)
        })
    }

    /// Decides the steps of a run that is over. If it did not come to its end, the steps and the last passed test are
    /// kept.
    pub(super) fn decide_steps(&mut self) {
        let steps = std::mem::take(&mut self.undecided.steps);
        if !self.run.has_totals {
            if let Some(last) = self.last_passed.take() {
                self.actions.keep(last);
            }
            return;
        }
        for i in steps {
            self.actions.omit_unless_failure(i, Reason::Progress, 1);
        }
    }

    /// Keeps the tests that passed beside one of the same name that did not: without them, the test would seem to have only
    /// that result.
    fn show_other_results(&mut self) {
        let results = std::mem::take(&mut self.undecided.results);
        let others: HashSet<_> =
            results.iter().filter(|test| !test.passed).map(|test| (test.above, test.name)).collect();
        for test in results.iter().filter(|test| test.passed && others.contains(&(test.above, test.name))) {
            self.actions.keep(test.line);
        }
    }

    /// Keeps the tests on both sides of a gap in their numbers: a test in between gave no result.
    fn show_number_gaps(&mut self) {
        let numbers = std::mem::take(&mut self.undecided.numbers);
        // A program that starts again counts from 1 again.
        let mut left = MAX_NUMBER_GAPS;
        for run in numbers.chunk_by(|_, (number, _)| *number != 1) {
            // Tests that run side by side may end in another order.
            let mut run = run.to_vec();
            run.sort_unstable();
            for pair in run.windows(2) {
                if let [(before, above), (after, below)] = pair
                    && after - before > 1
                    && left > 0
                {
                    left -= 1;
                    self.actions.keep(*above);
                    self.actions.keep(*below);
                }
            }
        }
    }

    fn source_fails(&self, mut lines: Range<usize>) -> bool {
        lines.any(|i| signals::is_failure(self.source.line(i)))
    }

    /// Leaves out lines that are shown above: in the recap all that repeats the failures, before it only long runs of
    /// lines, such as advice that comes with each failure.
    fn hide_repeats(&mut self) {
        let text = |i: usize| self.source.line(i).trim();
        let recap = self.recap.unwrap_or(usize::MAX);
        let mut first: HashMap<(&str, &str), usize> = HashMap::new();
        let mut i = 0;
        while i + 1 < self.kinds.len() {
            let same = match first.get(&(text(i), text(i + 1))) {
                Some(&from) => self.same(from, i, i > recap),
                None => 0,
            };
            let (lines, bytes) =
                if i > recap { (MIN_RECAP_LINES, 0) } else { (MIN_REPEAT_LINES, MIN_REPEAT_BYTES) };
            if same >= lines && self.source.byte_range(i..i + same).len() >= bytes {
                self.actions.omit(i..i + same, Reason::RepeatedDiagnostic, 0);
                i += same;
                continue;
            }
            if i < recap && self.actions.is_kept(i) && !text(i).is_empty() {
                first.entry((text(i), text(i + 1))).or_insert(i);
            }
            i += 1;
        }
    }

    /// How many lines from `i` on are equal to the lines from `from` on, if both are shown. Outside of the recap, a
    /// line with the verdict on a test never counts.
    fn same(&self, from: usize, i: usize, in_recap: bool) -> usize {
        let is_text = |n: usize| matches!(self.kinds[n], None | Some(LineKind::Heading | LineKind::Keep));
        (0..(i - from).min(self.kinds.len() - i))
            .take_while(|n| {
                self.source.line(from + n).trim() == self.source.line(i + n).trim()
                    && self.actions.is_kept(from + n)
                    && self.actions.is_kept(i + n)
                    && (in_recap || is_text(i + n))
            })
            .count()
    }
}
