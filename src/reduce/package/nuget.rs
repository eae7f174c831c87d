//! `dotnet restore`, `dotnet add package` and `nuget restore`: requests go, packages are named with their versions, restored projects,
//! warnings and errors stay.

use crate::pipeline::reason::Reason;
use crate::reduce::Meta;
use crate::reduce::format::Fate::{Goes, Named, Shows, Stays};
use crate::reduce::format::Format;

/// See the module.
pub static NUGET: Format = Format::new(
    Meta {
        id: "nuget",
        family: "package",
        reads: "`dotnet restore`, `dotnet add package`, `nuget restore`, `nuget install`",
        keeps: "restored projects, `NU…` warnings and errors, versions that were chosen",
        folds: "requests, caches, locks; installed packages are named",
        anchors: &[
            "Determining projects to restore",
            "Restored ",
            "All projects are up-to-date for restore",
            "info : ",
            "Restoring NuGet package",
            "Restoring packages for ",
        ],
    },
    &["dotnet restore", "dotnet add", "dotnet tool", "dotnet workload", "nuget restore", "nuget install"],
    1,
    &[
        (r" *(?:log  : )?Restored \S.* \(in .*\)\.", Shows),
        (r" *All projects are up-to-date for restore\.", Shows),
        (r".*(?:error|warning|error :|warn :) ?:? ?NU\d{4}.*", Stays),
        (r" *(?:info : +|log  : )?Installed (\S+ \d\S*) from .*", Named(Reason::Packages)),
        (r" *(?:info : )PackageReference for package .*", Shows),
        (
            r" *(?:info : +)?(?:GET|OK|CACHE|NotFound|ACCEPTED|Retrieving package|Acquiring lock|Writing|Generating|Restoring packages for|Assets file|Adding PackageReference|X\.509|Committing restore|Checking compatibility|Package .* is compatible|All packages and projects are compatible|Installing|Successfully installed|Added package|Adding package|Completed installation|MSBuild auto-detection|Resolv|Attempting to gather|Gathering).*",
            Goes(Reason::Progress),
        ),
        (r" *Determining projects to restore\.\.\.", Goes(Reason::Progress)),
    ],
);
