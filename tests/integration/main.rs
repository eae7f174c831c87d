//! The tests that share a process: none of them changes the environment, counts the bytes of the process, or has a `main`
//! of its own. `cargo test --test integration NAME` runs one file of them, for example `promises`.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod again;
mod aliases;
mod audit;
mod audit_reach;
mod bill;
mod bindings;
mod budget;
mod circles;
mod claude_code;
mod command_line;
#[path = "../common/mod.rs"]
mod common;
mod config;
mod contexts;
mod contexts_of_hosts;
mod counting;
mod cuts;
mod detail;
mod doctor;
mod elide;
mod explain;
mod faults;
mod figures;
#[cfg(unix)]
mod gateway;
mod generated;
mod hiding_places;
mod hook;
mod host_events;
mod host_tables;
mod install;
mod leftovers;
mod mcp;
mod messages;
mod outline;
mod outlines;
mod packages;
mod pages;
mod pictures;
mod promises;
#[cfg(unix)]
mod readme;
mod reclaim;
mod recovery;
mod references;
mod room;
mod rules;
mod run;
mod scale;
mod seals;
mod sessions;
mod streams;
mod surfaces;
mod telemetry;
mod tidy;
mod transcripts;
mod trust;
mod tune;
