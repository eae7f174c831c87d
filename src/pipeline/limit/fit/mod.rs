//! The cut by tokens: the last step of a budget, and the preview of an externalized text.
//!
//! It works on the ledger, so that lines cut before and now share one marker. Failure lines come first, then totals,
//! then details of the failures, then the ends of the text. Sizes come from the real token counter: of single lines
//! while choosing, of the whole text before it is accepted.
//!
//! This file is longer than most because every round of the choice uses the same state.

mod inside;
mod pieces;

use std::collections::HashSet;

use crate::pipeline::limit::outliers::{OUTLIERS_ONE_IN, Outliers};
use crate::text::details::similarity_hash;
use crate::text::ledger::{Action, CAP_GROUPS, Ledger, Reduction};
use crate::text::marker;
use crate::text::marker::SealKey;
use crate::text::reason::Reason;
use crate::text::source::Source;
use crate::tokens::TokenCounter;
pub(in crate::pipeline) use inside::TRUNCATED;
pub(super) use inside::clip;
use inside::windows;
use pieces::{Kind, Unit, priority_units, units};

/// The approximate tokens of the marker of the cut, with its check and a handle.
pub(super) const MARKER_TOKENS: usize = 40;
/// The approximate tokens of that marker without a handle, for the last try.
const SHORT_MARKER_TOKENS: usize = 28;
/// In the last try: the most units that are skipped because they do not fit.
const MAX_PASSED_UNITS: usize = 64;
/// The approximate tokens of a marker that another step wrote.
const OTHER_MARKER_TOKENS: usize = 30;
/// Units shown around a failure, nearest first.
const CONTEXT_OFFSETS: [isize; 4] = [1, -1, 2, -2];
/// The most tries to get under the budget.
const MAX_TRIES: usize = 8;
/// After this many failure lines that do not fit, no more are tried.
const MAX_MISSES: usize = 256;
/// A line is never shortened to fewer tokens: two markers and some text.
const MIN_SHORTENED_TOKENS: usize = 48;
/// The marker group of all gaps, which share one marker.
const MARKER_GROUP: u32 = CAP_GROUPS + 1;

/// How many tokens a text may have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    /// Tokens to aim at.
    pub(super) aim: usize,
    /// The most tokens, which failures and totals may use up.
    pub(super) most: usize,
}

/// How the cut text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As lines.
    Lines,
    /// As one JSON string that contains the lines, so that a JSON document that is too large stays valid JSON.
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

/// A text that is being cut to tokens: its units, their costs, and which of them come first.
pub(super) struct Fit<'a> {
    source: &'a Source<'a>,
    ledger: &'a Ledger,
    counter: &'static dyn TokenCounter,
    form: Form,
    units: Vec<Unit>,
    /// Units that are kept before all others: failures, totals, details of failures.
    priority_units: [Vec<usize>; 3],
    /// Whether the failures are part of a program's report.
    is_report: bool,
    /// Tokens above which a line is cut inside.
    longest: Option<usize>,
    /// Set for the last try: the marker has no handle, markers of other steps are dropped, and units that do not fit
    /// are skipped.
    is_bare: bool,
    reason: Reason,
    /// The outliers and the units of their lines; `None` if single lines mean nothing without their neighbours.
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
        let priority_units = priority_units(source, ledger, &units, signals, is_report);
        Self {
            source,
            ledger,
            counter,
            form,
            units,
            priority_units,
            is_report,
            longest: None,
            is_bare: false,
            reason,
            outliers: None,
        }
    }

    /// Makes outliers rank before the ends of the text.
    pub(super) fn with_outliers(mut self) -> Self {
        let is_line = |unit: &usize| self.units[*unit].kind == Kind::Line;
        let units: Vec<usize> = (0..self.units.len()).filter(is_line).collect();
        let lines = units.iter().map(|&unit| self.units[unit].lines.start).collect();
        self.outliers = Some((Outliers::find(self.source, lines), units));
        self
    }

    /// The ledger cut down to the goal. `finish` returns the whole text of a ledger, by which tries are measured.
    /// `None` if nothing of the text fits beside its marker.
    pub(super) fn cut(&mut self, goal: Goal, finish: &dyn Fn(&Ledger) -> String) -> Option<(Ledger, String)> {
        let whole = self.attempts(goal, finish);
        let is_enough =
            whole.as_ref().is_some_and(|(_, tokens, missing)| *missing == 0 && tokens * 2 >= goal.aim);
        let best = if is_enough {
            whole
        } else {
            // In a text of few lines, one line may take nearly all tokens, except those of short failures beside it.
            let few = self.units.len() <= 3;
            let longest = match few {
                true => {
                    let costs: Vec<usize> =
                        self.priority_units[0].clone().into_iter().map(|u| self.cost(u)).collect();
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
                // Do not accept other lines if all failures are missing: then the start of a failure is better.
                let failures = self.priority_units[0].len();
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

    /// Lines whose replacement takes most of the goal: the replacement cannot be cut, but the lines can.
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

    /// Tries smaller and smaller selections until the text meets the goal. Returns the ledger, its tokens and the
    /// number of missing failures.
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
            // A repeated block is written once.
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

    /// Tokens of the names in the marker at a line.
    fn names(&self, line: usize) -> usize {
        match self.action(line) {
            Some(Action::Omit { names: Some(names), .. }) => self.tokens(names),
            _ => 0,
        }
    }

    /// Tokens of a text in the output form; estimated from the start for a very long text.
    fn tokens(&self, text: &str) -> usize {
        const SAMPLE_BYTES: usize = 256 << 10;
        if text.len() > 2 * SAMPLE_BYTES {
            let head = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
            return (self.tokens(head) as u128 * text.len() as u128 / head.len().max(1) as u128) as usize;
        }
        match self.form {
            Form::Lines => self.counter.count(text),
            // The quotes of the JSON string are not counted.
            Form::JsonString => {
                let quoted = self.form.write(text.to_owned());
                self.counter.count(quoted.get(1..quoted.len() - 1).unwrap_or(&quoted))
            }
        }
    }

    /// Chooses the units to keep. Returns them and the number of failures that do not fit.
    fn select(&mut self, goal: Goal, less: usize) -> (Vec<bool>, usize) {
        let marker = if self.is_bare { SHORT_MARKER_TOKENS } else { MARKER_TOKENS };
        let mut picked = Picked { keep: vec![false; self.units.len()], used: marker + less };
        let priority_units = self.priority_units.clone();
        // In a text that is not a report, words such as "error" mean little.
        let most = if self.is_report { goal.most } else { goal.most / 2 + MARKER_TOKENS + less };
        let mut missing = 0;
        for (i, group) in priority_units.iter().enumerate() {
            let missed = self.pick(group, most, &mut picked);
            if i == 0 {
                missing = missed;
            }
        }
        // Even if failures take all the room, some tokens are left for the ends of the text.
        let aim = goal.aim.max((picked.used + goal.aim / 3).min(goal.most));
        self.pick_outliers(aim, &mut picked);
        self.around(&priority_units[0], aim, &mut picked);
        self.ends(aim, &mut picked);
        self.drop_marks(&mut picked.keep);
        (picked.keep, missing)
    }

    /// Picks units of a group while they fit, starting with one of each kind of line. Returns how many did not fit.
    fn pick(&mut self, group: &[usize], most: usize, picked: &mut Picked) -> usize {
        let mut seen = HashSet::new();
        let (first, rest): (Vec<usize>, Vec<usize>) =
            group.iter().partition(|&&unit| seen.insert(similarity_hash(self.text(unit))));
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
        // Failures in records need the lines that identify the record.
        let failing: Vec<usize> =
            self.priority_units[0].iter().copied().filter(|&unit| picked.keep[unit]).collect();
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

    /// Picks lines next to the failures, for up to a third of the remaining tokens.
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

    /// Picks the start and the end of the text; room that the end does not need is used for the start.
    fn ends(&mut self, aim: usize, picked: &mut Picked) {
        let len = self.units.len();
        let at_start = picked.used + aim.saturating_sub(picked.used) * 2 / 5;
        let mut head = 0;
        head = self.run(head..len, at_start, picked);
        let back = (head..len).rev();
        self.run(back, aim, picked);
        self.run(head..len, aim, picked);
    }

    /// Picks units in order until one does not fit. Returns that unit.
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

    /// Drops markers of other steps that are next to a gap or between gaps: they become part of the gap.
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

    /// The ledger in which dropped units are left out and too long lines are cut inside. `None` if nothing would be
    /// shown.
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

    /// Shortens a line to at most this many tokens: its ends, and the text around its first failure.
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

/// Writes a cut text in its form and seals it.
pub(super) fn seal(text: String, form: Form, key: &SealKey) -> String {
    let mut text = form.write(text);
    marker::seal(&mut text, key);
    text
}
