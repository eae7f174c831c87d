//! The resident process of `tersed hook` and `tersed run`: one engine for each user and workspace, behind a socket that only
//! the user can reach. Hosts start a process for each event. These processes share sessions, memo and originals through it,
//! and start fast.
//!
//! `place` is where it is found, `wire` the protocol, `client` asks and starts it, `connect` limits the wait for a
//! connection, and `breaker` stops requests after timeouts. `serve` answers and decides when to end, `owner` finds the
//! process that it ends with. After any failure the client continues without an answer.

pub mod answer;
pub mod breaker;
pub mod client;
#[cfg(unix)]
pub mod connect;
pub mod elsewhere;
#[cfg(target_os = "linux")]
mod owner;
pub mod place;
#[cfg(unix)]
pub mod serve;
pub mod wire;
