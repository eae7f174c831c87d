//! Sanitized text as numbered lines, to which all later stages refer.
//!
//! A `Source` never changes. Lines are numbered from 0 here and from 1 on the wire and in markers.

use std::cell::OnceCell;
use std::ops::Range;

use crate::stop;
use crate::text::view::View;
use crate::tokens::Other;

/// Number of lines of a text, as [`Source::len`] counts them.
pub fn count_lines(text: &str) -> usize {
    let open_end = !text.is_empty() && !text.ends_with('\n');
    memchr::memchr_iter(b'\n', text.as_bytes()).count() + usize::from(open_end)
}

/// A text and the offsets of its lines.
#[derive(Debug)]
pub struct Source<'a> {
    text: &'a str,
    /// Offset of the first byte of each line, then the length of the text.
    starts: Vec<usize>,
    /// The number of lines of the result before this text, if the result has several parts.
    lines_before: usize,
    view: OnceCell<View>,
    /// The failure lines and words that `signals` found, once they were requested.
    pub(super) failures: OnceCell<Vec<usize>>,
    pub(super) failure_words: OnceCell<Vec<usize>>,
    holds_diff: OnceCell<bool>,
}

impl<'a> Source<'a> {
    /// Splits `text` at `\n`. A last line without a newline counts as a line; the empty text has no lines.
    pub fn new(text: &'a str) -> Self {
        Self::part(text, 0)
    }

    /// A part of a result; `lines_before` counts the lines of the parts before it.
    pub fn part(text: &'a str, lines_before: usize) -> Self {
        let mut starts = Vec::with_capacity(text.len() / 32 + 2);
        if !text.is_empty() {
            starts.push(0);
            starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|i| {
                stop::check_sometimes();
                i + 1
            }));
            if starts.last() != Some(&text.len()) {
                starts.push(text.len());
            }
        } else {
            starts.push(0);
        }
        let (view, failures, failure_words, holds_diff) = Default::default();
        Self { text, starts, lines_before, view, failures, failure_words, holds_diff }
    }

    /// Some of the lines as a separate source, with the line numbers of this one.
    pub fn part_of(&self, lines: Range<usize>) -> Source<'a> {
        Self::part(self.slice(lines.clone()), self.lines_before + lines.start)
    }

    /// The number of line `i` as markers and the evidence write it: from 1, over all parts.
    pub fn number(&self, i: usize) -> usize {
        self.lines_before + i + 1
    }

    /// The numbers by which markers name a run of lines: those that the tool wrote before them, if every line
    /// has one and they are consecutive; otherwise those of the result.
    pub fn numbers(&self, lines: &Range<usize>) -> (usize, usize) {
        let own = || (self.number(lines.start), self.number(lines.end.saturating_sub(1)));
        self.view().numbers(lines).unwrap_or_else(own)
    }

    /// The line numbers of a file view.
    #[inline]
    pub fn view(&self) -> &View {
        self.view.get_or_init(|| View::read(self.len(), self.lines()))
    }

    /// Whether a line starts like the header of a diff or of a hunk.
    pub fn holds_diff(&self) -> bool {
        *self.holds_diff.get_or_init(|| {
            let text = self.text.as_bytes();
            ["@@ -", "diff --git "]
                .iter()
                .any(|head| memchr::memmem::find_iter(text, head).any(|at| at == 0 || text[at - 1] == b'\n'))
        })
    }

    /// The whole text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The text and the offsets of its lines, for a counter.
    pub fn counted(&self) -> Other<'_> {
        Other { text: self.text, starts: &self.starts }
    }

    /// Number of lines.
    #[inline]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no lines.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Line `i` with its terminator.
    #[inline]
    pub fn raw(&self, i: usize) -> &'a str {
        self.text.get(self.starts[i]..self.starts[i + 1]).unwrap_or_default()
    }

    /// Line `i` without `\n` or `\r\n`.
    #[inline(always)]
    pub fn line(&self, i: usize) -> &'a str {
        stop::check_sometimes();
        // By bytes, for speed: every stage calls this for every line.
        let (start, mut end) = (self.starts[i], self.starts[i + 1]);
        let bytes = self.text.as_bytes();
        if end > start && bytes.get(end - 1) == Some(&b'\n') {
            end -= 1;
        }
        if end > start && bytes.get(end - 1) == Some(&b'\r') {
            end -= 1;
        }
        self.text.get(start..end).unwrap_or_default()
    }

    /// The lines of a range with their terminators.
    pub fn slice(&self, lines: Range<usize>) -> &'a str {
        self.text.get(self.byte_range(lines)).unwrap_or_default()
    }

    /// The byte range of some lines, terminators included.
    pub fn byte_range(&self, lines: Range<usize>) -> Range<usize> {
        self.starts[lines.start]..self.starts[lines.end]
    }

    /// The line that contains a byte offset.
    pub fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|&s| s <= offset).saturating_sub(1).min(self.len().saturating_sub(1))
    }

    /// All lines without terminators.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &'a str> + '_ {
        (0..self.len()).map(|i| self.line(i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting_can_be_stopped_at_every_line() {
        let text = "\n".repeat(5000);
        let before = stop::steps();
        assert_eq!(Source::new(&text).len(), 5000);
        assert!(stop::steps() - before >= 5000);
    }

    #[test]
    fn splits_lines_and_keeps_terminators() {
        let s = Source::new("a\r\n\nb");
        assert_eq!(s.lines().collect::<Vec<_>>(), ["a", "", "b"]);
        assert_eq!(s.raw(0), "a\r\n");
        assert_eq!(s.slice(1..3), "\nb");
        assert_eq!((s.line_at(0), s.line_at(2), s.line_at(3), s.line_at(4), s.line_at(99)), (0, 0, 1, 2, 2));
        assert_eq!(Source::new("").len(), 0);
        assert_eq!(Source::new("\n").len(), 1);
        for text in ["", "\n", "a", "a\n", "a\r\n\nb", "\n\n"] {
            assert_eq!(count_lines(text), Source::new(text).len(), "{text:?}");
        }
    }
}
