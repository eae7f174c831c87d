//! `swift test`: XCTest's `Test Case` lines, and the symbols of swift-testing.
//!
//! A line that says that a test started goes only when the run came to its end: after a crash it tells
//! which test it was.

use super::tree::Fate::{Failed, Goes, Passed, Shows, Skipped, Step, Totals};
use super::tree::Tree;
use crate::pipeline::reason::Reason;
use crate::reduce::Meta;

/// See the module.
pub static SWIFT_TEST: Tree = Tree::new(
    Meta {
        id: "swift_test",
        family: "test",
        reads: "`swift test` with XCTest and swift-testing",
        keeps: "issues and failures, failed and skipped tests, the end of each suite, totals",
        folds: "passing tests, starts of tests and suites, build progress",
        anchors: &["Test Case '", "Test Suite '", " Test run "],
    },
    &["swift test", "xcodebuild test", "xcodebuild"],
    1,
    &[
        (r"[ \t]*Executed \d+ tests?, with .*", Totals),
        (r"(?:✔|✘|\+|x) *Test run with .*", Totals),
        (r"Test Suite '.*' (?:passed|failed) at .*", Shows),
        (r"Test Suite '.*' started at .*|Test Case '.*' started.*", Step),
        (r"(?:◇|\*) *(?:Suite|Test) .+ started\.", Step),
        // One case of a test with arguments.
        (r"(?:◇|\*) *Passing \d+ arguments? .+ to .+", Step),
        (r"(?:◇|\*) *Test run started\.", Shows),
        (r"Test Case '.*' passed \(.*\)\.?", Passed),
        (r"Test Case '.*' skipped \(.*\)\.?", Skipped),
        (r"Test Case '.*' failed \(.*\)\.?", Failed),
        (r"✔ *(?:Test|Suite) .+ passed after [\d.]+ seconds\.", Passed),
        (r"✘ *(?:Test|Suite) .+", Failed),
        (r"➜ *(?:Test|Suite) .+", Skipped),
        (
            r"\[\d+(?:/\d+)?\] (?:Compiling|Emitting|Linking|Write|Wrapping|Planning|Build).*",
            Goes(Reason::Progress),
        ),
    ],
);
