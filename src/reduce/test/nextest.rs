//! `cargo nextest run`: lines of passing tests and build progress are left out; failures, slow tests, retries
//! and the summary are kept.
//!
//! Lines as written by cargo-nextest 0.9. The output of a failing test is indented, so none of its lines has a form
//! that is left out; lines of libtest in it are kept with it.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static NEXTEST: Format = Format::new(
    Meta {
        id: "nextest",
        family: "test",
        reads: "`cargo nextest run`",
        keeps: "failed, slow, flaky and leaky tests with their output, the run id, the summary, warnings of the build",
        omits: "`PASS` lines, build progress",
        anchors: &["Nextest run ID ", " Summary [", " tests across ", " test across "],
    },
    &["cargo nextest"],
    2,
    &[
        (r"        PASS \[ *[\d.]+s\] (?:\( *\d+/\d+\) )?\S+.*", Hide(Reason::PassingTests)),
        (
            r" +(?:FAIL|SIG[A-Z]+|ABORT|TIMEOUT|LEAK|FLAKY|SLOW|TERMINATING|TRY \d+ [A-Z]+)(?:-FAIL)? .*\[.*",
            Shows,
        ),
        (r" Nextest run ID .*", Shows),
        (r" +Starting \d+ tests? across .*", Shows),
        (r" +Summary \[.*", Shows),
        (r" +Cancell?ing due to .*", Keep),
        (r"(?:\xE2\x94\x80|-){4,}", Keep),
        (r"    Finished .*", Keep),
        (
            r" +(?:Compiling|Downloading|Downloaded|Updating|Locking|Adding|Blocking|Fresh|Dirty|Unpacking|Checking) \S.*",
            Hide(Reason::Progress),
        ),
        (r" +(?:Running|Building) \[.*", State),
    ],
);
