//! The byte cap: keeps head, tail, failure lines with the lines around them, and samples of the rest.
//!
//! It runs last, on what the other steps left. A cap that the caller set is strict; the default cap is exceeded
//! if failure lines need it. At most two whole markers are written; further gaps get a short mark instead.
//!
//! This file is longer than most because choosing lines and accounting for their bytes are one pass.

use std::ops::Range;

use crate::pipeline::limit::headings;
use crate::pipeline::limit::headings::Headings;
use crate::pipeline::limit::notices;
use crate::pipeline::limit::outliers;
use crate::pipeline::limit::rank;
use crate::pipeline::limit::shorten::{self, MESSAGES_TENTHS};
use crate::pipeline::limit::unit::{Form, GAP_BYTES, MARKER_BYTES, Unit, UnitFate};
use crate::pipeline::repeat::echoes;
use crate::text::details::similarity_hash;
use crate::text::ledger::{Action, Ledger, MAX_GAP_MARKS, Reduction, SHORT_GAP_MARK};
use crate::text::maps::Set;
use crate::text::names::Names;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The size to which a text is cut, and how.
#[derive(Debug, Clone, Copy)]
pub struct Cap {
    /// Bytes.
    pub bytes: usize,
    /// Whether the caller set it.
    pub strict: bool,
    /// The reason code in the markers.
    pub reason: Reason,
    /// Whether samples of the lines that are left out are shown.
    pub samples: bool,
    /// Whether single lines that stand out are kept: not in texts whose lines mean nothing without their neighbours,
    /// such as source code.
    pub outliers: bool,
    /// The most bytes that the names in markers may take; 0 for no names.
    pub names: usize,
}

/// The names in a marker may take 1 byte for this many bytes that are left out.
const NAMES_SHARE: usize = 8;
/// Lines shown before the first failure.
const LEAD_LINES: usize = 3;
/// Units shown around a failure, nearest first.
const CONTEXT_OFFSETS: [isize; 4] = [1, -1, 2, -2];
/// Samples of the lines that are left out may take the budget divided by this.
const SAMPLE_SHARE: usize = 12;
/// A marker of an earlier step for at most this many lines becomes part of a gap next to it. A choice: of few lines,
/// the reason is not worth a line.
const SMALL_MARKER_LINES: usize = 8;

/// Most rounds of restoring rewritten lines whose heading or message was cut. Bounds the work.
const MAX_ROUNDS: usize = 8;

/// Cuts the ledger to the cap; `None` if it already fits.
pub fn apply(source: &Source<'_>, ledger: &Ledger, signals: &[usize], cap: Cap) -> Option<Ledger> {
    let shown = ledger.size(source, None);
    if shown <= cap.bytes {
        return None;
    }
    let room = cap.bytes.saturating_sub(MARKER_BYTES);
    let budget = match cap.bytes > 4 * MARKER_BYTES {
        true => room,
        // A marker, and the line with the exit status, must fit too.
        false if cap.strict => room.min(cap.bytes / 2),
        false => cap.bytes / 2,
    };
    // The default cap never cuts inside failure lines.
    let whole = if cap.strict { &[][..] } else { signals };
    let mut ledger = shorten::long_pieces(source, ledger, budget, shown, whole);
    let mut rounds = 0;
    let (units, keep) = loop {
        crate::stop::check();
        let units = units(source, &ledger);
        if units.iter().map(|u| u.bytes).sum::<usize>() <= budget {
            return Some(ledger);
        }
        let keep = select(source, &units, signals, budget, cap);
        if rounds == MAX_ROUNDS || !headings::restore_lines(source, &mut ledger, &units, &keep) {
            let mut keep = without_unseen(source, &units, keep);
            // Show at least one unit, even if it exceeds the cap: a marker alone would be of no use.
            if !cap.strict
                && keep.iter().all(|kept| *kept == UnitFate::No)
                && let Some(first) = (0..units.len()).find(|unit| units[*unit].is_shown)
            {
                keep[first] = UnitFate::Window;
            }
            if !cap.strict && gains_little(&units, &keep, cap.bytes) {
                return Some(ledger);
            }
            break (units, keep);
        }
        rounds += 1;
    };
    crate::stop::check();
    let mut gaps: Vec<(u32, Range<usize>)> = Vec::new();
    let mut gap = 0;
    let mut last_kept = true;
    for (unit, kept) in units.iter().zip(&keep) {
        crate::stop::check_sometimes();
        match kept {
            UnitFate::No => {
                // Gaps with only single kept lines between them share one marker.
                gap += u32::from(last_kept && gap < 2);
                last_kept = false;
                match gaps.last_mut().filter(|(g, lines)| *g == gap && lines.end == unit.lines.start) {
                    Some((_, lines)) => lines.end = unit.lines.end,
                    None => gaps.push((gap, unit.lines.clone())),
                }
            }
            UnitFate::Window => last_kept = true,
            UnitFate::Single => {}
        }
    }
    ledger.apply(source, omission(source, &ledger, &gaps, cap)).ok()
}

/// Whether a cut misses its cap, because failure lines exceed it, and leaves out so little that the marker saves nothing.
fn gains_little(units: &[Unit], keep: &[UnitFate], cap: usize) -> bool {
    /// The smallest part of a text that is worth a cut that misses its cap. A choice.
    const MIN_CUT_ONE_IN: usize = 20;
    let total: usize = units.iter().map(|unit| unit.bytes).sum();
    let left_out = units.iter().zip(keep).filter(|(_, kept)| **kept == UnitFate::No);
    let cut: usize = left_out.map(|(unit, _)| unit.bytes).sum();
    total - cut > cap && cut * MIN_CUT_ONE_IN < total
}

/// Leaves out the gaps. Gaps with the same number share a marker, which lists names if the list is short compared
/// with what is left out.
fn omission(source: &Source<'_>, ledger: &Ledger, gaps: &[(u32, Range<usize>)], cap: Cap) -> Reduction {
    let all: Vec<Range<usize>> = gaps.iter().map(|(_, lines)| lines.clone()).collect();
    let mut names = (!cap.strict && cap.names > 0).then(|| Names::new(source, ledger, &all));
    let mut step = Reduction::default();
    let of_all = gaps.last().map_or(1, |(last, _)| *last as usize).max(1);
    for of_one in gaps.chunk_by(|(a, _), (b, _)| a == b) {
        let lines: Vec<Range<usize>> = of_one.iter().map(|(_, lines)| lines.clone()).collect();
        let bytes: usize = lines.iter().map(|lines| source.byte_range(lines.clone()).len()).sum();
        let whole = lines[0].start..lines[lines.len() - 1].end;
        let most = (cap.names / of_all).min(bytes / NAMES_SHARE);
        let mut named = names.as_mut().map(|names| names.of(&lines, &whole, most).text).unwrap_or_default();
        for (gap, lines) in of_one {
            step.omit_named(lines.clone(), cap.reason, cap.group() + gap, &std::mem::take(&mut named));
        }
    }
    step
}

impl Cap {
    /// The group number below those of the cap's two markers. Reducers number from 1 and never reach it.
    fn group(&self) -> u32 {
        const LAST: u32 = u32::MAX - 8;
        if self.reason == Reason::HeadTail { LAST } else { LAST + 4 }
    }
}

/// Chooses the units to keep: head, tail, single failure lines between them with the lines around each, a window
/// around the first failure, and samples of the rest.
fn select(source: &Source<'_>, units: &[Unit], signals: &[usize], budget: usize, cap: Cap) -> Vec<UnitFate> {
    let mut picked = Picked { keep: vec![UnitFate::No; units.len()], units, left: 0, is_strict: cap.strict };
    let failing = failing(source, units, signals);
    let shares = Shares::of(units, &failing, budget, cap);
    let (between, used) = picked.ends(shares.ends);
    let used = used + picked.notices(source, &between) + picked.messages(&between, shares.messages);
    let mut middle: Vec<usize> = failing.into_iter().filter(|u| between.contains(u)).collect();
    middle.sort_by_cached_key(|&unit| rank::is_unspecific(source.line(units[unit].lines.start)));
    let outliers = cap.outliers.then(|| outliers::of_units(source, units));
    let mut samples = shares.samples;
    if !middle.is_empty() {
        picked.left = budget.saturating_sub(used + shares.samples);
        picked.failures(&middle);
        if let Some(outliers) = &outliers {
            picked.records_of(source, outliers, &middle);
        }
        picked.contexts(source, &middle, between.clone());
        picked.first_failure(source, middle[0], &between);
        samples = samples.min(budget.saturating_sub(picked.bytes()));
    }
    if let Some(outliers) = &outliers {
        picked.keep_outliers(source, outliers, signals, between.clone(), budget.saturating_sub(samples));
    }
    // Outliers get their headings before samples use up the remaining bytes.
    picked.left = budget.saturating_sub(picked.bytes() + picked.marks());
    picked.headings(source, outliers.as_ref(), false);
    picked.references();
    picked.left = samples.min(budget.saturating_sub(picked.bytes()));
    picked.samples(source, between);
    picked.pay_marks(signals, budget);
    picked.left = budget.saturating_sub(picked.bytes() + picked.marks());
    join_markers(units, &mut picked.keep);
    picked.headings(source, outliers.as_ref(), true);
    if let Some(outliers) = &outliers {
        picked.whole_pairs(outliers);
    }
    picked.authors(source);
    picked.fill_small_gaps();
    picked.keep
}

/// The unit that holds a line.
fn unit_of(units: &[Unit], line: usize) -> usize {
    units.partition_point(|unit| unit.lines.end <= line)
}

/// The units with failure lines, each text once.
fn failing(source: &Source<'_>, units: &[Unit], signals: &[usize]) -> Vec<usize> {
    let mut seen = Set::default();
    signals
        .iter()
        .filter(|&&line| seen.insert(source.line(line).trim()))
        .map(|&line| unit_of(units, line))
        .filter(|&unit| unit < units.len())
        .collect()
}

/// How many bytes of the budget are for what.
struct Shares {
    /// The head and the tail together.
    ends: usize,
    /// Samples of the lines that are left out.
    samples: usize,
    /// The messages that stand for many diagnostics; 0 if they take too much.
    messages: usize,
}

impl Shares {
    /// The ends get the bytes that neither the failures with the lines around them nor the samples need.
    fn of(units: &[Unit], failing: &[usize], budget: usize, cap: Cap) -> Self {
        let need: usize = failing.iter().map(|&unit| units[unit].bytes).sum();
        let failures = if failing.is_empty() { 0 } else { (need + budget / 10).min(budget * 6 / 10) };
        let samples = if cap.samples { budget / SAMPLE_SHARE } else { 0 };
        let messages = units.iter().filter(|unit| unit.form == Form::Message).map(|unit| unit.bytes).sum();
        let most = (budget * MESSAGES_TENTHS / 10).min(budget - failures);
        let messages = if messages > most { 0 } else { messages };
        Self { ends: (budget - failures).saturating_sub(samples + messages), samples, messages }
    }
}

/// Drops markers of repeated blocks if the lines to which they refer are not kept.
fn without_unseen(source: &Source<'_>, units: &[Unit], mut keep: Vec<UnitFate>) -> Vec<UnitFate> {
    let last = source.len();
    for unit in 0..units.len() {
        crate::stop::check_sometimes();
        let Some(like) = units[unit].same_as.clone().filter(|_| keep[unit] != UnitFate::No) else { continue };
        let first = units.partition_point(|u| u.lines.end <= like.start);
        let seen = like.end <= last
            && (first..units.len())
                .take_while(|&at| units[at].lines.start < like.end)
                .all(|at| keep[at] != UnitFate::No && units[at].is_shown);
        if !seen {
            keep[unit] = UnitFate::No;
        }
    }
    join_markers(units, &mut keep);
    keep
}

/// Joins gaps of earlier steps with the gaps next to them, so that the count in a gap covers all lines that are not
/// shown there.
fn join_markers(units: &[Unit], keep: &mut [UnitFate]) {
    let mut join = |unit: usize, is_gap: &mut bool| {
        if *is_gap && units[unit].joins_gap {
            keep[unit] = UnitFate::No;
        }
        *is_gap = keep[unit] == UnitFate::No;
    };
    let mut is_gap = false;
    (0..units.len()).for_each(|unit| join(unit, &mut is_gap));
    is_gap = false;
    (0..units.len()).rev().for_each(|unit| join(unit, &mut is_gap));
}

/// The units that were picked so far.
pub(super) struct Picked<'a> {
    pub(super) keep: Vec<UnitFate>,
    pub(super) units: &'a [Unit],
    /// Bytes that may still be used.
    pub(super) left: usize,
    pub(super) is_strict: bool,
}

impl Picked<'_> {
    /// Keeps a head and a tail of at most `bytes` bytes together. Returns the units between them, and the bytes used.
    fn ends(&mut self, bytes: usize) -> (Range<usize>, usize) {
        let units = self.units;
        let mut used = 0;
        let mut head = 0;
        while head < units.len() && used + units[head].bytes <= bytes * 2 / 5 {
            used += units[head].bytes;
            self.keep[head] = UnitFate::Window;
            head += 1;
        }
        let mut tail = units.len();
        while tail > head && used + units[tail - 1].bytes <= bytes {
            used += units[tail - 1].bytes;
            self.keep[tail - 1] = UnitFate::Window;
            tail -= 1;
        }
        (head..tail, used)
    }

    /// Keeps the messages between head and tail, if they have room. Returns the bytes used.
    fn messages(&mut self, between: &Range<usize>, room: usize) -> usize {
        let mut used = 0;
        for unit in between.clone().filter(|unit| self.units[*unit].form == Form::Message) {
            if used + self.units[unit].bytes <= room {
                used += self.units[unit].bytes;
                self.keep[unit] = UnitFate::Single;
            }
        }
        used
    }

    /// Keeps the notices between head and tail. Returns the bytes used.
    fn notices(&mut self, source: &Source<'_>, between: &Range<usize>) -> usize {
        let mut used = 0;
        for unit in notices::find(source).into_iter().map(|line| unit_of(self.units, line)) {
            if between.contains(&unit) && self.units[unit].is_shown {
                used += self.units[unit].bytes;
                self.keep[unit] = UnitFate::Single;
            }
        }
        used
    }

    /// Keeps the failure lines. Those that do not fit may exceed a cap that is not strict.
    fn failures(&mut self, failing: &[usize]) {
        for &unit in failing {
            if self.keep[unit] == UnitFate::No && (self.spend(unit) || !self.is_strict) {
                self.keep[unit] = UnitFate::Single;
            }
        }
    }

    /// Spends the remaining room on a window around the first failure, and on the heading of that window.
    fn first_failure(&mut self, source: &Source<'_>, failure: usize, between: &Range<usize>) {
        let units = self.units;
        let start = failure.saturating_sub(LEAD_LINES).max(between.start);
        let heading =
            Headings::new(source).of(source, units[start].lines.start).filter(|_| start > between.start);
        let heading = heading.map(|line| unit_of(units, line));
        if let Some(heading) = heading.filter(|at| self.keep[*at] == UnitFate::No && units[*at].is_shown)
            && self.spend(heading)
        {
            self.keep[heading] = UnitFate::Single;
        }
        for unit in start..between.end {
            if self.keep[unit] == UnitFate::No && !self.spend(unit) {
                break;
            }
            self.keep[unit] = UnitFate::Window;
        }
    }

    /// Subtracts the cost of a unit from `left`; returns whether there was enough.
    pub(super) fn spend(&mut self, unit: usize) -> bool {
        let bytes = self.cost(unit);
        let fits = bytes <= self.left;
        self.left = self.left.saturating_sub(bytes);
        fits
    }

    /// Bytes of a unit. In a strict cap also those of a new mark, if the unit would split a gap in two.
    fn cost(&self, unit: usize) -> usize {
        let is_gap = |at: Option<usize>| at.and_then(|at| self.keep.get(at)) == Some(&UnitFate::No);
        let parts_a_gap = self.is_strict && is_gap(unit.checked_sub(1)) && is_gap(Some(unit + 1));
        self.units[unit].bytes + if parts_a_gap { GAP_BYTES } else { 0 }
    }

    pub(super) fn bytes(&self) -> usize {
        crate::stop::check();
        let kept = self.keep.iter().zip(self.units).filter(|(kept, _)| **kept != UnitFate::No);
        kept.map(|(_, unit)| unit.bytes).sum()
    }

    /// Bytes of the marks of all gaps except the first. The ledger may have fewer gaps with longer marks, since an
    /// earlier step left some of them out; a strict cap has room for that.
    fn marks(&self) -> usize {
        let gaps = self.keep.chunk_by(|a, b| (*a == UnitFate::No) == (*b == UnitFate::No));
        let further = gaps.filter(|units| units[0] == UnitFate::No).count().saturating_sub(1);
        match further > MAX_GAP_MARKS {
            true if self.is_strict => (MAX_GAP_MARKS * GAP_BYTES).max(further * (SHORT_GAP_MARK.len() + 1)),
            true => further * (SHORT_GAP_MARK.len() + 1),
            false => further * GAP_BYTES,
        }
    }

    /// Makes room for these marks: drops units of the window at the start of the tail, and if that is not enough for a strict
    /// cap, from the end of the text.
    fn pay_marks(&mut self, signals: &[usize], budget: usize) {
        let marks = self.marks();
        let mut over = (self.bytes() + marks).saturating_sub(budget);
        if !self.is_strict {
            over = over.min(marks);
        }
        let Some(tail) = self.keep.iter().rposition(|kept| *kept == UnitFate::No).map(|gap| gap + 1) else {
            return;
        };
        let units = self.units;
        let fails = |unit: usize| {
            let lines = &units[unit].lines;
            signals.get(signals.partition_point(|line| *line < lines.start)).is_some_and(|l| *l < lines.end)
        };
        let half = tail + (units.len() - tail) / 2;
        for unit in (tail..half).take_while(|unit| !fails(*unit)) {
            if over == 0 {
                return;
            }
            // A unit that was chosen as a single line stays; the gap after it has its own mark.
            if self.keep[unit] == UnitFate::Single {
                continue;
            }
            if unit > tail && self.keep[unit - 1] == UnitFate::Single {
                over += GAP_BYTES;
            }
            self.keep[unit] = UnitFate::No;
            over = over.saturating_sub(units[unit].bytes);
        }
        let last = if self.is_strict { units.len() } else { 0 };
        for unit in (0..last).rev() {
            if over == 0 {
                return;
            }
            if self.keep[unit] == UnitFate::Window && !fails(unit) {
                self.keep[unit] = UnitFate::No;
                over = over.saturating_sub(units[unit].bytes);
            }
        }
    }

    /// Keeps the markers of lines that earlier results show, if they fit: each stands for many lines.
    fn references(&mut self) {
        for (unit, is_reference) in self.units.iter().map(|unit| unit.is_reference).enumerate() {
            crate::stop::check_sometimes();
            // It splits a gap in two. The mark of the second gap must not displace lines of the tail.
            if is_reference
                && self.keep[unit] == UnitFate::No
                && self.left >= self.units[unit].bytes + GAP_BYTES
            {
                self.left -= self.units[unit].bytes + GAP_BYTES;
                self.keep[unit] = UnitFate::Single;
            }
        }
    }

    /// Keeps the lines of gaps that are no longer than their mark.
    fn fill_small_gaps(&mut self) {
        let mut from = 0;
        while let Some(start) = (from..self.keep.len()).find(|&at| self.keep[at] == UnitFate::No) {
            let end =
                (start..self.keep.len()).find(|&at| self.keep[at] != UnitFate::No).unwrap_or(self.keep.len());
            let is_plain = |unit: &Unit| unit.is_shown && matches!(unit.form, Form::Other | Form::TableRow);
            if self.units[start..end].iter().all(is_plain)
                && self.units[start..end].iter().map(|unit| unit.bytes).sum::<usize>() <= GAP_BYTES
            {
                self.keep[start..end].fill(UnitFate::Single);
            }
            from = end;
        }
    }

    /// Keeps lines next to the failures, one line for each failure in turn; failures that differ only in digits
    /// count once.
    fn contexts(&mut self, source: &Source<'_>, failing: &[usize], within: Range<usize>) {
        let mut seen = Set::default();
        let new: Vec<usize> = failing
            .iter()
            .copied()
            .filter(|&unit| seen.insert(similarity_hash(source.line(self.units[unit].lines.start))))
            .collect();
        // A third is left for the window around the first failure.
        let reserve = self.left / 3;
        for offset in CONTEXT_OFFSETS {
            for &unit in &new {
                let Some(unit) = unit.checked_add_signed(offset).filter(|unit| within.contains(unit)) else {
                    continue;
                };
                if self.keep[unit] != UnitFate::No || !self.units[unit].is_shown {
                    continue;
                }
                if self.units[unit].bytes + reserve > self.left {
                    return;
                }
                self.left -= self.units[unit].bytes;
                self.keep[unit] = UnitFate::Single;
            }
        }
    }
}

/// The visible pieces in order: kept lines one by one, everything else span by span.
fn units(source: &Source<'_>, ledger: &Ledger) -> Vec<Unit> {
    let mut units = Vec::new();
    let whole = ledger.hidden_in_groups();
    let mut seen: Set<u32> = Set::default();
    let unit = |lines: Range<usize>, bytes: usize| Unit {
        lines,
        bytes,
        form: Form::Other,
        same_as: None,
        is_shown: true,
        joins_gap: false,
        is_reference: false,
    };
    for span in ledger.spans() {
        crate::stop::check_sometimes();
        let lines = span.lines.clone();
        match &span.action {
            Action::Keep => units.extend(lines.map(|i| {
                crate::stop::check_sometimes();
                unit(i..i + 1, ledger.bytes_of_kept(source, i))
            })),
            Action::Replace { text, .. } => {
                units.push(Unit { form: headings::form(&span.action), ..unit(lines, text.len() + 1) });
            }
            Action::Repeat { period } => {
                let shown = span.lines.start..span.lines.start + period;
                units.push(unit(lines, source.byte_range(shown).len() + MARKER_BYTES / 2));
            }
            Action::Omit { names, reason, group } => {
                let is_first = *group == 0 || seen.insert(*group);
                let hidden = whole.get(group).copied().unwrap_or(lines.len());
                // The lines of a shared message are not lost: the message names them.
                let joins_gap =
                    *reason != Reason::SharedMessage && (!is_first || hidden <= SMALL_MARKER_LINES);
                let bytes = MARKER_BYTES / 2 + names.as_ref().map_or(0, |names| names.len());
                let names = names.as_deref().filter(|_| *reason == Reason::RepeatedBlock);
                let same_as = names.and_then(echoes::lines_in).map(|(first, last)| {
                    let index = |number: usize| number.saturating_sub(source.number(0));
                    index(first)..index(last) + 1
                });
                units.push(Unit { same_as, is_shown: false, joins_gap, ..unit(lines, bytes) });
            }
            Action::Refer { .. } => {
                units.push(Unit { is_shown: false, is_reference: true, ..unit(lines, MARKER_BYTES / 2) });
            }
        }
    }
    units
}

#[cfg(test)]
mod tests;
