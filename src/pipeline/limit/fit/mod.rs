//! The cut by tokens: the last thing that a budget does, and what makes the preview of an externalized text.
//!
//! It works on the ledger, so that what was cut before and is cut again has one marker for both. Failure
//! lines come first, totals next, then what says more of the failures, then the ends of the text. Sizes are
//! those of the real counter: of the lines while choosing, of the whole text before it is accepted.
//!
//! This file is longer than most because every round of the choice counts with the same state.

mod inside;
mod pieces;

use std::collections::HashSet;

use crate::pipeline::limit::outliers::{OUTLIERS_ONE_IN, Outliers};
use crate::text::details::likeness;
use crate::text::ledger::{Action, CAP_GROUPS, Ledger, Reduction};
use crate::text::marker;
use crate::text::marker::SealKey;
use crate::text::reason::Reason;
use crate::text::source::Source;
use crate::tokens::TokenCounter;
pub(in crate::pipeline) use inside::TRUNCATED;
pub(super) use inside::clip;
use inside::windows;
use pieces::{Kind, Unit, musts, units};

/// Tokens that the marker of the cut takes with its check and a handle, about.
pub(super) const MARKER_TOKENS: usize = 40;
/// Tokens of such a marker without a handle, for the last try.
const SHORT_MARKER_TOKENS: usize = 28;
/// In the last try: most units that are skipped because they do not fit.
const MAX_PASSED_UNITS: usize = 64;
/// Tokens of a marker that another step wrote, about.
const OTHER_MARKER_TOKENS: usize = 30;
/// Units shown around a failure, nearest first.
const CONTEXT_OFFSETS: [isize; 4] = [1, -1, 2, -2];
/// Tries to come under the budget.
const MAX_TRIES: usize = 8;
/// Failure lines that do not fit, after which no more are tried.
const MAX_MISSES: usize = 256;
/// Tokens below which no line is shortened: two markers and something to read.
const MIN_SHORTENED_TOKENS: usize = 48;
/// The group of the gaps, which share one marker.
const MARKER_GROUP: u32 = CAP_GROUPS + 1;

/// How much a text may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    /// Tokens to aim at.
    pub(super) aim: usize,
    /// Tokens that failures and totals may take all the same.
    pub(super) most: usize,
}

/// How what is cut is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As lines.
    Lines,
    /// As one JSON string with the lines, so that a JSON document that stays too large is still JSON.
    JsonString,
}

impl Form {
    /// The text in this form.
    pub(super) fn write(self, text: String) -> String {
        match self {
            Self::Lines => text,
            Self::JsonString => serde_json::to_string(&text).unwrap_or(text),
        }
    }
}

/// A text that is being cut to tokens: its units, their costs and the order in which they stay.
pub(super) struct Fit<'a> {
    source: &'a Source<'a>,
    ledger: &'a Ledger,
    counter: &'static dyn TokenCounter,
    form: Form,
    units: Vec<Unit>,
    /// Units that must stay before any other: failures, totals, what says more of failures.
    musts: [Vec<usize>; 3],
    /// Whether the failures are a program's report.
    is_report: bool,
    /// Tokens above which a line is cut inside.
    longest: Option<usize>,
    /// Last try: the marker has no handle, markers of other steps are dropped, and units that do not fit are
    /// skipped.
    is_bare: bool,
    reason: Reason,
    /// The outliers and the units of their lines; `None` where single lines mean nothing without their
    /// neighbours.
    outliers: Option<(Outliers, Vec<usize>)>,
}

impl<'a> Fit<'a> {
    pub(super) fn new(
        source: &'a Source<'a>,
        ledger: &'a Ledger,
        signals: &[usize],
        is_report: bool,
        form: Form,
        reason: Reason,
        counter: &'static dyn TokenCounter,
    ) -> Self {
        let units = units(source, ledger);
        let musts = musts(source, ledger, &units, signals, is_report);
        Self {
            source,
            ledger,
            counter,
            form,
            units,
            musts,
            is_report,
            longest: None,
            is_bare: false,
            reason,
            outliers: None,
        }
    }

    /// Makes outliers stay before the ends of the text.
    pub(super) fn with_outliers(mut self) -> Self {
        let is_line = |unit: &usize| self.units[*unit].kind == Kind::Line;
        let units: Vec<usize> = (0..self.units.len()).filter(is_line).collect();
        let lines = units.iter().map(|&unit| self.units[unit].lines.start).collect();
        self.outliers = Some((Outliers::find(self.source, lines), units));
        self
    }

    /// The ledger cut down to the goal. `finish` gives the whole text of a ledger; the texts that are
    /// tried are judged by it. `None` if nothing of the text fits beside its marker.
    pub(super) fn cut(&mut self, goal: Goal, finish: &dyn Fn(&Ledger) -> String) -> Option<(Ledger, String)> {
        let whole = self.attempts(goal, finish);
        let is_enough =
            whole.as_ref().is_some_and(|(_, tokens, missing)| *missing == 0 && tokens * 2 >= goal.aim);
        let best = if is_enough {
            whole
        } else {
            // In a text of few lines one line may take nearly all tokens, except those of short failures
            // beside it.
            let few = self.units.len() <= 3;
            let longest = match few {
                true => {
                    let costs: Vec<usize> = self.musts[0].clone().into_iter().map(|u| self.cost(u)).collect();
                    let short: usize = costs.iter().filter(|cost| *cost * 4 <= goal.aim).sum();
                    goal.aim.saturating_sub(MARKER_TOKENS + 2 + short).max(goal.aim / 4)
                }
                false => goal.aim / 4,
            };
            self.longest = Some(longest.max(MIN_SHORTENED_TOKENS));
            let mut short = self.attempts(goal, finish);
            self.longest = None;
            if whole.is_none() && short.is_none() {
                self.is_bare = true;
                // Other lines are no substitute for the start of a failure.
                let failures = self.musts[0].len();
                let says_more = |missing: usize| failures == 0 || missing < failures;
                short = self.attempts(goal, finish).filter(|(_, _, missing)| says_more(*missing));
            }
            match (whole, short) {
                (Some(a), Some(b)) => Some(if (b.2, a.1) < (a.2, b.1) { b } else { a }),
                (a, b) => a.or(b),
            }
        };
        let (ledger, _, _) = best?;
        let text = finish(&ledger);
        Some((ledger, text))
    }

    /// Lines whose replacement takes most of the goal: the replacement cannot be cut, the lines themselves can.
    pub(super) fn too_large(&mut self, goal: Goal) -> Vec<usize> {
        let mut lines = Vec::new();
        for unit in 0..self.units.len() {
            let Unit { lines: of_unit, kind, .. } = self.units[unit].clone();
            let is_whole = matches!(kind, Kind::Text | Kind::Block) && of_unit.len() > 1;
            if is_whole && self.cost(unit) * 2 > goal.aim {
                lines.extend(of_unit);
            }
        }
        lines
    }

    /// Tries with ever less until the text is under the goal. Gives the ledger, its tokens and how many
    /// failures are missing.
    fn attempts(&mut self, goal: Goal, finish: &dyn Fn(&Ledger) -> String) -> Option<(Ledger, usize, usize)> {
        let mut less = 0;
        for _ in 0..MAX_TRIES {
            let (keep, missing) = self.select(goal, less);
            let ledger = self.apply(&keep)?;
            let tokens = self.counter.count(&finish(&ledger));
            if tokens <= goal.most {
                return Some((ledger, tokens, missing));
            }
            less += (tokens - goal.most).max(2);
            if less >= goal.most {
                break;
            }
        }
        None
    }

    /// Tokens of a unit.
    fn cost(&mut self, unit: usize) -> usize {
        let whole = match self.units[unit].cost {
            Some(cost) => cost,
            None => {
                let cost = self.count(unit);
                self.units[unit].cost = Some(cost);
                cost
            }
        };
        match self.longest {
            Some(longest) if matches!(self.units[unit].kind, Kind::Line | Kind::Text) => whole.min(longest),
            _ => whole,
        }
    }

    fn count(&self, unit: usize) -> usize {
        let Unit { lines, kind, .. } = &self.units[unit];
        match kind {
            Kind::Mark | Kind::Cut => OTHER_MARKER_TOKENS + self.names(lines.start),
            // The repetitions are not written.
            Kind::Block => {
                let period = match self.action(lines.start) {
                    Some(Action::Repeat { period }) => *period,
                    _ => lines.len(),
                };
                self.tokens(self.source.slice(lines.start..lines.start + period)) + OTHER_MARKER_TOKENS
            }
            Kind::Line | Kind::Text => self.tokens(self.text(unit)),
        }
    }

    fn text(&self, unit: usize) -> &str {
        let lines = &self.units[unit].lines;
        match self.replaced(lines.start) {
            Some(text) if self.units[unit].kind == Kind::Text => text,
            _ => self.source.slice(lines.clone()),
        }
    }

    fn action(&self, line: usize) -> Option<&Action> {
        let spans = self.ledger.spans();
        spans.get(spans.partition_point(|span| span.lines.end <= line)).map(|span| &span.action)
    }

    fn replaced(&self, line: usize) -> Option<&str> {
        match self.action(line)? {
            Action::Replace { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Tokens of what the marker at a line names.
    fn names(&self, line: usize) -> usize {
        match self.action(line) {
            Some(Action::Omit { names: Some(names), .. }) => self.tokens(names),
            _ => 0,
        }
    }

    /// Tokens of a text in the form that is written; those of a very long one are estimated from its start.
    fn tokens(&self, text: &str) -> usize {
        const SAMPLE_BYTES: usize = 256 << 10;
        if text.len() > 2 * SAMPLE_BYTES {
            let head = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
            return (self.tokens(head) as u128 * text.len() as u128 / head.len().max(1) as u128) as usize;
        }
        match self.form {
            Form::Lines => self.counter.count(text),
            // Without the quotes around it.
            Form::JsonString => {
                let quoted = self.form.write(text.to_owned());
                self.counter.count(quoted.get(1..quoted.len() - 1).unwrap_or(&quoted))
            }
        }
    }

    /// Which units stay, and how many failures do not fit.
    fn select(&mut self, goal: Goal, less: usize) -> (Vec<bool>, usize) {
        let marker = if self.is_bare { SHORT_MARKER_TOKENS } else { MARKER_TOKENS };
        let mut picked = Picked { keep: vec![false; self.units.len()], used: marker + less };
        let musts = self.musts.clone();
        // In a text that is no report, words such as "error" say little.
        let most = if self.is_report { goal.most } else { goal.most / 2 + MARKER_TOKENS + less };
        let mut missing = 0;
        for (i, group) in musts.iter().enumerate() {
            let missed = self.pick(group, most, &mut picked);
            if i == 0 {
                missing = missed;
            }
        }
        // The preview of a text that is full of failures still shows its ends.
        let aim = goal.aim.max((picked.used + goal.aim / 3).min(goal.most));
        self.pick_outliers(aim, &mut picked);
        self.around(&musts[0], aim, &mut picked);
        self.ends(aim, &mut picked);
        self.drop_marks(&mut picked.keep);
        (picked.keep, missing)
    }

    /// Picks units of a group while they fit, first one of each kind of line. Returns how many did not fit.
    fn pick(&mut self, group: &[usize], most: usize, picked: &mut Picked) -> usize {
        let mut seen = HashSet::new();
        let (first, rest): (Vec<usize>, Vec<usize>) =
            group.iter().partition(|&&unit| seen.insert(likeness(self.text(unit))));
        let mut missed = 0;
        for unit in first.into_iter().chain(rest) {
            if picked.keep[unit] {
                continue;
            }
            if missed > MAX_MISSES {
                missed += 1;
                continue;
            }
            let cost = self.cost(unit);
            missed += usize::from(!picked.take(unit, cost, most));
        }
        missed
    }

    /// Picks outliers, up to a share of the goal.
    fn pick_outliers(&mut self, aim: usize, picked: &mut Picked) {
        let Some((outliers, units)) = self.outliers.take() else { return };
        let most = (aim / OUTLIERS_ONE_IN).min(aim.saturating_sub(picked.used));
        // Failures in records are shown with the lines that identify the record.
        let failing: Vec<usize> = self.musts[0].iter().copied().filter(|&unit| picked.keep[unit]).collect();
        for unit in failing.into_iter().take(MAX_MISSES) {
            for line in outliers.around(self.source, self.units[unit].lines.start) {
                let above = self.units.partition_point(|unit| unit.lines.end <= line);
                if !picked.keep[above] && self.units[above].kind == Kind::Line {
                    let cost = self.cost(above);
                    picked.take(above, cost, aim);
                }
            }
        }
        let is_shown = |place: usize| picked.keep[units[place]];
        let chosen = outliers.choose(self.source, &is_shown, &mut |place| self.cost(units[place]), most);
        let mut chosen: Vec<usize> = chosen.into_iter().map(|place| units[place]).collect();
        chosen.sort_unstable();
        for unit in chosen {
            let cost = self.cost(unit);
            picked.take(unit, cost, aim);
        }
        self.outliers = Some((outliers, units));
    }

    /// Lines next to the failures, for up to a third of what is left.
    fn around(&mut self, failures: &[usize], aim: usize, picked: &mut Picked) {
        let most = picked.used + aim.saturating_sub(picked.used) / 3;
        let kept: Vec<usize> = failures.iter().copied().filter(|&unit| picked.keep[unit]).collect();
        for offset in CONTEXT_OFFSETS {
            for &unit in &kept {
                let Some(unit) = unit.checked_add_signed(offset).filter(|&u| u < self.units.len()) else {
                    continue;
                };
                if picked.keep[unit] || matches!(self.units[unit].kind, Kind::Mark | Kind::Cut) {
                    continue;
                }
                let cost = self.cost(unit);
                if !picked.take(unit, cost, most) {
                    return;
                }
            }
        }
    }

    /// Picks the start and the end of the text; room that the end does not need goes to the start.
    fn ends(&mut self, aim: usize, picked: &mut Picked) {
        let len = self.units.len();
        let at_start = picked.used + aim.saturating_sub(picked.used) * 2 / 5;
        let mut head = 0;
        head = self.run(head..len, at_start, picked);
        let back = (head..len).rev();
        self.run(back, aim, picked);
        self.run(head..len, aim, picked);
    }

    /// Picks units in order until one does not fit. Returns that one.
    fn run(&mut self, units: impl Iterator<Item = usize>, most: usize, picked: &mut Picked) -> usize {
        let (mut last, mut passed) = (0, 0);
        for unit in units {
            last = unit;
            if picked.keep[unit] {
                continue;
            }
            if self.units[unit].kind == Kind::Cut {
                return unit;
            }
            if self.units[unit].kind == Kind::Mark && self.is_bare {
                continue;
            }
            let cost = self.cost(unit);
            if picked.take(unit, cost, most) {
                continue;
            }
            passed += 1;
            if !self.is_bare || passed > MAX_PASSED_UNITS {
                return unit;
            }
        }
        last
    }

    /// A marker of another step next to a gap, or between two, becomes part of it.
    fn drop_marks(&self, keep: &mut [bool]) {
        let gone = |keep: &[bool]| (keep.iter().position(|k| !k), keep.iter().rposition(|k| !k));
        let is_mark = |unit: usize| matches!(self.units[unit].kind, Kind::Mark | Kind::Cut);
        let (Some(first), Some(last)) = gone(keep) else { return };
        for (unit, keep) in keep.iter_mut().enumerate().take(last).skip(first) {
            *keep &= !is_mark(unit);
        }
        for unit in (0..first).rev().take_while(|&unit| is_mark(unit)) {
            keep[unit] = false;
        }
        for unit in (last + 1..keep.len()).take_while(|&unit| is_mark(unit)) {
            keep[unit] = false;
        }
    }

    /// The ledger with what was not kept left out, and what is too long cut inside. `None` if it would show
    /// nothing.
    fn apply(&self, keep: &[bool]) -> Option<Ledger> {
        let mut step = Reduction::default();
        let mut shortened: Vec<(usize, String, usize)> = Vec::new();
        for (unit, keep) in self.units.iter().zip(keep).enumerate().map(|(i, (unit, keep))| ((i, unit), keep))
        {
            let (index, unit) = unit;
            if !keep {
                step.omit_in(unit.lines.clone(), self.reason, MARKER_GROUP);
                continue;
            }
            let Some(longest) = self.longest.filter(|longest| unit.cost.is_some_and(|cost| cost > *longest))
            else {
                continue;
            };
            match unit.kind {
                Kind::Line => {
                    let line = self.source.line(unit.lines.start);
                    let (text, omitted_bytes) = self.shorten(line, longest, unit.lines.start);
                    let action = Action::Replace { text, reason: self.reason, omitted_bytes };
                    step.push(unit.lines.clone(), action);
                }
                Kind::Text => {
                    let (text, bytes) = self.shorten(self.text(index), longest, unit.lines.start);
                    shortened.push((unit.lines.start, text, bytes));
                }
                _ => {}
            }
        }
        if !keep.iter().zip(&self.units).any(|(keep, unit)| *keep && !matches!(unit.kind, Kind::Mark)) {
            return None;
        }
        let mut ledger = self.ledger.apply(self.source, step).ok()?;
        for (line, short, bytes) in shortened {
            for span in ledger.spans_mut().filter(|span| span.lines.start == line) {
                if let Action::Replace { text, reason, omitted_bytes } = &mut span.action {
                    text.clone_from(&short);
                    *omitted_bytes += bytes;
                    *reason = self.reason;
                }
            }
        }
        Some(ledger)
    }

    /// A line of at most this many tokens: its ends, and what stands around its first failure.
    fn shorten(&self, text: &str, tokens: usize, line: usize) -> (String, usize) {
        let all = self.tokens(text).max(1);
        let mut bytes = (text.len() as u128 * tokens as u128 / all as u128) as usize;
        let mut short = (String::new(), 0);
        for _ in 0..MAX_TRIES {
            short = windows(text, bytes, self.source.number(line), self.reason);
            let takes = self.tokens(&short.0);
            if takes <= tokens || bytes < 8 {
                break;
            }
            bytes = (bytes * tokens / takes).min(bytes - bytes / 16 - 1);
        }
        short
    }
}

/// What was picked, and the tokens that it takes.
struct Picked {
    keep: Vec<bool>,
    used: usize,
}

impl Picked {
    fn take(&mut self, unit: usize, cost: usize, most: usize) -> bool {
        let fits = self.used + cost <= most;
        if fits {
            self.keep[unit] = true;
            self.used += cost;
        }
        fits
    }
}

/// Seals a text that was cut, in its form.
pub(super) fn seal(text: String, form: Form, key: &SealKey) -> String {
    let mut text = form.write(text);
    marker::seal(&mut text, key);
    text
}
