//! Names with `*` for any text and `?` for any character, compared without case.

use regex::{Regex, RegexBuilder};

use crate::config::rules::RuleError;

/// A name or a pattern.
#[derive(Debug, Clone)]
pub(super) enum Glob {
    /// Without a wildcard, in lower case.
    Name(String),
    Pattern(Regex),
}

impl Glob {
    pub(super) fn new(field: &str, text: &str) -> Result<Self, RuleError> {
        const MAX_GLOB_BYTES: usize = 256;
        if text.trim().is_empty() || text.len() > MAX_GLOB_BYTES {
            return Err(RuleError::new(
                field,
                format!("`{text}` has {} bytes, allowed are 1 to {MAX_GLOB_BYTES}", text.len()),
            ));
        }
        if !text.contains(['*', '?']) {
            return Ok(Self::Name(text.to_ascii_lowercase()));
        }
        let mut pattern = String::from("^");
        for c in text.chars() {
            match c {
                '*' => pattern.push_str(".*"),
                '?' => pattern.push('.'),
                c => pattern.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
            }
        }
        pattern.push('$');
        let mut builder = RegexBuilder::new(&pattern);
        builder
            .case_insensitive(true)
            .dot_matches_new_line(true)
            .size_limit(super::regexes::MAX_COMPILED_BYTES);
        match builder.build() {
            Ok(regex) => Ok(Self::Pattern(regex)),
            Err(_) => Err(RuleError::new(field, format!("`{text}` has too many wildcards"))),
        }
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Name(text) => text.eq_ignore_ascii_case(name),
            Self::Pattern(regex) => regex.is_match(name),
        }
    }

    /// The name, if it has no wildcard.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(text) => Some(text),
            Self::Pattern(_) => None,
        }
    }
}
