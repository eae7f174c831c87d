//! Bats with the formatter `pretty`. Without a terminal, Bats writes TAP by default, which the reducer `tap` reads.
//!
//! The output of a failed test is indented below its line, and is kept.

use super::tree::LineKind::{Failed, File, Passed, Skipped, Totals};
use super::tree::Tree;
use crate::reduce::Meta;

/// The reducer of this module.
pub static BATS: Tree = Tree::new(
    Meta {
        id: "bats",
        family: "test",
        reads: "`bats --pretty`",
        keeps: "failed tests with their output, skipped tests, totals",
        omits: "passing tests and files in which all tests passed",
        anchors: &[" failure"],
    },
    &["bats", "npx bats"],
    1,
    &[
        (r"\d+ tests?, \d+ failures?.*", Totals),
        (r"[^ ].*\.bats", File),
        (r" (?:✓) .+", Passed),
        (r" (?:✗) .+", Failed),
        (r" - .+ \(skipped.*\)(?: \[\d+\])?", Skipped),
    ],
);
