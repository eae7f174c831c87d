//! Settings of the process that serves: how it talks and what it holds. They are read once, at the start.

use serde::{Deserialize, Serialize};

use super::table::settings;

/// How messages are delimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Framing {
    /// As LSP does: `Content-Length` headers.
    #[default]
    Lsp,
    /// One message a line.
    Lines,
}

settings! {
    section "server";

    /// Settings of the process.
    #[derive(Eq)]
    pub struct Server;

    /// Settings of the process that somebody gave.
    #[derive(Eq)]
    pub struct ServerPatch;

    /// How messages are delimited, in both directions: `lsp` (`Content-Length` headers), `lines` (one message a
    /// line). Default `lsp`.
    framing: Framing = Framing::Lsp;
    /// Bytes of the largest message that is accepted. Default 268435456.
    max_message_bytes: usize = 256 << 20;
    /// Bytes of waiting requests and unread replies above which new requests are refused. Default 268435456.
    max_queued_bytes: usize = 256 << 20;
    /// Sessions at once; the one that was used least lately ends first. Default 1024.
    max_sessions: usize = 1024;
    /// Bytes that sessions and originals take in memory together; above them the sessions that were used least
    /// lately forget what they can make again, then end. Default 268435456.
    max_memory_bytes: usize = 256 << 20;
    /// Calls that a session remembers; later ones take no part in memo and duplicates. Default 65536.
    max_session_calls: usize = 65_536;
    /// Bytes of outcomes that the memo of a session holds, evidence included. Default 2097152.
    memo_bytes: usize = 2 << 20;
    /// Originals that the process holds for its sessions. Default 4096.
    max_artifacts: usize = 4096;
    /// Bytes of all these originals. Default 268435456.
    max_artifact_bytes: usize = 256 << 20;
    /// Seconds after which an original that nobody reads goes. Default 86400.
    max_artifact_age_seconds: usize = 86_400;
}
