//! The cost of hostile texts, which consist only of strings that rules, markers, reducers and readers look for.
//!
//! `bash tests/steps.sh` counts instructions and fails if a text costs more than allowed; it needs valgrind.
//! `cargo test --test linear -- --ignored growth` covers every mode and reducer, and measures how the time grows.
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
