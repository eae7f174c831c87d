//! Which results may be removed before the next request, and whether that pays. It changes nothing.

use std::collections::HashMap;

use super::Factor;
use super::batch::{Batch, Sum};
use super::context::Context;
use super::thresholds::Thresholds;
use super::timeline::{Entry, How, Newer, Timeline};
use crate::text::marker::RemovedWhy;

/// A result that at least so many answers cited is one that the agent works with, such as the text of its task. The agent comes back
/// to it after longer pauses, so it must be uncited for [`FREQUENT_WAIT_FACTOR`] times as many answers.
const MIN_FREQUENT_CITATIONS: usize = 4;
const FREQUENT_WAIT_FACTOR: usize = 3;
/// A list that the agent works through must be uncited for so many times as many answers as other results.
const WORKLIST_WAIT_FACTOR: usize = 4;
/// If the agent requested removed results again, all waits become longer by a smoothed share: by `REREQUEST_WEIGHT * a / (n +
/// REREQUEST_PRIOR)` of them, for `a` requests and `n` results that were removed uncited. So the first one doubles the wait.
const REREQUEST_WEIGHT: usize = 4;
const REREQUEST_PRIOR: usize = 3;
/// Fewest and most requests to come that are assumed: a long conversation is not assumed to go on longer, and rewriting it costs more.
pub(super) const MIN_TO_COME: usize = 5;
const MAX_TO_COME: usize = 40;

impl Timeline {
    /// What to remove before the next request, if it pays. `to_come` is the number of requests to come, if it is known.
    pub fn plan(&self, factor: Factor, to_come: Option<usize>, thresholds: Thresholds) -> Batch {
        self.plan_in(&self.context(), factor, to_come, thresholds)
    }

    /// The same for results that stand in a context.
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
        let why = |number: usize| self.why(number, self.results.get(number)?, &here, thresholds);
        let all = self.best(context, &here, factor, requests, why);
        if all.sum.gain >= thresholds.min_gain_uncited {
            return all;
        }
        let is_sure = |why: &RemovedWhy| !matches!(why, RemovedWhy::NotCited(_));
        let sure = self.best(context, &here, factor, requests, |number| why(number).filter(is_sure));
        match sure.sum.gain >= thresholds.min_gain {
            true => sure,
            false => Batch { gone: Vec::new(), ..all },
        }
    }

    /// The same thresholds with the waits of this conversation.
    fn waiting(&self, thresholds: Thresholds) -> Thresholds {
        let is_uncited = |entry: &&Entry| matches!(entry.gone, Some((_, RemovedWhy::NotCited(_))));
        let of = self.results.iter().filter(is_uncited).count() + REREQUEST_PRIOR;
        let longer = |answers: usize| answers + answers * REREQUEST_WEIGHT * self.asked_again / of;
        Thresholds { age: longer(thresholds.age), uncited: longer(thresholds.uncited), ..thresholds }
    }

    /// The batch that gains most of what may go.
    fn best(
        &self,
        context: &Context,
        here: &[bool],
        factor: Factor,
        requests: usize,
        why: impl Fn(usize) -> Option<RemovedWhy>,
    ) -> Batch {
        let is_cached = |number: usize| here[number] && number < self.cached;
        let mut may_go: Vec<Option<RemovedWhy>> =
            (0..self.results.len()).map(|number| why(number).filter(|_| is_cached(number))).collect();
        // What a result that stays points to stays too. Results point back, so that one pass from the end finds all.
        for (number, entry) in self.results.iter().enumerate().rev() {
            let stays = here[number] && entry.gone.is_none() && may_go[number].is_none();
            if stays && entry.facts.refers_to_others {
                // To which ones nobody knows.
                may_go[..number].fill(None);
                break;
            }
            for call in entry.facts.refers_to.iter().filter(|_| stays) {
                if let Some(may_go) = self.by_call.get(call).and_then(|other| may_go.get_mut(*other)) {
                    *may_go = None;
                }
            }
        }
        // From which result on it pays most: all behind the first that goes is rewritten.
        let none = Sum { requests, factor: factor.value(), ..Sum::default() };
        let of = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let (mut removed, mut behind) = (0, context.behind());
        let mut best = (context.places().len(), none);
        for (at, place) in context.places().iter().enumerate().rev() {
            let entry = &self.results[place.number];
            let small = entry.facts.tokens_in_its_place();
            if may_go[place.number].is_some() {
                removed += entry.facts.tokens - small;
                let gained = of(requests).saturating_mul(of(removed));
                let gain = gained.saturating_sub(factor.of_tokens(behind));
                if removed > 0 && (best.1.removed == 0 || gain > best.1.gain) {
                    best = (at, Sum { removed, behind, gain, ..none });
                }
            }
            // What the last request did not hold is written anyway.
            if place.number < self.cached {
                let is_small = entry.gone.is_some() || may_go[place.number].is_some();
                let tokens = if is_small { small } else { entry.facts.tokens };
                behind = behind.saturating_add(tokens).saturating_add(place.between);
            }
        }
        let (first, sum) = best;
        let gone = context.places().iter().skip(first).map(|place| place.number);
        let mut gone: Vec<_> = gone.filter_map(|number| Some((number, may_go[number]?))).collect();
        gone.sort_unstable_by_key(|(number, _)| *number);
        self.lead_on(&mut gone, here);
        Batch { gone, sum }
    }

    /// If the replacement of a result is removed too, its marker names the last replacement of the chain. A later removal is
    /// reached through its own marker.
    fn lead_on(&self, gone: &mut [(usize, RemovedWhy)], here: &[bool]) {
        if gone.iter().all(|(_, why)| why.later().is_none()) {
            return;
        }
        let mut goes: Vec<bool> = self.results.iter().map(|entry| entry.gone.is_some()).collect();
        gone.iter().for_each(|(number, _)| goes[*number] = true);
        // From the end, so that each finds the last of its chain in one step.
        let mut last: HashMap<usize, Newer> = HashMap::new();
        for (number, entry) in self.results.iter().enumerate().rev() {
            let Some(newer) = entry.newer.filter(|newer| self.can_stand(*newer, here)) else { continue };
            let is_run = |newer: &Newer| newer.how == How::Run;
            let next =
                last.get(&newer.number).filter(|next| goes[newer.number] && is_run(next) == is_run(&newer));
            let how = |next: &Newer| if newer.how == How::Same { next.how } else { newer.how };
            last.insert(number, next.map_or(newer, |next| Newer { how: how(next), ..*next }));
        }
        for (number, why) in gone.iter_mut().filter(|(_, why)| why.later().is_some()) {
            if let Some(newer) = last.get(number) {
                *why = newer.why(*number);
            }
        }
    }

    /// Why a result may go, by itself.
    fn why(&self, number: usize, entry: &Entry, here: &[bool], thresholds: Thresholds) -> Option<RemovedWhy> {
        let facts = &entry.facts;
        if entry.gone.is_some() || !facts.may_go || facts.tokens_in_its_place() * 2 > facts.tokens {
            return None;
        }
        if let Some(newer) = entry.newer.filter(|newer| self.can_stand(*newer, here)) {
            return Some(newer.why(number));
        }
        // A failure stays until the same thing was run again.
        if facts.has_failed {
            return None;
        }
        let uncited = self.answers - entry.cited.unwrap_or(entry.since);
        if facts.hits.is_worked_through() && uncited < WORKLIST_WAIT_FACTOR * thresholds.age {
            return None;
        }
        let is_old = self.answers - entry.since >= thresholds.age;
        let waits = if entry.citations >= MIN_FREQUENT_CITATIONS { FREQUENT_WAIT_FACTOR } else { 1 };
        let is_uncited = entry.cited.is_none() || uncited >= thresholds.uncited * waits;
        (is_old && is_uncited).then_some(RemovedWhy::NotCited(uncited))
    }

    /// Whether the model has seen a newer result and still has it.
    fn can_stand(&self, newer: Newer, here: &[bool]) -> bool {
        newer.number < self.cached && here[newer.number]
    }
}
