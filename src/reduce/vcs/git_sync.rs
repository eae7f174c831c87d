//! Progress of git commands: clone, fetch, pull, push, commit, merge, rebase, cherry-pick, switch, submodules and the
//! like, and the same of hg. Object counts, finished transfers and advice on further commands are left out; changes
//! of references, files and commits are kept.
//!
//! The last state of an unfinished transfer is kept. New references that keep their name, and added or removed
//! files in one folder, are listed below the text that they share. Conflicts, rejections and the first lines of
//! hints, which name the cause, are kept.

use std::ops::Range;

use super::folders::{self, Entry};
use crate::input::{Claim, Input};
use crate::reduce::format::FormAction::{Hide, Keep, Named, Shows, State};
use crate::reduce::format::Format;
use crate::reduce::{Meta, Reducer};
use crate::text::ledger::{MARKER_COST, Reduction};
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// The reducer of this module.
pub struct GitSync;

static LINES: Format = Format::new(
    Meta {
        id: "git_sync",
        family: "git",
        reads: "`git clone`, `fetch`, `pull`, `push`, `commit`, `merge`, `rebase`, `cherry-pick`, `revert`, `checkout`, \
                `switch`, `reset`, `stash`, `submodule`, `bisect`, `am`, `gc`, `init`, `remote`, `tag`, `worktree`; `hg pull`, \
                `push`, `clone`, `update`",
        keeps: "every reference with its commits, conflicts, rejections, totals, messages of the server, the last state of \
                what did not end",
        omits: "object counts and transfers that ended, general advice; 4 or more new references that keep their name, or \
                created and deleted files of one folder, are listed under what they share; files of line-ending warnings \
                are named",
        anchors: &[
            "bjects: ",
            "Cloning into ",
            "From http",
            "From git",
            "From ssh",
            "From file",
            "From /",
            "To http",
            "To git",
            "To ssh",
            "To file",
            "To /",
            " -> FETCH_HEAD",
            " -> origin/",
            " -> main",
            " -> master",
            "[rejected]",
            "[deleted]",
            "set up to track",
            "file changed",
            "files changed",
            "hint: ",
            "detached HEAD",
            "CONFLICT (",
            "Auto-merging ",
            "Rebasing (",
            "Already up",
            "Everything up-to-date",
            "Switched to ",
            "HEAD is now at ",
            "Fast-forward",
            "in the working copy of ",
            "be replaced by CRLF",
            "[new branch]",
            "[new tag]",
            "Submodule ",
            "adding changesets",
            "searching for changes",
            "files updated, ",
            "(use \"git ",
        ],
    },
    &[
        "git clone",
        "git fetch",
        "git pull",
        "git push",
        "git commit",
        "git merge",
        "git rebase",
        "git cherry-pick",
        "git revert",
        "git checkout",
        "git switch",
        "git restore",
        "git reset",
        "git stash",
        "git submodule",
        "git bisect",
        "git am",
        "git apply",
        "git gc",
        "git repack",
        "git init",
        "git remote",
        "git tag",
        "git worktree",
        "git add",
        "git rm",
        "git mv",
        "git clean",
        "git lfs",
        "gh repo clone",
        "gh pr checkout",
        "gh repo sync",
        "glab repo clone",
        "glab mr checkout",
        "hg pull",
        "hg push",
        "hg clone",
        "hg update",
        "hg merge",
        "hg commit",
        "hg up",
    ],
    3,
    &[
        (
            r"(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Writing|Unpacking|Expanding|Indexing|Finding|Filtering|Updating|Checking out|Resolving|Rewriting|Uploading LFS|Downloading LFS)[\w ]*:.*\bdone\.?",
            Hide(Reason::Progress),
        ),
        (
            r"(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Writing|Unpacking|Expanding|Indexing|Finding|Filtering|Updating|Checking out|Resolving|Rewriting|Uploading LFS|Downloading LFS)[\w ]*: +\d+.*",
            State,
        ),
        (r"(?:remote: )?Total \d+ \(delta \d+\).*", Hide(Reason::Progress)),
        (r"Delta compression using up to \d+ threads?\.?", Hide(Reason::Progress)),
        (
            r"remote: (?:Processing changes|Resolving deltas|Checking connectivity): .*\bdone\.?",
            Hide(Reason::Progress),
        ),
        (r"remote:", Hide(Reason::Progress)),
        (r"remote: +\xE2\x80\xBB?", Hide(Reason::Progress)),
        (r"(?:Rebasing|Applying) \(\d+/\d+\)", State),
        (r"POST git-(?:upload|receive)-pack .*", Hide(Reason::Progress)),
        (
            r"Auto packing the repository .*|See .git help gc. for manual housekeeping\.",
            Hide(Reason::Progress),
        ),
        (r"Auto-merging (\S.*)", Named(Reason::Progress)),
        (
            r"warning: in the working copy of '([^']+)', (?:LF|CRLF) will be replaced by (?:CRLF|LF) the next time Git touches it",
            Named(Reason::LineEndings),
        ),
        (r"warning: (?:LF|CRLF) will be replaced by (?:CRLF|LF) in (\S.*?)\.?", Named(Reason::LineEndings)),
        (
            r"The file will have its original line endings in your working directory\.?",
            Hide(Reason::LineEndings),
        ),
        (
            r"hint: (?:Disable this message with|See the 'Note about|Turn off this advice|Using '\S+' as the name for the initial branch|is subject to change|to use in all|call:|Names commonly chosen|of your new repositories|'development'|will be suppressed|all of your|git (?:config|branch -m)|  git (?:config|branch -m|rebase|merge|cherry-pick|submodule|push|pull)|\tgit (?:config|branch -m|rebase|merge)|preference for all repositories|invocation|or --ff-only on the command line|You can (?:instead skip|replace)|To abort and get back|this message).*",
            Hide(Reason::GitHints),
        ),
        (r"hint:", Hide(Reason::GitHints)),
        (
            r"You are in 'detached HEAD' state\. You can look around, make experimental|changes and commit them, and you can discard any commits you make in this|state without impacting any branches by (?:switching back to a|performing another) (?:branch|checkout)\.",
            Hide(Reason::GitHints),
        ),
        (
            r"If you want to create a new branch to retain commits you create, you may|do so \(now or later\) by using -[bc] with the (?:switch|checkout) command(?: again)?\. Example:|  git (?:switch -c|checkout -b) <new-branch-name>|Or undo this operation with:|  git switch -|Turn off this advice by setting config variable advice\.detachedHead to false",
            Hide(Reason::GitHints),
        ),
        (r"  \(use .git [^)]*\)", Hide(Reason::GitHints)),
        (
            r"(?:Cloning into .*|From \S.*|To \S.*|Fast-forward|Updating [0-9a-f]+\.\.[0-9a-f]+|Already up[ -]to[ -]date.*|Everything up-to-date)",
            Shows,
        ),
        (r" [ *+=!t-] (?:\[[^\]]+\]|[0-9a-f]+\.\.\.?[0-9a-f]+) +\S.* -> \S.*", Shows),
        (r" - \[deleted\] +.*", Shows),
        (r"   [0-9a-f]+\.\.[0-9a-f]+ +\S.* -> \S.*", Shows),
        (r" \d+ files? changed.*", Shows),
        (r"\[[^\]\n]+ (?:\(root-commit\) )?[0-9a-f]{7,40}\] .*", Shows),
        (r"CONFLICT \(.*", Shows),
        (r" (?:create|delete) mode \d+ .*", Keep),
        (
            r"(?:Switched to (?:a new )?branch .*|Already on .*|HEAD is now at .*|Previous HEAD position was .*|Note: (?:switching to|checking out) .*|Merge made by .*|Successfully rebased .*|Submodule .*|Bisecting: .*|Saved working directory .*|Dropped .*|Removing \S.*|rename .*)",
            Shows,
        ),
        (r"branch .* set up to track .*|Your branch .*|Automatic merge .*", Keep),
        (
            r"requesting all changes|adding (?:changesets|manifests|file changes)|searching for changes|no changes found",
            Hide(Reason::Progress),
        ),
        (r"(?:added \d+ changesets? with .*|\d+ files updated, .*|new changesets .*)", Shows),
    ],
);

impl Reducer for GitSync {
    fn meta(&self) -> &'static Meta {
        &LINES.meta
    }

    fn rewrites(&self) -> bool {
        true
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        LINES.claim(input)
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        LINES.extent(input)
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let mut out = match LINES.reduce(input) {
            Ok(out) => out,
            Err(Reason::NothingToDo) => Reduction::default(),
            Err(why) => return Err(why),
        };
        let source = input.source;
        folders::fold(source, 0..source.len(), &mut out, file);
        fold_refs(source, &mut out);
        out.order(0);
        out.unless_empty()
    }
}

/// ` create mode 100644 src/a.rs`
fn file(line: &str) -> Option<Entry<'_>> {
    let rest = line.strip_prefix(" create mode ").or_else(|| line.strip_prefix(" delete mode "))?;
    let (_, path) = rest.split_once(' ')?;
    Entry::new(line.get(..line.len() - path.len())?.trim_end(), path)
}

/// The text before a new reference, its name, and what its new name has before it.
fn new_ref(line: &str) -> Option<(&str, &str, &str)> {
    const KINDS: &[&str] = &["[new branch]", "[new tag]", "[new ref]"];
    let rest = line.strip_prefix(" * ")?;
    let kind = KINDS.iter().find(|kind| rest.starts_with(**kind))?;
    let (from, to) = rest.get(kind.len()..)?.split_once(" -> ")?;
    let from = from.trim();
    let prefix = to.strip_suffix(from)?;
    let is_prefix = prefix.is_empty() || (prefix.ends_with('/') && !prefix.contains(' '));
    (is_prefix && !from.contains(' ')).then_some((*kind, from, prefix))
}

/// New references in a row for which a common line pays.
const MIN_REFS: usize = 4;

/// Lists new references that have the same name on both sides by that name alone.
fn fold_refs(source: &Source<'_>, out: &mut Reduction) {
    let mut i = 0;
    while i < source.len() {
        let Some((kind, _, prefix)) = new_ref(source.line(i)) else {
            i += 1;
            continue;
        };
        let same = |line: &str| new_ref(line).is_some_and(|(k, _, p)| (k, p) == (kind, prefix));
        let end = (i..source.len()).find(|j| !same(source.line(*j))).unwrap_or(source.len());
        let mut text = format!(" * {kind} <name> -> {prefix}<name>:");
        for line in (i..end).map(|j| source.line(j)) {
            text.push('\n');
            match new_ref(line).filter(|_| !signals::is_failure(line)) {
                Some((_, name, _)) => {
                    text.push('\t');
                    text.push_str(name);
                }
                None => text.push_str(line),
            }
        }
        let lines = i..end;
        if lines.len() >= MIN_REFS && text.len() + MARKER_COST <= source.byte_range(lines.clone()).len() {
            out.replace(lines, text, Reason::SameRefs);
        }
        i = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_new_references() {
        let branch = " * [new branch]      feature/x  -> origin/feature/x";
        assert_eq!(new_ref(branch), Some(("[new branch]", "feature/x", "origin/")));
        assert_eq!(new_ref(" * [new tag]         v1 -> v1"), Some(("[new tag]", "v1", "")));
        assert_eq!(new_ref(" * [new branch]      a -> b"), None);
        assert_eq!(new_ref(" * branch            main -> FETCH_HEAD"), None);
    }

    #[test]
    fn reads_files() {
        let entry = file(" create mode 100644 src/a b.rs").map(|e| (e.mark, e.folder, e.name));
        assert_eq!(entry, Some((" create mode 100644", "src/", "a b.rs")));
        assert_eq!(file(" create mode 100644 a.rs"), None);
    }
}
