//! `uv add`, `sync`, `lock`, `remove` and `uv pip`: fetches are left out. The marker names packages that were added,
//! removed or changed, with their versions; counts, warnings, conflicts and failures are kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Named, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static UV: Format = Format::new(
    Meta {
        id: "uv",
        family: "package",
        reads: "`uv add`, `remove`, `sync`, `lock`, `uv pip install`, `uninstall`, `sync`, also verbose",
        keeps: "counts of resolved, prepared and installed packages, warnings, explanations of conflicts, build failures with their output",
        omits: "downloads, builds that succeeded, `DEBUG` and `TRACE` lines; installed and removed packages are named",
        anchors: &[
            "Resolved ",
            "Installed ",
            "Prepared ",
            "Uninstalled ",
            "Audited ",
            "Checked ",
            " + ",
            "Using CPython ",
            "No solution found",
        ],
    },
    &[
        "uv pip",
        "uv add",
        "uv remove",
        "uv sync",
        "uv lock",
        "uv tool",
        "uv venv",
        "uv build",
        "uv pip install",
    ],
    2,
    &[
        (r"(?:Resolved|Prepared|Installed|Uninstalled|Audited|Checked) \d+ packages? in [\d.]+m?s", Shows),
        (r"(?:error|warning|hint|  cause)(?:: ).*", Keep),
        (r" ([+~-] \S+==\S+(?: \(from \S+\))?)", Named(Reason::Packages)),
        (
            r" *(?:Downloading|Downloaded|Building|Built|Updating|Updated|Preparing|Fetching) \S+(?: .*)?",
            Hide(Reason::Progress),
        ),
        (
            r"(?:Using CPython .*|Using Python \S+ environment at.*|Creating virtual environment at.*|Activate with: .*)",
            Hide(Reason::Progress),
        ),
        (r"(?:DEBUG|TRACE|INFO) .*", Hide(Reason::Progress)),
        (r" *(?:\xE2\xA0[\x80-\xBF]) .*", State),
        (r"(?:Updated|Added|Removed) \S+ v\S+(?: -> v\S+)?", Shows),
    ],
);
