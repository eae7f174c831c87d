//! Hunks of diffs, also in a log with other lines. A line of a hunk means nothing without the line that starts the
//! hunk, and that one nothing without the name of the file.
//!
//! The start of a hunk says how many lines it has, so that lines of a log below it do not count as part of it.

use std::ops::Range;

use crate::text::source::Source;

/// Lines between `diff --git` and the names of the files.
const MAX_HEADER_LINES: usize = 8;

/// The hunks of a text.
pub(super) struct Hunks {
    /// The lines of each hunk, in order, and the heading of its first line.
    hunks: Vec<(Range<usize>, Option<usize>)>,
    /// The lines `+++` of files without `diff --git`, whose heading is the line above.
    names: Vec<usize>,
}

impl Hunks {
    pub(super) fn of(source: &Source<'_>) -> Self {
        let mut out = Self { hunks: Vec::new(), names: Vec::new() };
        // The last `diff --git`, and the heading of the next hunk.
        let (mut git, mut file) = (None::<usize>, None);
        let mut at = 0;
        while at < source.len() {
            crate::stop::check_sometimes();
            let line = source.line(at);
            let starts = |line: usize, text| line < source.len() && source.line(line).starts_with(text);
            if line.starts_with("diff --git ") {
                (git, file) = (Some(at), Some(at));
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
            None => self.names.binary_search(&line).ok().and_then(|_| line.checked_sub(1)),
        }
    }
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

/// The line after a hunk with so many old and new lines.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hunk_ends_where_its_counts_end() {
        let text = "log\n@@ -1,2 +1 @@ fn a\n one\n-two\n\\ No newline at end of file\n more\n@@ -x @@\n";
        let source = Source::new(text);
        let hunks = Hunks::of(&source);
        assert_eq!(hunks.hunks, [(1..5, None)]);
        assert_eq!((hunks.above(1), hunks.above(3), hunks.above(5)), (None, Some(1), None));
    }
}
