//! Which results may go before the next request, and from which on it pays that they do. It changes nothing.

use std::collections::HashMap;

use super::Factor;
use super::batch::{Batch, Sum};
use super::care::Care;
use super::context::Context;
use super::timeline::{Entry, How, Newer, Timeline};
use crate::text::marker::Gone;

/// What so many answers cited is what the agent works with, such as the text of its task. It comes back to that after longer
/// pauses, so that it has to be uncited for longer.
const OFTEN: usize = 4;
const OFTEN_WAITS: usize = 3;
/// A list through which the agent works waits for so many times the age of others.
const LIST_WAITS: usize = 4;
/// Where the agent asked again for what had gone uncited, results wait for longer: by so many times the share of those. Before many
/// have gone, so many more count as gone, so that the first one that is asked for doubles the wait.
const ASKED_WEIGHS: usize = 4;
const ASKED_OF: usize = 3;
/// Requests to come are never thought to be fewer, or more: of a long conversation the end is as near as that of another, and more of
/// it is rewritten.
pub(super) const MIN_TO_COME: usize = 5;
const MAX_TO_COME: usize = 40;

impl Timeline {
    /// What may go before the next request, as far as it pays. `to_come` is the number of requests to come, where it is known.
    pub fn plan(&self, factor: Factor, to_come: Option<usize>, care: Care) -> Batch {
        self.plan_in(&self.context(), factor, to_come, care)
    }

    /// The same for results that stand in a context.
    pub fn plan_in(&self, context: &Context, factor: Factor, to_come: Option<usize>, care: Care) -> Batch {
        if self.is_full() {
            return Batch::default();
        }
        let guess = (self.answers * care.to_come_thousandths / 1000).clamp(MIN_TO_COME, MAX_TO_COME);
        let requests = to_come.unwrap_or(guess);
        let here = context.here(self.results.len());
        let care = self.waiting(care);
        let why = |number: usize| self.why(number, self.results.get(number)?, &here, care);
        let all = self.best(context, &here, factor, requests, why);
        if all.sum.gain >= care.min_gain_uncited {
            return all;
        }
        let is_sure = |why: &Gone| !matches!(why, Gone::NotCited(_));
        let sure = self.best(context, &here, factor, requests, |number| why(number).filter(is_sure));
        match sure.sum.gain >= care.min_gain {
            true => sure,
            false => Batch { gone: Vec::new(), ..all },
        }
    }

    /// The same care with the waits of this conversation.
    fn waiting(&self, care: Care) -> Care {
        let is_uncited = |entry: &&Entry| matches!(entry.gone, Some((_, Gone::NotCited(_))));
        let of = self.results.iter().filter(is_uncited).count() + ASKED_OF;
        let longer = |answers: usize| answers + answers * ASKED_WEIGHS * self.asked_again / of;
        Care { age: longer(care.age), uncited: longer(care.uncited), ..care }
    }

    /// The batch that gains most of what may go.
    fn best(
        &self,
        context: &Context,
        here: &[bool],
        factor: Factor,
        requests: usize,
        why: impl Fn(usize) -> Option<Gone>,
    ) -> Batch {
        let is_cached = |number: usize| here[number] && number < self.cached;
        let mut may_go: Vec<Option<Gone>> =
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

    /// What stands for a result may go with it or have gone before: then that counts which stands for it in turn, as far as there
    /// is one. Where that goes in a later batch, its own marker leads on.
    fn lead_on(&self, gone: &mut [(usize, Gone)], here: &[bool]) {
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
    fn why(&self, number: usize, entry: &Entry, here: &[bool], care: Care) -> Option<Gone> {
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
        if facts.hits.is_worked_through() && uncited < LIST_WAITS * care.age {
            return None;
        }
        let is_old = self.answers - entry.since >= care.age;
        let waits = if entry.citations >= OFTEN { OFTEN_WAITS } else { 1 };
        let is_uncited = entry.cited.is_none() || uncited >= care.uncited * waits;
        (is_old && is_uncited).then_some(Gone::NotCited(uncited))
    }

    /// Whether the model has seen a newer result and still has it.
    fn can_stand(&self, newer: Newer, here: &[bool]) -> bool {
        newer.number < self.cached && here[newer.number]
    }
}
