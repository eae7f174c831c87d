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
//! | [`host`] | interfaces to agent hosts that speak another protocol: MCP, hooks |
//! | [`install`] | setup of agent hosts: edits of their settings, and back |
//! | [`doctor`] | what is right and what is wrong with an installation |
//! | [`engine`] | what the methods do, synchronously, for every interface |
//! | [`session`] | what one session remembers |
//! | [`reclaim`] | which earlier results may leave the context, and when that pays |
//! | [`artifact`] | the store of originals |
//! | [`pipeline`] | the pure core: one result in, one outcome out |
//! | [`text`] | lines, spans, the ledger, markers, reasons, relevant words |
//! | [`sanitize`] | the safe stage: secrets, terminal sequences, invisible characters |
//! | [`detect`] | what a call and its command say about a text |
//! | [`formats`] | readers of data formats by their grammars |
//! | [`input`] | the input of a step: the text, its call, what was detected, the policy |
//! | [`reduce`] | reducers by family, formats as tables of line forms, stack traces, progress |
//! | [`rules`] | rules of the operator, compiled |
//! | [`detail`] | how much of a file view is shown |
//! | [`elide`] | how much of structured data is shown |
//! | [`outline`] | where the declarations of a source file are |
//! | [`encode`] | lossless encoders and their table |
//! | [`tokens`] | token counters |
//! | [`stop`] | cancelling work |
//! | [`memory`] | memory sizes of values; returning freed memory to the system |
//! | [`config`] | the settings: their definition, defaults, ranges |
//! | [`layers`] | where settings come from: flags, environment, files, profile |
//! | [`files`] | opens files that others may have manipulated |
//! | [`telemetry`] | events of what was done, alerts |
//!
//! # Features
//!
//! Without default features the crate is the engine and [`in_process`]. `server` adds the wire, `cli` the program,
//! `hosts` the interfaces to agent hosts with their installation, `gateway` the text between them and the APIs of
//! models, `audit` what reads histories; `default` is all of these. Parts of them are `config-files` (configuration and rules in YAML, and the folders of the user), `recovery` (copies of originals
//! on disk), `office` (the kinds of old documents of Office) and `schema` (JSON Schemas made from the types). Without
//! these a path of YAML is an error that names the feature, and settings and rules are given as values, JSON or TOML.
//! For `wasm32-unknown-unknown` the engine is built too, without files: originals stay in memory, and the host gives the time and
//! random bytes.
//!
//! # Invariants
//!
//! - Modules form levels, and each uses only lower ones: `stop`, `memory`, `files`, `tokens`, `text`, `sanitize`,
//!   `formats`, `detect`, `outline`, `config`, `input`, `encode`, `reduce`, `elide`, `detail`, `rules`, `pipeline`, `reclaim`, `layers`,
//!   `artifact`, `protocol`, `telemetry`, `session`, `engine`; the interfaces are above them. `tests/integration/tidy.rs` checks
//!   this, and `circles.rs` that files do not import each other in a circle, except a folder and the files in it.
//! - The core (`tokens` to `reclaim`) uses no file, clock, environment or thread; `tidy.rs` checks this too.
//! - A reducer returns spans over source lines. Markers, evidence and the guard's view are made from
//!   the spans, each in one place, so that they cannot disagree.
//! - What an outcome took from a session is remembered as its `Decision`, so that the same bytes can be
//!   made again when the text itself was forgotten.

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

/// What [`in_process`] gives a Rust host: the handler, and the values of its calls.
pub use jsonrpc_core;
