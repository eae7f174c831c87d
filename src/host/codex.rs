//! Codex CLI: what its hooks are answered.
//!
//! Before a command runs, it is put into `tersed run`: whatever its exit status, the model then reads less. Codex
//! takes a new input only beside the decision `allow`, which there means that the hook does not stand in the way:
//! approvals and the sandbox judge the new command line as they would any other.

use serde_json::{Value, json};

use super::Host;
use super::event::Event;
use super::wrap::Wrap;

/// Names under which Codex tells of a command.
const TOOLS: &[&str] =
    &["Bash", "shell", "local_shell", "shell_command", "exec_command", "container.exec", "unified_exec"];

/// What the hook prints, or `None` where the host is to go on as without it.
pub fn reply(_: &Host, event: &Event) -> Option<Value> {
    match event.hook_event_name.as_str() {
        "PreToolUse" => wrapped(event),
        _ => None,
    }
}

/// The command in `tersed run`.
fn wrapped(event: &Event) -> Option<Value> {
    if !TOOLS.contains(&event.tool_name.as_str()) {
        return None;
    }
    let command = event.tool_input.get("command")?.as_str()?;
    let wrap = Wrap {
        session: &event.session_id,
        call: &event.tool_use_id,
        // Codex runs commands in a login shell.
        has_whole_path: true,
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
