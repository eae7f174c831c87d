//! Invisible cuts inside words: escape sequences, zero-width characters, overstrikes, lone carriage returns.
//!
//! It does not render them; the terminal stage does that later, on text without secrets.

use super::view::{Unit, View};
use crate::sanitize::invisible;
use std::ops::Range;

/// Longest escape sequence, in bytes.
const MAX_SEQUENCE_BYTES: usize = 256;
/// Longest name of a variable, in bytes. A choice.
const MAX_VARIABLE_BYTES: usize = 64;

/// The cut at an escape, a carriage return or the first byte of a character.
pub(super) fn unit(text: &[u8], at: usize) -> Option<Unit> {
    match text[at] {
        0x1b => {
            sequence(&text[at + 1..text.len().min(at + MAX_SEQUENCE_BYTES)]).map(|len| Unit::nothing(len + 1))
        }
        // The same as `cat -v` shows it, and a tab.
        b'^' if text[at + 1..].starts_with(b"[[") => {
            sequence(&text[at + 2..text.len().min(at + MAX_SEQUENCE_BYTES)])
                .filter(|len| text[at + 1 + len] == b'm')
                .map(|len| Unit::nothing(len + 2))
        }
        b'^' => (text.get(at + 1) == Some(&b'I')).then(|| Unit::byte(2, b'\t')),
        b'\r' => {
            let is_of_line = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_graphic() || *b == b' ');
            (is_of_line(text.get(at + 1)) && at > 0 && is_of_line(text.get(at - 1))).then(|| Unit::nothing(1))
        }
        // The end of an item in a list of variables.
        0 if is_variable(&text[at + 1..]) => None,
        // Terminals do not show these. A form feed and other line ends separate words.
        0..=7 | 0x0b | 0x0e..=0x1f | 0x7f => Some(Unit::nothing(1)),
        // The same sequences with a one-character introducer.
        0xc2 if text.get(at + 1) == Some(&0x9b) => {
            let rest = &text[at + 2..text.len().min(at + MAX_SEQUENCE_BYTES)];
            Some(Unit::nothing(2 + control(rest).unwrap_or(0)))
        }
        0xc2 if text.get(at + 1).is_some_and(|b| (0x80..0xa0).contains(b) && *b != 0x85) => {
            Some(Unit::nothing(2))
        }
        _ => invisible::length(&text[at..]).or_else(|| blank_in_token(text, at)).map(Unit::nothing),
    }
}

/// The length of a form feed or of a blank that is not ASCII, if it cuts a token: on both sides letters and digits
/// are mixed as in no word.
fn blank_in_token(text: &[u8], at: usize) -> Option<usize> {
    /// Bytes on each side that are read, and the fewest that are enough. A choice.
    const MOST: usize = 32;
    const LEAST: usize = 3;
    let len = match text[at..] {
        [0x0c, ..] => 1,
        [0xc2, 0x85 | 0xa0, ..] => 2,
        [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..]
        | [0xe2, 0x81, 0x9f, ..]
        | [0xe3, 0x80, 0x80, ..]
        | [0xe1, 0x9a, 0x80, ..] => 3,
        _ => return None,
    };
    let is_of_token = |b: &&u8| b.is_ascii_alphanumeric() || b"_-+/.".contains(b);
    let before = text[..at].iter().rev().take(MOST).take_while(is_of_token);
    let behind = text[at + len..].iter().take(MOST).take_while(is_of_token);
    fn is_side<'b>(bytes: impl Iterator<Item = &'b u8>) -> bool {
        let (mut count, mut kinds) = (0, [false; 3]);
        for b in bytes {
            count += 1;
            kinds[0] |= b.is_ascii_digit();
            kinds[1] |= b.is_ascii_lowercase();
            kinds[2] |= b.is_ascii_uppercase();
        }
        count >= LEAST && kinds.iter().filter(|kind| **kind).count() >= 2
    }
    (is_side(before) && is_side(behind)).then_some(len)
}

/// Whether a text begins with the name of a variable and `=`. A `=` at the end of the text is the end of base64.
pub(super) fn is_variable(text: &[u8]) -> bool {
    let len = text.iter().take(MAX_VARIABLE_BYTES).take_while(|b| b.is_ascii_alphanumeric() || **b == b'_');
    let len = len.count();
    let is_assigned = text.get(len) == Some(&b'=')
        && text.get(len + 1).is_some_and(|b| *b == 0 || b.is_ascii_graphic() && *b != b'=');
    len > 0 && !text[0].is_ascii_digit() && is_assigned
}

/// Whether the rest of an escape sequence is followed by a letter or a digit: `[0m` in `gith\u001b[0mub`.
pub(super) fn is_inside_word(rest: &[u8]) -> bool {
    let near = &rest[..rest.len().min(MAX_SEQUENCE_BYTES)];
    let len = near.strip_prefix(b"[").and_then(control);
    len.and_then(|len| near.get(len + 1)).is_some_and(u8::is_ascii_alphanumeric)
}

/// Length of the parameters and the letter of a control sequence.
fn control(rest: &[u8]) -> Option<usize> {
    let end = rest.iter().position(|b| !(0x20..0x40).contains(b))?;
    (0x40..0x7f).contains(&rest[end]).then_some(end + 1)
}

/// Length of the escape sequence after an escape.
fn sequence(rest: &[u8]) -> Option<usize> {
    match *rest.first()? {
        b'[' => control(&rest[1..]).map(|len| len + 1),
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

/// Removes the character that a backspace at `at` overwrites, and returns where it began in the source.
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
        // A character of several bytes is removed as a whole.
        if last.is_none_or(|b| b & 0xc0 != 0x80) {
            break;
        }
    }
    start
}
