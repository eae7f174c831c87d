//! Version control: what changed, where things stand, and what a command did.

mod git_diff;
mod git_status;
mod unified;

use super::Reducer;

/// The reducers of this family; the earlier row breaks ties.
pub static REDUCERS: &[&dyn Reducer] = &[&git_diff::GitDiff, &git_status::GitStatus];
