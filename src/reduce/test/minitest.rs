//! minitest and `rails test`: lines of passing tests are left out, failures and the totals are kept.
//!
//! Lines as written by minitest 5 with and without `-v`, by its spec style, and by the spec reporter of
//! minitest-reporters. Rails reports a failure where it occurs; from there up to its `bin/rails test` line nothing is
//! left out.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Closes, Hide, Keep, Opens, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static MINITEST: Format = Format::new(
    Meta {
        id: "minitest",
        family: "test",
        reads: "minitest and `rails test`, with and without `-v`",
        keeps: "failures, errors and skips whole, the seed, what tests print, the totals",
        omits: "lines and dots of passing tests",
        anchors: &[" assertions, ", "Run options: "],
    },
    &["rails test", "rake test", "minitest"],
    2,
    &[
        (r"Run options: .*", Shows),
        (r"# Running.*", Hide(Reason::Progress)),
        (r"Running \d+ tests in .*", Keep),
        (r"\S.*#\S.* = [\d.]+ s = \.", Hide(Reason::PassingTests)),
        (r" +test_.* PASS \([\d.]+s\)", Hide(Reason::PassingTests)),
        (r"\.+", Hide(Reason::PassingTests)),
        (r"(?: +\d+\) )?(?:Failure|Error):", Opens),
        (r" +\d+\) Skipped:", Opens),
        (r"(?:bin/)?rails test \S.*", Closes),
        (r"Finished in [\d.]+s.*", Shows),
        (r"\d+ (?:runs|tests), \d+ assertions, .*", Closes),
    ],
);
