//! Unified diffs of git, GNU diff, svn and others, alone or among other text: every changed line is kept, long runs
//! of unchanged lines are shortened, and lock files, minified files and binary data fold.
//!
//! The grammar is in `unified`. A hunk whose lengths do not add up, because it was cut or filtered, is kept
//! unchanged, and so is all other text: commit messages, mode changes, renames, statistics. Changed lines are left
//! out only if the policy sets limits, see `limit`.

mod binary;
mod generated;
mod limit;

use std::ops::Range;

use memchr::memmem;

use super::git_status;
use super::unified::{File, has_file};
use super::vcs_log::Log;
use crate::detect::Shape;
use crate::detect::command::Simple;
use crate::input::{Claim, Input};
use crate::reduce::{Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub struct GitDiff;

static META: Meta = Meta {
    id: "git_diff",
    family: "diff",
    reads: "unified and combined diffs of `git diff`, `show`, `log -p`, `diff -u`, svn, hg and patch mails",
    keeps: "every `+` and `-` line unless a limit is set, all headers, 3 unchanged lines around each change and \
            the line that names its place",
    omits: "unchanged lines in runs of more than 8; hunks of lock files and minified files, by name, that \
            change more than 40 lines, that the call does not name and that are not all that changed, behind a marker with path and counts; data of binary patches; with \
            `diffMaxLinesPerHunk` or `diffMaxLines`, the middle of hunks over the limit",
    anchors: &["@@ -", binary::HEADER],
};

/// Commands of git that write diffs, some only with the right flags.
const GIT_COMMANDS: &[&str] =
    &["diff", "show", "log", "format-patch", "stash", "status", "whatchanged", "reflog"];

/// A part of a diff that may be shown shorter.
enum Item<'a> {
    File(File<'a>),
    /// Data of a binary file: all lines, and those that are of no use to a reader.
    Binary(Range<usize>, Vec<Range<usize>>),
}

impl Reducer for GitDiff {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        let command = &input.detection.command;
        if command.producers().any(|(s, _)| is_other_format(s)) || !is_diff(input) {
            return Claim::No;
        }
        match command.runs(writes_diffs) {
            true => Claim::Command,
            // A patch that is read as a file is kept exact.
            false if matches!(input.detection.shape, Shape::File | Shape::Search | Shape::Listing) => {
                Claim::No
            }
            false => Claim::Content,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let items = read(input);
        // If only one file changed, the agent asked for it.
        let is_alone = items.len() == 1;
        let folds =
            |item: &Item<'_>| matches!(item, Item::File(f) if !is_alone && generated::folds(input, f));
        let is_folded: Vec<bool> = items.iter().map(folds).collect();
        let shown = items.iter().zip(&is_folded).filter(|(_, is_folded)| !**is_folded);
        let shown: Vec<&File<'_>> = shown.filter_map(|(item, _)| item.file()).collect();
        let mut cuts = limit::cuts(input, &shown).into_iter();
        let mut out = Reduction::default();
        let mut group = 0;
        let mut outside = 0;
        let mut log = Log::new(input.policy.mode, group, false);
        group += Log::GROUPS;
        for (item, is_folded) in items.iter().zip(is_folded) {
            between(source, outside..item.lines().start, &mut log, &mut group, &mut out);
            outside = item.lines().end;
            group += 1;
            match item {
                Item::Binary(_, data) => {
                    data.iter().for_each(|run| out.omit(run.clone(), Reason::EmbeddedBinary));
                }
                Item::File(file) if is_folded => fold(source, file, group, &mut out),
                Item::File(file) => shrink(file, &cuts.next().unwrap_or_default(), &mut out),
            }
        }
        between(source, outside..source.len(), &mut log, &mut group, &mut out);
        match (items.len(), out.is_empty()) {
            (_, false) => Ok(out),
            (0, _) => Err(Reason::NotRecognized),
            _ => Err(Reason::NothingToDo),
        }
    }
}

impl<'a> Item<'a> {
    fn lines(&self) -> &Range<usize> {
        match self {
            Self::File(file) => &file.lines,
            Self::Binary(lines, _) => lines,
        }
    }

    fn file(&self) -> Option<&File<'a>> {
        match self {
            Self::File(file) => Some(file),
            Self::Binary(..) => None,
        }
    }
}

/// Reads the text between the files: `git status && git diff`, `git status -v`, `git log -p`.
fn between<'a>(
    source: &Source<'a>,
    lines: Range<usize>,
    log: &mut Log<'a>,
    group: &mut u32,
    out: &mut Reduction,
) {
    let from = out.spans.len();
    git_status::scan(source, lines.clone(), group, out);
    log.read(source, lines, out);
    out.order(from);
}

/// Whether some of the text is a diff, found without reading all lines.
fn is_diff(input: &Input<'_>) -> bool {
    let text = input.source.text().as_bytes();
    has_file(input.source)
        || memmem::find_iter(text, binary::HEADER)
            .any(|at| !binary::data(input.source, input.source.line_at(at)).is_empty())
}

/// The files and binary patches of a text, in order.
fn read<'a>(input: &Input<'a>) -> Vec<Item<'a>> {
    let source = input.source;
    // A filter may have removed the end of a hunk.
    let is_filtered = input.detection.command.is_filtered();
    let mut items = Vec::new();
    let mut at = 0;
    while at < source.len() {
        let data = binary::data(source, at);
        if let Some(last) = data.last() {
            let lines = at..last.end;
            at = lines.end;
            items.push(Item::Binary(lines, data));
        } else if let Some(mut file) = File::read(source, at) {
            at = file.lines.end;
            file.hunks.retain(|hunk| hunk.is_whole || !is_filtered);
            if !file.hunks.is_empty() {
                items.push(Item::File(file));
            }
        } else {
            at += 1;
        }
    }
    items
}

/// Leaves out all hunks of a file, under one marker that names it.
fn fold(source: &Source<'_>, file: &File<'_>, group: u32, out: &mut Reduction) {
    let mut names = generated::named(source, file);
    for hunk in &file.hunks {
        let lines = hunk.body.start - 1..hunk.body.end;
        out.omit_named(lines, Reason::GeneratedFile, group, &std::mem::take(&mut names));
    }
}

/// Leaves out the lines that a limit selects in each hunk, and unchanged lines. Every gap has its own marker:
/// otherwise an agent would edit lines as if they were adjacent.
fn shrink(file: &File<'_>, cuts: &[Vec<Range<usize>>], out: &mut Reduction) {
    for (hunk, cuts) in file.hunks.iter().zip(cuts) {
        let is_cut = |gap: &Range<usize>| {
            let next = cuts.partition_point(|cut| cut.end <= gap.start);
            cuts.get(next).is_some_and(|cut| cut.start < gap.end)
        };
        let gaps = hunk.gaps.iter().filter(|gap| !is_cut(gap)).map(|gap| (gap, Reason::DiffContext));
        let mut gone: Vec<_> = cuts.iter().map(|c| (c, Reason::DiffLimit)).chain(gaps).collect();
        gone.sort_unstable_by_key(|(lines, _)| lines.start);
        gone.into_iter().for_each(|(lines, reason)| out.omit(lines.clone(), reason));
    }
}

/// Whether a program writes diffs, as a rule or with these arguments.
fn writes_diffs(simple: &Simple) -> bool {
    match simple.program() {
        "git" => simple.git_subcommand().is_some_and(|c| GIT_COMMANDS.contains(&c)),
        "diff" | "colordiff" | "interdiff" | "svn" | "hg" | "jj" | "bzr" => true,
        "gh" | "glab" => simple.argv.iter().any(|a| a == "diff"),
        _ => false,
    }
}

/// Whether the command asks for something that only looks like a unified diff: changed words inside
/// lines, or a patch that is stored as a file (`git show main:fix.patch`).
fn is_other_format(simple: &Simple) -> bool {
    match simple.git_subcommand() {
        Some("show") if simple.argv.iter().any(|a| !a.starts_with(['-', ':']) && a.contains(':')) => true,
        Some(_) => simple.has_flag(&["--word-diff", "--word-diff-regex", "--color-words"]),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Policy;
    use crate::detect::Detection;
    use crate::detect::command::CommandLine;
    use crate::text::call::ToolCall;
    use crate::text::ledger::Ledger;
    use crate::text::relevance::Relevance;
    use crate::text::source::Source;

    /// Hunks with gaps, of a merge, of a lock file, without a final newline, and binary data.
    fn all_kinds() -> String {
        let same = |mark: &str, n: usize| (0..n).map(|i| format!("{mark}line {i}\n")).collect::<String>();
        let many = same("+", 60);
        format!(
            "commit 1\n\n    Subject\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,51 +1,52 @@ f\n{}-old\n\
             +new\n+newer\n{}@@ -90,2 +91 @@\n-- gone\n-\n+++ come\n\\ No newline at end of file\n\
             diff --git a/Cargo.lock b/Cargo.lock\n--- a/Cargo.lock\n+++ b/Cargo.lock\n@@ -0,0 +1,60 @@\n{many}\
             diff --git a/i b/i\nGIT binary patch\nliteral 4\nLcmZQzWMT#Y01f~L\n\nliteral 0\nHcmV?d00001\n\n\
             diff --cc y\n--- a/y\n+++ b/y\n@@@ -1,31 -1,31 +1,32 @@@\n{}- a\n -b\n++c\n++d\n{}\
             --- /dev/null\n+++ b/z\n@@ -0,0 +1,60 @@\n{many}",
            same(" ", 20),
            same(" ", 30),
            same("  ", 10),
            same("  ", 20),
        )
    }

    /// Numbers of the lines that go, each with why.
    fn omitted_lines(text: &str, policy: &Policy) -> Vec<(usize, Reason)> {
        let source = Source::new(text);
        let input = Input {
            source: &source,
            call: &ToolCall::default(),
            detection: &Detection::default(),
            policy,
            relevance: &Relevance::new(Some("line 7"), &[], &[]),
        };
        let Ok(reduction) = GitDiff.reduce(&input) else { return Vec::new() };
        let ledger = Ledger::new(&source).apply(&source, reduction).unwrap();
        let gaps = ledger.gaps(&source).into_iter();
        gaps.flat_map(|gap| (gap.lines.0 - 1..gap.lines.1).map(move |i| (i, gap.reason))).collect()
    }

    #[test]
    fn whatever_is_cut_every_change_stays_and_every_span_fits() {
        let text = all_kinds();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let tight = Policy { diff_max_lines_per_hunk: Some(7), diff_max_lines: Some(9), ..Policy::default() };
        let kinds = |policy| omitted_lines(&text, policy).into_iter().map(|(_, why)| why);
        assert!(kinds(&tight).any(|why| why == Reason::DiffLimit));
        let why: std::collections::BTreeSet<Reason> = kinds(&Policy::default()).collect();
        assert!(why.into_iter().eq([Reason::DiffContext, Reason::GeneratedFile, Reason::EmbeddedBinary]));
        for from in 0..lines.len() {
            for to in [from + 1, from + 3, from + 40, lines.len()] {
                let text: String = lines
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| *i < from || *i >= to)
                    .map(|(_, l)| *l)
                    .collect();
                omitted_lines(&text, &tight);
                let source = Source::new(&text);
                for (i, why) in omitted_lines(&text, &Policy::default()) {
                    let is_change = source.line(i).starts_with(['+', '-']);
                    assert!(!is_change || why != Reason::DiffContext, "{from}..{to}: {}", source.line(i));
                }
            }
        }
    }

    #[test]
    fn knows_commands() {
        let line = |text: &str| CommandLine::parse(text);
        for text in ["git -C web show HEAD", "git stash show -p", "diff -ru a b", "gh pr diff 7 | head"] {
            assert!(line(text).runs(writes_diffs), "{text}");
        }
        for text in ["git commit -m diff", "gh pr view 7", "cat x.diff"] {
            assert!(!line(text).runs(writes_diffs), "{text}");
        }
        for (text, is_other) in [
            ("git show main:fix.patch", true),
            ("git diff --word-diff=color", true),
            ("git show --format=%h:%s HEAD", false),
            ("git show :/fix", false),
            ("git diff -U20", false),
        ] {
            assert_eq!(line(text).only().is_some_and(is_other_format), is_other, "{text}");
        }
    }
}
