//! What is told of the work: events for a file, for the host that asked for them, and for OpenTelemetry, and
//! alerts. Never content, and off unless somebody asked, but for alerts.
//!
//! ```text
//! engine ─ recorder ─┬─ alerts ───────────────── window/logMessage
//!                    └─ queue ─ writer thread ─┬─ file, one event a line
//!                                              ├─ telemetry/event
//!                                              └─ OpenTelemetry (feature `otel`)
//! ```
//!
//! The caller never waits: what does not fit into the queue is dropped, counted, and told in the next event.
//! Names and ids that the host chose go through the redaction of secrets on the writer's thread.

pub mod alerts;
mod bound;
mod clock;
pub mod event;
mod file;
mod fingerprint;
mod notifier;
#[cfg(feature = "otel")]
pub mod otel;
mod place;
mod queue;
mod recorder;
mod writer;

pub use clock::{Clock, Stopwatch, SystemClock};
pub use file::{LogFile, check_there};
pub use fingerprint::fingerprint;
pub use place::default_path;
pub use recorder::Recorder;
