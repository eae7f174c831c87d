//! Answers to the hooks of GitHub Copilot, in the terminal and in the cloud.
//!
//! Only results that Copilot counts as successes can be replaced. A failed command is one of them; its exit code is
//! in the last line. Events do not name their call, so no later result refers to one of these.
//!
//! The shapes come from events recorded from GitHub Copilot CLI 1.0.102, in `editors/copilot/recorded`.

use serde_json::{Value, json};

use super::Host;
use super::event::Event;
use super::reach::{COPILOT, ResultHandling, Text};
use super::replace::{Texts, beside, compress};
use super::tools::Tool;

/// What the hook prints; `None` if the host should continue as if there were no hook.
pub fn reply(host: &Host, mut given: Value) -> Option<Value> {
    let mut take = |name: &str| given.get_mut(name).map(Value::take).unwrap_or_default();
    let string = |value: Value| value.as_str().unwrap_or_default().to_owned();
    let event = Event {
        session_id: string(take("sessionId")),
        tool_name: string(take("toolName")),
        tool_input: take("toolArgs"),
        tool_response: take("toolResult"),
        ..Event::default()
    };
    let result = event.tool_response.as_object()?;
    let treatment = COPILOT.treatment(&event.tool_name, result.get("resultType")? != "success");
    if is_ours(&event.tool_name) || treatment != ResultHandling::Replaced(Text::Whole) {
        return None;
    }
    let mut new = event.tool_response.clone();
    // Without its session, a result is only made safe.
    let texts: Texts<'_> = if event.session_id.is_empty() { &|_| Vec::new() } else { &for_model };
    for text in texts(&mut new) {
        if let Some(smaller) = text.as_str().and_then(|text| smaller(host, &event, text)) {
            *text = Value::String(smaller);
        }
    }
    let result = beside(host, &event.tool_response, new, texts)?;
    Some(json!({ "modifiedResult": result }))
}

/// The text that the model reads.
fn for_model(result: &mut Value) -> Vec<&mut Value> {
    let text = result.get_mut("textResultForLlm");
    text.filter(|text| text.is_string() || text.is_null()).into_iter().collect()
}

fn smaller(host: &Host, event: &Event, text: &str) -> Option<String> {
    let (output, exit_code) = ended(text);
    let Value::String(mut smaller) = compress(host, event, &json!(output), exit_code, None)? else {
        return None;
    };
    smaller.push_str(&text[output.len()..]);
    Some(smaller)
}

/// Copilot names MCP tools `server-tool`.
fn is_ours(name: &str) -> bool {
    Tool::named(name.strip_prefix("tersed-").unwrap_or(name)).is_some()
}

/// Splits a command's output into the text and the exit code in Copilot's last line, `<… with exit code 1>`.
fn ended(text: &str) -> (&str, Option<i64>) {
    let trimmed = text.trim_end();
    let start = trimmed.rfind('\n').map_or(0, |end| end + 1);
    let code = trimmed[start..]
        .strip_prefix('<')
        .and_then(|line| line.strip_suffix('>'))
        .filter(|line| !line.contains(['<', '>']))
        .and_then(|line| line.rsplit_once(" with exit code "))
        .and_then(|(_, code)| code.parse().ok());
    match code {
        Some(code) => (&text[..start.saturating_sub(1)], Some(code)),
        None => (text, None),
    }
}
