//! `toolResult/*`: one result, or one turn's results.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::error::RpcError;
use super::params::{check_id, invalid};
use crate::config::PolicyPatch;
use crate::pipeline::call::ToolCall;
use crate::pipeline::evidence::{BeforeAfter, Evidence};

/// A tool result as the host has it. Names that other hosts use are read too.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult<'a> {
    /// The host's id of the call, 1 to 512 bytes. Needed for memo and dedup.
    #[serde(
        default,
        alias = "id",
        alias = "callId",
        alias = "call_id",
        alias = "tool_call_id",
        alias = "tool_use_id"
    )]
    pub tool_call_id: Option<String>,
    /// The tool's name.
    #[serde(default, alias = "name", alias = "toolName", alias = "tool_name")]
    pub tool: Option<String>,
    /// The tool's arguments, of any shape; a command or path in them is found under its usual names.
    #[serde(
        default,
        alias = "args",
        alias = "input",
        alias = "toolInput",
        alias = "tool_input",
        alias = "parameters"
    )]
    pub arguments: Option<Value>,
    /// The command line, where it is not in the arguments: a string or an array of words.
    #[serde(default, alias = "argv", alias = "cmd")]
    pub command: Option<CommandWords>,
    /// The file or folder that the call named, where it is not in the arguments.
    #[serde(default, alias = "file_path", alias = "filePath")]
    pub path: Option<String>,
    /// The exit code of the command.
    #[serde(default, alias = "exit_code", alias = "returncode", alias = "returnCode", alias = "exitStatus")]
    pub exit_code: Option<i64>,
    /// Whether the host counts the call as failed.
    #[serde(default, alias = "is_error")]
    pub is_error: Option<bool>,
    /// The content: a string, or an array of parts. Text parts (`{"type":"text","text":…}` and the
    /// like) and `{"type":"bytes","base64":…}` are compressed, any other part passes through.
    #[serde(borrow, alias = "output")]
    #[schemars(schema_with = "content_schema")]
    pub content: &'a RawValue,
    /// Per result in a batch: the exact bytes are wanted.
    #[serde(default, alias = "full_output")]
    pub full_output: bool,
}

fn content_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "oneOf": [{ "type": "string" }, { "type": "array" }] })
}

/// A command line, or its words.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum CommandWords {
    /// As typed into a shell.
    Line(String),
    /// As given to `exec`.
    Words(Vec<String>),
}

impl CommandWords {
    /// A line that a shell would read as these words.
    fn line(&self) -> String {
        match self {
            Self::Line(line) => line.clone(),
            Self::Words(words) => words.iter().map(|w| quoted(w)).collect::<Vec<_>>().join(" "),
        }
    }
}

fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./=:,@%+".contains(&b);
    if !word.is_empty() && word.bytes().all(plain) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
    }
}

/// Names under which tools take a command line.
const COMMAND_KEYS: &[&str] =
    &["command", "cmd", "commands", "script", "command_line", "commandLine", "argv", "bash_command", "code"];
/// Names under which tools take a file or folder.
const PATH_KEYS: &[&str] =
    &["file_path", "path", "filePath", "filename", "file", "target_file", "absolute_path", "notebook_path"];

impl ToolResult<'_> {
    /// Checks the ids and gives the call in the pipeline's words.
    pub fn call(&self, place: &str) -> Result<ToolCall, RpcError> {
        if let Some(id) = &self.tool_call_id {
            check_id(&format!("{place}.toolCallId"), id)?;
        }
        let tool = self.tool.clone().unwrap_or_default();
        let arguments = match self.arguments.clone().unwrap_or_default() {
            // OpenAI gives the arguments as JSON text.
            Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            arguments => arguments,
        };
        let in_arguments = |keys: &[&str]| keys.iter().find_map(|key| words(arguments.get(key)?));
        // `code` and `script` of a tool that is no shell hold a program, which is no command line.
        let command = match &self.command {
            Some(command) => Some(command.line()),
            None => in_arguments(COMMAND_KEYS).filter(|_| !tool.to_ascii_lowercase().contains("python")),
        };
        let path = self.path.clone().or_else(|| in_arguments(PATH_KEYS));
        Ok(ToolCall {
            id: self.tool_call_id.clone(),
            tool,
            command,
            path,
            exit_code: self.exit_code,
            is_error: self.is_error,
            arguments,
        })
    }
}

fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(line) => Some(line.clone()),
        Value::Array(items) if !items.is_empty() => {
            let words: Option<Vec<String>> = items.iter().map(|v| v.as_str().map(str::to_owned)).collect();
            Some(CommandWords::Words(words?).line())
        }
        _ => None,
    }
}

/// Parameters of `toolResult/compress`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompressParams<'a> {
    /// The session, 1 to 512 bytes; it opens on first use. Without one there is no memo and no dedup.
    #[serde(default)]
    pub session_id: Option<String>,
    /// The result.
    #[serde(borrow)]
    pub result: ToolResult<'a>,
    /// Settings for this request alone.
    #[serde(default)]
    pub policy: Option<PolicyPatch>,
    /// The exact bytes are wanted; redaction alone still applies.
    #[serde(default)]
    pub full_output: bool,
}

/// The original of a result, kept for reading back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactRef {
    /// What `artifact/read` takes.
    pub id: String,
    /// Size in bytes.
    pub bytes: usize,
    /// Lines, as markers number them.
    pub lines: usize,
    /// The text before clean-up (terminal sequences, invisible characters), where that differs.
    #[serde(rename = "originalId", default, skip_serializing_if = "Option::is_none")]
    pub original_id: Option<String>,
}

/// Result of `toolResult/compress`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Compressed {
    /// The content in the shape in which it came.
    #[schemars(schema_with = "content_schema")]
    pub content: Box<RawValue>,
    /// What happened, in the detail that the policy asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The original, where the content differs from it and it could be stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<ArtifactRef>,
}

/// Parameters of `toolResult/compressBatch`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchParams<'a> {
    /// The session, as in `toolResult/compress`.
    #[serde(default)]
    pub session_id: Option<String>,
    /// The results of one turn, in order.
    #[serde(borrow)]
    #[schemars(with = "Vec<ToolResult<'static>>")]
    pub results: Vec<&'a RawValue>,
    /// Settings for this request alone.
    #[serde(default)]
    pub policy: Option<PolicyPatch>,
    /// The exact bytes of all results are wanted.
    #[serde(default)]
    pub full_output: bool,
    /// Reserved for a total budget; not applied by this version, which says so in its answer.
    #[serde(default)]
    pub budget: Option<Value>,
}

/// Result of `toolResult/compressBatch`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchCompressed {
    /// One for each result, in the same order.
    pub results: Vec<Compressed>,
    /// Sums over the results.
    pub tokens: BeforeAfter,
    /// Present and false when a budget was given: this version compresses each result by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_applied: Option<bool>,
}

/// Checks a session id, where there is one.
pub fn check_session(id: Option<&str>) -> Result<(), RpcError> {
    id.map_or(Ok(()), |id| check_id("sessionId", id))
}

/// An error for a batch item that is no object.
pub fn not_a_result(index: usize) -> RpcError {
    invalid(&format!("results[{index}]"), "expected an object with `content`")
}
