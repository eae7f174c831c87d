//! SWE-agent: `*.traj`, one document: actions of the agent and what was observed.

use std::path::Path;

use serde_json::Value;

use super::Sink;
use crate::cli::audit::history::{Call, History, Output};
use crate::cli::audit::notes::{Notes, document, has, named, string};

/// A document with a trajectory of actions and observations.
pub(super) fn claims(head: &[u8]) -> bool {
    let first = head.trim_ascii_start();
    first.starts_with(b"{")
        && has(head, "\"trajectory\"")
        && (has(head, "\"observation\"") || has(head, "\"environment\""))
}

/// Commands that are tools of the agent and no programs.
const TOOLS: &[&str] = &[
    "open",
    "goto",
    "scroll_up",
    "scroll_down",
    "create",
    "edit",
    "insert",
    "search_dir",
    "search_file",
    "find_file",
    "submit",
    "str_replace_editor",
    "view_image",
];

pub(super) fn read(file: &Path, notes: &mut Notes, each: &mut Sink<'_>) -> Result<(), String> {
    let whole = document(file)?;
    let steps = whole.get("trajectory").and_then(Value::as_array).ok_or("has no list `trajectory`")?;
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut history = History::new(stem);
    for step in steps {
        let said = string(step, "response").or_else(|| string(step, "thought")).unwrap_or_default();
        history.agent_text(said);
        let action = string(step, "action").unwrap_or_default().trim();
        let first = action.split_whitespace().next().unwrap_or_default();
        let tool = if TOOLS.contains(&first) { first } else { "bash" };
        history.call(Call { tool: tool.to_owned(), command: Some(action.to_owned()), ..Call::default() });
        match named(step, "observation") {
            Some(text) => history.result(Output { text, ..Output::default() }),
            None => notes.without_text += 1,
        }
    }
    each(history);
    Ok(())
}
