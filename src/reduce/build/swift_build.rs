//! `swift build`, `swift run` and `swift package`: steps and fetches are left out, and the marker names versions of
//! packages; messages of the compiler and the package manager are kept.
//!
//! Lines as written by SwiftPM 5.0 to 6.2 without a terminal. Excerpts below a diagnostic have no form and are kept.
//! With `-v`, the command of a step is left out if another step follows, so that of the failed step is kept.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Named, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static SWIFT_BUILD: Format = Format::new(
    Meta {
        id: "swift_build",
        family: "build",
        reads: "`swift build`, `swift run`, `swift package`",
        keeps: "errors, warnings, notes with their excerpts, failures, durations",
        omits: "steps, fetches and clones; packages are named with the version that was chosen",
        anchors: &[
            "Building for debugging...",
            "Building for production...",
            "Building for testing...",
            "Build complete!",
            "Build of product '",
            "Compile Swift Module '",
            "] Compiling ",
        ],
    },
    &["swift build", "swift run", "swift package", "swift test"],
    2,
    &[
        (r"Building for (?:debugging|production|testing)\.\.\.", Shows),
        (r"Build (?:of product '.*' )?complete!(?: \([\d.]+ ?s\))?", Shows),
        (r"\S.*\.swift:\d+:\d+: (?:error|warning|note|remark): .*", Shows),
        (r"(?:error|warning): .*", Keep),
        (
            r"\[\d+(?:/\d+)?\] (?:Compiling|Emitting module|Linking|Wrapping AST|Write|Planning build|Merging module|Applying|Copying|Generating|Building|Build complete|Processing|Precompiling|Extracting|Compile Swift Module|Linking \./)[ !].*",
            Hide(Reason::Progress),
        ),
        (r"\[\d+(?:/\d+)?\] (?:Planning build|Write .*|Building|/.*\.swift)", Hide(Reason::Progress)),
        (r"Write auxiliary file /.*", Hide(Reason::Progress)),
        (r"/\S*/(?:swift(?:c|-frontend|-autolink-extract)?|clang|ar|llvm-ar) -.*", State),
        (r" \x22/\S*/(?:ld|ld\.\w+)\x22 -.*", State),
        (
            r"(?:Swift version \d|clang version \d|Target: |Thread model: |InstalledDir: |(?:Found candidate|Selected) GCC installation: |(?:Candidate|Selected) multilib: |Build config: ).*",
            State,
        ),
        (r"(?:Compile Swift Module '.*|Linking \./.*|Planning build)", Hide(Reason::Progress)),
        (r"Working copy of (\S+) resolved at (\S+)(?: \([\d.]+ ?s\))?", Named(Reason::Packages)),
        (r"Resolving (https?://\S+) at (\d\S*)", Named(Reason::Packages)),
        (
            r"(?:Fetching|Fetched|Updating|Updated|Cloning|Creating working copy (?:for|of)|Computing version for|Computed|Using cached|Completed resolution|Everything is already up-to-date)(?: .*)?",
            Hide(Reason::Progress),
        ),
    ],
);
