//! What cuts a word without being seen: escape sequences, zero-width characters, overstrikes, lone carriage returns.
//!
//! It renders nothing; the terminal stage does that, later and on text without secrets.

use super::unit::Unit;
use super::view::View;
use std::ops::Range;

/// Longest escape sequence, in bytes.
const MAX_SEQUENCE_BYTES: usize = 256;

/// Characters without a width, as UTF-8: zero-width space and joiners, marks of direction, soft hyphen, byte order mark.
const INVISIBLE: &[&[u8]] = &[
    b"\xe2\x80\x8b",
    b"\xe2\x80\x8c",
    b"\xe2\x80\x8d",
    b"\xe2\x80\x8e",
    b"\xe2\x80\x8f",
    b"\xe2\x80\xaa",
    b"\xe2\x80\xab",
    b"\xe2\x80\xac",
    b"\xe2\x80\xad",
    b"\xe2\x80\xae",
    b"\xe2\x81\xa0",
    b"\xe2\x81\xa1",
    b"\xe2\x81\xa2",
    b"\xe2\x81\xa3",
    b"\xe2\x81\xa4",
    b"\xe2\x81\xa6",
    b"\xe2\x81\xa7",
    b"\xe2\x81\xa8",
    b"\xe2\x81\xa9",
    b"\xc2\xad",
    b"\xef\xbb\xbf",
];

/// The cut at an escape, a carriage return or the first byte of a character.
pub(super) fn unit(text: &[u8], at: usize) -> Option<Unit> {
    match text[at] {
        0x1b => {
            sequence(&text[at + 1..text.len().min(at + MAX_SEQUENCE_BYTES)]).map(|len| Unit::nothing(len + 1))
        }
        b'\r' => {
            let word = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_graphic());
            (word(text.get(at + 1)) && at > 0 && word(text.get(at - 1))).then(|| Unit::nothing(1))
        }
        // The second byte tells most characters that are not ASCII from these.
        _ if !text.get(at + 1).is_some_and(|b| matches!(b, 0x80 | 0x81 | 0xad | 0xbb)) => None,
        _ => INVISIBLE.iter().find(|c| text[at..].starts_with(c)).map(|c| Unit::nothing(c.len())),
    }
}

/// Length of the escape sequence behind an escape.
fn sequence(rest: &[u8]) -> Option<usize> {
    match *rest.first()? {
        b'[' => {
            let end = rest[1..].iter().position(|b| !(0x20..0x40).contains(b))? + 1;
            (0x40..0x7f).contains(&rest[end]).then_some(end + 1)
        }
        // Strings end with a bell or an escape and a backslash.
        b']' | b'P' | b'X' | b'^' | b'_' => {
            let end = rest[1..].iter().position(|b| matches!(b, 7 | 0x1b | b'\n'))? + 1;
            match rest[end] {
                7 => Some(end + 1),
                0x1b if rest.get(end + 1) == Some(&b'\\') => Some(end + 2),
                _ => None,
            }
        }
        b'(' | b')' | b'#' | b'%' => Some(2.min(rest.len())),
        0x40..0x7f | b'7' | b'8' | b'=' | b'>' => Some(1),
        _ => None,
    }
}

/// Takes the character back that a backspace at `at` goes over; where in the source it began.
pub(super) fn overstrike(view: &mut View, at: usize) -> usize {
    let is_end = view.bytes().last().is_none_or(|b| *b == b'\n');
    if is_end {
        return at;
    }
    let mut start = at;
    for _ in 0..4 {
        let last = view.bytes().last().copied();
        match view.take_back() {
            Some(Range { start: from, .. }) => start = from,
            None => break,
        }
        // A character of several bytes goes as a whole.
        if last.is_none_or(|b| b & 0xc0 != 0x80) {
            break;
        }
    }
    start
}
