//! The safe stage: everything after it sees only redacted, readable text.

pub mod binary;
pub mod encoding;
pub mod invisible;
pub mod secrets;
pub mod terminal;
