//! The layer around the pure core: sessions, artifacts and totals behind one synchronous interface.
//!
//! The server, the in-process interface and the command line all call these functions. Nothing here is async, and
//! nothing knows how messages are framed. Functions that answer a method of the protocol take its parameters and fail
//! with its errors (`protocol/spec.md`, section 4.8).

mod artifacts;
mod batch;
mod compress;
mod configuration;
mod explain;
mod job;
mod memory;
mod messages;
mod methods;
mod plan;
pub mod protocol_schema;
mod reclaim;
mod recovery;
mod report;
mod room;
pub mod rule_check;
mod rules;
mod schema;
#[cfg_attr(target_family = "wasm", path = "random_key.rs")]
pub mod seal_key;
mod sessions;
mod stream;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use crate::artifact::{Limits, Store, temporary_root};
use crate::config::rules::RuleSet;
use crate::config::{
    Accounting, Alerts, Config, MAX_OUTPUT_BYTES, Mode, Policy, PolicyPatch, Recovery, Telemetry,
};
use crate::layers::{Layers, Sources};
use crate::protocol::initialize::{Capabilities, CapabilityLimits, Options};
use crate::protocol::params::invalid;
use crate::protocol::{RpcError, VERSION, params};
use crate::rules::Rules;
use crate::session::Bounds;
use crate::stop::Stop;
use crate::telemetry::{Clock, Counter, Counting, Recorder, SystemClock};
use crate::text::marker::SealKey;
use crate::tokens::Tokenizer;
use configuration::Configuration;
use memory::Memory;
pub(crate) use methods::guarded;
pub use methods::{METHODS, Method, Types};
pub use sessions::AGENT;
use sessions::Sessions;
use stream::Streams;
pub use stream::{StreamBounds, StreamLimits};

/// A flag that the caller sets when it no longer needs the answer.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Stop);

impl Cancel {
    /// Asks the work to stop. Work that is not committed yet has no effect.
    pub fn cancel(&self) {
        self.0.ask();
    }

    /// Whether the caller gave up.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_asked()
    }

    /// Runs `work`, which stops early if the caller cancels.
    pub fn over<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.apply_to(work)
    }

    /// Returns an error if the caller cancelled.
    pub fn check(&self) -> Result<(), RpcError> {
        match self.is_cancelled() {
            true => Err(RpcError::cancelled()),
            false => Ok(()),
        }
    }
}

/// Settings and limits of an engine.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The policy if neither session nor request gives another. Without a seal key in it, markers are sealed with a
    /// random key that lasts as long as the process.
    pub policy: Policy,
    /// Most sessions at once; above it, the least recently used one ends. Default 1024.
    pub max_sessions: usize,
    /// Bytes that sessions and originals may take in memory together. Default 256 MiB.
    pub max_memory_bytes: usize,
    /// Limits of one session.
    pub session: Bounds,
    /// Limits of the store of originals.
    pub artifacts: Limits,
    /// Limits of streams, whose results arrive while a command runs.
    pub streams: StreamBounds,
    /// Which originals are kept on disk.
    pub recovery: Recovery,
    /// Keyed fingerprint of the workspace that originals on disk belong to, if it is known.
    pub workspace: Option<u64>,
    /// Settings for events about results.
    pub telemetry: Telemetry,
    /// Where results are counted; `None`, the default, counts nothing.
    pub counting: Option<Counting>,
    /// Settings for alerts on failures.
    pub alerts: Alerts,
    /// Prices for which savings are computed.
    pub accounting: Accounting,
    /// Whether `tersed artifacts` can read from this process. If so, shortened texts name it.
    pub originals_by_command: bool,
    /// The sources of these settings and what was read from them, if they can be read again.
    pub layers: Option<(Sources, Layers)>,
}

impl Settings {
    /// Picks the settings of an engine from all settings.
    pub fn of(config: &Config) -> Self {
        let server = &config.server;
        let mut settings = Self {
            policy: config.policy.clone(),
            max_sessions: server.max_sessions,
            max_memory_bytes: server.max_memory_bytes,
            recovery: config.recovery.clone(),
            telemetry: config.telemetry.clone(),
            alerts: config.alerts,
            accounting: config.accounting.clone(),
            ..Self::default()
        };
        settings.session.max_calls = server.max_session_calls;
        settings.session.memo_bytes = server.memo_bytes;
        settings.artifacts.max_count = server.max_artifacts;
        settings.artifacts.max_bytes = server.max_artifact_bytes as u64;
        settings.artifacts.max_age = Duration::from_secs(server.max_artifact_age_seconds as u64);
        settings
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            max_sessions: 1024,
            max_memory_bytes: 256 << 20,
            session: Bounds::default(),
            artifacts: Limits::default(),
            streams: StreamBounds::default(),
            recovery: Recovery::default(),
            workspace: None,
            telemetry: Telemetry::default(),
            counting: None,
            alerts: Alerts::default(),
            accounting: Accounting::default(),
            originals_by_command: false,
            layers: None,
        }
    }
}

/// The engine of one process.
#[derive(Debug)]
pub struct Engine {
    settings: Settings,
    configuration: Configuration,
    memory: Memory,
    sessions: Mutex<Sessions>,
    artifacts: Mutex<Store>,
    copies: recovery::Copies,
    streams: Mutex<Streams>,
    recorder: Recorder,
    counter: Counter,
    started: SystemClock,
}

impl Default for Engine {
    fn default() -> Self {
        Self::new(Settings::default())
    }
}

impl Engine {
    /// An engine without sessions.
    pub fn new(settings: Settings) -> Self {
        Self::with_clock(settings, Arc::new(SystemClock::default()))
    }

    /// An engine without sessions, with the caller's clock.
    pub fn with_clock(mut settings: Settings, clock: Arc<dyn Clock>) -> Self {
        settings.policy.hint = match settings.originals_by_command {
            true => recovery::process_hint(),
            false => recovery::recovery_hint(&settings.recovery),
        };
        if settings.policy.seal_key.is_unset() {
            settings.policy.seal_key = seal_key::process_key();
        }
        let limit = settings.accounting.host_limit;
        let memory = Memory::new(settings.max_memory_bytes);
        (settings.session.max_bytes, settings.artifacts.memory_bytes) =
            memory::parts(settings.max_memory_bytes);
        Self {
            configuration: Configuration::new(&settings),
            sessions: Mutex::new(Sessions::new(settings.max_sessions, settings.session, limit)),
            artifacts: Mutex::new(Store::new(settings.artifacts.clone()).with_share(memory.share())),
            memory,
            copies: recovery::Copies::new(&settings.recovery, settings.workspace, Arc::clone(&clock)),
            counter: Counter::new(settings.counting.clone(), Arc::clone(&clock)),
            streams: Mutex::new(Streams::new(settings.streams)),
            recorder: Recorder::new(settings.telemetry.clone(), settings.alerts, clock),
            started: SystemClock::default(),
            settings,
        }
    }

    /// Takes `initializationOptions.tersed` and returns `capabilities.experimental.tersed`.
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
        self.initialized(&options)?;
        self.recorder.set_on_wire(options.telemetry_events);
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
            configuration: (*self.configuration.answer()).clone(),
        };
        serde_json::to_value(capabilities).map_err(|e| RpcError::failed("internal", e.to_string()))
    }

    /// Whether a model is told of originals of other workspaces.
    pub fn lists_other_workspaces(&self) -> bool {
        self.settings.recovery.other_workspaces
    }

    /// Most bytes that the settings allow for a result.
    pub fn output_cap(&self) -> usize {
        self.configuration.policy().max_output_bytes
    }

    /// Whether `headTailBytes` is set.
    pub fn has_head_tail(&self) -> bool {
        self.configuration.policy().head_tail_bytes.is_some()
    }

    /// The host sends no more requests. Originals stay, because earlier requests may still need them for their
    /// answers.
    pub fn shutdown(&self) {
        self.recorder.flush();
    }

    /// Sets where events and alerts for the host go. `send` gets a method and its parameters in JSON.
    pub fn notify_through(&self, send: impl Fn(&'static str, &str) + Send + Sync + 'static) {
        self.recorder.notify_through(send);
    }

    /// Checks that the file of events, if one is set, can be written. The error says why it cannot.
    pub fn check_telemetry(&self) -> std::io::Result<()> {
        self.recorder.check_file()
    }

    /// Sends events to this exporter too. Call it before the first result.
    #[cfg(feature = "otel")]
    pub fn export_to(&self, exporter: crate::telemetry::otel::Exporter) {
        self.recorder.export_to(exporter);
    }

    /// Counts results whose counts were held back.
    pub fn count_held(&self, held: crate::telemetry::counts::Held) {
        self.counter.add_held(held);
    }

    /// Writes the counts that wait.
    pub fn flush_counts(&self) {
        self.counter.flush();
    }

    /// Call at the end of the process: writes telemetry and deletes originals, also those on disk, even if others
    /// still hold the engine.
    pub fn close(&self) {
        self.recorder.close();
        self.counter.close();
        *self.streams() = Streams::new(self.settings.streams);
        *self.artifacts() = Store::with_root(self.settings.artifacts.clone(), temporary_root());
        self.copies.close();
    }

    /// The current policy for requests that give none.
    pub fn policy_in_force(&self) -> Policy {
        (*self.policy()).clone()
    }

    /// The key that outputs are sealed with.
    pub fn seal_key(&self) -> SealKey {
        self.policy().seal_key
    }

    /// The policy for requests that give none.
    fn policy(&self) -> Arc<Policy> {
        self.configuration.policy()
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn artifacts(&self) -> MutexGuard<'_, Store> {
        let mut store = self.artifacts.lock().unwrap_or_else(PoisonError::into_inner);
        store.advance(self.started.now());
        store
    }
}

/// The policy with a patch on top.
fn resolve(policy: &Policy, patch: Option<&PolicyPatch>) -> Result<Policy, RpcError> {
    match patch {
        Some(patch) => {
            check_rules(patch)?;
            policy.with(patch).map_err(|bad| RpcError::invalid_params(bad.to_string()))
        }
        None => Ok(policy.clone()),
    }
}

/// Checks that the rules of a patch can be compiled.
fn check_rules(patch: &PolicyPatch) -> Result<(), RpcError> {
    patch.rules.as_ref().map_or(Ok(()), |rules| compiled(rules, "policy.rules").map(drop))
}

/// Compiles rules that came in the parameter `at`.
fn compiled(rules: &RuleSet, at: &str) -> Result<Rules, RpcError> {
    Rules::compile(rules).map_err(|error| invalid(at, &error.to_string()))
}
