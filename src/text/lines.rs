//! The lines of an output that are shown as the tool wrote them, with their line numbers in the result.
//!
//! This module knows nothing about sessions, or about how lines are found again.

use super::source::Source;
use super::view::View;

/// Whether a text has nothing but white space. As the library says it, but most lines are decided by one byte.
#[inline]
pub fn is_blank(text: &str) -> bool {
    match text.bytes().find(|b| !matches!(b, b' ' | b'\t')) {
        None => true,
        Some(b'!'..=b'~') => false,
        Some(_) => text.trim().is_empty(),
    }
}

/// A text without white space at both ends. As the library does it, but most lines begin and end with a plain byte.
#[inline]
pub fn trimmed(text: &str) -> &str {
    match text.as_bytes() {
        [b'!'..=b'~', .., b'!'..=b'~'] => text,
        _ => text.trim(),
    }
}

/// Like [`trimmed`], but only at the end.
#[inline]
pub fn trimmed_end(text: &str) -> &str {
    match text.as_bytes() {
        [.., b'!'..=b'~'] => text,
        _ => text.trim_end(),
    }
}

/// Whether a text begins with one of some texts that are not empty. Their first bytes rule out most of them.
pub fn starts_with_any(text: &str, starts: &[&str]) -> bool {
    let first = text.as_bytes().first();
    first.is_some() && starts.iter().any(|start| start.as_bytes().first() == first && text.starts_with(start))
}

/// One line as an output shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    /// The end of its text in the joined text of the output.
    end: u32,
    /// Its line number in the result, from 1.
    pub(crate) result_number: u32,
    /// The line number that the tool wrote before it; 0 for none.
    pub(crate) view_number: u32,
}

/// The lines of one output that are shown as the tool wrote them, without the numbers of a file view.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lines {
    text: String,
    lines: Vec<Line>,
}

impl Lines {
    /// Adds line `i` of a source, of which `text` is shown.
    pub fn push(&mut self, source: &Source<'_>, view: &View, i: usize, text: &str) {
        self.text.push_str(text);
        let (end, result_number) = (self.text.len() as u32, source.number(i) as u32);
        self.lines.push(Line { end, result_number, view_number: view.number(i).unwrap_or(0) as u32 });
    }

    /// The lines of a text without line numbers.
    pub fn of(text: &str) -> Self {
        let mut lines = Self::default();
        for (i, line) in text.strip_suffix('\n').unwrap_or(text).split('\n').enumerate() {
            lines.text.push_str(line);
            lines.lines.push(Line {
                end: lines.text.len() as u32,
                result_number: i as u32 + 1,
                view_number: 0,
            });
        }
        lines
    }

    /// The texts of the lines, in order.
    pub fn texts(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        (0..self.lines.len()).map(|i| self.text(i))
    }

    /// Keeps only the lines for whose index `keep` returns true.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let mut kept = Self::default();
        for (i, line) in self.lines.iter().enumerate().filter(|(i, _)| keep(*i)) {
            kept.text.push_str(self.text(i));
            kept.lines.push(Line { end: kept.text.len() as u32, ..*line });
        }
        *self = kept;
    }

    /// Whether no line is shown.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The text of line `i`.
    #[inline]
    pub(crate) fn text(&self, i: usize) -> &str {
        let start = i.checked_sub(1).map_or(0, |before| self.lines[before].end);
        self.text.get(start as usize..self.lines[i].end as usize).unwrap_or_default()
    }

    /// Whether line `i` and the next are consecutive lines of the result.
    pub(crate) fn joins(&self, i: usize) -> bool {
        match (self.lines.get(i), self.lines.get(i + 1)) {
            (Some(a), Some(b)) => {
                b.result_number == a.result_number + 1 && (a.view_number == 0) == (b.view_number == 0) && {
                    a.view_number == 0 || b.view_number == a.view_number + 1
                }
            }
            _ => false,
        }
    }

    /// The index of the first line whose number in the result is `result_number` or more.
    pub(crate) fn place_of(&self, result_number: usize) -> usize {
        self.lines.partition_point(|line| (line.result_number as usize) < result_number)
    }

    /// The number of lines.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Line `i`; `None` after the last line.
    pub(crate) fn get(&self, i: usize) -> Option<&Line> {
        self.lines.get(i)
    }

    /// Bytes of the texts.
    pub(crate) fn text_bytes(&self) -> usize {
        self.text.len()
    }

    /// Frees unused memory.
    pub(crate) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.lines.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn white_space_is_that_of_the_library(text in "[ \t\u{b}\u{a0}\u{3000}a.\u{e9}]{0,6}") {
            prop_assert_eq!(is_blank(&text), text.trim().is_empty());
            prop_assert_eq!(trimmed(&text), text.trim());
            prop_assert_eq!(trimmed_end(&text), text.trim_end());
            let starts = ["a.", "é", " "];
            prop_assert_eq!(starts_with_any(&text, &starts), starts.iter().any(|start| text.starts_with(start)));
        }
    }
}
