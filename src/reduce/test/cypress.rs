//! `cypress run`: the tree of each spec, its failures, its box of results, and the table at the end.
//!
//! Lines as written by Cypress 4 to 14. The boxes and tables with the totals stay.

use super::tree::LineKind::{Failed, Heading, Hide, Keep, Opens, Passed, Shows, Skipped, Totals};
use super::tree::Tree;
use crate::reduce::Meta;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static CYPRESS: Tree = Tree::new(
    Meta {
        id: "cypress",
        family: "test",
        reads: "`cypress run`",
        keeps: "failures whole, screenshots and videos, the boxes of results, the table at the end",
        omits: "passing tests and headings below which all tests passed",
        anchors: &["(Run Starting)", "(Run Finished)"],
    },
    &[
        "cypress run",
        "npx cypress run",
        "pnpm cypress run",
        "yarn cypress run",
        "bunx cypress run",
        "pnpm exec cypress run",
        "npm exec cypress run",
    ],
    1,
    &[
        (r" {2}\((?:Run Starting|Results|Screenshots|Video|Uploading .*|Cloud .*)\)", Shows),
        (r" {2}\(Run Finished\)", Totals),
        (r" {2}Running: +\S.*", Shows),
        (r" {2}\d+ passing \(.*\)", Totals),
        (r" {2}\d+ pending", Shows),
        (r" {2}\d+ failing", Opens),
        (r" +-  Started processing: .*| +Compression progress: +\d+%", Hide(Reason::Progress)),
        (r" {2}-  (?:Finished|Video) .*| {2}-  /.*", Keep),
        (r" {2,}\d+\) .+", Failed),
        (r" {2,}(?:│|┌|└|├) ?.*| +(?:✖|✔) {2}\S.*", Keep),
        (r" {2,}(?:✓|√) .+", Passed),
        (r" {2,}- .+", Skipped),
        (r" {2,}\S.*", Heading),
    ],
);
