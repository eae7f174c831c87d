//! Limits for reading YAML of configuration and rules. Nesting deeper than any valid file is an error, before it can exhaust
//! the stack.

#[cfg(feature = "config-files")]
use serde_saphyr::{Error, Options};

/// Levels of nesting; the deepest setting has seven.
#[cfg(feature = "config-files")]
const MAX_DEPTH: usize = 24;

/// The error for a YAML file in a build that cannot read YAML.
#[cfg(not(feature = "config-files"))]
pub const NOT_READ: &str = "is YAML, which is not read in a build without the feature `config-files`";

/// Options for [`serde_saphyr::from_str_with_options`].
#[cfg(feature = "config-files")]
pub fn options() -> Options {
    let mut options = Options::default();
    if let Some(budget) = &mut options.budget {
        budget.max_depth = MAX_DEPTH;
    }
    options
}

/// Why a text is not read, on one line, without the place, which the caller names.
#[cfg(feature = "config-files")]
pub fn reason(error: &Error) -> String {
    // The parser's own words are advice to programmers.
    if let Error::DuplicateMappingKey { key: Some(key), .. } = error.without_snippet() {
        return format!("the key `{key}` is given twice");
    }
    let error = error.to_string();
    let reason = error.lines().next().unwrap_or_default();
    // The message may start with the place.
    reason.split(" at line ").next().unwrap_or(reason).to_owned()
}
