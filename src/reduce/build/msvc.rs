//! MSVC: `cl`, `link` and MSBuild around them. Steps that printed nothing are left out, and so are diagnostics that
//! the summary repeats; errors, warnings with their notes, outputs and totals are kept.
//!
//! Grammar: `a.cpp(3,5): warning C4996: …`, `LINK : fatal error LNK1181: …`, with ` [project.vcxproj]` and `1>`
//! around it; MSBuild ends with `Build FAILED.` or `Build succeeded.`, the diagnostics again, and the counts.
//! `dotnet` has a reducer of its own.

use std::collections::HashSet;

use super::gcc_steps::MAX_ODD_STEPS;
use super::{CLAIM_LINES, Tally};
use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::diagnostic::{MICROSOFT, message, without_node};
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::flags;
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// The reducer of this module.
pub struct Msvc;

static META: Meta = Meta {
    id: "msvc",
    family: "build",
    reads: "`cl`, `link`, `msbuild`, `devenv`, `nmake`",
    keeps: "every diagnostic with its notes once, failed projects, build results, totals",
    omits: "command lines and names of files that compiled, headings of targets, diagnostics that the \
            summary repeats, banners; warnings of one line and message into one with every place",
    anchors: &[
        ": warning C",
        ": error C",
        "error LNK",
        "warning LNK",
        "error MSB",
        "warning MSB",
        "fatal error C",
        "MSBuild version",
        "Build Engine version",
    ],
};

/// The marker group of steps; the next one is for repeated diagnostics.
const STEPS: u32 = 1;

impl Reducer for Msvc {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        tally(input.source).proof()
    }

    fn is_writer(&self, s: &Simple) -> bool {
        let name = s.program().trim_end_matches(".exe").to_ascii_lowercase();
        matches!(name.as_str(), "cl" | "link" | "msbuild" | "devenv" | "nmake" | "lib")
    }

    fn is_driver(&self, s: &Simple) -> bool {
        matches!(s.program(), "cmake" | "ninja" | "scons" | "make")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut actions = LineActions::new(source);
        let summary = (0..source.len()).find(|&i| is_verdict(source.line(i)));
        let mut seen: HashSet<&str> = HashSet::new();
        let last = (0..source.len()).rev().find(|&i| !source.line(i).trim().is_empty());
        // Steps with a flag that differs from the steps around them are kept, although they printed nothing.
        let steps: Vec<usize> = (0..source.len()).filter(|&i| is_step(source.line(i))).collect();
        let odd = flags::outliers(steps.iter().map(|&i| source.line(i)));
        let odd: HashSet<usize> = odd.iter().take(MAX_ODD_STEPS).map(|odd| steps[odd.place]).collect();
        let below = summary.map_or(source.len(), |verdict| verdict + 1);
        for i in 0..below {
            let line = source.line(i);
            let said = code(line).is_some();
            if said && !seen.insert(line.trim()) {
                actions.omit(i..i + 1, Reason::RepeatedDiagnostic, STEPS + 1);
            } else if !said
                && Some(i) != last
                && !odd.contains(&i)
                && is_step(line)
                && !signals::is_failure(line)
            {
                actions.omit(i..i + 1, Reason::Progress, STEPS);
            }
        }
        // The lines are read from the end: a header is left out if all lines below it, up to an empty line, were
        // shown before.
        let mut all_said = true;
        for i in (below..source.len()).rev() {
            let line = source.line(i);
            let again = seen.contains(line.trim());
            let is_header = is_summary_header(line);
            if line.trim().is_empty() {
                all_said = true;
            } else if again && code(line).is_some() || is_header && all_said {
                actions.omit(i..i + 1, Reason::RepeatedDiagnostic, STEPS + 1);
            } else if !is_header {
                all_said &= again;
            }
        }
        actions.finish(Blanks::Keep)
    }

    fn is_format_line(&self, line: &str) -> bool {
        code(line).is_some() || is_banner(line) || is_verdict(line) || line.starts_with("Time Elapsed ")
    }
}

/// The code of a diagnostic: `C4996` in `a.cpp(3,5): warning C4996: …`.
fn code(line: &str) -> Option<&str> {
    message::code(MICROSOFT.read(line)?.text).map(|(code, _)| code)
}

/// Whether cl, link, lib, rc, MSBuild or nmake uses codes like this one.
fn is_own_code(code: &str) -> bool {
    ["C", "LNK", "MSB", "RC", "D", "U", "CVT", "MIDL", "NETSDK"]
        .iter()
        .any(|p| code.strip_prefix(p).is_some_and(|d| d.len() >= 4 && d.bytes().all(|b| b.is_ascii_digit())))
}

fn is_verdict(line: &str) -> bool {
    matches!(line.trim_end(), "Build FAILED." | "Build succeeded.")
}

fn is_banner(line: &str) -> bool {
    line.starts_with("Microsoft (R) ")
        || line.starts_with("MSBuild version ")
        || line.starts_with("Copyright (C) Microsoft")
}

/// `"C:\a.sln" (default target) (1) ->`, `(ClCompile target) -> `
fn is_summary_header(line: &str) -> bool {
    let line = line.trim();
    line.ends_with("->") && (line.starts_with('"') || line.starts_with('('))
}

/// Targets of MSBuild that have their own heading.
const TARGETS: &[&str] = &[
    "ValidateSolutionConfiguration",
    "PrepareForBuild",
    "InitializeBuildStatus",
    "FinalizeBuildStatus",
    "ComputeStdModulesCompileInputs",
    "ComputeCustomBuildOutput",
    "CustomBuild",
    "ClCompile",
    "ResourceCompile",
    "Midl",
    "Link",
    "Lib",
    "Manifest",
    "VcpkgTripletSelection",
    "CoreCompile",
    "CoreResGen",
    "CopyFilesToOutputDirectory",
    "_CopyFilesMarkedCopyLocal",
    "GenerateTargetFrameworkMonikerAttribute",
];

/// A line that reports a step that succeeded: a target's name, a command, a file that compiles.
fn is_step(line: &str) -> bool {
    const SAID: &[&str] = &[
        "All outputs are up-to-date.",
        "Generating Code...",
        "Generating code",
        "Finished generating code",
        "Compiling...",
        "Linking...",
        "Creating library ",
        "Deleting file ",
        "Touching ",
        "Creating directory ",
        "Creating \"",
        "Copying file ",
        "Skipping target ",
        "Building Custom Rule ",
        "Checking Build System",
        "Done Building Project ",
        "Building solution configuration ",
        "Building the projects in this solution one at a time.",
        "Structured output is enabled.",
    ];
    let text = without_node(line);
    let is_target = text.strip_suffix(':').is_some_and(|name| TARGETS.contains(&name));
    let is_file = line.starts_with(' ') && is_source(text) && !text.contains(' ');
    SAID.iter().any(|s| text.starts_with(s)) && !text.contains("FAILED")
        || is_banner(text)
        || is_target
        || is_file
        || is_tool(text)
}

fn is_source(name: &str) -> bool {
    [".cpp", ".c", ".cc", ".cxx", ".rc", ".idl", ".asm"].iter().any(|ext| name.ends_with(ext))
}

/// `C:\Program Files\…\CL.exe /c /ZI …`
fn is_tool(text: &str) -> bool {
    const TOOLS: &[&str] = &[
        "\\cl.exe ",
        "\\link.exe ",
        "\\lib.exe ",
        "\\rc.exe ",
        "\\mt.exe ",
        "\\midl.exe ",
        "\\tracker.exe ",
        "\\csc.exe ",
        "\\vbc.exe ",
    ];
    let head = text.get(..text.floor_char_boundary(300)).unwrap_or(text).to_ascii_lowercase();
    head.as_bytes().get(1) == Some(&b':') && TOOLS.iter().any(|t| head.contains(t))
}

fn tally(source: &Source<'_>) -> Tally {
    let mut tally = Tally::default();
    let mut said = false;
    for line in source.lines().take(CLAIM_LINES).filter(|l| !l.trim().is_empty()) {
        let code = code(line);
        let own = code.is_some_and(is_own_code) || is_banner(line);
        let note = said && (line.contains("): note: ") || line.starts_with("  "));
        said = code.is_some() || note;
        let known = said
            || own
            || is_step(line)
            || is_verdict(line)
            || is_summary_header(line)
            || line.ends_with("Warning(s)")
            || line.ends_with("Error(s)")
            || line.starts_with("Time Elapsed ")
            || line.starts_with("Build started ")
            || line.contains("Project \"");
        tally.add(own, known);
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_lines_apart() {
        assert_eq!(code("a.cpp(3,5): warning C4996: 'x': deprecated [p.vcxproj]"), Some("C4996"));
        assert_eq!(code("1>LINK : fatal error LNK1181: cannot open"), Some("LNK1181"));
        assert_eq!(code("src/a.ts(3,5): error TS2322: no"), None);
        assert_eq!(code("a.c:3:5: error: C4996 is a code"), None);
        assert!(is_own_code("LNK1181") && !is_own_code("CS0618") && !is_own_code("CA1824"));
        for line in [
            "ClCompile:",
            "  main.cpp",
            "  1>ClCompile:",
            "  C:\\VC\\bin\\CL.exe /c main.cpp",
            "     1>  a.c",
        ] {
            assert!(is_step(line), "{line}");
        }
        for line in [
            "main.cpp",
            "Project \"a.sln\" (1) is building:",
            "  app.vcxproj -> C:\\a.exe",
            "Done Building Project \"a\" (default targets) -- FAILED.",
        ] {
            assert!(!is_step(line), "{line}");
        }
    }
}
