//! OpenAI chat completions: messages with `role: "tool"`, and with the older `role: "function"`.

use super::find::{Answer, Call, Finder};
use super::{array, texts};
use crate::protocol::error::RpcError;
use crate::protocol::skim::Json;

/// Finds calls and results.
pub(super) fn read<'a>(body: Json<'a>, finder: &mut Finder<'a>) -> Result<(), RpcError> {
    for (i, message) in array(body, "messages")?.items().enumerate() {
        let place = || format!("messages[{i}]");
        let [role, content, id, name] =
            texts::fields(message, ["role", "content", "tool_call_id", "name"], &place)?;
        match texts::name(role).as_deref() {
            Some("assistant") => {
                finder.add_model_text(message);
                calls(message, finder);
            }
            Some(role @ ("tool" | "function")) => {
                finder.given_but(message, &["role", "tool_call_id", "name", "id"]);
                let Some(content) = content else { continue };
                let place = place();
                let id = texts::name(id).filter(|_| role == "tool");
                let mut answer = Answer { id, name: texts::name(name), ..Answer::default() };
                texts::content(content, &format!("{place}.content"), &mut answer)?;
                finder.result(place, answer, true)?;
            }
            _ => finder.end_answer(),
        }
    }
    Ok(())
}

fn calls<'a>(message: Json<'a>, finder: &mut Finder<'a>) {
    let of = |function: Json<'a>| Call {
        name: function.text_of("name"),
        arguments: function.get("arguments"),
        command: None,
    };
    for call in message.get("tool_calls").into_iter().flat_map(Json::items) {
        let custom = || {
            let custom = call.get("custom")?;
            Some(Call { name: custom.text_of("name"), arguments: custom.get("input"), command: None })
        };
        let what = call.get("function").map(of).or_else(custom).unwrap_or_default();
        finder.call(call.text_of("id"), what);
    }
    if let Some(call) = message.get("function_call") {
        finder.call(None, of(call));
    }
}
