//! What becomes of the lines of an output: a reducer decides about them in any order, and the decisions
//! are put together into spans once.
//!
//! Lines of one reason and one group share a marker. The names that lines give to their marker stand in it, up to
//! [`NAMES`] bytes; what more lines name stands in the next one. It decides nothing itself.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// Bytes of names in one marker, so that a cut can take one without all.
pub const NAMES: usize = 4096;
/// Empty lines between two lines that are left out which are left out with them, at most.
const BLANK: usize = 2;

/// Which empty lines are left out with the lines around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blanks {
    /// None.
    Keep,
    /// Those between two lines that share a marker.
    Between,
    /// These, and of the empty lines before and after lines that are left out one of those after.
    Behind,
}

/// What becomes of one line. A number of a text counts from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Omit { reason: Reason, group: u32, name: u32 },
    Replace { reason: Reason, text: u32 },
}

/// What becomes of each line.
#[derive(Debug)]
pub struct Fates<'a> {
    source: &'a Source<'a>,
    /// `None`: the line is kept.
    lines: Vec<Option<Fate>>,
    /// What lines give to their marker, or what is shown in their place.
    texts: Vec<String>,
    is_named: bool,
}

impl<'a> Fates<'a> {
    /// All lines are kept.
    pub fn new(source: &'a Source<'a>) -> Self {
        Self { source, lines: vec![None; source.len()], texts: Vec::new(), is_named: false }
    }

    /// Leaves lines out behind the marker of a group, 0 for one of their own, whatever they say.
    pub fn omit(&mut self, lines: Range<usize>, reason: Reason, group: u32) {
        if let Some(lines) = self.lines.get_mut(lines) {
            lines.fill(Some(Fate::Omit { reason, group, name: 0 }));
        }
    }

    /// Leaves a line out behind the marker of a group, unless it reports a failure.
    pub fn hide(&mut self, line: usize, reason: Reason, group: u32) {
        if !signals::is_failure(self.source.line(line)) {
            self.omit(line..line + 1, reason, group);
        }
    }

    /// The same, and its marker says what the line names. A name that would end the marker keeps its line.
    pub fn name(&mut self, line: usize, reason: Reason, group: u32, name: String) {
        if name.contains(['[', ']', '\n']) || signals::is_failure(self.source.line(line)) {
            return;
        }
        self.omit(line..line + 1, reason, group);
        self.give(line, name);
    }

    /// Gives a name to the marker of a line that is left out.
    pub fn give(&mut self, line: usize, text: String) {
        if let Some(Some(Fate::Omit { name, .. })) = self.lines.get_mut(line) {
            self.texts.push(text);
            self.is_named = true;
            *name = self.texts.len() as u32;
        }
    }

    /// Shows a text in place of a line.
    pub fn replace(&mut self, line: usize, text: String, reason: Reason) {
        self.texts.push(text);
        self.lines[line] = Some(Fate::Replace { reason, text: self.texts.len() as u32 });
    }

    /// Keeps a line after all.
    pub fn keep(&mut self, line: usize) {
        if let Some(line) = self.lines.get_mut(line) {
            *line = None;
        }
    }

    /// Keeps the last line with text: the end of a report is what it came to.
    pub fn keep_last(mut self) -> Self {
        let last = (0..self.lines.len()).rev().find(|&i| !is_blank(self.source, i));
        self.lines.truncate(last.unwrap_or(self.lines.len()));
        self
    }

    /// Whether a line is kept as it is.
    pub fn keeps(&self, line: usize) -> bool {
        matches!(self.lines.get(line), None | Some(None))
    }

    /// Whether a line is not shown.
    pub fn hides(&self, line: usize) -> bool {
        matches!(self.lines.get(line), Some(Some(Fate::Omit { .. })))
    }

    /// The spans, or the reason for there being none.
    pub fn finish(mut self, blanks: Blanks) -> Result<Reduction, Reason> {
        let mut names = if self.is_named { self.markers() } else { Vec::new() };
        let mut out = Reduction::default();
        let mut i = 0;
        while i < self.lines.len() {
            let start = i;
            i += 1;
            match self.lines[start] {
                None => {}
                Some(Fate::Replace { reason, text }) => {
                    out.replace(start..i, std::mem::take(&mut self.texts[text as usize - 1]), reason);
                }
                Some(fate @ Fate::Omit { reason, group, name }) => {
                    while let Some(next) = self.next(i, fate, blanks) {
                        i = next + 1;
                    }
                    let is_after = start == 0 || is_blank(self.source, start - 1);
                    if blanks == Blanks::Behind && is_after && self.is_kept_blank(i) {
                        i += 1;
                    }
                    match names.get_mut((name as usize).wrapping_sub(1)) {
                        Some(names) => out.omit_named(start..i, reason, name, &std::mem::take(names)),
                        None => out.omit_in(start..i, reason, group),
                    }
                }
            }
        }
        if out.is_empty() { Err(Reason::NothingToDo) } else { Ok(out) }
    }

    /// The next line that is left out with those before `at`, with at most empty lines between.
    fn next(&self, at: usize, fate: Fate, blanks: Blanks) -> Option<usize> {
        let most = if blanks == Blanks::Keep { 0 } else { BLANK };
        let next = (at..at + most).find(|&i| !self.is_kept_blank(i)).unwrap_or(at + most);
        (self.lines.get(next) == Some(&Some(fate))).then_some(next)
    }

    fn is_kept_blank(&self, line: usize) -> bool {
        self.lines.get(line) == Some(&None) && is_blank(self.source, line)
    }

    /// Gives each line that is left out the number of its marker, and says what the markers name.
    fn markers(&mut self) -> Vec<String> {
        let mut markers: Vec<String> = Vec::new();
        let mut open: BTreeMap<(u32, Reason), usize> = BTreeMap::new();
        for fate in self.lines.iter_mut().flatten() {
            let Fate::Omit { reason, group, name } = fate else { continue };
            let text = self.texts.get((*name as usize).wrapping_sub(1)).map_or("", String::as_str);
            let place = open.entry((*group, *reason)).or_insert(usize::MAX);
            let is_full = |names: &String| !text.is_empty() && names.len() + text.len() > NAMES;
            if markers.get(*place).is_none_or(is_full) {
                *place = markers.len();
                markers.push(String::new());
            }
            *name = *place as u32 + 1;
            let names = &mut markers[*place];
            if !text.is_empty() && !names.is_empty() {
                names.push_str(", ");
            }
            names.push_str(text);
        }
        markers
    }
}

fn is_blank(source: &Source<'_>, line: usize) -> bool {
    source.line(line).trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::ledger::Action;

    const WHY: Reason = Reason::Progress;

    /// The spans of what `decide` leaves out of a text: their lines, and what their marker names.
    fn spans(text: &str, blanks: Blanks, decide: impl Fn(&mut Fates<'_>)) -> Vec<(Range<usize>, String)> {
        let source = Source::new(text);
        let mut fates = Fates::new(&source);
        decide(&mut fates);
        let names = |action: &Action| match action {
            Action::Omit { names, .. } => names.as_deref().unwrap_or_default().to_owned(),
            Action::Replace { text, .. } => format!("={text}"),
            _ => String::new(),
        };
        let spans = fates.finish(blanks).map(|out| out.spans).unwrap_or_default();
        spans.iter().map(|s| (s.lines.clone(), names(&s.action))).collect()
    }

    #[test]
    fn empty_lines_go_with_the_lines_around_them() {
        let text = "\na\n\n\nb\n\nc\n\n\n\nd\n";
        let lines = |blanks, groups: [u32; 4]| -> Vec<Range<usize>> {
            let decide = |fates: &mut Fates<'_>| {
                for (line, group) in [1, 4, 6, 10].into_iter().zip(groups) {
                    fates.hide(line, WHY, group);
                }
            };
            spans(text, blanks, decide).into_iter().map(|(lines, _)| lines).collect()
        };
        assert_eq!(lines(Blanks::Keep, [1; 4]), [1..2, 4..5, 6..7, 10..11]);
        assert_eq!(lines(Blanks::Between, [1; 4]), [1..7, 10..11]);
        assert_eq!(lines(Blanks::Between, [1, 1, 2, 2]), [1..5, 6..7, 10..11]);
        assert_eq!(lines(Blanks::Behind, [1; 4]), [1..8, 10..11]);
    }

    #[test]
    fn failures_the_last_line_and_what_is_kept_stay() {
        let text = "a\nfatal error: b\nc\nd\n\n";
        let all = |fates: &mut Fates<'_>| (0..4).for_each(|line| fates.hide(line, WHY, 1));
        assert_eq!(spans(text, Blanks::Keep, all), [(0..1, String::new()), (2..4, String::new())]);
        let source = Source::new(text);
        let mut fates = Fates::new(&source);
        all(&mut fates);
        fates.keep(2);
        assert!(fates.hides(0) && fates.keeps(1) && fates.keeps(2));
        let spans = fates.keep_last().finish(Blanks::Keep).map(|out| out.spans).unwrap_or_default();
        assert!(spans.len() == 1 && spans[0].lines == (0..1));
        assert!(Fates::new(&source).finish(Blanks::Behind).is_err());
    }

    #[test]
    fn names_stand_in_the_first_marker_of_their_lines() {
        let text = "a\nb\nc\nd\ne\nf\n";
        let decide = |fates: &mut Fates<'_>| {
            fates.name(0, WHY, 1, "one".into());
            fates.hide(1, WHY, 2);
            fates.name(2, WHY, 1, "two".into());
            fates.name(3, WHY, 1, "no]".into());
            fates.replace(4, "instead".into(), WHY);
            fates.omit(5..6, WHY, 2);
            fates.give(5, "late".into());
        };
        let expected = [(0..1, "one, two"), (1..2, "late"), (2..3, ""), (4..5, "=instead"), (5..6, "")];
        assert_eq!(
            spans(text, Blanks::Keep, decide),
            expected.map(|(lines, names)| (lines, names.to_owned()))
        );
    }
}
