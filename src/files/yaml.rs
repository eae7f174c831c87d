//! Limits for reading YAML of configuration and rules. Nesting deeper than any valid file is an error, before it can exhaust
//! the stack.

#[cfg(feature = "config-files")]
use serde_saphyr::Options;

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
