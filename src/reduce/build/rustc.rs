//! rustc through cargo (build, check, clippy, run, doc): progress is left out and errors are kept whole. Warnings
//! that are repeated or occur often keep their headline and place.
//!
//! Grammar (rustc's human emitter): a headline `warning: …` or `error[E0308]: …`, a place `  --> file:line:column`,
//! then source excerpts, ` = note: …` and child messages up to an empty line. Cargo's own messages are around it. The
//! output of a program that `cargo run` started is not read.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use super::{CLAIM_LINES, Kinds, SHOWN_WHOLE, Tally, kind_of};
use crate::config::Mode;
use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::diagnostic::below::{Margin, margin};
use crate::reduce::diagnostic::message::severity_with_code;
use crate::reduce::diagnostic::{Diagnostic, RUST, Severity};
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::is_cargo_progress;
use crate::reduce::lint::group::{Block, Layout, Plan};
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub struct Rustc;

static META: Meta = Meta {
    id: "rustc",
    family: "build",
    reads: "`cargo build`, `check`, `clippy`, `run`, `doc` and rustc, in the human and the short format",
    keeps: "every error whole, headline and place of every warning, cargo's summary lines, the commands that `-v` \
            shows, what the program prints",
    omits: "build progress; the same warning shown again; excerpts of a lint from its sixth warning on, when the \
            text is long or has errors; warnings of one message in the short format into one line with all places",
    anchors: &["Compiling ", "Checking ", "Downloaded ", "could not compile", "--> "],
};

/// If there are no errors, excerpts are only left out of texts of at least this many bytes. A choice: a reader can
/// read shorter ones whole.
const MIN_BYTES_TO_THIN: usize = 8 * 1024;

/// The marker group of all progress lines; each target adds one for excerpts and one for repetitions.
const PROGRESS: u32 = 1;

const MORE_INFORMATION: &str = "For more information about this error, try `rustc --explain E";

impl Reducer for Rustc {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        tally(input.source).proof()
    }

    fn is_writer(&self, s: &Simple) -> bool {
        is_build(s)
    }

    fn is_driver(&self, s: &Simple) -> bool {
        // Other subcommands, such as `test`, also print text that is not from the compiler.
        s.program() == "cargo"
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let end = program_start(source);
        if (0..end).any(|i| is_short(source.line(i))) {
            return short(source, end, input.policy.mode == Mode::Aggressive);
        }
        let errors = (0..end).any(|i| is_error(source.line(i)));
        let mut state = State {
            source,
            actions: LineActions::new(source),
            excerpts: PROGRESS + 1,
            may_hide_excerpts: errors || source.text().len() > MIN_BYTES_TO_THIN,
            owners: owners(source, end),
            warnings: HashMap::new(),
            kinds: Kinds::default(),
            once: HashSet::new(),
        };
        let kept_progress = last_progress_line(source, end);
        let mut i = 0;
        while i < end {
            let line = source.line(i);
            if is_progress(line) {
                if Some(i) != kept_progress {
                    state.actions.omit(i..i + 1, Reason::Progress, PROGRESS);
                }
            } else if is_warning(line) && i + 1 < end && is_place(source.line(i + 1)) {
                let block = i..block_end(source, i, end);
                i = block.end;
                state.warning(block);
                continue;
            } else if line.starts_with(MORE_INFORMATION) {
                state.once(i, line);
            } else if is_crate_summary(line) {
                state.excerpts += 2;
            }
            i += 1;
        }
        state.actions.finish(Blanks::Keep)
    }

    fn rewrites(&self) -> bool {
        true
    }
}

/// The short format: warnings with the same message are written together.
fn short(source: &Source<'_>, end: usize, is_aggressive: bool) -> Result<Reduction, Reason> {
    let mut plan = Plan::new(source, is_aggressive);
    let mut blocks = Vec::new();
    let kept_progress = last_progress_line(source, end);
    for i in 0..end {
        let line = source.line(i);
        if is_progress(line) && Some(i) != kept_progress {
            plan.omit(i..i + 1, Reason::Progress);
        } else if let Some(found) = RUST.read(line).filter(|found| found.severity == Some(Severity::Warning))
        {
            let Diagnostic { path, place, message, .. } = found;
            blocks.push(Block { lines: i..i + 1, path, place, message, layout: Layout::ByRule });
        }
    }
    plan.group(&blocks);
    plan.finish()
}

/// Cargo's subcommands that compile, and at most run the program afterwards.
const BUILDS: &[&str] = &[
    "build", "b", "check", "c", "clippy", "run", "r", "doc", "d", "rustdoc", "rustc", "install", "fix",
    "package", "publish",
];

fn is_build(simple: &Simple) -> bool {
    match simple.program() {
        "cargo" => simple.subcommand().is_some_and(|s| BUILDS.contains(&s)),
        program => matches!(program, "rustc" | "clippy-driver" | "rustdoc"),
    }
}

fn tally(source: &Source<'_>) -> Tally {
    let mut tally = Tally::default();
    let mut in_block = false;
    let mut headline = false;
    for line in source.lines().take(CLAIM_LINES) {
        if line.is_empty() {
            in_block = false;
            continue;
        }
        let built = is_built(line);
        let own = built || headline && is_place(line) && line.contains(".rs:") || is_short(line);
        in_block = in_block && continues(line) || own && !built;
        headline = is_warning(line) || is_error(line);
        tally.add(own, in_block || headline || is_progress(line) || is_cargo_message(line));
    }
    tally
}

/// Whether cargo compiles a package. `cargo update` and similar commands have no such line.
fn is_built(line: &str) -> bool {
    const VERBS: &[&str] = &["   Compiling ", "    Checking ", " Documenting "];
    VERBS.iter().any(|v| line.strip_prefix(v).is_some_and(|rest| rest.contains(" v")))
        || line.starts_with("error: could not compile `")
}

/// Other lines of cargo.
fn is_cargo_message(line: &str) -> bool {
    const SAID: &[&str] =
        &["    Finished ", "     Running ", "Caused by:", "Some errors have detailed", MORE_INFORMATION];
    SAID.iter().any(|s| line.starts_with(s))
}

fn is_warning(line: &str) -> bool {
    severity_with_code(line).is_some_and(|(severity, _)| severity == Severity::Warning)
}

fn is_error(line: &str) -> bool {
    severity_with_code(line).is_some_and(|(severity, _)| severity == Severity::Error)
}

/// `  --> src/main.rs:2:9`
fn is_place(line: &str) -> bool {
    line.starts_with(' ') && line.trim_start().starts_with("--> ")
}

/// `src/main.rs:2:9: error[E0308]: …`, the short format.
fn is_short(line: &str) -> bool {
    RUST.reads(line)
}

/// Whether a line is progress of cargo. Lines with a fact that no other line has are kept: why a package is built
/// again, and that a newer version exists.
fn is_progress(line: &str) -> bool {
    is_cargo_progress(line) && !line.starts_with("       Dirty ") && !line.contains(" (available: ")
}

/// The last progress line, if no result follows: it shows how far the run came.
fn last_progress_line(source: &Source<'_>, end: usize) -> Option<usize> {
    let last = (0..end).rev().find(|&i| is_progress(source.line(i)))?;
    let is_result = |line: &str| {
        line.starts_with("    Finished ")
            || is_error(line)
            || RUST.read(line).is_some_and(|found| found.severity == Some(Severity::Error))
    };
    (last + 1..source.len()).all(|i| !is_result(source.line(i))).then_some(last)
}

/// ``     Running `… rustc --crate-name serde …` ``
fn is_verbose_command(line: &str) -> bool {
    line.strip_prefix("     Running `").is_some_and(|command| {
        command.ends_with('`')
            && (command.contains(" --crate-name ") || command.ends_with("/build-script-build`"))
    })
}

/// ``warning: `core` (lib) generated 3 warnings``, the last line of a target.
fn is_crate_summary(line: &str) -> bool {
    line.starts_with("warning: `") && line.contains(" generated ")
}

/// The lines that end a target or a run of cargo, and the package that each names.
fn owners<'a>(source: &'a Source<'a>, end: usize) -> VecDeque<(usize, &'a str)> {
    let mut owners = VecDeque::new();
    for i in 0..end {
        let line = source.line(i);
        let named =
            line.strip_prefix("error: could not compile `").or_else(|| match is_crate_summary(line) {
                true => line.strip_prefix("warning: `"),
                false => None,
            });
        if let Some((name, _)) = named.and_then(|rest| rest.split_once('`')) {
            owners.push_back((i, name));
        } else if line.starts_with("    Finished ") {
            owners.push_back((i, ""));
        }
    }
    owners
}

/// The line with which cargo starts the program, or the end of the text: what follows is not cargo's output.
fn program_start(source: &Source<'_>) -> usize {
    let starts =
        |i: &usize| source.line(*i).starts_with("     Running ") && !is_verbose_command(source.line(*i));
    (0..source.len()).find(starts).unwrap_or(source.len())
}

/// Whether a line can be part of a block, below its headline.
fn continues(line: &str) -> bool {
    let first = line.as_bytes().first();
    matches!(first, Some(b' ' | b'0'..=b'9' | b'|'))
        || line.starts_with("...")
        || line.starts_with("note: ")
        || line.starts_with("help: ")
}

fn block_end(source: &Source<'_>, start: usize, end: usize) -> usize {
    (start + 1..end).find(|&i| !continues(source.line(i))).unwrap_or(end)
}

/// A line of a source excerpt or of a suggested change: `12 | code`, `   |     ^^^`, `12 + code`, `...`.
fn is_excerpt(line: &str) -> bool {
    let is_code = |m: Margin| match line.as_bytes().get(m.len) {
        None => m.sign == b'|',
        behind => behind == Some(&b' '),
    };
    line.starts_with("...") || margin(line).is_some_and(is_code)
}

/// `   = note: … on by default`, which rustc prints with the first warning of a lint in a crate.
fn is_default_note(line: &str) -> bool {
    line.trim_start().starts_with("= note: `#[") && line.ends_with(" on by default")
}

struct State<'a> {
    source: &'a Source<'a>,
    actions: LineActions<'a>,
    /// The marker group of excerpts; the next one is for repetitions.
    excerpts: u32,
    /// Whether excerpts may be left out.
    may_hide_excerpts: bool,
    /// The remaining lines that end a target, and the package that each names.
    owners: VecDeque<(usize, &'a str)>,
    /// First block of each warning by package, headline and place.
    warnings: HashMap<(&'a str, &'a str), Range<usize>>,
    kinds: Kinds<'a>,
    once: HashSet<&'a str>,
}

impl<'a> State<'a> {
    fn warning(&mut self, block: Range<usize>) {
        let source = self.source;
        let owner = self.owner(block.start);
        let key = (owner, source.slice(block.start..block.start + 2));
        if let Some(first) = self.warnings.get(&key)
            && !owner.is_empty()
            && same_lines(source, first.clone(), block.clone())
        {
            let blank = block.end < source.len() && source.line(block.end).is_empty();
            let lines = block.start..block.end + usize::from(blank);
            self.actions.omit(lines, Reason::RepeatedDiagnostic, self.excerpts + 1);
            return;
        }
        self.warnings.entry(key).or_insert(block.clone());
        let (count, notes) = self.kinds.count(kind_of(source.line(block.start)));
        let whole = !self.may_hide_excerpts || count <= SHOWN_WHOLE;
        for i in block.start + 1..block.end {
            let line = source.line(i);
            if is_place(line) || line.trim_start().starts_with("::: ") {
                continue;
            }
            let excerpt = is_excerpt(line);
            if !whole && (excerpt || notes.contains(line)) {
                self.actions.omit(i..i + 1, Reason::DiagnosticExcerpt, self.excerpts);
            } else if is_default_note(line) {
                if !self.once.insert(line) {
                    // The empty margin line above is hidden with the note.
                    let margin = usize::from(whole && source.line(i - 1).trim() == "|");
                    self.actions.omit(i - margin..i + 1, Reason::DiagnosticExcerpt, self.excerpts);
                }
            } else if !excerpt {
                notes.insert(line);
            }
        }
    }

    /// The package of the warning in line `line`; empty if no line names it. Two packages may have the same warning
    /// at the same relative place, so the place alone is not enough.
    fn owner(&mut self, line: usize) -> &'a str {
        while self.owners.front().is_some_and(|(at, _)| *at < line) {
            self.owners.pop_front();
        }
        self.owners.front().map_or("", |(_, name)| name)
    }

    /// Hides a line that was shown before.
    fn once(&mut self, i: usize, line: &'a str) {
        if !self.once.insert(line) {
            self.actions.omit(i..i + 1, Reason::DiagnosticExcerpt, self.excerpts);
        }
    }
}

/// Whether two blocks are equal apart from the note on the lint's level.
fn same_lines(source: &Source<'_>, a: Range<usize>, b: Range<usize>) -> bool {
    let lines =
        |r: Range<usize>| r.map(|i| source.line(i)).filter(|l| !is_default_note(l) && l.trim() != "|");
    lines(a).eq(lines(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines() {
        assert!(
            is_excerpt("12 |     let x = 5;")
                && is_excerpt("   |")
                && is_excerpt("8 +     x")
                && is_excerpt("...")
        );
        assert!(!is_excerpt("   = note: x") && !is_excerpt("help: use `x`") && !is_excerpt("  --> a.rs:1:2"));
        assert!(is_place(" --> src/a.rs:1:2") && !is_place("--> x"));
        assert!(is_short("src/a.rs:1:2: error[E0308]: mismatched types") && !is_short("a.c:1:2: error: x"));
        assert!(is_default_note("  = note: `#[warn(unused)]` on by default"));
        assert!(is_built("   Compiling a v0.1.0 (/p)") && !is_built("    Updating a v0.1.0 -> v0.2.0"));
        assert!(
            is_progress("   Compiling a v0.1.0") && !is_progress("       Dirty a v0.1.0: the file changed")
        );
        assert!(!is_progress("      Adding syn v2.0.1 (available: v3.0.9)"));
        assert!(is_verbose_command("     Running `rustc --crate-name a a.rs`"));
        assert!(!is_verbose_command("     Running `target/debug/a`"));
        assert!(is_crate_summary("warning: `a` (lib) generated 3 warnings"));
    }
}
