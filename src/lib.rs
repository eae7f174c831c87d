//! tersed makes tool results cheaper for coding agents without losing what they need.
//!
//! # Flow
//!
//! ```text
//! wire ─ server ─ protocol ─ engine ─┬─ session (memo, what is visible)        shell: I/O, clock, locks
//!                                    ├─ artifact (originals)
//!                                    └─ pipeline: sanitize ─ detect ─ reduce ─ references ─ encode ─ cap, guarded
//!                                                                               pure: text in, outcome out
//! ```
//!
//! # Map
//!
//! `CONTRIBUTING.md` has a table of the modules, in the order of their levels, and a glossary. Each module's own page
//! says what it holds. Modules form levels, and each uses only lower ones; the interfaces ([`server`],
//! [`in_process`], [`host`], [`gateway`], [`install`], [`doctor`], [`cli`]) are above all others.
//! `tests/integration/tidy.rs` checks this, and `circles.rs` that files have no circular uses, except between a
//! folder's `mod.rs` and the files in the folder.
//!
//! # Features
//!
//! Without default features the crate is the engine and [`in_process`]. `server` adds the server, `cli` the program,
//! `hosts` the interfaces to agent hosts and their installation, `gateway` the proxy between agent hosts and the APIs
//! of models, `audit` the readers of histories; `default` is all of these. They share smaller features:
//! `config-files` (configuration and rules in YAML, and the user's folders), `recovery` (copies of originals on
//! disk), `office` (old document formats) and `schema` (JSON Schemas from the types).
//!
//! Without `config-files` a path of a YAML file is an error that names the feature; settings and rules are then given
//! as values, JSON or TOML. The engine also builds for `wasm32-unknown-unknown`, without files: originals are kept in
//! memory, and the host provides the time and random bytes.
//!
//! # Invariants
//!
//! - The core (`tokens` to `reclaim` in the table of `CONTRIBUTING.md`) uses no file, clock, environment or thread;
//!   `tests/integration/tidy.rs` checks this.
//! - A reducer returns spans over source lines. Markers, evidence and the guard's view are made from the spans, each in
//!   one place, so that they cannot disagree.
//! - The session data that an outcome used is remembered as its `Decision`, so that the same bytes can be made again
//!   after the text itself was forgotten.

pub mod artifact;
#[cfg(feature = "cli")]
pub mod cli;
pub mod config;
pub mod detail;
pub mod detect;
#[cfg(feature = "hosts")]
pub mod doctor;
pub mod elide;
pub mod encode;
pub mod engine;
pub mod files;
pub mod formats;
#[cfg(feature = "gateway")]
pub mod gateway;
#[cfg(feature = "hosts")]
pub mod host;
pub mod in_process;
pub mod input;
#[cfg(feature = "hosts")]
pub mod install;
pub mod layers;
pub mod memory;
pub mod outline;
pub mod pipeline;
pub mod protocol;
pub mod reclaim;
pub mod reduce;
pub mod rules;
pub mod sanitize;
#[cfg(feature = "server")]
pub mod server;
pub mod session;
pub mod stop;
pub mod telemetry;
pub mod text;
pub mod tokens;
#[cfg(target_family = "wasm")]
mod wasm;

/// The types that [`in_process`] gives a Rust host: the handler and the values of its calls.
pub use jsonrpc_core;
