//! Keeps the lines on which kept lines depend when a text is cut to bytes: their headings, and the first line of their
//! record.

use crate::pipeline::limit::cap::Picked;
use crate::pipeline::limit::headings::{Headings, head_of_table};
use crate::pipeline::limit::hunks::{authors_of, is_commit};
use crate::pipeline::limit::outliers::Outliers;
use crate::pipeline::limit::unit::{Form, UnitFate};
use crate::text::headings::indent;
use crate::text::source::Source;

/// The longest heading, in bytes, that may exceed the cap for a window below a gap. A rule drawn after a headline takes
/// three bytes a column.
const MAX_HEADING_BYTES: usize = 240;
/// The place of a finding is at most this many lines below its headline.
const MAX_LINES_TO_PLACE: usize = 5;
/// Most headings that are kept, and most records whose identifying lines are kept.
const MAX_HEADINGS: usize = 512;

/// The line below the headline of a finding that says where it is: `  --> src/a.py:8:4`, `   Location: a.py:8:4`.
fn place_of(source: &Source<'_>, headline: usize) -> Option<usize> {
    if source.line(headline).starts_with([' ', '\t', '+', '-', '@']) {
        return None;
    }
    let below = (headline + 1..source.len()).take(MAX_LINES_TO_PLACE);
    let mut indented = below.take_while(|line| source.line(*line).starts_with(' '));
    indented.find(|line| {
        let text = source.line(*line).trim_start();
        ["--> ", "Location: "].iter().any(|start| text.starts_with(start))
            && text.bytes().next_back().is_some_and(|b| b.is_ascii_digit())
    })
}

impl Picked<'_> {
    /// Keeps the lines that identify the record of each failure.
    pub(super) fn records_of(&mut self, source: &Source<'_>, outliers: &Outliers, failing: &[usize]) {
        for &unit in failing.iter().take(MAX_HEADINGS) {
            for line in outliers.around(source, self.units[unit].lines.start) {
                let above = self.units.partition_point(|unit| unit.lines.end <= line);
                let is_line = self.units[above].lines.len() == 1 && self.units[above].is_shown;
                if self.keep[above] == UnitFate::No && is_line && self.spend(above) {
                    self.keep[above] = UnitFate::Single;
                }
            }
        }
    }

    /// Keeps the lines that say whose a kept commit is, and where a kept finding is. If the cap is not strict, they may exceed it.
    pub(super) fn authors(&mut self, source: &Source<'_>) {
        for commit in 0..self.units.len() {
            crate::stop::check_sometimes();
            let line = self.units[commit].lines.start;
            if self.keep[commit] == UnitFate::No {
                continue;
            }
            let is_commit = is_commit(source.line(line));
            let authors = authors_of(source, line).filter(|_| is_commit);
            let place = if self.units[commit].is_shown { place_of(source, line) } else { None };
            for below in authors.chain(place) {
                let unit = self.units.partition_point(|unit| unit.lines.end <= below);
                if self.keep[unit] == UnitFate::No
                    && self.units[unit].is_shown
                    && (self.spend(unit) || !self.is_strict)
                {
                    self.keep[unit] = UnitFate::Single;
                }
            }
        }
    }

    /// Keeps the headings of units that follow a gap, if they fit, and the lines that name their record. If the cap is
    /// not strict, headings of single lines, and short headings of windows, may exceed it. `of_windows`: also of windows.
    pub(super) fn headings(&mut self, source: &Source<'_>, outliers: Option<&Outliers>, of_windows: bool) {
        let mut found = 0;
        let units = self.units;
        let mut headings = Headings::new(source);
        let mut is_first = false;
        let mut table = None;
        for (unit, shown) in units.iter().enumerate() {
            crate::stop::check_sometimes();
            let head = table.filter(|_| shown.form == Form::TableRow);
            table = head_of_table(units, unit, table);
            if self.keep[unit] == UnitFate::No {
                is_first = true;
                continue;
            }
            let line = shown.lines.start;
            if let Some(head) = head.filter(|head| self.keep[*head] == UnitFate::No) {
                self.keep_heading(unit, units[head].lines.start);
            }
            // A blank line, or a marker of an earlier step, has no heading: the line below it has.
            if !shown.is_shown || is_first && source.line(line).trim().is_empty() {
                continue;
            }
            let is_below_gap = std::mem::take(&mut is_first);
            if !(is_below_gap && of_windows || self.keep[unit] == UnitFate::Single)
                || matches!(shown.form, Form::Row | Form::Short | Form::Message)
                || found >= MAX_HEADINGS
            {
                continue;
            }
            // A single line gets no name from the middle of its record: an outlier was kept together with that
            // name.
            let is_window = self.keep[unit] == UnitFate::Window;
            let name = outliers.filter(|_| is_below_gap).and_then(|outliers| {
                outliers.name(line).filter(|name| is_window || outliers.starts_record(*name))
            });
            if let Some(name) = name.filter(|name| *name < line)
                && self.keep_heading(unit, name) == Some(true)
            {
                found += 1;
                // Below a gap, a reader would take it for a part of the record above.
                if indent(source.line(name)) > 0 {
                    found += self.keep_headings(source, &mut headings, unit, name);
                }
            }
            found += self.keep_headings(source, &mut headings, unit, line);
        }
    }

    /// Keeps the heading of a line for a unit, the heading of the heading, and so on: a reader needs all of them. If an
    /// earlier step left one out, the next one up is still shown. Returns how many are new.
    fn keep_headings(
        &mut self,
        source: &Source<'_>,
        headings: &mut Headings,
        unit: usize,
        line: usize,
    ) -> usize {
        let (mut below, mut found) = (line, 0);
        while let Some(above) = headings.of(source, below).filter(|above| *above < below) {
            crate::stop::check_sometimes();
            below = above;
            match self.keep_heading(unit, above) {
                Some(true) => found += 1,
                Some(false) => break,
                None => {}
            }
        }
        found
    }

    /// Keeps both lines of records of two lines of which one is kept, if they fit: half of a record says little, and a reader would
    /// take the second line for that of another record.
    pub(super) fn whole_pairs(&mut self, outliers: &Outliers) {
        for unit in 0..self.units.len() {
            crate::stop::check_sometimes();
            if self.keep[unit] == UnitFate::No || !self.units[unit].is_shown {
                continue;
            }
            let Some(other) = outliers.other_of_pair(self.units[unit].lines.start) else { continue };
            let other = self.units.partition_point(|unit| unit.lines.end <= other);
            let is_gone =
                self.units.get(other).is_some_and(|unit| unit.is_shown) && self.keep[other] == UnitFate::No;
            if is_gone && self.spend(other) {
                self.keep[other] = UnitFate::Single;
            }
        }
    }

    /// Keeps the line above a unit that is its heading. Returns whether that is new; `None` if an earlier step left it
    /// out.
    fn keep_heading(&mut self, below: usize, line: usize) -> Option<bool> {
        let heading = self.units.partition_point(|unit| unit.lines.end <= line);
        let is_shown = self.units.get(heading).is_some_and(|unit| unit.is_shown);
        if !is_shown || heading >= below {
            return None;
        }
        let fits = self.keep[heading] == UnitFate::No
            && (self.spend(heading) || !self.is_strict && self.may_exceed(below, heading));
        if fits {
            self.keep[heading] = UnitFate::Single;
        }
        Some(fits)
    }

    /// Whether the heading may exceed the cap: always above a single line, above a window only if it is short.
    fn may_exceed(&self, unit: usize, heading: usize) -> bool {
        self.keep[unit] == UnitFate::Single || self.units[heading].bytes <= MAX_HEADING_BYTES
    }
}
