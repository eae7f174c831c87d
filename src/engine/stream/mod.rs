//! `toolResult/open`, `append`, `peek`, `close`, `discard`: the result of a long command, received piece by piece.
//!
//! The pieces are kept. `close` builds the request that `toolResult/compress` would have got, and answers it. Only a stream
//! that is too long to be kept whole is joined from its parts here.

mod buffer;
mod halves;
mod parts;
mod table;

use std::sync::{MutexGuard, PoisonError};

use super::compress::{Place, pressure, respond, with_request};
use super::explain::as_of_now;
use super::job::Job;
use super::{Cancel, Engine};
use crate::pipeline::limit::budget::Ask;
use crate::protocol::RpcError;
use crate::protocol::params::{by_name, invalid};
use crate::protocol::skim::{Edits, Json};
use crate::protocol::stream::{
    AppendParams, Appended, CloseParams, Discarded, OpenParams, Opened, StreamName, StreamParams,
};
use crate::protocol::tool_result::{CompressParams, Compressed, ToolResult, check_session};
use crate::telemetry::Clock;
pub use buffer::Limits as StreamLimits;
pub use table::Bounds as StreamBounds;
pub(super) use table::Streams;
use table::{Shared, Stream};

fn lock(stream: &Shared) -> MutexGuard<'_, Stream> {
    stream.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine {
    /// Answers `toolResult/open`. `raw` is the JSON text of the parameters.
    pub fn open_stream(
        &self,
        params: &OpenParams<'_>,
        raw: &str,
        cancel: &Cancel,
    ) -> Result<Opened, RpcError> {
        check_session(params.session_id.as_deref())?;
        if params.result.has("content") {
            let reason = "is given by `toolResult/append`, expected none here";
            return Err(invalid("result.content", reason));
        }
        // Refuse a request now that `close` would refuse later.
        let request = request(raw, "\"\"", None)?;
        let request: CompressParams<'_> = by_name(&request)?;
        ToolResult::read(&request.result, "result")?.call("result")?;
        with_request(&self.policy(), params.policy.as_ref(), params.budget)?;
        pressure(params.context_pressure)?;
        params.host_cut.map(|cut| cut.read()).transpose()?;
        cancel.check()?;
        if let Some(id) = &params.session_id {
            self.session(id)?;
        }
        let now = self.started.now();
        let stream_id = self.streams().open(params.session_id.as_deref(), raw.to_owned(), now)?;
        Ok(Opened { stream_id })
    }

    /// Answers `toolResult/append`.
    pub fn append_stream(&self, params: &AppendParams<'_>, cancel: &Cancel) -> Result<Appended, RpcError> {
        let shared = self.stream(&params.stream_id, params.session_id.as_deref())?;
        let json: &serde_json::value::RawValue = params.text;
        if !Json::of(json).is_string() {
            return Err(invalid("text", "expected a string"));
        }
        cancel.check()?;
        let mut stream = lock(&shared);
        let name = params.stream.unwrap_or(StreamName::None);
        halves::push(&mut stream, name, Json::of(json));
        if self.streams().grown(&params.stream_id, stream.held()) {
            stream.cut();
            self.streams().grown(&params.stream_id, stream.held());
        }
        let bytes = stream.buffers.iter().map(|(_, buffer)| buffer.bytes()).sum();
        let whole = stream.buffers.iter().all(|(_, buffer)| buffer.is_whole());
        Ok(Appended { bytes, whole })
    }

    /// Answers `toolResult/peek`: the answer that `close` without a status would give now, without a last word that
    /// may be the start of a secret. No session remembers the answer, and no original is stored.
    pub fn peek_stream(&self, params: &StreamParams, cancel: &Cancel) -> Result<Compressed, RpcError> {
        let shared = self.stream(&params.stream_id, params.session_id.as_deref())?;
        let (kept, raw) = {
            let stream = lock(&shared);
            (parts::finished(&stream), stream.params.clone())
        };
        let request = request(&raw, &parts::content(&kept), None)?;
        let request: CompressParams<'_> = by_name(&request)?;
        let result = ToolResult::read(&request.result, "result")?;
        let job = Job::new(&result, "result", request.full_output, request.query.as_deref())?;
        let pressure = pressure(request.context_pressure)?;
        let id = request.session_id.as_deref();
        let (policy, session) = self.policy_and_session(id, request.policy.as_ref(), request.budget)?;
        cancel.check()?;
        // No original is stored, so nothing may point to one.
        let ask = Ask { can_store_original: false, ..Ask::new(&policy, pressure) };
        let place = Place::new(id, session.as_ref());
        let outcome = as_of_now(&job, &policy, place, |history| job.core(&policy, ask, history, None, None))?;
        let stored = crate::session::Stored { outcome, artifact: None, reclaimed: None };
        parts::joined(respond(&job, stored, &policy)?, &kept, policy.tokenizer, &policy.seal_key)
    }

    /// Answers `toolResult/close`.
    pub fn close_stream(&self, params: &CloseParams, cancel: &Cancel) -> Result<Compressed, RpcError> {
        let shared = self.stream(&params.stream_id, params.session_id.as_deref())?;
        let (kept, raw) = {
            let stream = lock(&shared);
            (parts::kept(&stream), stream.params.clone())
        };
        let request = request(&raw, &parts::content(&kept), Some(params))?;
        let request: CompressParams<'_> = by_name(&request)?;
        // If this is cancelled or refused, the stream stays open.
        let compressed = self.compress(&request, cancel)?;
        self.streams().remove(&params.stream_id);
        let id = request.session_id.as_deref();
        let (policy, _) = self.policy_and_session(id, request.policy.as_ref(), request.budget)?;
        parts::joined(compressed, &kept, policy.tokenizer, &policy.seal_key)
    }

    /// Answers `toolResult/discard`.
    pub fn discard_stream(&self, params: &StreamParams) -> Result<Discarded, RpcError> {
        if let Err(error) = self.stream(&params.stream_id, params.session_id.as_deref()) {
            let is_gone = error.data.as_ref().is_some_and(|data| data.kind == "stream_not_found");
            return if is_gone { Ok(Discarded { discarded: false }) } else { Err(error) };
        }
        Ok(Discarded { discarded: self.streams().remove(&params.stream_id) })
    }

    /// The queue in which requests about a stream keep their order.
    pub fn ordering_key_of_stream(&self, id: &str) -> Option<String> {
        self.streams().ordering_key(id)
    }

    fn stream(&self, id: &str, session: Option<&str>) -> Result<Shared, RpcError> {
        check_session(session)?;
        self.streams().get(id, session, self.started.now())
    }
}

/// The parameters of `toolResult/compress` for a stream that was opened with `raw` and holds `content`.
fn request(raw: &str, content: &str, close: Option<&CloseParams>) -> Result<String, RpcError> {
    let json: &serde_json::value::RawValue = by_name(raw)?;
    let Some(result) = Json::of(json).get("result") else {
        return Err(invalid("result", "expected an object"));
    };
    let mut members = String::new();
    if result.members().next().is_some() {
        members.push(',');
    }
    members.push_str("\"content\":");
    members.push_str(content);
    if let Some(code) = close.and_then(|close| close.exit_code) {
        members.push_str(&format!(",\"exitCode\":{code}"));
    }
    if let Some(is_error) = close.and_then(|close| close.is_error) {
        members.push_str(&format!(",\"isError\":{is_error}"));
    }
    let end = result.range().end - 1;
    let mut edits = Edits::default();
    edits.replace(end..end, members);
    Ok(edits.apply(json.get()))
}

#[cfg(test)]
mod tests;
