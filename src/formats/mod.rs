//! Readers of data formats by their grammars, for all modules that show or rewrite such data.

pub mod envelope;
pub mod json;
pub mod typed;
pub mod xml;
