//! MCP: the result of `tools/call` by itself, in its JSON-RPC message, or in an array of messages, which may hold the
//! requests too. `structuredContent` and every block except text stay.

use super::find::{Answer, Call, Finder};
use super::texts;
use crate::protocol::error::RpcError;
use crate::protocol::params::invalid;
use crate::protocol::skim::Json;

/// The member with the content of the text as data.
pub const STRUCTURED: &str = "structuredContent";

/// Members of a message or a result that say nothing of what a tool returned.
const OF_MESSAGE: &[&str] = &["jsonrpc", "id", "isError", "resultType", "nextCursor", "requestState"];

/// Finds calls and results.
pub(super) fn read<'a>(body: Json<'a>, finder: &mut Finder<'a>) -> Result<(), RpcError> {
    if !body.is_array() {
        return match message(body, "", finder)? {
            true => Ok(()),
            false => Err(invalid("body.content", "expected an array")),
        };
    }
    for (i, item) in body.items().enumerate() {
        message(item, &format!("[{i}]"), finder)?;
    }
    Ok(())
}

/// Reads a request, a response or a result; returns whether it is one of these.
fn message<'a>(json: Json<'a>, place: &str, finder: &mut Finder<'a>) -> Result<bool, RpcError> {
    // Ids are strings or numbers; a number is used as its digits.
    let id = json.get("id").filter(|id| !id.is_object() && !id.is_array()).map(|id| match id.string() {
        Some(text) => text,
        None => id.raw().into(),
    });
    if json.text_of("method").is_some() {
        let params = json.get("params").filter(|_| json.text_of("method").as_deref() == Some("tools/call"));
        if let Some(params) = params {
            let call =
                Call { name: params.text_of("name"), arguments: params.get("arguments"), command: None };
            finder.call(id, call);
        }
        return Ok(true);
    }
    // Also members that the protocol does not name.
    finder.given_free_but(json, OF_MESSAGE);
    let dot = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
    let (result, place) = match texts::once(json, "result", place)? {
        Some(result) => (result, dot("result")),
        None => (json, place.to_owned()),
    };
    let in_result = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
    let Some(content) = texts::once(result, "content", &place)? else {
        return Ok(json.get("error").is_some() || result.get(STRUCTURED).is_some());
    };
    let is_error = result.get("isError").and_then(Json::boolean);
    let structured = Some(result).filter(|result| result.get(STRUCTURED).is_some());
    let mut answer = Answer { id, is_error, structured, ..Answer::default() };
    texts::content(content, &in_result("content"), &mut answer)?;
    finder.result(if place.is_empty() { "content".to_owned() } else { place }, answer, false)?;
    Ok(content.is_array())
}
