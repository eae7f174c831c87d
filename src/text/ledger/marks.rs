//! What the markers of a ledger say, and which gaps of a cut get a mark of their own.

use std::iter::Peekable;
use std::ops::Range;
use std::vec;

use super::{
    CAP_GROUPS, Ledger, MAX_GAP_MARKS, MAX_LINES_BETWEEN_TIMES, MAX_REFERENCES_IN_MARKER, MAX_RULES,
    SHORT_GAP_MARK,
};
use crate::text::line_position::{HALF_DAY, LinePosition, clock, numbered, place, second_of_day};
use crate::text::maps::{Map, Set};
use crate::text::marker::{Ago, Marker, Naming};
use crate::text::origin::Origin;
use crate::text::out::Out;
use crate::text::reason::Reason;
use crate::text::source::Source;
use crate::text::span::{Action, Span};

/// The fewest equal intervals that make lines samples; fewer may be equal by chance. A choice.
const MIN_EQUAL_INTERVALS: usize = 4;
/// Intervals between samples may differ by the first interval divided by this: a loaded machine takes some samples
/// late. A choice.
const SAMPLES_DIFFER_ONE_IN: u32 = 10;
/// Intervals of at least this many seconds may differ by one second, because times are rounded.
const MIN_SLIPPING_SECONDS: u32 = 5;
/// At most 1 other interval is allowed for this many equal ones, since a restart shifts the samples. A choice.
const OTHER_INTERVALS_ONE_IN: usize = 3;

impl Ledger {
    /// Indexes of the gaps that need a short mark, so that a reader does not take the lines around them for neighbours.
    /// Only gaps of a cut, between records of a log and between commits, after the first gap of their marker, may need
    /// one: what other steps leave out, such as progress, nobody misses in its place.
    pub fn gap_marks(&self, source: &Source<'_>) -> Vec<usize> {
        let mut seen = [false; (u32::MAX - CAP_GROUPS) as usize + 1];
        // Gaps of a log with the same marker follow each other.
        let mut last_of_log = None;
        let mut marked = Vec::new();
        // Whether a gap of a cut with a marker or mark stands directly above.
        let mut is_below_mark = false;
        for (at, span) in self.spans.iter().enumerate() {
            let is_further = match span.action {
                Action::Omit { group: group @ CAP_GROUPS.., .. } => {
                    std::mem::replace(&mut seen[(group - CAP_GROUPS) as usize], true)
                }
                Action::Omit {
                    group: group @ 1.., reason: Reason::LogForm | Reason::OlderCommits, ..
                } => last_of_log.replace(group) == Some(group),
                _ => {
                    is_below_mark = false;
                    continue;
                }
            };
            let is_marked = is_further && !is_below_mark && self.needs_mark(source, at);
            if is_marked {
                marked.push(at);
            }
            is_below_mark |= is_marked || !is_further;
        }
        marked
    }

    /// Indexes of the references that the marker of the reference directly before them names too.
    pub fn joined_references(&self) -> Vec<usize> {
        let mut joined = Vec::new();
        let mut in_marker = 0;
        for (at, span) in self.spans.iter().enumerate() {
            in_marker = match span.action {
                Action::Refer { is_outline: false, .. } => 1 + in_marker % MAX_REFERENCES_IN_MARKER,
                _ => 0,
            };
            if in_marker > 1 {
                joined.push(at);
            }
        }
        joined
    }

    /// The number of hidden lines of each group.
    pub fn hidden_in_groups(&self) -> Map<u32, usize> {
        self.group_ranges().into_iter().map(|(group, (count, ..))| (group, count)).collect()
    }

    /// For each group: the number of hidden lines, and the first and last line of the group, from 0.
    fn group_ranges(&self) -> Map<u32, Hidden> {
        let mut groups = Map::default();
        for span in &self.spans {
            if let Action::Omit { group: group @ 1.., .. } = span.action {
                let (count, _, last) = groups.entry(group).or_insert((0, span.lines.start, 0));
                *count += span.lines.len();
                *last = span.lines.end - 1;
            }
        }
        groups
    }

    /// Whether a reader could overlook a gap: the lines around it show no line numbers or times.
    fn needs_mark(&self, source: &Source<'_>, at: usize) -> bool {
        let Some(Span { lines, action: Action::Omit { reason, .. } }) = self.spans.get(at) else {
            return false;
        };
        // Under a budget, a mark would take the tokens of a failure line.
        if matches!(reason, Reason::Budget | Reason::Externalized) {
            return false;
        }
        // A gap with only blank lines and rules needs no mark.
        let says =
            |line: usize| source.line(line).bytes().any(|b| b.is_ascii_alphanumeric() || !b.is_ascii());
        if lines.len() <= MAX_RULES && !lines.clone().any(says) {
            return false;
        }
        let is_kept = |span: Option<&Span>| span.is_some_and(|span| span.action == Action::Keep);
        let before = at.checked_sub(1).and_then(|before| self.spans.get(before));
        let is_evident = is_kept(before) && is_kept(self.spans.get(at + 1)) && is_evident(source, lines);
        !is_evident
    }
}

/// Whether the marks of further gaps have no number. In a list of commits a number is not worth its tokens: there are
/// many gaps, and each hidden line is a commit.
fn has_short_marks(reason: Reason) -> bool {
    reason == Reason::OlderCommits
}

/// Whether the lines around a gap show by themselves that some are missing.
fn is_evident(source: &Source<'_>, lines: &Range<usize>) -> bool {
    let (before, hidden, after) = (source.line(lines.start - 1), lines.len(), source.line(lines.end));
    match place(before).min(place(after)) {
        LinePosition::Number => match (numbered(before), numbered(after)) {
            (Some((first, above)), Some((last, below))) => {
                // Fewer numbers than lines: they do not count lines. A reader may take two rows for one table.
                let are_rows = above.trim_start().starts_with('|') && below.trim_start().starts_with('|');
                last.saturating_sub(first) > hidden && !are_rows
            }
            _ => true,
        },
        // Lines with the same second would seem to follow each other.
        LinePosition::Time => {
            let rises = clock(before) < clock(after);
            rises
                && hidden <= MAX_LINES_BETWEEN_TIMES
                && is_one_log(source, lines)
                && !are_samples(source, lines)
        }
        LinePosition::Unknown => false,
    }
}

/// Whether the lines of a gap and those around it are records of one log: their times do not decrease, and each line
/// has a time or belongs to the record above it. Otherwise, as below the heading of another table or in a list of
/// durations, the times do not show that lines are missing.
fn is_one_log(source: &Source<'_>, lines: &Range<usize>) -> bool {
    let mut last = clock(source.line(lines.start - 1));
    (lines.start..=lines.end).all(|i| {
        let line = source.line(i);
        let now = clock(line);
        let rises = now.is_some() && now >= last;
        last = if rises { now } else { last };
        rises || i < lines.end && line.starts_with([' ', '\t']) && !line.trim().is_empty()
    })
}

/// Whether the lines of a gap and those around it are samples, taken at equal intervals. Without a mark, a reader
/// would think that no samples were taken there, as during an outage.
fn are_samples(source: &Source<'_>, lines: &Range<usize>) -> bool {
    let times = lines.start.saturating_sub(2)..(lines.end + 2).min(source.len());
    let mut seconds = times.filter_map(|i| Some(second_of_day(source.line(i))? % HALF_DAY));
    let Some(mut last) = seconds.next() else { return false };
    let mut intervals = seconds.map(|now| {
        let interval = (now + HALF_DAY - last) % HALF_DAY;
        last = now;
        interval
    });
    let Some(first) = intervals.next() else { return false };
    let differs = (first / SAMPLES_DIFFER_ONE_IN).max(u32::from(first >= MIN_SLIPPING_SECONDS));
    let (alike, others) = intervals.fold((1, 0), |(alike, others), interval| {
        let is_alike = interval > 0 && interval.abs_diff(first) <= differs;
        if is_alike { (alike + 1, others) } else { (alike, others + 1) }
    });
    first > 0 && alike >= MIN_EQUAL_INTERVALS && others * OTHER_INTERVALS_ONE_IN <= alike
}

/// The number of lines that a marker hides, and the first and last of its lines, from 0.
type Hidden = (usize, usize, usize);

/// What the markers written so far say: those that follow do not repeat it.
pub(super) struct Written<'a> {
    /// The groups whose marker is not written yet.
    groups: Map<u32, Hidden>,
    /// The groups whose further gaps have a mark with their number of lines.
    summed: Set<u32>,
    /// The spans whose gaps get a mark.
    marked: Peekable<vec::IntoIter<usize>>,
    /// Whether there are more of these than `MAX_GAP_MARKS`, so that their marks are short.
    are_many: bool,
    /// The origin of the reference directly above: if it is the same, a reference is shortened to "there".
    named: Option<(&'a Origin, Ago)>,
    /// The references that share a marker with the one before them.
    joined: Vec<usize>,
    /// The references of the current marker so far.
    references: Vec<Marker>,
    /// The reason of the last marker. If bodies of a file follow each other, only the first marker has the reason;
    /// other reasons are always written.
    pub(super) last_reason: Option<Reason>,
}

impl<'a> Written<'a> {
    pub(super) fn new(ledger: &Ledger, source: &Source<'_>) -> Self {
        let marked = ledger.gap_marks(source);
        let are_many = marked.len() > MAX_GAP_MARKS;
        let group = |at: &usize| match ledger.spans[*at].action {
            Action::Omit { group, reason, .. } if !are_many && !has_short_marks(reason) => Some(group),
            _ => None,
        };
        let summed = marked.iter().filter_map(group).collect();
        let marked = marked.into_iter().peekable();
        Self {
            groups: ledger.group_ranges(),
            summed,
            marked,
            are_many,
            named: None,
            joined: ledger.joined_references(),
            references: Vec::new(),
            last_reason: None,
        }
    }

    /// Adds the reference of a span to the current marker, and writes the marker if no other reference follows in it.
    pub(super) fn refer(&mut self, at: usize, source: &Source<'_>, span: &'a Span, out: &mut impl Out) {
        let Action::Refer { origin, view_number, ago, shows_id, is_outline, .. } = &span.action else {
            return;
        };
        // In a marker of several references each names its origin.
        let is_joined = [at, at + 1].iter().any(|at| self.joined.binary_search(at).is_ok());
        let naming = match shows_id {
            _ if self.named.take() == Some((&**origin, *ago)) && !is_joined => Naming::AsBefore,
            true => Naming::Id,
            false => Naming::NoId,
        };
        let is_named = naming != Naming::AsBefore && !is_outline && !is_joined;
        self.named = is_named.then_some((&**origin, *ago));
        if *is_outline {
            self.last_reason = None;
        }
        let marker = match is_outline {
            true => origin.outline_marker(source, &span.lines, *ago, *shows_id),
            false => origin.marker(source, &span.lines, *view_number, *ago, naming),
        };
        self.references.push(marker);
        if self.joined.binary_search(&(at + 1)).is_err() {
            put_marker(out, &Marker::joined(std::mem::take(&mut self.references)));
        }
    }

    /// The lines of the marker for an omission. The first span of a group takes those of the whole group, so that the
    /// others get `None`.
    pub(super) fn of_group(&mut self, group: u32, lines: &Range<usize>) -> Option<Hidden> {
        match group {
            0 => Some((lines.len(), lines.start, lines.end - 1)),
            group => self.groups.remove(&group),
        }
    }

    /// Writes the marker of an omission.
    pub(super) fn omit(
        &mut self,
        source: &Source<'_>,
        span: &Span,
        (count, first, last): Hidden,
        handle: Option<&str>,
        out: &mut impl Out,
    ) {
        let Action::Omit { reason, group, names } = &span.action else { return };
        let is_sum = self.summed.contains(group);
        let (first, last) = source.numbers(&(first..last + 1));
        let is_repeated = self.last_reason.replace(*reason) == Some(*reason) && *reason == Reason::FileBody;
        let reason = (!is_repeated).then(|| reason.code().to_owned());
        let id = handle.filter(|_| !is_repeated).map(str::to_owned);
        let names = names.as_deref().map(str::to_owned);
        put_marker(out, &Marker::Lines { count, first, last, is_sum, reason, id, names });
    }

    /// Writes the mark of a further gap of a marker, if it gets one.
    pub(super) fn further_gap(&mut self, at: usize, span: &Span, out: &mut impl Out) {
        if self.marked.next_if_eq(&at).is_none() {
            return;
        }
        let is_short = matches!(span.action, Action::Omit { reason, .. } if has_short_marks(reason));
        if self.are_many || is_short {
            out.put(SHORT_GAP_MARK);
            out.put("\n");
            return;
        }
        let is_merged = matches!(span.action, Action::Omit { reason: Reason::SharedMessage, .. });
        put_marker(out, &Marker::Gap { count: span.lines.len(), is_merged });
    }
}

/// Writes a marker as a line.
pub(super) fn put_marker(out: &mut impl Out, marker: &Marker) {
    out.put(&marker.write());
    out.put("\n");
}
