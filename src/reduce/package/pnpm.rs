//! `pnpm install`, `add`, `update`: only the last progress line with counts and downloads is kept. Added packages,
//! warnings, peer issues and errors are kept.
//!
//! Lines as written by pnpm 7 to 10 without a terminal.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static PNPM: Format = Format::new(
    Meta {
        id: "pnpm",
        family: "package",
        reads: "`pnpm install`, `add`, `update`, `remove` of pnpm 7 to 10",
        keeps: "the final counts, direct dependencies with versions, ` WARN ` lines with names, peer issues, scripts, `ERR_PNPM_…`",
        omits: "running counts, downloads, bars of `+`, scripts that are done, update notices",
        anchors: &[
            "Progress: resolved ",
            "Packages: +",
            "Packages: -",
            "Lockfile is up to date",
            "ERR_PNPM_",
            "Already up to date",
            "dependencies:",
        ],
    },
    &[
        "pnpm install",
        "pnpm i",
        "pnpm add",
        "pnpm update",
        "pnpm up",
        "pnpm remove",
        "pnpm rm",
        "pnpm fetch",
        "pnpm import",
        "pnpm dedupe",
        "pnpm rebuild",
    ],
    2,
    &[
        (r"Progress: resolved \d+, reused \d+, downloaded \d+, added \d+, done", Shows),
        (r"Progress: resolved .*", State),
        (r"Packages: (?:[+-]\d+ ?)+", Shows),
        (r"[+-]+", Hide(Reason::Progress)),
        (r"(?:devD|optionalD|d)ependencies:(?: skipped.*)?", Keep),
        (r"(?:[+-]) \S+ \S+.*", Keep),
        (r"Done in .*", Keep),
        (r"Already up to date", Shows),
        (r" ?ERR_PNPM_.*", Shows),
        (r" *(?:WARN|ERROR|ERR).*", Keep),
        (r"Lockfile is up to date, resolution step is skipped", Hide(Reason::Progress)),
        (
            r"(?:Packages are hard linked from|Packages are copied from|  Content-addressable store is at:|  Virtual store is at:) .*",
            Hide(Reason::Progress),
        ),
        (r"Downloading .*: [\d.]+ [kMG]?B/[\d.]+ [kMG]?B.*", Hide(Reason::Progress)),
        (r"(?:\.|\S+/\S+)? ?(?:pre|post)?install: Done(?: in .*)?", Hide(Reason::Progress)),
        (
            r#".*(?:Update available! .*|Changelog: https://github\.com/pnpm/.*|Run "?(?:corepack|pnpm) .* to update\.?.*|Follow @pnpmjs .*).*"#,
            Hide(Reason::PackageHints),
        ),
    ],
);
