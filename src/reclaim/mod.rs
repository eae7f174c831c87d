//! Gives back the room that earlier results take in a context: which of them may go, and whether that pays.
//!
//! No I/O and no clock. A [`Timeline`] is told, in order, each result as the model sees it and the words of each answer of the
//! model. Before a request it can say which results should go now. What it says depends on nothing else, so the same
//! conversation told again gives the same.
//!
//! To take a result out rewrites all that stands behind it: the provider's cache holds none of that any more. With `removed`
//! tokens taken out, `behind` tokens that stay behind the first of them and were cached, and `requests` to come, it pays when
//! `requests * removed > factor * behind`, where `factor` is what writing to the cache costs more than reading, in prices of
//! reading.

mod batch;
mod context;
mod facts;
mod hits;
pub mod label;
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
