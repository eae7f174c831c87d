//! CMake's configuration and installation: successful probes and installed files are left out; failed probes,
//! versions, messages, warnings and errors are kept.
//!
//! Lines as written by CMake 3 and 4. The output of a build, also of one started by `cmake --build`, is read by the
//! reducers of the compilers.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static CMAKE: Format = Format::new(
    Meta {
        id: "cmake",
        family: "build",
        reads: "`cmake` that configures, `cmake --install`",
        keeps: "compilers and packages with versions, failed probes, the project's messages, warnings and errors \
                whole, the folder of the build files",
        omits: "successful probes, files that were installed or were up to date",
        anchors: &[
            "compiler identification is",
            "-- Configuring ",
            "-- Build files have been written",
            "-- Install configuration: ",
            "-- Up-to-date: ",
            "-- Looking for ",
            "-- Performing Test ",
            "CMake Error",
        ],
    },
    &["cmake", "cmake3", "ccmake"],
    2,
    &[
        (r"-- The \S+ compiler identification is .*", Shows),
        (r"-- Configuring (?:done|incomplete).*", Shows),
        (r"-- Build files have been written to: .*", Shows),
        (r"-- Install configuration: .*", Shows),
        (r"CMake (?:Error|Warning|Deprecation Warning).*", Shows),
        (r"Call Stack \(most recent call first\):", Keep),
        (r"-- .* - (?:not found|no|No|Failed|failed|broken|FALSE)", Keep),
        (
            r"-- (?:Detecting|Check for working|Performing Test|Looking for|Check size of|Check if|Checking) .*",
            Hide(Reason::Progress),
        ),
        (r"-- Generating done.*", Hide(Reason::Progress)),
        (
            r"-- (?:Installing|Up-to-date|Set (?:runtime path|non-toolchain portion of runtime path) of)[: ].*",
            Hide(Reason::Progress),
        ),
        (r"-- .*", Keep),
    ],
);
