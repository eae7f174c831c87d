//! Removes results that are no longer needed from a conversation, as `messages/compress` sees it: each request has
//! the whole conversation. If the same conversation is sent again, even to a new process, the same results are
//! removed at the same requests. So the start of a request stays the same, and the provider's cache stays valid.

use std::collections::HashSet;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::Engine;
use super::artifacts::whole_text;
use super::job::Job;
use super::sessions::lock;
use crate::config::{Policy, RecoveryMode};
use crate::pipeline::evidence::{BeforeAfter, Evidence, Status, Tokens};
use crate::pipeline::{HANDLE_DIGITS, Outcome, Retain};
use crate::protocol::RpcError;
use crate::protocol::messages::{Found, ModelTexts, Params};
use crate::protocol::params::invalid;
use crate::protocol::reclaim::{Reclaim, ReclaimMode, ReclaimTerms, Reclaimed};
use crate::protocol::skim::Json;
use crate::protocol::tool_result::ArtifactRef;
use crate::reclaim::{Batch, Context, Factor, Facts, Thresholds, Timeline, Words};
use crate::sanitize::spare::Written;
use crate::session::{Conversation, Event, Shared, StandIn, Stored};
use crate::text::call::ToolCall;
use crate::text::marker::{self, Marker, RemovalReason, RetrievalMethod};
use crate::tokens;

/// When results are removed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    factor: Factor,
    to_come: Option<usize>,
    thresholds: Thresholds,
}

impl Terms {
    /// The terms of a `messages/compress` request; `None` if all results stay.
    pub(super) fn of(
        params: &Params<'_>,
        session: Option<&str>,
        policy: &Policy,
    ) -> Result<Option<Self>, RpcError> {
        let given = Self::given(params.reclaim_terms.as_ref(), policy)?;
        if params.reclaim == ReclaimMode::Off {
            return Ok(None);
        }
        if session.is_none() {
            return Err(invalid("reclaim", "needs `sessionId`, because removed results must be remembered"));
        }
        if params.keep_newest > 0 {
            return Err(invalid(
                "reclaim",
                "cannot be combined with `keepNewest`, because exact results change later",
            ));
        }
        Ok(given)
    }

    /// The settings, overridden by the given terms; `None` if the settings keep all results.
    pub(super) fn given(given: Option<&ReclaimTerms>, policy: &Policy) -> Result<Option<Self>, RpcError> {
        let given = given.cloned().unwrap_or_default();
        let factor = given.factor()?;
        let Some(mut thresholds) = thresholds(policy) else { return Ok(None) };
        if let Some(gain) = given.min_gain {
            thresholds.min_gain = i64::try_from(gain).unwrap_or(i64::MAX);
            thresholds.min_gain_uncited = thresholds.min_gain;
        }
        Ok(Some(Self { factor, to_come: given.requests_to_come, thresholds }))
    }

    /// The results that may be removed before the next request.
    pub(super) fn plan(self, timeline: &Timeline, context: Option<&Context>) -> Batch {
        let Self { factor, to_come, thresholds } = self;
        match context {
            Some(context) => timeline.plan_in(context, factor, to_come, thresholds),
            None => timeline.plan(factor, to_come, thresholds),
        }
    }
}

/// The thresholds for removing a result; `None` if the settings keep all results.
pub(super) fn thresholds(policy: &Policy) -> Option<Thresholds> {
    Thresholds::of(policy.mode).filter(|_| !policy.never_omit)
}

/// The batch of a plan with the replacements that `make` gives, in the same order. If a replacement cannot be made, the result
/// stays and the plan is made again without it, because it may refer to removed results.
pub(super) fn made(
    timeline: &mut Timeline,
    plan: impl Fn(&Timeline) -> Batch,
    mut make: impl FnMut(&Timeline, usize, RemovalReason) -> Option<StandIn>,
) -> (Batch, Vec<StandIn>) {
    /// Each plan tries all removable results, so few attempts are enough.
    const MAX_PLANS: usize = 8;
    for _ in 0..MAX_PLANS {
        let batch = plan(timeline);
        let made: Vec<_> = batch.gone.iter().map(|(number, why)| make(timeline, *number, *why)).collect();
        let failed = batch.gone.iter().zip(&made).filter(|(_, made)| made.is_none());
        let failed: Vec<usize> = failed.map(|((number, _), _)| *number).collect();
        if failed.is_empty() {
            return (batch, made.into_iter().flatten().collect());
        }
        failed.into_iter().for_each(|number| timeline.stays(number));
    }
    (Batch::default(), Vec::new())
}

/// The engine, the session and the policy of a conversation.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) engine: &'a Engine,
    pub(super) id: &'a str,
    pub(super) session: &'a Shared,
    pub(super) policy: &'a Policy,
}

/// Walks through the answers and results of a body in order.
pub(super) struct BodyWalk<'a> {
    place: Place<'a>,
    terms: Terms,
    found: &'a [Found<'a>],
    said: &'a [ModelTexts<'a>],
    conversation: Conversation,
    /// Events so far, and answers among them.
    events: usize,
    answers: usize,
    /// Results so far.
    results: usize,
}

/// The results that were removed from the conversation of a body.
pub(super) struct Removal {
    conversation: Arc<Conversation>,
    answers: usize,
    summary: Reclaim,
}

impl Removal {
    /// Starts the walk through a body.
    pub(super) fn begin<'a>(
        place: Place<'a>,
        terms: Terms,
        found: &'a [Found<'a>],
        said: &'a [ModelTexts<'a>],
    ) -> BodyWalk<'a> {
        let mut conversation = lock(place.session).take_conversation();
        if !conversation.continues_with(&events(found, said)) {
            conversation = Conversation::default();
        }
        BodyWalk { place, terms, found, said, conversation, events: 0, answers: 0, results: 0 }
    }

    /// The sums of this request, before removed results are added.
    pub(super) fn summary(&self) -> Reclaim {
        self.summary
    }

    /// Replaces a result by its stand-in if it was removed, adds it to the sums, and returns why it was
    /// removed.
    pub(super) fn put(&self, number: usize, stored: &mut Stored, sums: &mut Reclaim) -> Option<Reclaimed> {
        let gone = self.conversation.timeline.gone(number, self.answers)?;
        let tokens_saved = stored.put_stand_in(self.conversation.stand_ins.get(&number)?);
        sums.results += 1;
        sums.tokens_saved += tokens_saved;
        Some(Reclaimed::new(gone, tokens_saved))
    }
}

impl BodyWalk<'_> {
    /// Records the answers of the model before result `next`. Returns the calls of results that were removed
    /// meanwhile; `out` holds the results so far.
    pub(super) fn answers_before(&mut self, next: usize, out: &[Stored]) -> Vec<String> {
        let before = self.answers;
        while let Some(said) = self.said.get(self.answers).filter(|said| said.after <= next) {
            self.decide(out);
            let mut words = Vec::new();
            let event = heard(said, &mut words);
            if !self.conversation.record(self.events, event) {
                let tokens = said.parts.iter().map(|part| part.raw().len()).sum::<usize>() / BYTES_OF_TOKEN;
                let words = Words::of(words.iter().map(String::as_str));
                self.conversation.timeline.answer(&words, tokens);
            }
            self.events += 1;
            self.answers += 1;
        }
        let timeline = &self.conversation.timeline;
        if before == self.answers {
            return Vec::new();
        }
        // A result removed before an answer was not in the request of that answer.
        let is_gone = |number, answers: usize| answers > 0 && timeline.gone(number, answers - 1).is_some();
        let gone = |number: &usize| is_gone(*number, self.answers) && !is_gone(*number, before);
        (0..timeline.len().min(self.results))
            .filter(gone)
            .filter_map(|number| self.found[number].call.id.clone())
            .collect()
    }

    /// Records the results that were compressed since.
    pub(super) fn results(&mut self, out: &[Stored]) {
        for (found, stored) in self.found.iter().zip(out).skip(self.results) {
            let is_known = self.conversation.record(self.events, of_result(found));
            if !is_known && !self.conversation.timeline.is_full() {
                let facts = self.facts(found, stored);
                self.conversation.timeline.result(facts, found.call.reads_original());
            }
            self.events += 1;
        }
        self.results = out.len();
    }

    fn facts(&self, found: &Found<'_>, stored: &Stored) -> Facts {
        let job = Job::of_body(found, None, false);
        let (about, wrote) = (job.about(self.place.policy), Written::default());
        let id = found.call.id.as_deref().unwrap_or_default();
        let caller = job.caller(id, &[], 0, &wrote, &about);
        let mut facts = Facts::of(&found.call, &stored.outcome, caller.asked[0], caller.label);
        // A result of several texts, or without an id, cannot be replaced.
        facts.is_removable &= found.has_id && found.texts.len() == 1;
        facts
    }

    /// Decides which results are removed before the next request, unless that was decided before.
    fn decide(&mut self, out: &[Stored]) {
        if self.answers == 0 || self.answers <= self.conversation.decided {
            return;
        }
        self.conversation.decided = self.answers;
        if self.conversation.timeline.is_full() {
            return;
        }
        let mut timeline = std::mem::take(&mut self.conversation.timeline);
        let plan = |timeline: &Timeline| self.terms.plan(timeline, None);
        let (batch, stand_ins) =
            made(&mut timeline, plan, |timeline, number, why| self.stand_in(timeline, number, why, out));
        timeline.apply(&batch);
        self.conversation.timeline = timeline;
        let numbers = batch.gone.iter().map(|(number, _)| *number);
        self.conversation.stand_ins.extend(numbers.zip(stand_ins));
        let calls = batch.gone.iter().filter_map(|(number, _)| self.found[*number].call.id.as_deref());
        let calls: HashSet<&str> = calls.collect();
        if !calls.is_empty() {
            lock(self.place.session).results_removed(&calls);
        }
    }

    /// The stand-in of a result; `None` if its original cannot be kept.
    fn stand_in(
        &self,
        timeline: &Timeline,
        number: usize,
        why: RemovalReason,
        out: &[Stored],
    ) -> Option<StandIn> {
        let Place { engine, id, policy, .. } = self.place;
        let (facts, stored) = (timeline.facts(number)?, out.get(number)?);
        let (artifact, is_near) = engine.keep_whole(id, &self.found[number].call, stored, policy, true)?;
        stand_in(facts, (why, timeline.stands_for(number, why)), artifact, is_near, policy)
    }

    /// Ends the walk: decides what is removed from this request.
    pub(super) fn end(mut self, out: &[Stored]) -> Removal {
        self.answers_before(usize::MAX, out);
        let sum = self.terms.plan(&self.conversation.timeline, None).sum;
        self.decide(out);
        let timeline = &self.conversation.timeline;
        let went_now = |number: &usize| {
            timeline.gone(*number, self.answers).is_some()
                && self.answers.checked_sub(1).is_none_or(|before| timeline.gone(*number, before).is_none())
        };
        let new_results = (0..timeline.len()).filter(went_now).count();
        let summary = Reclaim { new_results, sum: sum.into(), ..Reclaim::default() };
        let conversation = Arc::new(self.conversation);
        lock(self.place.session).put_conversation(Arc::clone(&conversation));
        Removal { conversation, answers: self.answers, summary }
    }
}

/// The stand-in of a result whose original is kept; `None` if it saves nothing. `by` is the newer result that
/// replaces it; `is_near` says whether the command that texts name can read the original.
pub(super) fn stand_in(
    facts: &Facts,
    (why, by): (RemovalReason, Option<&str>),
    artifact: ArtifactRef,
    is_near: bool,
    policy: &Policy,
) -> Option<StandIn> {
    let handle = artifact.id.get(..HANDLE_DIGITS)?.to_owned();
    let read_by = match (policy.expand_tool, policy.hint.as_ref().and_then(|hint| hint.command.as_ref())) {
        (true, _) => Some(RetrievalMethod::Id),
        (false, Some(folder)) if is_near => Some(RetrievalMethod::Command { folder: folder.clone() }),
        (false, _) => None,
    };
    let (lines, of) = (facts.lines, facts.of.clone());
    let by = by.map(str::to_owned);
    let mut text = Marker::Removed { lines, of, why, by, read: read_by.map(|by| (handle, by)) }.write();
    if !facts.rest.is_empty() {
        text.push('\n');
        text.push_str(&facts.rest);
    }
    marker::seal(&mut text, &policy.seal_key);
    let tokens = tokens::counter(policy.tokenizer).count(&text);
    (tokens < facts.tokens).then(|| StandIn { text: text.into(), tokens, artifact: Some(artifact) })
}

impl Engine {
    /// Keeps the whole text of a result, with `for_good` until its session ends. Also returns whether the command
    /// that texts name can read it.
    pub(super) fn keep_whole(
        &self,
        session: &str,
        call: &ToolCall,
        stored: &Stored,
        policy: &Policy,
        for_good: bool,
    ) -> Option<(ArtifactRef, bool)> {
        let by_command = self.settings.originals_by_command;
        let is_copied = self.settings.recovery.mode != RecoveryMode::Never;
        let text = match &stored.artifact {
            Some(artifact) if artifact.on_disk => return Some((artifact.clone(), true)),
            Some(artifact) if !for_good && !is_copied => return Some((artifact.clone(), by_command)),
            Some(artifact) => {
                whole_text(&self.artifacts().open(Some(session), &artifact.id).ok()?).ok()??
            }
            None => stored.outcome.texts.concat(),
        };
        let retain = Retain::of(Arc::from(text.into_bytes()));
        // No part of the result is shown any more.
        let evidence = Evidence {
            status: Status::Compressed,
            bytes: BeforeAfter { before: retain.bytes.len(), after: 0 },
            tokens: Tokens { after: 0, ..stored.outcome.evidence.tokens.clone() },
            ..stored.outcome.evidence.clone()
        };
        let mut outcome = Outcome { evidence, ..stored.outcome.clone() };
        let on_disk = self.recover(Some(session), call, &mut outcome, Some(&retain), policy);
        let artifact = self.put(Some(session), call, &retain, for_good, None)?;
        Some((ArtifactRef { on_disk, ..artifact }, on_disk || by_command))
    }
}

/// Approximate bytes of a token of a message.
const BYTES_OF_TOKEN: usize = 4;

/// The events of a body, in order.
fn events(found: &[Found<'_>], said: &[ModelTexts<'_>]) -> Vec<Event> {
    let mut out = Vec::with_capacity(found.len() + said.len());
    let mut said = said.iter().peekable();
    let mut first = 0;
    for turn in found.chunk_by(|a, b| a.turn == b.turn) {
        while let Some(one) = said.next_if(|said| said.after <= first) {
            out.push(heard(one, &mut Vec::new()));
        }
        out.extend(turn.iter().map(of_result));
        first += turn.len();
    }
    out.extend(said.map(|one| heard(one, &mut Vec::new())));
    out
}

/// The event of a result.
fn of_result(found: &Found<'_>) -> Event {
    let mut hash = Xxh3::new();
    hash.update(b"result");
    for text in found.call.id.as_deref().into_iter().chain(found.texts.iter().map(|text| &*text.text)) {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.digest()
}

/// The event of an answer, and its texts.
fn heard(said: &ModelTexts<'_>, texts: &mut Vec<String>) -> Event {
    let mut hash = Xxh3::new();
    hash.update(b"answer");
    for part in &said.parts {
        strings(*part, 0, &mut |text| {
            hash.update(&(text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
            texts.push(text);
        });
    }
    hash.digest()
}

/// The texts of an answer. Members that hosts drop or move between requests (thoughts, their signatures, marks for
/// the cache) are left out, and so is everything that is not text.
fn strings(json: Json<'_>, depth: usize, note: &mut impl FnMut(String)) {
    /// No message of any API is deeper.
    const MAX_DEPTH: usize = 16;
    const LEFT_OUT: &[&str] = &[
        "cache_control",
        "signature",
        "thoughtSignature",
        "thought_signature",
        "encrypted_content",
        "data",
        "reasoning",
        "reasoning_content",
        "id",
        "status",
    ];
    const THOUGHTS: &[&str] = &["thinking", "redacted_thinking", "reasoning"];
    if depth > MAX_DEPTH {
        return;
    }
    if let Some(text) = json.string() {
        // Arguments of functions are JSON in a string.
        let inner =
            text.starts_with(['{', '[']).then(|| serde_json::from_str::<&serde_json::value::RawValue>(&text));
        match inner {
            Some(Ok(raw)) => strings(Json::of(raw), depth + 1, note),
            _ => note(text.into_owned()),
        }
        return;
    }
    let is_thought = json.text_of("type").is_some_and(|kind| THOUGHTS.contains(&&*kind))
        || json.get("thought").and_then(Json::boolean) == Some(true);
    if is_thought {
        return;
    }
    json.items().for_each(|item| strings(item, depth + 1, note));
    let members = json.members().filter(|member| !LEFT_OUT.contains(&&*member.name));
    members.for_each(|member| strings(member.value, depth + 1, note));
}
