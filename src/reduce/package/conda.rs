//! `conda`, `mamba` and `micromamba` `install`, `create`, `update`, `remove`: the marker names the packages of the
//! plan. Downloads and successful transactions are left out; pins, changes of versions, conflicts and errors are
//! kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Named, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static CONDA: Format = Format::new(
    Meta {
        id: "conda",
        family: "package",
        reads: "`conda`, `mamba`, `micromamba`: `install`, `create`, `update`, `env create`, `remove`",
        keeps: "the location, the specs, packages that change their version or channel, conflicts, warnings, errors",
        omits: "metadata, downloads, transactions that are done; new packages are named with version and build",
        anchors: &[
            "Solving environment",
            "## Package Plan ##",
            "Transaction finished",
            "Preparing transaction",
            "Collecting package metadata",
            "Confirm changes",
            "Install: ",
            "Fetching package metadata ",
            "Solving package specifications: ",
        ],
    },
    &[
        "conda install",
        "conda create",
        "conda update",
        "conda remove",
        "conda env create",
        "conda env update",
        "conda upgrade",
        "mamba install",
        "mamba create",
        "mamba update",
        "mamba remove",
        "mamba env create",
        "mamba env update",
        "mamba upgrade",
        "micromamba install",
        "micromamba create",
        "micromamba update",
        "micromamba remove",
        "micromamba env create",
        "micromamba env update",
        "micromamba upgrade",
    ],
    2,
    &[
        // conda before 4.4. Its lines on a package look the same for installing and removing, so they are kept.
        (r"Fetching package metadata \.*", Hide(Reason::Progress)),
        (r"Solving package specifications: ?\.*", Hide(Reason::Progress)),
        (r"Package plan for (?:installation|package removal) in environment .*:", Shows),
        (r"Solving environment: (?:\.\.\.working\.\.\. )?done", Shows),
        (r"## Package Plan ##", Shows),
        (r"Transaction finished", Shows),
        (
            r"(?:Preparing|Verifying|Executing) transaction: (?:\.\.\.working\.\.\. |[|/\\ -]*)*done",
            Hide(Reason::Progress),
        ),
        (
            r"(?:Collecting package metadata .*|Retrieving notices): (?:\.\.\.working\.\.\. |[|/\\ -]*)*done",
            Hide(Reason::Progress),
        ),
        (r"Downloading and Extracting Packages:?(?: \.\.\.working\.\.\.)?(?: done)?", Hide(Reason::Progress)),
        (r"(?:\S+ +\| +[\d.]+ [kKMG]?B +\| .*|\S+ +\|[ #\d.]*\| +\d+%.*)", State),
        (r"  (\S+)  +\S+::\S+?-(\d\S*?-\S+)(?: None)?", Named(Reason::Packages)),
        (r"  [+] (\S+)  +(\S+)  +(\S+)  +\S+  +(?:Cached|\d.*)", Named(Reason::Packages)),
        (r"  [-~^] .*", Keep),
        (
            r"(?:The following packages will be downloaded:|    package +\|  +build|    -+\|-+|    \S+ +\| *\S+ +[\d.]+ [kKMG]?B.*|    -{20,})",
            Hide(Reason::Progress),
        ),
        (
            r"(?:\S+ +[\d.]+[kKMG]?B @ +\S+ .*|\S+/\S+ +(?:No change|Using cache|\d.*[kKMG]?B.*)|Linking (\S+-\S+-\S+)|Unlinking .*)",
            Hide(Reason::Progress),
        ),
        (r"(?:\[\+\] [\d.]+s|Looking for: .*|Updating specs:)", Hide(Reason::Progress)),
        (
            r"#(?: To (?:activate|deactivate) (?:this|an active) environment, use:?| > source (?:activate|deactivate)\b.*|  +\$ (?:conda|mamba|micromamba) (?:activate|deactivate).*)?",
            Hide(Reason::PackageHints),
        ),
    ],
);
