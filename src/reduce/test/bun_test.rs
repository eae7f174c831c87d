//! `bun test`: a line for each file, `(pass)` and `(fail)` or `✓` and `✗` lines below it, totals.
//!
//! The report of a failure is above its `(fail)` line. Lines as written by Bun 1.

use super::tree::LineKind::{Failed, File, Passed, Retried, Shows, Skipped, Totals};
use super::tree::Tree;
use crate::reduce::Meta;

/// The reducer of this module.
pub static BUN_TEST: Tree = Tree::new(
    Meta {
        id: "bun_test",
        family: "test",
        reads: "`bun test`",
        keeps: "failures and failed suites whole, skipped and todo tests, warnings, coverage, snapshots, totals; output of tests that may report a failure",
        omits: "passing tests, files in which all tests passed; skipped tests beyond the first 20",
        anchors: &["bun test v", " expect() calls", " tests across "],
    },
    &["bun test", "bunx bun test"],
    2,
    &[
        (r"bun test v\d.*", Shows),
        (r" *\d+ pass", Shows),
        (r" *\d+ (?:fail|skip|todo|errors?|filtered out|expect\(\) calls|snapshots, .*)", Shows),
        (r"Ran \d+ tests? across \d+ files?\..*", Totals),
        (r"\d+ tests? (?:failed|skipped|todo):", Shows),
        (r"\S.*\.[cm]?[jt]sx?:", File),
        (r"(?:\(pass\)|✓) .+ \(attempt \d+\).*", Retried),
        (r"(?:\(pass\)|✓) .+", Passed),
        (r"(?:\(fail\)|✗) .+", Failed),
        (r"(?:\(skip\)|\(todo\)|»|✎) .+", Skipped),
    ],
);
