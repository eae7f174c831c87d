//! The tool call that a result answers: what it was asked, in the host's words.
//!
//! Read only. Nothing here is ever written back to the host.

use serde_json::Value;

/// What is known about the call.
#[derive(Debug, Clone, Default)]
pub struct ToolCall {
    /// The host's id of the call.
    pub id: Option<String>,
    /// The tool's name as the host writes it; empty when unknown.
    pub tool: String,
    /// The arguments as the host gave them.
    pub arguments: Value,
    /// The command line, where the tool ran one.
    pub command: Option<String>,
    /// The file or folder that the call named.
    pub path: Option<String>,
    /// What the agent is looking for, where the host says so.
    pub query: Option<String>,
    /// The exit code, where the host knows it.
    pub exit_code: Option<i64>,
    /// The host's own flag that the call failed.
    pub is_error: Option<bool>,
}

impl ToolCall {
    /// The tool's name in lower case without a server prefix such as `mcp__shell__`: what results
    /// are compared by.
    pub fn canonical_tool(&self) -> String {
        let name = self.tool.rsplit("__").next().unwrap_or(&self.tool);
        name.trim().to_ascii_lowercase()
    }

    /// Whether the host says, by exit code or flag, that the call succeeded; `None` when it does not say.
    pub fn succeeded(&self) -> Option<bool> {
        match (self.exit_code, self.is_error) {
            (Some(code), _) => Some(code == 0),
            (None, Some(is_error)) => Some(!is_error),
            (None, None) => None,
        }
    }
}
