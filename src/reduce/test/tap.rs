//! TAP 12 to 14: `ok` and `not ok` lines with their details, flat or nested.
//!
//! The details of a test are between `---` and `...` below its line. Comments are kept, whoever wrote them, except
//! for the name of a subtest that passed.

use super::tree::LineKind::{Begins, Details, Failed, Follows, Opens, Passed, Shows, Skipped, Totals};
use super::tree::Tree;
use crate::reduce::Meta;

/// The reducer of this module.
pub static TAP: Tree = Tree::new(
    Meta {
        id: "tap",
        family: "test",
        reads: "TAP of any producer: `node --test`, `tap`, `tape`, `bats`, `prove -v`, `vitest --reporter tap`",
        keeps: "tests that are not ok with their details, skipped and todo tests, comments, the plan, totals",
        omits: "tests that are ok with their details, names of subtests that passed",
        anchors: &["TAP version ", "ok 1", "1.."],
    },
    &["tap", "prove", "bats", "tape", "npx tap", "npx tape", "npx bats"],
    1,
    &[
        (r"TAP version \d+", Shows),
        (r"1\.\.(\d+).*", Totals),
        (r"# (?:tests|pass|fail|ok|skip|skipped|todo|cancelled|duration_ms|time|suites).*", Totals),
        (r"Bail out!.*", Opens),
        (r" *(?:not )?ok\b.* # (?:SKIP|skip|TODO|todo|Skip|Todo).*", Skipped),
        (r" *not ok\b.*", Failed),
        (r" *ok \d+.*|ok", Passed),
        (r" *# Subtest: .*", Begins),
        (r" +1\.\.\d+.*| *\}", Follows),
        (r" *---", Details),
    ],
);
