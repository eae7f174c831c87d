//! `deno test`: tests and steps that end in `... ok`, failures after `ERRORS`, totals.
//!
//! Lines as written by Deno 1 and 2 with the reporter `pretty`. A test with steps has two lines: one when it starts,
//! one when it ends.

use super::tree::LineKind::{Begins, Failed, File, Hide, Opens, Passed, Skipped, Totals};
use super::tree::Tree;
use crate::reduce::Meta;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static DENO_TEST: Tree = Tree::new(
    Meta {
        id: "deno_test",
        family: "test",
        reads: "`deno test`",
        keeps: "failures and failed suites whole, skipped and todo tests, warnings, coverage, snapshots, totals; output of tests that may report a failure",
        omits: "passing tests and steps, modules in which all tests passed, checks and downloads",
        anchors: &[" passed (", "passed | ", "running "],
    },
    &["deno test"],
    1,
    &[
        (r"running \d+ tests? from \S+", File),
        (r"(?:ok|FAILED) \| \d+ passed.*", Totals),
        (r" (?:ERRORS|FAILURES) ?", Opens),
        (r"(?:Check|Download) \S+", Hide(Reason::Progress)),
        (r" *\S.* \.\.\. ok(?: \(.*\))?", Passed),
        (r" *\S.* \.\.\. FAILED.*", Failed),
        (r" *\S.* \.\.\. (?:ignored|cancelled).*", Skipped),
        (r" *\S.* \.\.\.", Begins),
    ],
);
