//! Gemini CLI: `~/.gemini/tmp/*/chats/session-*`, one JSON document, or from newer versions one entry a line, where
//! an entry with the id of an earlier one replaces it. Checkpoints and logs of its requests are lists of contents.

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

use super::Sink;
use crate::cli::audit::history::{Call, History, Output};
use crate::cli::audit::notes::{Notes, document, has, heads, lines, named, string, text_of};

/// The head of a session names its project; a checkpoint is a list of contents with parts.
pub(super) fn claims(head: &[u8]) -> bool {
    let first = head.trim_ascii_start();
    let is_session =
        |value: &Value| string(value, "sessionId").is_some() && string(value, "projectHash").is_some();
    let is_document = first.starts_with(b"{")
        && has(head, "\"sessionId\"")
        && has(head, "\"projectHash\"")
        && (has(head, "\"messages\"") || has(head, "\"startTime\""));
    let is_checkpoint = first.starts_with(b"[") && has(head, "\"parts\"") && has(head, "\"role\"");
    // What the user typed, in all sessions.
    let is_log = first.starts_with(b"[")
        && ["\"sessionId\"", "\"messageId\"", "\"message\"", "\"timestamp\""]
            .iter()
            .all(|name| has(head, name));
    heads(head).any(|line| is_session(&line)) || is_document || is_checkpoint || is_log
}

pub(super) fn read(file: &Path, notes: &mut Notes, each: &mut Sink<'_>) -> Result<(), String> {
    let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut history = History::new(name);
    if let Ok(whole) = document(file) {
        of_document(&whole, &mut history, notes);
        if !history.is_empty() {
            each(history);
        }
        return Ok(());
    }
    // Entries are written again as they grow: the last one of an id is used, at the position of the first.
    let mut entries: Vec<Value> = Vec::new();
    let mut places = std::collections::HashMap::new();
    lines(file, notes, &mut |number, line, notes| {
        if let Some(id) = string(&line, "sessionId") {
            id.clone_into(&mut history.id);
        } else if let Some(messages) = line.pointer("/$set/messages").and_then(Value::as_array) {
            // A new list of all messages: results that are not in it left the context.
            entries.push(Value::Array(messages.clone()));
        } else if let Some(id) = string(&line, "id") {
            match places.get(id) {
                Some(place) => entries[*place] = line,
                None => {
                    places.insert(id.to_owned(), entries.len());
                    entries.push(line);
                }
            }
        } else if !line.is_object() {
            notes.broken(number);
        }
    })?;
    for entry in &entries {
        match entry.as_array() {
            Some(messages) => {
                let ids: HashSet<&str> =
                    messages.iter().flat_map(calls).filter_map(|call| string(call, "id")).collect();
                history.keep(|id| ids.contains(id));
                messages.iter().for_each(|message| of_message(message, &mut history, notes));
            }
            None => of_message(entry, &mut history, notes),
        }
    }
    each(history);
    Ok(())
}

fn of_document(whole: &Value, history: &mut History, notes: &mut Notes) {
    if let Some(id) = string(whole, "sessionId") {
        id.clone_into(&mut history.id);
    }
    let messages = whole.get("messages").or_else(|| whole.get("history")).unwrap_or(whole);
    for message in messages.as_array().into_iter().flatten() {
        of_message(message, history, notes);
    }
}

fn calls(message: &Value) -> impl Iterator<Item = &Value> {
    message.get("toolCalls").and_then(Value::as_array).into_iter().flatten()
}

pub(super) fn of_message(message: &Value, history: &mut History, notes: &mut Notes) {
    if let Some(parts) = message.get("parts").and_then(Value::as_array) {
        let is_models = string(message, "role") == Some("model");
        return parts.iter().for_each(|part| of_part(part, is_models, history, notes));
    }
    match string(message, "type") {
        Some("gemini" | "model") => {
            history.agent_text(&message.get("content").and_then(text_of).unwrap_or_default());
            for call in calls(message) {
                let id = named(call, "id");
                if id.as_deref().is_some_and(|id| history.is_answered(id)) {
                    continue;
                }
                let tool = named(call, "name").unwrap_or_default();
                let arguments = call.get("args").cloned().unwrap_or_default();
                history.call(Call { id: id.clone(), tool, arguments, command: None });
                let is_error = string(call, "status").map(|status| status == "error");
                let parts = call.get("result").and_then(Value::as_array);
                let responses =
                    parts.into_iter().flatten().filter_map(|p| p.pointer("/functionResponse/response"));
                let texts: Vec<String> = responses.filter_map(response).collect();
                let shown = || call.get("resultDisplay").and_then(Value::as_str).map(str::to_owned);
                match (!texts.is_empty()).then(|| texts.join("\n")).or_else(shown) {
                    Some(text) => {
                        history.result(Output {
                            call: id,
                            exit_code: code(&text),
                            text,
                            is_error,
                            tool: None,
                        });
                    }
                    None => notes.without_text += 1,
                }
            }
        }
        Some("user") => history.other_text(&message.get("content").and_then(text_of).unwrap_or_default()),
        _ => {}
    }
}

fn of_part(part: &Value, is_models: bool, history: &mut History, notes: &mut Notes) {
    if let Some(call) = part.get("functionCall") {
        history.call(Call {
            id: named(call, "id"),
            tool: named(call, "name").unwrap_or_default(),
            arguments: call.get("args").cloned().unwrap_or_default(),
            command: None,
        });
    } else if let Some(answer) = part.get("functionResponse") {
        match answer.get("response").and_then(response) {
            Some(text) => {
                let (call, tool) = (named(answer, "id"), named(answer, "name"));
                history.result(Output { call, tool, exit_code: code(&text), text, is_error: None });
            }
            None => notes.without_text += 1,
        }
    } else if let Some(text) = string(part, "text") {
        if is_models { history.agent_text(text) } else { history.other_text(text) }
    }
}

/// The text of a response.
fn response(response: &Value) -> Option<String> {
    ["output", "error", "content", "result"].iter().find_map(|name| response.get(name).and_then(text_of))
}

/// The exit code that the host writes after the output of a command.
fn code(text: &str) -> Option<i64> {
    let tail = &text[text.ceil_char_boundary(text.len().saturating_sub(400))..];
    tail.lines().rev().find_map(|line| line.trim().strip_prefix("Exit Code: ")?.trim().parse().ok())
}
