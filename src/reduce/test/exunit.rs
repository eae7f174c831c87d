//! ExUnit: dots, or one line per test with `--trace`; numbered failures; totals.
//!
//! With `--trace`, the lines of passed and failed tests look the same; only the failure report below distinguishes
//! them. The report continues to the next test or module.

use super::tree::LineKind::{Begins, File, Hide, Keep, OpensAbove, Passed, Shows, Skipped, Totals};
use super::tree::Tree;
use crate::reduce::Meta;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static EXUNIT: Tree = Tree::new(
    Meta {
        id: "exunit",
        family: "test",
        reads: "`mix test`, also with `--trace`",
        keeps: "failures whole, skipped and excluded tests, warnings, totals, the seed",
        omits: "passing tests and modules in which all tests passed, compiling",
        anchors: &["Finished in ", " * test ", " failure"],
    },
    &["mix test"],
    1,
    &[
        (r"(?:\d+ (?:doctests?|properties|property), )*\d+ tests?, \d+ failures?.*", Totals),
        (r"Finished in [\d.]+ seconds.*", Shows),
        (r"Running ExUnit with seed: .*", Keep),
        (r" {2}\d+\) (?:test|doctest|property) .+", OpensAbove),
        (r"Compiling \d+ files? \(\.exs?\)|Generated \S+ app", Hide(Reason::Progress)),
        (r"[\w.]+ \[\S+\.exs?(?::\d+)?\]", File),
        (r" {2}\* (?:test|doctest|property) .+ \((?:excluded|skipped|invalid).*\).*", Skipped),
        (r" {2}\* (?:test|doctest|property) .+ \([\d.]+ms\)(?: \[L#\d+\])?", Passed),
        (r" {2}\* (?:test|doctest|property) .+ \[L#\d+\]", Begins),
        (r"\.+", Hide(Reason::PassingTests)),
    ],
);
