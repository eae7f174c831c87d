//! Claude Code: `~/.claude/projects/*/*.jsonl`, one entry a line. Subagents are separate sessions, in the same file
//! or in separate files. A compaction empties the context; a microcompaction clears the results that it names.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::{Sink, Threads};
use crate::cli::audit::history::{Call, History, Output};
use crate::cli::audit::notes::{Notes, exit_code, heads, lines, named, string, text_of};

/// Entries carry their session, their place in it and a message, or sum up what was before.
pub(super) fn claims(head: &[u8]) -> bool {
    heads(head).any(|entry| {
        let is_entry = entry.get("uuid").is_some_and(Value::is_string) && entry.get("parentUuid").is_some();
        let is_summary = string(&entry, "type") == Some("summary") && string(&entry, "leafUuid").is_some();
        is_entry && string(&entry, "sessionId").is_some() && string(&entry, "type").is_some()
            || is_summary
            || string(&entry, "type") == Some("file-history-snapshot")
    })
}

pub(super) fn read(file: &Path, notes: &mut Notes, each: &mut Sink<'_>) -> Result<(), String> {
    let mut threads = Threads::default();
    let mut side: HashMap<String, String> = HashMap::new();
    lines(file, notes, &mut |number, entry, notes| {
        if !entry.is_object() {
            return notes.broken(number);
        }
        if let Some(thread) = thread(&entry, &mut side) {
            of_entry(&entry, threads.of(&thread), notes);
        }
    })?;
    threads.give(each);
    Ok(())
}

/// The session of an entry. Entries of subagents name the agent, or have an ancestor that does.
fn thread(entry: &Value, side: &mut HashMap<String, String>) -> Option<String> {
    let session = string(entry, "sessionId")?;
    if entry.get("isSidechain") != Some(&Value::Bool(true)) {
        return Some(session.to_owned());
    }
    let uuid = string(entry, "uuid").unwrap_or_default();
    let parent = string(entry, "parentUuid").and_then(|parent| side.get(parent).cloned());
    let agent = named(entry, "agentId").or(parent).unwrap_or_else(|| uuid.chars().take(8).collect());
    side.insert(uuid.to_owned(), agent.clone());
    Some(format!("{session}/{agent}"))
}

fn of_entry(entry: &Value, history: &mut History, notes: &mut Notes) {
    match string(entry, "type") {
        Some("system") => match string(entry, "subtype") {
            Some("compact_boundary") => history.forget_all(),
            Some("microcompact_boundary") => {
                let metadata = entry.get("microcompactMetadata").or_else(|| entry.get("compactMetadata"));
                let ids = metadata.and_then(|m| m.get("compactedToolIds")).and_then(Value::as_array);
                history.forget(ids.into_iter().flatten().filter_map(Value::as_str));
            }
            _ => {}
        },
        Some("assistant") => match entry.pointer("/message/content") {
            Some(Value::Array(blocks)) => blocks.iter().for_each(|block| of_agent(block, history)),
            Some(Value::String(text)) => history.agent_text(text),
            _ => {}
        },
        Some("user") => match entry.pointer("/message/content") {
            Some(Value::Array(blocks)) => {
                blocks.iter().for_each(|block| of_user(block, entry.get("toolUseResult"), history, notes));
            }
            Some(Value::String(text)) => history.other_text(text),
            _ => {}
        },
        _ => {}
    }
}

pub(super) fn of_agent(block: &Value, history: &mut History) {
    match string(block, "type") {
        Some("text") => history.agent_text(string(block, "text").unwrap_or_default()),
        Some("thinking") => history.agent_text(string(block, "thinking").unwrap_or_default()),
        Some("tool_use") => history.call(Call {
            id: named(block, "id"),
            tool: named(block, "name").unwrap_or_default(),
            arguments: block.get("input").cloned().unwrap_or_default(),
            command: None,
        }),
        _ => {}
    }
}

pub(super) fn of_user(block: &Value, native: Option<&Value>, history: &mut History, notes: &mut Notes) {
    match string(block, "type") {
        Some("text") => history.other_text(string(block, "text").unwrap_or_default()),
        Some("tool_result") => {
            // Prefers the text that the model saw; the host's own object is used only if that is missing.
            let seen = block.get("content").and_then(text_of).filter(|text| !text.is_empty());
            let Some(text) = seen.or_else(|| native.and_then(of_native)) else {
                notes.without_text += 1;
                return;
            };
            let is_error = block.get("is_error").and_then(Value::as_bool);
            let code =
                exit_code(&text, &["Exit code", "Error: Exit code"]).filter(|_| is_error == Some(true));
            let call = named(block, "tool_use_id");
            history.result(Output { call, text, exit_code: code, is_error, tool: None });
        }
        _ => {}
    }
}

/// The text in `toolUseResult`: it has the shape of its tool.
fn of_native(result: &Value) -> Option<String> {
    let streams = ["stdout", "stderr"].iter().filter_map(|name| string(result, name));
    let streams: Vec<&str> = streams.filter(|text| !text.is_empty()).collect();
    let names = || {
        let names = result.get("filenames").and_then(Value::as_array)?;
        Some(names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"))
    };
    let text = match result {
        Value::String(text) => Some(text.clone()),
        _ if !streams.is_empty() => Some(streams.join("\n")),
        _ => (result.pointer("/file/content").and_then(text_of))
            .or_else(|| result.get("content").and_then(text_of))
            .or_else(names),
    };
    text.filter(|text| !text.is_empty())
}
