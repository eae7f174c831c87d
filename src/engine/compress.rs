//! `toolResult/compress`: looks in the memo, runs the core, stores the original, commits. Batches are in `batch`.

use serde_json::value::RawValue;

use super::job::Job;
use super::recovery::listed_command;
use super::sessions::lock;
use super::{Cancel, Engine, resolve};
use crate::artifact::{Media, Meta};
use crate::config::{BudgetPatch, EvidenceDetail, Policy, PolicyPatch};
use crate::pipeline::evidence::{BeforeAfter, Evidence, Memo, Status, Step};
use crate::pipeline::limit::budget::Ask;
use crate::pipeline::limit::pointer;
use crate::pipeline::repeat::dedup::{History, NoHistory};
use crate::pipeline::{Outcome, Prepared, Retain};
use crate::pipeline::{RedactionFailed, add_fingerprints, redaction_counts};
use crate::protocol::RpcError;
use crate::protocol::content;
use crate::protocol::content::Exact;
use crate::protocol::error::INTERNAL_ERROR;
use crate::protocol::params::{check_correlation, invalid};
use crate::protocol::redact;
use crate::protocol::tool_result::{ArtifactRef, CompressParams, Compressed, ToolResult, check_session};
use crate::sanitize::Counts;
use crate::sanitize::spare::Spare;
use crate::session::Shared;
use crate::session::{AsDecided, Lookup, Stored, Window, WithoutReferences};
use crate::telemetry::event::Resend;
use crate::telemetry::{Clock, Stopwatch};
use crate::text::call::ToolCall;
use crate::text::cut::Cut;
use crate::text::reason::Reason;

/// Where a result belongs: its session, and how many results the session had before this turn.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) session: Option<&'a Shared>,
    pub(super) turn: usize,
    /// The host's name for the request.
    pub(super) correlation: Option<&'a str>,
    /// How the host cuts the text that it gets.
    pub(super) cut: Option<Cut>,
    /// Whether it counts as a result of the session even without an id.
    pub(super) is_counted: bool,
    /// Measures the time of each step, if telemetry wants it.
    pub(super) watch: Option<&'a Stopwatch<'a>>,
}

impl<'a> Place<'a> {
    pub(super) fn new(id: Option<&'a str>, session: Option<&'a Shared>) -> Self {
        let turn = session.map_or(0, |session| lock(session).results());
        Self { id, session, turn, correlation: None, cut: None, is_counted: true, watch: None }
    }

    /// The same place, with the host's name for the request.
    pub(super) fn with_correlation(self, correlation: Option<&'a str>) -> Self {
        Self { correlation, ..self }
    }

    /// The same place, with the way in which the host cuts.
    pub(super) fn with_cut(self, cut: Option<Cut>) -> Self {
        Self { cut, ..self }
    }
}

impl Engine {
    /// Answers `toolResult/compress`.
    pub fn compress(&self, params: &CompressParams<'_>, cancel: &Cancel) -> Result<Compressed, RpcError> {
        self.compress_counted(params, true, cancel)
    }

    /// Like `compress`, for a text without an id that is not a new result, such as one that is reported again.
    pub fn compress_uncounted(
        &self,
        params: &CompressParams<'_>,
        cancel: &Cancel,
    ) -> Result<Compressed, RpcError> {
        self.compress_counted(params, false, cancel)
    }

    fn compress_counted(
        &self,
        params: &CompressParams<'_>,
        is_counted: bool,
        cancel: &Cancel,
    ) -> Result<Compressed, RpcError> {
        check_session(params.session_id.as_deref())?;
        check_correlation(params.correlation_id.as_deref())?;
        cancel.check()?;
        let result = ToolResult::read(&params.result, "result")?;
        cancel.check()?;
        let job = Job::new(&result, "result", params.full_output, params.query.as_deref())?;
        let pressure = pressure(params.context_pressure)?;
        let cut = params.host_cut.map(|cut| cut.read()).transpose()?;
        let id = params.session_id.as_deref();
        let (policy, session) = self.policy_and_session(id, params.policy.as_ref(), params.budget)?;
        let place =
            Place::new(id, session.as_ref()).with_correlation(params.correlation_id.as_deref()).with_cut(cut);
        let place = Place { is_counted, ..place };
        let stored = self.run(&job, &policy, Ask::new(&policy, pressure), place, None, cancel)?;
        respond(&job, stored, &policy)
    }

    /// The policy of a request: the settings of its session with the request's patch on top.
    pub(super) fn policy_and_session(
        &self,
        session: Option<&str>,
        patch: Option<&PolicyPatch>,
        budget: Option<BudgetPatch>,
    ) -> Result<(Policy, Option<Shared>), RpcError> {
        let policy = self.policy();
        // An invalid patch must have no effect, so it is checked before the session opens.
        let of_request = with_request(&policy, patch, budget)?;
        let Some(session) = session.map(|id| self.session(id)).transpose()? else {
            return Ok((of_request, None));
        };
        let of_session = {
            let session = lock(&session);
            match session.policy == PolicyPatch::default() {
                true => None,
                false => Some(resolve(&policy, Some(&session.policy))?),
            }
        };
        let policy = match of_session {
            Some(policy) => with_request(&policy, patch, budget)?,
            None => of_request,
        };
        Ok((policy, Some(session)))
    }

    /// Answers one result from the memo or through the core, and reports the events about it.
    pub(super) fn run(
        &self,
        job: &Job<'_>,
        policy: &Policy,
        ask: Ask,
        place: Place<'_>,
        prepared: Option<&Prepared<'_>>,
        cancel: &Cancel,
    ) -> Result<Stored, RpcError> {
        let watch = self.recorder.stopwatch();
        let place = Place { watch: watch.as_ref(), ..place };
        let worked = self.compress_one(job, policy, ask, place, prepared, cancel);
        self.report(job, policy, place, worked.as_ref());
        self.make_room(place.id);
        worked.map(|(stored, _)| stored)
    }

    /// Compresses one result. Also says how it was answered if the session gave it before.
    fn compress_one(
        &self,
        job: &Job<'_>,
        policy: &Policy,
        ask: Ask,
        place: Place<'_>,
        prepared: Option<&Prepared<'_>>,
        cancel: &Cancel,
    ) -> Result<(Stored, Option<Resend>), RpcError> {
        cancel.check()?;
        let Some(session) = place.session else {
            return Ok((self.compress_new(job, policy, ask, place, &NoHistory, prepared, cancel)?, None));
        };
        let mut session = lock(session);
        let Some(call_id) = job.call.id.as_deref() else {
            let history = WithoutReferences(&session);
            let stored = self.compress_new(job, policy, ask, place, &history, prepared, cancel)?;
            if place.is_counted {
                session.count(&job.call.tool, &stored.outcome);
                session.note_other(stored.outcome.evidence.tokens.after);
            }
            return Ok((stored, None));
        };
        let fingerprint = job.fingerprint(policy);
        let known = session.look_up(call_id, fingerprint);
        let decision = match known {
            Lookup::Stored(mut stored) if policy.memo && self.is_kept(place.id, &stored) => {
                stored.outcome.evidence.memo = Memo { reused: true, changed: false };
                session.put_stand_in(call_id, fingerprint, &mut stored);
                session.count_resend(&stored.outcome, true);
                return Ok((*stored, Some(Resend::Memo)));
            }
            Lookup::Stored(ref stored) => Some(&stored.outcome.decision),
            Lookup::Decided(ref decision) => Some(&**decision),
            _ => None,
        };
        if let Some(decision) = decision {
            let mut outcome = job.core(policy, ask, &AsDecided(decision.clone()), prepared, place.watch)?;
            outcome.evidence.memo.reused = policy.memo;
            let (mut stored, _) = self.store(place.id, &job.call, outcome, policy);
            session.put_stand_in(call_id, fingerprint, &mut stored);
            session.count_resend(&stored.outcome, false);
            return Ok((stored, Some(Resend::Remade)));
        }
        if let Lookup::Full = known {
            let history = WithoutReferences(&session);
            let stored = self.compress_new(job, policy, ask, place, &history, prepared, cancel)?;
            session.count(&job.call.tool, &stored.outcome);
            session.note_other(stored.outcome.evidence.tokens.after);
            return Ok((stored, None));
        }
        let changed = matches!(known, Lookup::Changed);
        let mentioned = job.call.mentioned();
        let wrote = job.written_values(policy);
        let about = job.about(policy);
        let caller = job.caller(call_id, &mentioned, place.turn, &wrote, &about);
        let written = job.written_texts(policy);
        let mut stored = {
            let history = session.history(caller, &written, window(policy));
            self.compress_new(job, policy, ask, place, &history, prepared, cancel)?
        };
        stored.outcome.evidence.memo.changed = changed;
        session.commit(caller, &written, fingerprint, stored.clone(), policy.memo, place.cut);
        if let (Some(id), true) = (place.id, session.known_room().is_some_and(|room| !room.is_full())) {
            let is_cut = session.is_cut(place.cut, &stored.outcome.texts);
            let noted = self.noted(id, job, &caller, fingerprint, &stored, policy);
            session.note(if is_cut { noted.in_part() } else { noted }, changed);
        }
        if changed {
            session.count_changed(&stored.outcome);
        }
        stored.outcome.retain = None;
        Ok((stored, None))
    }

    /// Compresses a result that is new to the session. If its original cannot be stored, it gets no pointer and no hint, and
    /// is compressed as usual.
    #[allow(clippy::too_many_arguments, reason = "one step of `run`, taken out for its length")]
    fn compress_new(
        &self,
        job: &Job<'_>,
        policy: &Policy,
        ask: Ask,
        place: Place<'_>,
        history: &dyn History,
        prepared: Option<&Prepared<'_>>,
        cancel: &Cancel,
    ) -> Result<Stored, RpcError> {
        let outcome = job.core(policy, ask, history, prepared, place.watch)?;
        cancel.check()?;
        let (stored, is_kept) = self.store(place.id, &job.call, outcome, policy);
        if is_kept {
            return Ok(stored);
        }
        let outcome =
            job.core(policy, Ask { can_store_original: false, ..ask }, history, prepared, place.watch)?;
        cancel.check()?;
        Ok(self.store(place.id, &job.call, outcome, policy).0)
    }

    /// Whether the original of a remembered outcome can still be read; true if it has none.
    pub(super) fn is_kept(&self, session: Option<&str>, stored: &Stored) -> bool {
        stored.artifact.as_ref().is_none_or(|artifact| self.artifacts().open(session, &artifact.id).is_ok())
    }

    /// Stores the original of an outcome, and says whether everything that the text points to can be read. If the
    /// store is full, the artifact is lost, but never the result.
    fn store(
        &self,
        session: Option<&str>,
        call: &ToolCall,
        mut outcome: Outcome,
        policy: &Policy,
    ) -> (Stored, bool) {
        let key = outcome.evidence.externalized.clone();
        let retain = outcome.retain.take();
        let on_disk = self.recover(session, call, &mut outcome, retain.as_deref(), policy);
        let is_wanted = retain.is_some();
        let pointer = key.as_ref().and_then(|_| pointer::first(&outcome.texts));
        let artifact = retain.and_then(|retain| self.put(session, call, &retain, key.is_some(), pointer));
        if is_wanted && artifact.is_none() {
            outcome.evidence.steps.push(not_stored("artifact", &outcome));
        }
        let artifact = artifact.map(|artifact| ArtifactRef { on_disk, ..artifact });
        let is_kept = key.is_none_or(|key| artifact.as_ref().is_some_and(|artifact| artifact.id == key))
            && (!outcome.decision.hinted
                || on_disk
                || (self.settings.originals_by_command && artifact.is_some()));
        (Stored { outcome, artifact, reclaimed: None }, is_kept)
    }

    /// Keeps an original in memory.
    pub(super) fn put(
        &self,
        session: Option<&str>,
        call: &ToolCall,
        retain: &Retain,
        keep: bool,
        pointer: Option<&str>,
    ) -> Option<ArtifactRef> {
        let meta = || Meta {
            tool: call.tool.clone(),
            tool_call_id: call.id.clone(),
            command: call.command.as_deref().and_then(listed_command),
            media: retain.mime.map_or(Media::Text, |mime| Media::Binary(mime.to_owned())),
            keep_until_session_end: keep,
            pointer: None,
        };
        let now = self.started.now();
        let hash = retain.whole_hash();
        let mut store = self.artifacts();
        let pointed = Meta { pointer: pointer.map(str::to_owned), ..meta() };
        let put = store.put_hashed(session, &retain.bytes, hash, pointed, now).ok()?;
        let original = retain.original.as_ref().and_then(|bytes| store.put(session, bytes, meta(), now).ok());
        Some(ArtifactRef {
            id: put.id,
            bytes: put.bytes as usize,
            lines: put.lines as usize,
            original_id: original.map(|put| put.id),
            on_disk: false,
        })
    }
}

/// A step that reports that an original could not be stored.
pub(super) fn not_stored(id: &str, outcome: &Outcome) -> Step {
    let bytes = outcome.evidence.bytes.after;
    Step { id: id.to_owned(), reason: Reason::NotStored, bytes_before: bytes, bytes_after: bytes }
}

/// The policy with the settings of a request on top.
pub(super) fn with_request(
    policy: &Policy,
    patch: Option<&PolicyPatch>,
    budget: Option<BudgetPatch>,
) -> Result<Policy, RpcError> {
    let policy = resolve(policy, patch)?;
    if budget.is_none() {
        return Ok(policy);
    }
    policy.with(&PolicyPatch { budget, ..PolicyPatch::default() }).map_err(|bad| {
        let text = bad.to_string();
        RpcError::invalid_params(text.strip_prefix("policy.").unwrap_or(&text))
    })
}

/// How far back references may point.
pub(super) fn window(policy: &Policy) -> Window {
    Window { results: policy.dedup_window_results, tokens: policy.dedup_window_tokens }
}

/// Context pressure, from the host's 0 to 1, in thousandths.
pub(super) fn pressure(given: Option<f64>) -> Result<usize, RpcError> {
    match given {
        None => Ok(0),
        Some(n) if (0.0..=1.0).contains(&n) => Ok((n * 1000.0).round() as usize),
        Some(n) => Err(invalid("contextPressure", &format!("{n} is out of range, allowed is 0 to 1"))),
    }
}

/// The answer, in the shape in which the content came.
pub(super) fn respond(job: &Job<'_>, stored: Stored, policy: &Policy) -> Result<Compressed, RpcError> {
    let Stored { mut outcome, artifact, reclaimed } = stored;
    let tokens = &outcome.evidence.tokens;
    if let (Some(before), Some(budget)) = (job.tokens, &mut outcome.evidence.budget) {
        budget.host_tokens = Some(BeforeAfter { before, after: job.as_host(tokens.after, tokens.before) });
    }
    let is_exact = outcome.evidence.status == Status::Bypassed;
    let exact = is_exact.then_some(Exact { redact: policy.redact_secrets });
    let mut content = job.content.write(&outcome.texts, exact).map_err(|e| {
        RpcError::new(INTERNAL_ERROR, "internal", format!("the content cannot be written: {e}"))
    })?;
    if (policy.redact_secrets || !is_exact)
        && let Some(safe) = rest_redacted(job, &content, policy, &mut outcome.evidence)?
    {
        content = safe;
    }
    let evidence = wanted_evidence(outcome.evidence, policy);
    Ok(Compressed { content, evidence, artifact, reclaimed })
}

/// The content with secrets removed from all blocks, also from those that are not compressed.
fn rest_redacted(
    job: &Job<'_>,
    content: &RawValue,
    policy: &Policy,
    evidence: &mut Evidence,
) -> Result<Option<Box<RawValue>>, RpcError> {
    let failed = |RedactionFailed| {
        RpcError::failed("redaction_failed", "the result could not be redacted, so no content is returned")
    };
    let Some(but) = content::texts_of(content) else { return Ok(None) };
    let spare = Spare::of(&policy.secrets.allow, &policy.seal_key, &job.call.paths());
    let spare = spare.or_everything(!policy.redact_secrets);
    let mut counts = Counts::new();
    let Some(safe) =
        redact::redacted(content, but, Some(policy.seal_key), &spare, &mut counts).map_err(failed)?
    else {
        return Ok(None);
    };
    let mut redactions = redaction_counts(&counts);
    add_fingerprints(&mut redactions, &spare.met(), policy);
    for row in redactions {
        match evidence.redactions.iter_mut().find(|known| known.rule == row.rule) {
            Some(known) => {
                known.count += row.count;
                known.fingerprints.extend(row.fingerprints);
            }
            None => evidence.redactions.push(row),
        }
    }
    if evidence.status == Status::Unchanged {
        evidence.status = Status::Compressed;
    }
    RawValue::from_string(safe).map(Some).map_err(|_| failed(RedactionFailed))
}

/// The evidence in as much detail as the policy asks for.
pub(super) fn wanted_evidence(evidence: Evidence, policy: &Policy) -> Option<Evidence> {
    Some(evidence).filter(|evidence| match policy.evidence {
        EvidenceDetail::None => false,
        EvidenceDetail::Changed => evidence.status != Status::Unchanged,
        EvidenceDetail::Full => true,
    })
}
