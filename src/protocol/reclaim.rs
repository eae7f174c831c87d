//! Removal of earlier results from a context: what a host says about its cache, and what it is told.

use serde::{Deserialize, Serialize};

use super::error::RpcError;
use super::params::invalid;
use crate::reclaim::{Factor, Sum};
use crate::text::marker::RemovedWhy;

/// Whether earlier results may leave the context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ReclaimMode {
    /// All stay.
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

/// Decides whether removing results pays: `requestsToCome * removed` must be more than `(write - read) / read
/// * behind`.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReclaimTerms {
    /// Requests of the conversation that are still to come, this one included. Without it, a cautious guess from the number
    /// so far.
    #[serde(default)]
    pub requests_to_come: Option<usize>,
    /// How the cache is priced. Default `fiveMinutes`.
    #[serde(default)]
    pub cache: Option<Cache>,
    /// Prices, in place of `cache`.
    #[serde(default)]
    pub prices: Option<CachePrices>,
    /// Least gain of a batch, in tokens read from the cache. Default 6000; 12000 for a batch with results that no later
    /// result replaces.
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
    /// A later result shows these lines of the file as they are since.
    Superseded,
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
    pub fn new(gone: RemovedWhy, tokens_saved: usize) -> Self {
        let (reason, count) = match gone {
            RemovedWhy::ShownAgain(count) => (ReclaimReason::ShownAgain, count),
            RemovedWhy::Superseded(count) => (ReclaimReason::Superseded, count),
            RemovedWhy::RunAgain(count) => (ReclaimReason::RunAgain, count),
            RemovedWhy::NotCited(count) => (ReclaimReason::NotCited, count),
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
    /// Extra price of writing a token to the cache, as a multiple of the read price.
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
