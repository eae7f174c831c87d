//! What only looks like a marker of ours gets a backslash before it: whatever starts as one does, in any case, width or
//! similar letters, with odd blanks, over a line end, with the bracket or letters written as an escape or entity, with
//! sequences for a terminal in between or letters that one overwrites.
//!
//! A reader does not know our grammar, so every text that starts like a marker is escaped, whether or not it continues like
//! one. The only exception is a template in program code, which has placeholders where a marker has numbers: it states
//! nothing.
//! It never looks at the meaning of a text. Every place is looked at once, and a bounded number of bytes behind it.

use std::ops::Range;

use super::Marker;
use super::letters::read;

/// The openings of all forms once they are folded: letters in lower case, blanks left out; and what must follow, so
/// `[duplicates]` does not count.
const OPENINGS: &[(&str, &[char])] = &[
    ("tersed", &[':', '#']),
    ("duplicateof", &[' ']),
    ("externalized", &[':']),
    ("forgelzwdictionary", &[']']),
    ("forgerepairdictionary", &[']']),
];
/// Bytes behind an opening bracket that are looked at.
const REACH_BYTES: usize = 256;
/// Characters and sequences behind a bracket that are shown as a terminal would. A choice: twice the longest opening.
const MAX_SHOWN: usize = 48;
/// Brackets that look like `[`, and the ways to write it in JSON, in source code, in HTML and in addresses.
const BRACKETS: &[&str] = &[
    "[",
    "\\u005b",
    "\\u{5b}",
    "\\x5b",
    "\\133",
    "&#91;",
    "&#091;",
    "&#x5b;",
    "&#x005b;",
    "&lbrack;",
    "&lsqb;",
    "%5b",
    "［",
    "【",
    "〔",
    "〖",
    "〘",
    "〚",
    "⟦",
    "⟬",
    "❲",
    "﹝",
    "⁅",
    "⦋",
    "⦍",
    "⦏",
    "⦗",
    "⎡",
    "⎢",
    "⎣",
    "「",
    "『",
    "｢",
    "﹇",
    "︹",
    "︻",
    "\\uff3b",
    "&#65339;",
    "&#xff3b;",
    "%ef%bc%bb",
];
/// Ways to write a backspace, or the start of a sequence that moves the cursor, in JSON and in source code.
const BACK: &[&str] = &[
    "\\b", "u0008", "u{8}", "x08", "\\010", "u001b", "u001B", "u{1b", "x1b", "x1B", "u009b", "x9b", "\\e",
    "\\E", "\\033",
];
/// Words of the grammar, which a test holds against the writer: a template has these and blanks to fill in, and nothing else.
const WORDS: &[&str] = &[
    "again",
    "ago",
    "all",
    "answer",
    "answers",
    "artifacts",
    "as",
    "binary",
    "but",
    "by",
    "bytes",
    "call",
    "characters",
    "cited",
    "dir",
    "elements",
    "exit",
    "for",
    "here",
    "id",
    "in",
    "items",
    "kept",
    "last",
    "later",
    "line",
    "lines",
    "members",
    "merged",
    "more",
    "not",
    "of",
    "omitted",
    "output",
    "removed",
    "repeat",
    "repeats",
    "result",
    "results",
    "rewrote",
    "rows",
    "rule",
    "run",
    "same",
    "show",
    "shown",
    "status",
    "superseded",
    "tersed",
    "the",
    "them",
    "there",
    "this",
    "time",
    "times",
];

/// Escapes what only looks like a marker. `None` when there is nothing. A text that starts with a duplicate marker stays
/// when `is_ours` knows it as one that the session gave, and one that `is_own_dictionary` knows as one as a whole: it reads as it was written,
/// whoever wrote it.
pub fn escape(
    text: &str,
    is_ours: impl Fn(&str) -> bool,
    is_own_dictionary: impl Fn(&str) -> bool,
) -> Option<(String, usize)> {
    if matches!(Marker::parse(text), Some((Marker::Duplicate { .. }, _))) && is_ours(text.trim_end()) {
        return None;
    }
    let places = places(text);
    crate::stop::check();
    let is_dictionary = places.iter().any(|place| place.is_dictionary) && is_own_dictionary(text);
    let places: Vec<Place> =
        places.into_iter().filter(|place| !(is_dictionary && place.is_dictionary)).collect();
    if places.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 2 * places.len());
    let mut done = 0;
    let mut quotes = Quotes::default();
    for place in &places {
        out.push_str(&text[done..place.at]);
        // In a string of JSON or of source code one backslash alone would spoil it.
        out.push_str(if quotes.is_open_at(text, place.at) { "\\\\" } else { "\\" });
        done = place.at;
    }
    out.push_str(&text[done..]);
    Some((out, places.len()))
}

/// Where something that looks like a marker starts.
struct Place {
    at: usize,
    is_dictionary: bool,
}

/// Every place, in order, those aside that have a backslash already.
fn places(text: &str) -> Vec<Place> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    // Where nothing goes back, most brackets are followed by what no opening starts with.
    let goes_back = memchr::memchr2(0x08, 0x1b, bytes).is_some()
        || BACK.iter().any(|way| memchr::memmem::find(bytes, way.as_bytes()).is_some());
    let mut look = |start: usize| {
        out.extend(bracket(bytes, start).and_then(|end| place(text, start..end, goes_back)));
    };
    memchr::memchr3_iter(b'[', b'\\', b'&', bytes).for_each(&mut look);
    memchr::memchr_iter(b'%', bytes).for_each(&mut look);
    if !text.is_ascii() {
        memchr::memchr3_iter(0xe2, 0xe3, 0xef, bytes).for_each(&mut look);
    }
    out.sort_unstable_by_key(|place| place.at);
    out
}

/// Where the bracket ends that starts at a byte with which one may start.
fn bracket(text: &[u8], at: usize) -> Option<usize> {
    crate::stop::tick();
    let next = *text.get(at + 1)?;
    // The second byte tells most characters that start alike from a bracket.
    let may_be = match text[at] {
        b'[' => return Some(at + 1),
        b'\\' => matches!(next, b'u' | b'U' | b'x' | b'X' | b'1'),
        b'&' => matches!(next, b'#' | b'l' | b'L'),
        b'%' => matches!(next, b'5' | b'e' | b'E'),
        0xe2 => matches!(next, 0x81 | 0x8e | 0x9d | 0x9f | 0xa6),
        0xe3 => next == 0x80,
        _ => matches!(next, 0xb8 | 0xb9 | 0xbc | 0xbd),
    };
    let starts = |bracket: &&&str| {
        text.get(at..at + bracket.len()).is_some_and(|here| here.eq_ignore_ascii_case(bracket.as_bytes()))
    };
    may_be.then(|| BRACKETS.iter().find(starts)).flatten().map(|bracket| at + bracket.len())
}

/// What looks like a marker behind a bracket.
fn place(text: &str, bracket: Range<usize>, goes_back: bool) -> Option<Place> {
    let bytes = text.as_bytes();
    if !(may_start(*bytes.get(bracket.end)?) || goes_back)
        || (bracket.start > 0 && bytes[bracket.start - 1] == b'\\')
    {
        return None;
    }
    let end = text.floor_char_boundary(text.len().min(bracket.end + REACH_BYTES));
    let behind = &text[bracket.end..end];
    let opening = opening(behind)?;
    let is_dictionary = opening.starts_with("forge");
    (!opening.starts_with("tersed") || !is_template(behind))
        .then_some(Place { at: bracket.start, is_dictionary })
}

/// Whether an opening may start with a byte: with its letter, a blank, an escape, or anything that is not ASCII.
fn may_start(byte: u8) -> bool {
    byte >= 0x80 || byte.is_ascii_whitespace() || byte.is_ascii_control() || b"tdefTDEF\\&%".contains(&byte)
}

/// The opening that a text starts with, if it does: as it is written, or as a terminal would show it.
fn opening(text: &str) -> Option<&'static str> {
    let mut rest = text;
    let letters = std::iter::from_fn(|| {
        let (character, len) = decoded(rest)?;
        rest = &rest[len..];
        Some(read(character))
    });
    opening_of(letters.flatten()).or_else(|| opening_of(shown(text)?.into_iter()))
}

fn opening_of(letters: impl Iterator<Item = char>) -> Option<&'static str> {
    let mut left = [true; OPENINGS.len()];
    let (mut seen, mut had_blank) = (0, false);
    for letter in letters {
        let is_blank = letter == ' ';
        for ((word, ends), left) in OPENINGS.iter().zip(&mut left).filter(|(_, left)| **left) {
            let is_end = ends.contains(&letter) || ends.contains(&' ') && (had_blank || is_blank);
            if word.len() == seen && is_end {
                return Some(word);
            }
            *left = is_blank || word[seen..].starts_with(letter);
        }
        if !left.contains(&true) {
            return None;
        }
        had_blank = is_blank;
        seen += usize::from(!is_blank);
    }
    None
}

/// The first character, which may be written as an escape, and the bytes that it takes.
fn decoded(text: &str) -> Option<(char, usize)> {
    let first = text.chars().next()?;
    Some(match first {
        '\\' | '&' | '%' => written(text).unwrap_or((first, 1)),
        _ => (first, first.len_utf8()),
    })
}

/// The letters as a terminal would show them; `None` where nothing moves its cursor or begins a sequence for it.
fn shown(text: &str) -> Option<Vec<char>> {
    // Whatever is written for `\u{8}`, `\u{1b}` or `\u{9b}` has one of these.
    if !text.bytes().any(|b| matches!(b, 0x08 | 0x1b | 0xc2 | b'\\' | b'&' | b'%')) {
        return None;
    }
    let mut rest = text;
    let mut next = || {
        let (character, len) = decoded(rest)?;
        rest = &rest[len..];
        Some(character)
    };
    let (mut cells, mut at, mut has_any): (Vec<char>, usize, bool) = (Vec::new(), 0, false);
    for _ in 0..MAX_SHOWN {
        crate::stop::tick();
        let Some(character) = next() else { break };
        has_any |= matches!(character, '\u{8}' | '\u{1b}' | '\u{90}'..='\u{9f}');
        let kind = match character {
            '\u{8}' => {
                at = at.saturating_sub(1);
                continue;
            }
            '\u{1b}' => next().unwrap_or_default(),
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
                let end = std::iter::from_fn(&mut next)
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
            // A title or the like, up to a bell or `ESC \`.
            ']' | 'P' | 'X' | '^' | '_' => {
                let is_end = |c: &char| matches!(c, '\u{7}' | '\u{9c}' | '\u{1b}');
                if std::iter::from_fn(&mut next).find(is_end) == Some('\u{1b}') {
                    next();
                }
            }
            ' '..='/' => drop(next()),
            _ => {}
        }
        // No opening is as far behind.
        if at > MAX_SHOWN {
            break;
        }
    }
    has_any.then_some(cells)
}

/// A character that is written as an escape of JSON or of source code, as an entity of HTML or as in an address.
fn written(text: &str) -> Option<(char, usize)> {
    let number = |digits: &str, radix: u32| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    let fixed = |start: usize, len: usize| {
        let digits = text.get(start..start + len).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
        Some((number(digits, 16)?, start + len))
    };
    let until = |start: usize, end: char, radix: u32| {
        let rest = text.get(start..)?;
        let digits = &rest[..rest.bytes().take(8).take_while(u8::is_ascii_hexdigit).count()];
        rest[digits.len()..].starts_with(end).then_some((number(digits, radix)?, start + digits.len() + 1))
    };
    match text.as_bytes() {
        [b'\\', b'u' | b'U', b'{', ..] => until(3, '}', 16),
        [b'\\', b'u', ..] => fixed(2, 4),
        [b'\\', b'x', ..] => fixed(2, 2),
        [b'\\', b'b', ..] => Some(('\u{8}', 2)),
        [b'\\', b'e' | b'E', ..] => Some(('\u{1b}', 2)),
        [b'\\', b'0', b'1', b'0', ..] => Some(('\u{8}', 4)),
        [b'\\', b'0', b'3', b'3', ..] => Some(('\u{1b}', 4)),
        // Line ends and tabs of a string.
        [b'\\', b'n' | b'r' | b't', ..] => {
            // `\t` may also be the start of the word, behind the backslash of another escape.
            Some((' ', 2))
        }
        [b'&', b'#', b'x' | b'X', ..] => until(3, ';', 16),
        [b'&', b'#', ..] => until(2, ';', 10),
        [b'%', ..] => fixed(1, 2).filter(|(c, _)| c.is_ascii()),
        _ => {
            const NAMES: &[(&str, char)] =
                &[("&nbsp;", ' '), ("&ensp;", ' '), ("&thinsp;", ' '), ("&colon;", ':'), ("&num;", '#')];
            let name = NAMES.iter().find(|(name, _)| text.starts_with(name))?;
            Some((name.1, name.0.len()))
        }
    }
}

/// Whether what follows the bracket is a marker with blanks to fill in, such as `{n}`, `%d`, `${n}` or `<n>`, where it
/// would have numbers and names, and states nothing.
fn is_template(text: &str) -> bool {
    let line = text.split(['\n', ']', '"']).next().unwrap_or_default();
    let mut has_blank = false;
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let close = match first {
            '{' => '}',
            '<' => '>',
            _ => {
                let word = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
                match first {
                    _ if word > 0 => {
                        if !WORDS.contains(&&rest[..word]) {
                            return false;
                        }
                        rest = &rest[word..];
                    }
                    '%' => {
                        let kind = rest.as_bytes().get(1).is_some_and(|b| b"dsiuvz".contains(b));
                        if !kind {
                            return false;
                        }
                        has_blank = true;
                        let more = rest[2..].bytes().take_while(|b| b"du".contains(b)).count();
                        rest = &rest[2 + more..];
                    }
                    ' ' | ',' | ':' | '-' | '#' | '(' | ')' | '$' => rest = &rest[1..],
                    _ => return false,
                }
                continue;
            }
        };
        let Some(end) = rest.find(close) else { return false };
        let name = rest[1..end].bytes();
        if !name.clone().all(|b| b.is_ascii_alphanumeric() || b"_.:?()".contains(&b)) {
            return false;
        }
        has_blank = true;
        rest = &rest[end + 1..];
    }
    has_blank
}

/// Whether a place stands between quotation marks on its line; asked from the front to the back of one text.
#[derive(Default)]
struct Quotes {
    read: usize,
    is_open: bool,
}

impl Quotes {
    fn is_open_at(&mut self, text: &str, at: usize) -> bool {
        let bytes = text.as_bytes();
        while self.read < at {
            crate::stop::tick();
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
