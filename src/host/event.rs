//! An event that a host sends to a hook for each tool result, with the members that most hosts share.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::engine::AGENT;
use crate::formats::json::{shallow, without_lone_surrogates};

/// The input of a hook. Hosts that fill placeholders send objects as JSON text.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Event {
    /// Name of the event in the host; empty for a tool result.
    #[serde(deserialize_with = "text")]
    pub hook_event_name: String,
    /// The conversation.
    #[serde(deserialize_with = "text")]
    pub session_id: String,
    /// The host's working directory; empty if unknown.
    #[serde(deserialize_with = "text")]
    pub cwd: String,
    /// Id of the sub-agent that made the call; empty for the main agent.
    #[serde(deserialize_with = "text")]
    pub agent_id: String,
    /// Kind of that agent, if the host says so; a conversation may have a kind too.
    #[serde(deserialize_with = "text")]
    pub agent_type: String,
    /// The model, if the host says so.
    #[serde(deserialize_with = "text")]
    pub model: String,
    /// Name of the tool.
    #[serde(deserialize_with = "text")]
    pub tool_name: String,
    /// Its arguments.
    pub tool_input: Value,
    /// Its result, in the shape of the tool; see also [`Event::opened`].
    pub tool_response: Value,
    /// Id of the call.
    #[serde(deserialize_with = "text")]
    pub tool_use_id: String,
}

/// Levels of an event that stay as they are if it is nested too deeply to be read.
const MAX_LEVELS: usize = 64;

/// Reads the JSON text of an event. Half a surrogate pair in it, a byte that is not UTF-8 or deep nesting must not keep
/// tersed from removing secrets.
pub fn parsed(text: &[u8]) -> Option<Value> {
    let text = without_lone_surrogates(text);
    let of_shallow = || serde_json::from_str(&shallow(&text, MAX_LEVELS)?).ok();
    serde_json::from_str(&text).ok().or_else(of_shallow)
}

impl Event {
    /// Reads an event; `None` if the value is not an object.
    pub fn read(event: Value) -> Option<Self> {
        if !event.is_object() {
            return None;
        }
        let mut event: Self = serde_json::from_value(event).ok()?;
        let ids = [&mut event.session_id, &mut event.agent_id, &mut event.agent_type, &mut event.tool_use_id];
        for id in ids {
            // A host that does not know a placeholder leaves it as written.
            if id.starts_with("${") || id == "undefined" || id == "null" {
                id.clear();
            }
        }
        event.tool_input = object(event.tool_input);
        Some(event)
    }

    /// The event with its result as an object or array, if the result is the JSON text of one. Not for a tool whose
    /// result may be such a text.
    pub fn opened(&self) -> Cow<'_, Self> {
        if !self.tool_response.is_string() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self { tool_response: object(self.tool_response.clone()), ..self.clone() })
    }

    /// Identifies the model's context: agents inside a conversation see other results. If only the kind of an agent is
    /// known, all agents of one kind share a context.
    pub fn context(&self) -> String {
        match [&self.agent_id, &self.agent_type].into_iter().find(|agent| !agent.is_empty()) {
            None => self.conversation().into_owned(),
            Some(agent) => format!("{}{AGENT}{agent}", self.conversation()),
        }
    }

    /// The conversation with all its agents, encoded so that it cannot be mistaken for an agent of another conversation.
    pub fn conversation(&self) -> Cow<'_, str> {
        match self.session_id.contains([AGENT, '%']) {
            true => Cow::Owned(self.session_id.replace('%', "%25").replace(AGENT, "%2F")),
            false => Cow::Borrowed(&self.session_id),
        }
    }
}

/// A string; empty for a value of another type, so that such an event is still read and loses its secrets.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::String(text) => text,
        _ => String::new(),
    })
}

/// Parses a string that holds the JSON text of an object or array.
fn object(value: Value) -> Value {
    match &value {
        Value::String(text) if text.starts_with(['{', '[']) => parsed(text.as_bytes()).unwrap_or(value),
        _ => value,
    }
}
