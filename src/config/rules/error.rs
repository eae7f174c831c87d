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
    /// A fault of a field; the list that the rule is in adds the rest.
    pub fn new(field: impl Into<String>, reason: impl Into<String>) -> Self {
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
