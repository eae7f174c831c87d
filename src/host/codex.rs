//! Codex CLI: what its hooks are answered.
//!
//! Before a command runs, it is put into `tersed run`: whatever its exit status, the model then reads less. Codex
//! takes a new input only beside the decision `allow`, which there means that the hook does not stand in the way:
//! approvals and the sandbox judge the new command line as they would any other. Rules that forbid commands, or have the
//! user asked, would not see through the wrapper: where there are any, nothing is wrapped.
//!
//! Most models of Codex run their tools inside of a program. What such a call gives back is data of that program, which counts
//! its lines or takes it apart: it is never changed. No hook is told of what the program prints; who passes on request bodies
//! (`messages/compress`) finds it there.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Host;
use super::event::Event;
use super::replace::forget;
use super::run::Shown;
use super::wrap::Wrap;

/// Names under which Codex tells of a command.
const TOOLS: &[&str] =
    &["Bash", "shell", "local_shell", "shell_command", "exec_command", "container.exec", "unified_exec"];

/// Events after which nothing is certain to be visible. A conversation that begins may be one that was cleared,
/// forked or resumed.
const FORGETS: &[&str] = &["PreCompact", "PostCompact", "SessionStart", "SessionEnd", "SubagentStart"];

/// How names of models start that Codex knows, and the bytes that it shows of an output to them: 10,000 tokens.
const KNOWN: &str = "gpt-";
const LIMIT_BYTES: usize = 40_000;
/// The bytes that it shows to others.
const LIMIT_OF_UNKNOWN_BYTES: usize = 10_000;

/// How the ids of calls start that a program made.
const OF_PROGRAM: &str = "exec-";

/// Whether a program made a call, and reads its result, rather than the model.
pub fn is_of_program(call_id: &str) -> bool {
    call_id.starts_with(OF_PROGRAM)
}

/// What the hook prints, or `None` where the host is to go on as without it.
pub fn reply(host: &Host, event: &Event) -> Option<Value> {
    match event.hook_event_name.as_str() {
        name if FORGETS.contains(&name) => {
            forget(host, event);
            None
        }
        "PreToolUse" => wrapped(event),
        _ => None,
    }
}

/// The command in `tersed run`.
fn wrapped(event: &Event) -> Option<Value> {
    // It is unknown who made a call without an id.
    let is_of_model = !event.tool_use_id.is_empty() && !is_of_program(&event.tool_use_id);
    if !is_of_model || !TOOLS.contains(&event.tool_name.as_str()) || has_rules(event) {
        return None;
    }
    let command = event.tool_input.get("command")?.as_str()?;
    let session = event.context();
    let wrap = Wrap {
        session: &session,
        call: &event.tool_use_id,
        // Codex runs commands in a login shell.
        has_whole_path: true,
        shown: Some(shown(event)),
        ..Wrap::default()
    };
    let mut input = event.tool_input.clone();
    input["command"] = json!(wrap.around(command)?);
    Some(json!({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "updatedInput": input,
        }
    }))
}

/// Bytes of a command's output that Codex shows, where the model does not ask for another number of tokens: its own count
/// of tokens is one for four bytes.
fn shown(event: &Event) -> Shown {
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".codex"));
    let folder = std::env::var_os("CODEX_HOME").map(PathBuf::from).or(home);
    let text = folder.and_then(|folder| fs::read_to_string(folder.join("config.toml")).ok());
    let set = text.as_deref().and_then(limit_set);
    let limit = if event.model.starts_with(KNOWN) { LIMIT_BYTES } else { LIMIT_OF_UNKNOWN_BYTES };
    let whole = set.map_or(limit, |tokens| tokens.saturating_mul(4).min(LIMIT_BYTES));
    Shown { whole, failed: whole }
}

/// The tokens that a user set in `config.toml`, above its tables.
fn limit_set(text: &str) -> Option<usize> {
    let above = text.lines().take_while(|line| !line.trim_start().starts_with('['));
    let value = above.filter_map(|line| line.trim_start().strip_prefix("tool_output_token_limit")).next()?;
    let digits = value.trim_start().strip_prefix('=')?.trim_start();
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(digits.len());
    digits[..end].replace('_', "").parse().ok().filter(|tokens| *tokens > 0)
}

/// Whether a file of rules that Codex reads has one that does more than allow.
fn has_rules(event: &Event) -> bool {
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".codex"));
    let own = std::env::var_os("CODEX_HOME").map(PathBuf::from).or(home);
    let of_project = Path::new(&event.cwd).ancestors().map(|folder| folder.join(".codex"));
    let folders = own.into_iter().chain(of_project.filter(|_| !event.cwd.is_empty()));
    let folders = folders.chain([PathBuf::from("/etc/codex")]);
    let files = folders.flat_map(|folder| fs::read_dir(folder.join("rules")).into_iter().flatten().flatten());
    files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|end| end == "rules")).any(
        |path| {
            // What cannot be read may say anything.
            fs::read_to_string(path)
                .map_or(true, |rules| rules.contains("forbidden") || rules.contains("prompt"))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_read_where_it_counts() {
        assert_eq!(limit_set("model = 'x'\ntool_output_token_limit = 1_000 # few\n[a]\n"), Some(1000));
        for text in [
            "",
            "[a]\ntool_output_token_limit = 5\n",
            "tool_output_token_limit = 0",
            "tool_output_token_limits = 5",
        ] {
            assert_eq!(limit_set(text), None, "{text}");
        }
    }
}
