//! The answer to a request; the same in a resident process and in a process that does the work itself.

use base64::Engine as _;
use serde_json::{Value, json};

use super::wire::{Ran, Reply, Request};
use crate::host::Host;
use crate::host::event::{Event, parsed};
use crate::host::hooks::Hooks;
use crate::host::replace::{self, Limits, worked_on};
use crate::host::tools::find;
use crate::protocol::artifact::{List, ListParams, Numbering, Read, ReadParams};
use crate::sanitize::redact_only;
use crate::telemetry::counts::{Held, Interface, held, with_caller};

/// One byte in this many of the host's limit is left free, because the host may count differently.
const FREE_ONE_IN: usize = 20;
/// Bytes that are kept of a text without a reducer if the host would have cut it: its ends, and outliers between them. Failure
/// lines, and lines that explain them, are kept beyond that, up to the host's limit. In recorded outputs above 10,000 bytes,
/// 5,000 kept as much of what agents used later as the host's own limit; 4,000 kept less.
const KEPT_OF_CUT_BYTES: usize = 5_000;
/// Most originals in a list.
const MAX_LISTED: usize = 4096;

/// The reply and its content, and what counts if they arrive. If the request cannot be met: [`Reply::Nothing`].
pub fn answer(host: &Host, request: &Request, content: &[u8]) -> (Reply, Vec<u8>, Held) {
    let interface = match request {
        Request::Hook { host, .. } => Some(Interface::named(host)),
        Request::Run { .. } => Some(Interface::named("run")),
        _ => None,
    };
    let work = || held(|| answered(host, request, content));
    let ((reply, content), held) = with_caller(|caller| caller.interface = interface, work);
    // A hook that prints nothing leaves the host its own text.
    let held = if reply == Reply::Nothing { held.unused() } else { held };
    (reply, content, held)
}

fn answered(host: &Host, request: &Request, content: &[u8]) -> (Reply, Vec<u8>) {
    let answer = match request {
        Request::Hook { host: name, .. } => hook(host, name, content).map(|bytes| (Reply::Whole, bytes)),
        Request::Run { ran, parts, .. } => output(host, ran, parts, content),
        Request::NotShown { session, call } => {
            host.engine().not_shown(session, call);
            None
        }
        Request::Original { id } => original(host, id),
        Request::Counts => {
            host.engine().flush_counts();
            Some((Reply::Whole, Vec::new()))
        }
        Request::Originals => Some((Reply::Whole, Value::Array(originals(host)).to_string().into_bytes())),
    };
    answer.unwrap_or((Reply::Nothing, Vec::new()))
}

/// Records that the answer did not reach the client, so that the host used its own text. The output of a command is
/// printed without its secrets all the same.
pub fn undelivered(host: &Host, request: &Request, content: &[u8], held: Held) {
    host.engine().count_held(match request {
        Request::Run { .. } => held.shown_as(None),
        _ => held.unused(),
    });
    let event = match request {
        Request::Run { ran, .. } => ran.session.as_deref().zip(ran.call.as_deref()),
        Request::Hook { .. } => {
            let event = parsed(content).and_then(Event::read);
            if let Some(event) = event {
                replace::undelivered(host, &event);
            }
            None
        }
        _ => None,
    };
    if let Some((session, call)) = event {
        host.engine().not_shown(session, call);
    }
}

fn hook(host: &Host, name: &str, event: &[u8]) -> Option<Vec<u8>> {
    (Hooks::named(name)?.reply)(host, parsed(event)?).map(|reply| reply.to_string().into_bytes())
}

/// The compressed output of a command.
fn output(host: &Host, ran: &Ran, parts: &[usize], content: &[u8]) -> Option<(Reply, Vec<u8>)> {
    let mut rest = std::str::from_utf8(content).ok()?;
    let mut texts = Vec::with_capacity(parts.len());
    for length in parts {
        let (text, after) = rest.split_at_checked(*length)?;
        texts.push(text);
        rest = after;
    }
    let content = match texts.as_slice() {
        [one] => json!(one),
        more => more.iter().map(|text| json!({ "type": "text", "text": text })).collect(),
    };
    let mut result = json!({
        "tool": "bash",
        "arguments": { "command": ran.command },
        "content": content,
    });
    if let Some(code) = ran.exit_code {
        result["exitCode"] = json!(code);
    }
    if let Some(call) = &ran.call {
        result["toolCallId"] = json!(call);
    }
    let is_cut = ran.room.is_some_and(|room| texts.iter().map(|text| text.len()).sum::<usize>() > room);
    let limits = Limits {
        bytes: ran.room.map(|room| room.saturating_sub(room / FREE_ONE_IN)),
        // A cut would make a JSON document invalid.
        unread: (is_cut && !texts.iter().any(|text| is_document(text))).then_some(KEPT_OF_CUT_BYTES),
        ..Limits::default()
    };
    let given = result["content"].clone();
    // Texts that stay were searched for secrets too.
    let new = worked_on(host, ran.session.as_deref(), result, limits)?.unwrap_or(given);
    let texts: Vec<&str> = match &new {
        Value::String(text) => vec![text],
        new => new.as_array()?.iter().map(|part| part.get("text")?.as_str()).collect::<Option<_>>()?,
    };
    let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
    (lengths.len() == parts.len()).then(|| (Reply::Parts { parts: lengths }, texts.concat().into_bytes()))
}

/// Whether a text looks like one JSON document.
fn is_document(text: &str) -> bool {
    let text = text.trim();
    (text.starts_with('{') && text.ends_with('}')) || (text.starts_with('[') && text.ends_with(']'))
}

fn original(host: &Host, id: &str) -> Option<(Reply, Vec<u8>)> {
    let mut bytes = Vec::new();
    let (mut cursor, mut is_text, mut whole_id) = (None, true, String::new());
    loop {
        let read: Read = find(host, |session_id| {
            host.engine().read_artifact(&ReadParams {
                session_id,
                id: id.to_owned(),
                lines: None,
                numbering: Numbering::Result,
                max_bytes: Some(usize::MAX),
                cursor: cursor.clone(),
            })
        })
        .ok()?;
        match read.encoding.as_str() {
            "utf-8" => bytes.extend(read.text.as_bytes()),
            _ => {
                is_text = false;
                bytes.extend(base64::engine::general_purpose::STANDARD.decode(&read.text).ok()?);
            }
        }
        whole_id = if whole_id.is_empty() { read.id } else { whole_id };
        cursor = read.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    // The reader may not be the model that wrote a value into the call, so all secrets are removed.
    if is_text && let Ok((safe, _)) = redact_only(std::str::from_utf8(&bytes).ok()?) {
        bytes = safe.into_bytes();
    }
    let mime = (!is_text).then(|| "application/octet-stream".to_owned());
    Some((Reply::Original { id: whole_id, mime }, bytes))
}

/// The originals of all sessions, latest session first.
fn originals(host: &Host) -> Vec<Value> {
    let mut all = Vec::new();
    for session_id in host.sessions() {
        let mut cursor = None;
        loop {
            let params = ListParams { session_id: session_id.clone(), cursor };
            // A closed session has no originals.
            let Ok(List { artifacts, next_cursor }) = host.engine().list_artifacts(&params) else { break };
            for artifact in artifacts {
                let mut listed = serde_json::to_value(&artifact).unwrap_or_default();
                listed["session"] = json!(session_id);
                all.push(listed);
            }
            match next_cursor {
                Some(next) if all.len() < MAX_LISTED => cursor = Some(next),
                _ => break,
            }
        }
    }
    all
}
