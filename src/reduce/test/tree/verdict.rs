//! What only the whole run tells: whether it ended, whether anything failed, and what was told twice.

use std::collections::HashMap;
use std::ops::Range;

use super::reader::Reader;
use crate::pipeline::ledger::Reduction;
use crate::pipeline::reason::Reason;
use crate::pipeline::signals;

/// What tests of a run printed that stays when all passed: blocks in `standard` and in `aggressive`.
const PRINTED: (usize, usize) = (12, 3);
/// Skipped tests that stay: in `standard` and in `aggressive`.
const SKIPPED: (usize, usize) = (20, 5);
/// Empty lines between two lines that go which go with them, at most.
const BLANK: usize = 2;
/// Fewest lines of a failure told again that go.
const RECAP: usize = 3;

impl Reader<'_> {
    /// Decides about what only the whole run tells.
    pub(super) fn finish(&mut self) {
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

    fn source_fails(&self, mut lines: Range<usize>) -> bool {
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

    pub(super) fn spans(self) -> Reduction {
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
