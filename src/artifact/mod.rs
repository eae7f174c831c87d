//! The store of originals: redacted, addressed by content digest, owned by one session, bounded.
//!
//! An artifact is the redacted text of a tool result before anything else was removed. Small ones stay in memory. Large ones
//! are packed in a private temporary directory, which is created for the first large one and deleted with the process. A
//! later start removes what a killed process left.
//!
//! The store does not redact, knows nothing of the protocol, and reads no clock (the caller passes the time in). It never
//! lets a session see what only another one stored, neither by id nor in a list. If a put fails, the tool result is returned
//! without an artifact.
//!
//! `store` is the interface. `ledger` tracks owners and the order of eviction, `body` holds bytes and finds lines, and
//! `disk` is the private directory. `handle` reads what names an original, `read` and `search` work on one artifact, `vault` keeps copies on disk, `error` lists
//! the errors.

mod body;
#[cfg_attr(target_family = "wasm", path = "no_disk.rs")]
mod disk;
mod error;
pub mod handle;
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
pub use store::{Artifact, ArtifactInfo, Listing, Store, temporary_root};

/// Limits of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Most artifacts; one that two sessions own counts twice. Default 4,096.
    pub max_count: usize,
    /// Most bytes, in memory and on disk together. Contents count unpacked, and once for all owners, so eviction does not
    /// depend on how well they pack. Default 256 MiB.
    pub max_bytes: u64,
    /// Largest single artifact in bytes. Default 64 MiB.
    pub max_artifact_bytes: u64,
    /// Artifacts of at most this many bytes stay in memory unpacked; larger ones are packed and written to disk. Default 64
    /// KiB.
    pub inline_bytes: usize,
    /// Most bytes of unpacked artifacts in memory; above it, small ones are written to disk too. Default 64 MiB.
    pub memory_bytes: usize,
    /// Most packed bytes in memory if the disk fails. Default 32 MiB.
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

/// The type of an artifact's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Media {
    /// UTF-8 text: has lines, can be searched.
    Text,
    /// Binary data with a MIME type; returned as base64.
    Binary(String),
}

/// Metadata of an artifact, from the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta {
    /// Name of the tool that produced it.
    pub tool: String,
    /// The call that produced it, if the host named one.
    pub tool_call_id: Option<String>,
    /// The command that wrote it, for lists: without secrets, short, one line.
    pub command: Option<String>,
    /// The type of the bytes. Bytes that are declared as text but are not UTF-8 become `application/octet-stream`, so that
    /// they are returned exactly.
    pub media: Media,
    /// Whether it stays until its session closes, whatever its age and the limits of the store. It has no effect
    /// without a session, because nothing would ever release the artifact.
    pub keep_until_session_end: bool,
    /// The pointer that was given instead, if any.
    pub pointer: Option<String>,
}

/// A stored artifact, as returned by a put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Put {
    /// Handle: the first 16 hexadecimal digits of the BLAKE3 digest; more if another stored content has the same prefix.
    pub id: String,
    /// Length of the content in bytes.
    pub bytes: u64,
    /// Number of lines, a last one without a line end included; 0 for binary data.
    pub lines: u64,
}

/// At most `max` bytes of `text`, cut between characters; for messages that quote a caller.
fn clip(text: &str, max: usize) -> &str {
    let end = (0..=max.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}
