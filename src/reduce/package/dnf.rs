//! `dnf` and `yum` `install`, `update`, `remove`: packages are named with their versions from the table of the transaction, downloads,
//! checks and the steps of the transaction go.

use crate::pipeline::reason::Reason;
use crate::reduce::Meta;
use crate::reduce::format::Fate::{Goes, Named, Shows, Stays};
use crate::reduce::format::Format;

/// See the module.
pub static DNF: Format = Format::new(
    Meta {
        id: "dnf",
        family: "package",
        reads: "`dnf`, `yum`, `microdnf`: `install`, `update`, `upgrade`, `remove`",
        keeps: "the summary with counts and sizes, warnings, scriptlets that failed, errors, the result",
        folds: "metadata, downloads, checks, steps of the transaction; packages are named with architecture and version",
        anchors: &[
            "Dependencies resolved.",
            "Dependencies Resolved",
            "Transaction Summary",
            "Last metadata expiration check",
            "Complete!",
            "Nothing to do.",
        ],
    },
    &[
        "dnf install",
        "dnf update",
        "dnf upgrade",
        "dnf remove",
        "dnf groupinstall",
        "dnf reinstall",
        "dnf makecache",
        "yum install",
        "yum update",
        "yum upgrade",
        "yum remove",
        "yum groupinstall",
        "yum reinstall",
        "yum makecache",
        "microdnf install",
        "microdnf update",
        "microdnf upgrade",
        "microdnf remove",
        "microdnf groupinstall",
        "microdnf reinstall",
        "microdnf makecache",
        "dnf5 install",
        "dnf5 update",
        "dnf5 upgrade",
        "dnf5 remove",
        "dnf5 groupinstall",
        "dnf5 reinstall",
        "dnf5 makecache",
    ],
    2,
    &[
        (r"Complete!", Shows),
        (r"Nothing to do\.?", Shows),
        (r"(?:Install|Upgrade|Remove|Downgrade|Skip) +\d+ Packages?.*", Shows),
        (r"(?:Error|Warning|warning|error): .*", Stays),
        (
            r" (\S+) +(?:x86_64|noarch|aarch64|i[3-6]86|ppc64le|s390x|armv7hl) +(\S+) +\S+ +[\d.]+ [kMG]",
            Named(Reason::Installed),
        ),
        (r"Package \S+ is already installed\.", Stays),
        (r"Last metadata expiration check: .*", Goes(Reason::Progress)),
        (
            r"(?:Dependencies [rR]esolved\.?|Transaction Summary|=+|-{20,}| Package +Arch.* +Size| *Package +Architecture.* +Size)",
            Goes(Reason::Progress),
        ),
        (r"\(\d+/\d+\): \S+ +.*[kMG]?B.*", Goes(Reason::Progress)),
        (
            r"(?:Downloading Packages:|Running transaction(?: check| test)?|Transaction (?:check|test) succeeded\.?|--> .*|---> .*|Resolving Dependencies|Loaded plugins: .*|Running rpm_check_debug|Determining fastest mirrors| \* \w+: \S+)",
            Goes(Reason::Progress),
        ),
        (
            r" +(?:Preparing|Installing|Upgrading|Updating|Cleanup|Erasing|Verifying|Running scriptlet|Obsoleting|Reinstalling) *: .*",
            Goes(Reason::Progress),
        ),
        (
            r"  (?:\S+-\S+\.(?:x86_64|noarch|aarch64|i[3-6]86|ppc64le|s390x|armv7hl)(?: +|$))+",
            Goes(Reason::Progress),
        ),
        (
            r"(?:[\w .()+-]+? +|\S.* +)[\d.]+ ?[kMG]?B/s \| +[\d.]+ [kMG]?B +\d\d:\d\d *(?:ETA)?",
            Goes(Reason::Progress),
        ),
    ],
);
