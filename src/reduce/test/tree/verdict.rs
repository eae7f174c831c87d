//! What only the whole run shows: whether it ended, whether anything failed, and what was reported twice.

use std::collections::HashMap;
use std::ops::Range;

use super::LineKind;
use super::reader::Reader;
use crate::text::reason::Reason;
use crate::text::signals;

/// A limit that depends on the mode.
struct ByMode {
    standard: usize,
    aggressive: usize,
}

/// Most blocks that tests printed which are kept if all tests passed. A choice.
const MAX_PRINTED_BLOCKS: ByMode = ByMode { standard: 12, aggressive: 3 };
/// Most skipped tests that are kept. A choice.
const MAX_SKIPPED_TESTS: ByMode = ByMode { standard: 20, aggressive: 5 };
/// Fewest lines of a failure reported again that are left out. A choice.
const MIN_RECAP_LINES: usize = 3;
/// Fewest lines and bytes elsewhere that are left out because they stand above. A choice.
const MIN_REPEAT_LINES: usize = 8;
const MIN_REPEAT_BYTES: usize = 300;

impl Reader<'_> {
    /// Decides about what only the whole run shows.
    pub(super) fn finish(&mut self) {
        // Headings that are still open at the end of a text that was cut stay.
        self.run.has_totals |= self.run.tests > 0 && self.run.planned == Some(self.run.tests);
        if self.run.has_totals {
            self.close(0);
        }
        self.settle();
        let most = |most: ByMode| if self.is_aggressive { most.aggressive } else { most.standard };
        for &line in self.undecided.skipped.iter().skip(most(MAX_SKIPPED_TESTS)) {
            self.actions.omit_unless_failure(line, Reason::SkippedTests, 1);
        }
        let stays = if self.run.failed { 0 } else { most(MAX_PRINTED_BLOCKS) };
        for printed in self.undecided.printed.iter().skip(stays) {
            let failed = printed.failed && self.run.failed
                || printed.file.is_some_and(|f| self.undecided.failed_files.contains(f));
            if self.run.has_totals && !failed && !self.source_fails(printed.lines.clone()) {
                self.actions.omit(printed.lines.clone(), Reason::TestOutput, 1);
            }
        }
        if self.run.failed {
            self.forget();
        }
    }

    /// Decides about the steps of a run that is over: of one that did not come to its end they stay, with the last test
    /// that passed.
    pub(super) fn settle(&mut self) {
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

    fn source_fails(&self, mut lines: Range<usize>) -> bool {
        lines.any(|i| signals::is_failure(self.source.line(i)))
    }

    /// Drops what stands above, line for line: of the recap all that it repeats, of the failures before
    /// it long stretches, such as advice that comes with each of them.
    fn forget(&mut self) {
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

    /// How many lines from `i` on are those from `from` on, and can be seen there. Outside of a recap a
    /// line that says how a test ended is never one of them.
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
