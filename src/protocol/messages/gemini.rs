//! Gemini: `functionResponse` parts of `contents`, whose `response` is an object of any shape. Ids may be absent:
//! then the n-th response of a name answers the n-th call of that name.

use super::find::{Answer, Call, Finder};
use super::{frame, texts};
use crate::protocol::error::RpcError;
use crate::protocol::params::invalid;
use crate::protocol::skim::Json;

/// Finds calls and results.
pub(super) fn read<'a>(body: Json<'a>, finder: &mut Finder<'a>) -> Result<(), RpcError> {
    let contents = texts::once(body, "contents", "")?;
    match contents {
        Some(contents) if contents.is_array() => {
            for (i, content) in contents.items().enumerate() {
                parts(content, &format!("contents[{i}]"), finder)?;
            }
            Ok(())
        }
        Some(content) if content.is_object() => parts(content, "contents", finder),
        _ => Err(invalid("body.contents", "expected an array")),
    }
}

fn parts<'a>(content: Json<'a>, place: &str, finder: &mut Finder<'a>) -> Result<(), RpcError> {
    let Some(parts) = texts::once(content, "parts", place)? else { return Ok(()) };
    match content.text_of("role").as_deref() {
        Some("model") => finder.add_model_text(parts),
        _ => finder.end_answer(),
    }
    let mut roles = content.members().filter(|member| member.name == "role");
    let is_of_tool = roles.any(|role| matches!(role.value.string().as_deref(), Some("function" | "tool")));
    for (i, part) in parts.items().enumerate() {
        let mut names = part.members().map(|member| member.name);
        let is_result = names.any(|name| matches!(&*name, "functionResponse" | "function_response"));
        for member in part.members() {
            match &*member.name {
                "functionCall" | "function_call" => {
                    let call = member.value;
                    let what =
                        Call { name: call.text_of("name"), arguments: call.get("args"), command: None };
                    finder.call(call.text_of("id"), what);
                }
                "codeExecutionResult" | "code_execution_result" => {
                    finder.given_members(member.value, &["output"]);
                }
                // The result of a tool on Google's own servers.
                "toolResponse" | "tool_response" => {
                    let given = member.value.members().filter(|m| !matches!(&*m.name, "id" | "toolType"));
                    given.for_each(|m| finder.given_free(m.value));
                }
                "inlineData" | "inline_data" => finder.given_members(member.value, &["data", "displayName"]),
                "text" if is_of_tool => finder.given(member.value),
                name @ ("functionResponse" | "function_response") => {
                    for part in member.value.members() {
                        match &*part.name {
                            "response" => finder.given_free(part.value),
                            // What the API reads itself.
                            "id" | "name" | "willContinue" | "will_continue" | "scheduling" => {}
                            _ => finder.given(part.value),
                        }
                    }
                    result(member.value, format!("{place}.parts[{i}].{name}"), finder)?;
                }
                "text" | "thought" | "thoughtSignature" | "thought_signature" => {}
                _ if is_result => finder.given(member.value),
                _ => {}
            }
        }
    }
    Ok(())
}

fn result<'a>(response: Json<'a>, place: String, finder: &mut Finder<'a>) -> Result<(), RpcError> {
    let Some(object) = texts::once(response, "response", &place)? else { return Ok(()) };
    let mut answer =
        Answer { id: response.text_of("id"), name: response.text_of("name"), ..Answer::default() };
    texts::members(object, &format!("{place}.response"), 0, &mut answer)?;
    frame::take_off(&mut answer);
    // Gemini's member for an error.
    if object.get("error").is_some_and(|e| e.raw() != "false") && object.get("output").is_none() {
        answer.is_error = Some(true);
    }
    finder.result(place, answer, true)
}
