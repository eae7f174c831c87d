//! `bun install`, `add`, `update`, `remove`: steps are left out; packages with versions, counts, warnings and
//! errors are kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static BUN: Format = Format::new(
    Meta {
        id: "bun",
        family: "package",
        reads: "`bun install`, `add`, `update`, `remove`",
        keeps: "packages with versions, counts, blocked scripts, warnings, errors",
        omits: "steps and the saving of the lock file",
        anchors: &[
            "bun install v",
            "bun add v",
            "bun remove v",
            "bun update v",
            " packages installed [",
            " package installed [",
        ],
    },
    &["bun install", "bun i", "bun add", "bun update", "bun remove"],
    2,
    &[
        (r"bun (?:install|add|remove|update) v\S+ .*", Shows),
        (r"\d+ packages? (?:installed|removed).*", Shows),
        (r"Checked \d+ installs? across .*", Shows),
        (r"installed \S+@\S+.*", Shows),
        (r"[+-] \S+.*", Keep),
        (r"(?:error|warn)(?:: | ).*", Keep),
        (
            r"(?:Resolving dependencies|Resolved, downloaded and extracted \[\d+\]|Saved (?:bun\.)?lock(?:file|b)?.*|Saved lockfile|Migrated lockfile.*)",
            Hide(Reason::Progress),
        ),
        (
            r" *(?:.{1,4}) (?:Resolving|Downloading|Installing|Saving|Extracting|Linking).*(?:\[\d+/\d+\]|\.\.\.)",
            State,
        ),
    ],
);
