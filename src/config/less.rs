//! Settings that can only make less of what is done, and never less redaction: all that a project's file may say while
//! the user does not trust it.

use super::Mode;

/// Lists to which it may add.
pub const LISTS: [&str; 7] = [
    "policy.excludeTools",
    "policy.excludeToolSubstrings",
    "policy.excludeCategories",
    "policy.excludeMethods",
    "policy.excludeCommands",
    "policy.excludeFlags",
    "policy.verbatimCommands",
];

/// Modes that it may lower, and what they are where nobody says.
pub const MODES: [(&str, Mode); 2] = [("policy.mode", Mode::Standard), ("policy.maxMode", Mode::Aggressive)];

/// What it may only turn on.
pub const FLAG: &str = "policy.neverOmit";
