//! OpenCode and its forks: below `storage`, `message/SESSION/*.json` and `part/MESSAGE/*.json`, a file for each.
//! Newer versions keep the same values in `opencode.db`.

mod database;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Sink;
use crate::cli::audit::history::{Call, History, Output};
use crate::cli::audit::notes::{Notes, document, has, named, string};

/// A message, a part or the head of a session, by its ids; or a database.
pub(super) fn claims(head: &[u8]) -> bool {
    if database::claims(head) {
        return true;
    }
    let first = head.trim_ascii_start();
    first.starts_with(b"{")
        && ((has(head, "\"msg_") && has(head, "\"ses_"))
            || (has(head, "\"ses_") && has(head, "\"projectID\"") && has(head, "\"time\"")))
}

/// Whether an id can name a file.
fn is_name(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// All files of a session are read once: by the folder of its messages.
pub(super) fn unit(file: &Path, head: &[u8]) -> PathBuf {
    if database::claims(head) {
        return file.to_path_buf();
    }
    let value: Value = fs::read(file).ok().and_then(|b| serde_json::from_slice(&b).ok()).unwrap_or_default();
    let parent = file.parent().unwrap_or(file);
    let session = string(&value, "sessionID").or_else(|| string(&value, "id")).unwrap_or_default();
    let is_message = value.get("role").is_some();
    if is_message || !is_name(session) {
        return parent.to_path_buf();
    }
    // A part, or the head of the session: the messages are beside its folders.
    let found =
        file.ancestors().map(|folder| folder.join("message").join(session)).find(|folder| folder.is_dir());
    found.unwrap_or_else(|| file.to_path_buf())
}

pub(super) fn read(unit: &Path, notes: &mut Notes, each: &mut Sink<'_>) -> Result<(), String> {
    if unit.is_file() {
        let mut head = [0; 16];
        let read = std::io::Read::read(&mut fs::File::open(unit).map_err(|e| e.to_string())?, &mut head);
        return match read {
            Ok(16) if database::claims(&head) => database::read(unit, notes, each),
            Err(e) => Err(e.to_string()),
            Ok(_) => Err("the messages of its session are not there".to_owned()),
        };
    }
    let session = unit.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut messages = values(unit, notes);
    messages.sort_by_cached_key(order);
    let mut history = History::new(&session);
    let mut cleared = Cleared::new();
    for message in &messages {
        let id = string(message, "id").unwrap_or_default();
        let places =
            |folder: &Path| [folder.join("part").join(id), folder.join("part").join(&session).join(id)];
        let folder = unit.ancestors().filter(|_| is_name(id)).flat_map(places).find(|folder| folder.is_dir());
        let mut parts = folder.map(|folder| values(&folder, notes)).unwrap_or_default();
        parts.sort_by(|a, b| string(a, "id").cmp(&string(b, "id")));
        of_message(message, &parts, &mut cleared, &mut history, notes);
    }
    each(history);
    Ok(())
}

/// All documents of a folder. A file that is no JSON document is noted by its position in the folder.
fn values(folder: &Path, notes: &mut Notes) -> Vec<Value> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "json"));
    files.sort();
    let mut out = Vec::with_capacity(files.len());
    for (i, file) in files.iter().enumerate() {
        match document(file) {
            Ok(value) => out.push(value),
            Err(_) => notes.broken(i + 1),
        }
    }
    out
}

fn order(message: &Value) -> (i64, String) {
    let created = message.pointer("/time/created").and_then(Value::as_i64).unwrap_or_default();
    (created, string(message, "id").unwrap_or_default().to_owned())
}

/// Results that the host cleared: when, and of which call.
type Cleared = Vec<(i64, String)>;

fn of_message(
    message: &Value,
    parts: &[Value],
    cleared: &mut Cleared,
    history: &mut History,
    notes: &mut Notes,
) {
    let created = order(message).0;
    history.forget(cleared.iter().filter(|(at, _)| *at <= created).map(|(_, call)| call.as_str()));
    cleared.retain(|(at, _)| *at > created);
    let is_users = string(message, "role") == Some("user");
    for part in parts {
        let text = string(part, "text").unwrap_or_default();
        match string(part, "type") {
            Some("text" | "reasoning") if is_users => history.other_text(text),
            Some("text" | "reasoning") => history.agent_text(text),
            Some("tool") => of_tool(part, cleared, history, notes),
            _ => {}
        }
    }
    // A summary by the agent replaces all messages before it.
    if message.get("summary") == Some(&Value::Bool(true)) {
        history.forget_all();
    }
}

fn of_tool(part: &Value, cleared: &mut Cleared, history: &mut History, notes: &mut Notes) {
    let Some(state) = part.get("state") else { return };
    let id = named(part, "callID");
    let compacted = state.pointer("/time/compacted").and_then(Value::as_i64);
    cleared.extend(compacted.zip(id.clone()));
    history.call(Call {
        id: id.clone(),
        tool: named(part, "tool").unwrap_or_default(),
        arguments: state.get("input").cloned().unwrap_or_default(),
        command: None,
    });
    let failed = string(state, "status") == Some("error");
    let text = named(state, if failed { "error" } else { "output" });
    let Some(text) = text else {
        notes.without_text += 1;
        return;
    };
    let exit_code = state.pointer("/metadata/exit").and_then(Value::as_i64);
    history.result(Output { call: id, text, exit_code, is_error: failed.then_some(true), tool: None });
}
