//! Codex: `~/.codex/sessions/**/rollout-*.jsonl`, one item a line, in an envelope or, from old versions, bare.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde_json::Value;

use super::Sink;
use crate::cli::audit::history::{Call, History, Output};
use crate::cli::audit::notes::{Notes, exit_code, heads, lines, named, string, text_of};

/// Envelopes of items, or a bare head of a session with items after it.
pub(super) fn claims(head: &[u8]) -> bool {
    let mut bare = false;
    heads(head).any(|line| {
        let kind = string(&line, "type");
        let in_envelope = line.get("payload").is_some_and(Value::is_object)
            && matches!(
                kind,
                Some("session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted")
            );
        let is_item = bare && line.get("payload").is_none() && kind.is_some_and(is_item);
        bare |= kind.is_none()
            && string(&line, "id").is_some()
            && string(&line, "timestamp").is_some()
            && line.get("instructions").is_some();
        in_envelope || is_item
    })
}

fn is_item(kind: &str) -> bool {
    matches!(kind, "message" | "reasoning") || kind.ends_with("_call") || kind.ends_with("_call_output")
}

pub(super) fn read(file: &Path, notes: &mut Notes, each: &mut Sink<'_>) -> Result<(), String> {
    let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut history = History::new(name);
    // The exit code of a command is in an item of its own, before or after the result.
    let mut codes: HashMap<String, i64> = HashMap::new();
    lines(file, notes, &mut |number, line, notes| {
        let kind = string(&line, "type");
        match (kind, line.get("payload")) {
            (Some("session_meta"), Some(meta)) => {
                if let Some(id) = string(meta, "id") {
                    id.clone_into(&mut history.id);
                }
            }
            (Some("response_item"), Some(item)) => of_item(item, &mut history, &codes, notes),
            (Some("compacted"), Some(compacted)) => {
                let kept = compacted.get("replacement_history").and_then(Value::as_array);
                let kept: HashSet<&str> =
                    kept.into_iter().flatten().filter_map(|i| string(i, "call_id")).collect();
                match kept.is_empty() {
                    true => history.forget_all(),
                    false => history.keep(|id| kept.contains(id)),
                }
                history.other_text(string(compacted, "message").unwrap_or_default());
            }
            (Some("event_msg"), Some(event)) => {
                let item = event.get("item").unwrap_or(event);
                let code = item.get("exit_code").and_then(Value::as_i64);
                if let (Some(code), Some(id)) = (code, string(item, "call_id").or_else(|| string(item, "id")))
                {
                    codes.insert(id.to_owned(), code);
                }
            }
            (Some(kind), None) if is_item(kind) => of_item(&line, &mut history, &codes, notes),
            (None, None) if !line.is_object() => notes.broken(number),
            (None, None) => {
                if let Some(id) = string(&line, "id") {
                    id.clone_into(&mut history.id);
                }
            }
            _ => {}
        }
    })?;
    for record in history.records.iter_mut().filter(|record| record.exit_code.is_none()) {
        record.exit_code = codes.get(&record.id).copied();
    }
    each(history);
    Ok(())
}

pub(super) fn of_item(item: &Value, history: &mut History, codes: &HashMap<String, i64>, notes: &mut Notes) {
    // In a request a message needs no type.
    let kind = string(item, "type").unwrap_or("message");
    let id = named(item, "call_id").or_else(|| named(item, "id"));
    match kind {
        "message" => {
            let text = item.get("content").and_then(text_of).unwrap_or_default();
            match string(item, "role") {
                Some("assistant") => history.agent_text(&text),
                _ => history.other_text(&text),
            }
        }
        "reasoning" => {
            let summary = item.get("summary").and_then(text_of).unwrap_or_default();
            history.agent_text(&summary);
        }
        _ if kind.ends_with("_output") => {
            let Some((text, inner)) = item.get("output").and_then(output) else {
                notes.without_text += 1;
                return;
            };
            let printed = exit_code(&text, &["Process exited with code", "Exit code"]);
            let exit_code = inner.or(printed).or_else(|| codes.get(id.as_deref()?).copied());
            history.result(Output { call: id, text, exit_code, ..Output::default() });
        }
        _ if kind.ends_with("_call") => history.call(of_call(kind, id, item)),
        _ => {}
    }
}

fn of_call(kind: &str, id: Option<String>, item: &Value) -> Call {
    let words = item.pointer("/action/command").and_then(Value::as_array);
    let words: Vec<&str> = words.into_iter().flatten().filter_map(Value::as_str).collect();
    let given = item.get("arguments").or_else(|| item.get("input")).or_else(|| item.get("action"));
    let arguments = match given {
        Some(Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        }
        Some(other) => other.clone(),
        None => Value::Null,
    };
    let tool = named(item, "name").unwrap_or_else(|| kind.trim_end_matches("_call").to_owned());
    // `bash -lc SCRIPT`: the script is the command line.
    let script =
        || words.iter().position(|word| matches!(*word, "-lc" | "-c")).and_then(|at| words.get(at + 1));
    let command = match script() {
        Some(script) => Some((*script).to_owned()),
        None => (!words.is_empty()).then(|| words.join(" ")),
    };
    let command = command.or_else(|| named(&arguments, "cmd"));
    Call { id, tool, arguments, command }
}

/// The text of an output, and the exit code that old versions wrapped around it.
fn output(output: &Value) -> Option<(String, Option<i64>)> {
    let text = text_of(output)?;
    if let Ok(inner) = serde_json::from_str::<Value>(&text)
        && let (Some(output), Some(metadata)) = (string(&inner, "output"), inner.get("metadata"))
    {
        return Some((output.to_owned(), metadata.get("exit_code").and_then(Value::as_i64)));
    }
    Some((text, None))
}
