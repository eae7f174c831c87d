//! Room that earlier results give back: what a host says about its cache, and what it is told.

use std::fmt;

use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};

use super::error::RpcError;
use super::params::{invalid, object};
use super::tool_result::ArtifactRef;
use crate::config::PolicyPatch;
use crate::reclaim::{Factor, Sum};
use crate::text::marker::Gone;

/// Whether earlier results may leave the context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ReclaimMode {
    /// All stay.
    #[default]
    Off,
    /// Those leave that are not needed any more, together, when that pays. They stay away in every later request of the
    /// session.
    Auto,
}

/// How a provider's cache is priced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Cache {
    /// It lasts five minutes: writing costs 1.25 and reading 0.1 of an uncached token.
    #[default]
    FiveMinutes,
    /// It lasts an hour: writing costs 2, reading 0.1.
    OneHour,
    /// It fills itself: writing costs what an uncached token does, reading 0.1.
    Automatic,
    /// It holds nothing of the conversation any more, or there is none.
    Cold,
}

/// Prices of a token, in any unit.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CachePrices {
    /// Writing it to the cache.
    pub write: f64,
    /// Reading it from there.
    pub read: f64,
}

/// What decides whether it pays that results leave the context: `requestsToCome * removed` is to be more than
/// `(write - read) / read * behind`.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReclaimTerms {
    /// Requests of the conversation that are still to come, this one included. Without it a cautious guess is made from those
    /// that were.
    #[serde(default)]
    pub requests_to_come: Option<usize>,
    /// How the cache is priced. Default `fiveMinutes`.
    #[serde(default)]
    pub cache: Option<Cache>,
    /// Prices, in place of `cache`.
    #[serde(default)]
    pub prices: Option<CachePrices>,
    /// The least that is to be gained, in tokens read from the cache. Default 6000; in `standard` 60000 for a batch with
    /// results that no later one stands for.
    #[serde(default)]
    pub min_gain: Option<u64>,
}

impl ReclaimTerms {
    /// What writing costs more than reading.
    pub fn factor(&self) -> Result<Factor, RpcError> {
        match (self.cache, self.prices) {
            (Some(_), Some(_)) => Err(invalid("reclaimTerms", "has `cache` and `prices`; give one of them")),
            (_, Some(prices)) => Factor::of(prices.write, prices.read).ok_or_else(|| {
                let reason = format!(
                    "write {} and read {} are no prices: write is 0 and up, read above 0",
                    prices.write, prices.read
                );
                invalid("reclaimTerms.prices", &reason)
            }),
            (cache, None) => Ok(match cache.unwrap_or_default() {
                Cache::FiveMinutes => Factor::FIVE_MINUTES,
                Cache::OneHour => Factor::ONE_HOUR,
                Cache::Automatic => Factor::AUTOMATIC,
                Cache::Cold => Factor::COLD,
            }),
        }
    }
}

/// Why a result left the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReclaimReason {
    /// A later result shows the same lines of the file.
    ShownAgain,
    /// A later result is of the same call.
    RunAgain,
    /// No answer of the model cited it lately.
    NotCited,
}

/// A result that left the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Reclaimed {
    /// Why.
    pub reason: ReclaimReason,
    /// Results to the later one, or answers that did not cite it.
    pub count: usize,
    /// Tokens that the context saves by it.
    pub tokens_saved: usize,
}

impl Reclaimed {
    /// Of a result.
    pub fn new(gone: Gone, tokens_saved: usize) -> Self {
        let (reason, count) = match gone {
            Gone::ShownAgain(count) => (ReclaimReason::ShownAgain, count),
            Gone::RunAgain(count) => (ReclaimReason::RunAgain, count),
            Gone::NotCited(count) => (ReclaimReason::NotCited, count),
        };
        Self { reason, count, tokens_saved }
    }
}

/// What left the context of a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Reclaim {
    /// Results that are gone.
    pub results: usize,
    /// Of these, those that this request took out.
    pub new_results: usize,
    /// Tokens that the context saves by all of them.
    pub tokens_saved: usize,
    /// The sum of this request.
    pub sum: ReclaimSum,
}

/// The sum that decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReclaimSum {
    /// Tokens that go, at best.
    pub removed: usize,
    /// Tokens that stay behind the first that go, and that the cache holds.
    pub behind: usize,
    /// Requests to come.
    pub requests: usize,
    /// What writing costs more than reading, in prices of reading.
    pub factor: f64,
    /// What it gains, in tokens read: `requests * removed - factor * behind`.
    pub gain: i64,
}

impl From<Sum> for ReclaimSum {
    fn from(sum: Sum) -> Self {
        let Sum { removed, behind, requests, factor, gain } = sum;
        Self { removed, behind, requests, factor, gain }
    }
}

/// Parameters of `session/reclaim`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReclaimParams {
    /// The session; it opens on first use.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session_id: String,
    /// What the context holds, in order: the id of the call of each result, and tokens of what stands between. Absent where it
    /// holds what the session knows.
    #[serde(default)]
    pub context: Option<Vec<ContextItem>>,
    /// The answers of the model since the last `session/reclaim`, in order, at most 256. Absent where they are not known: then
    /// they may have cited every result.
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
