//! Test runners: passing tests go, failing ones stay whole, totals stay as they are.

mod cargo_test;
mod catch2;
mod ctest;
mod dotnet;
mod go_test;
mod gone;
mod googletest;
mod gradle;
mod maven;
mod minitest;
mod nextest;
mod phpunit;
mod pytest;
mod rspec;
mod sbt;
mod tox;
mod unittest;

use super::Reducer;

/// The reducers of this family; the earlier row breaks ties.
pub static REDUCERS: &[&dyn Reducer] = &[
    &cargo_test::CargoTest,
    &go_test::GoTest,
    &pytest::Pytest,
    &unittest::Unittest,
    &nextest::NEXTEST,
    &maven::Maven,
    &gradle::Gradle,
    &rspec::Rspec,
    &minitest::MINITEST,
    &phpunit::PHPUNIT,
    &ctest::Ctest,
    &googletest::GoogleTest,
    &catch2::Catch2,
    &dotnet::Dotnet,
    &sbt::SBT,
    &tox::TOX,
];
