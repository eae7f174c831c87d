//! `pip install`, `uninstall`, `wheel` and `download`: fetches and their addresses are left out. The marker names
//! versions that were already there; what was installed, warnings and refusals are kept.
//!
//! Lines as written by pip 9 to 26 without a terminal. `Collecting` is left out because its outcome is kept: the line
//! `Successfully installed`, or an error.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Named, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static PIP: Format = Format::new(
    Meta {
        id: "pip",
        family: "package",
        reads: "`pip install`, `pip download`, `pip wheel`, `pip uninstall`",
        keeps: "what was installed or removed with versions, notices, warnings, conflicts, build failures, errors",
        omits: "downloads, caches, build steps that succeeded; requirements that were already satisfied are named",
        anchors: &[
            "Collecting ",
            "Requirement already satisfied: ",
            "Successfully installed ",
            "Found existing installation: ",
        ],
    },
    &[
        "pip install",
        "pip3 install",
        "pip download",
        "pip3 download",
        "pip wheel",
        "pip3 wheel",
        "pip uninstall",
        "pip3 uninstall",
    ],
    1,
    &[
        (r"Successfully (?:un)?installed .*", Shows),
        (r"Successfully (?:built|downloaded) .*", Keep),
        (r"Saved \S+\.(?:whl|tar\.gz|zip)", Shows),
        // The version that is replaced: it shows whether this is an upgrade or a downgrade.
        (r" +Found existing installation: .*", Keep),
        (r"Installing collected packages: .*", Hide(Reason::Progress)),
        (
            r"Requirement already (?:satisfied|up-to-date): ([\w.\[\]-]+)\S* in \S+(?: \(from [^()]*\))? (\(\d\S*\))",
            Named(Reason::Satisfied),
        ),
        (r"Collecting \S.*", State),
        (r" +(?:Downloading|Using cached) \S.*", State),
        (
            r" +(?:Downloading|Using cached|Obtaining dependency information|Getting requirements to build|Preparing metadata|Installing build dependencies|Installing backend dependencies|Checking if build backend supports|Created wheel|Building wheel|Building editable|Stored in directory|Attempting uninstall|Uninstalling|Successfully uninstalled) ?.*",
            Hide(Reason::Progress),
        ),
        (r"Building wheels for collected packages.*", Hide(Reason::Progress)),
        // Where the packages come from, and where they go.
        (r"(?:Looking in (?:indexes|links): |Defaulting to user installation).*", Keep),
        (r"(?:Downloading|Using cached) \S+ ?.*", State),
        (r" *(?:\xE2\x94\x81|\xE2\x95\xB8|\xE2\x95\xBA|\xE2\x96\x88)+ .*", State),
        (r" +\|?\S*\| [\d.]+ ?[kMG]?B.*", State),
        (r" +[\d.]+/[\d.]+ ?[kMG]?B .*", State),
    ],
);
