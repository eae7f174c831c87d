//! The resident process of `tersed hook` and `tersed run`: one engine for each user and workspace, behind a socket
//! that only the user can reach, so that the processes that hosts start for one event each share sessions, memo and
//! originals and start nothing heavy themselves.
//!
//! `place` says where, `breaker` when nobody is asked, `wire` what is said, `connect` finds a place in its queue, `client` asks and starts, `serve` answers and ends, `owner` tells which
//! process it ends with. Whoever asks goes on without an answer when anything fails.

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
