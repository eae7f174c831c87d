//! Lists with a path or a reference in every line: a folder that many consecutive lines share is written once.
//!
//! Each kind is recognized by its lines; a line that is not an entry of the kind is kept. No entry, hash or mark of
//! a list is left out. The only exception is a very large number of files in one state of `git status`, of which a
//! sample is shown.

use std::ops::Range;

use super::folders::{self, Entry, Listed};
use crate::config::Mode;
use crate::detect::Shape;
use crate::detect::command::Simple;
use crate::input::{Claim, Input};
use crate::reduce::lines::{SHORT_CLAIM_LINES, extent};
use crate::reduce::{Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub struct VcsList;

static META: Meta = Meta {
    id: "vcs_list",
    family: "git",
    reads: "`git status -s` and porcelain v1 and v2, `ls-files -s`, `branch -a`, `show-ref`, `ls-remote`, `for-each-ref`; \
            `svn status`, `update`, `checkout`; `hg status`",
    keeps: "every entry with its mark, mode and hash; of the files of `git status` all conflicts and up to 60 of each state (20 in `aggressive`); \
            all lines of another form",
    omits: "more files of a state, which the marker counts; a folder, with the mark or mode before it, that 4 or more entries in a row share is written once",
    anchors: &[],
};

/// Fewest entries for a claim by content, with no other lines. A choice.
const MIN_CONTENT_ENTRIES: usize = 8;
/// How the lines of a kind are read.
type Kind = fn(&str) -> Option<Line<'_>>;

/// The classes of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    /// It has a folder.
    Entry(Entry<'a>),
    /// A line of the kind without a folder.
    Other,
}

/// The kinds; the earlier breaks ties.
const KINDS: &[Kind] = &[stage, refs, second, short, svn, branch];

/// Kinds whose lines have nothing to share. They are known so that no limit cuts them in `standard`.
const PLAIN: &[Kind] = &[record];

/// Kinds that are recognized by their lines alone.
const SELF_DESCRIBING: &[Kind] = &[stage, refs];

impl Reducer for VcsList {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn rewrites(&self) -> bool {
        true
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        if matches!(input.detection.shape, Shape::File | Shape::Search) {
            return Claim::No;
        }
        let command = &input.detection.command;
        match () {
            () if command.runs(is_list) && kind(input).is_some() => Claim::Command,
            () if command.pipelines.is_empty() && is_list_by_content(input.source) => Claim::Content,
            () => Claim::No,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let kind = kind(input).ok_or(Reason::NotRecognized)?;
        let mut out = Reduction::default();
        let entry = |line| match kind(line) {
            Some(Line::Entry(entry)) => Some(entry),
            _ => None,
        };
        let extent = self.extent(input);
        let is_status = input.detection.command.runs(|simple| simple.git_subcommand() == Some("status"));
        let listed: Vec<Listed<'_>> = match is_status {
            true => extent.clone().filter_map(|line| listed(line, input.source.line(line))).collect(),
            false => Vec::new(),
        };
        let (gone, told) = folders::sampled(input, &listed);
        let (mut at, mut names) = (extent.start, &*told);
        for line in gone {
            folders::fold(input.source, at..line, &mut out, entry);
            out.omit_named(line..line + 1, Reason::StatusFiles, 1, std::mem::take(&mut names));
            at = line + 1;
        }
        folders::fold(input.source, at..extent.end, &mut out, entry);
        out.unless_empty()
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let Some(kind) = kind(input) else { return 0..input.source.len() };
        extent(input.source, |line| kind(line).is_some() || is_folded(line))
    }
}

/// The file of a line of `git status`, except conflicts.
fn listed(line: usize, text: &str) -> Option<Listed<'_>> {
    const CONFLICTS: &[&str] = &["DD", "AU", "UD", "UA", "DU", "AA", "UU"];
    if text.starts_with("## ") || text.starts_with("# ") || text.starts_with("u ") {
        return None;
    }
    let (state, path) = match text.strip_prefix("? ") {
        Some(path) => ("?", path),
        None if text.starts_with("1 ") || text.starts_with("2 ") => {
            (text.get(2..4)?, text.splitn(9, ' ').nth(8)?)
        }
        None => text.split_at_checked(2).filter(|_| short(text).is_some())?,
    };
    (!CONFLICTS.contains(&state)).then_some(Listed { line, state, path: path.trim_start() })
}

/// Whether a command writes such lists.
fn is_list(simple: &Simple) -> bool {
    match simple.program() {
        "git" => match simple.git_subcommand() {
            Some("status") => {
                simple.has_flag(&["-s", "--short", "-sb", "-bs", "--porcelain", "-suall", "-z"])
            }
            Some("ls-files") => simple.has_flag(&["-s", "--stage"]),
            Some(c) => matches!(
                c,
                "branch"
                    | "show-ref"
                    | "ls-remote"
                    | "for-each-ref"
                    | "tag"
                    | "stash"
                    | "remote"
                    | "worktree"
                    | "submodule"
                    | "shortlog"
            ),
            None => false,
        },
        "svn" => matches!(
            simple.subcommand(),
            Some("status" | "st" | "stat" | "update" | "up" | "co" | "checkout")
        ),
        "hg" => matches!(simple.subcommand(), Some("status" | "st")),
        _ => false,
    }
}

/// The kind that fits the most lines, if it fits half of them.
fn kind(input: &Input<'_>) -> Option<Kind> {
    let plain = if input.policy.mode >= Mode::Aggressive { &[] } else { PLAIN };
    let lines = || input.source.lines().take(SHORT_CLAIM_LINES).filter(|l| !l.trim().is_empty());
    let fits = |kind: &Kind| lines().filter(|line| kind(line).is_some() || is_folded(line)).count();
    let (kind, fits) =
        KINDS.iter().chain(plain).map(|kind| (*kind, fits(kind))).rev().max_by_key(|(_, fits)| *fits)?;
    (fits > 0 && fits * 2 >= lines().count()).then_some(kind)
}

/// Whether all lines are of one kind that no other text looks like.
fn is_list_by_content(source: &Source<'_>) -> bool {
    let lines = || source.lines().take(SHORT_CLAIM_LINES).filter(|l| !l.is_empty());
    let names_itself = |kind: &Kind| lines().all(|line| kind(line).is_some() || is_folded(line));
    SELF_DESCRIBING.iter().any(names_itself)
        && lines()
            .any(|line| line.contains("<hash> ") || SELF_DESCRIBING.iter().any(|kind| kind(line).is_some()))
        && lines().count() >= MIN_CONTENT_ENTRIES
}

/// Whether a line is one that `folders` writes: a folder or a name in it. They belong to the list.
fn is_folded(line: &str) -> bool {
    line.starts_with('\t') || (line.ends_with("/:") && line.contains("in "))
}

fn is_hash(word: &str) -> bool {
    word.len() >= 7
        && word.len() <= 64
        && word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn is_mode(word: &str) -> bool {
    word.len() == 6 && word.bytes().all(|b| (b'0'..=b'7').contains(&b))
}

fn of<'a>(mark: &'a str, hash: &'a str, stage: &'a str, path: &'a str) -> Line<'a> {
    Entry::new(mark, path).map_or(Line::Other, |entry| Line::Entry(Entry { hash, stage, ..entry }))
}

/// `100644 8ab1… 0<tab>src/a.rs`
fn stage(line: &str) -> Option<Line<'_>> {
    let (head, path) = line.split_once('\t')?;
    let mut words = head.split(' ');
    let (mode, hash, stage) = (words.next()?, words.next()?, words.next()?);
    let is_entry = is_mode(mode) && is_hash(hash) && stage.len() == 1 && words.next().is_none();
    is_entry.then(|| of(mode, hash, stage, path))
}

/// `8ab1… refs/heads/main`, also with a tab, or with the kind of the object between.
fn refs(line: &str) -> Option<Line<'_>> {
    // `ls-remote` names the remote where the call did not.
    if line.strip_prefix("From ").is_some_and(|url| !url.contains(' ')) {
        return Some(Line::Other);
    }
    let (hash, rest) = line.split_once([' ', '\t'])?;
    let (kind, name) = match rest.split_once('\t') {
        Some((kind, name)) if matches!(kind, "commit" | "tag" | "tree" | "blob") => (kind, name),
        _ => ("", rest),
    };
    let is_ref = is_hash(hash) && (name == "HEAD" || name.starts_with("refs/")) && !name.contains(' ');
    is_ref.then(|| of("", hash, kind, name))
}

/// `1 .M N... 100644 100644 100644 8ab1… 8ab1… src/a.rs`, `? src/b.rs`, `# branch.head main`
fn second(line: &str) -> Option<Line<'_>> {
    if let Some(path) = line.strip_prefix("? ") {
        return Some(of("?", "", "", path));
    }
    if line.starts_with("# branch.")
        || line.starts_with("# stash ")
        || line.starts_with("2 ")
        || line.starts_with("u ")
    {
        return Some(Line::Other);
    }
    // Where the columns start.
    let mut blanks = line.match_indices(' ').map(|(at, _)| at);
    let (modes, hashes) = (blanks.nth(5)?, blanks.nth(1)?);
    let hash = line.get(modes + 1..hashes)?;
    let is_entry = line.starts_with("1 ") && hash.split(' ').all(is_hash);
    is_entry.then(|| of(&line[..modes], hash, "", &line[hashes + 1..]))
}

/// A line of `tag`, `stash list`, `remote -v`, `worktree list`, `submodule status`, `shortlog`.
fn record(line: &str) -> Option<Line<'_>> {
    let starts_with_count = || {
        let (count, name) = line.split_once('\t')?;
        (count.trim().bytes().all(|b| b.is_ascii_digit()) && !name.is_empty()).then_some(())
    };
    let is_submodule =
        || line.get(1..).and_then(|l| l.split(' ').next()).is_some_and(|w| w.len() >= 40 && is_hash(w));
    let is_record = line.starts_with("stash@{")
        || line.ends_with(" (fetch)")
        || line.ends_with(" (push)")
        || (line.starts_with('/') && line.ends_with([']', ')']))
        || (!line.is_empty() && !line.contains([' ', '\t', ':', '<', '{']))
        || starts_with_count().is_some()
        || is_submodule();
    is_record.then_some(Line::Other)
}

/// `?? src/a.rs`, ` M src/a.rs`, `## main...origin/main`
fn short(line: &str) -> Option<Line<'_>> {
    if line.starts_with("## ") {
        return Some(Line::Other);
    }
    let (mark, path) = line.split_at_checked(2)?;
    let path = path.strip_prefix(' ').filter(|p| !p.is_empty() && !p.starts_with(' '))?;
    let is_mark = mark.bytes().all(|b| b" MTADRCU?!".contains(&b)) && mark != "  ";
    is_mark.then(|| of(mark, "", "", path))
}

/// `M       src/a.c` of a status, `A    src/a.c` of an update; hg's `M src/a.c`.
fn svn(line: &str) -> Option<Line<'_>> {
    let path = line.find(|c: char| !" ACDGIMRUX!?~+LKOTBS>*".contains(c)).and_then(|at| {
        // The marks end with the last blank before the path.
        line.get(..at)?.rfind(' ').map(|blank| blank + 1)
    })?;
    let (mark, path) = line.split_at(path);
    let marks = mark.trim_end();
    let width = mark.len();
    let is_mark = matches!(width, 2 | 5 | 8) && !marks.is_empty() && marks.len() < width;
    is_mark.then(|| of(marks, "", "", path))
}

/// `  remotes/origin/main`, `* main`
fn branch(line: &str) -> Option<Line<'_>> {
    let name =
        line.strip_prefix("  ").or_else(|| line.strip_prefix("* ")).or_else(|| line.strip_prefix("+ "))?;
    let is_name = !name.is_empty() && (!name.contains(' ') || name.starts_with('(') || name.contains(" -> "));
    let is_remote = line.starts_with("  remotes/") || line.starts_with("  origin/");
    is_name.then(|| if is_remote { of(" ", "", "", name) } else { Line::Other })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: Kind, line: &str) -> Option<(&str, &str, &str)> {
        match kind(line)? {
            Line::Entry(e) => Some((e.mark, e.folder, e.name)),
            Line::Other => Some(("", "", "")),
        }
    }

    #[test]
    fn reads_lines() {
        let hash = "8ab1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9";
        assert_eq!(read(stage, &format!("100644 {hash} 0\tsrc/a b.rs")), Some(("100644", "src/", "a b.rs")));
        assert_eq!(read(refs, &format!("{hash} refs/tags/v1")), Some(("", "refs/tags/", "v1")));
        assert_eq!(read(short, " M src/x/a.rs"), Some((" M", "src/x/", "a.rs")));
        assert_eq!(read(short, "R  src/a -> src/b"), Some(("", "", "")));
        let line = format!("1 .M N... 100644 100644 100644 {hash} {hash} src/a.rs");
        assert_eq!(read(second, &line), Some(("1 .M N... 100644 100644 100644", "src/", "a.rs")));
        assert_eq!(read(second, "? src/a b.rs"), Some(("?", "src/", "a b.rs")));
        assert_eq!(read(svn, "M       src/a.c"), Some(("M", "src/", "a.c")));
        assert_eq!(read(svn, "A  +    src/AUTHORS"), Some(("A  +", "src/", "AUTHORS")));
        assert_eq!(read(svn, "U    src/MAIN.c"), Some(("U", "src/", "MAIN.c")));
        assert_eq!(read(svn, "? src/a.c"), Some(("?", "src/", "a.c")));
        assert_eq!(read(branch, "  remotes/origin/x"), Some((" ", "remotes/origin/", "x")));
    }

    #[test]
    fn leaves_others() {
        for line in
            ["## Heading", "A list of things", "  a sentence with words", "Updated to revision 3.", ""]
        {
            let kinds: Vec<bool> =
                KINDS.iter().map(|kind| matches!(kind(line), Some(Line::Entry(_)))).collect();
            assert!(!kinds.contains(&true), "{line}: {kinds:?}");
        }
    }
}
