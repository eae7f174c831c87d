//! Budgets: one result, a batch, pressure, and what becomes of all that when it comes again.
//!
//! Everything runs over the inputs of the fixtures and over small texts that are written here.

#![allow(clippy::unwrap_used, clippy::expect_used)]


mod common;

mod single;

