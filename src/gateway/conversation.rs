//! Which conversation a request continues. Hosts send the whole conversation each time, and requests of sub-agents
//! over the same connection. Requests with the same start belong to one conversation: the same first text of the
//! user, and the same names from the host.
//!
//! Two conversations with the same name only cost time: an answer depends only on the body and the earlier bodies of that
//! name.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hyper::HeaderMap;

use crate::protocol::messages::Format;
use crate::protocol::skim::Json;

/// Headers in which hosts name a conversation.
const HEADERS: &[&str] =
    &["session_id", "session-id", "conversation_id", "x-claude-code-session-id", "x-session-affinity"];

/// Above this many conversations, those without a running request are removed from the table.
const MAX_TURNS: usize = 1024;

/// The name of the session for a conversation.
pub(super) fn name(format: Format, headers: &HeaderMap, body: Json<'_>) -> String {
    let mut hash = blake3::Hasher::new();
    let mut part = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    for name in HEADERS {
        part(headers.get(*name).map_or(&b""[..], |value| value.as_bytes()));
    }
    let member = |object: Option<Json<'_>>, name: &str| {
        object.and_then(|object| object.get(name)).map_or("", Json::raw).to_owned()
    };
    part(member(body.get("metadata"), "user_id").as_bytes());
    part(member(Some(body), "prompt_cache_key").as_bytes());
    let list = match format {
        Format::Gemini => "contents",
        Format::OpenaiResponses => "input",
        _ => "messages",
    };
    if let Some(list) = body.get(list).filter(|list| list.is_array()) {
        let is_of_user = |item: &Json<'_>| item.text_of("role").is_some_and(|role| role == "user");
        if let Some(first) = list.items().find(is_of_user) {
            texts(first, 0, &mut part);
        }
    }
    format!("gateway-{}", &hash.finalize().to_hex()[..32])
}

/// The strings of a message. Marks for the cache are left out, because hosts move them with every turn.
fn texts(json: Json<'_>, depth: usize, part: &mut impl FnMut(&[u8])) {
    /// No message of any API is deeper.
    const MAX_DEPTH: usize = 16;
    if json.is_string() {
        part(json.raw().as_bytes());
    } else if depth < MAX_DEPTH {
        json.items().for_each(|item| texts(item, depth + 1, part));
        json.members()
            .filter(|member| member.name != "cache_control")
            .for_each(|member| texts(member.value, depth + 1, part));
    }
}

/// Ensures that requests of one conversation are processed one after the other.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>);

impl Turns {
    /// The lock of a conversation.
    pub(super) fn of(&self, name: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turn) = all.get(name).and_then(Weak::upgrade) {
            return turn;
        }
        if all.len() >= MAX_TURNS {
            all.retain(|_, turn| turn.strong_count() > 0);
        }
        let turn = Arc::default();
        all.insert(name.to_owned(), Arc::downgrade(&turn));
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(format: Format, body: &str) -> String {
        let raw: &serde_json::value::RawValue = serde_json::from_str(body).unwrap();
        name(format, &HeaderMap::new(), Json::of(raw))
    }

    #[test]
    fn a_conversation_keeps_its_name_while_it_grows() {
        let first = r#"{"role":"user","content":[{"type":"text","text":"Fix it","cache_control":{"type":"ephemeral"}}]}"#;
        let later = r#"{"role":"user","content":[{"type":"text","text":"Fix it"}]}"#;
        let one = of(Format::Anthropic, &format!(r#"{{"messages":[{first}]}}"#));
        let two = of(
            Format::Anthropic,
            &format!(
                r#"{{"system":"x","messages":[{later},{{"role":"assistant","content":"ok"}},{{"role":"user","content":"Go on"}}]}}"#
            ),
        );
        assert_eq!(one, two);
    }

    #[test]
    fn others_have_other_names() {
        let bodies = [
            r#"{"messages":[{"role":"user","content":"Fix it"}]}"#,
            r#"{"messages":[{"role":"user","content":"Find it"}]}"#,
            r#"{"metadata":{"user_id":"u"},"messages":[{"role":"user","content":"Fix it"}]}"#,
            r#"{"prompt_cache_key":"k","messages":[{"role":"user","content":"Fix it"}]}"#,
            r#"{"messages":[]}"#,
        ];
        let mut names = bodies.map(|body| of(Format::OpenaiChat, body)).to_vec();
        names.push(of(
            Format::OpenaiResponses,
            r#"{"input":[{"role":"user","content":"Fix it"}],"prompt_cache_key":"j"}"#,
        ));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 6);
    }
}
