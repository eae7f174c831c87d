//! Playwright's test runner with the reporters `list`, `line` and `dot`.
//!
//! A failure is reported below `  1) file:line:column › test`, up to the next step or the totals. The line of a step
//! only names the test that starts; the report of a failure names the test again.

use super::tree::LineKind::{Failed, Hide, Opens, Passed, Retried, Shows, Skipped, Step, Totals};
use super::tree::Tree;
use crate::reduce::Meta;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static PLAYWRIGHT: Tree = Tree::new(
    Meta {
        id: "playwright",
        family: "test",
        reads: "`playwright test` with the reporters `list`, `line`, `dot` and `github`",
        keeps: "failures whole, flaky, skipped and interrupted tests, what tests print, totals",
        omits: "passing tests, progress",
        anchors: &["Running ", "using "],
    },
    &[
        "playwright test",
        "npx playwright test",
        "pnpm playwright test",
        "yarn playwright test",
        "bunx playwright test",
        "pnpm exec playwright test",
        "npm exec playwright test",
    ],
    1,
    &[
        (r"Running \d+ tests? using \d+ workers?.*", Shows),
        (r" {2}\d+ passed(?: \(.*\))?", Totals),
        (
            r" {2}\d+ (?:failed|flaky|skipped|did not run|interrupted|error was not a part of any test|errors were not a part of any test)(?: .*)?",
            Shows,
        ),
        (r"Error: No tests found.*", Shows),
        (r"\[\d+/\d+\] .+", Step),
        (r" {2}\d+\) .+", Opens),
        (r" {2,}(?:✓|ok) +\d+ .+ \(retry #\d+\).*", Retried),
        (r" {2,}(?:✓|ok) +\d+ .+", Passed),
        (r" {2,}(?:✘|x|×) +\d+ .+", Failed),
        (r" {2,}- +\d+ .+", Skipped),
        (r"(?:·)+", Hide(Reason::PassingTests)),
    ],
);
