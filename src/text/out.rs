//! Where a ledger writes its text: to a string, to a string with a record of the unchanged lines, or only to a
//! counter.

use std::ops::Range;

use crate::text::source::Source;
use crate::tokens::Verbatim;

/// The target of a ledger's text.
pub(super) trait Out {
    fn put(&mut self, text: &str);

    /// Writes lines of the source unchanged.
    fn put_lines(&mut self, source: &Source<'_>, lines: Range<usize>) {
        self.put(source.slice(lines));
    }

    /// Whether the last byte ends a line.
    fn ends_line(&self) -> bool;
}

impl Out for String {
    fn put(&mut self, text: &str) {
        self.push_str(text);
    }

    fn ends_line(&self) -> bool {
        self.ends_with('\n')
    }
}

/// A text with a record of which of its lines are unchanged lines of the source.
#[derive(Debug, Default)]
pub(super) struct WithLines {
    pub(super) text: String,
    pub(super) verbatim: Vec<Verbatim>,
}

impl Out for WithLines {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn put_lines(&mut self, source: &Source<'_>, lines: Range<usize>) {
        let text = source.slice(lines.clone());
        self.verbatim.push(Verbatim { at: self.text.len(), lines });
        self.text.push_str(text);
    }

    fn ends_line(&self) -> bool {
        self.text.ends_with('\n')
    }
}

/// Counts the bytes that would be written.
#[derive(Debug, Default)]
pub(super) struct Size {
    pub(super) bytes: usize,
    last: u8,
}

impl Out for Size {
    fn put(&mut self, text: &str) {
        self.bytes += text.len();
        self.last = text.as_bytes().last().copied().unwrap_or(self.last);
    }

    fn ends_line(&self) -> bool {
        self.last == b'\n'
    }
}
