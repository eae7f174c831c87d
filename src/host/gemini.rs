//! Answers to the hooks of Gemini CLI.
//!
//! No event can replace the text of a result: a denied result would count as a failed call. But an event may request a call
//! of another tool, whose result replaces the first. That tool is [`RESULT`] of `tersed mcp --host gemini`; it returns its
//! argument. The hook requests it only while such a server runs in the workspace, because otherwise the model would get an
//! error.
//!
//! Commands are not wrapped in `tersed run`: the user's rules are applied after the hook, and would see `tersed` in place of
//! a forbidden command.
//!
//! The shapes come from events recorded from Gemini CLI 0.61.0, in `editors/gemini/recorded`.

use std::path::Path;

use serde_json::{Value, json};

use super::Host;
use super::event::Event;
use super::reach::{GEMINI, ResultHandling, Text};
use super::replace::{compress, forget, made_safe};
use super::served::is_served;
use super::tools::Tool;

/// The name of this host.
pub const HOST_NAME: &str = "gemini";
/// The tool that returns its argument.
pub const RESULT: &str = "tersed_result";
/// Its name in Gemini, if the server is called `tersed`.
const CALLED: &str = "mcp_tersed_tersed_result";

/// What the hook prints; `None` if the host should continue as if there were no hook.
pub fn reply(host: &Host, given: Value) -> Option<Value> {
    let event = Event::read(given)?;
    answer(host, &event.opened(), || is_served(HOST_NAME, Path::new(&event.cwd)))
}

/// Like [`reply`]; `is_served` returns whether our tool can be called.
pub fn answer(host: &Host, event: &Event, is_served: impl Fn() -> bool) -> Option<Value> {
    match event.hook_event_name.as_str() {
        "PreCompress" | "SessionStart" | "SessionEnd" => {
            forget(host, event);
            None
        }
        "AfterTool" => after_tool(host, event, is_served),
        _ => None,
    }
}

fn after_tool(host: &Host, event: &Event, is_served: impl Fn() -> bool) -> Option<Value> {
    if is_ours(&event.tool_name) {
        return None;
    }
    let response = event.tool_response.as_object()?;
    // Calling another tool would turn a failed call into a successful one.
    let is_failed = response.get("error").is_some_and(|error| !error.is_null());
    if GEMINI.treatment(&event.tool_name, is_failed) != ResultHandling::Replaced(Text::Whole) {
        return None;
    }
    // What our tool cannot give stays, so it is not compressed and not counted.
    if !is_served() {
        return None;
    }
    let content = match response.get("llmContent")? {
        Value::String(text) => json!(text_of(host, event, text)?),
        Value::Array(parts) => parts_of(host, event, parts)?,
        _ => return None,
    };
    Some(json!({
        "hookSpecificOutput": {
            "hookEventName": "AfterTool",
            "tailToolCallRequest": { "name": CALLED, "args": { "content": content } },
        }
    }))
}

/// Gemini names MCP tools `mcp_server_tool`.
fn is_ours(name: &str) -> bool {
    let name = name.strip_prefix("mcp_tersed_").unwrap_or(name);
    name == RESULT || Tool::named(name).is_some()
}

/// The smaller text of a result that is one string.
fn text_of(host: &Host, event: &Event, text: &str) -> Option<String> {
    let text = unwrapped(text);
    if event.session_id.is_empty() {
        return string(made_safe(host, &json!(text))?);
    }
    if event.tool_name != "run_shell_command" {
        return string(compress(host, event, &json!(text), None, None)?);
    }
    // Cancelled and background commands are reported in another format.
    let Some(text) = text.strip_prefix("Output: ") else { return string(made_safe(host, &json!(text))?) };
    let (output, ended) = ended(text);
    let output = string(compress(host, event, &json!(output), ended.exit_code, None)?)?;
    Some(format!("Output: {output}{}", ended.text))
}

/// The smaller texts of a result in parts. Beside an image they only lose their secrets.
fn parts_of(host: &Host, event: &Event, parts: &[Value]) -> Option<Value> {
    if event.session_id.is_empty() || parts.iter().any(|part| part.get("text").is_none()) {
        return safe_parts(host, parts);
    }
    let texts: Option<Vec<Value>> = parts
        .iter()
        .map(|part| {
            let text = part.get("text").and_then(Value::as_str)?;
            Some(json!({ "type": "text", "text": unwrapped(text) }))
        })
        .collect();
    let answer = compress(host, event, &Value::Array(texts?), None, None)?;
    answer.as_array()?.iter().map(|part| part.get("text").cloned()).collect()
}

/// Texts made safe, and images; `None` if nothing changed, or if a part is of another kind, which our tool cannot
/// give.
fn safe_parts(host: &Host, parts: &[Value]) -> Option<Value> {
    let mut is_changed = false;
    let part = |part: &Value| {
        if let Some(text) = part.get("text").and_then(Value::as_str) {
            let text = json!(unwrapped(text));
            let safe = made_safe(host, &text);
            is_changed |= safe.is_some();
            return Some(safe.unwrap_or(text));
        }
        let image = part.get("inlineData")?;
        let (data, kind) = (image.get("data")?.as_str()?, image.get("mimeType")?.as_str()?);
        kind.starts_with("image/").then(|| json!({ "data": data, "mimeType": kind }))
    };
    let parts: Vec<Value> = parts.iter().map(part).collect::<Option<_>>()?;
    is_changed.then_some(Value::Array(parts))
}

/// A result without the marks that Gemini puts around external content. Gemini adds them again around our tool's result.
fn unwrapped(text: &str) -> &str {
    text.strip_prefix("<untrusted_context>\n")
        .and_then(|text| text.strip_suffix("\n</untrusted_context>"))
        .unwrap_or(text)
}

/// The lines that Gemini adds after the output of a command.
struct Ended<'a> {
    text: &'a str,
    exit_code: Option<i64>,
}

/// Splits a command's output from the lines after it, which stay: the exit code unless it is 0, the signal, and process ids.
fn ended(text: &str) -> (&str, Ended<'_>) {
    let mut rest = text;
    let mut pop = |name: &str| {
        let (before, line) = rest.rsplit_once('\n')?;
        let value = line.strip_prefix(name)?;
        rest = before;
        Some(value)
    };
    let group = pop("Process Group PGID: ");
    pop("Background PIDs: ");
    let signal = pop("Signal: ");
    let exit_code = match pop("Exit Code: ") {
        Some(code) => code.parse().ok(),
        // A process ran, and no line reports a failure.
        None => (group.is_some() && signal.is_none()).then_some(0),
    };
    (rest, Ended { text: &text[rest.len()..], exit_code })
}

fn string(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}
