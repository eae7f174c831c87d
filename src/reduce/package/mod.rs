//! Package managers: progress goes; versions, counts, vulnerabilities, warnings and errors stay.

mod pip;

use super::Reducer;

/// The reducers of this family; the earlier row breaks ties.
pub static REDUCERS: &[&dyn Reducer] = &[&pip::PIP];
