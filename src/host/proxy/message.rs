//! One line between client and wrapped server, parsed as far as the proxy needs.

use serde_json::value::RawValue;

use crate::protocol::skim::Json;

/// The kind of a line.
#[derive(Debug)]
pub(super) enum Message<'a> {
    /// A request or notification: its id as JSON text, its method, its parameters.
    Request(Option<&'a str>, String, &'a RawValue),
    /// An answer, by the id of its request.
    Answer(&'a str, &'a RawValue),
    /// A batch, text that is not JSON, or JSON that is not JSON-RPC.
    Other,
}

/// The ids of the answers in a batch.
pub(super) fn ids_of_batch(line: &[u8]) -> Vec<&str> {
    let Ok(raw) = serde_json::from_slice::<&RawValue>(unmarked(line)) else { return Vec::new() };
    let answers = Json::of(raw).items().filter(|message| message.text_of("method").is_none());
    answers.filter_map(|message| message.get("id").map(Json::raw)).collect()
}

/// The byte order mark of UTF-8. Many clients read past it.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// A line without the marks before it.
pub(in crate::host) fn unmarked(mut line: &[u8]) -> &[u8] {
    while let Some(rest) = line.strip_prefix(MARK) {
        line = rest;
    }
    line
}

/// Parses a line.
pub(super) fn read(line: &[u8]) -> Message<'_> {
    let line = unmarked(line);
    let Ok(raw) = serde_json::from_slice::<&RawValue>(line) else { return Message::Other };
    let json = Json::of(raw);
    if !json.is_object() {
        return Message::Other;
    }
    let id = json.get("id").map(Json::raw);
    match (json.text_of("method"), id) {
        (Some(method), id) => Message::Request(id, method.into_owned(), raw),
        (None, Some(id)) => Message::Answer(id, raw),
        (None, None) => Message::Other,
    }
}
