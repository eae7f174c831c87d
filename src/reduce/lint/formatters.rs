//! Formatters that only list the files which they changed or would change: black, isort, prettier, `ruff format`,
//! autoflake. Correct files are left out; every other file, every error and the totals are kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static FORMATTERS: Format = Format::new(
    Meta {
        id: "formatters",
        family: "build",
        reads: "`black`, `isort`, `prettier`, `ruff format`, `autoflake`, `dprint`, without a diff",
        keeps: "files that were changed or would be, files that could not be read, errors, totals",
        omits: "files that were in order, settings that a verbose run prints",
        anchors: &[
            "would reformat ",
            "reformatted ",
            "would be left unchanged",
            "left unchanged",
            "already well formatted",
            "All matched files use Prettier",
            "Checking formatting...",
            "Code style issues ",
            "ms (unchanged)",
            "already formatted",
            "Imports are incorrectly sorted",
            "Everything Looks Good!",
            "Would reformat: ",
            "Fixing ",
        ],
    },
    &["black", "isort", "prettier", "ruff format", "autoflake", "dprint"],
    2,
    &[
        (r"would reformat \S.*", Shows),
        (r"Would reformat: \S.*", Shows),
        (r"reformatted \S.*", Shows),
        (r"\d+ files? (?:would be |already )?(?:reformatted|formatted|left unchanged).*", Shows),
        (r"All done! .*|Oh no! .*", Shows),
        (r"\S.* already well formatted, good job\.", Hide(Reason::Clean)),
        (r"\S.* wasn't modified on disk since last run\.", Hide(Reason::Clean)),
        (r"Using configuration from .*|Using configuration in .*", Keep),
        (
            r"(?:Identified `.*` as project root|Found input source(?: directory)?:? ).*",
            Hide(Reason::Progress),
        ),
        (r"\S.* ignored: .*", Hide(Reason::Progress)),
        (r"Checking formatting\.\.\.", Shows),
        (r"All matched files use Prettier code style!", Shows),
        (r"\[warn\] Code style issues .*", Shows),
        (r"\[warn\] \S.*", Keep),
        (r"\S.* \d+ms \(unchanged\)", Hide(Reason::Clean)),
        (r"\S.* \d+ms(?: \(cached\))?", Keep),
        (r"SUCCESS: \S.* Everything Looks Good!", Hide(Reason::Clean)),
        (r"ERROR: \S.* Imports are incorrectly sorted and/or formatted\.", Shows),
        (r"Fixing \S.*", Keep),
        (r"Skipped \d+ files.*", Keep),
    ],
);
