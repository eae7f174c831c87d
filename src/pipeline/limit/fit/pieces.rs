//! The pieces of a text that a cut keeps or drops as a whole, and which of them come first.

use std::collections::HashSet;
use std::ops::Range;

use crate::pipeline::guard;
use crate::pipeline::limit::rank;
use crate::text::details;
use crate::text::ledger::{Action, CAP_GROUPS, Ledger};
use crate::text::marker::Marker;
use crate::text::source::Source;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A line, unchanged.
    Line,
    /// A text that replaces lines.
    Text,
    /// A block that is repeated.
    Block,
    /// A marker of another step, which may be kept.
    Mark,
    /// A marker of an earlier cut, which becomes part of this one.
    Cut,
}

/// A visible piece that is kept or dropped as a whole.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    pub(super) lines: Range<usize>,
    pub(super) kind: Kind,
    /// Tokens, once counted.
    pub(super) cost: Option<usize>,
}

/// The visible pieces in order: kept lines one by one, everything else span by span.
pub(super) fn units(source: &Source<'_>, ledger: &Ledger) -> Vec<Unit> {
    let mut units = Vec::new();
    for span in ledger.spans() {
        let kind = match &span.action {
            Action::Keep => {
                units.extend(span.lines.clone().map(|i| {
                    let line = source.line(i);
                    let is_marker = line.starts_with('[') && Marker::parse(line).is_some();
                    let kind = if is_marker { Kind::Cut } else { Kind::Line };
                    Unit { lines: i..i + 1, kind, cost: None }
                }));
                continue;
            }
            Action::Replace { .. } => Kind::Text,
            Action::Repeat { .. } => Kind::Block,
            Action::Omit { group, .. } if *group >= CAP_GROUPS => Kind::Cut,
            Action::Omit { .. } | Action::Refer { .. } => Kind::Mark,
        };
        units.push(Unit { lines: span.lines.clone(), kind, cost: None });
    }
    units
}

/// Units with failures, with totals, and with details of the failures; each unit once. A failure is looked up where
/// its text is shown, which may be an earlier equal line.
pub(super) fn priority_units(
    source: &Source<'_>,
    ledger: &Ledger,
    units: &[Unit],
    signals: &[usize],
    is_report: bool,
) -> [Vec<usize>; 3] {
    let texts = guard::shown(source, ledger, signals);
    let (totals, details) = match is_report {
        true => (details::with_totals(source, &texts), details::with_details(source, &texts)),
        false => (Vec::new(), Vec::new()),
    };
    let mut first = match is_report {
        true => rank::with_frames(source, &texts),
        false => texts,
    };
    first.sort_by_cached_key(|&line| rank::is_unspecific(source.line(line)));
    let texts = first;
    let mut taken = HashSet::new();
    [texts, totals, details].map(|lines| {
        let of_line = |line: usize| units.partition_point(|u| u.lines.end <= line);
        let is_shown =
            |unit: &usize| units.get(*unit).is_some_and(|unit| !matches!(unit.kind, Kind::Mark | Kind::Cut));
        lines.into_iter().map(of_line).filter(is_shown).filter(|unit| taken.insert(*unit)).collect()
    })
}
