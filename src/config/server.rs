//! Settings of the process that serves: how it talks and what it holds. They are read once, at the start.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BadValue;
use super::range::{WHOLE, put, size};

/// How messages are delimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Framing {
    /// As LSP does: `Content-Length` headers.
    #[default]
    Lsp,
    /// One message a line.
    Lines,
}

/// Settings of the process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Server {
    /// How messages are delimited, in both directions.
    pub framing: Framing,
    /// Largest message that is accepted, in bytes.
    pub max_message_bytes: usize,
    /// Bytes of waiting requests and unread replies above which new requests are refused.
    pub max_queued_bytes: usize,
    /// Sessions at once; the one that was used least lately ends first.
    pub max_sessions: usize,
    /// Bytes that sessions and originals take in memory together.
    pub max_memory_bytes: usize,
    /// Calls that a session remembers.
    pub max_session_calls: usize,
    /// Bytes of outcomes that the memo of a session holds, evidence included.
    pub memo_bytes: usize,
    /// Originals in the store of the process.
    pub max_artifacts: usize,
    /// Bytes of all of them.
    pub max_artifact_bytes: usize,
    /// Seconds after which one that nobody reads goes.
    pub max_artifact_age_seconds: usize,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            framing: Framing::Lsp,
            max_message_bytes: 256 << 20,
            max_queued_bytes: 256 << 20,
            max_sessions: 1024,
            max_memory_bytes: 256 << 20,
            max_session_calls: 65_536,
            memo_bytes: 2 << 20,
            max_artifacts: 4096,
            max_artifact_bytes: 256 << 20,
            max_artifact_age_seconds: 86_400,
        }
    }
}

/// Settings of the process that somebody gave.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServerPatch {
    /// How messages are delimited, in both directions: `lsp` (`Content-Length` headers), `lines` (one message a
    /// line). Default `lsp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framing: Option<Framing>,
    /// Bytes of the largest message that is accepted. Default 268435456.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 4_294_967_295_u64))]
    pub max_message_bytes: Option<u64>,
    /// Bytes of waiting requests and unread replies above which new requests are refused. Default 268435456.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 4_294_967_295_u64))]
    pub max_queued_bytes: Option<u64>,
    /// Sessions at once; the one that was used least lately ends first. Default 1024.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 4_294_967_295_u64))]
    pub max_sessions: Option<u64>,
    /// Bytes that sessions and originals take in memory together; above them the sessions that were used least
    /// lately forget what they can make again, then end. Default 268435456.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 4_294_967_295_u64))]
    pub max_memory_bytes: Option<u64>,
    /// Calls that a session remembers; later ones take no part in memo and duplicates. Default 65536.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 4_294_967_295_u64))]
    pub max_session_calls: Option<u64>,
    /// Bytes of outcomes that the memo of a session holds, evidence included. Default 2097152.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 4_294_967_295_u64))]
    pub memo_bytes: Option<u64>,
    /// Originals that the process holds for its sessions. Default 4096.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 4_294_967_295_u64))]
    pub max_artifacts: Option<u64>,
    /// Bytes of all these originals. Default 268435456.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 4_294_967_295_u64))]
    pub max_artifact_bytes: Option<u64>,
    /// Seconds after which an original that nobody reads goes. Default 86400.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 4_294_967_295_u64))]
    pub max_artifact_age_seconds: Option<u64>,
}

impl Server {
    /// These settings with what the patch gives laid over them. Nothing changes when a value is bad.
    pub fn with(&self, patch: &ServerPatch) -> Result<Self, BadValue> {
        let mut new = self.clone();
        put(&mut new.framing, patch.framing);
        let sizes: [(&'static str, Option<u64>, &mut usize); 9] = [
            ("maxMessageBytes", patch.max_message_bytes, &mut new.max_message_bytes),
            ("maxQueuedBytes", patch.max_queued_bytes, &mut new.max_queued_bytes),
            ("maxSessions", patch.max_sessions, &mut new.max_sessions),
            ("maxMemoryBytes", patch.max_memory_bytes, &mut new.max_memory_bytes),
            ("maxSessionCalls", patch.max_session_calls, &mut new.max_session_calls),
            ("memoBytes", patch.memo_bytes, &mut new.memo_bytes),
            ("maxArtifacts", patch.max_artifacts, &mut new.max_artifacts),
            ("maxArtifactBytes", patch.max_artifact_bytes, &mut new.max_artifact_bytes),
            ("maxArtifactAgeSeconds", patch.max_artifact_age_seconds, &mut new.max_artifact_age_seconds),
        ];
        for (key, given, value) in sizes {
            size(value, ("server", key), given, 0, WHOLE)?;
        }
        Ok(new)
    }
}
