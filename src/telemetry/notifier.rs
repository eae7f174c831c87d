//! Sends notifications to the host.

use std::fmt;
use std::sync::OnceLock;

use crate::protocol::notification::{self, LogMessage};

/// Sends a notification to the host: its method and its parameters in JSON.
pub(super) type Send = Box<dyn Fn(&'static str, &str) + std::marker::Send + Sync>;

/// The connection to the host, if there is one.
#[derive(Default)]
pub(super) struct Notifier(pub(super) OnceLock<Send>);

impl fmt::Debug for Notifier {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Notifier({})", self.0.get().is_some())
    }
}

impl Notifier {
    pub(super) fn notify(&self, method: &'static str, params: &str) {
        if let Some(send) = self.0.get() {
            send(method, params);
        }
    }

    /// Sends `window/logMessage`.
    pub(super) fn log(&self, kind: u8, message: &str) {
        let Ok((message, _)) = crate::sanitize::redact_only(message) else { return };
        let message = LogMessage { kind, message: format!("tersed: {message}") };
        if let Ok(params) = serde_json::to_string(&message) {
            self.notify(notification::LOG_MESSAGE, &params);
        }
    }
}
