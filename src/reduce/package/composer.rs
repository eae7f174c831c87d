//! `composer install`, `require`, `update`, `remove`: downloads are left out, packages are named with their
//! versions; counts, problems, advisories and abandoned packages are kept.
//!
//! Lines as written by Composer 1 and 2.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Named, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static COMPOSER: Format = Format::new(
    Meta {
        id: "composer",
        family: "package",
        reads: "`composer install`, `require`, `update`, `remove`",
        keeps: "counts of operations, abandoned packages, advisories, problems with their reasons, errors",
        omits: "downloads, autoload files, bars, funding notices; installed, changed and removed packages are named",
        anchors: &[
            "Lock file operations",
            "Package operations",
            "Loading composer repositories",
            "Installing dependencies from lock file",
            "Generating autoload files",
            "Generating optimized autoload files",
        ],
    },
    &[
        "composer install",
        "composer require",
        "composer update",
        "composer remove",
        "composer create-project",
        "composer global require",
        "composer dump-autoload",
    ],
    1,
    &[
        (r"(?:Lock file|Package) operations: .*", Shows),
        (r"Nothing to (?:install|modify).*", Shows),
        (
            r"(?:No security vulnerability advisories found\.?|Found \d+ security vulnerability advisor.*)",
            Shows,
        ),
        (r"  - Installing (\S+ \([^()]*\))(?:: .*)?", Named(Reason::Packages)),
        (
            r"  - ((?:Upgrading|Updating|Downgrading|Removing) \S+ \([^()]*\))(?:: .*)?",
            Named(Reason::Packages),
        ),
        (r"  - (?:Downloading|Locking) \S+ \([^()]*\)", Hide(Reason::Progress)),
        (r" +\d+/\d+ \[[=>-]*\] +\d+%", Hide(Reason::Progress)),
        (r"(?: +\d+ \[[=>-]+\])+", Hide(Reason::Progress)),
        (
            r"(?:Loading composer repositories with package information|Updating dependencies(?: \(including require-dev\))?|Writing lock file|Installing dependencies(?: \(including require-dev\))? from lock file|Installing dependencies from lock file(?: \(including require-dev\))?|Verifying lock file contents can be installed on current platform\.|Generating (?:optimized )?autoload files.*|\./composer\.json has been updated|Running composer update .*|Use the `composer fund` command to find out more!|\d+ packages? you are using (?:is|are) looking for funding\.)",
            Hide(Reason::Progress),
        ),
        (
            r"(?:\d+ package suggestions? were added by new dependencies.*|Do not run Composer as root.*|Continue as root/super user.*)",
            Hide(Reason::PackageHints),
        ),
    ],
);
