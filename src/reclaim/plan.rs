//! Decides which results may be removed before the next request, and whether that pays. It changes nothing.

use super::Factor;
use super::batch::{Batch, Sum};
use super::context::Context;
use super::thresholds::Thresholds;
use super::timeline::{Entry, How, Newer, Timeline};
use crate::text::marker::RemovalReason;

/// A result that at least this many answers cited is one that the agent works with, such as the text of its task. The
/// agent returns to it after longer pauses, so it must be uncited for [`FREQUENT_WAIT_FACTOR`] times as many answers.
const MIN_FREQUENT_CITATIONS: usize = 4;
const FREQUENT_WAIT_FACTOR: usize = 4;
/// A list that the agent works through must be uncited for this many times as many answers as other results.
const WORKLIST_WAIT_FACTOR: usize = 4;
/// If the agent requested removed results again, all waits get longer by a share of
/// `REREQUEST_WEIGHT * a / (n + REREQUEST_PRIOR)`, for `a` such requests and `n` results that were removed uncited.
/// So the first request doubles the wait.
const REREQUEST_WEIGHT: usize = 4;
const REREQUEST_PRIOR: usize = 3;
/// The fewest and the most further requests that are assumed; in a long conversation a wrong guess costs more.
pub(super) const MIN_TO_COME: usize = 5;
const MAX_TO_COME: usize = 40;

impl Timeline {
    /// What to remove before the next request, if it pays. `to_come` is the number of requests to come, if it is known.
    pub fn plan(&self, factor: Factor, to_come: Option<usize>, thresholds: Thresholds) -> Batch {
        self.plan_in(&self.context(), factor, to_come, thresholds)
    }

    /// As [`Self::plan`], for the results of a given context.
    pub fn plan_in(
        &self,
        context: &Context,
        factor: Factor,
        to_come: Option<usize>,
        thresholds: Thresholds,
    ) -> Batch {
        if self.is_full() {
            return Batch::default();
        }
        let guess = (self.answers * thresholds.to_come_thousandths / 1000).clamp(MIN_TO_COME, MAX_TO_COME);
        let requests = to_come.unwrap_or(guess);
        let here = context.here(self.results.len());
        let thresholds = self.waiting(thresholds);
        let all = self.best(context, &here, factor, requests, (thresholds, false));
        if all.sum.gain >= thresholds.min_gain_uncited {
            return all;
        }
        let sure = self.best(context, &here, factor, requests, (thresholds, true));
        match sure.sum.gain >= thresholds.min_gain {
            true => sure,
            false => Batch { gone: Vec::new(), ..all },
        }
    }

    /// The thresholds with longer waits if the agent requested removed results again.
    fn waiting(&self, thresholds: Thresholds) -> Thresholds {
        let is_uncited = |entry: &&Entry| matches!(entry.gone, Some((_, RemovalReason::NotCited(_))));
        let of = self.results.iter().filter(is_uncited).count() + REREQUEST_PRIOR;
        let longer = |answers: usize| answers + answers * REREQUEST_WEIGHT * self.asked_again / of;
        Thresholds { age: longer(thresholds.age), uncited: longer(thresholds.uncited), ..thresholds }
    }

    /// The removable results with the largest gain; with `only_sure`, only those that later results replace.
    fn best(
        &self,
        context: &Context,
        here: &[bool],
        factor: Factor,
        requests: usize,
        (thresholds, only_sure): (Thresholds, bool),
    ) -> Batch {
        let removable = self.removable(here, thresholds, only_sure);
        // Tries each start of the batch: everything after the first removed result is written to the cache again.
        let none = Sum { requests, factor: factor.value(), ..Sum::default() };
        let of = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let (mut removed, mut behind) = (0, context.behind());
        let mut best = (context.places().len(), none);
        for (at, place) in context.places().iter().enumerate().rev() {
            let entry = &self.results[place.number];
            let small = entry.facts.tokens_in_its_place();
            if removable[place.number].is_some() {
                removed += entry.facts.tokens - small;
                let gained = of(requests).saturating_mul(of(removed));
                let gain = gained.saturating_sub(factor.of_tokens(behind));
                if removed > 0 && (best.1.removed == 0 || gain > best.1.gain) {
                    best = (at, Sum { removed, behind, gain, ..none });
                }
            }
            // Tokens that were not in the last request must be written anyway.
            if place.number < self.cached {
                let is_small = entry.gone.is_some() || removable[place.number].is_some();
                let tokens = if is_small { small } else { entry.facts.tokens };
                behind = behind.saturating_add(tokens).saturating_add(place.between);
            }
        }
        let (first, sum) = best;
        let gone = context.places().iter().skip(first).map(|place| place.number);
        let mut gone: Vec<_> = gone.filter_map(|number| Some((number, removable[number]?))).collect();
        gone.sort_unstable_by_key(|(number, _)| *number);
        Batch { gone, sum }
    }

    /// Which results may be removed, and why. It makes one pass from the end, because references point to earlier
    /// results and replacements come later.
    fn removable(
        &self,
        here: &[bool],
        thresholds: Thresholds,
        only_sure: bool,
    ) -> Vec<Option<RemovalReason>> {
        let mut out = vec![None; self.results.len()];
        // A result to which a kept result refers is kept too.
        let mut is_pointed_to = vec![false; self.results.len()];
        let mut ends: Vec<Option<Newer>> = vec![None; self.results.len()];
        for (number, entry) in self.results.iter().enumerate().rev() {
            ends[number] = self.end(entry, here, &out, &ends);
            if here[number] && number < self.cached && !is_pointed_to[number] {
                let uncited = || self.uncited(entry, here, thresholds).filter(|_| !only_sure);
                let why = ends[number].map(|newer| newer.why(number));
                out[number] = why.or_else(uncited).filter(|_| entry.is_worth_it());
            }
            let stays = here[number] && entry.gone.is_none() && out[number].is_none();
            if stays && entry.facts.refers_to_others {
                // It refers to unknown results, so all results before it are kept.
                break;
            }
            for call in entry.facts.refers_to.iter().filter(|_| stays) {
                if let Some(other) = self.by_call.get(call).and_then(|other| is_pointed_to.get_mut(*other)) {
                    *other = true;
                }
            }
        }
        out
    }

    /// The result that replaces another one and is kept: the last of a chain whose other members are removed. A
    /// marker must name this last one, so that a reader finds the lines. `ends` has the answer for later results.
    fn end(
        &self,
        entry: &Entry,
        here: &[bool],
        removable: &[Option<RemovalReason>],
        ends: &[Option<Newer>],
    ) -> Option<Newer> {
        let newer = entry.newer.filter(|newer| self.is_in_context(*newer, here))?;
        let stays = self.results[newer.number].gone.is_none() && removable[newer.number].is_none();
        if stays {
            return Some(newer);
        }
        let is_run = |newer: &Newer| newer.how == How::Run;
        let next = ends[newer.number].filter(|next| is_run(next) == is_run(&newer))?;
        Some(Newer { how: if newer.how == How::Same { next.how } else { newer.how }, ..next })
    }

    /// Why a result that nothing replaces may be removed.
    fn uncited(&self, entry: &Entry, here: &[bool], thresholds: Thresholds) -> Option<RemovalReason> {
        let facts = &entry.facts;
        // A failure is kept until the same thing was run again, with whatever result.
        let is_cleared =
            || entry.newer.is_some_and(|newer| newer.how == How::Run && self.is_in_context(newer, here));
        if facts.has_failed && !is_cleared() {
            return None;
        }
        // The number of answers since the last one that cited it, or since the result itself.
        let last = entry.cited.map_or(entry.since, |answer| answer + 1);
        let uncited = self.answers.saturating_sub(last);
        if facts.hits.is_worked_through() && uncited < WORKLIST_WAIT_FACTOR * thresholds.age {
            return None;
        }
        let is_old = self.answers - entry.since >= thresholds.age;
        let waits = if entry.citations >= MIN_FREQUENT_CITATIONS { FREQUENT_WAIT_FACTOR } else { 1 };
        let is_uncited = entry.cited.is_none() || uncited >= thresholds.uncited * waits;
        (is_old && is_uncited).then_some(RemovalReason::NotCited(uncited))
    }

    /// Whether the model has seen a newer result and still has it in its context.
    fn is_in_context(&self, newer: Newer, here: &[bool]) -> bool {
        newer.number < self.cached && here[newer.number]
    }
}
