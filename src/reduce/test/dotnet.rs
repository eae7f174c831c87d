//! `dotnet build` and `dotnet test`: restoring, building and passing tests are left out; warnings, errors,
//! failed tests, totals and the verdict are kept.
//!
//! Lines as written by MSBuild 16 and later (.NET Core 3 on) with its default verbosity and with `normal`, by its
//! terminal logger (.NET 8 and later), by the VSTest console 16 and later with xUnit, NUnit and MSTest, and by
//! Microsoft.Testing.Platform. MSBuild reports each warning and error twice: where it occurs, and again below the
//! verdict. The second report is left out if it has the same words, and so are headings with nothing else below them.

use std::collections::HashSet;

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::diagnostic::{MICROSOFT, without_node};
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::{are_unquoted, leading_number};
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// The reducer of this module.
pub struct Dotnet;

static META: Meta = Meta {
    id: "dotnet",
    family: "test",
    reads: "`dotnet build`, `dotnet test`, `dotnet restore`, `dotnet publish`, MSBuild",
    keeps: "warnings and errors with their places, failed and skipped tests whole, the project that was built last, totals, the verdict",
    omits: "restoring, banners, tests that passed, repeated warnings and errors; \
            warnings of one line and message into one with every place",
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
        "Test run summary: ",
        "MSBuild version ",
    ],
};

/// Groups of the markers.
const PROGRESS: u32 = 1;
const TESTS: u32 = 2;
const REPEATS: u32 = 3;
const OUTPUT: u32 = 4;

impl Reducer for Dotnet {
    fn meta(&self) -> &Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let mut own = 0;
        let is_report = are_unquoted(input.source.lines(), |line| {
            own += usize::from(is_verdict(line) || is_progress(line));
            own > 0
        });
        let command = &input.detection.command;
        // MSBuild without `dotnet` also builds C++, whose output another reducer reads.
        let is_other =
            command.runs(|s| matches!(s.program(), "msbuild" | "MSBuild" | "cl" | "link" | "nmake"));
        let alone = own > 1 && !is_other && !command.is_filtered();
        FormatProof::of(is_report && own > 0, is_report && alone)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        s.program() == "dotnet"
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut actions = LineActions::new(source);
        let mut reported: HashSet<&str> = HashSet::new();
        let mut failing = false;
        // Headings below the verdict, while only repeated lines follow them.
        let mut headings: Vec<usize> = Vec::new();
        let mut skip = 0;
        for i in 0..source.len() {
            let line = source.line(i);
            if i < skip {
            } else if ["  Failed ", "  X ", "failed "].iter().any(|s| line.starts_with(s)) {
                failing = true;
            } else if is_passed(line) {
                failing = false;
                let end = printed_until(source, i);
                // If its name or its output reads like a failure, the line of the test is kept above the output.
                if !(i..end).any(|l| signals::is_failure(source.line(l))) {
                    actions.omit_unless_failure(i, Reason::PassingTests, TESTS);
                    (i + 1..end).for_each(|l| actions.omit_unless_failure(l, Reason::TestOutput, OUTPUT));
                    skip = end;
                }
            } else if is_diagnostic(line) {
                // An error is a repeat only if the whole line is equal, with the node number before it.
                let key = if signals::is_failure(line) { line.trim() } else { without_node(line) };
                if reported.insert(key) {
                    headings.clear();
                } else {
                    actions.omit(i..i + 1, Reason::RepeatedDiagnostic, REPEATS);
                }
            } else if is_heading(line) {
                headings.push(i);
            } else if line.trim().is_empty() {
                headings
                    .drain(..)
                    .filter(|h| h + 1 < i)
                    .for_each(|h| actions.omit(h..h + 1, Reason::RepeatedDiagnostic, REPEATS));
            } else if is_verdict(line) {
                failing = false;
            } else if !failing && (is_progress(line) || is_step(line)) {
                actions.omit_unless_failure(i, Reason::Progress, PROGRESS);
            } else {
                // Another line, such as the rest of a message: the headings above it are kept.
                headings.clear();
            }
        }
        actions.keep_last().finish(Blanks::Behind)
    }

    fn is_format_line(&self, line: &str) -> bool {
        is_verdict(line) || is_progress(line) || is_diagnostic(line) || is_passed(line)
    }
}

/// The line after the output of the passed test in line `test`: the line below the test if it printed nothing.
fn printed_until(source: &Source<'_>, test: usize) -> usize {
    let next = test + 1;
    if next >= source.len()
        || !source.line(next).starts_with("  ")
        || !source.line(next).ends_with(" Messages:")
    {
        return next;
    }
    let ends = |i: &usize| {
        let line = source.line(*i);
        is_verdict(line)
            || is_passed(line)
            || ["  Failed ", "  X ", "  Skipped ", "  ! ", "failed ", "skipped "]
                .iter()
                .any(|s| line.starts_with(s))
    };
    (next..source.len()).find(ends).unwrap_or(next)
}

/// `       "/p/shop.sln" (default target) (1:2) ->`, `       (CoreCompile target) -> `
fn is_heading(line: &str) -> bool {
    let text = line.trim();
    line.starts_with("  ") && text.ends_with("->") && text.starts_with(['"', '(']) && text.contains(" target")
}

/// `  Passed Shop.Tests.CartTest.Adds [3 ms]`, `  √ …` before .NET 5, `passed … (3ms)` of Microsoft.Testing.Platform
fn is_passed(line: &str) -> bool {
    let marks = ["  Passed ", "  \u{221a} ", "passed "];
    let Some(rest) = marks.iter().find_map(|m| line.strip_prefix(m)) else {
        return false;
    };
    rest.trim_end().ends_with(']') && rest.contains(" [")
        || rest.trim_end().ends_with(')') && rest.contains(" (")
}

/// `/p/A.cs(3,5): warning CS0168: … [/p/shop.csproj]`, `CSC : error CS5001: …`
fn is_diagnostic(line: &str) -> bool {
    MICROSOFT.read(line).is_some_and(|found| {
        let place = line[..line.len() - found.message.len()].trim_end_matches(": ");
        place.ends_with(')') || place.ends_with(' ') || place.ends_with("proj") || place.ends_with(".sln")
    })
}

/// A line that ends a build or a test run.
fn is_verdict(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "Build succeeded",
        "Build FAILED",
        "Build failed with ",
        "Passed!  - ",
        "Failed!  - ",
        "Skipped! - ",
        "Test summary: ",
        "Test run summary: ",
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

/// A progress message that needs no action.
fn is_progress(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "  Determining projects to restore...",
        "  Restored ",
        "  Restore completed in ",
        "  All projects are up-to-date for restore.",
        "Restore complete (",
        "Microsoft (R) Test Execution Command Line Tool",
        "Microsoft (R) Build Engine version",
        "MSBuild version ",
        "VSTest version ",
        "Copyright (c) Microsoft Corporation",
        "Copyright (C) Microsoft Corporation",
        "Starting test execution, please wait...",
        "Build started ",
        "A total of ",
        "Running tests from ",
        "Test run for ",
        "NUnit Adapter ",
    ];
    let xunit = |l: &str| {
        ["  Discovering: ", "  Discovered: ", "  Starting: ", "  Finished: "].iter().any(|w| l.contains(w))
            || l.contains("xUnit.net VSTest Adapter")
            || l.contains("xUnit.net Console Runner")
    };
    // `MSTest v3.6.0 (UTC 9/26/2024) [linux-x64 - .NET 8.0.8]`
    let is_banner = |l: &str| {
        (l.starts_with("MSTest v") || l.starts_with("xUnit.net v3 Microsoft.Testing.Platform"))
            && l.trim_end().ends_with(']')
    };
    STARTS.iter().any(|s| line.starts_with(s))
        || line.starts_with("[xUnit.net ") && xunit(line)
        || is_banner(line)
}

/// A line that MSBuild writes about its steps with verbosity `normal` and above.
fn is_step(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "Assets file has not changed. ",
        "Building solution configuration \"",
        "Committing restore...",
        "Copying file from ",
        "Copying reference file from ",
        "Creating \"",
        "Creating directory \"",
        "Deleting file \"",
        "Finished processing 0 ",
        "Processing 0 ",
        "Restore completed in ",
        "Restoring packages for ",
        "Skipping target \"",
        "Touching \"",
        "Using shared compilation with compiler from directory: ",
        "Writing assets file to disk. Path: ",
    ];
    const TARGETS: &[&str] = &[
        "CopyFilesToOutputDirectory:",
        "CoreClean:",
        "CoreCompile:",
        "CoreGenerateAssemblyInfo:",
        "GenerateBuildDependencyFile:",
        "GenerateBuildRuntimeConfigurationFiles:",
        "GenerateTargetFrameworkMonikerAttribute:",
        "IncrementalClean:",
        "PrepareForBuild:",
        "Restore:",
        "ValidateSolutionConfiguration:",
        "_CopyFilesMarkedCopyLocal:",
        "_CopyOutOfDateSourceItemsToOutputDirectory:",
        "_CopyOutOfDateSourceItemsToOutputDirectoryAlways:",
    ];
    let text = without_node(line);
    let is_project = |t: &str| {
        t.starts_with("Project \"") && t.contains(" on node ")
            || t.starts_with("Done Building Project \"") && !t.contains("FAILED")
    };
    let is_compiler = |t: &str| {
        t.split_once(" /noconfig ").is_some_and(|(program, _)| {
            let program = program.trim_end_matches('"');
            [".exe", ".dll", "csc"].iter().any(|end| program.ends_with(end)) && program.contains("sc.")
                || program.ends_with("csc")
        })
    };
    line.starts_with(' ')
        && (TARGETS.contains(&text) || STARTS.iter().any(|s| text.starts_with(s)) || is_project(text))
        || is_compiler(text)
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
            is_step("         /dotnet exec \"/sdk/csc.dll\" /noconfig /warn:4 a.cs")
                && is_step(
                    "   1:2>Project \"/p/a.sln\" (1:2) is building \"/p/a.csproj\" (2:7) on node 2 (x)."
                )
                && !is_step("     3>Done Building Project \"/p/a.csproj\" (default targets) -- FAILED.")
        );
        assert!(is_heading("       (CoreCompile target) -> ") && !is_heading("  Lib -> /p/bin/Lib.dll"));
        assert_eq!(
            without_node("   1:2>a.cs(1,2): error CS1: x"),
            without_node("      a.cs(1,2): error CS1: x")
        );
        assert!(
            is_step("        c:\\v3.5\\Csc.exe /noconfig /warn:4 a.cs")
                && !is_step("  a.cs(1,2): warning CS1: x")
        );
        assert!(is_verdict("    2 Warning(s)") && is_verdict("Build FAILED.") && !is_verdict("2 Warning(s)"));
    }
}
