//! Hunks of diffs, also in a log with other lines. A line of a hunk means nothing without the line that starts the
//! hunk, and that one nothing without the name of the file.
//!
//! The start of a hunk says how many lines it has, so that lines of a log below it do not count as part of it. Also finds the
//! edits that are unlike the others, and the largest changes of a list of files.

use std::ops::Range;

use crate::pipeline::limit::unit::{Candidate, digest};
use crate::text::code;
use crate::text::judge::{RARE_ONE_IN, is_few};
use crate::text::source::Source;

/// The longest title of a diff, in bytes.
const MAX_TITLE_BYTES: usize = 120;
/// Lines between `diff --git` and the names of the files.
const MAX_HEADER_LINES: usize = 8;

/// The hunks of a text.
pub(super) struct Hunks {
    /// The lines of each hunk, in order, and the heading of its first line.
    hunks: Vec<(Range<usize>, Option<usize>)>,
    /// The lines `+++` of files without `diff --git`, whose heading is the line above.
    names: Vec<usize>,
    /// The lines of the header of a commit, such as `Merge:` and `Author:`, and the lines `diff --git` of its files, each with
    /// the first line of the commit.
    below_commits: Vec<(usize, usize)>,
}

impl Hunks {
    pub(super) fn of(source: &Source<'_>) -> Self {
        let mut out = Self { hunks: Vec::new(), names: Vec::new(), below_commits: Vec::new() };
        // The last `diff --git`, and the heading of the next hunk.
        let (mut git, mut file) = (None::<usize>, None);
        let mut commit = None::<usize>;
        let mut at = 0;
        while at < source.len() {
            crate::stop::check_sometimes();
            let line = source.line(at);
            // Most lines are none of those below.
            if !matches!(line.as_bytes().first(), Some(b'd' | b'c' | b'-' | b'@')) {
                at += 1;
                continue;
            }
            let starts = |line: usize, text| line < source.len() && source.line(line).starts_with(text);
            if line.starts_with("diff --git ") {
                commit = title(source, at).or(commit);
                (git, file) = (Some(at), Some(at));
                out.below_commits.extend(commit.map(|commit| (at, commit)));
            } else if is_commit(line) {
                commit = Some(at);
                let header = (at + 1..source.len()).take(MAX_HEADER_LINES);
                let header = header.take_while(|line| is_of_commit(source.line(*line)));
                out.below_commits.extend(header.map(|line| (line, at)));
            } else if line.starts_with("--- ") && starts(at + 1, "+++ ") {
                file = git.filter(|git| at - git <= MAX_HEADER_LINES);
                if file.is_none() {
                    out.names.push(at + 1);
                    file = Some(at + 1);
                }
                git = None;
                at += 1;
            } else if let Some(counts) = counts(line) {
                let end = end(source, at + 1, counts);
                out.hunks.push((at..end, file));
                at = end;
                continue;
            }
            at += 1;
        }
        out
    }

    /// The heading of a line in a diff.
    pub(super) fn above(&self, line: usize) -> Option<usize> {
        let next = self.hunks.partition_point(|(lines, _)| lines.end <= line);
        match self.hunks.get(next).filter(|(lines, _)| lines.contains(&line)) {
            Some((lines, file)) if lines.start == line => *file,
            Some((lines, _)) => Some(lines.start),
            None => {
                let name = self.names.binary_search(&line).ok().and_then(|_| line.checked_sub(1));
                let below = || self.below_commits.binary_search_by_key(&line, |(below, _)| *below).ok();
                name.or_else(|| below().map(|at| self.below_commits[at].1))
            }
        }
    }

    /// The lines of each hunk without the line that starts it.
    pub(super) fn bodies(&self) -> impl Iterator<Item = Range<usize>> {
        self.hunks.iter().map(|(lines, _)| lines.start + 1..lines.end)
    }
}

/// The line right above a diff that says what it shows, such as `Git diff after:`.
fn title(source: &Source<'_>, diff: usize) -> Option<usize> {
    let above = (diff.saturating_sub(2)..diff).rev().find(|line| !source.line(*line).trim().is_empty())?;
    let text = source.line(above).trim_end();
    let is_of_diff = text.starts_with(['+', '-', ' ', '@', '\\']);
    (text.ends_with(':') && !is_of_diff && text.len() <= MAX_TITLE_BYTES).then_some(above)
}

/// Whether a line starts a commit of `git log -p`: `commit 1a2b3c4`, also with the names that point to it.
pub(super) fn is_commit(line: &str) -> bool {
    let hash = line.strip_prefix("commit ").map(|rest| rest.split(' ').next().unwrap_or_default());
    hash.is_some_and(|hash| hash.len() >= 7 && hash.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// The lines below a commit that say whose it is: its author and its committer.
pub(super) fn authors_of(source: &Source<'_>, commit: usize) -> impl Iterator<Item = usize> {
    let header = (commit + 1..source.len()).take_while(|line| is_of_commit(source.line(*line)));
    header
        .filter(|line| ["Author: ", "Commit: "].iter().any(|name| source.line(*line).starts_with(name)))
        .take(2)
}

/// `Merge: 1a2b3c4 5d6e7f8`, `Author: …`: whether a line may be one of the header of a commit.
fn is_of_commit(line: &str) -> bool {
    let name = line.bytes().take_while(u8::is_ascii_alphabetic).count();
    name > 0 && line.as_bytes()[0].is_ascii_uppercase() && line[name..].starts_with(": ")
}

/// The numbers of old and new lines of a hunk: 2 and 3 in `@@ -1,2 +1,3 @@`, 1 where there is none.
fn counts(line: &str) -> Option<(usize, usize)> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let count = |range: &str| match range.split_once(',') {
        Some((start, count)) => start.parse::<usize>().and(count.parse::<usize>()).ok(),
        None => range.parse::<usize>().ok().map(|_| 1),
    };
    Some((count(old)?, count(new)?))
}

/// The line after a hunk with `old` old and `new` new lines.
fn end(source: &Source<'_>, first: usize, (mut old, mut new): (usize, usize)) -> usize {
    let mut at = first;
    while at < source.len() {
        crate::stop::check_sometimes();
        let (is_old, is_new) = match source.line(at).as_bytes().first() {
            // An editor may have removed the blank of an empty line.
            Some(b' ') | None => (1, 1),
            Some(b'-') => (1, 0),
            Some(b'+') => (0, 1),
            Some(b'\\') => (0, 0),
            _ => break,
        };
        if is_old > old || is_new > new || old + new == 0 && is_old + is_new > 0 {
            break;
        }
        (old, new) = (old - is_old, new - is_new);
        at += 1;
    }
    at
}

/// A text is a diff if at least 1 in this many of its lines is in a hunk.
const HUNKS_ONE_IN: usize = 2;
/// The edits rank in groups of this many: all lines of one group rank before those of the next.
const FIRST_EDITS: usize = 4;

/// The lines of the edits that are unlike the others; `None` if the text is not a diff.
pub(super) fn unlike_edits(source: &Source<'_>, lines: &[usize]) -> Option<Vec<Candidate>> {
    let hunks = Hunks::of(source);
    let inside: usize = hunks.bodies().map(|body| body.len()).sum();
    if inside == 0 || inside * HUNKS_ONE_IN < source.len() {
        return None;
    }
    let all: Vec<code::Edit> = hunks.bodies().flat_map(|body| code::edits_of(source, body)).collect();
    let unlike = code::unlike_edits(source, &all);
    let count = unlike.len();
    let mut out = Vec::new();
    for (nth, edit) in unlike.into_iter().enumerate() {
        for line in all[edit].first_lines() {
            let key = digest(&line.to_le_bytes(), 0);
            let candidate = |place| Candidate { place, nth: nth / FIRST_EDITS, count, key, is_word: false };
            out.extend(lines.binary_search(&line).ok().map(candidate));
        }
    }
    unlike_files(source, lines, &hunks, &mut out);
    Some(out)
}

/// What the header of a file says that is not changed by edits alone.
const HEADERS: [&str; 9] = [
    "old mode ",
    "new mode ",
    "deleted file mode ",
    "new file mode ",
    "rename from ",
    "rename to ",
    "copy to ",
    "Binary files ",
    "GIT binary patch",
];
/// The most files that stand out because of one of these. A choice.
const MAX_FILES_OF_HEADER: usize = 4;

/// Adds the headers of the few files that are new, gone, renamed or binary, or have another mode.
fn unlike_files(source: &Source<'_>, lines: &[usize], hunks: &Hunks, out: &mut Vec<Candidate>) {
    let mut found: [Vec<(usize, usize)>; HEADERS.len()] = Default::default();
    let (mut files, mut git) = (0, None);
    let mut at = 0;
    let mut next = hunks.hunks.iter().peekable();
    while at < source.len() {
        crate::stop::check_sometimes();
        if let Some((hunk, _)) = next.next_if(|(hunk, _)| hunk.start <= at) {
            (at, git) = (hunk.end.max(at), None);
            continue;
        }
        let line = source.line(at);
        if line.starts_with("diff --git ") {
            (files, git) = (files + 1, Some(at));
        } else if let Some(git) = git
            && let Some(kind) = HEADERS.iter().position(|start| line.starts_with(start))
        {
            found[kind].push((git, at));
        }
        at += 1;
    }
    let few = found.into_iter().filter(|of_kind| of_kind.len() <= MAX_FILES_OF_HEADER);
    for of_kind in few.filter(|of_kind| is_few(of_kind.len(), files, RARE_ONE_IN)) {
        for (nth, (git, header)) in of_kind.iter().enumerate() {
            let candidate = |line: usize| {
                let place = lines.binary_search(&line).ok()?;
                Some(Candidate {
                    place,
                    nth,
                    count: of_kind.len(),
                    key: digest(&line.to_le_bytes(), 1),
                    is_word: false,
                })
            };
            out.extend([*git, *header].into_iter().filter_map(candidate));
        }
    }
}

/// How many of the largest changes of `git diff --stat` stand out. A choice.
const LARGEST: usize = 3;
/// With fewer files, none stands out. A choice.
const MIN_FILES: usize = 20;

/// Adds the files with the most changed lines in a list as `--stat` writes it: ` src/a.rs | 120 +++++---`.
pub(super) fn largest_changes(source: &Source<'_>, lines: &[usize], out: &mut Vec<Candidate>) {
    let mut files: Vec<(usize, usize)> = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        crate::stop::check_sometimes();
        files.extend(changed_lines(source.line(*line)).map(|count| (count, place)));
    }
    if files.len() < MIN_FILES {
        return;
    }
    files.sort_by_key(|(count, place)| (std::cmp::Reverse(*count), *place));
    let largest = files.into_iter().take(LARGEST).enumerate();
    out.extend(largest.map(|(nth, (count, place))| {
        let key = digest(&count.to_le_bytes(), place);
        Candidate { place, nth, count: LARGEST, key, is_word: false }
    }));
}

/// The number of changed lines of a file in such a list.
fn changed_lines(line: &str) -> Option<usize> {
    let (path, change) = line.strip_prefix(' ')?.rsplit_once(" | ")?;
    let (count, signs) = change.trim_start().split_once(' ')?;
    let are_signs = !signs.is_empty() && signs.bytes().all(|b| matches!(b, b'+' | b'-'));
    (are_signs && !path.trim().is_empty()).then(|| count.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_changes_of_a_list_stand_out() {
        let text: String = (0..60)
            .map(|i| format!(" src/part_{i}.rs | {:4} {}\n", i * 37 % 61 + 1, "+".repeat(i % 5 + 1)))
            .collect();
        let source = Source::new(&text);
        let lines: Vec<usize> = (0..source.len()).collect();
        let mut out = Vec::new();
        largest_changes(&source, &lines, &mut out);
        let counts: Vec<_> = out.iter().map(|c| changed_lines(source.line(c.place)).unwrap()).collect();
        assert_eq!(counts, [61, 60, 59]);
        for line in ["a | 5 ++", " a | b ++", " a | 5", " x = 1 | 5 + 3", " img.png | Bin 0 -> 5 bytes"] {
            assert_eq!(changed_lines(line), None, "{line}");
        }
    }

    #[test]
    fn a_hunk_ends_where_its_counts_end() {
        let text = "log\n@@ -1,2 +1 @@ fn a\n one\n-two\n\\ No newline at end of file\n more\n@@ -x @@\n";
        let source = Source::new(text);
        let hunks = Hunks::of(&source);
        assert_eq!(hunks.hunks, [(1..5, None)]);
        assert_eq!((hunks.above(1), hunks.above(3), hunks.above(5)), (None, Some(1), None));
    }

    #[test]
    fn a_file_stands_below_its_commit() {
        let file = |name: &str| {
            format!("diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-a\n+b\n")
        };
        let commit = |hash: &str| format!("commit {hash}\nAuthor: a\n\n    commit now\n\n");
        let text = commit("1a2b3c4d") + &file("x") + &file("y") + &commit("2b3c4d5e (HEAD)") + &file("z");
        let hunks = Hunks::of(&Source::new(&text));
        assert_eq!(
            [1, 5, 11, 22].map(|line| hunks.above(line)),
            [Some(0), Some(0), Some(0), Some(17)],
            "{text}"
        );
        assert_eq!([0, 2, 3].map(|line| hunks.above(line)), [None; 3]);
        let text = format!("before:\n{}\nafter:\n\n{}{}", file("x"), file("x"), file("y"));
        let hunks = Hunks::of(&Source::new(&text));
        assert_eq!([1, 10, 16].map(|line| hunks.above(line)), [Some(0), Some(8), Some(8)], "{text}");
    }

    #[test]
    fn a_diff_has_edits_and_another_text_has_none() {
        let hunk = |i: usize| match i {
            30 => format!("@@ -{i} +{i} @@\n-on = true\n+on = false\n"),
            i => format!("@@ -{i} +{i} @@\n-a{i}(b)\n+c{i}(d)\n"),
        };
        let text = format!("--- a/x\n+++ b/x\n{}", (1..60).map(hunk).collect::<String>());
        let source = Source::new(&text);
        let lines: Vec<usize> = (0..source.len()).collect();
        let found = unlike_edits(&source, &lines).unwrap();
        let texts: Vec<&str> = found.iter().map(|c| source.line(lines[c.place])).collect();
        assert_eq!(texts, ["-on = true", "+on = false"]);
        let moved = text.clone() + "diff --git a/y b/z\nsimilarity index 100%\nrename from y\nrename to z\n";
        let source = Source::new(&moved);
        let lines: Vec<usize> = (0..source.len()).collect();
        let found = unlike_edits(&source, &lines).unwrap();
        let texts: Vec<&str> = found.iter().skip(2).map(|c| source.line(lines[c.place])).collect();
        assert_eq!(texts, ["diff --git a/y b/z", "rename from y", "diff --git a/y b/z", "rename to z"]);
        let plain = text.replace("@@", "##");
        assert_eq!(unlike_edits(&Source::new(&plain), &lines), None);
    }
}
