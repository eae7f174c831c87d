//! Removal of earlier results from a context: the host's terms for its cache, and the result.

use serde::{Deserialize, Serialize};

use super::error::RpcError;
use super::params::invalid;
use crate::reclaim::{Factor, Sum};
use crate::text::marker::RemovalReason;

/// Whether earlier results may leave the context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ReclaimMode {
    /// No result is removed.
    #[default]
    Off,
    /// Results that are no longer needed are removed in batches, when that pays. They stay removed in every later
    /// request of the session.
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
    /// It is filled automatically: writing costs as much as an uncached token, reading 0.1.
    Automatic,
    /// It no longer holds any part of the conversation, or there is no cache.
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

/// Decides whether removing results pays: `requestsToCome * removed` must be more than `(write - read) / read
/// * behind`.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReclaimTerms {
    /// Expected number of further requests of the conversation, including this one. Without it, a cautious estimate
    /// from the number so far.
    #[serde(default)]
    pub requests_to_come: Option<usize>,
    /// How the cache is priced. Default `fiveMinutes`.
    #[serde(default)]
    pub cache: Option<Cache>,
    /// Prices, in place of `cache`.
    #[serde(default)]
    pub prices: Option<CachePrices>,
    /// Smallest gain of a batch, in tokens read from the cache. Default 6000; 12000 for a batch with results that no
    /// later result replaces.
    #[serde(default)]
    pub min_gain: Option<u64>,
}

impl ReclaimTerms {
    /// The extra price of writing, as a multiple of the price of reading.
    pub fn factor(&self) -> Result<Factor, RpcError> {
        match (self.cache, self.prices) {
            (Some(_), Some(_)) => Err(invalid("reclaimTerms", "has `cache` and `prices`; give one of them")),
            (_, Some(prices)) => Factor::of(prices.write, prices.read).ok_or_else(|| {
                let reason = format!(
                    "write {} and read {} are not prices: write is 0 and up, read above 0",
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
    /// A later result shows the same lines of the file, as they were.
    ShownAgain,
    /// A later result shows the newer state of these lines of the file.
    Superseded,
    /// A later result is of the same call.
    RunAgain,
    /// No recent answer of the model cited it.
    NotCited,
}

/// A result that left the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Reclaimed {
    /// Why.
    pub reason: ReclaimReason,
    /// How many results later the other one came, or how many answers did not cite it.
    pub count: usize,
    /// Tokens saved in the context.
    pub tokens_saved: usize,
}

impl Reclaimed {
    /// For a result that was removed.
    pub fn new(gone: RemovalReason, tokens_saved: usize) -> Self {
        let (reason, count) = match gone {
            RemovalReason::ShownAgain(count) => (ReclaimReason::ShownAgain, count),
            RemovalReason::Superseded(count) => (ReclaimReason::Superseded, count),
            RemovalReason::RunAgain(count) => (ReclaimReason::RunAgain, count),
            RemovalReason::NotCited(count) => (ReclaimReason::NotCited, count),
        };
        Self { reason, count, tokens_saved }
    }
}

/// The results that were removed from the context of a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Reclaim {
    /// Removed results.
    pub results: usize,
    /// Of these, the results that this request removed.
    pub new_results: usize,
    /// Tokens saved in the context by all of them.
    pub tokens_saved: usize,
    /// The sum of this request.
    pub sum: ReclaimSum,
}

/// The sum that decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReclaimSum {
    /// Tokens that the best batch would remove.
    pub removed: usize,
    /// Tokens after the first removed one that stay, and that the cache holds.
    pub behind: usize,
    /// Expected number of further requests.
    pub requests: usize,
    /// Extra price of writing a token to the cache, as a multiple of the read price.
    pub factor: f64,
    /// The gain, in tokens read from the cache: `requests * removed - factor * behind`.
    pub gain: i64,
}

impl From<Sum> for ReclaimSum {
    fn from(sum: Sum) -> Self {
        let Sum { removed, behind, requests, factor, gain } = sum;
        Self { removed, behind, requests, factor, gain }
    }
}
