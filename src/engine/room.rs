//! `session/reclaim` and `session/reclaimed`: which results may leave the context of a host that sends them one by one. An
//! offered batch changes nothing until the host confirms it.

use std::collections::HashSet;

use super::job::Job;
use super::reclaim::{Terms, made, stand_in, thresholds};
use super::sessions::lock;
use super::{Cancel, Engine};
use crate::config::Policy;
use crate::protocol::RpcError;
use crate::protocol::params::{check_id, invalid};
use crate::protocol::reclaim::Reclaimed;
use crate::protocol::room::{
    ContextItem, ReclaimParams, Reclaimable, ReclaimedParams, ReclaimedTotals, Replacement,
};
use crate::reclaim::{Context, Facts, Item, Timeline, Words};
use crate::session::{AnswerNote, Caller, Fingerprint, Noted, Offer, Original, Room, Stored};

/// Most answers of one question: each is compared with each result.
const MAX_ANSWERS: usize = 256;

impl Engine {
    /// Answers `session/reclaim`.
    pub fn reclaim(&self, params: &ReclaimParams, cancel: &Cancel) -> Result<Reclaimable, RpcError> {
        let id = params.session_id.as_str();
        check_id("sessionId", id)?;
        if let Some(answers) = params.answers.as_ref().filter(|answers| answers.len() > MAX_ANSWERS) {
            let reason = format!("has {} answers, allowed are up to {MAX_ANSWERS}", answers.len());
            return Err(invalid("answers", &reason));
        }
        let (policy, session) = self.policy_and_session(Some(id), params.policy.as_ref(), None)?;
        let terms = Terms::given(params.reclaim_terms.as_ref(), &policy)?;
        cancel.check()?;
        let Some(session) = session else { return Err(invalid("sessionId", "is missing")) };
        let mut session = lock(&session);
        if session.has_conversation() {
            let reason = "is a session in which `messages/compress` takes results out";
            return Err(invalid("sessionId", reason));
        }
        let room = session.room();
        let answers: Option<Vec<AnswerNote<'_>>> = params.answers.as_ref().map(|answers| {
            answers
                .iter()
                .map(|answer| AnswerNote { text: &answer.text, calls: &answer.tool_call_ids })
                .collect()
        });
        room.record_answers(answers.as_deref());
        let context = params.context.as_ref().map(|items| context(&room.timeline, items));
        let answer = self.offer(id, room, terms, context.as_ref(), &policy);
        session.room_changed();
        drop(session);
        self.make_room(Some(id));
        Ok(answer)
    }

    /// Makes the batch that pays now, and offers it.
    fn offer(
        &self,
        session: &str,
        room: &mut Room,
        terms: Option<Terms>,
        context: Option<&Context>,
        policy: &Policy,
    ) -> Reclaimable {
        let mut timeline = std::mem::take(&mut room.timeline);
        let terms = terms.filter(|_| !room.is_full());
        let (batch, stand_ins) = terms.map_or_else(Default::default, |terms| {
            made(
                &mut timeline,
                |timeline| terms.plan(timeline, context),
                |timeline, number, why| {
                    let Original { artifact, is_near, .. } = room.original(number)?;
                    self.artifacts().open(Some(session), &artifact.id).ok()?;
                    let by = timeline.stands_for(number, why);
                    stand_in(timeline.facts(number)?, (why, by), artifact.clone(), *is_near, policy)
                },
            )
        });
        room.timeline = timeline;
        let sum = batch.sum.into();
        let offer = room.offer(batch, stand_ins).cloned();
        let replacements = offer.as_ref().map_or_else(Vec::new, |offer| replacements(&room.timeline, offer));
        Reclaimable {
            batch: offer.map(|offer| offer.number),
            tokens_saved: replacements.iter().map(|one| one.reclaimed.tokens_saved).sum(),
            replacements,
            sum,
        }
    }

    /// Answers `session/reclaimed`.
    pub fn reclaimed(&self, params: &ReclaimedParams) -> Result<ReclaimedTotals, RpcError> {
        let id = params.session_id.as_str();
        check_id("sessionId", id)?;
        let outdated = || {
            let message =
                format!("batch {} is not what counts now; ask `session/reclaim` again", params.batch);
            RpcError::failed("batch_outdated", message)
        };
        let session = self.sessions().get_if_open(id)?.ok_or_else(outdated)?;
        let mut session = lock(&session);
        let room = session.known_room().ok_or_else(outdated)?;
        if !room.is_confirmed(params.batch) {
            let offer = room.offered(params.batch).ok_or_else(outdated)?;
            let originals = offer.stand_ins.iter().filter_map(|stand_in| stand_in.artifact.as_ref());
            let ids: Vec<String> = originals.map(|artifact| artifact.id.clone()).collect();
            let are_kept = {
                let mut store = self.artifacts();
                ids.iter().all(|original| store.pin(id, original))
            };
            if !are_kept {
                return Err(outdated());
            }
            let calls = session.room().confirm();
            let calls: HashSet<&str> = calls.iter().map(String::as_str).collect();
            session.results_removed(&calls);
            session.room_changed();
        }
        let (results, tokens_saved) = session.known_room().map_or((0, 0), Room::totals);
        Ok(ReclaimedTotals { results, tokens_saved })
    }

    /// Collects the facts about a result that may be removed later. Its original is kept as long as there is
    /// space.
    pub(super) fn noted(
        &self,
        session: &str,
        job: &Job<'_>,
        caller: &Caller<'_>,
        fingerprint: Fingerprint,
        stored: &Stored,
        policy: &Policy,
    ) -> Noted {
        let call = &job.call;
        let mut facts = Facts::of(call, &stored.outcome, caller.asked[0], caller.label);
        facts.is_removable &= thresholds(policy).is_some();
        let kept =
            facts.is_removable.then(|| self.keep_whole(session, call, stored, policy, false)).flatten();
        facts.is_removable = kept.is_some();
        let words = call.texts().into_iter().chain(call.path.as_deref());
        Noted {
            facts,
            words: Words::of(words),
            reads_original: call.reads_original(),
            original: kept.map(|(artifact, is_near)| Original { fingerprint, artifact, is_near }),
        }
    }
}

/// The context that the host describes.
fn context(timeline: &Timeline, items: &[ContextItem]) -> Context {
    let mut seen = HashSet::new();
    let items = items.iter().filter_map(|item| match item {
        ContextItem::Result(call) => seen.insert(call.as_str()).then_some(Item::Result(call)),
        ContextItem::Tokens(tokens) => Some(Item::Tokens(*tokens)),
    });
    timeline.context_of(items)
}

fn replacements(timeline: &Timeline, offer: &Offer) -> Vec<Replacement> {
    let all = offer.batch.gone.iter().zip(&offer.stand_ins);
    let replacement = |((number, why), stand_in): (&(usize, _), &crate::session::StandIn)| {
        let facts = timeline.facts(*number)?;
        let saved = facts.tokens.saturating_sub(stand_in.tokens);
        Some(Replacement {
            tool_call_id: facts.call.clone(),
            content: stand_in.text.to_string(),
            reclaimed: Reclaimed::new(*why, saved),
            artifact: stand_in.artifact.clone(),
        })
    };
    all.filter_map(replacement).collect()
}
