//! Budgets: one result, a batch, pressure, pointers, and what becomes of all that when it comes again.
//!
//! Everything runs over the inputs of the fixtures and over small texts that are written here.

mod batch;
mod common;
mod externalize;
mod single;
mod stable;
