//! Anthropic messages: `tool_result` blocks. Images and `cache_control` stay. Documents, results of searches, and
//! results of tools that Anthropic's servers ran are only redacted.

use super::find::{Answer, Call, Finder};
use super::{array, texts};
use crate::protocol::error::RpcError;
use crate::protocol::skim::Json;

/// Finds calls and results.
pub(super) fn read<'a>(body: Json<'a>, finder: &mut Finder<'a>) -> Result<(), RpcError> {
    for (i, message) in array(body, "messages")?.items().enumerate() {
        // `content` may occur only once, since a block in a second one, which is not read, could hold a secret.
        let place = format!("messages[{i}]");
        let Some(content) = texts::once(message, "content", &place)? else { continue };
        match message.text_of("role").as_deref() {
            Some("assistant") => finder.add_model_text(content),
            _ => finder.end_answer(),
        }
        for (j, block) in content.items().enumerate() {
            let place = || format!("{place}.content[{j}]");
            let [kind, name, id, input] = texts::fields(block, ["type", "name", "id", "input"], &place)?;
            match texts::name(kind).as_deref() {
                Some("tool_use") => {
                    let call = Call { name: texts::name(name), arguments: input, command: None };
                    finder.call(texts::name(id), call);
                }
                Some("tool_result") => {
                    given(block, finder);
                    result(block, place(), finder)?;
                }
                // Results of the provider's tools, and the queries of searches: redacted, never compressed.
                Some(kind) if kind.ends_with("_tool_result") => given(block, finder),
                Some("document") => finder.given_members(block, &["source", "title", "context"]),
                Some("search_result") => finder.given_members(block, &["source", "title", "content"]),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Records what a tool returned in a block: its content, and members that are not of the provider.
fn given<'a>(block: Json<'a>, finder: &mut Finder<'a>) {
    finder.given_members(block, &["content"]);
    finder.given_free_but(block, &["type", "tool_use_id", "is_error", "cache_control", "content"]);
}

fn result<'a>(block: Json<'a>, place: String, finder: &mut Finder<'a>) -> Result<(), RpcError> {
    let [id, is_error, content] =
        texts::fields(block, ["tool_use_id", "is_error", "content"], &|| place.clone())?;
    let Some(content) = content else { return Ok(()) };
    let is_error = is_error.and_then(Json::boolean);
    let mut answer = Answer { id: texts::name(id), is_error, ..Answer::default() };
    texts::content(content, &format!("{place}.content"), &mut answer)?;
    finder.result(place, answer, true)
}
