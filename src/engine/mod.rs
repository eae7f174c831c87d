//! The shell around the pure core: sessions, artifacts and totals behind one synchronous door.
//!
//! Every way in (the server, the in-process door, the command line) calls the same functions here.
//! Nothing in it is async and nothing in it knows the wire's framing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::protocol::RpcError;

/// Set by the caller when it no longer wants the answer.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to stop; what it has not committed yet never happened.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether the caller gave up.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// The engine of one process.
#[derive(Debug, Default)]
pub struct Engine {}

impl Engine {
    /// Takes the member `tersed` of `initializationOptions` and gives what `capabilities.experimental.tersed` announces.
    pub fn initialize(&self, _options: Option<&Value>) -> Result<Value, RpcError> {
        Ok(Value::Object(serde_json::Map::new()))
    }

    /// No more calls will come.
    pub fn shutdown(&self) {}
}
