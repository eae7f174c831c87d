//! `bazel build` and `bazel test`: loading, analysis, actions under way and passing tests are left out; errors,
//! what actions printed, failed tests with their output and the totals are kept.
//!
//! Lines as written by Bazel 2 to 8 without a terminal.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Closes, Hide, Keep, Opens, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static BAZEL: Format = Format::new(
    Meta {
        id: "bazel",
        family: "build",
        reads: "`bazel build`, `bazel test`, `bazel run`, `bazelisk`",
        keeps: "errors, warnings, what actions print, failed tests with their output, targets and where they are, elapsed \
                time, totals",
        omits: "loading, analysis, fetches and actions under way, options read from files, tests that passed",
        anchors: &[
            "INFO: Analyzed ",
            "INFO: Elapsed time",
            "INFO: Build completed",
            "INFO: Found ",
            "Build did NOT complete",
        ],
    },
    &["bazel", "bazelisk", "blaze"],
    2,
    &[
        (r"={10,} Test output for .*", Opens),
        (r"={60,}", Closes),
        (r"\d{9,}\.\d+: src/main/tools/\S+ child exited (?:normally with code [1-9].*|due to .*)", Keep),
        // Messages of `--sandbox_debug` about mounts and processes.
        (r"\d{9,}\.\d+: src/main/tools/\S+ .*", Hide(Reason::Progress)),
        (
            r"(?:\(\d\d:\d\d:\d\d\) )?INFO: (?:Invocation ID|Reading '?(?:rc|startup) options|Options provided by the client|Current date is|Repository rule .* defined at).*",
            Hide(Reason::Progress),
        ),
        (
            r"(?:\(\d\d:\d\d:\d\d\) )?INFO: (?:Analyzed|Elapsed time|Build completed|Found \d|Build option).*",
            Shows,
        ),
        (r"(?:\(\d\d:\d\d:\d\d\) )?ERROR: .*", Keep),
        (r"(?:\(\d\d:\d\d:\d\d\) )?(?:FAILED|FAIL): .*", Keep),
        (r"(?:\(\d\d:\d\d:\d\d\) )?(?:INFO|WARNING|DEBUG): .*", Keep),
        (
            r"(?:\(\d\d:\d\d:\d\d\) )?(?:Loading|Analyzing|Computing main repo mapping|Starting local Bazel server|Extracting Bazel installation|Downloading https?|Fetching|Checking cached actions)[: .].*",
            Hide(Reason::Progress),
        ),
        (r"  (?:Inherited|'\w+') .*options: .*", Hide(Reason::Progress)),
        (r"(?:\(\d\d:\d\d:\d\d\) )?\[[\d,]+ / [\d,]+\] .*", Hide(Reason::Progress)),
        (
            r" +(?:Fetching|currently loading|Compiling|Linking|Testing|GoCompilePkg|Javac|Executing genrule|Downloading) .*; \d+s .*",
            Hide(Reason::Progress),
        ),
        (r" +currently loading: .*", Hide(Reason::Progress)),
        (r"//\S+ +(?:\(cached\) )?PASSED in [\d.]+s", Hide(Reason::PassingTests)),
        (
            r"//\S+ +(?:\(cached\) )?(?:FAILED|TIMEOUT|FLAKY|NO STATUS|FAILED TO BUILD|SKIPPED|PASSED).*",
            Shows,
        ),
        (r"Executed \d+ out of \d+ tests?: .*", Shows),
        (r"Target //\S+ (?:up-to-date|failed to build).*", Shows),
        (r"  bazel-(?:bin|out|genfiles)/\S+", Keep),
        (r"Use --(?:verbose_failures|sandbox_debug) .*", Keep),
    ],
);
