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
    /// The answers of the model since the last `session/reclaim`, in order, at most 256. Absent if they are not known: then
    /// every result counts as cited.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(max = 256)))]
    pub answers: Option<Vec<ModelAnswer>>,
    /// What decides whether it pays.
    #[serde(default, deserialize_with = "object")]
    pub reclaim_terms: Option<ReclaimTerms>,
    /// Settings for this request alone.
    #[serde(default, deserialize_with = "object")]
    pub policy: Option<PolicyPatch>,
}

/// One thing in a context: the id of the call of a result, or tokens of anything else.
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
    /// What it says, without its thoughts.
    #[serde(default)]
    pub text: String,
    /// The calls that it makes. Absent where all results since the last `session/reclaim` came after it.
    #[serde(default)]
    pub tool_call_ids: Vec<String>,
}

/// Result of `session/reclaim`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Reclaimable {
    /// The number of the batch, for `session/reclaimed`; absent where nothing goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// The results that may go, in the order in which they came. Empty where it does not pay.
    pub replacements: Vec<Replacement>,
    /// Tokens that the context saves by them.
    pub tokens_saved: usize,
    /// The sum that decided.
    pub sum: ReclaimSum,
}

/// What is to stand in the place of a result.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Replacement {
    /// The call of the result.
    pub tool_call_id: String,
    /// The text that takes the place of the text of the result.
    pub content: String,
    /// Why it may go.
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
    /// Results of the session that are gone.
    pub results: usize,
    /// Tokens that the context saves by all of them.
    pub tokens_saved: usize,
}
