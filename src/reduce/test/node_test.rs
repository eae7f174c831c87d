//! `node --test` with the reporter `spec`: suites after `▶`, tests after `✔` and `✖`, totals after `ℹ`.
//!
//! Lines as written by Node.js 18 to 24. All versions report failures at the end, some also in the tree: what the end
//! repeats line for line is left out. The reporter `tap` is read by the reducer `tap`.

use super::tree::LineKind::{Failed, Follows, Heading, Passed, Recap, Shows, Skipped, Totals};
use super::tree::Tree;
use crate::reduce::Meta;

/// The reducer of this module.
pub static NODE_TEST: Tree = Tree::new(
    Meta {
        id: "node_test",
        family: "test",
        reads: "`node --test` with the reporter `spec`",
        keeps: "failures and failed suites whole, skipped and todo tests, warnings, coverage, snapshots, totals; output of tests that may report a failure",
        omits: "passing tests, suites in which all tests passed, repeated failures",
        anchors: &["ℹ tests ", "▶ ", "✖ failing tests:"],
    },
    &[],
    2,
    &[
        (r"ℹ tests \d+", Totals),
        (r"ℹ .+", Shows),
        (r"✖ failing tests:", Recap),
        (r" *(?:✔|✖|﹣|⚠) .+ # .*", Skipped),
        (r" *✔ .+", Passed),
        (r" *✖ .+", Failed),
        (r" *﹣ .+", Skipped),
        (r" *▶ .+ \([\d.]+ms\)", Follows),
        (r" *▶ .+", Heading),
    ],
);
