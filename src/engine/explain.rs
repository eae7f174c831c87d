//! Explains how `toolResult/compress` would treat one result. Stores nothing, and no session remembers it. No protocol
//! method calls this; the command line does.

use super::compress::{Place, pressure, window};
use super::job::Job;
use super::sessions::lock;
use super::{Cancel, Engine};
use crate::config::Policy;
use crate::pipeline::explain::Explained;
use crate::pipeline::limit::budget::Ask;
use crate::pipeline::repeat::dedup::{History, NoHistory};
use crate::protocol::RpcError;
use crate::protocol::error::INTERNAL_ERROR;
use crate::protocol::tool_result::{CompressParams, ToolResult, check_session};
use crate::session::{AsDecided, Lookup, WithoutReferences};
use crate::text::call::ToolCall;

impl Engine {
    /// The call, and how its result would be compressed after the earlier results of its session. Assumes that the original
    /// of a pointer could be stored.
    pub fn explain(&self, params: &CompressParams<'_>) -> Result<(ToolCall, Explained), RpcError> {
        check_session(params.session_id.as_deref())?;
        let result = ToolResult::read(&params.result, "result")?;
        let job = Job::new(&result, "result", params.full_output, params.query.as_deref())?;
        let pressure = pressure(params.context_pressure)?;
        let id = params.session_id.as_deref();
        let (policy, session) = self.policy_and_session(id, params.policy.as_ref(), params.budget)?;
        let ask = Ask::new(&policy, pressure);
        let place = Place::new(id, session.as_ref());
        as_of_now(&job, &policy, place, |history| explained(&job, &policy, ask, history))
    }

    /// As [`Self::explain`], for a request in JSON. `earlier` holds requests that are run first; they only affect
    /// their own session.
    pub fn explain_after(&self, earlier: &[String], params: &str) -> Result<(ToolCall, Explained), RpcError> {
        for request in earlier {
            let request = crate::protocol::params::parse_at(request, "")?;
            self.compress(&request, &Cancel::default())?;
        }
        self.explain(&crate::protocol::params::parse_at(params, "")?)
    }
}

/// Calls `work` with the earlier results that `compress` would compare this one with. The session stays as it is.
pub(super) fn as_of_now<T>(
    job: &Job<'_>,
    policy: &Policy,
    place: Place<'_>,
    work: impl FnOnce(&dyn History) -> T,
) -> T {
    let Some(session) = place.session else { return work(&NoHistory) };
    let session = lock(session);
    let Some(call_id) = job.call.id.as_deref() else { return work(&WithoutReferences(&session)) };
    match session.look_up(call_id, job.fingerprint(policy)) {
        Lookup::Stored(stored) => work(&AsDecided(stored.outcome.decision)),
        Lookup::Decided(decision) => work(&AsDecided(*decision)),
        Lookup::Full => work(&WithoutReferences(&session)),
        Lookup::New | Lookup::Changed => {
            let mentioned = job.call.mentioned();
            let wrote = job.written_values(policy);
            let about = job.about(policy);
            let caller = job.caller(call_id, &mentioned, place.turn, &wrote, &about);
            let written = job.written_texts(policy);
            work(&session.history(caller, &written, window(policy)))
        }
    }
}

fn explained(
    job: &Job<'_>,
    policy: &Policy,
    ask: Ask,
    history: &dyn History,
) -> Result<(ToolCall, Explained), RpcError> {
    let failed = || RpcError::new(INTERNAL_ERROR, "internal", "the result could not be processed");
    let prepared = job.prepared(policy, history)?.ok_or_else(failed)?;
    let ask = job.by_our_count(ask, &prepared);
    Ok((job.call.clone(), prepared.explain(ask, history)))
}
