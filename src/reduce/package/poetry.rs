//! `poetry install`, `add`, `update`, `lock`, `remove`: packages are named with their versions, the plan and errors stay.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Named, Opens, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static POETRY: Format = Format::new(
    Meta {
        id: "poetry",
        family: "package",
        reads: "`poetry install`, `add`, `update`, `lock`, `remove`",
        keeps: "the count of operations, warnings, conflicts, packages that failed with their output",
        omits: "resolving, downloads; installed, updated and removed packages are named",
        anchors: &[
            "Package operations: ",
            "Installing dependencies from lock file",
            "Resolving dependencies...",
            "Writing lock file",
            "No dependencies to install or update",
        ],
    },
    &[
        "poetry install",
        "poetry add",
        "poetry update",
        "poetry lock",
        "poetry remove",
        "poetry sync",
        "poetry self",
    ],
    1,
    &[
        (r"Package operations: .*", Shows),
        (
            r"(?:Installing dependencies from lock file|No dependencies to install or update|Writing lock file)",
            Shows,
        ),
        (r" +(?:-|\xE2\x80\xA2) .*: (?:Failed|Cancelled).*", Opens),
        (
            r" +(?:-|\xE2\x80\xA2) Installing (\S+ \([^()]*\))(?:: Installing\.\.\.|: Pending\.\.\.)?",
            Named(Reason::Packages),
        ),
        (
            r" +(?:-|\xE2\x80\xA2) ((?:Updating|Removing) \S+ \([^()]*\))(?:: .*\.\.\.)?",
            Named(Reason::Packages),
        ),
        // A downgrade is kept, because nobody expects it.
        (r" +(?:-|\xE2\x80\xA2) Downgrading \S+ \([^()]*\)", Keep),
        (
            r" +(?:-|\xE2\x80\xA2) (?:Installing|Updating|Downgrading|Removing) \S+ \([^()]*\): (?:Downloading|Preparing|Installing|Building|Pending|Unpacking|Cloning|Removing|Updating)\.\.\.(?: .*)?",
            State,
        ),
        (
            r" +(?:-|\xE2\x80\xA2) (?:Installing|Updating) (\S+ \([^()]*\)): Skipped for the following reason: .*",
            Named(Reason::Satisfied),
        ),
        (
            r"(?:Updating dependencies|Resolving dependencies\.\.\.(?: \([\d.]+s\))?|Creating virtualenv .*)",
            Hide(Reason::Progress),
        ),
        (r"Installing the current project: .*", Keep),
        (r"Using version .*", Shows),
    ],
);
