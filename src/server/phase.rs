//! The state of the lifecycle, for the exit code. The router decides what is allowed; this only records it.

use std::sync::atomic::{AtomicU8, Ordering};

const NEW: u8 = 0;
const RUNNING: u8 = 1;
const SHUT_DOWN: u8 = 2;

/// Before `initialize`, running, or after `shutdown`.
#[derive(Debug, Default)]
pub(super) struct Phase(AtomicU8);

impl Phase {
    /// `initialize` succeeded.
    pub(super) fn set_running(&self) {
        self.0.store(RUNNING, Ordering::SeqCst);
    }

    /// `shutdown` came. Returns whether it was allowed.
    pub(super) fn begin_shutdown(&self) -> bool {
        self.0.compare_exchange(RUNNING, SHUT_DOWN, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// Whether the client sent a valid `shutdown`.
    pub(super) fn is_shut_down(&self) -> bool {
        self.0.load(Ordering::SeqCst) == SHUT_DOWN
    }

    /// Whether no client has initialized the server yet.
    pub(super) fn is_new(&self) -> bool {
        self.0.load(Ordering::SeqCst) == NEW
    }
}
