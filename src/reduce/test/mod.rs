//! Test runners: passing tests go, failing ones stay whole, totals stay as they are.

mod cargo_test;
mod go_test;
mod pytest;
mod unittest;

use super::Reducer;

/// The reducers of this family; the earlier row breaks ties.
pub static REDUCERS: &[&dyn Reducer] =
    &[&cargo_test::CargoTest, &go_test::GoTest, &pytest::Pytest, &unittest::Unittest];
