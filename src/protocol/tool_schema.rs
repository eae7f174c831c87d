//! `toolSchema/minify`: minifies the descriptions of tools.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::params::object;
use crate::config::PolicyPatch;
use crate::pipeline::evidence::BeforeAfter;

/// Parameters of `toolSchema/minify`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(rename = "ToolSchemaParams"))]
pub struct Params<'a> {
    /// The tools as a request has them: OpenAI, Anthropic, MCP or Gemini.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<serde_json::Value>"))]
    pub tools: &'a RawValue,
    /// Settings for this request alone. Only `tokenizer` is used.
    #[serde(default, deserialize_with = "object")]
    pub policy: Option<PolicyPatch>,
}

/// Result of `toolSchema/minify`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Minified {
    /// The tools. Every byte outside of descriptions is unchanged.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<serde_json::Value>"))]
    pub tools: Box<RawValue>,
    /// Tokens of the JSON text of the tools.
    pub tokens: BeforeAfter,
}
