//! Faults of a rule: its name, the field, the value, and what is allowed.

use std::fmt;

/// A fault of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleError {
    /// The rule's index in its list, from 0.
    pub index: usize,
    /// Its name, if it has one.
    pub rule: String,
    /// The field, as a path: `stages.replace[0].pattern`.
    pub field: String,
    /// The value and what is allowed.
    pub reason: String,
}

impl RuleError {
    pub(super) fn new(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { index: 0, rule: String::new(), field: field.into(), reason: reason.into() }
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, rule, field, reason } = self;
        match rule.is_empty() {
            true => write!(f, "rules[{index}].{field}: {reason}"),
            false => write!(f, "rules[{index}] ({rule}).{field}: {reason}"),
        }
    }
}

impl std::error::Error for RuleError {}

/// The allowed name that was probably meant.
pub fn nearest<'a>(given: &str, allowed: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const MIN_ALIKE: f64 = 0.7;
    let given = given.to_ascii_lowercase();
    let alike = |name: &str| strsim::damerau_levenshtein(&given, &name.to_ascii_lowercase());
    let best = allowed.into_iter().min_by_key(|name| alike(name))?;
    let longest = given.chars().count().max(best.chars().count()).max(1);
    (1.0 - alike(best) as f64 / longest as f64 >= MIN_ALIKE).then_some(best)
}

/// The error for an unknown name.
pub(super) fn unknown(given: &str, allowed: &[&str]) -> String {
    const MAX_LISTED_NAMES: usize = 24;
    let hint = nearest(given, allowed.iter().copied());
    let hint = hint.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
    match allowed.len() > MAX_LISTED_NAMES {
        true => format!("`{given}` is not known; `tersed rules methods` lists what is allowed{hint}"),
        false => format!("`{given}` is not known, allowed are {}{hint}", quoted(allowed)),
    }
}

pub(super) fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_name_finds_its_neighbour() {
        assert_eq!(nearest("tset", ["text", "test", "build"]), Some("test"));
        assert_eq!(nearest("StripLine", ["stripLines", "keepLines"]), Some("stripLines"));
        assert_eq!(nearest("zzz", ["test", "build"]), None);
    }
}
