//! GitHub Copilot CLI: `~/.copilot/session-state/*/events.jsonl`, one event a line; older versions wrote one document
//! with the chat messages below `history-session-state`.

use std::path::Path;

use serde_json::Value;

use super::{Sink, Threads, requests};
use crate::cli::audit::history::{Call, History, Output};
use crate::cli::audit::notes::{Notes, document, has, heads, lines, named, string, text_of};

/// Events of `session`, `assistant` or `tool` with data, or a document of one session.
pub(super) fn claims(head: &[u8]) -> bool {
    let is_event = |line: &Value| {
        let kind = string(line, "type").unwrap_or_default();
        let known = ["session.", "assistant.", "user.", "tool."].iter().any(|start| kind.starts_with(start));
        known && line.get("data").is_some_and(Value::is_object)
    };
    heads(head).any(|line| is_event(&line)) || is_document(head)
}

fn is_document(head: &[u8]) -> bool {
    let first = head.trim_ascii_start();
    first.starts_with(b"{") && has(head, "\"sessionId\"") && has(head, "\"chatMessages\"")
}

pub(super) fn read(file: &Path, notes: &mut Notes, each: &mut Sink<'_>) -> Result<(), String> {
    if let Ok(whole) = document(file)
        && let Some(messages) = whole.get("chatMessages").and_then(Value::as_array)
    {
        let mut history = History::new(string(&whole, "sessionId").unwrap_or_default());
        messages.iter().for_each(|message| requests::of_chat(message, &mut history, notes));
        each(history);
        return Ok(());
    }
    let mut threads = Threads::default();
    let mut session = String::new();
    lines(file, notes, &mut |number, event, notes| {
        let (Some(kind), Some(data)) = (string(&event, "type"), event.get("data")) else {
            return notes.broken(number);
        };
        if kind == "session.start" {
            string(data, "sessionId").unwrap_or_default().clone_into(&mut session);
        }
        // A subagent works in a context of its own.
        let parent = string(data, "parentToolCallId").or_else(|| string(&event, "agentId"));
        let name = parent.map_or_else(|| session.clone(), |parent| format!("{session}/{parent}"));
        of_event(kind, data, threads.of(&name), notes);
    })?;
    threads.give(each);
    Ok(())
}

fn of_event(kind: &str, data: &Value, history: &mut History, notes: &mut Notes) {
    match kind {
        "user.message" | "system.message" => {
            let text = string(data, "transformedContent").or_else(|| string(data, "content"));
            history.other_text(text.unwrap_or_default());
        }
        "assistant.message" => {
            let text = string(data, "content").unwrap_or_default();
            let calls = data.get("toolRequests").and_then(Value::as_array);
            history.agent_text(text);
            for call in calls.into_iter().flatten() {
                history.call(Call {
                    id: named(call, "toolCallId"),
                    tool: named(call, "name").unwrap_or_default(),
                    arguments: call.get("arguments").cloned().unwrap_or_default(),
                    command: None,
                });
            }
        }
        "tool.execution_complete" => {
            let failed = data.get("success") == Some(&Value::Bool(false));
            let content = data.pointer("/result/content").or_else(|| data.pointer("/error/message"));
            let Some(text) = content.and_then(text_of) else {
                notes.without_text += 1;
                return;
            };
            let code = data.pointer("/shellExecution/exitCode").and_then(Value::as_i64);
            let is_error = failed.then_some(true);
            history.result(Output {
                call: named(data, "toolCallId"),
                text,
                exit_code: code,
                is_error,
                tool: None,
            });
        }
        "session.compaction_complete" if data.get("success") != Some(&Value::Bool(false)) => {
            history.forget_all();
            history.other_text(string(data, "summaryContent").unwrap_or_default());
        }
        _ => {}
    }
}
