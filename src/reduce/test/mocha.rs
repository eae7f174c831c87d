//! Mocha: the tree of the reporter `spec`, the dots of `dot`, failures after `N failing`.
//!
//! Lines as written by Mocha 6 to 11. The report after `N failing` has no recognisable end, so all of it is kept.

use super::tree::LineKind::{Failed, Heading, Hide, Opens, Passed, Shows, Skipped, Totals};
use super::tree::Tree;
use crate::reduce::Meta;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static MOCHA: Tree = Tree::new(
    Meta {
        id: "mocha",
        family: "test",
        reads: "`mocha` with the reporters `spec`, `list` and `dot`",
        keeps: "failures and failed suites whole, skipped and todo tests, warnings, coverage, snapshots, totals; output of tests that may report a failure",
        omits: "passing tests and headings below which all tests passed; skipped tests beyond the first 20",
        anchors: &[" passing (", "    ✔ ", "    ✓ ", "Exception during run: "],
    },
    &[
        "mocha",
        "npx mocha",
        "pnpm mocha",
        "yarn mocha",
        "bunx mocha",
        "pnpm exec mocha",
        "npm exec mocha",
        "nyc mocha",
        "c8 mocha",
    ],
    1,
    &[
        (r" {2}\d+ passing \(.*\)", Totals),
        (r" {2}\d+ pending", Shows),
        (r" {2}\d+ failing", Opens),
        (r" Exception during run: .*|Error: No test files found.*", Opens),
        (r" {2,}(?:✔|✓|√) .+", Passed),
        (r" {2,}\d+\) .+", Failed),
        (r" {2,}- .+", Skipped),
        (r"(?: {2})?\.+", Hide(Reason::PassingTests)),
        (r" {2,}\S.*", Heading),
    ],
);
