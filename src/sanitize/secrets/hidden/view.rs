//! A decoded text, with a mapping from each byte back to the source.
//!
//! It knows nothing about encodings or rules.

use std::ops::Range;

/// Bytes on both sides of a decoded part that a view copies.
const NEAR_BYTES: usize = 512;

/// If at most this many bytes are missing between two pieces, they were removed; if more are missing, they were
/// skipped.
const MAX_REMOVED_BYTES: usize = NEAR_BYTES;

/// A decoded text.
#[derive(Debug, Default)]
pub(super) struct View {
    bytes: Vec<u8>,
    pieces: Vec<Piece>,
}

/// Bytes of a view that come from one range of the source.
#[derive(Debug)]
struct Piece {
    /// Start of the bytes in the view.
    at: usize,
    source: Range<usize>,
    /// Whether they were copied byte for byte; otherwise they stand for the range as a whole.
    same: bool,
}

impl View {
    /// The decoded text.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Copies a range of the source.
    pub(super) fn copy(&mut self, text: &[u8], range: Range<usize>) {
        if range.start < range.end {
            self.pieces.push(Piece { at: self.bytes.len(), source: range.clone(), same: true });
            self.bytes.extend_from_slice(&text[range]);
        }
    }

    /// Like [`Self::copy`], but skips the middle of a long range, because nothing was decoded near it.
    pub(super) fn copy_near(&mut self, text: &[u8], range: Range<usize>) {
        let Range { start, end } = range;
        if end - start <= 3 * NEAR_BYTES {
            return self.copy(text, range);
        }
        let head =
            text[start..start + NEAR_BYTES].iter().rposition(|&b| b == b'\n').map_or(NEAR_BYTES, |n| n + 1);
        let tail = text[end - NEAR_BYTES..end].iter().position(|&b| b == b'\n').unwrap_or(0);
        if !self.bytes.is_empty() {
            self.copy(text, start..start + head);
            self.stand(b"\n\n", start + head..start + head);
        }
        self.copy(text, end - NEAR_BYTES + tail..end);
    }

    /// Copies the source after the last decoded part.
    pub(super) fn copy_behind(&mut self, text: &[u8], from: usize) {
        let end = text.len().min(from + 2 * NEAR_BYTES);
        let line = if end == text.len() { None } else { text[from..end].iter().rposition(|&b| b == b'\n') };
        self.copy(text, from..line.map_or(end, |n| from + n));
    }

    /// Adds `bytes` for a range of the source; empty bytes remove the range.
    pub(super) fn stand(&mut self, bytes: &[u8], source: Range<usize>) {
        if !bytes.is_empty() {
            self.pieces.push(Piece { at: self.bytes.len(), source, same: false });
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// Removes the last byte. Returns the range of the source for which it stood, if any.
    pub(super) fn take_back(&mut self) -> Option<Range<usize>> {
        let last = self.pieces.last()?;
        let (at, same) = (last.at, last.same);
        let source = last.source.clone();
        self.bytes.pop();
        if self.bytes.len() == at {
            self.pieces.pop();
        } else if same && let Some(last) = self.pieces.last_mut() {
            last.source.end -= 1;
        }
        Some(if same { source.end - 1..source.end } else { source })
    }

    /// The parts of the source that the view holds, decoded or not; in order, without overlap. Only for views whose pieces
    /// are in the order of the source.
    pub(super) fn sources(&self) -> Vec<Range<usize>> {
        let mut sources: Vec<Range<usize>> = Vec::new();
        for piece in &self.pieces {
            crate::stop::check_sometimes();
            match sources.last_mut() {
                // Removed bytes between two pieces are fewer than any stretch that was skipped.
                Some(last) if piece.source.start <= last.end + MAX_REMOVED_BYTES => {
                    last.end = last.end.max(piece.source.end);
                }
                _ => sources.push(piece.source.clone()),
            }
        }
        sources
    }

    /// The whole source range for which `range` of the view stands.
    pub(super) fn source(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.piece(range.start);
        let last = self.piece(range.end.saturating_sub(1).max(range.start));
        match (first, last) {
            (Some(first), Some(last)) => {
                let start = first.source.start + if first.same { range.start - first.at } else { 0 };
                let end = match last.same {
                    true => last.source.start + (range.end - last.at),
                    false => last.source.end,
                };
                start..end.max(start)
            }
            _ => 0..0,
        }
    }

    fn piece(&self, at: usize) -> Option<&Piece> {
        self.pieces.partition_point(|p| p.at <= at).checked_sub(1).map(|i| &self.pieces[i])
    }
}

/// Which bytes a short text has: most layers need bytes that many short texts lack. Long texts have nearly all bytes,
/// so they are not examined.
pub(super) struct Present(Option<[bool; 256]>);

impl Present {
    /// Longest text whose bytes are recorded. A choice: commands, paths and messages are shorter.
    const MAX_BYTES: usize = 1 << 10;

    pub(super) fn of(text: &[u8]) -> Present {
        Present((text.len() <= Self::MAX_BYTES).then(|| {
            let mut present = [false; 256];
            text.iter().for_each(|b| present[usize::from(*b)] = true);
            present
        }))
    }

    /// Whether the text may have some of these bytes.
    pub(super) fn any(&self, bytes: &[u8]) -> bool {
        self.0.as_ref().is_none_or(|present| bytes.iter().any(|b| present[usize::from(*b)]))
    }

    /// Whether the text may have all of these bytes.
    pub(super) fn all(&self, bytes: &[u8]) -> bool {
        self.0.as_ref().is_none_or(|present| bytes.iter().all(|b| present[usize::from(*b)]))
    }
}

/// The first byte from `from` on that is in a set. Tests eight bytes at a time, because most are not.
pub(super) fn find(text: &[u8], from: usize, set: &[bool; 256]) -> Option<usize> {
    let rest = text.get(from..)?;
    let (eights, _) = rest.as_chunks::<8>();
    let any = |eight: &[u8; 8]| eight.iter().fold(false, |any, b| any | set[usize::from(*b)]);
    let skipped = eights.iter().position(any).unwrap_or(eights.len()) * 8;
    let n = rest[skipped..].iter().position(|b| set[usize::from(*b)])?;
    Some(from + skipped + n)
}

/// For each byte: the kinds of characters that it is, if a word can contain it, or that it may start a separator.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut b = 0;
    while b < 128 {
        kinds[b] = match b as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'\n' | b'"' | b'\'' => SEPARATES,
            b' ' => SEPARATES | BLANK,
            b if is_inside(b) && b != b'=' => SIGN,
            _ => 0,
        };
        b += 1;
    }
    kinds
};
const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const SIGN: u8 = 8;
const SEPARATES: u8 = 16;
const BLANK: u8 = 32;
const WORD: u8 = LOWER | UPPER | DIGIT | SIGN;

/// The first byte from `at` on that may start a separator between two pieces of a value: a line end, a quotation mark or
/// a blank. A blank counts only after a word with letters of both cases, or with letters and digits; few words have
/// these.
pub(super) fn find_separator(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let kind = |byte: &u8| KINDS[usize::from(*byte)];
    // The bytes of this word before `at` are not known.
    let mut word = text[..at].last().map_or(0, |before| if kind(before) & WORD == 0 { 0 } else { WORD });
    let len = rest.iter().position(|byte| {
        let kind = kind(byte);
        let is_mixed = (word & (LOWER | UPPER | DIGIT)).count_ones() > 1;
        word = if kind & WORD == 0 { 0 } else { word | kind };
        kind & SEPARATES != 0 && (kind & BLANK == 0 || is_mixed)
    })?;
    Some(at + len)
}

/// Longest word that is examined, in bytes.
pub(super) const MAX_WORD_BYTES: usize = 64;

/// Bytes that occur inside values.
const INSIDE: [bool; 256] = table(b"+/=_-.~%!@#$^&*");

pub(super) const fn is_inside(byte: u8) -> bool {
    INSIDE[byte as usize]
}

/// The end of the line that contains `at`, before its line feed.
#[inline]
pub(super) fn line_end(text: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |n| at + n)
}

/// Number of blanks from `from` on, at most `most`.
#[inline]
pub(super) fn blanks(text: &[u8], from: usize, most: usize) -> usize {
    from + text
        .get(from..)
        .unwrap_or_default()
        .iter()
        .take(most)
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count()
}

/// The start of the line that contains `at`, at most `most` bytes before it.
pub(super) fn line_start(text: &[u8], at: usize, most: usize) -> usize {
    let from = at.saturating_sub(most);
    memchr::memrchr(b'\n', &text[from..at]).map_or(from, |n| from + n + 1)
}

/// A table of letters, digits and the bytes of `more`.
pub(super) const fn table(more: &[u8]) -> [bool; 256] {
    let mut set = [false; 256];
    let mut b = 0;
    while b < 128 {
        set[b] = (b as u8).is_ascii_alphanumeric();
        b += 1;
    }
    let mut i = 0;
    while i < more.len() {
        set[more[i] as usize] = true;
        i += 1;
    }
    set
}

/// One unit of an encoding. It stands for up to four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    /// Bytes of the source.
    pub(super) len: usize,
    bytes: [u8; 4],
    count: usize,
}

impl Unit {
    /// `len` bytes of the source stand for a character.
    pub(super) fn char(len: usize, c: char) -> Unit {
        let mut bytes = [0; 4];
        let count = c.encode_utf8(&mut bytes).len();
        Unit { len, bytes, count }
    }

    /// `len` bytes of the source stand for a byte.
    pub(super) fn byte(len: usize, byte: u8) -> Unit {
        Unit { len, bytes: [byte, 0, 0, 0], count: 1 }
    }

    /// `len` bytes of the source stand for nothing.
    pub(super) fn nothing(len: usize) -> Unit {
        Unit { len, bytes: [0; 4], count: 0 }
    }

    /// What it stands for.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.count]
    }
}
