//! What a state machine of this family leaves out: lines with their reasons, put together into spans.
//!
//! It decides nothing. Empty lines between two lines that go leave with them, and the last line of
//! the text stays, whatever it is.

use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// Empty lines between two lines that go which go with them, at most.
const BLANK: usize = 2;

/// Lines that go.
pub struct Gone<'a> {
    source: &'a Source<'a>,
    /// Why a line goes, and the marker that it shares.
    lines: Vec<Option<(Reason, u32)>>,
}

impl<'a> Gone<'a> {
    /// Nothing goes.
    pub fn new(source: &'a Source<'a>) -> Self {
        Self { source, lines: vec![None; source.len()] }
    }

    /// Hides a line, unless it reports a failure.
    pub fn hide(&mut self, line: usize, reason: Reason, group: u32) {
        if let Some(slot) = self.lines.get_mut(line)
            && !signals::is_failure(self.source.line(line))
        {
            *slot = Some((reason, group));
        }
    }

    /// Hides a line that stands word for word above: a failure needs to be seen once.
    pub fn repeat(&mut self, line: usize, group: u32) {
        if let Some(slot) = self.lines.get_mut(line) {
            *slot = Some((Reason::RepeatedDiagnostic, group));
        }
    }

    /// The spans, or the reason for there being none.
    pub fn finish(mut self) -> Result<Reduction, Reason> {
        let source = self.source;
        let is_blank = |i: usize| source.line(i).trim().is_empty();
        if let Some(last) = (0..source.len()).rev().find(|&i| !is_blank(i)) {
            self.lines.truncate(last);
        }
        let mut out = Reduction::default();
        let mut i = 0;
        while i < self.lines.len() {
            let Some((reason, group)) = self.lines[i] else {
                i += 1;
                continue;
            };
            let mut end = i + 1;
            loop {
                let blank = (end..self.lines.len())
                    .take(BLANK + 1)
                    .take_while(|&n| self.lines[n].is_none() && is_blank(n))
                    .count();
                let next = self.lines.get(end + blank).copied().flatten();
                if blank > BLANK || next != Some((reason, group)) {
                    break;
                }
                end += blank + 1;
            }
            // Of the empty lines before and after, those after go.
            if (i == 0 || is_blank(i - 1)) && self.lines.get(end) == Some(&None) && is_blank(end) {
                end += 1;
            }
            out.omit_in(i..end, reason, group);
            i = end;
        }
        if out.is_empty() { Err(Reason::NothingToDo) } else { Ok(out) }
    }
}
