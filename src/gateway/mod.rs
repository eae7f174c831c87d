//! `tersed gateway`: runs between an agent host and the API of its model, on this machine. In each request it
//! compresses the results of tools; every other byte is passed on unchanged, in both directions. A request that it
//! cannot read, or cannot read in time, is passed on unchanged as a whole.
//!
//! A request holds the whole conversation, so the engine knows what the model sees: results that are not in the body
//! are forgotten, and the texts of the others stay the same byte for byte in every turn.

mod access;
mod api;
mod body;
mod cache;
mod coding;
mod conversation;
mod forward;
pub mod launch;
mod owner;
mod room;
mod serve;
mod totals;
mod upgrade;

pub use access::is_loopback;
pub use api::{Api, Upstreams};
pub use serve::{Gateway, Listening};
pub use totals::Totals;
