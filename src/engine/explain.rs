//! One result as `toolResult/compress` would treat it, explained. Nothing is stored and no session
//! remembers it. On no wire: the command line asks.

use super::compress::{Job, results};
use super::sessions::lock;
use super::{Cancel, Engine};
use crate::config::Policy;
use crate::pipeline::call::ToolCall;
use crate::pipeline::dedup::{History, NoHistory};
use crate::pipeline::explain::{Explained, explain};
use crate::protocol::RpcError;
use crate::protocol::tool_result::{CompressParams, ToolResult, check_session};
use crate::session::{AsDecided, Lookup, Window};

impl Engine {
    /// The call and what becomes of its result, after what its session saw before.
    pub fn explain(&self, params: &CompressParams<'_>) -> Result<(ToolCall, Explained), RpcError> {
        check_session(params.session_id.as_deref())?;
        let result = ToolResult::read(&params.result, "result")?;
        let job = Job::new(&result, "result", params.full_output, params.query.as_deref())?;
        let (policy, session) = self.context(params.session_id.as_deref(), params.policy.as_ref())?;
        let turn = results(session.as_ref());
        let (Some(session), Some(id)) = (&session, job.call.id.as_deref()) else {
            return told(&job, &policy, &NoHistory);
        };
        let session = lock(session);
        match session.look_up(id, job.fingerprint(&policy)) {
            Lookup::Stored(stored) => told(&job, &policy, &AsDecided(stored.outcome.decision)),
            Lookup::Decided(decision) => told(&job, &policy, &AsDecided(decision)),
            Lookup::Full => told(&job, &policy, &NoHistory),
            Lookup::New | Lookup::Changed => {
                let mentioned = job.call.mentioned();
                let caller = job.caller(id, &mentioned, turn);
                let window =
                    Window { results: policy.dedup_window_results, tokens: policy.dedup_window_tokens };
                let written = job.written(&policy);
                told(&job, &policy, &session.history(caller, &written, window))
            }
        }
    }

    /// The same for a request in JSON, after earlier ones, whose answers count only for their session.
    pub fn explain_after(&self, earlier: &[String], params: &str) -> Result<(ToolCall, Explained), RpcError> {
        for request in earlier {
            let request = crate::protocol::params::parse_at(request, "")?;
            self.compress(&request, &Cancel::default())?;
        }
        self.explain(&crate::protocol::params::parse_at(params, "")?)
    }
}

fn told(job: &Job<'_>, policy: &Policy, history: &dyn History) -> Result<(ToolCall, Explained), RpcError> {
    let explained = explain(&job.call, &job.content.parts(), policy, job.full_output, history)
        .map_err(|_| RpcError::failed("redaction_failed", "the result could not be redacted"))?;
    Ok((job.call.clone(), explained))
}
