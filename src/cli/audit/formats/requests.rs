//! Logs of request bodies: one a line, or one or a list of them in a file, bare or in an envelope with the response.
//! OpenAI chat completions and responses, Anthropic messages, Gemini contents. Bodies of one conversation grow:
//! messages that a later body repeats are not read twice, and results that a later body no longer has left the
//! context.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::{Sink, claude_code, codex, gemini};
use crate::cli::audit::history::{Call, History, Output};
use crate::cli::audit::notes::{Notes, document, has, heads, lines, named, string, text_of};

/// Members in which a log may keep the body, and the response.
const BODIES: &[&str] =
    &["body", "request", "request_body", "requestBody", "payload", "input", "json", "kwargs"];
const RESPONSES: &[&str] = &["response", "response_body", "responseBody", "output"];

/// A line that is a body or has one, or a document that looks like one.
pub(super) fn claims(head: &[u8]) -> bool {
    if heads(head).any(|line| {
        body(&line).is_some() || line.as_array().is_some_and(|all| all.iter().any(|one| body(one).is_some()))
    }) {
        return true;
    }
    let first = head.trim_ascii_start();
    let is_json = first.starts_with(b"{") || first.starts_with(b"[");
    let has_list = has(head, "\"messages\"") || has(head, "\"input\"") || has(head, "\"contents\"");
    is_json && has_list && (has(head, "\"role\"") || has(head, "\"parts\"") || has(head, "\"call_id\""))
}

/// The body in a value of a log.
fn body(value: &Value) -> Option<&Value> {
    if messages(value).is_some() {
        return Some(value);
    }
    BODIES.iter().filter_map(|name| value.get(name)).find(|inner| messages(inner).is_some())
}

/// What a body holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wire {
    Messages,
    Responses,
    Gemini,
}

fn messages(value: &Value) -> Option<(Wire, &Vec<Value>)> {
    let list = |name: &str, mark: &[&str]| {
        let all = value.get(name)?.as_array()?;
        all.iter().any(|one| mark.iter().any(|name| one.get(name).is_some())).then_some(all)
    };
    (list("messages", &["role"]).map(|all| (Wire::Messages, all)))
        .or_else(|| list("input", &["role", "call_id"]).map(|all| (Wire::Responses, all)))
        .or_else(|| list("contents", &["parts"]).map(|all| (Wire::Gemini, all)))
}

/// A conversation and the messages that were read.
struct Conversation {
    history: History,
    read: HashSet<u64>,
}

#[derive(Default)]
struct Log {
    places: HashMap<u64, usize>,
    all: Vec<Conversation>,
}

pub(super) fn read(file: &Path, notes: &mut Notes, each: &mut Sink<'_>) -> Result<(), String> {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut log = Log::default();
    if is_lines(file)? {
        lines(file, notes, &mut |number, line, notes| match line.as_array() {
            Some(all) => {
                if all.iter().filter(|one| log.add(one, &stem, notes)).count() == 0 {
                    notes.broken(number);
                }
            }
            None if log.add(&line, &stem, notes) => {}
            None => notes.broken(number),
        })?;
    } else {
        let whole = document(file)?;
        let read = match whole.as_array() {
            Some(all) => all.iter().filter(|one| log.add(one, &stem, notes)).count() > 0,
            None => log.add(&whole, &stem, notes),
        };
        if !read {
            return Err("has no request body with `messages`, `input` or `contents`".to_owned());
        }
    }
    log.all.into_iter().map(|conversation| conversation.history).for_each(each);
    Ok(())
}

/// Whether the first line is JSON of its own.
fn is_lines(file: &Path) -> Result<bool, String> {
    use std::io::{BufRead, BufReader};
    let mut reader = BufReader::new(std::fs::File::open(file).map_err(|e| e.to_string())?);
    let mut line = Vec::new();
    while line.trim_ascii().is_empty() {
        line.clear();
        if reader.read_until(b'\n', &mut line).map_err(|e| e.to_string())? == 0 {
            return Ok(false);
        }
    }
    Ok(serde_json::from_slice::<serde::de::IgnoredAny>(line.trim_ascii()).is_ok())
}

impl Log {
    /// Reads a value of the log; whether it holds a body.
    fn add(&mut self, value: &Value, stem: &str, notes: &mut Notes) -> bool {
        let Some(body) = body(value) else { return false };
        let Some((wire, messages)) = messages(body) else { return false };
        let system = body.get("system").or_else(|| body.get("instructions"));
        let system = system.and_then(text_of).unwrap_or_default();
        let first =
            messages.iter().find(|message| !matches!(string(message, "role"), Some("system" | "developer")));
        let begin = first.map(digest).unwrap_or_default() ^ xxh3_64(system.as_bytes());
        let next = self.all.len();
        let place = *self.places.entry(begin).or_insert(next);
        if place == next {
            let history = History::new(format!("{stem}#{}", next + 1));
            self.all.push(Conversation { history, read: HashSet::new() });
        }
        let Some(Conversation { history, read }) = self.all.get_mut(place) else { return false };
        // The agent's answer was written with the earlier results in view. Results that are no longer in the body
        // left with the first new message that is not the agent's.
        let ids: HashSet<&str> = messages.iter().flat_map(|message| result_ids(message)).collect();
        let mut is_shown = false;
        // The same message may be in a body twice.
        let mut same: HashMap<u64, u64> = HashMap::new();
        for message in messages {
            let digest = digest(message);
            let nth = same.entry(digest).or_default();
            *nth += 1;
            if !read.insert(digest.wrapping_add(nth.wrapping_mul(0x9e37_79b9_7f4a_7c15))) {
                continue;
            }
            if !is_shown && !is_agents(message) {
                is_shown = true;
                history.keep(|id| id.contains('#') || ids.contains(id));
            }
            match wire {
                Wire::Messages => of_message(message, history, notes),
                Wire::Responses => of_item(message, history, notes),
                Wire::Gemini => gemini::of_message(message, history, notes),
            }
        }
        let response =
            RESPONSES.iter().filter_map(|name| value.get(name)).find(|response| response.is_object());
        match response {
            Some(response) => of_response(response, history, notes),
            None => history.request(),
        }
        true
    }
}

/// The hash of a message without `cache_control`, which hosts move along with the end of a conversation.
fn digest(message: &Value) -> u64 {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.shift_remove("cache_control");
                members.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut message = message.clone();
    strip(&mut message);
    xxh3_64(message.to_string().as_bytes())
}

/// Whether the model wrote it.
fn is_agents(message: &Value) -> bool {
    let kind = string(message, "type").unwrap_or_default();
    matches!(string(message, "role"), Some("assistant" | "model"))
        || kind.ends_with("_call")
        || kind == "reasoning"
}

/// Ids of the calls that a message answers.
fn result_ids(message: &Value) -> Vec<&str> {
    let own = ["tool_call_id", "call_id"].iter().filter_map(|name| string(message, name));
    let inner = ["content", "parts"].iter().filter_map(|name| message.get(name)?.as_array()).flatten();
    let inner = inner.filter_map(|block| {
        let gemini = block.get("functionResponse").and_then(|answer| string(answer, "id"));
        string(block, "tool_use_id").or(gemini)
    });
    own.chain(inner).collect()
}

fn of_message(message: &Value, history: &mut History, notes: &mut Notes) {
    let blocks = message.get("content").and_then(Value::as_array);
    let has =
        |kind: &str| blocks.is_some_and(|blocks| blocks.iter().any(|b| string(b, "type") == Some(kind)));
    if !has("tool_use") && !has("tool_result") {
        return of_chat(message, history, notes);
    }
    let is_agents = string(message, "role") == Some("assistant");
    for block in blocks.into_iter().flatten() {
        if is_agents {
            claude_code::of_agent(block, history);
        } else if string(block, "tool_use_id").is_none_or(|id| !history.is_answered(id)) {
            claude_code::of_user(block, None, history, notes);
        }
    }
}

/// A message of a chat: its calls, or the result that it is.
pub(super) fn of_chat(message: &Value, history: &mut History, notes: &mut Notes) {
    let text = message.get("content").and_then(text_of);
    match string(message, "role") {
        Some("assistant") => {
            history.agent_text(text.as_deref().unwrap_or_default());
            let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
            for call in calls {
                let function = call.get("function").or_else(|| call.get("custom")).unwrap_or(call);
                history.call(Call {
                    id: named(call, "id"),
                    tool: named(function, "name").unwrap_or_default(),
                    arguments: arguments(function),
                    command: None,
                });
            }
            if let Some(call) = message.get("function_call").filter(|call| call.is_object()) {
                let tool = named(call, "name").unwrap_or_default();
                history.call(Call { tool, arguments: arguments(call), ..Call::default() });
            }
        }
        Some("tool" | "function") => {
            let call = named(message, "tool_call_id");
            if call.as_deref().is_some_and(|id| history.is_answered(id)) {
                return;
            }
            match text {
                Some(text) => {
                    history.result(Output { call, tool: named(message, "name"), text, ..Output::default() })
                }
                None => notes.without_text += 1,
            }
        }
        _ => history.other_text(text.as_deref().unwrap_or_default()),
    }
}

fn arguments(function: &Value) -> Value {
    match function.get("arguments").or_else(|| function.get("input")) {
        Some(Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        }
        Some(other) => other.clone(),
        None => Value::Null,
    }
}

fn of_item(item: &Value, history: &mut History, notes: &mut Notes) {
    if string(item, "call_id").is_some_and(|id| string(item, "output").is_some() && history.is_answered(id)) {
        return;
    }
    codex::of_item(item, history, &HashMap::new(), notes);
}

fn of_response(response: &Value, history: &mut History, notes: &mut Notes) {
    let list = |name: &str| response.get(name).and_then(Value::as_array).into_iter().flatten();
    for choice in list("choices").filter_map(|choice| choice.get("message")) {
        of_chat(choice, history, notes);
    }
    list("content").for_each(|block| claude_code::of_agent(block, history));
    list("output").for_each(|item| of_item(item, history, notes));
    for content in list("candidates").filter_map(|candidate| candidate.get("content")) {
        gemini::of_message(content, history, notes);
    }
}
