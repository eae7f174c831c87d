//! Linters, formatters and type checkers: their findings, with one line for many findings of one rule.
//!
//! `reduce::diagnostic` and `template` read a line, `group` writes many together, `reader` makes a reducer of that. A
//! format of this family only classifies its lines; it does not decide what is left out. Lines that report a failure
//! are always kept unchanged.

mod bandit;
mod biome;
mod checkstyle;
pub mod compiler;
mod formatters;
pub mod group;
mod headed;
mod lines;
mod phpstan;
mod pre_commit;
mod reader;
mod report;
mod shellcheck;
mod template;

use super::Reducer;

/// The reducers of this family; if two claims are equal, the first one is used. Reducers of tools that run others
/// come before those.
pub static REDUCERS: &[&dyn Reducer] = &[
    &pre_commit::PreCommit,
    &shellcheck::SHELLCHECK,
    &biome::BIOME,
    &bandit::BANDIT,
    &phpstan::PHPSTAN,
    &checkstyle::CHECKSTYLE_XML,
    &report::JsonReport,
    &headed::ESLINT,
    &formatters::FORMATTERS,
    &lines::LINT,
];
