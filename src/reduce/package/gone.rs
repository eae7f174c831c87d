//! Lines that go, gathered by a state machine of this family and written as spans.
//!
//! All lines of one reason share one marker, in front of the first, which names what they named. It never
//! hides the last line with text: the end of a report is what it came to.

use std::collections::BTreeMap;

use crate::pipeline::ledger::Reduction;
use crate::pipeline::reason::Reason;
use crate::pipeline::signals;
use crate::pipeline::source::Source;

/// Empty lines between two lines that go which go with them, at most.
const BLANK: usize = 2;

/// Lines that go, in order.
#[derive(Debug, Default)]
pub(super) struct Gone {
    lines: Vec<(usize, Reason, String)>,
}

impl Gone {
    /// A line goes.
    pub(super) fn hide(&mut self, line: usize, reason: Reason) {
        self.name(line, reason, String::new());
    }

    /// A line goes, and the marker says what it named. A name that would end the marker keeps its line.
    pub(super) fn name(&mut self, line: usize, reason: Reason, name: String) {
        if !name.contains(['[', ']', '\n']) {
            self.lines.push((line, reason, name));
        }
    }

    /// A line stays after all: the last of an output that something else follows tells how far it came.
    pub(super) fn keep(&mut self, line: usize) {
        self.lines.retain(|gone| gone.0 != line);
    }

    /// The spans, or the reason for there being none.
    pub(super) fn finish(mut self, source: &Source<'_>) -> Result<Reduction, Reason> {
        self.lines.sort_by_key(|gone| gone.0);
        self.lines.dedup_by_key(|gone| gone.0);
        let last = (0..source.len()).rev().find(|&i| !source.line(i).trim().is_empty());
        self.lines.retain(|gone| Some(gone.0) != last && !signals::is_failure(source.line(gone.0)));
        let mut names: BTreeMap<Reason, String> = BTreeMap::new();
        for (_, reason, name) in self.lines.iter().filter(|gone| !gone.2.is_empty()) {
            let names = names.entry(*reason).or_default();
            if !names.is_empty() {
                names.push_str(", ");
            }
            names.push_str(name);
        }
        let mut out = Reduction::default();
        let mut gone = self.lines.iter().peekable();
        while let Some((first, reason, _)) = gone.next() {
            let mut end = first + 1;
            while let Some((next, ..)) = gone.next_if(|(line, why, _)| {
                why == reason && line - end <= BLANK && (end..*line).all(|i| source.line(i).trim().is_empty())
            }) {
                end = next + 1;
            }
            let named = names.remove(reason).unwrap_or_default();
            out.omit_named(*first..end, *reason, *reason as u32 + 1, &named);
        }
        if out.is_empty() { Err(Reason::NothingToDo) } else { Ok(out) }
    }
}
