//! Lines that go, gathered by a state machine of this family and written as spans.
//!
//! All lines of one reason share one marker, in front of the first, which names what they named. It never
//! hides the last line with text: the end of a report is what it came to.

use std::collections::BTreeMap;

use crate::reduce::format::NAMES;
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

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
        // The marker of each line, by place, and what the markers name.
        let mut names: Vec<String> = Vec::new();
        let mut open: BTreeMap<Reason, usize> = BTreeMap::new();
        let mut markers = Vec::with_capacity(self.lines.len());
        for (_, reason, name) in &self.lines {
            let place = open.entry(*reason).or_insert(usize::MAX);
            let is_full = |names: &String| !name.is_empty() && names.len() + name.len() > NAMES;
            if names.get(*place).is_none_or(is_full) {
                *place = names.len();
                names.push(String::new());
            }
            markers.push(*place);
            let names = &mut names[*place];
            if !name.is_empty() {
                if !names.is_empty() {
                    names.push_str(", ");
                }
                names.push_str(name);
            }
        }
        let mut out = Reduction::default();
        let mut gone = self.lines.iter().zip(&markers).peekable();
        while let Some(((first, reason, _), marker)) = gone.next() {
            let mut end = first + 1;
            while let Some(((next, ..), _)) = gone.next_if(|((line, ..), other)| {
                *other == marker
                    && line - end <= BLANK
                    && (end..*line).all(|i| source.line(i).trim().is_empty())
            }) {
                end = next + 1;
            }
            let named = std::mem::take(&mut names[*marker]);
            out.omit_named(*first..end, *reason, *marker as u32 + 1, &named);
        }
        if out.is_empty() { Err(Reason::NothingToDo) } else { Ok(out) }
    }
}
