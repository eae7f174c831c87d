//! `swift test`: XCTest's `Test Case` lines, and the symbols of swift-testing.
//!
//! The line with the start of a test is left out only if the run came to its end: after a crash it shows which test
//! was running. Lines as written by Swift 5.5 to 6.2 on Linux and macOS.

use super::tree::LineKind::{Failed, Hide, Passed, Run, Shows, Skipped, Step, Totals};
use super::tree::Tree;
use crate::reduce::Meta;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static SWIFT_TEST: Tree = Tree::new(
    Meta {
        id: "swift_test",
        family: "test",
        reads: "`swift test` with XCTest and swift-testing",
        keeps: "issues and failures, failed and skipped tests, the end of each suite, totals",
        omits: "passing tests, starts of tests and suites, build progress",
        anchors: &["Test Case '", "Test Suite '", " Test run "],
    },
    &["swift test", "xcodebuild test", "xcodebuild"],
    1,
    &[
        (r"[ \t]*Executed \d+ tests?, with .*", Totals),
        (r"(?:✔|✘|\+|x) *Test run with .*", Totals),
        (r"Test Suite '.*' (?:passed|failed) at .*", Shows),
        // XCTest, swift-testing and each test of `--parallel` run one after the other, each in a process of its own.
        (r"Test Suite '(?:All|Selected) tests' started at .*|(?:◇|\*) *Test run started\.", Run),
        (r"Test Suite '.*' started at .*|Test Case '.*' started.*", Step),
        (r"(?:◇|\*) *(?:Suite|Test) .+ started\.", Step),
        (r"↳ *(?:Testing Library Version|Target Platform): .*", Step),
        // One argument of a parametrised test, up to 6.1.
        (r"(?:◇|\*) *Passing \d+ arguments? .+ to .+", Step),
        (r"Test Case '.*' passed \(.*\)\.?", Passed),
        (r"Test Case '.*' skipped \(.*\)\.?", Skipped),
        (r"Test Case '.*' failed \(.*\)\.?", Failed),
        (r"✔ *(?:Test|Suite) .+ passed after [\d.]+ seconds\.", Passed),
        // Up to 6.1, a skipped test has the same symbol as a failed one.
        (r#"✘ *(?:Test|Suite) (?:"[^"]*"|[^" ]+) skipped(?:: ".*"|\.)"#, Skipped),
        (r"✘ *(?:Test|Suite) .+", Failed),
        (r"➜ *(?:Test|Suite) .+", Skipped),
        (
            r"\[\d+(?:/\d+)?\] (?:Compiling|Emitting|Linking|Write|Wrapping|Planning|Build).*|\[\d+/\d+\] (?:Testing \S+/\S+|/.*\.swift)",
            Hide(Reason::Progress),
        ),
    ],
);
