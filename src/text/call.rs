//! The tool call that a result answers, as the host describes it.
//!
//! Only read: nothing here is ever sent back to the host.

use crate::text::lines::trimmed;
use serde_json::Value;

/// What is known about the call.
#[derive(Debug, Clone, Default)]
pub struct ToolCall {
    /// The host's id of the call.
    pub id: Option<String>,
    /// The tool's name as the host writes it; empty if unknown.
    pub tool: String,
    /// The arguments as the host gave them.
    pub arguments: Value,
    /// The command line, if the tool ran one.
    pub command: Option<String>,
    /// The file or folder that the call named.
    pub path: Option<String>,
    /// What the agent is looking for, if the host says so.
    pub query: Option<String>,
    /// The exit code, if the host knows it.
    pub exit_code: Option<i64>,
    /// The host's own flag that the call failed.
    pub is_error: Option<bool>,
}

/// The longest text that counts as a mention, in bytes.
const MAX_MENTION_BYTES: usize = 512;
/// How deep texts are collected from the arguments.
const MAX_DEPTH: usize = 4;

fn collect<'a>(name: &'a str, value: &'a Value, depth: usize, out: &mut Vec<(&'a str, &'a str)>) {
    match value {
        Value::String(text) => out.push((name, text)),
        Value::Array(items) if depth < MAX_DEPTH => {
            items.iter().for_each(|v| collect(name, v, depth + 1, out))
        }
        Value::Object(members) if depth < MAX_DEPTH => {
            members.iter().for_each(|(name, v)| collect(name, v, depth + 1, out));
        }
        _ => {}
    }
}

impl ToolCall {
    /// The tool's name in lower case, without a server prefix such as `mcp__shell__`. Results of the same canonical
    /// tool are comparable.
    pub fn canonical_tool(&self) -> String {
        self.bare_tool().to_ascii_lowercase()
    }

    /// The tool's name without a server prefix, in the host's spelling.
    fn bare_tool(&self) -> &str {
        let prefix = self.tool.as_bytes().windows(2).rposition(|two| two == b"__");
        trimmed(&self.tool[prefix.map_or(0, |at| at + 2)..])
    }

    /// Whether the tool has one of these names, which are in lower case; see [`Self::canonical_tool`].
    pub fn is_tool(&self, names: &[&str]) -> bool {
        let name = self.bare_tool();
        names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Whether the call reads an original in the way that our markers advise: with `tersed artifacts`, or with a tool
    /// of tersed. Such a call wants the whole text.
    pub fn reads_original(&self) -> bool {
        const COMMANDS: &[&str] = &["tersed artifacts ", "tersed.exe artifacts "];
        const TOOLS: &[&str] = &["tersed_expand", "tersed_search", "tersed_list"];
        let by_command = |command: &str| COMMANDS.iter().any(|part| command.contains(part));
        self.command.as_deref().is_some_and(by_command) || self.is_tool(TOOLS)
    }

    /// Whether the arguments ask for the exact output; some tools have such a parameter.
    pub fn wants_full_output(&self) -> bool {
        const NAMES: [&str; 2] = ["full_output", "fullOutput"];
        // Models sometimes write booleans as strings.
        let is_true = |value: &Value| value == &Value::Bool(true) || value.as_str() == Some("true");
        NAMES.iter().any(|name| self.arguments.get(name).is_some_and(is_true))
    }

    /// Whether the tool changes a file, so that its output is only a confirmation.
    pub fn has_side_effects(&self) -> bool {
        const ACTS: &[&str] = &[
            "edit",
            "edit_file",
            "multiedit",
            "multi_edit",
            "write",
            "write_file",
            "create",
            "create_file",
            "insert",
            "append",
            "replace",
            "str_replace",
            "apply_patch",
            "patch",
            "notebookedit",
            "delete_file",
        ];
        const REPLACES: &str = "str_replace";
        let name = self.bare_tool();
        let replaces = name.get(..REPLACES.len()).is_some_and(|start| start.eq_ignore_ascii_case(REPLACES));
        (replaces && self.arguments.get("command").is_some_and(|c| c != "view")) || self.is_tool(ACTS)
    }

    /// Short texts that the call mentions: patterns, paths, names.
    pub fn mentioned(&self) -> Vec<&str> {
        let mut out = Vec::new();
        collect("arguments", &self.arguments, 0, &mut out);
        let mut out: Vec<&str> = out.into_iter().map(|(_, text)| text).collect();
        out.extend(self.command.as_deref());
        out.extend(self.path.as_deref());
        out.retain(|text| text.len() <= MAX_MENTION_BYTES);
        out
    }

    /// Every text that the model wrote into the call.
    pub fn texts(&self) -> Vec<&str> {
        let mut out = Vec::new();
        collect("arguments", &self.arguments, 0, &mut out);
        let mut out: Vec<&str> = out.into_iter().map(|(_, text)| text).collect();
        out.extend(self.command.as_deref().filter(|command| !out.contains(command)));
        out
    }

    /// The files that the result is about, according to the call: the file that it names, and for a command every
    /// word that may be a file.
    pub fn paths(&self) -> Vec<&str> {
        let Some(command) = self.command.as_deref() else {
            return self.path.as_deref().into_iter().collect();
        };
        // Only plain words are parsed; the shell may expand anything else.
        if command.bytes().any(|b| b"|&;<>()$`\\\"'*?[]{}~!\n".contains(&b)) {
            return Vec::new();
        }
        let words = command.split_ascii_whitespace().skip(1);
        words.filter(|word| !word.starts_with('-')).chain(self.path.as_deref()).collect()
    }

    /// All texts in the arguments, each with the name of its argument.
    pub fn named_texts(&self) -> Vec<(&str, &str)> {
        let mut out = Vec::new();
        collect("arguments", &self.arguments, 0, &mut out);
        out
    }

    /// Texts of several lines that the model wrote into the call, each with the name of its argument.
    pub fn written(&self) -> Vec<(&str, &str)> {
        let mut out = Vec::new();
        collect("arguments", &self.arguments, 0, &mut out);
        if let Some(command) = self.command.as_deref().filter(|c| out.iter().all(|(_, text)| text != c)) {
            out.push(("command", command));
        }
        out.retain(|(_, text)| memchr::memchr(b'\n', text.as_bytes()).is_some());
        out
    }

    /// Whether the call succeeded according to the host's exit code or flag; `None` if the host does not say.
    pub fn succeeded(&self) -> Option<bool> {
        match (self.exit_code, self.is_error) {
            (Some(code), _) => Some(code == 0),
            (None, Some(is_error)) => Some(!is_error),
            (None, None) => None,
        }
    }
}
