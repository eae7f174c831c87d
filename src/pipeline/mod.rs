//! The pure core: one tool result in, one outcome out.

pub mod sanitize;
