//! Jest: `PASS` and `FAIL` lines of files, the tree of `--verbose`, failures after `●`, totals.
//!
//! Lines as written by Jest 24 to 30 without a terminal. A failure is reported up to the next file, the
//! coverage or the totals.

use super::tree::LineKind::{
    Failed, FailedFile, Heading, Hide, Keep, Opens, Output, Passed, PassedFile, Recap, Shows, Skipped, Totals,
};
use super::tree::Tree;
use crate::reduce::Meta;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static JEST: Tree = Tree::new(
    Meta {
        id: "jest",
        family: "test",
        reads: "`jest`, also `--verbose`, `--coverage` and through `react-scripts test`",
        keeps: "failures and failed suites whole, skipped and todo tests, warnings, coverage, snapshots, totals; output of tests that may report a failure",
        omits: "passing tests, headings and files in which all tests passed; in a failed run, long output of tests in files that passed; skipped tests beyond the first 20",
        anchors: &["Test Suites: ", "PASS ", "FAIL "],
    },
    &[
        "jest",
        "npx jest",
        "pnpm jest",
        "yarn jest",
        "bunx jest",
        "pnpm exec jest",
        "npm exec jest",
        "react-scripts test",
        "craco test",
    ],
    3,
    &[
        (r"PASS +\S.*\.[cm]?[jt]sx?(?: \([\d.,]+ m?s[^()]*\))?(?: [\d.]+ MB heap size)?", PassedFile),
        (r"FAIL +\S.*\.[cm]?[jt]sx?(?: \([\d.,]+ m?s[^()]*\))?(?: [\d.]+ MB heap size)?", FailedFile),
        (r"RUNS +\S.*", Hide(Reason::Progress)),
        (r"Test Suites: .*total", Totals),
        (r"(?:Tests|Snapshots|Time): +\S.*", Shows),
        (r"Ran all test suites.*|Snapshot Summary|Force exiting Jest.*|Jest did not exit .*", Shows),
        (r"-+\|[-|]+", Shows),
        (r"[^|]+\|[ %\w]+\|.*", Keep),
        (r"Summary of all failing tests", Recap),
        (r" {2}● Console", Output),
        (r" {2}● .+", Opens),
        (r" {2}console\.\w+(?: .*)?", Output),
        (r" {2,}(?:✓|√) .+", Passed),
        (r" {2,}(?:✕|×) .+", Failed),
        (r" {2,}(?:○|✎) .+", Skipped),
        (r" {2,}\S.*", Heading),
    ],
);
