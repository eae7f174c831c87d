//! Meson's setup: successful probes are left out; failed probes, versions, sizes, messages, warnings, the error and
//! the summary are kept.
//!
//! Lines as written by Meson 0.50 to 1.12. The output of a compilation comes from ninja; the reducers of the
//! compilers read it.

use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static MESON: Format = Format::new(
    Meta {
        id: "meson",
        family: "build",
        reads: "`meson setup` and `meson configure` of a new build",
        keeps: "project, compilers and dependencies with versions, failed probes, messages, warnings, errors, the summary",
        omits: "successful probes, programs without a version, files that were configured",
        anchors: &["The Meson build system"],
    },
    &["meson setup", "meson"],
    1,
    &[
        (r"The Meson build system", Shows),
        (r"(?:Build targets in project|Project name|Project version): .*", Shows),
        (r"(?:Run-time|Build-time|Native) dependency .* found: .*", Shows),
        (
            r"(?:Version|Source dir|Build dir|Build type|Host machine cpu.*|Build machine cpu.*|Target machine cpu.*): .*",
            Keep,
        ),
        (
            r"(?:\S+ )?(?:C|C\+\+|Rust|Fortran|D|Vala|Objective-C|Cuda|Java|Cython|Swift|Nasm) (?:compiler|linker) for the \w+ machine: .*",
            Keep,
        ),
        (
            r"(?:Has header|Header|Checking|Check usable header|Compiler for|Linker for|First supported argument|Symbols have) .*: YES(?: \(cached\))?",
            Hide(Reason::Progress),
        ),
        (r"Fetching value of define .*", Hide(Reason::Progress)),
        (r"Program \S.* found: YES \([^()]*\)", Hide(Reason::BuildSteps)),
        (r"Library \S+ found: YES", Hide(Reason::BuildSteps)),
        (r"Dependency .* found: YES .*\(cached\)", Hide(Reason::BuildSteps)),
        (r"Configuring \S+ (?:using configuration|with command)", Hide(Reason::BuildSteps)),
        (r"(?:Adding|Reusing|Generating) .*(?:test|target|file).*", Keep),
        (
            r"(?:Has header|Header|Checking|Check usable header|Compiler for|Program|Library|Dependency|Message:|Found|Executing subproject|Subproject) ?.*",
            Keep,
        ),
    ],
);
