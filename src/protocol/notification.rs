//! LSP notifications that the server sends.

use serde::Serialize;

/// A message for an operator.
pub const LOG_MESSAGE: &str = "window/logMessage";
/// The event of a result, if the host asked for events.
pub const EVENT: &str = "telemetry/event";

/// `type` of an error.
pub const ERROR: u8 = 1;
/// `type` of a warning.
pub const WARNING: u8 = 2;

/// Parameters of `window/logMessage`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogMessage {
    /// 1 for an error, 2 for a warning.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 2)))]
    pub kind: u8,
    /// The text. Never content of a result.
    pub message: String,
}
