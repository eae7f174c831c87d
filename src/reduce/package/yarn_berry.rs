//! `yarn install`, `add` of yarn 2 to 4 (berry), whose lines carry codes such as `YN0013`: the codes of steps
//! and fetches are left out, all others are kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static YARN_BERRY: Format = Format::new(
    Meta {
        id: "yarn_berry",
        family: "package",
        reads: "`yarn install`, `add`, `up` of yarn 2 to 4",
        keeps: "what was added, peer warnings (YN0002, YN0060, YN0086), deprecations, builds that failed, errors, the result",
        omits: "beginnings and ends of steps, packages fetched one by one (YN0013, YN0019), builds that run (YN0007, YN0008)",
        anchors: &[": ┌ ", ": · Yarn ", "YN0000: ", "YN0013: "],
    },
    &["yarn", "yarn install", "yarn add", "yarn up", "yarn remove", "yarn dedupe"],
    1,
    &[
        (r"(?:\xE2\x9E\xA4 )?YN0000: (?:\xC2\xB7 )?(?:Done|Failed) .*", Shows),
        (r"(?:\xE2\x9E\xA4 )?YN0000: \xC2\xB7 Yarn .*", Shows),
        (
            r"(?:\xE2\x9E\xA4 )?YN0000: (?:\xE2\x94\x8C .*|\xE2\x94\x94 Completed(?: in .*)?)",
            Hide(Reason::Progress),
        ),
        (
            r"(?:\xE2\x9E\xA4 )?YN00(?:13|19): .*(?:will be fetched from|appears to be unused|has been added to the cache|fetched from the remote|No packages were cached|found in the cache).*",
            Hide(Reason::Progress),
        ),
        (r"(?:\xE2\x9E\xA4 )?YN000(?:7|8): .*must be (?:built|rebuilt) because.*", Hide(Reason::Progress)),
        (r"(?:\xE2\x9E\xA4 )?YN\d{4}: .*", Keep),
    ],
);
