//! `go get`, `go mod` and `go install`: downloads are left out; modules that were found, added or changed are
//! named, and errors are kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Named, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static GO_MODULES: Format = Format::new(
    Meta {
        id: "go_modules",
        family: "package",
        reads: "`go get`, `go mod tidy`, `download`, `vendor`, `go install`",
        keeps: "errors with their import chains, removed modules",
        omits: "downloads, requests; added, changed and found modules are named with their versions",
        anchors: &[
            "go: downloading ",
            "go: added ",
            "go: upgraded ",
            "go: found ",
            "go: finding ",
            "# get http",
        ],
    },
    &["go get", "go mod", "go install", "go work"],
    0,
    &[
        (r"go: downloading .*", Hide(Reason::Progress)),
        (r"go: extracting .*", Hide(Reason::Progress)),
        (r"go: finding module for package .*", Hide(Reason::Progress)),
        (r"go: (added \S+ v\S+)", Named(Reason::Packages)),
        (r"go: ((?:upgraded|downgraded) \S+ \S+ => \S+)", Named(Reason::Packages)),
        (r"go: found \S+ in (\S+ v\S+)", Named(Reason::Packages)),
        (r"# get \S+(?:: 200 OK \([\d.]+s\))?", Hide(Reason::Progress)),
        (r"go: .*", Shows),
    ],
);
