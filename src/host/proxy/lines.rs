//! Reads lines of bounded length from a stream. A longer line is returned in pieces.

use std::io::{self, BufRead, Read};

/// Longest line that is read as a message, in bytes.
pub(in crate::host) const MAX_LINE_BYTES: usize = 64 << 20;

/// Reader of lines.
#[derive(Debug)]
pub(in crate::host) struct Lines<R> {
    reader: R,
    max: usize,
    /// Whether the reader is inside a line that is too long.
    inside: bool,
}

impl<R: BufRead> Lines<R> {
    /// Lines of at most `max` bytes.
    pub(in crate::host) fn new(reader: R, max: usize) -> Self {
        Self { reader, max, inside: false }
    }

    /// The next bytes, terminator included, and whether they are a whole line; `None` at the end.
    pub(in crate::host) fn next(&mut self, buffer: &mut Vec<u8>) -> io::Result<Option<bool>> {
        buffer.clear();
        let read = self.reader.by_ref().take(self.max as u64).read_until(b'\n', buffer)?;
        if read == 0 {
            return Ok(None);
        }
        let ends = buffer.ends_with(b"\n");
        let is_whole = !self.inside && (ends || read < self.max);
        self.inside = !ends && !is_whole;
        Ok(Some(is_whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_pass_in_pieces() {
        let mut lines = Lines::new(&b"ab\nabcdefghij\n\nxyz"[..], 4);
        let mut buffer = Vec::new();
        let mut seen = Vec::new();
        while let Some(is_whole) = lines.next(&mut buffer).unwrap() {
            seen.push((String::from_utf8(buffer.clone()).unwrap(), is_whole));
        }
        let expected =
            [("ab\n", true), ("abcd", false), ("efgh", false), ("ij\n", false), ("\n", true), ("xyz", true)];
        assert_eq!(seen, expected.map(|(text, is_whole)| (text.to_owned(), is_whole)));
    }
}
