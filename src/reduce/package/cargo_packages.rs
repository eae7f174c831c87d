//! `cargo add`, `update`, `fetch`, `install`, `remove`, `audit`: the index, downloads and compiling are left
//! out; changes of versions, features and advisories are kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Named, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static CARGO_PACKAGES: Format = Format::new(
    Meta {
        id: "cargo_packages",
        family: "package",
        reads: "`cargo add`, `remove`, `update`, `fetch`, `install`, `generate-lockfile`, `audit`",
        keeps: "what was added with its features, changes of versions, counts, warnings, advisories, what was installed, errors",
        omits: "the index, downloads, crates that were compiled, features that are off; locked crates are named",
        anchors: &[
            "Updating ",
            "Downloaded ",
            "Downloading ",
            "Locking ",
            "    Fetching ",
            "  Installing ",
            "     Removing ",
            "Installed package",
        ],
    },
    &[
        "cargo add",
        "cargo remove",
        "cargo rm",
        "cargo update",
        "cargo fetch",
        "cargo install",
        "cargo generate-lockfile",
        "cargo audit",
        "cargo deny",
        "cargo upgrade",
        "cargo vendor",
    ],
    0,
    &[
        (r" +(?:error|warning).*", Keep),
        (r" +Adding .* to .*dependencies\.?", Shows),
        (r" +Removing .* from .*dependencies", Shows),
        (r" +Locking \d+ packages?.*", Shows),
        (r" +Installing (?:\S+ v\S+|/\S+)(?: .*)?", Shows),
        (r" +(?:Installed|Replaced|Replacing|Ignored|Finished|Summary|Scanning) .*", Shows),
        (r" +Adding (\S+ v\S+(?: \(.*\))?)", Named(Reason::Packages)),
        (r" +(?:Updating|Downgrading|Removing|Upgrading) \S+ v\S+.*", Keep),
        (r" +Unchanged (\S+ v\S+(?: \(.*\))?)", Named(Reason::Satisfied)),
        (
            r" +(?:Updating (?:crates\.io|\S+) index|Updating git repository .*|Downloading .*|Downloaded .*|Compiling .*|Blocking .*|Fetching .*|Loaded \d+ security advisories.*|Vendoring .*|Fresh .*|Building .*)",
            Hide(Reason::Progress),
        ),
        (r" {13}- .*", Hide(Reason::Progress)),
        (r" {13}\+ .*", Keep),
    ],
);
