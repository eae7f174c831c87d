//! What only the whole run shows: whether it ended, whether anything failed, and what was reported twice.

use std::collections::HashMap;
use std::ops::Range;

use super::Fate;
use super::reader::Reader;
use crate::text::reason::Reason;
use crate::text::signals;

/// What tests of a run printed that stays when all passed: blocks in `standard` and in `aggressive`.
const PRINTED: (usize, usize) = (12, 3);
/// Skipped tests that stay: in `standard` and in `aggressive`.
const SKIPPED: (usize, usize) = (20, 5);
/// Fewest lines of a failure reported again that go.
const RECAP: usize = 3;
/// Fewest lines and bytes of a stretch that is left out since it stands above, elsewhere.
const REPEAT: (usize, usize) = (8, 300);

impl Reader<'_> {
    /// Decides about what only the whole run shows.
    pub(super) fn finish(&mut self) {
        // Headings that are still open at the end of a text that was cut stay.
        self.ended |= self.tests > 0 && self.planned == Some(self.tests);
        if self.ended {
            self.close(0);
        }
        self.settle();
        let most = |(standard, aggressive)| if self.is_aggressive { aggressive } else { standard };
        for &line in self.skipped.iter().skip(most(SKIPPED)) {
            self.gone.hide(line, Reason::SkippedTests, 1);
        }
        let stays = if self.failed { 0 } else { most(PRINTED) };
        for printed in self.printed.iter().skip(stays) {
            let failed =
                printed.failed && self.failed || printed.file.is_some_and(|f| self.failed_files.contains(f));
            if self.ended && !failed && !self.source_fails(printed.lines.clone()) {
                self.gone.omit(printed.lines.clone(), Reason::TestOutput, 1);
            }
        }
        if self.failed {
            self.forget();
        }
    }

    /// Decides about the steps of a run that is over: of one that did not come to its end they stay, with the last test
    /// that passed.
    pub(super) fn settle(&mut self) {
        let steps = std::mem::take(&mut self.steps);
        if !self.ended {
            if let Some(last) = self.last_passed.take() {
                self.gone.keep(last);
            }
            return;
        }
        for i in steps {
            self.gone.hide(i, Reason::Progress, 1);
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
        while i + 1 < self.fates.len() {
            let same = match first.get(&(text(i), text(i + 1))) {
                Some(&from) => self.same(from, i, i > recap),
                None => 0,
            };
            let (lines, bytes) = if i > recap { (RECAP, 0) } else { REPEAT };
            if same >= lines && self.source.byte_range(i..i + same).len() >= bytes {
                self.gone.omit(i..i + same, Reason::RepeatedDiagnostic, 0);
                i += same;
                continue;
            }
            if i < recap && self.gone.keeps(i) && !text(i).is_empty() {
                first.entry((text(i), text(i + 1))).or_insert(i);
            }
            i += 1;
        }
    }

    /// How many lines from `i` on are those from `from` on, and can be seen there. Outside of a recap a
    /// line that says how a test ended is never one of them.
    fn same(&self, from: usize, i: usize, in_recap: bool) -> usize {
        let is_text = |n: usize| matches!(self.fates[n], None | Some(Fate::Heading | Fate::Keep));
        (0..(i - from).min(self.fates.len() - i))
            .take_while(|n| {
                self.source.line(from + n).trim() == self.source.line(i + n).trim()
                    && self.gone.keeps(from + n)
                    && self.gone.keeps(i + n)
                    && (in_recap || is_text(i + n))
            })
            .count()
    }
}
