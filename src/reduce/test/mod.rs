//! Test runners: passing tests are left out, failing ones are kept whole, totals are kept as they are.

mod bats;
mod bun_test;
mod cargo_test;
mod catch2;
mod ctest;
mod cypress;
mod deno_test;
mod dotnet;
mod dotnet_xml;
mod exunit;
mod go_test;
mod googletest;
mod gradle;
mod jest;
mod junit_xml;
mod maven;
mod minitest;
mod mocha;
mod nextest;
mod node_test;
mod pairs;
pub mod passed;
mod phpunit;
mod playwright;
mod pytest;
mod rspec;
mod sbt;
mod swift_test;
mod sympy;
mod tap;
mod tox;
mod tree;
mod unittest;
mod vitest;

use super::Reducer;

/// The reducers of this family. If two claim a text equally, the one listed first wins.
pub static REDUCERS: &[&dyn Reducer] = &[
    &cargo_test::CargoTest,
    &go_test::GoTest,
    &pytest::Pytest,
    &unittest::Unittest,
    &sympy::Sympy,
    &jest::JEST,
    &vitest::VITEST,
    // Cypress runs Mocha and writes its specs in the same form, so `cypress` must come before `mocha`.
    &cypress::CYPRESS,
    &mocha::MOCHA,
    &node_test::NODE_TEST,
    &playwright::PLAYWRIGHT,
    &bun_test::BUN_TEST,
    &deno_test::DENO_TEST,
    &bats::BATS,
    &exunit::EXUNIT,
    &swift_test::SWIFT_TEST,
    &tap::TAP,
    &junit_xml::JunitXml,
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
    &pairs::Pairs,
    &dotnet_xml::DotnetXml,
];

/// The reducers that are tables for `tree`.
#[cfg(test)]
static TREES: &[&tree::Tree] = &[
    &jest::JEST,
    &vitest::VITEST,
    &cypress::CYPRESS,
    &mocha::MOCHA,
    &node_test::NODE_TEST,
    &playwright::PLAYWRIGHT,
    &bun_test::BUN_TEST,
    &deno_test::DENO_TEST,
    &bats::BATS,
    &exunit::EXUNIT,
    &swift_test::SWIFT_TEST,
    &tap::TAP,
];
