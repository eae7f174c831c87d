//! The shell around the pure core: sessions, artifacts and totals behind one synchronous door.
//!
//! Every way in (the server, the in-process door, the command line) calls the same functions here.
//! Nothing in it is async and nothing in it knows the wire's framing.

mod artifacts;
mod batch;
mod compress;
mod explain;
mod job;
mod messages;
mod rules;
mod schema;
mod sessions;
mod stream;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Instant;

use serde_json::Value;

use crate::artifact::{Limits, Store};
use crate::config::{Accounting, Alerts, MAX_OUTPUT_BYTES, Mode, Policy, PolicyPatch, Recovery, Telemetry};
use crate::protocol::initialize::{Capabilities, CapabilityLimits, Options};
use crate::protocol::{METHODS, RpcError, VERSION, params};
use crate::session::Bounds;
use crate::tokens::Tokenizer;
use sessions::Sessions;
use stream::Streams;
pub use stream::{StreamBounds, StreamLimits};

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

    /// An error when the caller gave up.
    fn check(&self) -> Result<(), RpcError> {
        match self.is_cancelled() {
            true => Err(RpcError::new(
                crate::protocol::error::REQUEST_CANCELLED,
                "cancelled",
                "the request was cancelled",
            )),
            false => Ok(()),
        }
    }
}

/// Bounds of an engine.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What is done where neither session nor request says otherwise.
    pub policy: Policy,
    /// Sessions at once; the one that was used least lately ends first. Default 1024.
    pub max_sessions: usize,
    /// What a session may remember.
    pub session: Bounds,
    /// What the store of originals may hold.
    pub artifacts: Limits,
    /// Results that come as they are written.
    pub streams: StreamBounds,
    /// Which originals are kept on disk.
    pub recovery: Recovery,
    /// Events about what was done.
    pub telemetry: Telemetry,
    /// When an operator is told of failures.
    pub alerts: Alerts,
    /// What savings are counted against.
    pub accounting: Accounting,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            max_sessions: 1024,
            session: Bounds::default(),
            artifacts: Limits::default(),
            streams: StreamBounds::default(),
            recovery: Recovery::default(),
            telemetry: Telemetry::default(),
            alerts: Alerts::default(),
            accounting: Accounting::default(),
        }
    }
}

/// The engine of one process.
#[derive(Debug)]
pub struct Engine {
    settings: Settings,
    policy: RwLock<Policy>,
    sessions: Mutex<Sessions>,
    artifacts: Mutex<Store>,
    streams: Mutex<Streams>,
    started: Instant,
}

impl Default for Engine {
    fn default() -> Self {
        Self::new(Settings::default())
    }
}

impl Engine {
    /// An engine without sessions.
    pub fn new(settings: Settings) -> Self {
        Self {
            policy: RwLock::new(settings.policy.clone()),
            sessions: Mutex::new(Sessions::new(settings.max_sessions, settings.session)),
            artifacts: Mutex::new(Store::new(settings.artifacts.clone())),
            streams: Mutex::new(Streams::new(settings.streams)),
            started: Instant::now(),
            settings,
        }
    }

    /// Takes `initializationOptions.tersed` and gives `capabilities.experimental.tersed`.
    pub fn initialize(&self, options: Option<&Value>) -> Result<Value, RpcError> {
        const PLACE: &str = "initializationOptions.tersed";
        let options: Options = match options {
            Some(value) if value.is_object() => params::parse_at(&value.to_string(), PLACE)?,
            Some(value) if !value.is_null() => return Err(params::invalid(PLACE, "expected an object")),
            _ => Options::default(),
        };
        if let Some(versions) = &options.protocol_versions
            && !versions.contains(&VERSION)
        {
            let reason = format!("{versions:?} has no version that is spoken here, which is {VERSION}");
            return Err(params::invalid(&format!("{PLACE}.protocolVersions"), &reason));
        }
        let policy = resolve(&self.settings.policy, options.policy.as_ref())?;
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = policy;
        let capabilities = Capabilities {
            protocol_version: VERSION,
            methods: METHODS.iter().map(|m| m.name.to_owned()).collect(),
            modes: vec![Mode::Disabled, Mode::Safe, Mode::Standard, Mode::Aggressive],
            tokenizers: vec![Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Heuristic],
            limits: CapabilityLimits {
                max_sessions: self.settings.max_sessions,
                max_calls_per_session: self.settings.session.max_calls,
                max_output_bytes: MAX_OUTPUT_BYTES,
                max_artifacts: self.settings.artifacts.max_count,
                max_artifact_bytes: self.settings.artifacts.max_bytes,
                max_streams: self.settings.streams.max_open,
                max_stream_bytes: self.settings.streams.limits.whole,
            },
        };
        serde_json::to_value(capabilities).map_err(|e| RpcError::failed("internal", e.to_string()))
    }

    /// The host is done; the answers to what came earlier may still need the originals.
    pub fn shutdown(&self) {}

    /// The process ends: originals go, also those on disk, whoever still holds the engine.
    pub fn close(&self) {
        *self.streams() = Streams::new(self.settings.streams);
        *self.artifacts() = Store::with_root(self.settings.artifacts.clone(), std::env::temp_dir());
    }

    /// The settings for requests that give none.
    fn policy(&self) -> Policy {
        self.policy.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn artifacts(&self) -> MutexGuard<'_, Store> {
        let mut store = self.artifacts.lock().unwrap_or_else(PoisonError::into_inner);
        store.advance(self.started.elapsed());
        store
    }
}

/// A policy with a patch laid over it.
fn resolve(policy: &Policy, patch: Option<&PolicyPatch>) -> Result<Policy, RpcError> {
    match patch {
        Some(patch) => policy.with(patch).map_err(|bad| RpcError::invalid_params(bad.to_string())),
        None => Ok(policy.clone()),
    }
}
