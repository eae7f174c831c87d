//! Version control: changes, states, and the effects of commands.

mod folders;
mod forge;
mod forge_log;
mod git_blame;
mod git_diff;
mod git_status;
mod git_sync;
mod unified;
mod vcs_list;
mod vcs_log;

pub(crate) use vcs_log::signed;

use super::Reducer;

/// The reducers of this family; the earlier row breaks ties.
pub static REDUCERS: &[&dyn Reducer] = &[
    &git_diff::GitDiff,
    &git_status::GitStatus,
    &vcs_log::VcsLog,
    &git_blame::GitBlame,
    &vcs_list::VcsList,
    &git_sync::GitSync,
    &forge_log::ForgeLog,
    &forge::FORGE,
];
