//! tersed makes tool results cheaper for coding agents without losing what they need.
//!
//! # Flow
//!
//! ```text
//! wire ─ server ─ protocol ─ engine ─┬─ session (memo, what is visible)        shell: I/O, clock, locks
//!                                    ├─ artifact (originals)
//!                                    └─ pipeline: sanitize ─ detect ─ reduce ─ dedup ─ encode ─ cap, each step under the guard
//!                                                                               pure: text in, outcome out
//! ```
//!
//! # Map
//!
//! | module | holds |
//! | --- | --- |
//! | [`cli`] | one file per subcommand of the binary |
//! | [`in_process`] | the same methods without a process, for Rust hosts and tests |
//! | [`server`] | framing, order, lifecycle: the only async part |
//! | [`protocol`] | types of the wire and the one table of methods |
//! | [`gateway`] | between agent hosts and the APIs of models, on this machine |
//! | [`host`] | ways into agent hosts that speak another protocol: MCP, hooks |
//! | [`install`] | wiring of agent hosts: edits of their settings, and back |
//! | [`doctor`] | what is right and what is wrong with an installation |
//! | [`engine`] | what the methods do, synchronously, for every way in |
//! | [`session`] | what one session remembers |
//! | [`reclaim`] | which earlier results may leave the context, and when that pays |
//! | [`artifact`] | the store of originals |
//! | [`pipeline`] | the pure core: one result in, one outcome out |
//! | [`text`] | the ground floor: lines, spans, the ledger, markers, reasons, words that tell |
//! | [`sanitize`] | the safe stage: secrets, terminal sequences, what cannot be seen |
//! | [`detect`] | what a call and its command say about a text |
//! | [`formats`] | readers of data formats by their grammars |
//! | [`input`] | what a step may look at |
//! | [`reduce`] | reducers by family, formats as tables of line forms, stack traces, progress |
//! | [`rules`] | rules of the operator |
//! | [`detail`] | how much of a file view is shown |
//! | [`elide`] | how much of structured data is shown |
//! | [`outline`] | where the declarations of a source file are |
//! | [`encode`] | lossless encoders and their table |
//! | [`tokens`] | token counters |
//! | [`stop`] | an end for work that nobody wants any more |
//! | [`memory`] | what things take in memory; freed memory, back to the system |
//! | [`config`] | the settings: their definition, defaults, ranges |
//! | [`layers`] | where settings come from: flags, environment, files, profile |
//! | [`files`] | files that others may have had a hand in, opened safely |
//! | [`telemetry`] | events of what was done, alerts |
//!
//! # Features
//!
//! Without default features the crate is the engine and [`in_process`]. `server` adds the wire, `cli` the program,
//! `hosts` the ways into agent hosts with their installation, `gateway` what stands between them and the APIs of
//! models, `audit` what reads histories; `default` is all of these. Parts of them are `config-files` (configuration and rules in YAML, and the folders of the user), `recovery` (copies of originals
//! on disk), `office` (the kinds of old documents of Office) and `schema` (JSON Schemas made from the types). Without
//! these a path of YAML is an error that names the feature, and settings and rules are given as values, JSON or TOML.
//! For `wasm32-unknown-unknown` what stands below [`layers`] is built, and [`protocol`].
//!
//! # Invariants
//!
//! - Modules stand on floors, and each uses only those below it: `stop`, `memory`, `files`, `tokens`, `text`, `sanitize`,
//!   `formats`, `detect`, `outline`, `rules`, `config`, `input`, `encode`, `reduce`, `elide`, `detail`, `pipeline`, `reclaim`, `layers`,
//!   `artifact`, `protocol`, `telemetry`, `session`, `engine`; the ways in stand on top. `tests/integration/tidy.rs` holds this,
//!   and `circles.rs` beside it that no file uses itself by way of others, its folder and what is in it aside.
//! - The core (`text` to `pipeline`, but for `config`) uses no file, clock, environment or thread.
//! - A reducer returns spans over source lines. Markers, evidence and the guard's view are made from
//!   the spans, each in one place, so that they cannot disagree.
//! - What an outcome took from a session is remembered as its `Decision`, so that the same bytes can be
//!   made again when the text itself was forgotten.

#[cfg(not(target_family = "wasm"))]
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
#[cfg(not(target_family = "wasm"))]
pub mod engine;
pub mod files;
pub mod formats;
#[cfg(feature = "gateway")]
pub mod gateway;
#[cfg(feature = "hosts")]
pub mod host;
#[cfg(not(target_family = "wasm"))]
pub mod in_process;
pub mod input;
#[cfg(feature = "hosts")]
pub mod install;
#[cfg(not(target_family = "wasm"))]
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
#[cfg(not(target_family = "wasm"))]
pub mod session;
pub mod stop;
#[cfg(not(target_family = "wasm"))]
pub mod telemetry;
pub mod text;
pub mod tokens;

/// What [`in_process`] gives a Rust host: the handler, and the values of its calls.
#[cfg(not(target_family = "wasm"))]
pub use jsonrpc_core;
