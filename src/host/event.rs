//! An event of a host that calls a hook for each tool result, in the members that most of them share.

use serde::Deserialize;
use serde_json::Value;

/// What a hook is told. Hosts that fill placeholders give objects as their JSON text.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Event {
    /// Which event it is, as the host calls it; empty for a tool result.
    pub hook_event_name: String,
    /// The conversation.
    pub session_id: String,
    /// Where the host works; empty where it does not say.
    pub cwd: String,
    /// The agent inside it that made the call; empty for the main one.
    pub agent_id: String,
    /// The model, where the host says so.
    pub model: String,
    /// The tool.
    pub tool_name: String,
    /// Its arguments.
    pub tool_input: Value,
    /// Its result, in the tool's own shape.
    pub tool_response: Value,
    /// The call.
    pub tool_use_id: String,
}

impl Event {
    /// Reads an event; `None` for what is no object.
    pub fn read(event: Value) -> Option<Self> {
        let mut event: Self = serde_json::from_value(event).ok()?;
        for id in [&mut event.session_id, &mut event.agent_id, &mut event.tool_use_id] {
            // A placeholder that the host knows nothing for stays as it is written.
            if id.starts_with("${") || id == "undefined" || id == "null" {
                id.clear();
            }
        }
        event.tool_input = object(event.tool_input);
        event.tool_response = object(event.tool_response);
        Some(event)
    }

    /// What tells this model's context from others: agents inside a conversation see other results.
    pub fn context(&self) -> String {
        match self.agent_id.as_str() {
            "" => self.session_id.clone(),
            agent => format!("{}/{agent}", self.session_id),
        }
    }
}

/// The value of which a string is the JSON text, where it is that of an object or array.
fn object(value: Value) -> Value {
    match &value {
        Value::String(text) if text.starts_with(['{', '[']) => serde_json::from_str(text).unwrap_or(value),
        _ => value,
    }
}
