//! `toolResult/*`: one result, or one turn's results.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::error::RpcError;
use super::host_cut::HostCut;
use super::params::{MAX_ID_BYTES, check_id, invalid, object, parse_at, parse_member};
use super::reclaim::Reclaimed;
use crate::config::{BudgetPatch, PolicyPatch};
use crate::formats::json::without_lone_surrogates;
use crate::pipeline::evidence::{BeforeAfter, Evidence};
use crate::text::call::ToolCall;
use crate::text::reason::Reason;

/// Names of the members of a result, the protocol's own first. Hosts pass on their own objects, which may have
/// several of the names (an OpenAI item has `id` and `call_id`): the first one that is present is used.
pub const MEMBER_NAMES: &[(&str, &[&str])] = &[
    ("toolCallId", &["tool_call_id", "callId", "call_id", "toolUseId", "tool_use_id", "id"]),
    ("tool", &["toolName", "tool_name", "name"]),
    ("arguments", &["args", "input", "toolInput", "tool_input", "parameters"]),
    ("command", &["argv", "cmd"]),
    ("path", &["filePath", "file_path"]),
    ("exitCode", &["exit_code", "returnCode", "returncode", "exitStatus"]),
    ("isError", &["is_error"]),
    ("content", &["output"]),
    ("fullOutput", &["full_output"]),
];

#[cfg(feature = "schema")]
fn add_other_names(schema: &mut schemars::Schema) {
    super::aliases::add_names(schema, MEMBER_NAMES);
}

/// A tool result as the host has it. Members may have the names that other hosts use for them.
#[derive(Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename_all = "camelCase", transform = add_other_names))]
pub struct ToolResult<'a> {
    /// The host's id of the call, 1 to 512 bytes. Needed for memo and dedup.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub tool_call_id: Option<String>,
    /// The tool's name, up to 512 bytes.
    #[cfg_attr(feature = "schema", schemars(length(max = 512)))]
    pub tool: Option<String>,
    /// The tool's arguments, of any shape, or their JSON text; a command or path in them is found
    /// under its usual names.
    pub arguments: Option<Value>,
    /// The command line, if it is not in the arguments: a string or an array of words.
    pub command: Option<CommandWords>,
    /// The file or folder that the call named, if it is not in the arguments.
    pub path: Option<String>,
    /// The exit code of the command.
    pub exit_code: Option<i64>,
    /// Whether the host counts the call as failed.
    pub is_error: Option<bool>,
    /// The content: a string, or an array of parts. Text parts (`{"type":"text","text":…}` and the like) and
    /// `{"type":"bytes","base64":…}` are compressed, any other part is returned unchanged.
    #[cfg_attr(feature = "schema", schemars(schema_with = "content_schema"))]
    pub content: &'a RawValue,
    /// Return the exact bytes of this result, for batches; only secrets are removed.
    #[cfg_attr(feature = "schema", schemars(default))]
    pub full_output: bool,
    /// What the content costs by the host's own count, 1 and up: budgets then count this result in the host's tokens.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub tokens: Option<u64>,
}

/// The members of an object as JSON text: read in the same pass as the object around it, whatever the length of the
/// content. If a name occurs twice, the last one is used.
#[derive(Debug)]
pub struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                // The known names, and others that hosts may send.
                let mut members = Vec::with_capacity(8);
                while let Some(Name(name)) = map.next_key()? {
                    let value: &RawValue = map.next_value()?;
                    if is_asked_for(&name) {
                        members.push((name, value));
                    }
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Names)
    }
}

/// Name of the result within a batch item.
const INNER: &str = "result";
/// Name of the count that the host gives.
const TOKENS: &str = "tokens";

fn is_asked_for(name: &str) -> bool {
    let is_alias = || MEMBER_NAMES.iter().any(|(known, others)| *known == name || others.contains(&name));
    name == INNER || name == TOKENS || is_alias()
}

/// The name of a member, borrowed where it holds no escape.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Members<'a> {
    /// The member of that name, or of one of its other names, that is present and not null.
    fn find(&self, name: &'static str) -> Option<(&'static str, &'a RawValue)> {
        let others = MEMBER_NAMES.iter().find(|(n, _)| *n == name).map_or(&[][..], |(_, others)| others);
        let mut names = std::iter::once(name).chain(others.iter().copied());
        let last = |name: &str| self.0.iter().rev().find(|(n, _)| n == name).map(|(_, value)| *value);
        names.find_map(|n| last(n).filter(|v| v.get() != "null").map(|v| (n, v)))
    }

    /// Whether a member of that name, or of one of its other names, is present and not null.
    pub fn has(&self, name: &'static str) -> bool {
        self.find(name).is_some()
    }

    fn get<T: Deserialize<'a>>(&self, place: &str, name: &'static str) -> Result<Option<T>, RpcError> {
        let read = |(name, value): (&str, &'a RawValue)| parse_member(value.get(), place, name);
        self.find(name).map(read).transpose()
    }

    /// The arguments, which may be any value. The reader of all other members copies each name on the way to a fault.
    fn arguments(&self, place: &str) -> Result<Option<Value>, RpcError> {
        let plain = self.find("arguments").and_then(|(_, value)| serde_json::from_str(value.get()).ok());
        plain.map_or_else(|| self.get(place, "arguments"), |arguments| Ok(Some(arguments)))
    }

    fn command(&self, place: &str) -> Result<Option<CommandWords>, RpcError> {
        let Some((name, value)) = self.find("command") else { return Ok(None) };
        let place = format!("{place}.{name}");
        match value.get().as_bytes().first() {
            Some(b'"') => parse_at(value.get(), &place).map(|line| Some(CommandWords::Line(line))),
            Some(b'[') => parse_at(value.get(), &place).map(|words| Some(CommandWords::Words(words))),
            _ => Err(invalid(&place, "expected a string or an array of strings")),
        }
    }
}

impl<'a> ToolResult<'a> {
    /// Reads the result at `place` in the parameters.
    pub fn read(members: &Members<'a>, place: &str) -> Result<Self, RpcError> {
        let Some((_, content)) = members.find("content") else {
            let reason = "is missing, expected a string or an array of parts";
            return Err(invalid(&format!("{place}.content"), reason));
        };
        Ok(Self {
            tool_call_id: members.get(place, "toolCallId")?,
            tool: members.get(place, "tool")?,
            arguments: members.arguments(place)?,
            command: members.command(place)?,
            path: members.get(place, "path")?,
            exit_code: members.get(place, "exitCode")?,
            is_error: members.get(place, "isError")?,
            content,
            full_output: members.get(place, "fullOutput")?.unwrap_or(false),
            tokens: members.get(place, TOKENS)?,
        })
    }

    /// Reads a batch item: a result, or an object with one in it as `toolResult/compress` takes it.
    /// Gives the result and its place.
    pub fn read_item(members: &Members<'a>, index: usize) -> Result<(Self, String), RpcError> {
        let place = format!("results[{index}]");
        match members.find(INNER) {
            Some((_, inner)) if members.find("content").is_none() => {
                let full_output: Option<bool> = members.get(&place, "fullOutput")?;
                let place = format!("{place}.result");
                let mut result = Self::read(&parse_at(inner.get(), &place)?, &place)?;
                result.full_output |= full_output.unwrap_or(false);
                Ok((result, place))
            }
            _ => Ok((Self::read(members, &place)?, place)),
        }
    }
}

#[cfg(feature = "schema")]
fn content_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "oneOf": [{ "type": "string" }, { "type": "array" }] })
}

/// A command line, or its words.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(untagged))]
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
const COMMAND_KEYS: &[&str] = &[
    "command",
    "cmd",
    "commands",
    "command_line",
    "commandLine",
    "shell_command",
    "shellCommand",
    "bash_command",
    "script",
    "argv",
    "keystrokes",
    "code",
];
/// Names under which tools take a file or folder.
const PATH_KEYS: &[&str] =
    &["file_path", "path", "filePath", "filename", "file", "target_file", "absolute_path", "notebook_path"];

impl ToolResult<'_> {
    /// Checks the ids and returns the call in the pipeline's type.
    pub fn call(&self, place: &str) -> Result<ToolCall, RpcError> {
        if let Some(id) = &self.tool_call_id {
            check_id(&format!("{place}.toolCallId"), id)?;
        }
        let tool = self.tool.clone().unwrap_or_default();
        if tool.len() > MAX_ID_BYTES {
            let reason = format!("has {} bytes, allowed are up to {MAX_ID_BYTES}", tool.len());
            return Err(invalid(&format!("{place}.tool"), &reason));
        }
        let arguments = match self.arguments.clone().unwrap_or_default() {
            // OpenAI gives the arguments as JSON text.
            Value::String(text) => {
                serde_json::from_str(&without_lone_surrogates(text.as_bytes())).unwrap_or(Value::String(text))
            }
            arguments => arguments,
        };
        let in_arguments = |keys: &[&str]| keys.iter().find_map(|key| words(arguments.get(key)?));
        // `code` and `script` of a tool that is not a shell hold a program, which is no command line.
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
            query: None,
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
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CompressParams<'a> {
    /// The session, 1 to 512 bytes; it opens on first use. Without one there is no memo and no dedup.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: Option<String>,
    /// The result.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schemars(with = "ToolResult<'static>"))]
    pub result: Members<'a>,
    /// Settings for this request alone.
    #[serde(default, deserialize_with = "object")]
    pub policy: Option<PolicyPatch>,
    /// What the agent is looking for: decides what stays if something must be left out. Up to 4096 bytes are used.
    #[serde(default)]
    pub query: Option<String>,
    /// Return the exact bytes; only secrets are removed.
    #[serde(default, alias = "full_output")]
    pub full_output: bool,
    /// What the result may cost; overrides the policy's budget.
    #[serde(default, deserialize_with = "object")]
    pub budget: Option<BudgetPatch>,
    /// How full the model's context is, 0 to 1: from 0.5 on results become shorter.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    pub context_pressure: Option<f64>,
    /// How the host cuts results itself. Text that it cuts does not count as shown.
    #[serde(default, deserialize_with = "object")]
    pub host_cut: Option<HostCut>,
    /// The host's own name for the request, for telemetry: 1 to 128 visible ASCII characters.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 128)))]
    pub correlation_id: Option<String>,
}

/// The original of a result, kept for reading back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArtifactRef {
    /// The id for `artifact/read`.
    pub id: String,
    /// Size in bytes.
    pub bytes: usize,
    /// Lines, as markers number them.
    pub lines: usize,
    /// The id of the text before clean-up (terminal sequences, invisible characters), if that differs.
    #[serde(rename = "originalId", default, skip_serializing_if = "Option::is_none")]
    pub original_id: Option<String>,
    /// Whether a copy of it is on disk, which the settings of `recovery` control.
    #[serde(rename = "onDisk", default, skip_serializing_if = "std::ops::Not::not")]
    pub on_disk: bool,
}

/// Result of `toolResult/compress`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compressed {
    /// The content in the shape in which it came.
    #[cfg_attr(feature = "schema", schemars(schema_with = "content_schema"))]
    pub content: Box<RawValue>,
    /// What happened, in the detail that the policy asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The original, if the content differs from it and it could be stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<ArtifactRef>,
    /// Why the result was removed from the context, if it was; the content is then its replacement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reclaimed: Option<Reclaimed>,
}

/// One result of a batch: bare, or in an object as in the parameters of `toolResult/compress`.
#[derive(Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(untagged))]
#[allow(dead_code, reason = "describes what `ToolResult::read_item` reads")]
enum BatchItem {
    /// Bare.
    Bare(ToolResult<'static>),
    /// In a member.
    #[cfg_attr(feature = "schema", schemars(rename_all = "camelCase"))]
    Wrapped {
        /// The result.
        result: ToolResult<'static>,
        /// Return the exact bytes; only secrets are removed.
        #[cfg_attr(feature = "schema", schemars(default))]
        full_output: bool,
    },
}

/// Parameters of `toolResult/compressBatch`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BatchParams<'a> {
    /// The session, as in `toolResult/compress`.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: Option<String>,
    /// The results of one turn, in order.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<BatchItem>"))]
    pub results: Vec<Members<'a>>,
    /// Settings for this request alone.
    #[serde(default, deserialize_with = "object")]
    pub policy: Option<PolicyPatch>,
    /// What the agent is looking for, as in `toolResult/compress`.
    #[serde(default)]
    pub query: Option<String>,
    /// Return the exact bytes of all results; only secrets are removed.
    #[serde(default, alias = "full_output")]
    pub full_output: bool,
    /// What the results may cost, each and together; overrides the policy's budget.
    #[serde(default, deserialize_with = "object")]
    pub budget: Option<BudgetPatch>,
    /// How full the model's context is, as in `toolResult/compress`.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    pub context_pressure: Option<f64>,
    /// How the host cuts results itself. Text that it cuts does not count as shown.
    #[serde(default, deserialize_with = "object")]
    pub host_cut: Option<HostCut>,
    /// The host's own name for the request, for telemetry: 1 to 128 visible ASCII characters.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 128)))]
    pub correlation_id: Option<String>,
}

/// Result of `toolResult/compressBatch`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BatchCompressed {
    /// One for each result, in the same order.
    pub results: Vec<Compressed>,
    /// Sums over the results; in the host's tokens for results that came with `tokens`.
    pub tokens: BeforeAfter,
    /// Whether a budget made any result smaller; absent without a budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_applied: Option<bool>,
    /// The budget of all results together, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<BatchBudget>,
}

/// The outcome of the budget of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BatchBudget {
    /// Tokens that the results were allowed to take together.
    pub tokens: usize,
    /// Whether they take no more.
    pub met: bool,
    /// Why they take more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Reason>,
}

/// Checks a session id, if there is one.
pub fn check_session(id: Option<&str>) -> Result<(), RpcError> {
    id.map_or(Ok(()), |id| check_id("sessionId", id))
}
