//! `toolResult/open` and the other requests of a stream: the result of a long command, sent piece by piece.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::host_cut::HostCut;
use super::params::object;
use super::tool_result::Members;
use crate::config::{BudgetPatch, PolicyPatch};

/// Parameters of `toolResult/open`: those of `toolResult/compress`, without the content.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(rename = "StreamOpenParams"))]
pub struct OpenParams<'a> {
    /// The session, 1 to 512 bytes; it opens on first use.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: Option<String>,
    /// The result as in `toolResult/compress`, without `content`.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, serde_json::Value>"))]
    pub result: Members<'a>,
    /// Settings for this result alone.
    #[serde(default, deserialize_with = "object")]
    pub policy: Option<PolicyPatch>,
    /// What the agent is looking for, as in `toolResult/compress`.
    #[serde(default)]
    pub query: Option<String>,
    /// What the result may cost, as in `toolResult/compress`.
    #[serde(default, deserialize_with = "object")]
    pub budget: Option<BudgetPatch>,
    /// How full the model's context is, as in `toolResult/compress`.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    pub context_pressure: Option<f64>,
    /// How the host cuts results itself. Text that it cuts does not count as shown.
    #[serde(default, deserialize_with = "object")]
    pub host_cut: Option<HostCut>,
    /// Return the exact bytes; only secrets are removed.
    #[serde(default, alias = "full_output")]
    pub full_output: bool,
}

/// Result of `toolResult/open`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(rename = "StreamOpened"))]
pub struct Opened {
    /// The id for the following requests.
    pub stream_id: String,
}

/// The output stream of a piece. Pieces of one stream are joined; streams are kept separate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum StreamName {
    /// The host does not know it, or both streams go to one place.
    None,
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Parameters of `toolResult/append`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AppendParams<'a> {
    /// The stream.
    pub stream_id: String,
    /// Its session; may be absent.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: Option<String>,
    /// The next piece of text. It may end anywhere, even between the halves of a surrogate pair.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub text: &'a RawValue,
    /// The stream to which the command wrote it. Default `none`.
    #[serde(default)]
    pub stream: Option<StreamName>,
}

/// Result of `toolResult/append`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Appended {
    /// Bytes received so far.
    pub bytes: usize,
    /// Whether all of them are kept.
    pub whole: bool,
}

/// Parameters of `toolResult/peek` and `toolResult/discard`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StreamParams {
    /// The stream.
    pub stream_id: String,
    /// Its session; may be absent.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: Option<String>,
}

/// Result of `toolResult/discard`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Discarded {
    /// Whether the stream was open.
    pub discarded: bool,
}

/// Parameters of `toolResult/close`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(rename = "StreamCloseParams"))]
pub struct CloseParams {
    /// The stream.
    pub stream_id: String,
    /// Its session; may be absent.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: Option<String>,
    /// The exit code of the command. If absent, the one given to `toolResult/open`.
    #[serde(default)]
    pub exit_code: Option<i64>,
    /// Whether the host counts the call as failed. If absent, the value given to `toolResult/open`.
    #[serde(default)]
    pub is_error: Option<bool>,
}
