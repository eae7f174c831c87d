//! The types of the protocol, one file for each group of methods. The table of methods is `METHODS` in
//! `src/engine/methods.rs`.

#[cfg(feature = "schema")]
mod aliases;
pub mod artifact;
pub mod config;
pub mod content;
pub mod error;
pub mod host_cut;
pub mod initialize;
pub mod messages;
pub mod notification;
pub mod params;
pub mod reclaim;
pub mod redact;
pub mod room;
pub mod rules;
pub mod session;
pub mod skim;
pub mod stream;
pub mod tool_result;
pub mod tool_schema;

pub use error::RpcError;

/// Major version of the protocol.
pub const VERSION: u32 = 1;

/// The kind of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Answered with a result or an error.
    Request,
    /// Never answered.
    Notification,
}
