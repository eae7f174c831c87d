//! Errors about unknown names.

use crate::config::elsewhere;
use crate::text::nearest::nearest;

/// The error for an unknown name.
pub(super) fn unknown(given: &str, allowed: &[&str]) -> String {
    const MAX_LISTED_NAMES: usize = 24;
    let near = || nearest(given, allowed.iter().copied()).map(|name| format!("; did you mean `{name}`?"));
    let hint = elsewhere::of_value(given).or_else(near).unwrap_or_default();
    match allowed.len() > MAX_LISTED_NAMES {
        true => format!("`{given}` is not known; `tersed rules methods` lists what is allowed{hint}"),
        false => format!("`{given}` is not known, allowed are {}{hint}", quoted(allowed)),
    }
}

pub(super) fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
