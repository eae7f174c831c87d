//! The calls that every hook makes: one event's content in, the smaller content out, in the same shape; and the
//! notice that the model no longer sees what it was given.

use serde_json::{Value, json};

use super::Host;
use super::event::Event;
use crate::engine::Cancel;
use crate::pipeline::evidence::Status;
use crate::protocol::params::by_name;
use crate::protocol::session::CompactedParams;
use crate::protocol::tool_result::Compressed;
use crate::sanitize::secrets;

/// The content as the engine gives it back, or `None` where nothing changed or it could not. `budget` is in tokens.
pub fn compress(
    host: &Host,
    event: &Event,
    content: &Value,
    exit_code: Option<i64>,
    budget: Option<usize>,
) -> Option<Value> {
    if reads_back(event) {
        // Whoever else wrote into the same output.
        return redacted(host, event, content);
    }
    let mut result = json!({
        "tool": event.tool_name,
        "arguments": event.tool_input,
        "content": content,
    });
    // Not every host tells.
    if !event.tool_use_id.is_empty() {
        result["toolCallId"] = json!(event.tool_use_id);
    }
    if let Some(code) = exit_code {
        result["exitCode"] = json!(code);
    }
    compress_result(host, Some(&event.context()), result, Limits { budget, bytes: None })
}

/// What a result may cost.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Tokens.
    pub budget: Option<usize>,
    /// Bytes, where the settings do not ask for fewer.
    pub bytes: Option<usize>,
}

/// The texts of a result that is to stay else as it is, without secrets; `None` where they hold none. The session takes
/// no note of the call.
pub fn redacted(host: &Host, event: &Event, content: &Value) -> Option<Value> {
    let texts: Vec<&str> = match content {
        Value::String(text) => vec![text],
        parts => parts.as_array()?.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
    };
    if texts.iter().all(|text| secrets::find(text.as_bytes()).is_empty()) {
        return None;
    }
    let result = json!({ "tool": event.tool_name, "arguments": event.tool_input, "content": content });
    let params = json!({
        "sessionId": event.context(),
        "policy": { "mode": "disabled", "evidence": "full" },
        "result": result,
    });
    let text = params.to_string();
    let answer: Compressed = host.engine().compress(&by_name(&text).ok()?, &Cancel::default()).ok()?;
    let new: Value = serde_json::from_str(answer.content.get()).ok()?;
    (new != *content).then_some(new)
}

/// Whether this is what a command printed that shows originals, as our texts tell the model to: smaller again, it
/// could never be read.
fn reads_back(event: &Event) -> bool {
    let command = event.tool_input.get("command").and_then(Value::as_str);
    command.is_some_and(|command| command.contains("tersed artifacts "))
}

/// The same for a `result` in the shape of the wire.
pub fn compress_result(host: &Host, session: Option<&str>, result: Value, limits: Limits) -> Option<Value> {
    worked_on(host, session, result, limits).flatten()
}

/// The same, which tells a result that stays as it is, `Some(None)`, from one that could not be worked on.
pub fn worked_on(host: &Host, session: Option<&str>, result: Value, limits: Limits) -> Option<Option<Value>> {
    // The evidence tells whether anything changed.
    let mut params = json!({ "policy": { "evidence": "full" } });
    if let Some(session) = session {
        params["sessionId"] = json!(session);
        host.seen(session);
    }
    if let Some(tokens) = limits.budget {
        params["budget"] = json!({ "perResult": tokens });
    }
    if let Some(bytes) = limits.bytes.filter(|bytes| *bytes < host.engine().output_cap()) {
        params["policy"]["maxOutputBytes"] = json!(bytes.max(1));
    }
    if let Some(bytes) = limits.bytes {
        // What can't be brought below it is cut by the host, nobody knows how.
        params["hostCut"] = json!({ "bytes": bytes });
    }
    params["result"] = result;
    let text = params.to_string();
    let answer: Compressed = host.engine().compress(&by_name(&text).ok()?, &Cancel::default()).ok()?;
    if answer.evidence?.status == Status::Unchanged {
        return Some(None);
    }
    let new: Value = serde_json::from_str(answer.content.get()).ok()?;
    // What a rule keeps from being compressed is still redacted, and mostly the same.
    Some((new != params["result"]["content"]).then_some(new))
}

/// The context is summed up, cleared, begun or resumed: nothing of what it was given is certain to be visible. A
/// conversation takes its agents along, since not every host says whose context it is.
pub fn forget(host: &Host, event: &Event) {
    if event.session_id.is_empty() {
        return;
    }
    if event.agent_id.is_empty() {
        host.engine().conversation_forgotten(&event.conversation());
        return;
    }
    let params = CompactedParams { session_id: event.context(), visible: Vec::new() };
    // A session that is not known has nothing to forget.
    let _ = host.engine().compacted(&params);
}

/// An answer did not reach its host, which goes on with what it had: nothing was shown of it.
pub fn undelivered(host: &Host, event: &Event) {
    host.engine().not_shown(&event.context(), &event.tool_use_id);
}
