//! An event of a host that calls a hook for each tool result, in the members that most of them share.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::engine::AGENT;

/// What a hook is told. Hosts that fill placeholders give objects as their JSON text.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Event {
    /// Which event it is, as the host calls it; empty for a tool result.
    #[serde(deserialize_with = "text")]
    pub hook_event_name: String,
    /// The conversation.
    #[serde(deserialize_with = "text")]
    pub session_id: String,
    /// Where the host works; empty where it does not say.
    #[serde(deserialize_with = "text")]
    pub cwd: String,
    /// The agent inside it that made the call; empty for the main one.
    #[serde(deserialize_with = "text")]
    pub agent_id: String,
    /// What kind of agent that is, where the host says so; a conversation may have one too.
    #[serde(deserialize_with = "text")]
    pub agent_type: String,
    /// The model, where the host says so.
    #[serde(deserialize_with = "text")]
    pub model: String,
    /// The tool.
    #[serde(deserialize_with = "text")]
    pub tool_name: String,
    /// Its arguments.
    pub tool_input: Value,
    /// Its result, in the tool's own shape.
    pub tool_response: Value,
    /// The call.
    #[serde(deserialize_with = "text")]
    pub tool_use_id: String,
}

impl Event {
    /// Reads an event; `None` for what is no object.
    pub fn read(event: Value) -> Option<Self> {
        let mut event: Self = serde_json::from_value(event).ok()?;
        let ids = [&mut event.session_id, &mut event.agent_id, &mut event.agent_type, &mut event.tool_use_id];
        for id in ids {
            // A placeholder that the host knows nothing for stays as it is written.
            if id.starts_with("${") || id == "undefined" || id == "null" {
                id.clear();
            }
        }
        event.tool_input = object(event.tool_input);
        event.tool_response = object(event.tool_response);
        Some(event)
    }

    /// What tells this model's context from others: agents inside a conversation see other results. Where only the kind
    /// of an agent is known, those of one kind are taken for one.
    pub fn context(&self) -> String {
        match [&self.agent_id, &self.agent_type].into_iter().find(|agent| !agent.is_empty()) {
            None => self.conversation().into_owned(),
            Some(agent) => format!("{}{AGENT}{agent}", self.conversation()),
        }
    }

    /// The conversation with all its agents, so that no agent of another one can be taken for one of its own.
    pub fn conversation(&self) -> Cow<'_, str> {
        match self.session_id.contains([AGENT, '%']) {
            true => Cow::Owned(self.session_id.replace('%', "%25").replace(AGENT, "%2F")),
            false => Cow::Borrowed(&self.session_id),
        }
    }
}

/// A text that may be `null`: a host that says so must not lose the event.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(Option::<String>::deserialize(from)?.unwrap_or_default())
}

/// The value of which a string is the JSON text, where it is that of an object or array.
fn object(value: Value) -> Value {
    match &value {
        Value::String(text) if text.starts_with(['{', '[']) => serde_json::from_str(text).unwrap_or(value),
        _ => value,
    }
}
