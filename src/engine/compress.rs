//! `toolResult/compress` and its batch: memo, core, artifact, commit.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::sessions::{Shared, lock};
use super::{Cancel, Engine, resolve};
use crate::artifact::{Media, Meta};
use crate::config::{EvidenceDetail, Mode, Policy, PolicyPatch};
use crate::pipeline::blocks::Lines;
use crate::pipeline::call::ToolCall;
use crate::pipeline::dedup::{History, NoHistory};
use crate::pipeline::evidence::{BeforeAfter, Evidence, Memo, Status};
use crate::pipeline::sanitize;
use crate::pipeline::{self, Outcome, Raw, RedactionFailed, Retain};
use crate::protocol::RpcError;
use crate::protocol::content::{Content, Exact};
use crate::protocol::error::INTERNAL_ERROR;
use crate::protocol::tool_result::{
    ArtifactRef, BatchCompressed, BatchParams, CompressParams, Compressed, ToolResult, check_session,
};
use crate::session::{AsDecided, Caller, Ending, Fingerprint, Lookup, Stored, Window};

/// How much of a query counts.
const MAX_QUERY_BYTES: usize = 4096;

/// One result, read and checked.
pub(super) struct Job<'a> {
    pub(super) call: ToolCall,
    pub(super) content: Content<'a>,
    pub(super) full_output: bool,
}

impl<'a> Job<'a> {
    pub(super) fn new(
        result: &ToolResult<'a>,
        place: &str,
        full_output: bool,
        query: Option<&str>,
    ) -> Result<Self, RpcError> {
        let query = query.map(|query| query[..query.floor_char_boundary(MAX_QUERY_BYTES)].to_owned());
        let call = ToolCall { query, ..result.call(place)? };
        let content = Content::read(result.content, &format!("{place}.content"))?;
        Ok(Self { call, content, full_output: full_output || result.full_output })
    }

    pub(super) fn fingerprint(&self, policy: &Policy) -> Fingerprint {
        let mut content = Digest::default();
        for part in self.content.parts() {
            // The same bytes are read in another way as text.
            match part {
                Raw::Text(text) => content.field(b"text").field(text.as_bytes()),
                Raw::Bytes(bytes) => content.field(b"bytes").field(bytes),
            };
        }
        let content = content.finish();
        let call = &self.call;
        let mut request = Digest::default();
        request
            .field(&content)
            .field(&policy.fingerprint().to_le_bytes())
            .field(call.tool.as_bytes())
            .field(call.arguments.to_string().as_bytes())
            .field(call.command.as_deref().unwrap_or_default().as_bytes())
            .field(call.path.as_deref().unwrap_or_default().as_bytes())
            .field(call.query.as_deref().unwrap_or_default().as_bytes())
            .field(format!("{:?} {:?} {}", call.exit_code, call.is_error, self.full_output).as_bytes());
        Fingerprint { request: request.finish(), content }
    }

    /// Texts of several lines that the model wrote into the call, without secrets.
    pub(super) fn written(&self, policy: &Policy) -> Vec<(String, Lines)> {
        if !policy.dedup || policy.mode < Mode::Standard {
            return Vec::new();
        }
        let safe = |text: &str| match policy.redact_secrets {
            true => sanitize::redact_only(text).ok().map(|(text, _)| Lines::of(&text)),
            false => Some(Lines::of(text)),
        };
        let texts = self.call.written().into_iter();
        texts.filter_map(|(name, text)| Some((name.to_owned(), safe(text)?))).collect()
    }

    /// The call as the session tells it from others.
    pub(super) fn caller<'b>(&'b self, id: &'b str, mentioned: &'b [&'b str], turn: usize) -> Caller<'b> {
        let call = &self.call;
        let mut asked = Digest::default();
        asked
            .field(call.canonical_tool().as_bytes())
            .field(call.arguments.to_string().as_bytes())
            .field(call.command.as_deref().unwrap_or_default().as_bytes())
            .field(call.path.as_deref().unwrap_or_default().as_bytes());
        let ending = Ending { exit_code: call.exit_code, is_error: call.is_error };
        // Doing a thing again is no question.
        let is_told =
            (!call.arguments.is_null() || call.command.is_some() || call.path.is_some()) && !call.acts();
        Caller { id, tool: &call.tool, asked: is_told.then(|| asked.finish()), mentioned, ending, turn }
    }
}

/// A digest over fields, each with its length, so that no two lists of fields are the same bytes.
#[derive(Default)]
struct Digest(blake3::Hasher);

impl Digest {
    fn field(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
        self
    }

    fn finish(&self) -> [u8; 16] {
        let mut half = [0; 16];
        half.copy_from_slice(&self.0.finalize().as_bytes()[..16]);
        half
    }
}

impl Engine {
    /// `toolResult/compress`
    pub fn compress(&self, params: &CompressParams<'_>, cancel: &Cancel) -> Result<Compressed, RpcError> {
        check_session(params.session_id.as_deref())?;
        let result = ToolResult::read(&params.result, "result")?;
        let job = Job::new(&result, "result", params.full_output, params.query.as_deref())?;
        let (policy, session) = self.context(params.session_id.as_deref(), params.policy.as_ref())?;
        let turn = results(session.as_ref());
        let stored = self.run(&job, &policy, params.session_id.as_deref(), session.as_ref(), turn, cancel)?;
        respond(&job, stored, &policy)
    }

    /// `toolResult/compressBatch`
    pub fn compress_batch(
        &self,
        params: &BatchParams<'_>,
        cancel: &Cancel,
    ) -> Result<BatchCompressed, RpcError> {
        check_session(params.session_id.as_deref())?;
        let jobs = params
            .results
            .iter()
            .enumerate()
            .map(|(i, members)| {
                let (result, place) = ToolResult::read_item(members, i)?;
                Job::new(&result, &place, params.full_output, params.query.as_deref())
            })
            .collect::<Result<Vec<_>, _>>()?;
        let (policy, session) = self.context(params.session_id.as_deref(), params.policy.as_ref())?;
        let turn = results(session.as_ref());
        let mut out = BatchCompressed {
            results: Vec::with_capacity(jobs.len()),
            tokens: BeforeAfter::default(),
            budget_applied: params.budget.as_ref().map(|_| false),
        };
        for job in &jobs {
            let stored =
                self.run(job, &policy, params.session_id.as_deref(), session.as_ref(), turn, cancel)?;
            out.tokens.before += stored.outcome.evidence.tokens.before;
            out.tokens.after += stored.outcome.evidence.tokens.after;
            out.results.push(respond(job, stored, &policy)?);
        }
        Ok(out)
    }

    /// The policy of a request and its session.
    pub(super) fn context(
        &self,
        session: Option<&str>,
        patch: Option<&PolicyPatch>,
    ) -> Result<(Policy, Option<Shared>), RpcError> {
        let mut policy = self.policy();
        // A bad patch must change nothing, so it is looked at before the session opens.
        resolve(&policy, patch)?;
        let session = session.map(|id| self.session(id)).transpose()?;
        if let Some(session) = &session {
            policy = resolve(&policy, Some(&lock(session).policy))?;
        }
        Ok((resolve(&policy, patch)?, session))
    }

    /// One result against the memo, or through the core.
    fn run(
        &self,
        job: &Job<'_>,
        policy: &Policy,
        session_id: Option<&str>,
        session: Option<&Shared>,
        turn: usize,
        cancel: &Cancel,
    ) -> Result<Stored, RpcError> {
        cancel.check()?;
        let Some(session) = session else {
            let outcome = core(job, policy, &NoHistory)?;
            return Ok(self.store(session_id, &job.call, outcome));
        };
        let mut session = lock(session);
        let Some(call_id) = job.call.id.as_deref() else {
            let outcome = core(job, policy, &NoHistory)?;
            cancel.check()?;
            session.count(&job.call.tool, &outcome);
            return Ok(self.store(session_id, &job.call, outcome));
        };
        let fingerprint = job.fingerprint(policy);
        let known = session.look_up(call_id, fingerprint);
        let decision = match known {
            Lookup::Stored(mut stored) if policy.memo && self.is_kept(session_id, &stored) => {
                stored.outcome.evidence.memo = Memo { reused: true, changed: false };
                session.count_resend(&stored.outcome, true);
                return Ok(*stored);
            }
            Lookup::Stored(ref stored) => Some(&stored.outcome.decision),
            Lookup::Decided(ref decision) => Some(decision),
            _ => None,
        };
        if let Some(decision) = decision {
            let mut outcome = core(job, policy, &AsDecided(decision.clone()))?;
            outcome.evidence.memo.reused = policy.memo;
            session.count_resend(&outcome, false);
            return Ok(self.store(session_id, &job.call, outcome));
        }
        if let Lookup::Full = known {
            let outcome = core(job, policy, &NoHistory)?;
            cancel.check()?;
            session.count(&job.call.tool, &outcome);
            return Ok(self.store(session_id, &job.call, outcome));
        }
        let changed = matches!(known, Lookup::Changed);
        let mentioned = job.call.mentioned();
        let caller = job.caller(call_id, &mentioned, turn);
        let window = Window { results: policy.dedup_window_results, tokens: policy.dedup_window_tokens };
        let written = job.written(policy);
        let mut outcome = core(job, policy, &session.history(caller, &written, window))?;
        cancel.check()?;
        outcome.evidence.memo.changed = changed;
        let mut stored = self.store(session_id, &job.call, outcome);
        session.commit(caller, &written, fingerprint, stored.clone(), policy.memo);
        if changed {
            session.count_changed();
        }
        stored.outcome.retain = None;
        Ok(stored)
    }

    /// Whether the original of a remembered outcome, if it has one, can still be read back.
    fn is_kept(&self, session: Option<&str>, stored: &Stored) -> bool {
        stored.artifact.as_ref().is_none_or(|artifact| self.artifacts().open(session, &artifact.id).is_ok())
    }

    /// Stores the original of an outcome. A store that is full costs the artifact, never the result.
    fn store(&self, session: Option<&str>, call: &ToolCall, mut outcome: Outcome) -> Stored {
        let artifact = outcome.retain.take().and_then(|retain| self.put(session, call, &retain));
        Stored { outcome, artifact }
    }

    fn put(&self, session: Option<&str>, call: &ToolCall, retain: &Retain) -> Option<ArtifactRef> {
        let meta = || Meta {
            tool: call.tool.clone(),
            tool_call_id: call.id.clone(),
            media: retain.mime.map_or(Media::Text, |mime| Media::Binary(mime.to_owned())),
            keep_until_session_end: false,
        };
        let now = self.started.elapsed();
        let mut store = self.artifacts();
        let put = store.put(session, &retain.bytes, meta(), now).ok()?;
        let original = retain.original.as_ref().and_then(|bytes| store.put(session, bytes, meta(), now).ok());
        Some(ArtifactRef {
            id: put.id,
            bytes: put.bytes as usize,
            lines: put.lines as usize,
            original_id: original.map(|put| put.id),
        })
    }
}

/// Results that a session had so far.
pub(super) fn results(session: Option<&Shared>) -> usize {
    session.map_or(0, |session| lock(session).results())
}

/// The pure core. A fault in it costs the compression, never the result: the safe stage alone is
/// tried then, and only if that fails too is there an error.
fn core(job: &Job<'_>, policy: &Policy, history: &dyn History) -> Result<Outcome, RpcError> {
    let run = |policy: &Policy, history: &dyn History| {
        let parts = job.content.parts();
        catch_unwind(AssertUnwindSafe(|| {
            pipeline::compress(&job.call, &parts, policy, job.full_output, history)
        }))
    };
    let outcome = run(policy, history).or_else(|_| {
        let safe = Policy { mode: Mode::Safe, dedup: false, ..policy.clone() };
        run(&safe, &NoHistory).map(|outcome| {
            outcome.map(|outcome| Outcome {
                evidence: Evidence { status: Status::FailedOpen, ..outcome.evidence },
                ..outcome
            })
        })
    });
    match outcome {
        Ok(Ok(outcome)) => Ok(outcome),
        Ok(Err(RedactionFailed)) => Err(RpcError::failed(
            "redaction_failed",
            "the result could not be redacted, so no content is returned",
        )),
        Err(_) => Err(RpcError::new(INTERNAL_ERROR, "internal", "the result could not be processed")),
    }
}

/// The answer in the shape in which the content came.
fn respond(job: &Job<'_>, stored: Stored, policy: &Policy) -> Result<Compressed, RpcError> {
    let Stored { outcome, artifact } = stored;
    let is_exact = outcome.evidence.status == Status::Bypassed;
    let exact = is_exact.then_some(Exact { redact: policy.redact_secrets });
    let content = job.content.write(&outcome.texts, exact).map_err(|e| {
        RpcError::new(INTERNAL_ERROR, "internal", format!("the content cannot be written: {e}"))
    })?;
    let evidence = Some(outcome.evidence).filter(|evidence| match policy.evidence {
        EvidenceDetail::None => false,
        EvidenceDetail::Changed => evidence.status != Status::Unchanged,
        EvidenceDetail::Full => true,
    });
    Ok(Compressed { content, evidence, artifact })
}
