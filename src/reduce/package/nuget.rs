//! `dotnet restore`, `dotnet add package` and `nuget restore`: requests are left out, packages are named with
//! their versions; restored projects, warnings and errors are kept.
//!
//! Lines as written by NuGet 2.8 and by the `dotnet` of .NET Core 3 and later.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Named, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static NUGET: Format = Format::new(
    Meta {
        id: "nuget",
        family: "package",
        reads: "`dotnet restore`, `dotnet add package`, `nuget restore`, `nuget install`",
        keeps: "restored projects, `NU…` warnings and errors, versions that were chosen",
        omits: "requests, caches, locks; installed packages are named",
        anchors: &[
            "Determining projects to restore",
            "Restored ",
            "All projects are up-to-date for restore",
            "info : ",
            "Restoring NuGet package",
            "Restoring packages for ",
            "Restore completed in ",
            "Attempting to resolve dependency ",
            "Successfully installed '",
        ],
    },
    &["dotnet restore", "dotnet add", "dotnet tool", "dotnet workload", "nuget restore", "nuget install"],
    1,
    &[
        (r" *(?:log  : )?Restored \S.* \(in .*\)\.", Shows),
        // NuGet 5.4 and older.
        (r" *(?:log  : )?Restore (?:completed|failed) in .* for \S.*\.", Shows),
        (r"'\S+ \d\S*' already installed\.", Shows),
        (r"All packages listed in \S+ are already installed\.", Shows),
        (r" *All projects are up-to-date for restore\.", Shows),
        (r".*(?:error|warning|error :|warn :) ?:? ?NU\d{4}.*", Keep),
        (r" *(?:info : +|log  : )?Installed (\S+ \d\S*) from .*", Named(Reason::Packages)),
        (r" *(?:info : +)?Installing ([^\s']+ \d\S*)\.", Named(Reason::Packages)),
        (r"Successfully installed '(\S+ \d\S*)'(?: to .*|\.)?", Named(Reason::Packages)),
        (r"Added package '(\S+\d)' to folder .*", Named(Reason::Packages)),
        (r" *(?:info : )PackageReference for package .*", Shows),
        (
            r" *(?:info : +)?(?:GET|OK|CACHE|NotFound|ACCEPTED|Retrieving package|Acquiring lock|Writing|Generating|Restoring packages for|Assets file|Adding PackageReference|X\.509|Committing restore|Checking compatibility|Package .* is compatible|All packages and projects are compatible|Installing '|Adding package|Completed installation|MSBuild auto-detection|Resolv|Attempting to (?:gather|resolve)|Gathering).*",
            Hide(Reason::Progress),
        ),
        (r" *Determining projects to restore\.\.\.", Hide(Reason::Progress)),
    ],
);
