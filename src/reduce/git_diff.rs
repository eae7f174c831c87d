//! Unified diffs of git, GNU diff, svn and others, alone or among other text: every changed line
//! stays, long runs of unchanged lines shrink, lock files and generated files fold.
//!
//! The grammar is in `unified`. A file whose hunks do not add up, because something cut or filtered
//! them, stays as it is, and so does all that is no hunk: commit messages, mode changes, renames,
//! binary files, statistics.

use super::git_status;
use super::unified::{File, has_file};
use super::{Claim, Input, Meta, Reducer};
use crate::pipeline::detect::Shape;
use crate::pipeline::detect::command::Simple;
use crate::pipeline::ledger::Reduction;
use crate::pipeline::reason::Reason;

/// See the module.
pub struct GitDiff;

static META: Meta = Meta {
    id: "git_diff",
    family: "diff",
    reads: "unified diffs of `git diff`, `show`, `log -p`, `diff -u`, svn and patch mails",
    keeps: "every `+` and `-` line, all headers, 3 unchanged lines around each change, merges whole",
    folds: "unchanged lines in runs of more than 8; hunks of lock files, minified and generated files that \
            change more than 40 lines and that the command does not name",
    anchors: &["@@ -"],
};

/// Most changed lines that are shown of a lock file or a generated file.
const MAX_GENERATED: usize = 40;
/// Commands of git that write diffs, some only with the right flags.
const GIT_COMMANDS: &[&str] =
    &["diff", "show", "log", "format-patch", "stash", "status", "whatchanged", "reflog"];

/// Lock files, by name.
const LOCK_FILES: &[&str] = &[
    "Cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "deno.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "Pipfile.lock",
    "go.sum",
    "composer.lock",
    "Gemfile.lock",
    "Podfile.lock",
    "mix.lock",
    "flake.lock",
    ".terraform.lock.hcl",
];

/// Files that a tool writes, by the end of their name.
const GENERATED: &[&str] =
    &[".min.js", ".min.css", ".map", ".pb.go", ".pb.cc", ".pb.h", "_pb2.py", "_pb2_grpc.py"];

impl Reducer for GitDiff {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        let command = &input.detection.command;
        if command.producers().any(|(s, _)| is_other_format(s)) || !has_file(input.source) {
            return Claim::No;
        }
        match command.runs(writes_diffs) {
            true => Claim::Command,
            // A patch that is read as a file is exact.
            false if matches!(input.detection.shape, Shape::File | Shape::Search | Shape::Listing) => {
                Claim::No
            }
            false => Claim::Content,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut out = Reduction::default();
        let mut group = 0;
        let mut files = 0;
        let (mut at, mut outside) = (0, 0);
        while at < source.len() {
            let Some(file) = File::read(source, at) else {
                at += 1;
                continue;
            };
            // `git status && git diff`, `git status -v`
            git_status::scan(source, outside..at, &mut group, &mut out);
            at = file.lines.end;
            outside = at;
            if !file.is_sound {
                continue;
            }
            files += 1;
            if file.changes > MAX_GENERATED && is_generated(file.name) && !names(input, file.name) {
                group += 1;
                out.omit_in(file.hunks(), Reason::GeneratedFile, group);
                continue;
            }
            for gap in file.gaps {
                out.omit(gap, Reason::DiffContext);
            }
        }
        git_status::scan(source, outside..source.len(), &mut group, &mut out);
        match (files, out.is_empty()) {
            (_, false) => Ok(out),
            (0, _) => Err(Reason::NotRecognized),
            _ => Err(Reason::NothingToDo),
        }
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

/// Whether the call names the file: then it was asked for.
fn names(input: &Input<'_>, name: &str) -> bool {
    let mut words =
        input.detection.command.pipelines.iter().flatten().flat_map(|s| &s.argv).map(String::as_str);
    words.any(|w| base_name(w) == name) || input.call.path.as_deref().is_some_and(|p| base_name(p) == name)
}

fn is_generated(name: &str) -> bool {
    LOCK_FILES.contains(&name) || GENERATED.iter().any(|end| name.ends_with(end))
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::detect::command::CommandLine;

    #[test]
    fn knows_generated_files() {
        assert!(is_generated("a_pb2.py") && is_generated("go.sum") && is_generated("x.min.js"));
        assert!(!is_generated("lock.rs") && !is_generated("min.js") && !is_generated("go.sum.md"));
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
