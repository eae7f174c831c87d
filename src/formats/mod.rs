//! Readers of data formats by their grammars, for all who show or write such data again.

pub mod envelope;
pub mod json;
pub mod typed;
pub mod xml;
