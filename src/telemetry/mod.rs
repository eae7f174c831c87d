//! Reports on the work: events for a file, for the host and for OpenTelemetry, alerts, and counts by day. Never content. Events
//! are off by default; alerts are on, and so are counts in the program, though not in the library.
//!
//! ```text
//! engine ─ counter ── writer thread ── counts by day, numbers only
//! engine ─ recorder ─┬─ alerts ───────────────── window/logMessage
//!                    └─ queue ─ writer thread ─┬─ file, one event a line
//!                                              ├─ telemetry/event
//!                                              └─ OpenTelemetry (feature `otel`)
//! ```
//!
//! The caller never waits. Events that do not fit into the queue are dropped, and the next event has their number.
//! Names and ids from the host are redacted on the writer's thread.

pub mod alerts;
mod bound;
mod clock;
mod counter;
pub mod counts;
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
pub use counter::{Counter, Counting};
pub use file::{LogFile, check_there};
pub use fingerprint::fingerprint;
pub use place::default_path;
pub use recorder::Recorder;
