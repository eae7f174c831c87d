//! sbt: loading, resolving, compiling and passing tests are left out; warnings, errors, failures and the totals
//! are kept.
//!
//! Lines as written by sbt 0.13 and 1 with ScalaTest, specs2, MUnit and JUnit. Neither a failing test nor the lines
//! below it have a form that is left out.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static SBT: Format = Format::new(
    Meta {
        id: "sbt",
        family: "test",
        reads: "`sbt`: builds and tests",
        keeps: "failed and ignored tests whole, suites, warnings, errors, totals, the verdict",
        omits: "loading, resolving, compiling, tests that passed",
        anchors: &["[info] ", "[success] ", "[error] "],
    },
    &["sbt", "sbtn"],
    3,
    &[
        (r"\[info\] - .*\*\*\* .*", Shows),
        (r"\[info\] +[-+] .*\*\*\* .*", Shows),
        (
            r"\[info\] (?:welcome to sbt|[Ll]oading |[Rr]esolving |[Ss]et current project to|Updating|Resolved|updating|Fetching|[Dd]ownloading|started sbt server|sbt server started|starting sbt server|entering \*experimental\*|compiling \d+|Compiling \d+|done compiling|Done compiling|Done updating|Fetched artifacts|Attempting to fetch|Defining |The new value|Reapplying|Non-compiled module|  Compilation completed|Resolving key references).*",
            Hide(Reason::Progress),
        ),
        (r"\[info\] +[-+] .+ !!! [A-Z].*", Keep),
        (r"\[info\] +[-+] .+", Hide(Reason::PassingTests)),
        (r"\[info\] +(?:\xE2\x9C\x93|\xE2\x9C\x94) .+", Hide(Reason::PassingTests)),
        (r"\[info\] Test (?:run )?\S* ?(?:started|finished in .*s)", Hide(Reason::Progress)),
        (r"(?:https?://\S+|  \S+\.(?:jar|pom|xml))", Hide(Reason::Progress)),
        (r" +\d+[.,]\d%.*\[.*\].*", State),
        (r"\[info\] (?:Passed|Failed|Error): Total .*", Shows),
        (
            r"\[info\] (?:Tests: succeeded|Suites: completed|Total number of tests run|Run completed in|All tests passed).*",
            Shows,
        ),
        (r"\[success\] Total time: .*", Shows),
        (r"\[error\] .*", Shows),
        (r"\[warn\] .*", Shows),
        (r"\[info\].*", Keep),
    ],
);
