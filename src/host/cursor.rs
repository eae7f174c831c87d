//! Answers to the hooks of Cursor.
//!
//! Only results of MCP tools can be replaced. Commands are not wrapped in `tersed run`: the hook that may change a command
//! also decides whether it may run, and Cursor forbids the command if it does not understand the answer.
//!
//! The shapes come from descriptions of Cursor's hooks. No event was recorded, because Cursor needs an account.

use serde_json::{Value, json};

use super::Host;
use super::event::{Event, parsed};
use super::reach::{CURSOR, ResultHandling, Text};
use super::replace::{Texts, beside, compress, forget};
use super::tools::Tool;

/// What the hook prints; `None` if the host should continue as if there were no hook.
pub fn reply(host: &Host, mut given: Value) -> Option<Value> {
    // Older versions call the session a conversation.
    let conversation = given.get("conversation_id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let output = given.get_mut("tool_output").map(Value::take);
    let mut event = Event::read(given)?;
    if event.session_id.is_empty() {
        event.session_id = conversation;
    }
    match event.hook_event_name.as_str() {
        "postToolUse" => after_tool(host, &event, output?),
        "preCompact" | "sessionStart" | "sessionEnd" => {
            forget(host, &event);
            None
        }
        _ => None,
    }
}

fn after_tool(host: &Host, event: &Event, output: Value) -> Option<Value> {
    if CURSOR.treatment(&event.tool_name, false) != ResultHandling::Replaced(Text::Whole) {
        return None;
    }
    if event.tool_name.rsplit([':', '/']).next().is_some_and(|name| Tool::named(name).is_some()) {
        return None;
    }
    // The server's result, as JSON text.
    let before = match output {
        Value::String(text) => {
            parsed(text.as_bytes()).filter(Value::is_object).unwrap_or(Value::String(text))
        }
        output => output,
    };
    let mut new = before.clone();
    // A failed result, and one without its session, is only made safe.
    let texts: Texts<'_> = if event.session_id.is_empty() { &|_| Vec::new() } else { &contents };
    for content in texts(&mut new) {
        if let Some(smaller) = compress(host, event, content, None, None) {
            *content = smaller;
        }
    }
    let result = beside(host, &before, new, texts)?;
    Some(json!({ "updated_mcp_tool_output": result }))
}

/// The content of a result that did not fail.
fn contents(result: &mut Value) -> Vec<&mut Value> {
    let is_failed = result.get("isError").is_some_and(|is_error| is_error != &Value::Bool(false));
    let content = if is_failed { None } else { result.get_mut("content") };
    content.filter(|content| content.is_array() || content.is_null()).into_iter().collect()
}
