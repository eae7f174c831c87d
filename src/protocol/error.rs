//! Error replies: the codes of JSON-RPC and LSP, and whether a host can try again.

use serde::{Deserialize, Serialize};

use crate::sanitize::redact_only;

/// Invalid JSON (JSON-RPC 2.0).
pub const PARSE_ERROR: i64 = -32700;
/// Not a request (JSON-RPC 2.0).
pub const INVALID_REQUEST: i64 = -32600;
/// No such method (JSON-RPC 2.0).
pub const METHOD_NOT_FOUND: i64 = -32601;
/// Parameters of the wrong shape or value (JSON-RPC 2.0).
pub const INVALID_PARAMS: i64 = -32602;
/// An internal error of the server (JSON-RPC 2.0).
pub const INTERNAL_ERROR: i64 = -32603;
/// A request before `initialize` (LSP 3.17).
pub const SERVER_NOT_INITIALIZED: i64 = -32002;
/// The client cancelled the request (LSP 3.17).
pub const REQUEST_CANCELLED: i64 = -32800;
/// The server dropped the request, for example under load (LSP 3.17).
pub const SERVER_CANCELLED: i64 = -32802;
/// A valid request that failed (LSP 3.17).
pub const REQUEST_FAILED: i64 = -32803;

/// All codes and what they mean, for the documentation.
pub const ALL: &[(i64, &str)] = &[
    (PARSE_ERROR, "The message is not JSON."),
    (INVALID_REQUEST, "The message is not a request, or is a request that is not allowed now."),
    (METHOD_NOT_FOUND, "There is no such method."),
    (INVALID_PARAMS, "A parameter is missing or has a value that is not allowed; the message names it."),
    (INTERNAL_ERROR, "An internal error of the server; the next request works."),
    (SERVER_NOT_INITIALIZED, "A request came before `initialize`."),
    (REQUEST_CANCELLED, "The client cancelled the request."),
    (SERVER_CANCELLED, "The server refused the request under load; it may be sent again."),
    (REQUEST_FAILED, "The request was valid but failed; `data.kind` gives the reason."),
];

/// One error reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcError {
    /// JSON-RPC error code.
    pub code: i64,
    /// One sentence that names the parameter, its value and what is allowed.
    pub message: String,
    /// Data for the host's error handling.
    pub data: Option<ErrorData>,
}

/// The `data` member of an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ErrorData {
    /// Stable name of the fault, for example `artifact_not_found`.
    pub kind: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
}

impl RpcError {
    /// An error with a code, a stable kind and a message.
    pub fn new(code: i64, kind: &str, message: impl Into<String>) -> Self {
        let data = ErrorData { kind: kind.to_owned(), retryable: false };
        Self { code, message: safe(message.into()), data: Some(data) }
    }

    /// `-32602`: the parameters do not fit.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, "invalid_params", message)
    }

    /// `-32803`: the request was valid but failed.
    pub fn failed(kind: &str, message: impl Into<String>) -> Self {
        Self::new(REQUEST_FAILED, kind, message)
    }

    /// `-32800`: the client cancelled the request.
    pub fn cancelled() -> Self {
        Self::new(REQUEST_CANCELLED, "cancelled", "the request was cancelled")
    }

    /// Marks the error as one after which the same request may succeed later.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        if let Some(data) = &mut self.data {
            data.retryable = true;
        }
        self
    }
}

/// A message without secrets: it may quote the request.
fn safe(message: String) -> String {
    match redact_only(&message) {
        Ok((safe, _)) => safe,
        Err(_) => "a fault that cannot be told without what it quotes".to_owned(),
    }
}

impl std::fmt::Display for RpcError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for RpcError {}
