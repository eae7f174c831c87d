//! Functions that every hook uses: compress the content of one event, keeping its shape, and forget what the model no longer
//! sees.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::Host;
use super::event::Event;
use crate::config::{MAX_OUTPUT_BYTES, MIN_OUTPUT_BYTES, Mode};
use crate::detect::command::CommandLine;
use crate::detect::{command, output_name};
use crate::engine::{Cancel, Engine};
use crate::pipeline::evidence::Status;
use crate::protocol::RpcError;
use crate::protocol::params::by_name;
use crate::protocol::redact;
use crate::protocol::session::CompactedParams;
use crate::protocol::tool_result::{CompressParams, Compressed};
use crate::sanitize::spare::Spare;
use crate::sanitize::{Counts, secrets};

/// The compressed content; `None` if it did not change or could not be compressed. `budget` is in tokens.
pub fn compress(
    host: &Host,
    event: &Event,
    content: &Value,
    exit_code: Option<i64>,
    budget: Option<usize>,
) -> Option<Value> {
    if let Some(is_alone) = reads_back(event) {
        // Another program may have written to this output, so it is redacted, and look-alikes of markers are escaped.
        let new = redacted(host, event, content);
        let escaped = match is_alone {
            true => None,
            false => made_safe(host, new.as_ref().unwrap_or(content)),
        };
        return escaped.or(new);
    }
    let limits = Limits { budget, ..Limits::default() };
    compress_result(host, Some(&event.context()), result(event, content, exit_code), limits)
}

/// The lines of a file view; `None` as for [`compress`].
pub fn compress_view(host: &Host, event: &Event, content: &Value, view: View) -> Option<Value> {
    let limits = Limits { view: Some(view), ..Limits::default() };
    compress_result(host, Some(&event.context()), result(event, content, None), limits)
}

/// Data of any shape with the secrets in its strings removed, and with look-alikes of markers escaped unless the user
/// keeps everything exact; `None` if it has neither, or could not be redacted.
pub fn made_safe(host: &Host, data: &Value) -> Option<Value> {
    let policy = host.engine().policy_in_force();
    let raw = RawValue::from_string(data.to_string()).ok()?;
    let spare = Spare::of(&policy.secrets.allow, &policy.seal_key, &[]);
    let spare = spare.or_everything(!policy.redact_secrets);
    let is_exact = policy.mode == Mode::Disabled && !policy.escapes_exact;
    let escapes = (!is_exact).then_some(policy.seal_key);
    let new = redact::redacted(&raw, Vec::new(), escapes, &spare, &mut Counts::new()).ok()??;
    serde_json::from_str(&new).ok()
}

/// The values of a result that hold its texts. They must be the same ones if a text is replaced by `null`.
pub type Texts<'t> = &'t dyn for<'v> Fn(&'v mut Value) -> Vec<&'v mut Value>;

/// A result that changed to `updated`, with all members beside its texts made safe; `None` if it is the same as
/// `before`.
/// The session made the texts safe, because it knows the values that the model wrote itself.
pub fn beside(host: &Host, before: &Value, mut updated: Value, texts: Texts<'_>) -> Option<Value> {
    let mut rest = updated.clone();
    let kept: Vec<Value> = texts(&mut rest).into_iter().map(Value::take).collect();
    if let Some(mut safe) = made_safe(host, &rest) {
        texts(&mut safe).into_iter().zip(kept).for_each(|(slot, text)| *slot = text);
        updated = safe;
    }
    (updated != *before).then_some(updated)
}

/// Records a call whose result stays unchanged, and the text that the model wrote into it.
pub fn note_call(host: &Host, event: &Event) {
    let result = result(event, &json!(""), None);
    let _ = compress_result(host, Some(&event.context()), result, Limits::default());
}

/// The result of an event, in the shape of our protocol.
fn result(event: &Event, content: &Value, exit_code: Option<i64>) -> Value {
    let mut result = json!({
        "tool": event.tool_name,
        "arguments": event.tool_input,
        "content": content,
    });
    // Not every host sends an id.
    if !event.tool_use_id.is_empty() {
        result["toolCallId"] = json!(event.tool_use_id);
    }
    if let Some(code) = exit_code {
        result["exitCode"] = json!(code);
    }
    result
}

/// What may be left out of a file view. No view loses its middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Lines that the model has seen, and bodies of declarations.
    Outlined,
    /// Lines that the model has seen.
    Unoutlined,
}

impl View {
    /// The settings for it.
    pub fn policy(self) -> Value {
        let mut policy = json!({ "headTailBytes": 0, "maxOutputBytes": MAX_OUTPUT_BYTES });
        if self == Self::Unoutlined {
            policy["fileDetail"] = json!("full");
        }
        policy
    }
}

/// Limits for a result.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Most tokens.
    pub budget: Option<usize>,
    /// Most bytes, unless the settings ask for fewer.
    pub bytes: Option<usize>,
    /// Most bytes of a text that no reducer knows, unless the settings give a limit.
    pub unread: Option<usize>,
    /// What may be left out of a file view, if it is one.
    pub view: Option<View>,
}

/// Redacts the texts of a result that otherwise stays as it is; `None` if they hold no secrets. The session counts the
/// result and does not record the call.
pub fn redacted(host: &Host, event: &Event, content: &Value) -> Option<Value> {
    redacted_by(host, event, content, Engine::compress)
}

/// Like [`redacted`], for texts of a result that the session has already counted.
pub fn redacted_again(host: &Host, event: &Event, content: &Value) -> Option<Value> {
    redacted_by(host, event, content, Engine::compress_uncounted)
}

fn redacted_by(
    host: &Host,
    event: &Event,
    content: &Value,
    compress: fn(&Engine, &CompressParams<'_>, &Cancel) -> Result<Compressed, RpcError>,
) -> Option<Value> {
    let texts: Vec<&str> = match content {
        Value::String(text) => vec![text],
        parts => parts.as_array()?.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
    };
    let command = event.tool_input.get("command").and_then(Value::as_str);
    let names_value = || {
        texts.iter().any(|text| secrets::is_value(text))
            && command.is_some_and(|command| output_name::of_command_line(command).is_some())
    };
    if texts.iter().all(|text| secrets::find(text.as_bytes()).is_empty()) && !names_value() {
        return None;
    }
    let result = json!({ "tool": event.tool_name, "arguments": event.tool_input, "content": content });
    let params = json!({
        "sessionId": event.context(),
        "policy": { "mode": "disabled", "evidence": "full" },
        "result": result,
    });
    let text = params.to_string();
    let answer: Compressed = compress(host.engine(), &by_name(&text).ok()?, &Cancel::default()).ok()?;
    let new: Value = serde_json::from_str(answer.content.get()).ok()?;
    (new != *content).then_some(new)
}

/// Whether this is the output of a command that shows originals, as our texts advise, and whether that command is all of the
/// command line. It must not be compressed again, or the original could never be read.
fn reads_back(event: &Event) -> Option<bool> {
    let command = event.tool_input.get("command").and_then(Value::as_str)?;
    let line = command.contains("tersed artifacts ").then(|| CommandLine::parse(command))?;
    let is_ours = |words: &[String]| words.starts_with(&["tersed".to_owned(), "artifacts".to_owned()]);
    Some(line.only().is_some_and(|only| only.via.is_empty() && is_ours(&only.argv)))
}

/// Like [`compress`], for a `result` in the shape of our protocol.
pub fn compress_result(host: &Host, session: Option<&str>, result: Value, limits: Limits) -> Option<Value> {
    worked_on(host, session, result, limits).flatten()
}

/// Like [`compress_result`], but `Some(None)` means that the result stays unchanged, and `None` that it could not
/// be processed.
pub fn worked_on(host: &Host, session: Option<&str>, result: Value, limits: Limits) -> Option<Option<Value>> {
    // The evidence shows whether anything changed.
    let mut params = json!({ "policy": { "evidence": "full" } });
    if let Some(session) = session {
        params["sessionId"] = json!(session);
        host.seen(session);
    }
    if let Some(tokens) = limits.budget {
        params["budget"] = json!({ "perResult": tokens });
    }
    if let Some(bytes) = limits.bytes.filter(|bytes| *bytes < host.engine().output_cap()) {
        params["policy"]["maxOutputBytes"] = json!((bytes as u64).max(MIN_OUTPUT_BYTES));
    }
    if let Some(bytes) = limits.unread.filter(|_| !host.engine().has_head_tail()) {
        params["policy"]["headTailBytes"] = json!(bytes);
        // A file without an outline is cut too, because the host would show only its start.
        params["policy"]["fileDetailFallback"] = json!("structure");
    }
    if let Some(bytes) = limits.bytes {
        // The host cuts longer results in an unknown way.
        params["hostCut"] = json!({ "bytes": bytes });
    }
    if let Some(Value::Object(of_view)) = limits.view.map(View::policy) {
        for (name, value) in of_view {
            params["policy"][name] = value;
        }
    }
    params["result"] = result;
    let text = params.to_string();
    let answer: Compressed = host.engine().compress(&by_name(&text).ok()?, &Cancel::default()).ok()?;
    if answer.evidence?.status == Status::Unchanged {
        return Some(None);
    }
    let new: Value = serde_json::from_str(answer.content.get()).ok()?;
    // A result that a rule excludes from compression is still redacted, and usually unchanged.
    Some((new != params["result"]["content"]).then_some(new))
}

/// The context was summarized, cleared, started or resumed: nothing in it is certainly visible. This includes the
/// agents of the conversation, because not every host says whose context it is.
pub fn forget(host: &Host, event: &Event) {
    if event.session_id.is_empty() {
        return;
    }
    if event.agent_id.is_empty() {
        host.engine().conversation_forgotten(&event.conversation());
        return;
    }
    let params = CompactedParams { session_id: event.context(), visible: Vec::new() };
    // An unknown session has nothing to forget.
    let _ = host.engine().compacted(&params);
}

/// Whether the command of an event asks for its exact output.
pub fn asks_for_exact_output(event: &Event) -> bool {
    event.tool_input.get("command").and_then(Value::as_str).is_some_and(command::asks_for_exact_output)
}

/// Records a command outside of `tersed run`, whose result the model may get unchanged.
pub fn unseen(host: &Host, event: &Event, is_counted: bool) {
    if let Some(command) = event.tool_input.get("command").and_then(Value::as_str) {
        host.engine().unseen(&event.context(), command, is_counted);
    }
}

/// Records that an answer did not reach the host. The host used its own text, so nothing of the answer was shown.
pub fn undelivered(host: &Host, event: &Event) {
    host.engine().not_shown(&event.context(), &event.tool_use_id);
}
