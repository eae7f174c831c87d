//! What is fuzzed: a table of targets, each a function of bytes that panics when a promise is broken.
//!
//! `tests/fuzz.rs` runs them on seeds and changes of them, `main.rs` hands them to libFuzzer. Nothing here knows which.

pub mod input;
pub mod mutate;
mod targets;

pub use targets::{TARGETS, Target};
