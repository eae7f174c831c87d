//! tersed makes tool results cheaper for coding agents without losing what they need.

pub mod artifact;
pub mod cli;
pub mod config;
pub mod encode;
pub mod engine;
pub mod pipeline;
pub mod protocol;
pub mod reduce;
pub mod server;
pub mod session;
pub mod tokens;
