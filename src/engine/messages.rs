//! `messages/compress`: compresses the tool results of a request body one by one, and puts the new texts in their places.
//! Every other byte of the body stays.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use serde_json::Value;
use serde_json::value::RawValue;

use super::compress::{Place, pressure, wanted_evidence};
use super::job::{Job, content_digest, shortened};
use super::reclaim::{self, Removal};
use super::sessions::lock;
use super::{Cancel, Engine, schema};
use crate::config::Policy;
use crate::formats::json::without_lone_surrogates;
use crate::pipeline::evidence::{BeforeAfter, Evidence, RedactionCount};
use crate::pipeline::limit::budget::Ask;
use crate::pipeline::{RedactionFailed, add_fingerprints, redaction_counts};
use crate::protocol::RpcError;
use crate::protocol::messages::{
    self, Found, Frame, MessageResult, MessagesCompressed, ModelTexts, OVERRIDES, Overrides, Params, Read,
    STRUCTURED, StructuredContent, ToolSchemas,
};
use crate::protocol::params::{check_correlation, check_id, invalid};
use crate::protocol::reclaim::Reclaim;
use crate::protocol::redact::{self, Inside, Plan, Region};
use crate::protocol::skim::{Edits, Json};
use crate::sanitize::Counts;
use crate::sanitize::spare::Spare;
use crate::session::Shared;
use crate::session::Stored;
use crate::telemetry::counts::with_caller;
use crate::text::marker::SealKey;
use crate::tokens;

/// Settings for one request body.
struct Body<'a> {
    policy: Policy,
    /// What is requested for each result.
    ask: Ask,
    /// Token limit for the results of one turn together.
    total: Option<usize>,
    session_id: Option<&'a str>,
    session: Option<Shared>,
    correlation: Option<&'a str>,
    query: Option<String>,
    /// Results from this index on stay exact.
    exact_from: usize,
    /// When earlier results leave the context.
    reclaim: Option<reclaim::Terms>,
}

/// Longest name of a model that is used, in bytes.
const MAX_MODEL: usize = 256;

impl Engine {
    /// Answers `messages/compress`.
    pub fn compress_messages(
        &self,
        params: &Params<'_>,
        cancel: &Cancel,
    ) -> Result<MessagesCompressed, RpcError> {
        let json = Json::of(params.body);
        if !json.is_object() && !json.is_array() {
            return Err(invalid("body", "expected an object, or for `mcp` also an array"));
        }
        check_correlation(params.correlation_id.as_deref())?;
        let overrides = Overrides::read(json)?;
        let Read { format, found, regions, model_texts: said } = messages::read(json, params.format)?;
        let body = self.body(params, &overrides, found.len())?;
        let model = self.model_of(json);
        let (stored, removal) =
            with_caller(|caller| caller.model = model, || self.compress_all(&found, &said, &body, cancel))?;
        // Results that stay exact may be data for a program: in them only secrets are removed.
        let escapes = (params.keep_newest < usize::MAX).then_some(body.policy.seal_key);
        let (mut edits, insides, redactions) =
            redacted(params.body.get(), &found, regions, &body.policy, escapes)?;
        if params.strip_overrides {
            edits.remove_members(json, |member| member.name == OVERRIDES);
        }
        let tools = match overrides.tool_schemas.or(params.tool_schemas).unwrap_or(body.policy.tool_schemas) {
            ToolSchemas::Minify => json.get("tools"),
            ToolSchemas::Disabled => None,
        };
        let tool_tokens = tools.map(|tools| tools_of(tools, &body.policy, &mut edits));
        let drops_repeated = params.structured_content == StructuredContent::DropRepeated;
        let answers = Answers::of(found, stored, removal.as_ref(), &body.policy, &mut |found, texts| {
            put(found, texts, &insides, &mut edits);
            if drops_repeated {
                drop_repeated(found, &mut edits);
            }
        });
        let Answers { results, tokens, reclaim } = answers;
        Ok(MessagesCompressed {
            body: edits.written(params.body)?,
            format,
            results,
            redactions,
            tokens,
            tool_tokens,
            reclaim,
        })
    }

    /// The settings for a body with this many results.
    fn body<'a>(
        &self,
        params: &'a Params<'_>,
        overrides: &'a Overrides,
        results: usize,
    ) -> Result<Body<'a>, RpcError> {
        let session_id = params.session_id.as_deref().or(overrides.session_id.as_deref());
        session_id.map_or(Ok(()), |id| check_id("sessionId", id))?;
        let patch = overrides.over(params.policy.clone());
        let pressure = pressure(params.context_pressure)?;
        let (mut policy, session) = self.policy_and_session(session_id, Some(&patch), params.budget)?;
        // The total applies to each turn, not to each result.
        let total = policy.budget.total.take();
        let body = Body {
            ask: Ask::new(&policy, pressure),
            total,
            policy,
            session_id,
            session,
            correlation: params.correlation_id.as_deref(),
            query: params.query.as_deref().map(shortened),
            exact_from: results.saturating_sub(params.keep_newest),
            reclaim: None,
        };
        let terms = reclaim::Terms::of(params, session_id, &body.policy)?;
        if terms.is_some()
            && body.session.as_ref().is_some_and(|session| lock(session).known_room().is_some())
        {
            return Err(invalid("reclaim", "is not allowed in a session that uses `session/reclaim`"));
        }
        Ok(Body { reclaim: terms, ..body })
    }

    /// For a body that [`compress_messages`](Self::compress_messages) rejects, for example because a member occurs
    /// twice, but that must be passed on anyway: removes the secrets from every value that came from a tool, and
    /// escapes look-alikes of markers. `None` if nothing changed.
    ///
    /// # Errors
    ///
    /// The body could not be redacted.
    pub fn redact_messages(&self, body: &RawValue) -> Result<Option<Box<RawValue>>, RpcError> {
        let (json, policy) = (Json::of(body), self.policy());
        let regions = messages::every_given(json);
        let (mut edits, ..) = redacted(body.get(), &[], regions, &policy, Some(policy.seal_key))?;
        edits.remove_members(json, |member| member.name == OVERRIDES);
        (!edits.is_empty()).then(|| edits.written(body)).transpose()
    }

    /// The keyed fingerprint of the model that a body is for; 0 if it names none.
    fn model_of(&self, body: Json<'_>) -> u64 {
        let name = body.is_object().then(|| body.text_of("model")).flatten();
        let name = name.filter(|name| (1..=MAX_MODEL).contains(&name.len()));
        name.map_or(0, |name| self.seal_key().fingerprint(name.as_bytes()))
    }

    /// The outcomes of all results, in order. The common budget applies to each turn by itself, so an answered turn stays as
    /// it was however many turns follow.
    fn compress_all(
        &self,
        found: &[Found<'_>],
        said: &[ModelTexts<'_>],
        body: &Body<'_>,
        cancel: &Cancel,
    ) -> Result<(Vec<Stored>, Option<Removal>), RpcError> {
        let known: HashSet<&str> = found.iter().filter_map(|f| f.call.id.as_deref()).collect();
        if let Some(session) = &body.session {
            // The model sees only the results of this body.
            lock(session).keep_only_of(&known);
        }
        let mut out = Vec::with_capacity(found.len());
        let mut seen = Seen { found, ..Seen::default() };
        let (worked_on, exact) = found.split_at(body.exact_from);
        let place = body.session_id.zip(body.session.as_ref());
        let mut removal = body.reclaim.zip(place).map(|(terms, (id, session))| {
            Removal::begin(
                reclaim::Place { engine: self, id, session, policy: &body.policy },
                terms,
                found,
                said,
            )
        });
        for turn in worked_on.chunk_by(|a, b| a.turn == b.turn) {
            if let Some(removal) = &mut removal {
                removal.answers_before(out.len(), &out).iter().for_each(|call| seen.left(call));
            }
            self.compress_turn(turn, body, &mut seen, &mut out, cancel)?;
            if let Some(removal) = &mut removal {
                removal.results(&out);
            }
        }
        let removal = removal.map(|removal| removal.end(&out));
        for one in exact {
            // The session remembers the result when it is compressed.
            let place = Place::new(body.session_id, None).with_correlation(body.correlation);
            out.push(self.run(
                &Job::of_body(one, None, true),
                &body.policy,
                body.ask,
                place,
                None,
                cancel,
            )?);
        }
        Ok((out, removal))
    }

    /// The outcomes of the results of one turn. A remembered outcome may refer to a result that is no longer in the
    /// body, or that the host replaced there by something else. It is then made again without references, and this
    /// form is returned from then on.
    fn compress_turn<'a>(
        &self,
        found: &'a [Found<'_>],
        body: &Body<'_>,
        seen: &mut Seen<'a>,
        out: &mut Vec<Stored>,
        cancel: &Cancel,
    ) -> Result<(), RpcError> {
        let place = Place::new(body.session_id, body.session.as_ref()).with_correlation(body.correlation);
        let first = |call: Option<&str>| {
            let (session, call) = body.session.as_ref().zip(call)?;
            lock(session).query_of(call).map(|query| query.map(str::to_owned))
        };
        let asked: Vec<Option<Option<String>>> =
            found.iter().map(|one| first(one.call.id.as_deref())).collect();
        let jobs: Vec<Job<'_>> = found
            .iter()
            .zip(&asked)
            .map(|(one, asked)| Job::of_body(one, asked.clone().unwrap_or_else(|| body.query.clone()), false))
            .collect();
        let batch = self.batch(&jobs, &body.policy, body.ask, body.total, place, cancel)?;
        let mut left = body.total.map(|total| total.saturating_sub(batch.tokens.after));
        for (((one, job), asked), mut stored) in found.iter().zip(&jobs).zip(asked).zip(batch.results) {
            seen.add(out.len());
            let is_gone = stored.reclaimed.is_some();
            if !is_gone && !seen.shows_all(&stored.outcome.evidence, out.len(), place.session) {
                let policy = Policy { dedup: false, ..body.policy.clone() };
                let before = stored.outcome.evidence.tokens.after;
                let limit = left.map(|left| left + before).into_iter().chain(body.ask.limit).min();
                stored = self.run(job, &policy, Ask { limit, ..body.ask }, place, None, cancel)?;
                let after = stored.outcome.evidence.tokens.after;
                left = left.map(|left| (left + before).saturating_sub(after));
            }
            if let (None, Some((session, call))) = (asked, body.session.as_ref().zip(one.call.id.as_deref()))
            {
                lock(session).remember_query(call, job.call.query.as_deref());
            }
            out.push(stored);
        }
        Ok(())
    }
}

/// What is answered for the results of a body.
struct Answers {
    results: Vec<MessageResult>,
    /// Sums over the results.
    tokens: BeforeAfter,
    /// What was removed from the context, if the request asked for that.
    reclaim: Option<Reclaim>,
}

impl Answers {
    /// `put` puts the new texts of a result into the body.
    fn of(
        found: Vec<Found<'_>>,
        stored: Vec<Stored>,
        removal: Option<&Removal>,
        policy: &Policy,
        put: &mut dyn FnMut(&Found<'_>, &[String]),
    ) -> Self {
        let mut tokens = BeforeAfter::default();
        let mut results = Vec::with_capacity(found.len());
        let mut reclaim = removal.map(Removal::summary);
        for (number, (found, mut stored)) in found.into_iter().zip(stored).enumerate() {
            let gone = removal.and_then(|removal| removal.put(number, &mut stored, reclaim.as_mut()?));
            put(&found, &stored.outcome.texts);
            tokens.before += stored.outcome.evidence.tokens.before;
            tokens.after += stored.outcome.evidence.tokens.after;
            results.push(MessageResult {
                reclaimed: gone.or(stored.reclaimed),
                ..answer(found, stored, policy)
            });
        }
        Self { results, tokens, reclaim }
    }
}

fn answer(found: Found<'_>, stored: Stored, policy: &Policy) -> MessageResult {
    MessageResult {
        tool_call_id: found.call.id,
        place: found.place,
        evidence: wanted_evidence(stored.outcome.evidence, policy),
        artifact: stored.artifact,
        reclaimed: None,
    }
}

/// Edits that remove secrets inside strings that hold JSON text, by the position of the string.
type Insides = HashMap<usize, Edits>;

/// Edits that remove secrets from everything that tools returned, except compressed texts, which are redacted separately.
fn redacted(
    text: &str,
    found: &[Found<'_>],
    regions: Vec<Region>,
    policy: &Policy,
    escapes: Option<SealKey>,
) -> Result<(Edits, Insides, Vec<RedactionCount>), RpcError> {
    if !policy.redact_secrets && escapes.is_none() {
        return Ok(Default::default());
    }
    let failed = |RedactionFailed| {
        RpcError::failed("redaction_failed", "the body could not be redacted, so no content is returned")
    };
    // This text does not belong to one result, so only items of `secrets.allow` without a path apply.
    let spare = Spare::of(&policy.secrets.allow, &policy.seal_key, &[]);
    let spare = spare.or_everything(!policy.redact_secrets);
    let mut counts = Counts::new();
    let mut insides = Insides::new();
    let mut but = Vec::new();
    for one in found {
        for texts in one.texts.chunk_by(|a, b| a.range == b.range) {
            but.push(texts[0].range.clone());
            let Some((whole, _)) = &texts[0].inside else { continue };
            let mut within: Vec<_> =
                texts.iter().filter_map(|text| Some(text.inside.as_ref()?.1.clone())).collect();
            within.sort_by_key(|range| range.start);
            let inside = Inside { range: texts[0].range.clone(), text: Rc::clone(whole), but: within };
            let edits = redact::edits_inside(&inside, escapes, &spare, &mut counts).map_err(failed)?;
            if !edits.is_empty() {
                insides.insert(inside.range.start, edits);
            }
        }
    }
    but.sort_by_key(|range| range.start);
    let edits = redact::edits(text, &Plan { regions, but, escapes }, &spare, &mut counts).map_err(failed)?;
    let mut redactions = redaction_counts(&counts);
    add_fingerprints(&mut redactions, &spare.met(), policy);
    Ok((edits, insides, redactions))
}

/// Puts the new texts of a result into its places.
fn put(found: &Found<'_>, texts: &[String], insides: &Insides, edits: &mut Edits) {
    let all: Vec<_> = found.texts.iter().zip(texts).collect();
    for same in all.chunk_by(|(a, _), (b, _)| a.range == b.range) {
        let (place, new) = same[0];
        let Some((whole, _)) = &place.inside else {
            if **new != *place.text {
                match &place.frame {
                    None => edits.replace_string(place.range.clone(), new),
                    Some(Frame { before, after }) => {
                        edits.replace_string(place.range.clone(), &format!("{before}{new}{after}"));
                    }
                }
            }
            continue;
        };
        // All texts inside one string of JSON text are edited together.
        let mut inner = insides.get(&place.range.start).cloned().unwrap_or_default();
        for (text, new) in same.iter().filter(|(text, new)| **new != *text.text) {
            if let Some((_, range)) = &text.inside {
                inner.replace_string(range.clone(), new);
            }
        }
        if !inner.is_empty() {
            edits.replace_string(place.range.clone(), &inner.apply(whole));
        }
    }
}

/// Removes structured content that repeats a text of the same result.
fn drop_repeated(found: &Found<'_>, edits: &mut Edits) {
    let value = |text: &str| serde_json::from_str::<Value>(&without_lone_surrogates(text.as_bytes())).ok();
    let Some(object) = found.structured else { return };
    let Some(place) = object.get(STRUCTURED) else { return };
    let (Some(structured), structured_place) = (value(place.raw()), place.range()) else { return };
    if found.texts.iter().any(|text| value(&text.text).is_some_and(|value| value == structured)) {
        edits.forget(&structured_place);
        edits.remove_members(object, |member| member.name == STRUCTURED);
    }
}

/// The results of a body before a place in it.
#[derive(Default)]
struct Seen<'a> {
    found: &'a [Found<'a>],
    /// By call id: the number of the first result, and whether there are more.
    calls: HashMap<&'a str, (usize, bool)>,
    /// For calls that were checked: whether the text in the body is the one that came first under this id.
    are_same: HashMap<usize, bool>,
}

impl<'a> Seen<'a> {
    /// Adds the result of this number.
    fn add(&mut self, number: usize) {
        if let Some(id) = self.found.get(number).and_then(|found| found.call.id.as_deref()) {
            self.calls.entry(id).and_modify(|(_, has_more)| *has_more = true).or_insert((number, false));
        }
    }

    /// Notes that the result of a call left the context.
    fn left(&mut self, call: &str) {
        self.calls.remove(call);
    }

    /// Whether the body holds everything that the outcome of result `number` refers to, with its first content.
    /// Arguments that the model wrote into a call do not change.
    fn shows_all(&mut self, evidence: &Evidence, number: usize, session: Option<&Shared>) -> bool {
        let shown = evidence.omissions.iter().filter_map(|o| o.shown_by.as_ref());
        let shown = shown.map(|shown| (shown.tool_call_id.as_str(), shown.argument.is_some()));
        let first = evidence.duplicate_of.as_deref().map(|id| (id, false));
        first.into_iter().chain(shown).all(|(id, is_written)| {
            let Some(&(at, has_more)) = self.calls.get(id) else { return false };
            is_written || at == number || !has_more && self.is_same(at, id, session)
        })
    }

    fn is_same(&mut self, at: usize, id: &str, session: Option<&Shared>) -> bool {
        let Some(found) = self.found.get(at) else { return false };
        *self.are_same.entry(at).or_insert_with(|| {
            session.is_none_or(|session| lock(session).first_had(id, &content_digest(found)))
        })
    }
}

/// Minifies the tools of a body, and counts their tokens before and after.
fn tools_of(tools: Json<'_>, policy: &Policy, edits: &mut Edits) -> BeforeAfter {
    let counter = tokens::counter(policy.tokenizer);
    let mut own = Edits::default();
    schema::minify(tools, &mut own);
    let before = counter.count(tools.raw());
    let start = tools.range().start;
    let after = own.is_empty().then_some(before);
    let after = after.unwrap_or_else(|| counter.count(&own.clone().shifted_back(start).apply(tools.raw())));
    edits.append(own);
    BeforeAfter { before, after }
}
