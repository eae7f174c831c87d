//! `yarn install`, `add`, `remove`, `audit` of yarn 1: the steps are left out; warnings, what was added and
//! errors are kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static YARN: Format = Format::new(
    Meta {
        id: "yarn",
        family: "package",
        reads: "`yarn`, `yarn install`, `add`, `remove`, `upgrade`, `audit` of yarn 1, also verbose",
        keeps: "warnings with names, direct dependencies, counts, vulnerabilities, time, errors",
        omits: "the steps `[1/4] …`, verbose lines, pointers to the documentation",
        anchors: &[
            "yarn install v",
            "yarn add v",
            "yarn remove v",
            "yarn upgrade v",
            "yarn audit v",
            "Resolving packages...",
            "Fetching packages...",
            "yarn import v",
            "yarn global v",
        ],
    },
    &[
        "yarn",
        "yarn install",
        "yarn add",
        "yarn remove",
        "yarn upgrade",
        "yarn audit",
        "yarn import",
        "yarn global",
    ],
    2,
    &[
        (r"yarn (?:install|add|remove|upgrade|audit|import|check|global|outdated|list) v[\d.]+", Shows),
        (r"Done in [\d.]+s\.", Shows),
        (r"error .*", Shows),
        (r"warning .*", Keep),
        (r"success (?:Already up-to-date\.|Saved \d+ new dependenc.*)", Shows),
        (r"success .*", Keep),
        (
            r"info (?:Visit https://\S+ for documentation about this command\.|No lockfile found\.)",
            Hide(Reason::PackageHints),
        ),
        (r"(?:info (?:Direct|All) dependencies|(?:\xE2\x94\x9C|\xE2\x94\x94)\xE2\x94\x80 \S+@\S+)", Keep),
        (r"info .*", Keep),
        (
            r"\[\d/\d\] (?:Validating package\.json|Resolving packages|Fetching packages|Linking dependencies|Building fresh packages|Rebuilding all packages|Removing module \S+|Cleaning modules|Auditing.*|.{0,6} ?(?:Resolving|Fetching|Linking|Building|Rebuilding) .*)\.*",
            Hide(Reason::Progress),
        ),
        (r"verbose .*", Hide(Reason::Progress)),
        (r"\[[-#]+\] \d+/\d+.*", State),
        (r"\d+ vulnerabilities found - Packages audited: \d+", Shows),
        (r"Severity: .*", Keep),
    ],
);
