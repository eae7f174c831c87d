//! Codings that write single characters otherwise, all undone in one pass: escapes, entities, percent signs.
//!
//! Also takes out what cuts words without being seen: colours, overstrikes, tags of coloured code. What a
//! coding means is the business of its own file.

use super::view::View;
use super::{cuts, entities, escapes, percent, quoted_printable};
use crate::stop;

/// What one unit of a coding stands for: up to four bytes.
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

/// The text with every unit undone; `None` when there is none.
pub(super) fn view(text: &[u8]) -> Option<View> {
    let is_mail = quoted_printable::is_likely(text);
    let (mut view, mut copied, mut at) = (View::default(), 0, 0);
    let mut any = false;
    while let Some(n) = text[at..].iter().position(|b| TRIGGERS[*b as usize]) {
        at += n;
        stop::tick();
        if text[at] == 8 {
            view.copy_near(text, copied..at);
            let from = cuts::overstrike(&mut view, at);
            let unit = text.get(at + 1).filter(|b| b.is_ascii_graphic());
            let end = at + 1 + usize::from(unit.is_some());
            view.stand(unit.map_or(&[][..], std::slice::from_ref), from..end);
            (at, copied, any) = (end, end, true);
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
        view.copy_near(text, copied..at);
        view.stand(unit.bytes(), at..at + unit.len);
        at += unit.len;
        (copied, any) = (at, true);
    }
    any.then(|| {
        view.copy_behind(text, copied);
        view
    })
}
