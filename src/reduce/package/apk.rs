//! `apk add`, `upgrade`, `del`, `update`: packages are named with their versions; fetches and triggers are left
//! out.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Named, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static APK: Format = Format::new(
    Meta {
        id: "apk",
        family: "package",
        reads: "`apk add`, `upgrade`, `del`, `update`",
        keeps: "the total, warnings, errors",
        omits: "fetches and triggers; installed, upgraded and removed packages are named",
        anchors: &["fetch http", "OK: ", ") Installing ", ") Upgrading ", ") Purging "],
    },
    &["apk add", "apk upgrade", "apk del", "apk update", "apk fix"],
    1,
    &[
        (r"OK: \d.* (?:in|packages?).*", Shows),
        (r"(?:ERROR|WARNING): .*", Keep),
        (r"\( *\d+/\d+\) Installing (\S+ \([^()]*\))", Named(Reason::Packages)),
        (
            r"\( *\d+/\d+\) ((?:Upgrading|Downgrading|Purging|Reinstalling|Replacing) \S+ \([^()]*\))",
            Named(Reason::Packages),
        ),
        (r"fetch https?://.*", Hide(Reason::Progress)),
        (
            r"Executing \S+\.(?:trigger|post-install|pre-install|post-upgrade|pre-upgrade|post-deinstall|pre-deinstall)",
            Hide(Reason::Progress),
        ),
        (r" *\d+% (?:#| )*", State),
        (r"v\d\S+ \[https?://.*\]", Keep),
    ],
);
