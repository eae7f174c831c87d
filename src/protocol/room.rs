//! `session/reclaim` and `session/reclaimed`: results that may leave the context of a host that sends them one by one.

use std::fmt;

use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};

use super::params::object;
use super::reclaim::{ReclaimSum, ReclaimTerms, Reclaimed};
use super::tool_result::ArtifactRef;
use crate::config::PolicyPatch;

/// Parameters of `session/reclaim`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReclaimParams {
    /// The session; it opens on first use.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: String,
    /// What the context holds, in order: the call id of each result, and the tokens of everything between. Absent if it
    /// holds what the session knows.
    #[serde(default)]
    pub context: Option<Vec<ContextItem>>,
    /// The answers of the model since the last `session/reclaim`, in order, at most 256. Absent if they are not
    /// known: then every earlier result counts as cited.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(max = 256)))]
    pub answers: Option<Vec<ModelAnswer>>,
    /// The values that decide whether it pays.
    #[serde(default, deserialize_with = "object")]
    pub reclaim_terms: Option<ReclaimTerms>,
    /// Settings for this request alone.
    #[serde(default, deserialize_with = "object")]
    pub policy: Option<PolicyPatch>,
}

/// An item of a context: the call id of a result, or the tokens of anything else.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(untagged))]
pub enum ContextItem {
    /// The id of the call of a result.
    Result(String),
    /// Tokens.
    Tokens(usize),
}

impl<'de> Deserialize<'de> for ContextItem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Item;
        impl Visitor<'_> for Item {
            type Value = ContextItem;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the id of a call or a whole number of tokens")
            }

            fn visit_str<E>(self, id: &str) -> Result<ContextItem, E> {
                Ok(ContextItem::Result(id.to_owned()))
            }

            fn visit_u64<E>(self, tokens: u64) -> Result<ContextItem, E> {
                Ok(ContextItem::Tokens(usize::try_from(tokens).unwrap_or(usize::MAX)))
            }
        }
        deserializer.deserialize_any(Item)
    }
}

/// An answer of the model.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ModelAnswer {
    /// Its text, without reasoning.
    #[serde(default)]
    pub text: String,
    /// The calls that it makes. Absent if all results since the last `session/reclaim` came after this answer.
    #[serde(default)]
    pub tool_call_ids: Vec<String>,
}

/// Result of `session/reclaim`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Reclaimable {
    /// The number of the batch, for `session/reclaimed`; absent if nothing can be removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// The results that may be removed, in the order in which they came. Empty if it does not pay.
    pub replacements: Vec<Replacement>,
    /// Tokens that this saves in the context.
    pub tokens_saved: usize,
    /// The sum that decided.
    pub sum: ReclaimSum,
}

/// The replacement of a result.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Replacement {
    /// The call of the result.
    pub tool_call_id: String,
    /// The text that replaces the text of the result.
    pub content: String,
    /// Why it may be removed.
    pub reclaimed: Reclaimed,
    /// The original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<ArtifactRef>,
}

/// Parameters of `session/reclaimed`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReclaimedParams {
    /// The session.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: String,
    /// The number of the batch that the last `session/reclaim` gave.
    pub batch: u64,
}

/// Result of `session/reclaimed`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReclaimedTotals {
    /// Removed results of the session.
    pub results: usize,
    /// Tokens saved in the context by all of them.
    pub tokens_saved: usize,
}
