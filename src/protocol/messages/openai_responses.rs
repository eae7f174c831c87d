//! OpenAI responses: items of `input` with the results of functions, custom tools and shells. Results of a computer
//! are pictures, and tools on OpenAI's own servers are not the host's: both stay.

use super::find::{Answer, Call, Finder};
use super::{array, frame, program, texts};
use crate::protocol::error::RpcError;
use crate::protocol::skim::Json;

/// Items with the output of a tool that the host ran.
const OUTPUTS: &[&str] = &[
    "function_call_output",
    "custom_tool_call_output",
    "local_shell_call_output",
    "apply_patch_call_output",
];

/// Members that describe such an item; all others hold the result of the tool.
const OF_ITEM: &[&str] = &["type", "id", "call_id", "status", "name", "namespace", "role"];

/// Finds calls and results.
pub(super) fn read<'a>(body: Json<'a>, finder: &mut Finder<'a>) -> Result<(), RpcError> {
    if texts::once(body, "input", "")?.is_some_and(Json::is_string) {
        return Ok(());
    }
    for (i, item) in array(body, "input")?.items().enumerate() {
        let [kind, output, call_id, id] =
            texts::fields(item, ["type", "output", "call_id", "id"], &|| format!("input[{i}]"))?;
        let kind = texts::name(kind);
        let kind = kind.as_deref().unwrap_or_default();
        let is_shell = kind == "shell_call_output";
        if !is_shell && !OUTPUTS.contains(&kind) {
            if kind.ends_with("_output") {
                finder.given_but(item, OF_ITEM);
            } else if kind.ends_with("_call") || kind == "mcp_list_tools" {
                finder.given_members(
                    item,
                    &["output", "outputs", "results", "result", "error", "logs", "tools"],
                );
                // Addresses that a search found.
                let sources = item.get("action").and_then(|action| action.get("sources"));
                sources.into_iter().for_each(|sources| finder.given_free(sources));
            }
            call(kind, item, finder);
            match kind == "message" && item.text_of("role").is_none_or(|role| role != "assistant") {
                true => finder.end_answer(),
                false => finder.add_model_text(item),
            }
            continue;
        }
        let place = format!("input[{i}]");
        finder.given_but(item, OF_ITEM);
        let Some(output) = output else { continue };
        let mut answer = Answer { id: texts::name(call_id).or_else(|| texts::name(id)), ..Answer::default() };
        let place_of_output = format!("{place}.output");
        match is_shell && output.is_array() {
            true => commands(output, &place_of_output, &mut answer)?,
            false => texts::content(output, &place_of_output, &mut answer)?,
        }
        if kind == "custom_tool_call_output" {
            program::unwrap(&mut answer);
        } else {
            frame::take_off(&mut answer);
        }
        finder.result(place, answer, true)?;
    }
    Ok(())
}

/// The output of each command of a `shell_call`. The exit code is set if all commands share it.
fn commands<'a>(output: Json<'a>, place: &str, answer: &mut Answer<'a>) -> Result<(), RpcError> {
    let mut codes = Vec::new();
    for (i, command) in output.items().enumerate() {
        texts::members(command, &format!("{place}[{i}]"), 0, answer)?;
        codes.push(command.get("outcome").and_then(|o| o.get("exit_code")).and_then(Json::integer));
    }
    codes.dedup();
    answer.exit_code = if let [code] = codes[..] { code } else { None };
    Ok(())
}

fn call<'a>(kind: &str, item: Json<'a>, finder: &mut Finder<'a>) {
    let action = item.get("action");
    let call = match kind {
        "function_call" => {
            Call { name: item.text_of("name"), arguments: item.get("arguments"), command: None }
        }
        "custom_tool_call" => {
            Call { name: item.text_of("name"), arguments: item.get("input"), command: None }
        }
        "local_shell_call" => Call { name: Some("shell".into()), arguments: action, command: None },
        "shell_call" => {
            let lines = action.and_then(|a| a.get("commands")).into_iter().flat_map(Json::items);
            let lines: Vec<_> = lines.filter_map(Json::string).collect();
            let command = (!lines.is_empty()).then(|| lines.join("\n"));
            Call { name: Some("shell".into()), arguments: action, command }
        }
        "apply_patch_call" => {
            Call { name: Some("apply_patch".into()), arguments: item.get("operation"), command: None }
        }
        _ => return,
    };
    let ids = [item.text_of("call_id"), item.text_of("id").filter(|_| kind == "local_shell_call")];
    for id in ids.into_iter().flatten() {
        finder.call(Some(id), call.clone());
    }
}
