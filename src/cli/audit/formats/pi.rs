//! pi: `~/.pi/agent/sessions/*/*.jsonl`, a tree of entries, one a line. Entries that are not on the path from the
//! root to the newest entry are not in the context.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde_json::Value;

use super::Sink;
use crate::cli::audit::history::{Call, History, Output};
use crate::cli::audit::notes::{Notes, exit_code, heads, lines, named, string, text_of};

/// The head names a session, its version and its folder.
pub(super) fn claims(head: &[u8]) -> bool {
    heads(head).any(|line| {
        string(&line, "type") == Some("session")
            && string(&line, "id").is_some()
            && string(&line, "cwd").is_some()
    })
}

pub(super) fn read(file: &Path, notes: &mut Notes, each: &mut Sink<'_>) -> Result<(), String> {
    let mut history = History::new("");
    let mut parents: HashMap<String, Option<String>> = HashMap::new();
    let mut results: HashMap<String, String> = HashMap::new();
    let mut order: Vec<(String, String)> = Vec::new();
    let mut last: Option<String> = None;
    lines(file, notes, &mut |number, entry, notes| {
        let Some(kind) = string(&entry, "type") else { return notes.broken(number) };
        if kind == "session" {
            string(&entry, "id").unwrap_or_default().clone_into(&mut history.id);
            return;
        }
        let id = named(&entry, "id");
        let parent = named(&entry, "parentId");
        if let Some(id) = &id {
            if last.is_some() && parent != last {
                let path = path(&parents, parent.clone());
                history.keep(|call| results.get(call).is_none_or(|entry| path.contains(entry)));
            }
            parents.insert(id.clone(), parent);
            last = Some(id.clone());
        }
        match kind {
            "message" => {
                let message = entry.get("message").unwrap_or(&Value::Null);
                if let (Some(call), Some(id)) = (string(message, "toolCallId"), &id) {
                    results.insert(call.to_owned(), id.clone());
                    order.push((id.clone(), call.to_owned()));
                }
                of_message(message, &mut history, notes);
            }
            "compaction" => {
                // Entries from the first kept one on stay in the context.
                let first = string(&entry, "firstKeptEntryId").unwrap_or_default();
                let before: HashSet<String> = path(&parents, parents.get(first).cloned().flatten());
                let gone = order.iter().filter(|(entry, _)| before.contains(entry));
                history.forget(gone.map(|(_, call)| call.as_str()).collect::<Vec<_>>());
                history.other_text(string(&entry, "summary").unwrap_or_default());
            }
            "branch_summary" => history.other_text(string(&entry, "summary").unwrap_or_default()),
            "custom_message" => {
                history.other_text(&entry.get("content").and_then(text_of).unwrap_or_default())
            }
            _ => {}
        }
    })?;
    each(history);
    Ok(())
}

/// Entries from one up to the root.
fn path(parents: &HashMap<String, Option<String>>, from: Option<String>) -> HashSet<String> {
    let mut out = HashSet::new();
    let mut next = from;
    while let Some(id) = next {
        next = parents.get(&id).cloned().flatten();
        if !out.insert(id) {
            break;
        }
    }
    out
}

fn of_message(message: &Value, history: &mut History, notes: &mut Notes) {
    match string(message, "role") {
        Some("assistant") => match message.get("content") {
            Some(Value::Array(blocks)) => blocks.iter().for_each(|block| of_agent(block, history)),
            Some(Value::String(text)) => history.agent_text(text),
            _ => {}
        },
        Some("toolResult") => {
            let Some(text) = message.get("content").and_then(text_of) else {
                notes.without_text += 1;
                return;
            };
            let last = text.lines().next_back().unwrap_or_default().to_owned();
            history.result(Output {
                call: named(message, "toolCallId"),
                tool: named(message, "toolName"),
                text,
                exit_code: exit_code(&last, &["Command exited with code"]),
                is_error: message.get("isError").and_then(Value::as_bool),
            });
        }
        // A command that the user ran: it is in the context as a message of the user.
        Some("bashExecution") => history.other_text(string(message, "output").unwrap_or_default()),
        _ => history.other_text(&message.get("content").and_then(text_of).unwrap_or_default()),
    }
}

fn of_agent(block: &Value, history: &mut History) {
    match string(block, "type") {
        Some("text") => history.agent_text(string(block, "text").unwrap_or_default()),
        Some("thinking") => history.agent_text(string(block, "thinking").unwrap_or_default()),
        Some("toolCall") => history.call(Call {
            id: named(block, "id"),
            tool: named(block, "name").unwrap_or_default(),
            arguments: block.get("arguments").cloned().unwrap_or_default(),
            command: None,
        }),
        _ => {}
    }
}
