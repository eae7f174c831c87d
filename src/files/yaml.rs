//! How YAML of configuration and rules is read: what is nested deeper than anything in it could be is an error before it
//! takes the stack of the thread that reads it.

use serde_saphyr::Options;

/// Levels of nesting; the deepest setting has seven.
const MAX_DEPTH: usize = 24;

/// Options for [`serde_saphyr::from_str_with_options`].
pub fn options() -> Options {
    let mut options = Options::default();
    if let Some(budget) = &mut options.budget {
        budget.max_depth = MAX_DEPTH;
    }
    options
}
