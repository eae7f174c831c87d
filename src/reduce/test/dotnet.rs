//! `dotnet build` and `dotnet test`: restoring, building and passing tests go; warnings, errors, failed
//! tests, totals and the verdict stay.
//!
//! Lines as written by MSBuild at its usual verbosity, by its terminal logger (.NET 8 and later) and by the
//! VSTest console with xUnit, NUnit and MSTest. MSBuild tells each warning and error twice, where it
//! happened and below the verdict: word for word the same, it stays once.

use std::collections::HashSet;
use std::ops::Range;

use super::gone::Gone;
use crate::pipeline::ledger::Reduction;
use crate::pipeline::reason::Reason;
use crate::reduce::lines::{leading_number, reads_as_report};
use crate::reduce::{Claim, Input, Meta, Reducer};

/// See the module.
pub struct Dotnet;

static META: Meta = Meta {
    id: "dotnet",
    family: "test",
    reads: "`dotnet build`, `dotnet test`, `dotnet restore`, `dotnet publish`, MSBuild",
    keeps: "warnings and errors with their places, failed and skipped tests whole, what was built last, totals, the verdict",
    folds: "restoring, banners, tests that passed, warnings and errors told twice",
    anchors: &[
        "Determining projects to restore",
        "Build succeeded",
        "Build FAILED",
        "Build failed",
        "Passed!  - ",
        "Failed!  - ",
        "Test summary: ",
        "Restore complete",
        "Test Run ",
        "MSBuild version ",
    ],
};

/// Groups of the markers.
const PROGRESS: u32 = 1;
const TESTS: u32 = 2;
const REPEATS: u32 = 3;

impl Reducer for Dotnet {
    fn meta(&self) -> &Meta {
        &META
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        if !reads_as_report(input) {
            return Claim::No;
        }
        let mut own = 0;
        for line in input.source.lines() {
            if line.starts_with("```") && own == 0 {
                return Claim::No;
            }
            own += usize::from(is_verdict(line) || is_progress(line));
        }
        let command = &input.detection.command;
        let by_command = command.runs(|s| s.program() == "dotnet");
        // MSBuild alone builds C++ too, which another reducer reads.
        let is_other =
            command.runs(|s| matches!(s.program(), "msbuild" | "MSBuild" | "cl" | "link" | "nmake"));
        match () {
            () if by_command && own > 0 => Claim::Command,
            () if own > 1 && !is_other && !command.is_filtered() => Claim::Content,
            () => Claim::No,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut gone = Gone::new(source);
        let mut told: HashSet<&str> = HashSet::new();
        let mut failing = false;
        for i in 0..source.len() {
            let line = source.line(i);
            if line.starts_with("  Failed ") {
                failing = true;
            } else if is_passed(line) {
                failing = false;
                gone.hide(i, Reason::PassingTests, TESTS);
            } else if is_diagnostic(line) {
                if !told.insert(line.trim()) {
                    gone.repeat(i, REPEATS);
                }
            } else if is_verdict(line) {
                failing = false;
            } else if !failing && (is_progress(line) || is_step(line)) {
                gone.hide(i, Reason::Progress, PROGRESS);
            }
        }
        gone.finish()
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let source = input.source;
        let known = |i: &usize| {
            let line = source.line(*i);
            is_verdict(line) || is_progress(line) || is_diagnostic(line) || is_passed(line)
        };
        let first = (0..source.len()).find(known).unwrap_or(0);
        let last = (first..source.len()).rev().find(known).unwrap_or(first);
        first..last + 1
    }
}

/// `  Passed Shop.Tests.CartTest.Adds [3 ms]`
fn is_passed(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("  Passed ").or_else(|| line.strip_prefix("  \u{221a} ")) else {
        return false;
    };
    rest.trim_end().ends_with(']') && rest.contains(" [")
        || rest.trim_end().ends_with(')') && rest.contains(" (")
}

/// `/p/A.cs(3,5): warning CS0168: … [/p/shop.csproj]`, `CSC : error CS5001: …`
fn is_diagnostic(line: &str) -> bool {
    [": warning ", ": error "].iter().any(|word| {
        line.split_once(word).is_some_and(|(place, rest)| {
            let code = rest.split(':').next().unwrap_or_default();
            let is_code =
                code.len() > 2 && code.len() < 16 && code.bytes().all(|b| b.is_ascii_alphanumeric());
            is_code
                && (place.ends_with(')')
                    || place.ends_with(' ')
                    || place.ends_with("proj")
                    || place.ends_with(".sln"))
        })
    })
}

/// What ends a build or a run of tests.
fn is_verdict(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "Build succeeded",
        "Build FAILED",
        "Build failed with ",
        "Passed!  - ",
        "Failed!  - ",
        "Skipped! - ",
        "Test summary: ",
        "Test Run Successful.",
        "Test Run Failed.",
        "Test Run Aborted.",
        "Total tests: ",
        "Time Elapsed ",
    ];
    let is_count = |l: &str| {
        leading_number(l.trim_start())
            .is_some_and(|(_, rest)| matches!(rest.trim(), "Warning(s)" | "Error(s)"))
    };
    STARTS.iter().any(|s| line.starts_with(s)) || line.starts_with("    ") && is_count(line)
}

/// What is said along the way and that nothing has to be done about.
fn is_progress(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "  Determining projects to restore...",
        "  Restored ",
        "  All projects are up-to-date for restore.",
        "Restore complete (",
        "Microsoft (R) Test Execution Command Line Tool",
        "Microsoft (R) Build Engine version",
        "MSBuild version ",
        "VSTest version ",
        "Copyright (c) Microsoft Corporation",
        "Copyright (C) Microsoft Corporation",
        "Starting test execution, please wait...",
        "A total of ",
        "Test run for ",
        "NUnit Adapter ",
    ];
    let xunit = |l: &str| {
        ["  Discovering: ", "  Discovered: ", "  Starting: ", "  Finished: "].iter().any(|w| l.contains(w))
            || l.contains("xUnit.net VSTest Adapter")
            || l.contains("xUnit.net Console Runner")
    };
    STARTS.iter().any(|s| line.starts_with(s)) || line.starts_with("[xUnit.net ") && xunit(line)
}

/// What MSBuild tells of its steps at verbosity `normal` and above.
fn is_step(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "Copying file from ",
        "Copying reference file from ",
        "Processing 0 ",
        "Finished processing 0 ",
        "Skipping target \"",
        "Creating directory \"",
        "Touching \"",
        "GenerateTargetFrameworkMonikerAttribute:",
        "PrepareForBuild:",
        "CopyFilesToOutputDirectory:",
        "_CopyFilesMarkedCopyLocal:",
        "CoreCompile:",
    ];
    let text = line.trim_start();
    text.len() < line.len()
        && (STARTS.iter().any(|s| text.starts_with(s))
            || text.contains(" /noconfig ") && text.contains("csc."))
        || text.contains("Csc.exe /noconfig ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines() {
        assert!(is_passed("  Passed Shop.CartTest.Adds [3 ms]") && is_passed("  Passed Adds(a: 1) [< 1 ms]"));
        assert!(!is_passed("  Failed Shop.CartTest.Adds [3 ms]") && !is_passed("  Passed the exam"));
        assert!(is_diagnostic("/p/A.cs(3,5): warning CS0168: unused [/p/shop.csproj]"));
        assert!(is_diagnostic("CSC : error CS5001: no Main [/p/shop.csproj]"));
        assert!(
            is_diagnostic("/p/shop.csproj : error NU1101: no package")
                && !is_diagnostic("note: error here: x")
        );
        assert!(
            is_step("  Copying file from \"obj/a.dll\" to \"bin/a.dll\".")
                && !is_step("Copying file from here")
        );
        assert!(
            is_step("        c:\\v3.5\\Csc.exe /noconfig /warn:4 a.cs")
                && !is_step("  a.cs(1,2): warning CS1: x")
        );
        assert!(is_verdict("    2 Warning(s)") && is_verdict("Build FAILED.") && !is_verdict("2 Warning(s)"));
    }
}
