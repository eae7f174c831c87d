//! What hostile texts cost: texts made of nothing but what rules, markers, reducers and readers look for.
//!
//! `bash tests/steps.sh` counts instructions and fails when one costs more than it may; it needs valgrind.
//! `cargo test --test linear -- --ignored growth` takes every mode and reducer in, and measures how the time grows.
//! `cargo test --release --test linear -- --ignored --nocapture search` tries many more and prints a table.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[cfg(target_os = "linux")]
#[path = "../common/fixture.rs"]
mod fixture;
#[cfg(target_os = "linux")]
mod growth;
#[cfg(target_os = "linux")]
mod requests;
#[cfg(target_os = "linux")]
mod search;
#[cfg(target_os = "linux")]
mod shapes;
#[cfg(target_os = "linux")]
mod steps;
#[cfg(target_os = "linux")]
mod texts;
