//! The table of fuzz targets. Each is a function of bytes that panics if a promise is broken.
//!
//! `tests/fuzz.rs` runs them on seeds and changes of them, `main.rs` passes them to libFuzzer.

pub mod input;
pub mod mutate;
mod targets;

pub use targets::{TARGETS, Target};
