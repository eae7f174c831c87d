//! Encodings of single characters, all decoded in one pass: escapes, entities, percent signs.
//!
//! Also removes invisible cuts inside words: colours, overstrikes, tags of coloured code. Away from keywords, a unit is
//! decoded only if it may hide a keyword. Each encoding has its own file.

use super::near::Near;
use super::view::{Unit, View, find, table};
use super::{cuts, entities, escapes, percent, quoted_printable};
use crate::sanitize::invisible;
use crate::stop;

/// Bytes that may start a unit.
const TRIGGERS: [bool; 256] = {
    let mut set = [false; 256];
    let bytes = b"\\%&<=+^\r\x7f";
    let mut i = 0;
    // Control characters but tab and line feed.
    while i < 0x20 {
        set[i] = !matches!(i, 9 | 10);
        i += 1;
    }
    // First bytes of invisible characters.
    i = 0x80;
    while i < set.len() {
        set[i] = invisible::LEADS[i];
        i += 1;
    }
    i = 0;
    while i < bytes.len() {
        set[bytes[i] as usize] = true;
        i += 1;
    }
    set
};

/// After a decoded unit, all units within this many bytes are decoded.
const DECODED_AFTER_BYTES: usize = 256;
/// Units at most this many bytes apart are dense.
const MAX_DENSE_GAP_BYTES: usize = 8;
/// Dense units are decoded if there are this many in a row, whatever they stand for.
const MIN_DENSE_UNITS: usize = 4;

/// Bytes of values and operators. They need no encoding, so an encoded one may hide something.
const NEVER_ENCODED: [bool; 256] = table(b"_-:/.@=+~%!#$");

/// The text with units decoded that may hide something; `None` if there is none.
///
/// All units near keywords are decoded. Elsewhere a unit is decoded if it cuts a word, stands for a letter or a character of
/// a token, or is one of many in a row: only such units can hide a keyword.
pub(super) fn view(text: &[u8], near: &Near) -> Option<View> {
    // Most short texts have no byte that may start a unit.
    let first = find(text, 0, &TRIGGERS)?;
    let is_mail = quoted_printable::is_likely(text);
    let mut out = Undone { text, view: View::default(), copied: 0, any: false };
    let mut stretches = near.stretches().iter();
    let mut stretch = stretches.next();
    let (mut at, mut all_until) = (first, 0);
    let mut row = Row::default();
    while let Some(next) = find(text, at, &TRIGGERS) {
        at = next;
        stop::check_sometimes();
        if text[at] == 8 {
            at = out.overstrike(at);
            (all_until, row) = (at + DECODED_AFTER_BYTES, Row::default());
            continue;
        }
        // Both marks are removed; the first one is before this position.
        if text[at] == b'<' && entities::between_sections(text, at) && at >= out.copied + 3 {
            out.undo_nothing(at - 3, entities::BETWEEN_SECTIONS_BYTES);
            at += entities::BETWEEN_SECTIONS_BYTES - 3;
            (all_until, row) = (at + DECODED_AFTER_BYTES, Row::default());
            continue;
        }
        let unit = match text[at] {
            b'\\' => escapes::unit(text, at),
            b'%' => percent::unit(text, at),
            b'+' => percent::blank(text, at),
            b'&' => entities::unit(text, at),
            b'<' => entities::tag(text, at),
            b'=' => quoted_printable::unit(text, at, is_mail),
            _ => cuts::unit(text, at),
        };
        let Some(unit) = unit else {
            at += 1;
            continue;
        };
        while stretch.is_some_and(|stretch| stretch.end <= at) {
            stretch = stretches.next();
        }
        let is_near = stretch.is_some_and(|stretch| stretch.start <= at);
        if at < all_until {
            if may_hide_keyword(text, at, &unit) {
                all_until = at + DECODED_AFTER_BYTES;
            }
        } else if !is_near {
            match row.add(at, unit.len) {
                // Goes back to the first unit of the row: from there on all units are decoded.
                Some(first) => {
                    at = first;
                    all_until = first + DECODED_AFTER_BYTES;
                    continue;
                }
                None if !may_hide_keyword(text, at, &unit) => {
                    at += unit.len;
                    continue;
                }
                None => all_until = at + unit.len + DECODED_AFTER_BYTES,
            }
        }
        // Decoded text is not decoded again.
        row = Row::default();
        out.undo(at, &unit);
        at += unit.len;
    }
    out.any.then(|| {
        out.view.copy_behind(text, out.copied);
        out.view
    })
}

/// Whether a unit that is near no keyword may hide one.
fn may_hide_keyword(text: &[u8], at: usize, unit: &Unit) -> bool {
    let before = at.checked_sub(1).map(|i| text[i]);
    let next = text.get(at + unit.len).copied();
    match *unit.bytes() {
        // A unit that stands for nothing: the word that it cuts must continue after it, or in another unit.
        [] => {
            before.is_some_and(is_word)
                && next.is_some_and(|b| is_word(b) || TRIGGERS[b as usize] && b != b'\r')
        }
        // An escape sequence, or a character that nobody sees, inside a word.
        [0x1b] => before.is_some_and(is_word) && cuts::is_inside_word(&text[at + unit.len..]),
        [_, _, ..] if invisible::length(unit.bytes()).is_some() => {
            before.is_some_and(is_word) && next.is_some_and(is_word)
        }
        // `:\\/\\/` in a string inside a string.
        [b'\\'] => before == Some(b':') && next == Some(b'/'),
        // Only characters with a meaning in HTML need a reference.
        [byte] if text[at..].starts_with(b"&#") => byte.is_ascii_graphic() && !b"\"'<>&".contains(&byte),
        [byte] => {
            byte.is_ascii_alphanumeric()
                || (NEVER_ENCODED[byte as usize] && before.is_some_and(|b| b.is_ascii_graphic() || b >= 0x80))
        }
        _ => false,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Units close to one another.
#[derive(Debug, Default)]
struct Row {
    first: usize,
    end: usize,
    count: usize,
}

impl Row {
    /// Adds a unit. Returns the start of the row once it has enough units.
    fn add(&mut self, at: usize, len: usize) -> Option<usize> {
        if self.count == 0 || at - self.end >= MAX_DENSE_GAP_BYTES {
            *self = Row { first: at, end: at, count: 0 };
        }
        self.end = at + len;
        self.count += 1;
        (self.count >= MIN_DENSE_UNITS).then(|| std::mem::take(self).first)
    }
}

/// The view written so far.
struct Undone<'t> {
    text: &'t [u8],
    view: View,
    copied: usize,
    any: bool,
}

impl Undone<'_> {
    fn undo(&mut self, at: usize, unit: &Unit) {
        self.view.copy_near(self.text, self.copied..at);
        self.view.stand(unit.bytes(), at..at + unit.len);
        (self.copied, self.any) = (at + unit.len, true);
    }

    /// Removes `len` bytes.
    fn undo_nothing(&mut self, at: usize, len: usize) {
        self.view.copy_near(self.text, self.copied..at);
        (self.copied, self.any) = (at + len, true);
    }

    /// A character, a backspace and the character that replaces it. Returns where it ends.
    fn overstrike(&mut self, at: usize) -> usize {
        self.view.copy_near(self.text, self.copied..at);
        let from = cuts::overstrike(&mut self.view, at);
        let above = self.text.get(at + 1).filter(|b| b.is_ascii_graphic());
        let end = at + 1 + usize::from(above.is_some());
        self.view.stand(above.map_or(&[][..], std::slice::from_ref), from..end);
        (self.copied, self.any) = (end, true);
        end
    }
}
