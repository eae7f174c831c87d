//! The store of originals: redacted, addressed by content digest, owned by one session, bounded.
//!
//! An artifact is what a tool result was before anything was taken out of it, secrets apart. Small ones
//! stay in memory, large ones lie packed in a private temporary directory that is made when the first
//! large one comes and is gone with the process; what a killed process left is removed by a later start.
//!
//! The store never redacts, never knows the wire, never reads a clock (the caller passes the time in) and
//! never lets one session see, by id or by list, what only another one put. A put that fails is no reason
//! to fail a tool result: the result goes out without an artifact.
//!
//! Map: `store` is the door; `ledger` knows who owns what and in which order it goes; `body` holds the bytes
//! and finds lines in them; `disk` is the private directory; `read` and `search` answer from one artifact;
//! `vault` keeps copies on disk for later; `error` has what can go wrong.

mod body;
mod disk;
mod error;
mod ledger;
mod read;
mod search;
mod store;
#[cfg(test)]
mod tests;
pub mod vault;

use std::time::Duration;

pub use disk::remove_leftovers;
pub use error::{AccessError, PutError};
pub use read::{Encoding, LineRange, Page, ReadResult};
pub use search::{ContextLine, Match, SearchOptions, SearchResult};
pub use store::{Artifact, ArtifactInfo, Listing, Store};

/// How much the store keeps, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Most artifacts at once; one that two sessions own counts twice. Default 4,096.
    pub max_count: usize,
    /// Most bytes at once, in memory and on disk together. Contents count unpacked and once however many
    /// sessions own them, so what is evicted never depends on how well it packs. Default 256 MiB.
    pub max_bytes: u64,
    /// Largest single artifact in bytes. Default 64 MiB.
    pub max_artifact_bytes: u64,
    /// Artifacts of up to this many bytes stay in memory as they are; larger ones are packed and written to
    /// disk. Default 64 KiB.
    pub inline_bytes: usize,
    /// Most bytes that artifacts may take in memory as they are; above, small ones are written to disk too.
    /// Default 64 MiB.
    pub memory_bytes: usize,
    /// Most packed bytes that large artifacts may take in memory when the disk fails. Default 32 MiB.
    pub fallback_bytes: u64,
    /// An artifact that was neither put nor read for longer than this is evicted. Default 24 hours.
    pub max_age: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_count: 4_096,
            max_bytes: 256 << 20,
            max_artifact_bytes: 64 << 20,
            inline_bytes: 64 << 10,
            memory_bytes: 64 << 20,
            fallback_bytes: 32 << 20,
            max_age: Duration::from_secs(24 * 60 * 60),
        }
    }
}

/// What the bytes of an artifact are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Media {
    /// UTF-8 text: has lines, can be searched.
    Text,
    /// Anything else, with its MIME type: comes back as base64.
    Binary(String),
}

/// What the caller knows about an artifact besides its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta {
    /// Name of the tool that produced it.
    pub tool: String,
    /// The call that produced it, if the host named one.
    pub tool_call_id: Option<String>,
    /// What the bytes are. Bytes that are said to be text and are not UTF-8 are kept as
    /// `application/octet-stream`, so that they come back exactly.
    pub media: Media,
    /// Neither age nor pressure evicts it before its session closes. Without a session nothing would ever
    /// release it, so there it has no effect.
    pub keep_until_session_end: bool,
    /// The pointer that was given in its place, if there was one.
    pub pointer: Option<String>,
}

/// A stored artifact, as the answer to a put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Put {
    /// Handle: the first 16 hexadecimal digits of the BLAKE3 digest, more if another content that is still
    /// stored begins alike.
    pub id: String,
    /// Length of the content in bytes.
    pub bytes: u64,
    /// Number of lines, a last one without a terminator included; 0 for what is not text.
    pub lines: u64,
}

/// At most `max` bytes of `text`, cut where a character ends: for messages that quote what a caller sent.
fn clip(text: &str, max: usize) -> &str {
    let end = (0..=max.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}
