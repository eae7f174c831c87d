//! Unified diffs: `--- old`, `+++ new`, then hunks `@@ -a,b +c,d @@`, for merges `@@@ -a,b -c,d +e,f @@@`.
//!
//! The lengths in a hunk's header give its end, so a removed `-- x` is never read as a header, and a cut or filtered
//! hunk is recognised as incomplete. This module does not decide what to leave out; it finds unchanged lines that are
//! far from any change.

use std::ops::Range;

use memchr::memmem;

use crate::reduce::lines::leading_number;
use crate::text::source::Source;

/// Unchanged lines that are kept on each side of a change: the default of git.
const CONTEXT: usize = 3;
/// Longest run of unchanged lines that is shown whole.
const MAX_RUN: usize = 8;
/// Most parents of a merge that are read.
const MAX_PARENTS: usize = 8;

/// Whether any file with a hunk is there, found without reading all lines.
pub fn has_file(source: &Source<'_>) -> bool {
    let text = source.text().as_bytes();
    memmem::find_iter(text, b"@@ -").any(|at| {
        let line = source.line_at(at);
        line >= 2 && File::starts(source, line - 2)
    })
}

/// The changes of one file, from its `---` line to the end of its last hunk.
pub struct File<'a> {
    /// Name without folder.
    pub name: &'a str,
    /// Path as the diff gives it, without the `a/` or `b/` of git.
    pub path: &'a str,
    /// Its lines. A hunk that is shorter than its header states is included up to the line that shows this.
    pub lines: Range<usize>,
    /// Its hunks, without a hunk that is cut off or filtered inside.
    pub hunks: Vec<Hunk>,
}

impl<'a> File<'a> {
    /// Whether a file starts at a line: both names and a hunk.
    fn starts(source: &Source<'_>, at: usize) -> bool {
        at + 2 < source.len()
            && source.line(at).starts_with("--- ")
            && source.line(at + 1).starts_with("+++ ")
            && Lengths::read(source.line(at + 2)).is_some()
    }

    /// Reads the file that starts at a line.
    pub fn read(source: &Source<'a>, at: usize) -> Option<Self> {
        if !Self::starts(source, at) {
            return None;
        }
        let path = match file_path(source.line(at + 1)) {
            "/dev/null" => file_path(source.line(at)),
            path => path,
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut file = File { name, path, lines: at..at + 2, hunks: Vec::new() };
        while file.lines.end < source.len() {
            let Some(lengths) = Lengths::read(source.line(file.lines.end)) else { break };
            match Hunk::read(source, file.lines.end, lengths) {
                Ok(hunk) => {
                    file.lines.end = hunk.body.end;
                    file.hunks.push(hunk);
                }
                Err(at) => {
                    file.lines.end = at;
                    break;
                }
            }
        }
        Some(file)
    }

    /// Lines added or removed.
    pub fn changes(&self) -> usize {
        self.hunks.iter().map(|h| h.changes).sum()
    }
}

/// Changes close to each other, with unchanged lines around them.
pub struct Hunk {
    /// Its lines without its `@@` line, which is before them.
    pub body: Range<usize>,
    /// Lines added or removed.
    pub changes: usize,
    /// Unchanged lines that may go.
    pub gaps: Vec<Range<usize>>,
    /// Whether it is as long as it says; if not, the text ends in it.
    pub is_whole: bool,
    parents: usize,
}

impl Hunk {
    /// Reads the hunk whose `@@` line is `header`, or returns the line that cannot be in it.
    fn read(source: &Source<'_>, header: usize, mut lengths: Lengths) -> Result<Self, usize> {
        let first = header + 1;
        let parents = lengths.parents;
        let mut hunk = Self { body: first..first, changes: 0, gaps: Vec::new(), is_whole: false, parents };
        let mut at = first;
        let mut run = first;
        while at < source.len() {
            let line = source.line(at);
            let is_note = line.starts_with("\\ ");
            if lengths.is_used_up() && !is_note {
                break;
            }
            if is_note || !lengths.take(line).ok_or(at)? {
                hunk.changes += usize::from(!is_note);
                hunk.gap(source, run..at, if run == first { 0 } else { CONTEXT }, CONTEXT);
                run = at + 1;
            }
            at += 1;
        }
        hunk.body.end = at;
        hunk.is_whole = lengths.is_used_up();
        // A hunk without a change was not written by a tool. In a hunk that is cut off, a change may have followed.
        if run > first && hunk.is_whole {
            hunk.gap(source, run..at, CONTEXT, 0);
        }
        Ok(hunk)
    }

    /// Adds a gap for a run of unchanged lines. Some lines at each end are kept, and so is the last heading, which
    /// names the place of the next change.
    fn gap(&mut self, source: &Source<'_>, run: Range<usize>, head: usize, tail: usize) {
        if run.len() <= MAX_RUN {
            return;
        }
        let gap = run.start + head..run.end - tail;
        if has_word_changes(source.slice(gap.clone())) {
            return;
        }
        let heading = match tail {
            0 => None,
            _ => (run.start..run.end).rfind(|&i| is_heading(source.line(i), self.parents)),
        };
        match heading.filter(|heading| gap.contains(heading)) {
            Some(heading) => {
                let parts = [gap.start..heading, heading + 1..gap.end];
                self.gaps.extend(parts.into_iter().filter(|part| !part.is_empty()));
            }
            None => self.gaps.push(gap),
        }
    }

    /// Whether a line of the body is added or removed.
    pub fn is_change(&self, line: &str) -> bool {
        !line.starts_with("\\ ") && line.bytes().take(self.parents).any(|mark| mark != b' ')
    }

    /// Whether a line of the body that is a change is one that was removed.
    pub fn is_removal(&self, line: &str) -> bool {
        line.bytes().take(self.parents).any(|mark| mark == b'-')
    }
}

/// Whether an unchanged line is a heading of the lines after it, by git's rule for files of unknown languages: it
/// starts with a letter, `_` or `$`.
fn is_heading(line: &str, parents: usize) -> bool {
    line.as_bytes().get(parents).is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'$'))
}

/// Whether lines may hold changes of the kind `[-old-]{+new+}`, which are in lines that look unchanged.
fn has_word_changes(text: &str) -> bool {
    let has = |mark: &str| memmem::find(text.as_bytes(), mark.as_bytes()).is_some();
    (has("[-") && has("-]")) || (has("{+") && has("+}"))
}

/// The path of the file in a `--- ` or `+++ ` line: `src/x.rs` in `+++ b/src/x.rs`. The text after a tab is a time or a
/// revision.
fn file_path(line: &str) -> &str {
    let path = line.get(4..).unwrap_or_default();
    let path = path.split('\t').next().unwrap_or(path).trim_end().trim_matches('"');
    path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path)
}

/// How many lines of a hunk are still to come, in each old version and in the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Lengths {
    parents: usize,
    old: [usize; MAX_PARENTS],
    new: usize,
}

impl Lengths {
    /// `@@ -1,9 +1,8 @@ fn main()`, for a merge `@@@ -1,9 -1,9 +1,8 @@@`; a length of 1 is not written.
    fn read(line: &str) -> Option<Self> {
        let parents = line.bytes().take_while(|b| *b == b'@').count().checked_sub(1)?;
        if !(1..=MAX_PARENTS).contains(&parents) {
            return None;
        }
        let (fence, mut rest) = line.split_at(parents + 1);
        let mut old = [0; MAX_PARENTS];
        for length in &mut old[..parents] {
            (_, *length, rest) = range(rest.strip_prefix(" -")?)?;
        }
        let (_, new, rest) = range(rest.strip_prefix(" +")?)?;
        rest.strip_prefix(' ')?.starts_with(fence).then_some(Self { parents, old, new })
    }

    /// Counts one line of the hunk; returns whether it is unchanged, or `None` if it cannot be part of the hunk
    /// here.
    fn take(&mut self, line: &str) -> Option<bool> {
        let mut marks = [b' '; MAX_PARENTS];
        // Editors and hosts cut the blanks of an empty unchanged line.
        let count = line.len().min(self.parents);
        marks[..count].copy_from_slice(&line.as_bytes()[..count]);
        let marks = &marks[..self.parents];
        if !marks.iter().all(|m| matches!(m, b' ' | b'+' | b'-')) {
            return None;
        }
        let is_removed = marks.contains(&b'-');
        let stands_in = if is_removed { b'-' } else { b' ' };
        for (left, mark) in self.old.iter_mut().zip(marks) {
            *left = left.checked_sub(usize::from(*mark == stands_in))?;
        }
        self.new = self.new.checked_sub(usize::from(!is_removed))?;
        Some(marks.iter().all(|m| *m == b' '))
    }

    fn is_used_up(&self) -> bool {
        self.new == 0 && self.old.iter().all(|left| *left == 0)
    }
}

/// The first line and the length in `12,5`, and the text after them.
fn range(text: &str) -> Option<(usize, usize, &str)> {
    let (start, rest) = leading_number(text)?;
    let (length, rest) = match rest.strip_prefix(',') {
        Some(length) => leading_number(length)?,
        None => (1, rest),
    };
    Some((start, length, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_hunk_headers() {
        let old = |line: &str| Lengths::read(line).map(|l| (l.old[..l.parents].to_vec(), l.new));
        assert_eq!(old("@@ -1,9 +1,8 @@ fn main() { // @@"), Some((vec![9], 8)));
        assert_eq!(old("@@ -0,0 +1 @@"), Some((vec![0], 1)));
        assert_eq!(old("@@@ -1,9 -2 +1,8 @@@"), Some((vec![9, 1], 8)));
        for line in [
            "@@ @@",
            "@@ -1,9 +1,8",
            "@@@ -1,9 +1,8 @@@",
            "@@ -a,9 +1,8 @@",
            "@ -1 +1 @",
            "",
            "@@ -1,9 +1,8 @",
        ] {
            assert_eq!(old(line), None, "{line}");
        }
        assert_eq!(old("@@ -1,99999999999999999999999 +1 @@"), None);
    }

    #[test]
    fn lengths_tell_changes_from_headers() {
        let text = "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n \n-- \n2.47.3\n";
        let file = File::read(&Source::new(text), 0).unwrap();
        assert_eq!((file.name, file.changes(), file.hunks[0].is_whole), ("x.sql", 2, true));
        assert_eq!(file.lines, 0..6);
    }

    #[test]
    fn a_hunk_that_something_cut_is_no_hunk() {
        let first = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n same\n+new\n";
        let read = |rest: &str| {
            let text = format!("{first}{rest}");
            let file = File::read(&Source::new(&text), 0).unwrap();
            (file.hunks.iter().map(|h| (h.changes, h.is_whole)).collect::<Vec<_>>(), file.lines.end)
        };
        assert_eq!(read("@@ -9,3 +10,3 @@\n a\n-b\n+c\n"), (vec![(1, true), (2, false)], 9));
        assert_eq!(read("@@ -9,3 +10,3 @@\n a\n-b\n[9 lines cut]\n+c\n"), (vec![(1, true)], 8));
        assert_eq!(read("@@ -9,3 +10,3 @@\n a\n-b\n-c\n-d\n"), (vec![(1, true)], 9));
    }

    #[test]
    fn merges_count_every_parent() {
        let text =
            "--- a/x\n+++ b/x\n@@@ -1,3 -1,2 +1,3 @@@\n  same\n- ours\n -theirs\n++both\n +left\n--- a/y\n";
        let file = File::read(&Source::new(text), 0).unwrap();
        assert_eq!((file.lines.end, file.changes(), file.hunks[0].is_whole), (8, 4, true));
        let hunk = &file.hunks[0];
        assert!(hunk.is_change(" -theirs") && hunk.is_change("++both") && !hunk.is_change("  same"));
        assert!(!hunk.is_change("\\ No newline at end of file"));
    }

    #[test]
    fn names_of_files() {
        assert_eq!(file_path("+++ b/web/yarn.lock\t2024-01-01 10:00:00"), "web/yarn.lock");
        assert_eq!(file_path("+++ \"b/na\\303\\257f.map\""), "na\\303\\257f.map");
    }

    fn gaps(hunk: &str) -> Vec<Range<usize>> {
        let file = format!("--- a\n+++ a\n{hunk}");
        File::read(&Source::new(&file), 0).unwrap().hunks.into_iter().flat_map(|h| h.gaps).collect()
    }

    #[test]
    fn gaps_keep_three_lines_around_changes() {
        let same = |n: usize| "  same\n".repeat(n);
        let hunk = format!("@@ -1,20 +1,19 @@\n{}-x\n+y\n{}-x\n", same(9), same(9));
        assert_eq!(gaps(&hunk), [3..9, 17..20]);
        assert!(gaps(&format!("@@ -1,8 +1,9 @@\n+y\n{}", same(8))).is_empty());
        let end = gaps(&format!("@@ -1,9 +1,10 @@\n+y\n{}", same(9)));
        assert_eq!(end.first(), Some(&(7..13)));
        assert!(gaps(&format!("@@ -1,20 +1,20 @@\n{}", same(20))).is_empty());
        assert!(gaps(&format!("@@ -1,20 +1,21 @@\n+y\n{} [-a-]{{+b+}}\n{}", same(10), same(9))).is_empty());
        // The text ends in the hunk: the lines after the last change are kept.
        assert!(gaps(&format!("@@ -1,30 +1,31 @@\n+y\n{}", same(20))).is_empty());
    }

    #[test]
    fn gaps_keep_the_line_that_names_the_place() {
        let hunk = format!("@@ -1,20 +1,21 @@\n{} fn f() {{\n{}+y\n", "  x\n".repeat(10), "  x\n".repeat(9));
        assert_eq!(gaps(&hunk), [3..13, 14..20]);
        let merge = format!(
            "@@@ -1,20 -1,20 +1,21 @@@\n{}  fn f() {{\n{}++y\n",
            "   x\n".repeat(10),
            "   x\n".repeat(9)
        );
        assert_eq!(gaps(&merge), [3..13, 14..20]);
        // A line just before the change already names the function.
        let near = format!("@@ -1,20 +1,21 @@\n fn e() {{\n{} fn f() {{\n  x\n+y\n", "  x\n".repeat(17));
        assert_eq!(gaps(&near).first(), Some(&(3..20)));
    }
}
