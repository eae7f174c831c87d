//! `artifact/*`: reads, searches and lists originals.

use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use super::aliases::add_names;

#[cfg(feature = "schema")]
fn names_of_read(schema: &mut schemars::Schema) {
    add_names(schema, &[("id", &["artifactId", "handle"])]);
}

#[cfg(feature = "schema")]
fn names_of_search(schema: &mut schemars::Schema) {
    add_names(schema, &[("id", &["artifactId", "handle"]), ("pattern", &["query", "regex"])]);
}

/// Parameters of `artifact/read`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(transform = names_of_read))]
pub struct ReadParams {
    /// The session that owns the artifact; absent for results that came without a session.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: Option<String>,
    /// The id of the artifact, or the handle in a marker.
    #[serde(alias = "artifactId", alias = "handle")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub id: String,
    /// Ranges `[first, last]`, from 1, inclusive. They are sorted, and adjacent ones are joined. A range may
    /// end after the last line. Absent or empty for everything.
    #[serde(default)]
    pub lines: Option<Vec<[usize; 2]>>,
    /// The numbers that `lines` uses. Default `result`.
    #[serde(default)]
    pub numbering: Numbering,
    /// Most bytes to return, at least 1; larger numbers mean 1048576. Default 65536.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub max_bytes: Option<usize>,
    /// The `nextCursor` of the previous page.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// The numbers of lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Numbering {
    /// Positions in the result, as in the evidence.
    #[default]
    Result,
    /// The numbers that the lines of a file view carry, as in markers; for a range of which no line carries a number,
    /// positions in the result.
    Shown,
}

/// Result of `artifact/read`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Read {
    /// The artifact.
    pub id: String,
    /// The text with its line ends, in the form that `encoding` names.
    pub text: String,
    /// `utf-8`, or `base64` for binary data.
    pub encoding: String,
    /// Line ranges that the text covers.
    pub lines: Vec<[usize; 2]>,
    /// Lines of the whole artifact.
    pub total_lines: usize,
    /// Bytes of the whole artifact.
    pub total_bytes: usize,
    /// Where the next page starts; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Parameters of `artifact/search`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(transform = names_of_search))]
pub struct SearchParams {
    /// The session that owns the artifact.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: Option<String>,
    /// The id of the artifact, or the handle in a marker.
    #[serde(alias = "artifactId", alias = "handle")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub id: String,
    /// Regular expression in the syntax of Rust's `regex` crate.
    #[serde(alias = "query", alias = "regex")]
    pub pattern: String,
    /// The pattern is plain text.
    #[serde(default)]
    pub fixed: bool,
    /// Ignores letter case.
    #[serde(default)]
    pub ignore_case: bool,
    /// Lines before and after each match; larger numbers mean 20. Default 0.
    #[serde(default)]
    pub context: usize,
    /// Most matches to return, at least 1; larger numbers mean 500. Default 50. A page is also limited in bytes, so
    /// it may hold fewer.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub max_matches: Option<usize>,
    /// The `nextCursor` of the previous page.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// A line and its number.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NumberedLine {
    /// From 1.
    pub line: usize,
    /// Without line end.
    pub text: String,
}

/// One matching line.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Match {
    /// From 1.
    pub line: usize,
    /// The line, or the part of it around the match if the line is very long.
    pub text: String,
    /// Column of the first byte of `text`, from 1; above 1 when the line was cut.
    pub column: usize,
    /// Lines before.
    pub before: Vec<NumberedLine>,
    /// Lines after.
    pub after: Vec<NumberedLine>,
}

/// Result of `artifact/search`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The artifact.
    pub id: String,
    /// Matching lines, in order.
    pub matches: Vec<Match>,
    /// Matching lines in the whole artifact; with `timedOut`, in the part that was searched so far.
    pub total_matches: usize,
    /// Whether the time for one page (one second) ran out before the end; `nextCursor` continues. How much a page
    /// covers depends on the machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
    /// Where the next page starts; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Parameters of `artifact/list`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListParams {
    /// The session; absent for results that came without one.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: Option<String>,
    /// The `nextCursor` of the previous page.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// One stored original.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    /// The id for `artifact/read`.
    pub id: String,
    /// BLAKE3 digest, hexadecimal.
    pub digest: String,
    /// Size in bytes.
    pub bytes: usize,
    /// Lines.
    pub lines: usize,
    /// Tool that wrote it.
    pub tool: String,
    /// Call that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// Start of the first line of the command that wrote it, without secrets; absent if the call had no command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Whether only its copy on disk is left, which the settings of `recovery` control.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_disk: bool,
}

/// Result of `artifact/list`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct List {
    /// Newest first.
    pub artifacts: Vec<Listed>,
    /// Where the next page starts; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
