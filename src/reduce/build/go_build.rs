//! `go build`, `go vet` and other commands that compile Go: downloads are left out, and so are diagnostics that are
//! repeated because a package is compiled again with its tests.
//!
//! Grammar: `# import/path` or `# import/path [import/path.test]`, then `file.go:line:column: …` with indented lines
//! below. Everything that is neither a download nor a repetition is kept.

use std::collections::HashSet;
use std::ops::Range;

use super::{CLAIM_LINES, Tally};
use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::diagnostic::GO;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::extent;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub struct GoBuild;

static META: Meta = Meta {
    id: "go_build",
    family: "build",
    reads: "`go build`, `go vet`, `go run`, `go install`, `go generate`",
    keeps: "every diagnostic with its place and the lines below it, packages, module errors, what programs print",
    omits: "downloads and look-ups of modules, packages that `-v` lists, advice that was given before, diagnostics that come again for the same place",
    anchors: &[".go:", "go: downloading ", "go: finding "],
};

/// The marker group of progress; the next two are for repetitions and for advice.
const PROGRESS: u32 = 1;

impl Reducer for GoBuild {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        tally(input.source, input.detection.command.runs(is_build)).proof()
    }

    fn is_writer(&self, s: &Simple) -> bool {
        is_build(s)
    }

    fn is_driver(&self, s: &Simple) -> bool {
        matches!(s.program(), "make" | "go" | "mage")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let listing =
            input.detection.command.runs(|s| s.program() == "go" && s.has_flag(&["-v"]) && !is_run(s));
        let mut actions = LineActions::new(source);
        let mut seen: HashSet<&str> = HashSet::new();
        let last = (0..source.len()).rev().find(|&i| !source.line(i).trim().is_empty());
        let mut i = 0;
        while i < source.len() {
            let line = source.line(i);
            if is_progress(line) || listing && is_package(line) {
                // The last line of a run that was cut off is kept: it shows how far the run came.
                if Some(i) != last || is_package(line) {
                    actions.omit(i..i + 1, Reason::Progress, PROGRESS);
                }
            } else if is_diagnostic(line) {
                let block = i..block_end(source, i + 1);
                i = block.end;
                if !seen.insert(source.slice(block.clone())) {
                    actions.omit(block, Reason::RepeatedDiagnostic, PROGRESS + 1);
                } else if line.contains(": reading ") {
                    // A module that cannot be fetched is reported for each file that imports it.
                    for k in block.skip(1).filter(|&k| !seen.insert(source.line(k))) {
                        actions.omit(k..k + 1, Reason::DiagnosticExcerpt, PROGRESS + 2);
                    }
                }
                continue;
            } else if is_advice(line) && !seen.insert(line) {
                actions.omit(i..i + 1, Reason::DiagnosticExcerpt, PROGRESS + 2);
            }
            i += 1;
        }
        actions.finish(Blanks::Keep)
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let known = extent(input.source, |l| is_progress(l) || is_header(l) || is_diagnostic(l));
        known.start..block_end(input.source, known.end).max(known.end)
    }
}

fn is_build(simple: &Simple) -> bool {
    simple.program() == "go"
        && matches!(simple.subcommand(), Some("build" | "vet" | "run" | "install" | "generate"))
}

/// Whether the command runs a program, whose output may look like a list of packages.
fn is_run(simple: &Simple) -> bool {
    matches!(simple.subcommand(), Some("run" | "generate"))
}

/// A diagnostic alone may come from any linter; a package line above it proves the compiler.
fn tally(source: &Source<'_>, direct: bool) -> Tally {
    let mut tally = Tally::default();
    let mut header = false;
    for line in source.lines().take(CLAIM_LINES).filter(|l| !l.trim().is_empty()) {
        let diagnostic = is_diagnostic(line);
        let own = header && diagnostic || direct && (is_progress(line) || diagnostic);
        header = is_header(line);
        tally.add(own, header || diagnostic || is_progress(line) || line.starts_with('\t'));
    }
    tally
}

/// `go: downloading example.com/x v1.2.3`, `go: finding module for package …`
fn is_progress(line: &str) -> bool {
    line.strip_prefix("go: ").is_some_and(|rest| {
        rest.starts_with("downloading ") || rest.starts_with("finding ") || rest.starts_with("extracting ")
    })
}

/// The advice that go prints below each module that it cannot fetch.
fn is_advice(line: &str) -> bool {
    line == "Confirm the import path was entered correctly."
        || line.starts_with("If this is a private repository, see ")
}

/// `# example.com/x`, `# example.com/x [example.com/x.test]`
fn is_header(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("# ") else { return false };
    let (path, test) = rest.split_once(' ').unwrap_or((rest, ""));
    !path.is_empty() && (test.is_empty() || test.starts_with('[') && test.ends_with(']'))
}

/// `pkg/a/a.go:9:2: …`, `vet: pkg/a/a.go:20:11: …`
fn is_diagnostic(line: &str) -> bool {
    GO.reads(line)
}

/// A line of `-v`: just an import path.
fn is_package(line: &str) -> bool {
    !line.is_empty()
        && line.contains('/')
        && line.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./~+".contains(&b))
}

fn block_end(source: &Source<'_>, from: usize) -> usize {
    (from..source.len()).find(|&i| !source.line(i).starts_with('\t')).unwrap_or(source.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_lines_apart() {
        assert!(is_header("# example.com/a") && is_header("# example.com/a [example.com/a.test]"));
        assert!(!is_header("# A heading of words") && !is_header("## x"));
        assert!(is_diagnostic("a/b.go:3:5: undefined: x") && is_diagnostic("vet: ./b.go:3:5: x"));
        assert!(!is_diagnostic("a/b.rs:3:5: x") && !is_diagnostic("b.go: x"));
        assert!(is_progress("go: downloading a v1") && !is_progress("go: no module"));
        assert!(is_package("example.com/a/b") && !is_package("ok") && !is_package("a b/c"));
    }
}
