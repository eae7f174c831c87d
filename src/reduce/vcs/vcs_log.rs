//! Logs of git, hg and svn: an author or date that is the same as in the commit before is written once. For older
//! commits of a long log, the subject is kept and the body is left out.
//!
//! A commit without an author has that of the commit above. If authors and dates of all commits from one on are left
//! out, a marker says so.
//!
//! Hashes, revisions, references, subjects, trailers, parents and totals are kept in every mode, and so is a line of
//! a message that reads like a failure. If a log with one line per commit is very long, its middle is left out. A log
//! in a format of the caller is kept.

mod rare;
mod style;
mod undo;

use std::collections::HashSet;
use std::ops::Range;

pub(crate) use rare::signed;
use style::Style;

use crate::config::Mode;
use crate::detect::Shape;
use crate::detect::command::Simple;
use crate::input::{Claim, Input};
use crate::reduce::outliers;
use crate::reduce::{Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// The reducer of this module.
pub struct VcsLog;

static META: Meta = Meta {
    id: "vcs_log",
    family: "git",
    reads: "`git log`, `show`, `reflog`, `shortlog` in all formats (also `--graph`, `--stat`, `--oneline`), `hg log`, `svn log`",
    keeps: "every hash, reference, subject, trailer and total, commits that undo others, the few with another author or time zone, bodies of the first 20 commits (5 in `aggressive`)",
    omits: "author and date lines that equal those of the commit before; bodies of 3 and more lines of later commits, \
            author and date after 200 commits (50), all after 500 (100) but what tells of failures; \
            one-line commits beyond the first 500 (100 in `aggressive`); in `aggressive` file statistics of later commits",
    anchors: &[],
};

/// How many commits of a log of blocks are shown, by how much of each is shown.
struct Tiers {
    /// With the whole message.
    whole: usize,
    /// With author and date.
    dated: usize,
    /// With hash and subject.
    named: usize,
}

const STANDARD: Tiers = Tiers { whole: 20, dated: 200, named: 500 };
const AGGRESSIVE: Tiers = Tiers { whole: 5, dated: 50, named: 100 };
/// Fewest lines of a body that are left out. A choice: a marker takes one.
const MIN_BODY: usize = 3;
/// The most one-line commits that are shown at the start of a log, in `standard` and in `aggressive`, and those that
/// are also shown at its end. A choice.
const MAX_ONE_LINE_COMMITS: usize = 500;
const MAX_ONE_LINE_COMMITS_AGGRESSIVE: usize = 100;
const SHOWN_AT_END: usize = 5;

impl Reducer for VcsLog {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        if matches!(input.detection.shape, Shape::File | Shape::Search | Shape::Listing) {
            return Claim::No;
        }
        let source = input.source;
        let command = &input.detection.command;
        if command.runs(writes_logs) {
            let is_log = (0..source.len()).any(|i| Style::of(source, i).is_some()) || is_one_line(source);
            return if is_log { Claim::Command } else { Claim::No };
        }
        let first = (0..source.len()).find(|i| !source.line(*i).trim().is_empty());
        match first.is_some_and(|i| Style::of(source, i).is_some()) {
            true if !command.is_filtered() => Claim::Content,
            _ => Claim::No,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut out = Reduction::default();
        let mut log = Log::new(input.policy.mode, 0, true);
        log.read(source, 0..source.len(), &mut out);
        let mut odd = rare::files(source, &out);
        odd.extend(rare::signed(source));
        if !odd.is_empty() {
            out = outliers::without(out, &odd);
        }
        if log.commits == 0 && is_one_line(source) {
            let shown = if input.policy.mode >= Mode::Aggressive {
                MAX_ONE_LINE_COMMITS_AGGRESSIVE
            } else {
                MAX_ONE_LINE_COMMITS
            };
            one_line(source, shown, &mut out);
        }
        match out.is_empty() {
            false => Ok(out),
            true if log.commits == 0 && !is_one_line(source) => Err(Reason::NotRecognized),
            true => Err(Reason::NothingToDo),
        }
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let source = input.source;
        let is_start = |i: &usize| Style::of(source, *i).is_some() || is_commit_line(source.line(*i));
        let first = (0..source.len()).find(is_start).unwrap_or(0);
        if Style::of(source, first).is_some() {
            return first..source.len();
        }
        let last = (first..source.len()).rev().find(|i| is_commit_line(source.line(*i))).unwrap_or(first);
        first..last + 1
    }
}

/// Whether a command writes logs of commits.
fn writes_logs(simple: &Simple) -> bool {
    // `git show main:sums.txt` shows a file.
    let is_file = |word: &String| !word.starts_with(['-', ':']) && word.contains(':');
    match simple.program() {
        "git" if simple.git_subcommand() == Some("show") => !simple.argv.iter().any(is_file),
        "git" => matches!(
            simple.git_subcommand(),
            Some("log" | "show" | "reflog" | "whatchanged" | "rev-list" | "cherry" | "show-branch" | "stash")
        ),
        "hg" => matches!(
            simple.subcommand(),
            Some("log" | "history" | "heads" | "tip" | "parents" | "incoming" | "outgoing")
        ),
        "svn" => simple.subcommand() == Some("log"),
        _ => false,
    }
}

/// A line of `--oneline`, of a reflog or of `rev-list`, also in a graph: a hash comes first.
fn is_commit_line(line: &str) -> bool {
    let word =
        line.trim_start_matches(['*', '|', '/', '\\', '_', ' ', '.', '-', '<', '>', '+']).split(' ').next();
    word.is_some_and(|w| (7..=64).contains(&w.len()) && w.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Whether most lines are commits on a line of their own.
fn is_one_line(source: &Source<'_>) -> bool {
    let lines =
        || source.lines().take(400).filter(|l| !l.trim_matches(['*', '|', '/', '\\', '_', ' ']).is_empty());
    let commits = lines().filter(|l| is_commit_line(l)).count();
    commits > 0 && commits * 2 >= lines().count()
}

/// Leaves out the middle of a long log of one-line commits.
fn one_line(source: &Source<'_>, shown: usize, out: &mut Reduction) {
    let commits: Vec<usize> = (0..source.len()).filter(|i| is_commit_line(source.line(*i))).collect();
    if commits.len() <= shown + SHOWN_AT_END + MIN_BODY {
        return;
    }
    let gone = &commits[shown..commits.len() - SHOWN_AT_END];
    let undoes = |i: &&usize| undo::is_commit(source.line(**i));
    let mut stays: HashSet<usize> =
        gone.iter().filter(undoes).take(undo::MAX_UNDO_COMMITS).copied().collect();
    stays.extend(rare::commits(source, gone));
    for line in gone.iter().copied().filter(|i| !stays.contains(i) && !signals::is_failure(source.line(*i))) {
        out.omit_in(line..line + 1, Reason::OlderCommits, 1);
    }
}

/// Where in a commit a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Fields,
    Body,
    After,
}

/// Reads logs, also in pieces with other text between them, such as the changes of each commit.
pub(super) struct Log<'a> {
    mode: Mode,
    groups: u32,
    commits: usize,
    place: Place,
    style: Option<(Style, usize)>,
    /// Lines about author and date of the last commit that has such.
    known: Vec<(&'a str, &'a str)>,
    /// Lines of the message so far.
    body: Vec<usize>,
    /// Lines of a commit that is not shown.
    hidden: Vec<usize>,
    /// Whether nothing of the commits is between the pieces, so that whole commits may go.
    is_alone: bool,
    /// Whether author and date of a commit are left out even if they differ from those before.
    is_undated: bool,
}

impl<'a> Log<'a> {
    /// A reader that takes [`Self::GROUPS`] groups of omissions after `groups`.
    pub(super) fn new(mode: Mode, groups: u32, is_alone: bool) -> Self {
        Self {
            mode,
            groups,
            commits: 0,
            place: Place::Outside,
            style: None,
            known: Vec::new(),
            body: Vec::new(),
            hidden: Vec::new(),
            is_alone,
            is_undated: false,
        }
    }

    /// Groups that a reader takes.
    pub(super) const GROUPS: u32 = 4;

    /// Reads some lines and adds the omissions.
    pub(super) fn read(&mut self, source: &Source<'a>, lines: Range<usize>, out: &mut Reduction) {
        for i in lines {
            if let Some(style) = Style::of(source, i) {
                self.end_body(source, out);
                self.commits += 1;
                (self.style, self.place) = (Some(style), Place::Fields);
                self.hidden.extend(self.is_past(self.tiers().named).then_some(i));
                continue;
            }
            if self.is_past(self.tiers().named) {
                self.hidden.push(i);
                continue;
            }
            let Some((style, width)) = self.style else { continue };
            let line = style::inner(source.line(i), width);
            match self.place {
                Place::Fields if line.is_empty() => self.place = Place::Body,
                Place::Fields => self.field(style, line, i, out),
                Place::Body if style.is_body(line) => self.body.push(i),
                Place::Body => {
                    self.end_body(source, out);
                    self.place = Place::After;
                    self.after(line, i, out);
                }
                Place::After => self.after(line, i, out),
                Place::Outside => {}
            }
        }
        self.end_body(source, out);
    }

    fn tiers(&self) -> &'static Tiers {
        if self.mode >= Mode::Aggressive { &AGGRESSIVE } else { &STANDARD }
    }

    /// Whether a commit comes so late that its body is left out.
    fn is_old(&self) -> bool {
        self.commits > self.tiers().whole
    }

    /// Whether a commit comes after this many others, in a log from which commits may be left out.
    fn is_past(&self, tier: usize) -> bool {
        self.is_alone && self.commits > tier
    }

    fn field(&mut self, style: Style, line: &'a str, i: usize, out: &mut Reduction) {
        let Some(key) = style.repeating_key(line) else { return };
        // Without its author, the commit would look like one of the author above.
        let is_by_another = || {
            self.known
                .iter()
                .any(|(known, before)| Style::is_author(known) && *known == key && *before != line)
        };
        if self.is_past(self.tiers().dated) && !signals::is_failure(line) && !is_by_another() {
            let names = if self.is_undated { "" } else { style.undated(&self.known) };
            self.is_undated = true;
            out.omit_named(i..i + 1, Reason::CommitBody, self.groups + 4, names);
            return;
        }
        match self.known.iter_mut().find(|(known, _)| *known == key) {
            Some((_, before)) if *before == line => {
                out.omit_in(i..i + 1, Reason::SameAuthor, self.groups + 1);
            }
            Some((_, before)) => *before = line,
            None => self.known.push((key, line)),
        }
    }

    /// Reads the lines after a message: file statistics.
    fn after(&self, line: &str, i: usize, out: &mut Reduction) {
        // A line without a count reports something else: a binary file that was emptied, a conflict.
        let is_file = line.starts_with(' ')
            && line.rsplit_once(" | ").is_some_and(|(_, change)| {
                let change = change.trim_start();
                let is_kept = change.starts_with("Bin ") && change.ends_with(" -> 0 bytes");
                !is_kept && change.starts_with(|c: char| c.is_ascii_digit() || c == 'B')
            });
        if self.mode >= Mode::Aggressive && self.is_old() && is_file && !signals::is_failure(line) {
            out.omit_in(i..i + 1, Reason::CommitBody, self.groups + 2);
        }
    }

    /// Leaves out the body of an old commit: all after the subject but trailers and failures.
    fn end_body(&mut self, source: &Source<'a>, out: &mut Reduction) {
        let hidden = std::mem::take(&mut self.hidden);
        // A commit that reports a failure keeps those lines, and its hash with them.
        let is_undo = |i: usize| {
            self.style.is_some_and(|(_, width)| undo::is_subject(style::inner(source.line(i), width)))
        };
        let must_stay = |i: usize| signals::is_failure(source.line(i)) || is_undo(i);
        let keeps = hidden.iter().any(|i| must_stay(*i));
        // Lines between those that stay of one commit hide no other commit.
        let (reason, group) = if keeps { (Reason::CommitBody, 2) } else { (Reason::OlderCommits, 3) };
        for i in hidden.iter().skip(usize::from(keeps)).copied().filter(|i| !must_stay(*i)) {
            out.omit_in(i..i + 1, reason, self.groups + group);
        }
        let body = std::mem::take(&mut self.body);
        let Some((_, width)) = self.style.filter(|_| self.is_old()) else { return };
        let text = |i: usize| style::inner(source.line(i), width).trim();
        let subject = body.iter().position(|i| text(*i).is_empty()).unwrap_or(body.len());
        let is_merge = body.first().is_some_and(|i| text(*i).starts_with("Merge "));
        let mut rest = body[subject..].iter().copied().peekable();
        // The first line of a merge's body is the title of the merged change.
        while is_merge && rest.next_if(|i| text(*i).is_empty()).is_some() {}
        let rest = rest.skip(usize::from(is_merge));
        let gone: Vec<usize> =
            rest.filter(|i| !is_trailer(text(*i)) && !signals::is_failure(source.line(*i))).collect();
        let last = body.iter().rev().find(|i| !text(**i).is_empty()).copied().unwrap_or(0);
        // The kept lines are separated from the subject as before.
        let texts = |lines: &[usize]| lines.iter().filter(|i| !text(**i).is_empty()).count();
        let has_kept = !is_merge && texts(body.get(subject..).unwrap_or_default()) > texts(&gone);
        let apart = body.get(subject).copied().filter(|_| has_kept);
        if texts(&gone) >= MIN_BODY {
            // The empty line before the next commit is kept.
            gone.into_iter().filter(|i| *i <= last && Some(*i) != apart).for_each(|i| {
                out.omit_in(i..i + 1, Reason::CommitBody, self.groups + 2);
            });
        }
    }
}

/// `Signed-off-by: …`, `Fixes: #3`, `This reverts commit …`: lines that refer to something else.
fn is_trailer(line: &str) -> bool {
    const KEYS: &[&str] =
        &["Fixes", "Closes", "Refs", "Resolves", "See", "Link", "BREAKING CHANGE", "Change"];
    let is_key = |key: &str| {
        KEYS.contains(&key)
            || (key.contains('-')
                && key.starts_with(|c: char| c.is_ascii_uppercase())
                && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
    };
    line.split_once(": ").is_some_and(|(key, value)| is_key(key) && !value.is_empty())
        || line.starts_with("This reverts commit ")
        || line.starts_with("(cherry picked from commit ")
        || KEYS.iter().any(|key| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(" #")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines() {
        for line in
            ["1a2b3c4 Subject", "* 1a2b3c4 (HEAD -> main) x", "| * 1a2b3c4 y", "1a2b3c4 HEAD@{0}: commit: x"]
        {
            assert!(is_commit_line(line), "{line}");
        }
        for line in ["Subject", "| |", "1a2b", "abandoned tree"] {
            assert!(!is_commit_line(line), "{line}");
        }
        for line in ["Signed-off-by: A <a@b.c>", "Fixes: #3", "Closes #12", "This reverts commit 1a2b3c4d."] {
            assert!(is_trailer(line), "{line}");
        }
        for line in ["Note: this is text", "see below", "Closes the door"] {
            assert!(!is_trailer(line), "{line}");
        }
    }
}
