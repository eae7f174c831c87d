//! `messages/compress`: a whole request body, in which only results of tools change.
//!
//! Each format has a reader in a file of its own that finds the results, the calls that they answer and
//! the places of their texts. Nothing here changes a body: the engine puts new texts into the places.

mod anthropic;
mod every;
mod find;
mod frame;
mod gemini;
mod mcp;
mod openai_chat;
mod openai_responses;
mod overrides;
mod program;
mod texts;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::error::RpcError;
use super::params::{invalid, object};
use super::reclaim::{Reclaim, ReclaimMode, ReclaimTerms, Reclaimed};
use super::redact::Region;
use super::skim::Json;
use super::tool_result::ArtifactRef;
pub use crate::config::ToolSchemas;
use crate::config::{BudgetPatch, PolicyPatch};
use crate::pipeline::evidence::{BeforeAfter, Evidence, RedactionCount};
pub use every::every_given;
use find::Finder;
pub use find::{Found, Frame, ModelTexts, Text};
pub use mcp::STRUCTURED;
pub use overrides::{OVERRIDES, Overrides};

/// Formats of bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// OpenAI chat completions: `messages` with `role: "tool"`, or `role: "function"`.
    OpenaiChat,
    /// OpenAI responses: items of `input` that end in `_output`.
    OpenaiResponses,
    /// Anthropic messages: `tool_result` blocks.
    Anthropic,
    /// Gemini: `functionResponse` parts of `contents`.
    Gemini,
    /// MCP: the result of `tools/call`, a message with one, or an array of messages.
    Mcp,
}

/// How structured content is treated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum StructuredContent {
    /// It is not changed.
    #[default]
    Keep,
    /// It is removed if a text of the result is the same JSON value.
    DropRepeated,
}

/// Parameters of `messages/compress`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(rename = "MessagesParams"))]
pub struct Params<'a> {
    /// The session, 1 to 512 bytes; it opens on first use. Without one there is no memo and no dedup.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: Option<String>,
    /// The format of the body. May be absent if the body shows it.
    #[serde(default)]
    pub format: Option<Format>,
    /// The request as the model's provider takes it, or, for `mcp`, a result or an array of messages.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schemars(schema_with = "body_schema"))]
    pub body: &'a RawValue,
    /// Settings for this request alone.
    #[serde(default, deserialize_with = "object")]
    pub policy: Option<PolicyPatch>,
    /// What the agent is looking for, as in `toolResult/compress`. It applies to results that the session does not
    /// know yet; the others stay as they were given.
    #[serde(default)]
    pub query: Option<String>,
    /// What each result, and all results of one turn together, may cost; overrides the policy's budget. A turn is the
    /// results between two messages of the model.
    #[serde(default, deserialize_with = "object")]
    pub budget: Option<BudgetPatch>,
    /// How full the model's context is, as in `toolResult/compress`. It applies to results that the session does not
    /// know yet.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    pub context_pressure: Option<f64>,
    /// This many of the newest results stay exact; only secrets are removed from them. Default 0.
    #[serde(default)]
    pub keep_newest: usize,
    /// What is done to the schemas of the tools in the body. Default the policy's `toolSchemas`.
    #[serde(default)]
    pub tool_schemas: Option<ToolSchemas>,
    /// How the `structuredContent` of an MCP result is treated. Default `keep`.
    #[serde(default)]
    pub structured_content: StructuredContent,
    /// Whether the member `_forge` is removed from the body. Default false.
    #[serde(default)]
    pub strip_overrides: bool,
    /// Whether earlier results that are no longer needed are removed, if that pays. Needs `sessionId`, and `keepNewest`
    /// 0. Default `off`.
    #[serde(default)]
    pub reclaim: ReclaimMode,
    /// The values that decide whether it pays.
    #[serde(default, deserialize_with = "object")]
    pub reclaim_terms: Option<ReclaimTerms>,
    /// The host's own name for the request, for telemetry: 1 to 128 visible ASCII characters.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 128)))]
    pub correlation_id: Option<String>,
}

impl<'a> Params<'a> {
    /// Parameters for a body of a known format, without settings.
    pub fn of_body(body: &'a RawValue, format: Format) -> Self {
        Self {
            session_id: None,
            format: Some(format),
            body,
            policy: None,
            query: None,
            budget: None,
            context_pressure: None,
            correlation_id: None,
            keep_newest: 0,
            tool_schemas: None,
            structured_content: StructuredContent::default(),
            strip_overrides: false,
            reclaim: ReclaimMode::Off,
            reclaim_terms: None,
        }
    }
}

#[cfg(feature = "schema")]
fn body_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "oneOf": [{ "type": "object" }, { "type": "array" }] })
}

/// One result of a body after compression.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MessageResult {
    /// The call that it answers: the id in the body, or `name#n` for the n-th result of that tool that has none.
    /// Absent if the body gives neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// Its place in the body.
    pub place: String,
    /// What happened, in the detail that the policy asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The original, if the text differs from it and it could be stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<ArtifactRef>,
    /// Why the result was removed from the context, if it was; a short text then replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reclaimed: Option<Reclaimed>,
}

/// Result of `messages/compress`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MessagesCompressed {
    /// The body. Every byte outside of the texts of results is unchanged.
    #[cfg_attr(feature = "schema", schemars(schema_with = "body_schema"))]
    pub body: Box<RawValue>,
    /// The format that the body was read in; absent if the body has no result that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// One for each result with text, in the order of the body.
    pub results: Vec<MessageResult>,
    /// Secrets that were removed outside of compressed texts: from data, documents, and results of the provider's
    /// servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redactions: Vec<RedactionCount>,
    /// Sums over the results.
    pub tokens: BeforeAfter,
    /// Tokens of `tools`, if their descriptions were minified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_tokens: Option<BeforeAfter>,
    /// What was removed from the context, if the request asked for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reclaim: Option<Reclaim>,
}

/// The content of a body.
#[derive(Debug)]
pub struct Read<'a> {
    /// The format that it was read in; `None` if the body does not show it.
    pub format: Option<Format>,
    /// The results with text, in order.
    pub found: Vec<Found<'a>>,
    /// Values that came from tools, searches and servers, including the texts of the results, without overlap.
    pub regions: Vec<Region>,
    /// The answers of the model, in order, without an answer at the end of the body.
    pub model_texts: Vec<ModelTexts<'a>>,
}

/// The results of a body, in order, and the format that they were found in.
pub fn read(body: Json<'_>, format: Option<Format>) -> Result<Read<'_>, RpcError> {
    let Some(format) = format.map_or_else(|| detect_format(body), |format| Ok(Some(format)))? else {
        return messages(body);
    };
    read_as(body, format)
}

fn read_as(body: Json<'_>, format: Format) -> Result<Read<'_>, RpcError> {
    let mut finder = Finder::default();
    match format {
        Format::OpenaiChat => openai_chat::read(body, &mut finder)?,
        Format::OpenaiResponses => openai_responses::read(body, &mut finder)?,
        Format::Anthropic => anthropic::read(body, &mut finder)?,
        Format::Gemini => gemini::read(body, &mut finder)?,
        Format::Mcp => mcp::read(body, &mut finder)?,
    }
    let Finder { found, regions, model_texts: mut said, is_speaking, .. } = finder;
    if is_speaking {
        // An answer at the end of a body may continue in the next body.
        said.pop();
    }
    Ok(Read { format: Some(format), found, regions, model_texts: said })
}

/// The format that the members of a body show; `None` for `messages`, which two formats have.
fn detect_format(body: Json<'_>) -> Result<Option<Format>, RpcError> {
    const ADVICE: &str =
        "give `format`, one of `openai-chat`, `openai-responses`, `anthropic`, `gemini`, `mcp`";
    if body.is_array() {
        return Ok(Some(Format::Mcp));
    }
    let has = |name: &str, kinds: &[u8]| body.get(name).is_some_and(|value| kinds.contains(&value.first()));
    let is_message = has("content", b"[") || has("result", b"{") || has("structuredContent", b"{[");
    let known = [
        ("messages", None, has("messages", b"[")),
        ("input", Some(Format::OpenaiResponses), has("input", b"[\"")),
        ("contents", Some(Format::Gemini), has("contents", b"[{")),
        ("content", Some(Format::Mcp), is_message),
    ];
    let mut present = known.into_iter().filter(|(.., is_there)| *is_there);
    match (present.next(), present.next()) {
        (Some((_, format, _)), None) => Ok(format),
        (Some((one, ..)), Some((other, ..))) => Err(invalid(
            "body",
            &format!("has `{one}` and `{other}`, so that its format is not clear; {ADVICE}"),
        )),
        (None, _) => {
            let reason =
                "has none of `messages`, `input`, `contents`, `content`, so that its format is not clear";
            Err(invalid("body", &format!("{reason}; {ADVICE}")))
        }
    }
}

/// Two formats have `messages`. Without a result it does not matter which one it is: nothing changes.
fn messages(body: Json<'_>) -> Result<Read<'_>, RpcError> {
    let chat = read_as(body, Format::OpenaiChat)?;
    let anthropic = read_as(body, Format::Anthropic)?;
    match (chat.found.first(), anthropic.found.first()) {
        (Some(one), Some(other)) => {
            let reason = format!(
                "holds a result of openai-chat (`{}`) and one of anthropic (`{}`), so that its format is not clear; \
                 give `format`",
                one.place, other.place
            );
            Err(invalid("body", &reason))
        }
        (Some(_), None) => Ok(chat),
        (None, Some(_)) => Ok(anthropic),
        // The body has results in neither format.
        (None, None) => {
            let regions = chat.regions.into_iter().chain(anthropic.regions).collect();
            Ok(Read { format: None, found: Vec::new(), regions, model_texts: Vec::new() })
        }
    }
}

/// An array member of a body that a format must have.
fn array<'a>(body: Json<'a>, name: &str) -> Result<Json<'a>, RpcError> {
    if body.members().filter(|m| m.name == name).count() > 1 {
        return Err(invalid(&format!("body.{name}"), "is given twice"));
    }
    match body.get(name).filter(|value| value.is_array()) {
        Some(array) => Ok(array),
        None => Err(invalid(&format!("body.{name}"), "expected an array")),
    }
}
