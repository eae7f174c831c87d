//! Unified diffs: `--- old`, `+++ new`, then hunks `@@ -a,b +c,d @@`, for merges `@@@ -a,b -c,d +e,f @@@`.
//!
//! The lengths in a hunk's header say where it ends, so a removed `-- x` is never read as a header,
//! and a hunk that something cut or filtered is told from a whole one. Nothing here decides what to
//! leave out; it says which unchanged lines are far from any change.

use std::ops::Range;

use memchr::memmem;

use super::lines::leading_number;
use crate::pipeline::source::Source;

/// Unchanged lines that stay on each side of a change: what git shows unless told otherwise.
const CONTEXT: usize = 3;
/// Longest run of unchanged lines that stays whole.
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
    /// Its lines.
    pub lines: Range<usize>,
    /// Whether all hunks are as long as they say, the last perhaps cut at the end of the text.
    pub is_sound: bool,
    /// Lines added or removed.
    pub changes: usize,
    /// Unchanged lines that may go.
    pub gaps: Vec<Range<usize>>,
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
        let name = match file_name(source.line(at + 1)) {
            "null" => file_name(source.line(at)),
            name => name,
        };
        let mut file = File { name, lines: at..at + 2, is_sound: true, changes: 0, gaps: Vec::new() };
        while file.is_sound && file.lines.end < source.len() {
            let Some(lengths) = Lengths::read(source.line(file.lines.end)) else { break };
            file.hunk(source, lengths);
        }
        Some(file)
    }

    /// The lines of its hunks.
    pub fn hunks(&self) -> Range<usize> {
        self.lines.start + 2..self.lines.end
    }

    /// Reads one hunk, whose header is the next line.
    fn hunk(&mut self, source: &Source<'_>, mut lengths: Lengths) {
        let first = self.lines.end + 1;
        let is_merge = lengths.parents > 1;
        let mut at = first;
        let mut run = first;
        while at < source.len() {
            let line = source.line(at);
            let is_note = line.starts_with("\\ ");
            if lengths.is_used_up() && !is_note {
                break;
            }
            let is_context = match is_note {
                true => false,
                false => match lengths.take(line) {
                    Some(is_context) => is_context,
                    None => {
                        self.is_sound = false;
                        break;
                    }
                },
            };
            at += 1;
            if !is_context {
                self.changes += usize::from(!is_note);
                if !is_merge {
                    self.gap(source, run..at - 1, if run == first { 0 } else { CONTEXT }, CONTEXT);
                }
                run = at;
            }
        }
        // A hunk without a change is none that a tool wrote.
        if run > first && !is_merge {
            self.gap(source, run..at, CONTEXT, 0);
        }
        self.lines.end = at;
    }

    /// Takes a run of unchanged lines, of which some stay at each end.
    fn gap(&mut self, source: &Source<'_>, run: Range<usize>, head: usize, tail: usize) {
        if run.len() > MAX_RUN {
            let gap = run.start + head..run.end - tail;
            if !has_word_changes(source.slice(gap.clone())) {
                self.gaps.push(gap);
            }
        }
    }
}

/// Whether lines may hold changes of the kind `[-old-]{+new+}`, which stand in lines that look unchanged.
fn has_word_changes(text: &str) -> bool {
    let has = |mark: &str| memmem::find(text.as_bytes(), mark.as_bytes()).is_some();
    (has("[-") && has("-]")) || (has("{+") && has("+}"))
}

/// The name of the file in a `--- ` or `+++ ` line, without folder: `x.rs` in `+++ b/src/x.rs`. What
/// stands behind a tab is a time or a revision.
fn file_name(line: &str) -> &str {
    let path = line.get(4..).unwrap_or_default();
    let path = path.split('\t').next().unwrap_or(path).trim_end();
    path.rsplit('/').next().unwrap_or(path).trim_end_matches('"')
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
            (*length, rest) = range_length(rest.strip_prefix(" -")?)?;
        }
        let (new, rest) = range_length(rest.strip_prefix(" +")?)?;
        rest.strip_prefix(' ')?.starts_with(fence).then_some(Self { parents, old, new })
    }

    /// Counts one line of the hunk; gives whether it is unchanged, or `None` when it cannot stand here.
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

/// The length in `12,5`, and what follows.
fn range_length(text: &str) -> Option<(usize, &str)> {
    let (_, rest) = leading_number(text)?;
    match rest.strip_prefix(',') {
        Some(length) => leading_number(length),
        None => Some((1, rest)),
    }
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
        assert_eq!((file.name, file.lines, file.is_sound, file.changes), ("x.sql", 0..6, true, 2));
        let cut = text.replace(" \n-- ", "diff --git a/y b/y");
        let file = File::read(&Source::new(&cut), 0).unwrap();
        assert_eq!((file.lines, file.is_sound), (0..5, false));
    }

    #[test]
    fn merges_count_every_parent() {
        let text =
            "--- a/x\n+++ b/x\n@@@ -1,3 -1,2 +1,3 @@@\n  same\n- ours\n -theirs\n++both\n +left\n--- a/y\n";
        let file = File::read(&Source::new(text), 0).unwrap();
        assert_eq!((file.lines, file.is_sound, file.changes), (0..8, true, 4));
    }

    #[test]
    fn names_of_files() {
        assert_eq!(file_name("+++ b/web/yarn.lock\t2024-01-01 10:00:00"), "yarn.lock");
        assert_eq!(file_name("+++ \"b/na\\303\\257f.map\""), "na\\303\\257f.map");
    }

    #[test]
    fn gaps_keep_three_lines_around_changes() {
        let gaps = |hunk: &str| File::read(&Source::new(&format!("--- a\n+++ a\n{hunk}")), 0).unwrap().gaps;
        let same = |n: usize| " same\n".repeat(n);
        let hunk = format!("@@ -1,20 +1,19 @@\n{}-x\n+y\n{}-x\n", same(9), same(9));
        assert_eq!(gaps(&hunk), [3..9, 17..20]);
        assert!(gaps(&format!("@@ -1,8 +1,9 @@\n+y\n{}", same(8))).is_empty());
        assert_eq!(gaps(&format!("@@ -1,9 +1,10 @@\n+y\n{}", same(9))).first(), Some(&(7..13)));
        assert!(gaps(&format!("@@ -1,20 +1,20 @@\n{}", same(20))).is_empty());
        assert!(gaps(&format!("@@ -1,20 +1,21 @@\n+y\n{} [-a-]{{+b+}}\n{}", same(10), same(9))).is_empty());
    }
}
