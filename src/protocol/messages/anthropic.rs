//! Anthropic messages: `tool_result` blocks. Images, documents, `cache_control` and the results of tools
//! that Anthropic's servers ran stay.

use super::find::{Answer, Call, Finder};
use super::{array, texts};
use crate::protocol::error::RpcError;
use crate::protocol::skim::Json;

/// Finds calls and results.
pub(super) fn read<'a>(body: Json<'a>, finder: &mut Finder<'a>) -> Result<(), RpcError> {
    for (i, message) in array(body, "messages")?.items().enumerate() {
        // `content` once at most, since a block in a place that is not seen could hold a secret.
        let place = format!("messages[{i}]");
        let Some(content) = texts::once(message, "content", &place)? else { continue };
        for (j, block) in content.items().enumerate() {
            match block.text_of("type").as_deref() {
                Some("tool_use") => {
                    let call =
                        Call { name: block.text_of("name"), arguments: block.get("input"), command: None };
                    finder.call(block.text_of("id"), call);
                }
                Some("tool_result") => result(block, format!("{place}.content[{j}]"), finder)?,
                _ => {}
            }
        }
    }
    Ok(())
}

fn result<'a>(block: Json<'a>, place: String, finder: &mut Finder<'a>) -> Result<(), RpcError> {
    let Some(content) = texts::once(block, "content", &place)? else { return Ok(()) };
    let mut answer = Answer {
        id: block.text_of("tool_use_id"),
        is_error: block.get("is_error").and_then(Json::boolean),
        ..Answer::default()
    };
    texts::content(content, &format!("{place}.content"), &mut answer)?;
    finder.result(place, answer, true)
}
