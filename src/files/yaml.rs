//! Limits for reading YAML of configuration and rules. Nesting deeper than any valid file is an error, before it can exhaust
//! the stack.

#[cfg(feature = "config-files")]
use serde_saphyr::budget::BudgetBreach;
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

/// The reason for a text with more of something than any file of settings needs.
#[cfg(feature = "config-files")]
fn over_limits() -> String {
    let limits = options().budget.unwrap_or_default();
    format!(
        "holds too much, allowed are {} values, {} aliases (`*`) and {} anchors (`&`)",
        limits.max_nodes, limits.max_aliases, limits.max_anchors
    )
}

/// Why a text is not read, on one line, without the place, which the caller names.
#[cfg(feature = "config-files")]
pub fn reason(error: &Error) -> String {
    // The parser's own words are advice to programmers.
    match error.without_snippet() {
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            return format!("the key `{key}` is given twice");
        }
        Error::MultipleDocuments { .. } => return "a second document begins here, allowed is one".to_owned(),
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            return "an alias (`*`) stands inside its own anchor (`&`), allowed are aliases of earlier values".to_owned();
        }
        Error::UnknownAnchor { .. } => return "an alias (`*`) has no anchor (`&`) above it".to_owned(),
        Error::Budget { breach: BudgetBreach::Depth { .. }, .. } => {
            return format!("values are nested too deeply, allowed are {MAX_DEPTH} levels");
        }
        Error::Budget { .. } => return over_limits(),
        _ => {}
    }
    let error = error.to_string();
    let reason = error.lines().next().unwrap_or_default();
    // The message may start with the place.
    reason.split(" at line ").next().unwrap_or(reason).to_owned()
}
