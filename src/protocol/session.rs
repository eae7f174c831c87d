//! `session/*`: opens, forks and closes sessions, reports what the model still sees, and returns totals.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use super::aliases::add_names;
use super::params::object;
use crate::config::PolicyPatch;

/// Parameters of `session/open`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OpenParams {
    /// The session, 1 to 512 bytes.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: String,
    /// Settings for all requests of the session.
    #[serde(default, deserialize_with = "object")]
    pub policy: Option<PolicyPatch>,
}

/// Result of `session/open`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Opened {
    /// The session.
    pub session_id: String,
    /// False if it was already open; then its state does not change.
    pub created: bool,
}

/// Parameters of `session/close` and `session/stats`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionParams {
    /// The session.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: String,
}

/// Result of `session/close`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Closed {
    /// Whether the session was open.
    pub closed: bool,
}

#[cfg(feature = "schema")]
fn names_of_evicted(schema: &mut schemars::Schema) {
    add_names(schema, &[("toolCallIds", &["callIds", "ids"])]);
}

/// Parameters of `session/evicted`: what the model no longer sees.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(transform = names_of_evicted))]
pub struct EvictedParams {
    /// The session.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: String,
    /// Calls whose results left the context.
    #[serde(default, alias = "callIds", alias = "ids")]
    pub tool_call_ids: Vec<String>,
    /// The only calls whose results are still in the context.
    #[serde(default)]
    pub visible: Option<Vec<String>>,
}

/// Parameters of `session/fork`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ForkParams {
    /// The session that is copied; it does not change.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: String,
    /// The new session.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub new_session_id: String,
    /// The only calls whose results the new context shows. Absent if it shows all that the other one does.
    #[serde(default)]
    pub visible: Option<Vec<String>>,
}

/// Result of `session/fork`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Forked {
    /// The new session.
    pub session_id: String,
    /// False if it was already open; then its state does not change.
    pub created: bool,
    /// Calls taken over from the other session; 0 if that one is not open.
    pub calls: usize,
}

/// Parameters of `session/compacted`: the conversation was summarized, cut short or restarted.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CompactedParams {
    /// The session.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: String,
    /// The only calls whose results are still in the context. Absent if there are none.
    #[serde(default)]
    pub visible: Vec<String>,
}

/// Sums over some results.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Results.
    pub results: usize,
    /// Tokens of the input.
    pub tokens_before: usize,
    /// Tokens of the output.
    pub tokens_after: usize,
    /// Bytes of the input.
    pub bytes_before: usize,
    /// Bytes of the output.
    pub bytes_after: usize,
    /// Tokens of the input that the host would have shown: all of a result within `hostLimit`; of a larger one,
    /// the share of its bytes within the limit, rounded down.
    pub baseline_tokens: usize,
    /// Tokens of the output that the host shows, counted in the same way. The difference to the baseline was
    /// saved.
    pub shown_tokens: usize,
}

/// Text that is not shown for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReasonTotals {
    /// Results with such a gap.
    pub results: usize,
    /// Lines in such gaps.
    pub lines: usize,
    /// Bytes of such gaps inside lines.
    pub bytes: usize,
}

/// Repeated results, as a provider's prompt cache sees them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CacheTotals {
    /// Tokens of results that were repeated byte for byte: a prompt cache may have them.
    pub stable_tokens: usize,
    /// Tokens of results that were repeated with other bytes or another policy: a cached prompt ends before them.
    pub changed_tokens: usize,
}

/// The cost of tokens at the user's price.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Spent {
    /// As the host would have shown the results.
    pub baseline: f64,
    /// As they were returned.
    pub shown: f64,
}

/// The cost with one model, at the user's prices; the parts are separate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// Every result once, at the price of writing to the prompt cache, or of input if that is not given.
    pub results: Spent,
    /// Repeated results, as input without a cache.
    pub resends: Spent,
    /// Repeated results, as read from the cache; absent if that has no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resends_cached: Option<Spent>,
}

/// Result of `session/stats`. Results count once, however often they are resent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// All results.
    pub total: Totals,
    /// Results that were repeated under their call id with the same bytes and policy.
    pub resends: Totals,
    /// Resends that were answered from the memo.
    pub memo_hits: usize,
    /// Call ids that were repeated with other bytes or another policy.
    pub memo_changed: usize,
    /// By tool; `other` from the 1025th tool on.
    pub by_tool: BTreeMap<String, Totals>,
    /// By family; `other` if none is known.
    pub by_family: BTreeMap<String, Totals>,
    /// By reducer; results without one are not listed.
    pub by_reducer: BTreeMap<String, Totals>,
    /// Results by status.
    pub by_status: BTreeMap<String, usize>,
    /// Lines not shown, by reason.
    pub omitted_lines: BTreeMap<String, usize>,
    /// Secrets removed, by rule.
    pub redactions: BTreeMap<String, usize>,
    /// Text that is not shown, by reason.
    pub by_reason: BTreeMap<String, ReasonTotals>,
    /// Steps that were tried and did nothing, by reason.
    pub skipped: BTreeMap<String, usize>,
    /// Repeated results, as a prompt cache sees them.
    pub cache: CacheTotals,
    /// The cost by model; only models that the user gave prices for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cost: BTreeMap<String, Cost>,
}
