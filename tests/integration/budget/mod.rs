//! Budgets: one result, a batch, pressure, pointers, and all of these when the same request is sent again.
//!
//! Everything runs over the inputs of the fixtures and over small texts that are written here.

mod batch;
mod common;
mod externalize;
mod single;
mod stable;
