//! The ledger: what happened to every line of the source.
//!
//! Reducers and encoders return spans over source lines, never text. Markers, the evidence and the guard all use
//! the spans, so they cannot disagree with what is shown. This file is longer than most because a change of what a
//! span means concerns every function here.

mod marks;

use std::ops::Range;
use std::sync::Arc;

use crate::stop;
use crate::text::lines::Lines;
use crate::text::maps::Map;
use crate::text::marker::{Marker, may_hold};
use crate::text::origin::Origin;
use crate::text::out::{Out, Size, WithLines};
use crate::text::reason::Reason;
pub use crate::text::reduction::Reduction;
use crate::text::source::Source;
pub use crate::text::span::{Action, Span};
use crate::text::span::{join, push_run};
use crate::tokens::Verbatim;
use marks::{Written, put_marker};

/// The largest gap, in lines, between two lines with times that gets no mark. A choice: a longer gap may hide a whole
/// episode.
const MAX_LINES_BETWEEN_TIMES: usize = 16;
/// Gaps of at most this many lines get no mark if they have only blank lines and rules.
const MAX_RULES: usize = 3;
/// The most gaps whose marks count the omitted lines. With more gaps, such marks would cost more than they are
/// worth, so each gets [`SHORT_GAP_MARK`].
pub const MAX_GAP_MARKS: usize = 64;
/// The mark of a gap if there are many.
pub const SHORT_GAP_MARK: &str = "\u{2026}";

/// The most references in one marker, for lines that follow each other but were shown by different results.
pub const MAX_REFERENCES_IN_MARKER: usize = 4;

/// The groups from here on belong to the cap, which runs last.
pub const CAP_GROUPS: u32 = u32::MAX - 16;

/// A gap in what is shown, for the evidence. Lines are numbered from 1, inclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// First and last line.
    pub lines: (usize, usize),
    /// Why the lines are not shown.
    pub reason: Reason,
    /// Lines not shown.
    pub count: usize,
    /// Bytes not shown, if the gap is inside lines.
    pub bytes: usize,
    /// The earlier output that shows the lines, and the number of the first line there.
    pub shown_by: Option<(Arc<Origin>, usize)>,
}

/// All lines of a source, each in exactly one span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger {
    spans: Vec<Span>,
    trim_line_ends: bool,
    trim_numbers: bool,
}

/// The spans of a step do not fit the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadSpans;

impl Ledger {
    /// A ledger that keeps all lines.
    pub fn new(source: &Source<'_>) -> Self {
        let all = Span { lines: 0..source.len(), action: Action::Keep };
        Self {
            spans: if source.is_empty() { Vec::new() } else { vec![all] },
            trim_line_ends: false,
            trim_numbers: false,
        }
    }

    /// The spans, which cover all lines in order.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Whether kept lines lose white space at their ends, and blanks before their line numbers.
    pub fn trims(&self) -> (bool, bool) {
        (self.trim_line_ends, self.trim_numbers)
    }

    /// What a kept line shows, without its line end.
    pub fn shown_of_kept<'s>(&self, source: &'s Source<'_>, line: usize) -> &'s str {
        let whole = source.line(line);
        let is_padded = self.trim_numbers && source.view().number(line).is_some();
        let body = if is_padded { whole.trim_start_matches(' ') } else { whole };
        if self.trim_line_ends { body.trim_end_matches([' ', '\t']) } else { body }
    }

    /// The bytes that a kept line takes, with its line end.
    pub fn bytes_of_kept(&self, source: &Source<'_>, line: usize) -> usize {
        source.raw(line).len() - source.line(line).len() + self.shown_of_kept(source, line).len()
    }

    /// The spans, for changing what they show, but not their lines.
    pub fn spans_mut(&mut self) -> impl Iterator<Item = &mut Span> {
        self.spans.iter_mut()
    }

    /// The highest group of omissions so far, apart from the groups of the cap.
    fn last_group(&self) -> u32 {
        let group = |span: &Span| match span.action {
            Action::Omit { group, .. } if group < CAP_GROUPS => group,
            _ => 0,
        };
        self.spans.iter().map(group).max().unwrap_or(0)
    }

    /// Runs of lines that no step changed.
    pub fn kept(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.spans.iter().filter(|s| s.action == Action::Keep).map(|s| s.lines.clone())
    }

    /// Applies a step to what was done before. Only kept lines may change, except that an omission, or a reference to
    /// an outline, may replace all spans that are completely inside it.
    ///
    /// # Errors
    ///
    /// The spans overlap, are not in order, end after the source, or change a line that may not change.
    pub fn apply(&self, source: &Source<'_>, mut step: Reduction) -> Result<Self, BadSpans> {
        // Each step numbers its groups from 1. They are renumbered, so that they differ from those of earlier steps,
        // and split by reason, so that lines that share a marker share a reason.
        let taken = self.last_group();
        let mut groups: Map<(u32, Reason), u32> = Map::default();
        for span in &mut step.spans {
            if let Action::Omit { group, reason, .. } = &mut span.action
                && (1..CAP_GROUPS).contains(group)
            {
                let next = taken + groups.len() as u32 + 1;
                *group = *groups.entry((*group, *reason)).or_insert(next);
            }
        }
        let mut spans: Vec<Span> = Vec::with_capacity(self.spans.len() + step.spans.len() * 2);
        let mut old = self.spans.iter().cloned().peekable();
        let mut rest: Option<Span> = None;
        let mut at = 0;
        for new in step.spans {
            if new.lines.start < at || new.lines.end > source.len() || !well_formed(&new) {
                return Err(BadSpans);
            }
            copy_until(&mut spans, &mut old, &mut rest, new.lines.start)?;
            let swallow = matches!(new.action, Action::Omit { .. } | Action::Refer { is_outline: true, .. });
            skip_until(&mut old, &mut rest, new.lines.end, swallow)?;
            at = new.lines.end;
            spans.push(new);
        }
        copy_until(&mut spans, &mut old, &mut rest, source.len())?;
        forget_names(&self.spans, &mut spans);
        join(&mut spans);
        Ok(Self {
            spans,
            trim_line_ends: self.trim_line_ends || step.trim_line_ends,
            trim_numbers: self.trim_numbers || step.trim_numbers,
        })
    }

    /// Shows hidden lines again, unchanged. `lines` must be in order.
    pub fn restore(&mut self, lines: &[usize]) {
        let mut spans = Vec::with_capacity(self.spans.len() + lines.len() * 2);
        let mut next = 0;
        for span in self.spans.drain(..) {
            stop::check_sometimes();
            next += lines[next..].partition_point(|&l| l < span.lines.start);
            let hit = lines.get(next).is_some_and(|&l| l < span.lines.end);
            match span.action {
                _ if !hit => spans.push(span),
                Action::Omit { reason, group, names } => {
                    // The names belong to all lines of the marker; for the rest, only the name of a rule stays
                    // correct.
                    let rule = names.filter(|names| reason.names_a_rule() && !names.contains(": "));
                    let action = Action::Omit { reason, group, names: rule };
                    let mut from = span.lines.start;
                    while let Some(&line) = lines.get(next).filter(|&&l| l < span.lines.end) {
                        push_run(&mut spans, from..line, &action);
                        push_run(&mut spans, line..line + 1, &Action::Keep);
                        from = line + 1;
                        next += 1;
                    }
                    push_run(&mut spans, from..span.lines.end, &action);
                }
                _ => spans.push(Span { lines: span.lines, action: Action::Keep }),
            }
        }
        join(&mut spans);
        self.spans = spans;
    }

    /// Turns omissions and repetitions that cost more than they save back into kept lines.
    pub fn restore_unprofitable(&mut self, source: &Source<'_>) {
        // Bytes of the lines that share a marker, and bytes of the names in it.
        let mut groups: Map<u32, (usize, usize)> = Map::default();
        let bytes = |lines: Range<usize>| source.byte_range(lines).len();
        let named = |names: &Option<Arc<str>>| names.as_ref().map_or(0, |names| names.len());
        for span in &self.spans {
            if let Action::Omit { group: group @ 1.., names, .. } = &span.action {
                let (lines, names_bytes) = groups.entry(*group).or_default();
                *lines += bytes(span.lines.clone());
                *names_bytes += named(names);
            }
        }
        for span in &mut self.spans {
            stop::check_sometimes();
            let (saved, names) = match &span.action {
                Action::Omit { group: 0, names, .. } => (bytes(span.lines.clone()), named(names)),
                Action::Omit { group, .. } => groups.get(group).copied().unwrap_or_default(),
                Action::Repeat { period } => (bytes(span.lines.start + period..span.lines.end), 0),
                Action::Keep | Action::Replace { .. } | Action::Refer { .. } => continue,
            };
            if saved <= MARKER_COST + names {
                span.action = Action::Keep;
            }
        }
        join(&mut self.spans);
    }

    /// Whether source line `i` is shown unchanged. Ask for lines in order, with the same `cursor`, which starts at 0.
    pub fn shows(&self, line: usize, cursor: &mut usize) -> Shown<'_> {
        while self.spans.get(*cursor).is_some_and(|s| s.lines.end <= line) {
            *cursor += 1;
        }
        match self.spans.get(*cursor) {
            None => Shown::No,
            // A repetition shows the same line in its first block. A failure line under a shared path counts as
            // replaced, since it is not shown in full.
            Some(Span { action: Action::Keep | Action::Repeat { .. }, .. }) => Shown::Yes,
            Some(Span { action: Action::Omit { .. } | Action::Refer { .. }, .. }) => Shown::No,
            Some(Span { action: Action::Replace { reason, .. }, .. })
                if reason.is_lossless() && *reason != Reason::SharedPath =>
            {
                Shown::Yes
            }
            Some(Span { action: Action::Replace { text, .. }, .. }) => Shown::In(text),
        }
    }

    /// The gaps for the evidence.
    pub fn gaps(&self, source: &Source<'_>) -> Vec<Gap> {
        let mut gaps: Vec<Gap> = Vec::new();
        for span in &self.spans {
            let lines = (source.number(span.lines.start), source.number(span.lines.end - 1));
            match &span.action {
                Action::Omit { reason, .. } => {
                    let count = span.lines.len();
                    gaps.push(Gap { lines, reason: *reason, count, bytes: 0, shown_by: None });
                }
                Action::Repeat { period } => gaps.push(Gap {
                    lines: (lines.0 + period, lines.1),
                    reason: Reason::RepeatedLines,
                    count: span.lines.len() - period,
                    bytes: 0,
                    shown_by: None,
                }),
                Action::Replace { reason, omitted_bytes, .. } if *omitted_bytes > 0 => {
                    let bytes = *omitted_bytes;
                    gaps.push(Gap { lines, reason: *reason, count: 0, bytes, shown_by: None });
                }
                Action::Refer { origin, origin_number, is_outline, .. } => gaps.push(Gap {
                    lines,
                    reason: if *is_outline { Reason::SameOutline } else { Reason::ShownBefore },
                    count: span.lines.len(),
                    bytes: 0,
                    shown_by: Some((Arc::clone(origin), *origin_number)),
                }),
                Action::Keep | Action::Replace { .. } => {}
            }
        }
        gaps
    }

    /// Adds the lines that are shown unchanged, except those that a later step changed.
    pub fn shown(&self, source: &Source<'_>, is_changed: &dyn Fn(&str) -> bool, out: &mut Lines) {
        let view = source.view();
        for span in &self.spans {
            let lines = match span.action {
                Action::Keep => span.lines.clone(),
                Action::Repeat { period } => span.lines.start..span.lines.start + period,
                _ => continue,
            };
            for i in lines.filter(|&i| !is_changed(source.line(i))) {
                let text = view.text(source.raw(i), i);
                // Removing blanks before a `\r` would need a copy of the line, so such lines are skipped.
                match text.strip_suffix('\r') {
                    _ if !self.trim_line_ends => out.push(source, view, i, text),
                    None => out.push(source, view, i, text.trim_end_matches([' ', '\t'])),
                    Some(body) if !body.ends_with([' ', '\t']) => out.push(source, view, i, text),
                    Some(_) => {}
                }
            }
        }
    }

    /// The text that the ledger shows, with markers, without a seal.
    pub fn render(&self, source: &Source<'_>, handle: Option<&str>) -> String {
        let mut out = String::with_capacity(source.text().len().min(1 << 20));
        self.write(source, handle, &mut out);
        if !source.text().ends_with('\n') && out.ends_with('\n') {
            out.pop();
        }
        out
    }

    /// [`Ledger::render`], and which of its lines are the source's own.
    pub fn render_with_lines(&self, source: &Source<'_>, handle: Option<&str>) -> (String, Vec<Verbatim>) {
        let text = String::with_capacity(source.text().len().min(1 << 20));
        let mut out = WithLines { text, verbatim: Vec::new() };
        self.write(source, handle, &mut out);
        let WithLines { mut text, verbatim } = out;
        if !source.text().ends_with('\n') && text.ends_with('\n') {
            text.pop();
        }
        (text, verbatim)
    }

    /// The size of the text of `render` in bytes, without writing it.
    pub fn size(&self, source: &Source<'_>, handle: Option<&str>) -> usize {
        let is_kept = matches!(self.spans.as_slice(), [Span { action: Action::Keep, .. }]);
        if is_kept && !self.trim_line_ends && !self.trim_numbers {
            return source.text().len();
        }
        let mut out = Size::default();
        self.write(source, handle, &mut out);
        out.bytes - usize::from(!source.text().ends_with('\n') && out.ends_line())
    }

    fn write(&self, source: &Source<'_>, handle: Option<&str>, out: &mut impl Out) {
        let mut written = Written::new(self, source);
        for (at, span) in self.spans.iter().enumerate() {
            stop::check_sometimes();
            match &span.action {
                Action::Keep => self.write_lines(source, span.lines.clone(), out),
                Action::Replace { text, .. } => {
                    if may_hold(text) {
                        written.last_reason = None;
                    }
                    out.put(text);
                    out.put("\n");
                }
                Action::Repeat { period } => {
                    let first = span.lines.start + period;
                    self.write_lines(source, span.lines.start..first, out);
                    let times = (span.lines.end - first) / period;
                    let (first, last) = source.numbers(&(first..span.lines.end));
                    put_marker(out, &Marker::Repeats { period: *period, times, first, last });
                }
                Action::Refer { .. } => written.refer(at, source, span, out),
                Action::Omit { group, .. } => match written.of_group(*group, &span.lines) {
                    Some(hidden) => written.omit(source, span, hidden, handle, out),
                    None => written.further_gap(at, span, out),
                },
            }
        }
    }

    fn write_lines(&self, source: &Source<'_>, lines: Range<usize>, out: &mut impl Out) {
        let mut from = lines.start;
        if self.trim_line_ends || self.trim_numbers {
            for i in lines.clone() {
                let whole = source.line(i);
                let body = self.shown_of_kept(source, i);
                if body.len() < whole.len() {
                    out.put_lines(source, from..i);
                    out.put(body);
                    out.put(source.raw(i).get(whole.len()..).unwrap_or_default());
                    from = i + 1;
                }
            }
        }
        out.put_lines(source, from..lines.end);
        if !lines.is_empty() && !out.ends_line() {
            out.put("\n");
        }
    }
}

/// Whether a source line is visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown<'a> {
    /// Yes, unchanged.
    Yes,
    /// No.
    No,
    /// Perhaps as part of this text.
    In(&'a str),
}

/// The approximate bytes of a marker with its line end and check.
pub const MARKER_COST: usize = 64;

fn well_formed(span: &Span) -> bool {
    let len = span.lines.len();
    match &span.action {
        Action::Repeat { period } => *period > 0 && len > *period && len.is_multiple_of(*period),
        _ => len > 0,
    }
}

/// Copies the old spans up to line `end`; only kept spans may be cut.
fn copy_until(
    out: &mut Vec<Span>,
    old: &mut impl Iterator<Item = Span>,
    rest: &mut Option<Span>,
    end: usize,
) -> Result<(), BadSpans> {
    walk(old, rest, end, |span| {
        out.push(span);
        Ok(())
    })
}

/// Drops the old spans up to line `end`; spans that are not kept lines only if `swallow`.
fn skip_until(
    old: &mut impl Iterator<Item = Span>,
    rest: &mut Option<Span>,
    end: usize,
    swallow: bool,
) -> Result<(), BadSpans> {
    walk(old, rest, end, |span| if swallow || span.action == Action::Keep { Ok(()) } else { Err(BadSpans) })
}

fn walk(
    old: &mut impl Iterator<Item = Span>,
    rest: &mut Option<Span>,
    end: usize,
    mut take: impl FnMut(Span) -> Result<(), BadSpans>,
) -> Result<(), BadSpans> {
    while let Some(span) = rest.take().or_else(|| old.next()) {
        stop::check_sometimes();
        if span.lines.start >= end {
            *rest = Some(span);
            return Ok(());
        }
        if span.lines.end <= end {
            take(span)?;
            continue;
        }
        if span.action != Action::Keep && !matches!(span.action, Action::Omit { .. }) {
            return Err(BadSpans);
        }
        take(Span { lines: span.lines.start..end, action: span.action.clone() })?;
        *rest = Some(Span { lines: end..span.lines.end, action: span.action });
        return Ok(());
    }
    Ok(())
}

/// Removes the names from groups that lost lines to other omissions: they would no longer fit the remaining lines.
fn forget_names(before: &[Span], after: &mut [Span]) {
    let count = |spans: &[Span]| {
        let mut lines: Map<u32, usize> = Map::default();
        for span in spans {
            if let Action::Omit { group: group @ 1..CAP_GROUPS, .. } = span.action {
                *lines.entry(group).or_default() += span.lines.len();
            }
        }
        lines
    };
    let named = |span: &Span| matches!(span.action, Action::Omit { group: 1.., names: Some(_), .. });
    if !before.iter().any(named) {
        return;
    }
    let (old, new) = (count(before), count(after));
    for span in after {
        if let Action::Omit { group, names, reason } = &mut span.action
            && old.get(group).is_some_and(|lines| new.get(group) < Some(lines))
        {
            names.take_if(|names| !reason.names_kinds() && (!reason.names_a_rule() || names.contains(": ")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marker::Ago;

    #[test]
    fn between_times_only_a_long_gap_is_marked() {
        let gaps = |text: &str| {
            let source = Source::new(text);
            let mut ledger = Ledger::new(&source);
            let kept = |lines| Span { lines, action: Action::Keep };
            let gone = |lines| Span {
                lines,
                action: Action::Omit { reason: Reason::HeadTail, group: CAP_GROUPS, names: None },
            };
            let (short, long) = (10 + MAX_LINES_BETWEEN_TIMES, 50);
            ledger.spans = vec![
                kept(0..2),
                gone(2..4),
                kept(4..10),
                gone(10..short),
                kept(short..short + 2),
                gone(short + 2..long),
                kept(long..60),
            ];
            let out = ledger.render(&source, None);
            out.lines()
                .filter_map(|line| Some(line.strip_suffix(" omitted here]")?.to_owned()))
                .collect::<Vec<_>>()
        };
        let text = |front: &dyn Fn(usize) -> String| {
            (0..60).map(|i| format!("{}line {i}\n", front(i))).collect::<String>()
        };
        assert_eq!(gaps(&text(&|_| String::new())), ["[tersed: 16", "[tersed: 22"]);
        let irregular = |i: usize| 15 * 60 + i * 7 + i * i % 5;
        let time = |second: usize| format!("08:{:02}:{:02} ", second / 60, second % 60);
        assert_eq!(gaps(&text(&|i| time(irregular(i)))), ["[tersed: 22"]);
        // At equal intervals, missing lines would look like an outage, also if a restart shifts them.
        assert_eq!(gaps(&text(&|i| time(i * 20))), ["[tersed: 16", "[tersed: 22"]);
        assert_eq!(gaps(&text(&|i| time(i * 20 + i / 14 * 9))), ["[tersed: 16", "[tersed: 22"]);
        // Lines of one second would seem to follow each other.
        assert_eq!(gaps(&text(&|_| "08:15:02 ".to_owned())), ["[tersed: 16", "[tersed: 22"]);
        assert_eq!(gaps(&text(&|i| format!("{i}: "))), [""; 0]);
        // Times that fall, and a line without one between: the head of another table.
        assert_eq!(gaps(&text(&|i| format!("  took 00:00:{:02} ", 59 - i))), ["[tersed: 16", "[tersed: 22"]);
        let headed = |i: usize| if i == 15 { String::new() } else { format!("08:15:{i:02} ") };
        assert_eq!(gaps(&text(&headed)), ["[tersed: 16", "[tersed: 22"]);
        // Numbers of things that have several lines each, and rows that look like those of one table.
        assert_eq!(gaps(&text(&|i| format!("{}: ", i / 3))), ["[tersed: 16", "[tersed: 22"]);
        assert_eq!(gaps(&text(&|i| format!("{i}→| "))), ["[tersed: 16", "[tersed: 22"]);
    }

    #[test]
    fn below_lines_that_another_step_left_out_a_gap_is_marked() {
        let text: String = (0..40).map(|i| format!("line {i}\n")).collect();
        let source = Source::new(&text);
        let mut ledger = Ledger::new(&source);
        let kept = |lines| Span { lines, action: Action::Keep };
        let gone = |lines, group, reason| Span { lines, action: Action::Omit { reason, group, names: None } };
        ledger.spans = vec![
            gone(0..2, 1, Reason::Defaults),
            kept(2..4),
            gone(4..9, CAP_GROUPS, Reason::HeadTail),
            kept(9..12),
            gone(12..14, 1, Reason::Defaults),
            gone(14..20, CAP_GROUPS, Reason::HeadTail),
            kept(20..40),
        ];
        let out = ledger.render(&source, None);
        assert!(out.contains("line 11\n[tersed: 6 omitted here]\nline 20\n"), "{out}");
        // The first marker says that its number includes the others, unless their gaps have no number.
        assert!(out.contains("[tersed: omitted 11 in all of lines 5-20, head_tail]\n"), "{out}");
    }

    #[test]
    fn records_of_a_log_between_which_others_are_gone_are_no_neighbours() {
        let text: String = (0..40).map(|i| format!("watching {i}\n")).collect();
        let source = Source::new(&text);
        let out = |reason| {
            let kept = |lines| Span { lines, action: Action::Keep };
            let gone = |lines, group| Span { lines, action: Action::Omit { reason, group, names: None } };
            let mut ledger = Ledger::new(&source);
            ledger.spans =
                vec![gone(0..5, 1), kept(5..6), gone(6..16, 1), kept(16..17), gone(17..30, 2), kept(30..40)];
            ledger.render(&source, None)
        };
        let shown = out(Reason::LogForm);
        assert!(shown.contains("watching 5\n[tersed: 10 omitted here]\nwatching 16\n"), "{shown}");
        assert_eq!(shown.matches("omitted here").count(), 1, "{shown}");
        assert!(!out(Reason::Progress).contains("here"));
        let shown = out(Reason::OlderCommits);
        assert!(shown.contains("watching 5\n…\nwatching 16\n") && !shown.contains("here"), "{shown}");
    }

    #[test]
    fn there_is_only_what_the_reference_before_names() {
        let origin = |call: &str, label: &str| {
            let label = Some(label.to_owned());
            Arc::new(Origin { call: call.to_owned(), tool: "read".to_owned(), argument: None, label })
        };
        let (a, b) = (origin("c1", "a.rs"), origin("c2", "b.rs"));
        let text: String = (0..10).map(|i| format!("line {i}\n")).collect();
        let source = Source::new(&text);
        let mut ledger = Ledger::new(&source);
        ledger.spans = [&a, &a, &a, &b, &a]
            .iter()
            .enumerate()
            .map(|(i, origin)| Span {
                lines: i * 2..i * 2 + 2,
                action: Action::Refer {
                    origin: Arc::clone(origin),
                    origin_number: i * 2 + 1,
                    view_number: i * 2 + 1,
                    ago: Ago::Results(3),
                    shows_id: true,
                    is_outline: false,
                },
            })
            .collect();
        assert_eq!(
            ledger.render(&source, None).lines().collect::<Vec<_>>(),
            [
                "[tersed: lines 1-2 as in c1 (read; a.rs, 3 results ago), lines 3-4 as in c1 (read; 3 results ago), \
                 lines 5-6 as in c1 (read; 3 results ago), lines 7-8 as in c2 (read; b.rs, 3 results ago)]",
                "[tersed: lines 9-10 as in c1 (read); a.rs, 3 results ago]",
            ]
        );
    }
}
