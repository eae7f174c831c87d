//! Collects what to do with each line of an output: a reducer decides about lines in any order, and the decisions
//! are joined into spans at the end.
//!
//! Lines of one reason and one group share a marker. A marker lists the names that its lines give, up to
//! [`MAX_NAMES_BYTES`] bytes; further names are in the next marker. This module makes no decisions itself.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// Most bytes of names in one marker. A choice: a later cut can then remove one marker without losing all names.
pub const MAX_NAMES_BYTES: usize = 4096;
/// Most empty lines that are left out with the omitted lines around them. A choice: more separate two outputs.
const MAX_BLANK_LINES: usize = 2;

/// Which empty lines are left out with the lines around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blanks {
    /// None.
    Keep,
    /// Those between two lines that share a marker.
    Between,
    /// Those of `Between`, and one empty line after a gap that also has one before it.
    Behind,
}

/// What to do with one line. `name` and `text` are numbers of texts, from 1; 0 means no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineAction {
    Omit { reason: Reason, group: u32, name: u32 },
    Replace { reason: Reason, text: u32 },
}

/// What to do with each line.
#[derive(Debug)]
pub struct LineActions<'a> {
    source: &'a Source<'a>,
    /// `None`: the line is kept.
    lines: Vec<Option<LineAction>>,
    /// Names that lines add to their marker, and texts that are shown in place of lines.
    texts: Vec<String>,
    is_named: bool,
}

impl<'a> LineActions<'a> {
    /// All lines are kept.
    pub fn new(source: &'a Source<'a>) -> Self {
        Self { source, lines: vec![None; source.len()], texts: Vec::new(), is_named: false }
    }

    /// Leaves lines out under the marker of a group, even if they report a failure. 0 is a marker of their own.
    pub fn omit(&mut self, lines: Range<usize>, reason: Reason, group: u32) {
        if let Some(lines) = self.lines.get_mut(lines) {
            lines.fill(Some(LineAction::Omit { reason, group, name: 0 }));
        }
    }

    /// Leaves one line out, unless it reports a failure.
    pub fn omit_unless_failure(&mut self, line: usize, reason: Reason, group: u32) {
        if !signals::is_failure(self.source.line(line)) {
            self.omit(line..line + 1, reason, group);
        }
    }

    /// Leaves one line out, unless it reports a failure; its marker lists `name`. A line whose name would end
    /// the marker is kept.
    pub fn omit_naming(&mut self, line: usize, reason: Reason, group: u32, name: String) {
        if name.contains(['[', ']', '\n']) || signals::is_failure(self.source.line(line)) {
            return;
        }
        self.omit(line..line + 1, reason, group);
        self.set_name(line, name);
    }

    /// Sets the name that the marker of an omitted line lists.
    pub fn set_name(&mut self, line: usize, text: String) {
        if let Some(Some(LineAction::Omit { name, .. })) = self.lines.get_mut(line) {
            self.texts.push(text);
            self.is_named = true;
            *name = self.texts.len() as u32;
        }
    }

    /// Shows a text in place of a line.
    pub fn replace(&mut self, line: usize, text: String, reason: Reason) {
        self.texts.push(text);
        self.lines[line] = Some(LineAction::Replace { reason, text: self.texts.len() as u32 });
    }

    /// Keeps a line after all.
    pub fn keep(&mut self, line: usize) {
        if let Some(line) = self.lines.get_mut(line) {
            *line = None;
        }
    }

    /// Keeps the last line with text, which holds the result of a report.
    pub fn keep_last(mut self) -> Self {
        let last = (0..self.lines.len()).rev().find(|&i| !is_blank(self.source, i));
        self.lines.truncate(last.unwrap_or(self.lines.len()));
        self
    }

    /// Whether a line is kept as it is.
    pub fn is_kept(&self, line: usize) -> bool {
        matches!(self.lines.get(line), None | Some(None))
    }

    /// Whether a line is not shown.
    pub fn is_omitted(&self, line: usize) -> bool {
        matches!(self.lines.get(line), Some(Some(LineAction::Omit { .. })))
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
                Some(LineAction::Replace { reason, text }) => {
                    out.replace(start..i, std::mem::take(&mut self.texts[text as usize - 1]), reason);
                }
                Some(action @ LineAction::Omit { reason, group, name }) => {
                    while let Some(next) = self.next(i, action, blanks) {
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
        out.unless_empty()
    }

    /// The next line that can be left out together with the lines before `at`, with nothing but a few empty
    /// lines between.
    fn next(&self, at: usize, action: LineAction, blanks: Blanks) -> Option<usize> {
        let most = if blanks == Blanks::Keep { 0 } else { MAX_BLANK_LINES };
        let next = (at..at + most).find(|&i| !self.is_kept_blank(i)).unwrap_or(at + most);
        (self.lines.get(next) == Some(&Some(action))).then_some(next)
    }

    fn is_kept_blank(&self, line: usize) -> bool {
        self.lines.get(line) == Some(&None) && is_blank(self.source, line)
    }

    /// Assigns the number of its marker to each line that is left out, and returns the names in each marker.
    fn markers(&mut self) -> Vec<String> {
        let mut markers: Vec<String> = Vec::new();
        let mut open: BTreeMap<(u32, Reason), usize> = BTreeMap::new();
        for action in self.lines.iter_mut().flatten() {
            let LineAction::Omit { reason, group, name } = action else { continue };
            let text = self.texts.get((*name as usize).wrapping_sub(1)).map_or("", String::as_str);
            let place = open.entry((*group, *reason)).or_insert(usize::MAX);
            let is_full = |names: &String| !text.is_empty() && names.len() + text.len() > MAX_NAMES_BYTES;
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
    fn spans(
        text: &str,
        blanks: Blanks,
        decide: impl Fn(&mut LineActions<'_>),
    ) -> Vec<(Range<usize>, String)> {
        let source = Source::new(text);
        let mut actions = LineActions::new(&source);
        decide(&mut actions);
        let names = |action: &Action| match action {
            Action::Omit { names, .. } => names.as_deref().unwrap_or_default().to_owned(),
            Action::Replace { text, .. } => format!("={text}"),
            _ => String::new(),
        };
        let spans = actions.finish(blanks).map(|out| out.spans).unwrap_or_default();
        spans.iter().map(|s| (s.lines.clone(), names(&s.action))).collect()
    }

    #[test]
    fn empty_lines_go_with_the_lines_around_them() {
        let text = "\na\n\n\nb\n\nc\n\n\n\nd\n";
        let lines = |blanks, groups: [u32; 4]| -> Vec<Range<usize>> {
            let decide = |actions: &mut LineActions<'_>| {
                for (line, group) in [1, 4, 6, 10].into_iter().zip(groups) {
                    actions.omit_unless_failure(line, WHY, group);
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
        let all =
            |actions: &mut LineActions<'_>| (0..4).for_each(|line| actions.omit_unless_failure(line, WHY, 1));
        assert_eq!(spans(text, Blanks::Keep, all), [(0..1, String::new()), (2..4, String::new())]);
        let source = Source::new(text);
        let mut actions = LineActions::new(&source);
        all(&mut actions);
        actions.keep(2);
        assert!(actions.is_omitted(0) && actions.is_kept(1) && actions.is_kept(2));
        let spans = actions.keep_last().finish(Blanks::Keep).map(|out| out.spans).unwrap_or_default();
        assert!(spans.len() == 1 && spans[0].lines == (0..1));
        assert!(LineActions::new(&source).finish(Blanks::Behind).is_err());
    }

    #[test]
    fn names_stand_in_the_first_marker_of_their_lines() {
        let text = "a\nb\nc\nd\ne\nf\n";
        let decide = |actions: &mut LineActions<'_>| {
            actions.omit_naming(0, WHY, 1, "one".into());
            actions.omit_unless_failure(1, WHY, 2);
            actions.omit_naming(2, WHY, 1, "two".into());
            actions.omit_naming(3, WHY, 1, "no]".into());
            actions.replace(4, "instead".into(), WHY);
            actions.omit(5..6, WHY, 2);
            actions.set_name(5, "late".into());
        };
        let expected = [(0..1, "one, two"), (1..2, "late"), (2..3, ""), (4..5, "=instead"), (5..6, "")];
        assert_eq!(
            spans(text, Blanks::Keep, decide),
            expected.map(|(lines, names)| (lines, names.to_owned()))
        );
    }
}
