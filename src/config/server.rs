//! Settings of the server process: its protocol and its limits. They are read once, at the start.

use serde::{Deserialize, Serialize};

use super::table::{serve_flag, settings};

/// How messages are delimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Framing {
    /// As LSP does: `Content-Length` headers.
    #[default]
    Lsp,
    /// One message per line.
    Lines,
}

settings! {
    section "server";

    /// Settings of the process.
    #[derive(Eq)]
    pub struct Server;

    /// Settings of the process that were given.
    #[derive(Eq)]
    pub struct ServerPatch;

    /// How messages are delimited, in both directions: `lsp` (`Content-Length` headers), `lines` (one message a
    /// line). Default `lsp`.
    framing: Framing = Framing::Lsp, serve_flag: serve_flag("framing", "NAME");
    /// Bytes of the largest accepted message, at least 1. Default 268435456.
    max_message_bytes: usize = 256 << 20, min: 1, serve_flag: serve_flag("max-message-bytes", "BYTES");
    /// Bytes of waiting requests and unread replies above which new requests are refused, at least 1. Default 268435456.
    max_queued_bytes: usize = 256 << 20, min: 1, serve_flag: serve_flag("max-queued-bytes", "BYTES");
    /// Most open sessions, at least 1; above it, the least recently used one ends. Default 1024.
    max_sessions: usize = 1024, min: 1, serve_flag: serve_flag("max-sessions", "N");
    /// Bytes that sessions and originals take in memory together; above it, the least recently used sessions forget what can
    /// be made again, then end. Default 268435456.
    max_memory_bytes: usize = 256 << 20, serve_flag: serve_flag("max-memory-bytes", "BYTES");
    /// Calls that a session remembers; later ones take no part in memo and duplicates. Default 65536.
    max_session_calls: usize = 65_536, serve_flag: serve_flag("max-session-calls", "N");
    /// Bytes of outcomes that the memo of a session holds, evidence included. Default 2097152.
    memo_bytes: usize = 2 << 20, serve_flag: serve_flag("memo-bytes", "BYTES");
    /// Most originals that the process holds for its sessions. Default 4096.
    max_artifacts: usize = 4096, serve_flag: serve_flag("max-artifacts", "N");
    /// Most bytes of all these originals. Default 268435456.
    max_artifact_bytes: usize = 256 << 20, serve_flag: serve_flag("max-artifact-bytes", "BYTES");
    /// Seconds without access after which an original is removed. Default 86400.
    max_artifact_age_seconds: usize = 86_400, serve_flag: serve_flag("max-artifact-age", "SECONDS");
}
