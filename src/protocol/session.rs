//! `session/*`: what a session is told, and its totals.

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
    /// False when it was open already; its state is untouched then.
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
    /// The session that goes on as it is.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: String,
    /// The new session.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub new_session_id: String,
    /// The only calls whose results the new context shows. Absent where it shows all that the other one does.
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
    /// False when it was open already; its state is untouched then.
    pub created: bool,
    /// Calls that it knows from the other session; 0 where that one is not open.
    pub calls: usize,
}

/// Parameters of `session/compacted`: the conversation was summed up, cut short or begun anew.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CompactedParams {
    /// The session.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: String,
    /// The only calls whose results are still in the context. Absent where none is.
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
    /// Tokens that came in.
    pub tokens_before: usize,
    /// Tokens that went out.
    pub tokens_after: usize,
    /// Bytes that came in.
    pub bytes_before: usize,
    /// Bytes that went out.
    pub bytes_after: usize,
    /// Tokens of the input that the host would have shown: all of a result within `hostLimit`; of a larger one,
    /// the share of its bytes within the limit, rounded down.
    pub baseline_tokens: usize,
    /// Tokens of the output that the host shows, counted in the same way. The difference to the baseline was
    /// saved.
    pub shown_tokens: usize,
}

/// What is not shown for one reason.
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

/// What the provider's prompt cache can make of results that came again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CacheTotals {
    /// Tokens that came again byte for byte as they were: a prompt cache may have them.
    pub stable_tokens: usize,
    /// Tokens of results that came again with other bytes or another policy: a cached prompt ends before them.
    pub changed_tokens: usize,
}

/// What tokens cost, by the user's own price.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Spent {
    /// As the host would have shown the results.
    pub baseline: f64,
    /// As they went out.
    pub shown: f64,
}

/// What a model would have cost, by the user's own prices; each part for itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// Every result once, at the price of writing to the prompt cache, or of input where that is not given.
    pub results: Spent,
    /// What came again, as input without a cache.
    pub resends: Spent,
    /// What came again, as read from the cache; absent where that has no price.
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
    /// Results that came again under their call id with the same bytes and policy.
    pub resends: Totals,
    /// Resends that were answered from the memo.
    pub memo_hits: usize,
    /// Call ids that came again with other bytes or another policy.
    pub memo_changed: usize,
    /// By tool; `other` from the 1025th tool on.
    pub by_tool: BTreeMap<String, Totals>,
    /// By family, `other` where none is known.
    pub by_family: BTreeMap<String, Totals>,
    /// By reducer; results without one are not listed.
    pub by_reducer: BTreeMap<String, Totals>,
    /// Results by status.
    pub by_status: BTreeMap<String, usize>,
    /// Lines not shown, by reason.
    pub omitted_lines: BTreeMap<String, usize>,
    /// Secrets removed, by rule.
    pub redactions: BTreeMap<String, usize>,
    /// What is not shown, by reason.
    pub by_reason: BTreeMap<String, ReasonTotals>,
    /// Steps that were tried and did nothing, by reason.
    pub skipped: BTreeMap<String, usize>,
    /// What came again, as a prompt cache sees it.
    pub cache: CacheTotals,
    /// What a model would have cost; only models that the user gave prices for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cost: BTreeMap<String, Cost>,
}
