//! Codings that write single characters otherwise, all undone in one pass: escapes, entities, percent signs.
//!
//! Also takes out what cuts words without being seen: colours, overstrikes, tags of coloured code. Where nothing is near
//! that a rule looks for, a unit counts only if it may hide that. What a coding means is the business of its own file.

use super::near::Near;
use super::unit::Unit;
use super::view::{View, find, table};
use super::{cuts, entities, escapes, percent, quoted_printable};
use crate::stop;

/// Bytes with which a unit may begin.
const TRIGGERS: [bool; 256] = {
    let mut set = [false; 256];
    let bytes = b"\\%&<=\x1b\x08\r\xe2\xc2\xef";
    let mut i = 0;
    while i < bytes.len() {
        set[bytes[i] as usize] = true;
        i += 1;
    }
    set
};

/// Bytes behind a unit that counts in which all others do.
const BEHIND: usize = 256;
/// Units closer together than this are dense, in bytes from one to the next.
const CLOSE: usize = 8;
/// So many dense ones in a row count, whatever they stand for.
const MIN_DENSE_UNITS: usize = 4;

/// Bytes that stand in and around values and that nobody codes without a reason.
const TELLING: [bool; 256] = table(b"_-:/.@=+~%!#$");

/// The text with the units undone that may hide something; `None` when there is none.
///
/// All count that are near keywords. Elsewhere those do that cut a word, stand for a letter or a sign of a token, or are
/// many in a row: only such can hide a keyword itself.
pub(super) fn view(text: &[u8], near: &Near) -> Option<View> {
    let is_mail = quoted_printable::is_likely(text);
    let mut out = Undone { text, view: View::default(), copied: 0, any: false };
    let mut stretches = near.stretches().iter();
    let mut stretch = stretches.next();
    let (mut at, mut all_until) = (0, 0);
    let mut row = Row::default();
    while let Some(next) = find(text, at, &TRIGGERS) {
        at = next;
        stop::tick();
        if text[at] == 8 {
            at = out.overstrike(at);
            (all_until, row) = (at + BEHIND, Row::default());
            continue;
        }
        let unit = match text[at] {
            b'\\' => escapes::unit(text, at),
            b'%' => percent::unit(text, at),
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
                all_until = at + BEHIND;
            }
        } else if !is_near {
            match row.add(at, unit.len) {
                // Back to the first of them: from there on all count.
                Some(first) => {
                    at = first;
                    all_until = first + BEHIND;
                    continue;
                }
                None if !may_hide_keyword(text, at, &unit) => {
                    at += unit.len;
                    continue;
                }
                None => all_until = at + unit.len + BEHIND,
            }
        }
        // What is undone is not gone back to.
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
        // What it cuts goes on behind it, or in another unit.
        [] => {
            before.is_some_and(is_word)
                && next.is_some_and(|b| is_word(b) || TRIGGERS[b as usize] && b != b'\r')
        }
        // Only what means something to HTML has to be a reference.
        [byte] if text[at..].starts_with(b"&#") => byte.is_ascii_graphic() && !b"\"'<>&".contains(&byte),
        [byte] => {
            byte.is_ascii_alphanumeric()
                || (TELLING[byte as usize] && before.is_some_and(|b| b.is_ascii_graphic() || b >= 0x80))
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
    /// Adds a unit; where the row begins, once it has enough of them.
    fn add(&mut self, at: usize, len: usize) -> Option<usize> {
        if self.count == 0 || at - self.end >= CLOSE {
            *self = Row { first: at, end: at, count: 0 };
        }
        self.end = at + len;
        self.count += 1;
        (self.count >= MIN_DENSE_UNITS).then(|| std::mem::take(self).first)
    }
}

/// The view as far as it is written.
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

    /// A character, a backspace and the character above it: the last one counts. Where it ends.
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
