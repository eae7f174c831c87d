//! Linters, formatters and type checkers: what they find, with one line for many findings of one rule.
//!
//! `reduce::place` and `template` read a line, `group` writes many together, `reader` makes a reducer of that. A
//! format of this family says what its lines are and decides nothing about what is left out. What reports a
//! failure stays as it is, always.

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

/// The reducers of this family; the earlier row breaks ties. What other tools are run by comes before them.
pub static REDUCERS: &[&dyn Reducer] = &[
    &pre_commit::PreCommit,
    &shellcheck::SHELLCHECK,
    &biome::BIOME,
    &phpstan::PHPSTAN,
    &checkstyle::CHECKSTYLE_XML,
    &report::JsonReport,
    &headed::ESLINT,
    &formatters::FORMATTERS,
    &lines::LINT,
];
