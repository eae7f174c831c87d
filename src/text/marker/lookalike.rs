//! Look-alikes: text that looks like a marker of ours gets a backslash before it. That is every text that starts like
//! a marker: in any case, width or similar letters; with any number of blanks or invisible characters; across a line
//! end; with escapes or entities for the bracket or letters; with tags or signs of Markdown between the letters; or with
//! terminal sequences or overwritten letters.
//!
//! A reader does not know our grammar, so every text that starts like a marker is escaped, whether or not it continues
//! like one. The only exception is a template in program code, which has placeholders where a marker has numbers: it
//! claims nothing. The meaning of a text is never considered. Each position is checked once: the letters of an
//! opening, and a bounded number of other bytes.

use std::cell::LazyCell;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::Marker;
use super::letters::read;
use super::template::{Seen, template};
use super::written::{self, Next, is_bracket};

/// The openings of all forms, folded: in lower case and without blanks; and the characters that may follow, so that
/// `[duplicates]` does not count. A closing bracket of another script looks like no letter.
const OPENINGS: &[(&str, &[char])] = &[
    ("tersed", &[':', '#']),
    ("duplicateof", &[' ']),
    ("externalized", &[':']),
    ("forgelzwdictionary", &[']', ')', char::REPLACEMENT_CHARACTER]),
    ("forgerepairdictionary", &[']', ')', char::REPLACEMENT_CHARACTER]),
];
/// The most bytes after an opening bracket that are read as a terminal shows them, or as a template.
const REACH_BYTES: usize = 256;
/// The most characters after a bracket that are read as a terminal shows them. A choice: twice the longest opening.
const MAX_SHOWN: usize = 48;
/// The longest tag between letters that is read, in bytes. A choice.
const MAX_TAG_BYTES: usize = 64;
/// Bytes after a bracket in which tags that hold brackets are skipped. A choice.
const MAX_TAGS_BYTES: usize = 1 << 10;
/// Texts up to this many bytes are examined byte by byte before anything else. A choice: names are shorter.
const MAX_NAME_BYTES: usize = 64;
/// Ways to write a backspace, or the start of a sequence that moves the cursor, in JSON and in source code.
const BACK: &[&str] = &[
    "\\b", "u0008", "u{8}", "x08", "\\010", "u001b", "u001B", "u{1b", "x1b", "x1B", "u009b", "x9b", "\\e",
    "\\E", "\\033",
];

/// Escapes look-alikes. `None` if there are none. A text that starts with a duplicate marker is not escaped if
/// `is_ours` knows it as one that the session returned. A whole text that `is_own_dictionary` knows as a dictionary
/// of ours keeps its marker: it can be read as written, whoever wrote it.
pub fn escape(
    text: &str,
    is_ours: impl Fn(&str) -> bool,
    is_own_dictionary: impl Fn(&str) -> bool,
) -> Option<(String, usize)> {
    if matches!(Marker::parse(text), Some((Marker::Duplicate { .. }, _))) && is_ours(text.trim_end()) {
        return None;
    }
    let mut places = find_look_alikes_at_end(text.as_bytes()).places;
    crate::stop::check();
    if places.iter().any(|place| place.is_dictionary) && is_own_dictionary(text) {
        places.retain(|place| !place.is_dictionary);
    }
    if places.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 2 * places.len());
    let mut done = 0;
    for place in &places {
        out.push_str(&text[done..place.at]);
        out.push_str(place.escape);
        done = place.at;
    }
    out.push_str(&text[done..]);
    Some((out, places.len()))
}

/// The look-alikes in some bytes. More bytes may follow.
#[derive(Debug, Default)]
pub struct LookAlikes {
    /// The position of each look-alike, in order, except those that already have a backslash.
    pub places: Vec<Place>,
    /// The start of a text that may become a look-alike when more bytes follow.
    pub open: Option<usize>,
}

impl LookAlikes {
    /// Counts the open start in `bytes` as a look-alike, because no more bytes will follow.
    pub fn close(&mut self, bytes: &[u8], open: usize) {
        if let Some(escape) = escape_at(bytes, open, &mut Quotes::default()) {
            let at = self.places.partition_point(|place| place.at < open);
            self.places.insert(at, Place { at: open, escape, is_dictionary: false });
        }
        self.open = None;
    }
}

/// The position of a look-alike.
#[derive(Debug)]
pub struct Place {
    /// The index of its first byte.
    pub at: usize,
    /// The escape to insert before it.
    pub escape: &'static str,
    is_dictionary: bool,
}

/// An open start of a marker is only looked for within this many bytes from the end. A choice.
const MAX_OPEN_BYTES: usize = 64 << 10;

/// Where to split some bytes, so that an open start of a marker at their end stays with the bytes that follow.
pub fn split_point(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(MAX_OPEN_BYTES);
    find_look_alikes(&bytes[from..]).open.map_or(bytes.len(), |open| from + open)
}

/// Like [`find_look_alikes`], but no more bytes follow: an opening at the end looks like a marker that was cut.
pub fn find_look_alikes_at_end(bytes: &[u8]) -> LookAlikes {
    let mut looks = find_look_alikes(bytes);
    let is_whole = |open: &usize| {
        let Seen::Is(end) = bracket(bytes, *open) else { return false };
        let behind = &bytes[end..];
        matches!(opening(behind), Seen::Is(_)) || matches!(shown(behind), Seen::Is(_))
    };
    if let Some(open) = looks.open.filter(is_whole) {
        looks.close(bytes, open);
    }
    looks
}

/// Finds look-alikes. The bytes need not be valid text.
pub fn find_look_alikes(bytes: &[u8]) -> LookAlikes {
    // Nearly all names are ruled out by their bytes.
    if bytes.len() <= MAX_NAME_BYTES
        && !bytes.iter().any(|b| matches!(b, b'[' | b'\\' | b'&' | b'%' | b'=' | 0x80..))
    {
        return LookAlikes::default();
    }
    // Without characters that move the cursor back, most brackets are ruled out by the next byte.
    let goes_back = LazyCell::new(|| goes_back(bytes));
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    let mut at = |start: usize| {
        let seen = match bracket(bytes, start) {
            Seen::Is(end) => opening_behind(bytes, start..end, || *goes_back),
            Seen::No => Seen::No,
            Seen::Cut => Seen::Cut,
        };
        match seen {
            Seen::Is(opening) => found.push((start, opening)),
            Seen::Cut => open = Some(open.map_or(start, |open| open.min(start))),
            Seen::No => {}
        }
    };
    memchr::memchr3_iter(b'[', b'\\', b'&', bytes).for_each(&mut at);
    memchr::memchr2_iter(b'%', b'=', bytes).for_each(&mut at);
    if !bytes.is_ascii() {
        memchr::memchr3_iter(0xe2, 0xe3, 0xef, bytes).for_each(&mut at);
    }
    found.sort_unstable_by_key(|(at, _)| *at);
    let mut quotes = Quotes::default();
    let place = |(at, opening): (usize, &str)| {
        let escape = escape_at(bytes, at, &mut quotes)?;
        Some(Place { at, escape, is_dictionary: opening.starts_with("forge") })
    };
    LookAlikes { places: found.into_iter().filter_map(place).collect(), open }
}

/// Whether a text may have characters that move the cursor back, plain or escaped.
fn goes_back(bytes: &[u8]) -> bool {
    static WAYS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(BACK).ok());
    memchr::memchr2(0x08, 0x1b, bytes).is_some() || WAYS.as_ref().is_none_or(|ways| ways.is_match(bytes))
}

/// The escape for a look-alike at a position. `None` if it has one: outside of a string, two backslashes are an escaped
/// backslash.
fn escape_at(bytes: &[u8], at: usize, quotes: &mut Quotes) -> Option<&'static str> {
    // In a string of JSON or source code, a single backslash would make the string invalid.
    match quotes.is_open_at(bytes, at) {
        true => Some("\\\\"),
        false if bytes[at..].starts_with(b"\\\\") => None,
        false => Some("\\"),
    }
}

/// The end of a bracket that may start at this byte.
fn bracket(bytes: &[u8], at: usize) -> Seen<usize> {
    crate::stop::check_sometimes();
    let first = bytes[at];
    // In UTF-16, a zero byte is between the backslash and the bracket.
    let is_escaped = match bytes[..at] {
        [.., b'\\', 0] => bytes.get(at + 1) == Some(&0),
        [.., before] => before == b'\\',
        [] => false,
    };
    if is_escaped {
        return Seen::No;
    }
    if first == b'[' {
        return Seen::Is(at + 1);
    }
    let Some(&next) = bytes.get(at + 1) else { return Seen::Cut };
    // The second byte rules out most characters that only share their first byte with a bracket.
    let may_be = match first {
        b'\\' => {
            matches!(next, b'u' | b'U' | b'x' | b'X' | b'o' | b'N' | b'0'..=b'9')
                // Three or more of them are an escaped escape.
                || next == b'\\' && bytes.get(at + 2) != Some(&b'\\')
        }
        b'&' => matches!(next, b'#' | b'l' | b'L' | b'a' | b'A'),
        b'%' => matches!(next, b'2' | b'5' | b'e' | b'E'),
        b'=' => matches!(next, b'3' | b'5' | b'e' | b'E'),
        0xe2 => matches!(next, 0x81 | 0x8c | 0x8e | 0x9d | 0x9f | 0xa6 | 0xb8 | 0xb9),
        0xe3 => next == 0x80,
        _ => matches!(next, 0xb8 | 0xb9 | 0xbc | 0xbd),
    };
    if !may_be {
        return Seen::No;
    }
    match written::next(&bytes[at..]) {
        Next::One(c, len) if is_bracket(c) => Seen::Is(at + len),
        Next::One(..) => Seen::No,
        Next::Cut => Seen::Cut,
    }
}

/// The opening of a look-alike after a bracket.
fn opening_behind(bytes: &[u8], bracket: Range<usize>, goes_back: impl Fn() -> bool) -> Seen<&'static str> {
    let behind = &bytes[bracket.end..];
    match behind.first() {
        None => return Seen::Cut,
        Some(first) if !may_start(*first) && !goes_back() => return Seen::No,
        Some(_) => {}
    }
    let opening = match opening(behind) {
        Seen::Is(opening) => opening,
        other => match shown(behind) {
            Seen::Is(opening) => opening,
            Seen::No => return other,
            Seen::Cut => return Seen::Cut,
        },
    };
    if !opening.starts_with("tersed") {
        return Seen::Is(opening);
    }
    match template(&behind[..behind.len().min(REACH_BYTES)]) {
        Seen::Is(()) => Seen::No,
        Seen::Cut if behind.len() < REACH_BYTES => Seen::Cut,
        _ => Seen::Is(opening),
    }
}

/// Whether a byte may start an opening: its first letter, a blank, an escape, markup, or any byte that is not ASCII.
fn may_start(byte: u8) -> bool {
    byte >= 0x80
        || byte.is_ascii_whitespace()
        || byte.is_ascii_control()
        || matches!(byte, b'*' | b'_' | b'`' | b'~' | b'<')
        || written::may_be_escape(byte)
        || b"tdefTDEF".contains(&byte)
}

/// The opening at the start of some bytes, as they are written.
fn opening(bytes: &[u8]) -> Seen<&'static str> {
    let mut rest = bytes;
    opening_of(|| {
        let (seen, len) = match markup(rest, bytes.len() - rest.len())? {
            0 => match written::next(rest) {
                Next::One(character, len) => (read(character), len),
                Next::Cut => return None,
            },
            len => (None, len),
        };
        rest = &rest[len..];
        Some(seen)
    })
}

/// The bytes of markup at the start of a text, which shows as nothing: a sign of Markdown, or a tag. `None` if the text ends
/// inside a tag. `behind` is how far behind the bracket it is: only near it may a tag hold other brackets, since each of
/// them reads the same tags again.
fn markup(bytes: &[u8], behind: usize) -> Option<usize> {
    match bytes {
        [b'*' | b'_' | b'`' | b'~', ..] => Some(1),
        [b'<', b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'!', ..] => {
            let within = &bytes[..bytes.len().min(MAX_TAG_BYTES)];
            match memchr::memchr(b'>', within) {
                Some(end) if behind > MAX_TAGS_BYTES && has_bracket(&bytes[..end]) => Some(0),
                Some(end) => Some(end + 1),
                None if bytes.len() < MAX_TAG_BYTES => None,
                None => Some(0),
            }
        }
        [b'<'] => None,
        _ => Some(0),
    }
}

/// Whether some bytes have a bracket of any kind.
fn has_bracket(bytes: &[u8]) -> bool {
    let may_be = |byte: u8| matches!(byte, b'[' | b'\\' | b'&' | b'%' | b'=') || byte >= 0x80;
    (0..bytes.len()).any(|at| may_be(bytes[at]) && !matches!(bracket(bytes, at), Seen::No))
}

/// The opening that characters look like; an invisible character is `None`.
fn opening_of(mut next: impl FnMut() -> Option<Option<char>>) -> Seen<&'static str> {
    let mut left = [true; OPENINGS.len()];
    let (mut seen, mut had_blank) = (0, false);
    while let Some(letter) = next() {
        crate::stop::check_sometimes();
        let Some(letter) = letter else { continue };
        let is_blank = letter == ' ';
        for ((word, ends), left) in OPENINGS.iter().zip(&mut left).filter(|(_, left)| **left) {
            let is_end = ends.contains(&letter) || ends.contains(&' ') && (had_blank || is_blank);
            if word.len() == seen && is_end {
                return Seen::Is(word);
            }
            *left = is_blank || word[seen..].starts_with(letter);
        }
        if !left.contains(&true) {
            return Seen::No;
        }
        had_blank = is_blank;
        seen += usize::from(!is_blank);
    }
    Seen::Cut
}

/// The opening as a terminal would show it; `No` if nothing moves the cursor or starts a terminal sequence.
fn shown(bytes: &[u8]) -> Seen<&'static str> {
    // Invisible characters before it are skipped without a limit; they can belong to no other bracket.
    let mut rest = bytes;
    loop {
        crate::stop::check_sometimes();
        let len = match markup(rest, bytes.len() - rest.len()) {
            Some(0) | None => match written::next(rest) {
                Next::One(character, len)
                    if !is_sequence(character) && matches!(read(character), None | Some(' ')) =>
                {
                    len
                }
                _ => break,
            },
            Some(len) => len,
        };
        rest = &rest[len..];
    }
    let is_whole = rest.len() > REACH_BYTES;
    rest = &rest[..rest.len().min(REACH_BYTES)];
    // Every way to write `\u{8}`, `\u{1b}` or `\u{9b}` has one of these bytes.
    if !rest.iter().any(|b| matches!(b, 0x08 | 0x1b | 0xc2) || written::may_be_escape(*b)) {
        return Seen::No;
    }
    let Some(cells) = cells(rest) else { return Seen::No };
    let mut cells = cells.into_iter();
    match opening_of(|| cells.next().map(Some)) {
        Seen::Cut if is_whole => Seen::No,
        seen => seen,
    }
}

/// Whether a character moves the cursor of a terminal or starts a terminal sequence.
fn is_sequence(character: char) -> bool {
    matches!(character, '\u{8}' | '\u{1b}' | '\u{90}'..='\u{9f}')
}

/// Takes the next character.
fn taken(rest: &mut &[u8]) -> Option<char> {
    match written::next(rest) {
        Next::One(character, len) => {
            *rest = &rest[len..];
            Some(character)
        }
        Next::Cut => None,
    }
}

/// The letters as a terminal would show them; `None` if nothing moves the cursor or starts a terminal sequence.
fn cells(bytes: &[u8]) -> Option<Vec<char>> {
    let mut rest = bytes;
    let (mut cells, mut at, mut has_any): (Vec<char>, usize, bool) = (Vec::new(), 0, false);
    for _ in 0..MAX_SHOWN {
        crate::stop::check_sometimes();
        let Some(character) = taken(&mut rest) else { break };
        has_any |= is_sequence(character);
        let kind = match character {
            '\u{8}' => {
                at = at.saturating_sub(1);
                continue;
            }
            '\u{1b}' => taken(&mut rest).unwrap_or_default(),
            '\u{9b}' => '[',
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => ']',
            _ => {
                let Some(letter) = read(character) else { continue };
                cells.resize(cells.len().max(at + 1), ' ');
                cells[at] = letter;
                at += 1;
                continue;
            }
        };
        match kind {
            '[' => {
                let mut count = 0_usize;
                let end = std::iter::from_fn(|| taken(&mut rest))
                    .take(MAX_SHOWN)
                    .inspect(|c| {
                        count = c.to_digit(10).map_or(count, |n| (count * 10 + n as usize).min(MAX_SHOWN))
                    })
                    .find(|c| matches!(c, '@'..='~'));
                let count = count.max(1);
                match end {
                    Some('D') => at = at.saturating_sub(count),
                    Some('C') => at += count,
                    Some('P') => drop(cells.drain(at.min(cells.len())..(at + count).min(cells.len()))),
                    _ => {}
                }
            }
            // A title or similar, which ends with a bell or `ESC \`.
            ']' | 'P' | 'X' | '^' | '_' => {
                let is_end = |c: &char| matches!(c, '\u{7}' | '\u{9c}' | '\u{1b}');
                if std::iter::from_fn(|| taken(&mut rest)).find(is_end) == Some('\u{1b}') {
                    // This backslash escapes nothing after it, however often it was escaped itself.
                    let slashes = rest.iter().take_while(|b| **b == b'\\').count();
                    rest = &rest[slashes..];
                }
            }
            ' '..='/' => drop(taken(&mut rest)),
            _ => {}
        }
        // No opening is longer than this.
        if at > MAX_SHOWN {
            break;
        }
    }
    has_any.then_some(cells)
}

/// Whether a position is between quotation marks on its line; ask for positions in order.
#[derive(Default)]
struct Quotes {
    read: usize,
    is_open: bool,
}

impl Quotes {
    fn is_open_at(&mut self, bytes: &[u8], at: usize) -> bool {
        while self.read < at {
            crate::stop::check_sometimes();
            match bytes[self.read] {
                b'\n' => self.is_open = false,
                b'"' => self.is_open = !self.is_open,
                b'\\' => self.read += 1,
                _ => {}
            }
            self.read += 1;
        }
        self.is_open
    }
}

#[cfg(test)]
mod tests;
