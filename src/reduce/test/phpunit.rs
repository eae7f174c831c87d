//! PHPUnit and Pest: progress of passing tests is left out, failures and the totals are kept.
//!
//! Lines as written by PHPUnit 8 to 11 (dots, `--testdox`, `--debug`) and by Pest 2. A progress line with anything
//! but passed tests is kept, and so is the line before it, which shows the position in the run.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Opens, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static PHPUNIT: Format = Format::new(
    Meta {
        id: "phpunit",
        family: "test",
        reads: "PHPUnit with dots, `--testdox` and `--debug`; Pest",
        keeps: "errors, failures, warnings, deprecations, risky, skipped and incomplete tests, what tests print, the totals",
        omits: "progress lines that hold only passed tests, `✔` lines",
        anchors: &["PHPUnit ", " passed (", "Assertions: ", " assertions)"],
    },
    &["phpunit", "pest", "php artisan test", "artisan test", "php vendor/bin/phpunit", "php vendor/bin/pest"],
    2,
    &[
        (r"PHPUnit \d+\.\d.* by Sebastian Bergmann and contributors\.", Shows),
        (r"Runtime: +PHP .*", Keep),
        (r"Configuration: +\S.*", Keep),
        (r"\.+ +\d+ / \d+ \( *\d+%\)", State),
        (r"[.FEISRWDN]+ +\d+ / \d+ \( *\d+%\)", Keep),
        (r"\.+", Hide(Reason::PassingTests)),
        (r" +(?:\xE2\x9C\x94|\xE2\x9C\x93) \S.*", Hide(Reason::PassingTests)),
        (r"   PASS  \S.*", Hide(Reason::PassingTests)),
        (r"Test '.*' started", State),
        (r"Test '.*' ended", Hide(Reason::Progress)),
        (
            r"(?:Test Runner|Test Suite|Application|Event Facade|Test) (?:Started|Prepared|Preparation Started|Loaded|Sorted|Filtered|Configured|Execution Started|Finished|Passed|Sealed)\b.*",
            Hide(Reason::Progress),
        ),
        (r"There (?:was|were) \d+ (?:errors?|failures?)\b.*:", Opens),
        (r"Time: .*Memory: .*", Shows),
        (r"(?:OK|OK, but .*|ERRORS!|FAILURES!|WARNINGS!|No tests executed!)(?: \(\d.*\))?", Shows),
        (r"Tests: +\d.*", Shows),
        (r"  Tests: +.*\d+ passed.*", Shows),
    ],
);
