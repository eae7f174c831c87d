//! Decides which earlier results may be removed from a context, and whether removing them pays.
//!
//! No I/O and no clock. A [`Timeline`] records in order each result as the model sees it and the words of each
//! answer. Before a request it decides which results should be removed. The decision depends on nothing else, so the
//! same conversation always leads to the same removals.
//!
//! Removing a result changes the prompt from there on, so the provider's cache holds nothing after it. With `removed`
//! tokens, `behind` cached tokens after the first of them, and `requests` still to come, removal pays if `requests *
//! removed > factor * behind`. `factor` is the extra price of writing to the cache, as a multiple of the read price.

mod batch;
mod context;
mod facts;
mod hits;
pub mod label;
mod place;
mod plan;
mod price;
mod rest;
mod thresholds;
mod timeline;
mod view;
mod words;

pub use batch::{Batch, Sum};
pub use context::{Context, Item};
pub use facts::Facts;
pub use price::{Factor, Prices};
pub use thresholds::Thresholds;
pub use timeline::Timeline;
pub use words::Words;

#[cfg(test)]
mod tests;
