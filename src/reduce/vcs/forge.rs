//! `gh` and `glab`: passed checks and steps are left out, with their names in the marker if the command asked for
//! them; all others, jobs, annotations, totals and links of failures are kept.
//!
//! Tables of pull requests, issues, runs and repositories have nothing to leave out, and other steps read JSON.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Named, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static FORGE: Format = Format::new(
    Meta {
        id: "forge",
        family: "git",
        reads: "`gh pr checks`, `gh run view`, `gh run watch`, `gh pr status`, `glab ci status`, `glab ci get`",
        keeps: "failed, pending, skipped and cancelled checks with links, jobs, annotations, totals, conclusions",
        omits: "checks that passed, named in the marker; steps of jobs that passed",
        anchors: &[
            "\tpass\t",
            "JOBS",
            "Triggered via ",
            "checks were ",
            "checks have ",
            "(success) ",
            "# Jobs:",
            "\tfail\t",
        ],
    },
    &[
        "gh pr checks",
        "gh run view",
        "gh run watch",
        "glab ci status",
        "glab ci view",
        "glab ci list",
        "glab ci get",
        "glab pipeline status",
    ],
    3,
    &[
        (r"([^\t\[\]]{1,80})\tpass\t\S*\t\S*.*", Named(Reason::PassingChecks)),
        (r"[^\t]+\t(?:fail|pending|skipping|cancel)\t.*", Shows),
        (
            r"(?:All checks were successful|Some checks (?:were not successful|are still pending|were cancelled).*|\d+ (?:cancelled|failing|successful|skipped|pending)\b.*|.*\band \d+ pending checks?)",
            Shows,
        ),
        (
            r"(?:\xE2\x9C\x93|\xE2\x9C\x94)  ([^\[\]]{1,80}?)  +(?:\S.*  +)?https?://\S+",
            Named(Reason::PassingChecks),
        ),
        (r"(?:X|\*|-|\xC3\x97)  .*https?://\S+", Shows),
        (r"(?:\xE2\x9C\x93|\xE2\x9C\x94|X|\*|-) \S.* \xC2\xB7 \d+.*", Shows),
        (r"(?:\xE2\x9C\x93|\xE2\x9C\x94|X|\*|-) .* \(ID \d+\)", Shows),
        (r"  (?:\xE2\x9C\x93|\xE2\x9C\x94) \S.*", Hide(Reason::PassingChecks)),
        (r"  (?:X|\*|-|\xC2\xB7) \S.*", Shows),
        (r"(?:JOBS|ANNOTATIONS|ARTIFACTS)", Shows),
        (r"Triggered via .*", Shows),
        (r"\(success\)(?: \xE2\x80\xA2)? [\dhms ]+\t\S+\t\t?([^\t\[\]]{1,80})", Named(Reason::PassingChecks)),
        (r"\((?:failed|running|pending|canceled|skipped|manual|created)\).*", Shows),
        // `glab ci get`. The outcome of the pipeline is kept. Rows of `--with-job-details` have no form, because they
        // start with numbers, as lines of a file view do.
        (r"# (?:Pipeline|Jobs|Variables):", Shows),
        (r"(?:id|status|source|ref|sha|tag|yaml Errors|user|created|started|updated):\t.*", Keep),
        (r"([^\t\[\]]{1,80}):\tsuccess", Named(Reason::PassingChecks)),
        (r"(?:View this run on GitHub|To see (?:what failed|the full job log|.*logs?)).*", Keep),
        (r"(?:SHA|Pipeline [Ss]tate|Pipeline state|https?)\b.*", Keep),
    ],
);
