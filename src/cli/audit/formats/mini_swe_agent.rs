//! mini-swe-agent: `*.traj.json`, one document of messages: commands in code blocks or as calls, and what they wrote
//! in `<output>`, with the exit code in `<returncode>`.

use std::path::Path;

use serde_json::Value;

use super::{Sink, requests};
use crate::cli::audit::history::{Call, History, Output};
use crate::cli::audit::notes::{Notes, document, has, named, string, text_of};

/// The document names the program, or has its statistics beside the messages.
pub(super) fn claims(head: &[u8]) -> bool {
    let first = head.trim_ascii_start();
    first.starts_with(b"{")
        && (has(head, "\"mini-swe-agent") || has(head, "\"mini_version\""))
        && (has(head, "\"messages\"") || has(head, "\"info\""))
}

pub(super) fn read(file: &Path, notes: &mut Notes, each: &mut Sink<'_>) -> Result<(), String> {
    let whole = document(file)?;
    let messages = whole.get("messages").and_then(Value::as_array).ok_or("has no list `messages`")?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.trim_end_matches(".json").trim_end_matches(".traj");
    let mut history = History::new(string(&whole, "instance_id").unwrap_or(name));
    for message in messages {
        let text = message.get("content").and_then(text_of).unwrap_or_default();
        let role = string(message, "role").unwrap_or_default();
        match role {
            "assistant" if message.get("tool_calls").is_some_and(Value::is_array) => {
                requests::of_chat(message, &mut history, notes);
            }
            "assistant" => {
                history.agent_text(&text);
                for command in commands(message, &text) {
                    history.call(Call { tool: "bash".to_owned(), command: Some(command), ..Call::default() });
                }
            }
            "user" | "tool" if text.contains("<returncode>") || role == "tool" => {
                let (text, code) = observed(&text);
                let extra = message.pointer("/extra/returncode").and_then(Value::as_i64);
                let call = named(message, "tool_call_id");
                history.result(Output { call, text, exit_code: code.or(extra), ..Output::default() });
            }
            _ => history.other_text(&text),
        }
    }
    each(history);
    Ok(())
}

/// Commands of a message: those that were run, else those in its code blocks.
fn commands(message: &Value, text: &str) -> Vec<String> {
    let actions = message.pointer("/extra/actions").and_then(Value::as_array);
    let of = |action: &Value| action.as_str().or_else(|| string(action, "command")).map(str::to_owned);
    let run: Vec<String> = actions.into_iter().flatten().filter_map(of).collect();
    if !run.is_empty() {
        return run;
    }
    let blocks = text.split("```").skip(1).step_by(2);
    let scripts = blocks.filter_map(|block| {
        let (language, script) = block.split_once('\n')?;
        matches!(language.trim(), "bash" | "sh" | "mswea_bash_command").then(|| script.trim().to_owned())
    });
    scripts.take(1).collect()
}

/// The output of a command, if it is complete, and its exit code.
fn observed(text: &str) -> (String, Option<i64>) {
    let inside = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        rest.rsplit_once(&format!("</{name}>")).map(|(inside, _)| inside)
    };
    let code = inside("returncode").and_then(|code| code.trim().parse().ok());
    let output = inside("output").map(|output| output.strip_prefix('\n').unwrap_or(output));
    (output.unwrap_or(text).to_owned(), code)
}
