//! Reads one character at a time, which may be written as an escape: of JSON, source code, CSS, HTML, URLs or mail,
//! also escaped repeatedly.
//!
//! It reads bytes, because streamed output may be cut anywhere, and reports if a cut makes the next character
//! unclear. It never considers what a character means. Apart from leading zeros, it reads a bounded number of bytes.

/// The result of reading the next bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// This character, in this many bytes.
    One(char, usize),
    /// The bytes end before the character is known.
    Cut,
}

use Next::{Cut, One};

/// The most backslashes before an escape in text that was escaped repeatedly; the same for entities and octets. A
/// choice.
const MAX_AGAIN: usize = 4;
/// The longest name of a character that is read, in bytes. The names of brackets have at most 52.
const MAX_NAME_BYTES: usize = 64;
/// An invisible character, for line ends that a backslash cancels.
const NOTHING: char = '\u{ad}';

/// HTML entities with which markers may be written: brackets, signs, blanks and invisible characters.
const ENTITIES: &[(&str, char)] = &[
    ("lbrack;", '['),
    ("lsqb;", '['),
    ("lobrk;", '⟦'),
    ("leftdoublebracket;", '⟦'),
    ("lbbrk;", '❲'),
    ("lfloor;", '⌊'),
    ("leftfloor;", '⌊'),
    ("lceil;", '⌈'),
    ("leftceiling;", '⌈'),
    ("lbrke;", '⦋'),
    ("lbrkslu;", '⦍'),
    ("lbrksld;", '⦏'),
    ("colon;", ':'),
    ("num;", '#'),
    ("nbsp", ' '),
    ("ensp;", ' '),
    ("emsp;", ' '),
    ("thinsp;", ' '),
    ("hairsp;", ' '),
    ("tab;", ' '),
    ("newline;", ' '),
    ("shy", NOTHING),
    ("zwj;", NOTHING),
    ("zwnj;", NOTHING),
    ("zerowidthspace;", NOTHING),
    ("nobreak;", NOTHING),
];

/// Whether a byte may start an escape.
pub(super) fn may_be_escape(byte: u8) -> bool {
    matches!(byte, b'\\' | b'&' | b'%' | b'=')
}

/// Whether a character looks like `[`.
pub(super) fn is_bracket(c: char) -> bool {
    matches!(
        c,
        '[' | '［'
            | '【'
            | '〔'
            | '〖'
            | '〘'
            | '〚'
            | '⟦'
            | '⟬'
            | '❲'
            | '﹝'
            | '⁅'
            | '⦋'
            | '⦍'
            | '⦏'
            | '⦗'
            | '⎡'
            | '⎢'
            | '⎣'
            | '⎴'
            | '「'
            | '『'
            | '｢'
            | '﹁'
            | '﹃'
            | '﹇'
            | '︗'
            | '︹'
            | '︻'
            | '⌈'
            | '⌊'
            | '⸢'
            | '⸤'
            | '⹕'
            | '⹗'
    )
}

/// Reads the next character.
pub(super) fn next(bytes: &[u8]) -> Next {
    let Some(&first) = bytes.first() else { return Cut };
    let escape = match first {
        b'\\' => backslash(bytes),
        b'&' => entity(bytes),
        b'%' => octets(bytes, b"25"),
        b'=' => octets(bytes, b"3D"),
        0..0x80 => None,
        _ => return plain(bytes),
    };
    escape.unwrap_or(One(char::from(first), 1))
}

/// Reads a character of UTF-8; invalid bytes are U+FFFD.
fn plain(bytes: &[u8]) -> Next {
    let none = One(char::REPLACEMENT_CHARACTER, 1);
    let len = match bytes[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return none,
    };
    match bytes.get(..len) {
        Some(whole) => {
            str::from_utf8(whole).ok().and_then(|text| text.chars().next()).map_or(none, |c| One(c, len))
        }
        None if bytes[1..].iter().all(|b| matches!(b, 0x80..0xc0)) => Cut,
        None => none,
    }
}

/// A run of digits.
struct Digits {
    value: u32,
    count: usize,
    end: usize,
    /// Whether more digits may follow after the end of the bytes.
    is_cut: bool,
}

impl Digits {
    /// Reads at most `max` digits.
    fn of(bytes: &[u8], at: usize, radix: u32, max: usize) -> Self {
        let mut out = Self { value: 0, count: 0, end: at, is_cut: false };
        while out.count < max {
            let Some(&byte) = bytes.get(out.end) else {
                out.is_cut = true;
                break;
            };
            let Some(digit) = char::from(byte).to_digit(radix) else { break };
            out.value = out.value.saturating_mul(radix).saturating_add(digit);
            (out.count, out.end) = (out.count + 1, out.end + 1);
        }
        out
    }

    /// Reads all digits: up to eight, after any number of zeros.
    fn all(bytes: &[u8], at: usize, radix: u32) -> Self {
        let zeros = bytes[at.min(bytes.len())..].iter().take_while(|b| **b == b'0').count();
        let rest = Self::of(bytes, at + zeros, radix, 8);
        Self { count: zeros + rest.count, ..rest }
    }

    /// The character with this number, if there are exactly `count` digits.
    fn exactly(&self, count: usize) -> Option<Next> {
        match (self.count == count, self.is_cut) {
            (true, _) => Some(One(char::from_u32(self.value)?, self.end)),
            (false, true) => Some(Cut),
            (false, false) => None,
        }
    }
}

/// The same character, with `bytes` more bytes before it.
fn with_more_bytes(found: Option<Next>, bytes: usize) -> Option<Next> {
    found.map(|found| match found {
        One(c, len) => One(c, len + bytes),
        Cut => Cut,
    })
}

/// The escape that a backslash starts, or several backslashes in text that was escaped repeatedly.
fn backslash(bytes: &[u8]) -> Option<Next> {
    let run = bytes.iter().take(MAX_AGAIN + 1).take_while(|b| **b == b'\\').count();
    if run > MAX_AGAIN {
        return None;
    }
    let rest = &bytes[run..];
    let Some(&kind) = rest.first() else { return Some(Cut) };
    let found = match kind {
        b'u' | b'U' | b'x' | b'X' | b'o' if rest.get(1) == Some(&b'{') => {
            braced(rest, if kind == b'o' { 8 } else { 16 })
        }
        b'u' | b'U' | b'x' | b'X' | b'N' | b'o' if rest.len() == 1 => Some(Cut),
        b'u' | b'U' => unit(rest, run),
        b'x' | b'X' => {
            let zeros = rest[1..].chunks_exact(2).take(MAX_AGAIN).take_while(|two| *two == b"00").count();
            Digits::of(rest, 1 + 2 * zeros, 16, 2).exactly(2).or(Some(One('\0', 3)).filter(|_| zeros > 0))
        }
        b'N' if rest[1] == b'{' => named(rest),
        b'b' => Some(One('\u{8}', 1)),
        b'e' | b'E' => Some(One('\u{1b}', 1)),
        b'n' | b'r' | b't' | b'v' | b'f' => Some(One(' ', 1)),
        // The backslash cancels the line end.
        b'\n' => Some(One(NOTHING, 1)),
        b'\r' if rest.get(1) == Some(&b'\n') => Some(One(NOTHING, 2)),
        b'0'..=b'9' => numbered(rest),
        _ => None,
    };
    with_more_bytes(found, run)
}

/// `u{5b}`, `x{5b}` and `o{133}`.
fn braced(rest: &[u8], radix: u32) -> Option<Next> {
    let digits = Digits::all(rest, 2, radix);
    match rest.get(digits.end) {
        None => Some(Cut),
        Some(b'}') if digits.count > 0 => Some(One(char::from_u32(digits.value)?, digits.end + 1)),
        Some(_) => None,
    }
}

/// `u005b`, `U0000005b`, or two units of UTF-16 (a surrogate pair).
fn unit(rest: &[u8], run: usize) -> Option<Next> {
    if rest[0] == b'U'
        && let Some(found) = Digits::of(rest, 1, 16, 8).exactly(8)
    {
        return Some(found);
    }
    let high = Digits::of(rest, 1, 16, 4);
    if high.count < 4 || !(0xd800..0xdc00).contains(&high.value) {
        return high.exactly(4);
    }
    let at = high.end + run;
    if rest.len() <= at {
        return Some(Cut);
    }
    if !rest[high.end..at].iter().all(|b| *b == b'\\') || rest[at] != b'u' {
        return None;
    }
    let low = Digits::of(rest, at + 1, 16, 4);
    match low.count {
        4 if (0xdc00..0xe000).contains(&low.value) => {
            let value = 0x1_0000 + ((high.value - 0xd800) << 10) + (low.value - 0xdc00);
            Some(One(char::from_u32(value)?, low.end))
        }
        0..4 if low.is_cut => Some(Cut),
        _ => None,
    }
}

/// Octal digits, or those of CSS, whichever give a character that a marker may have.
fn numbered(rest: &[u8]) -> Option<Next> {
    let of_use = |value: u32| {
        char::from_u32(value).filter(|c| match c {
            '\u{8}' | '\u{1b}' | ' ' | ':' | '#' => true,
            c => is_bracket(*c) || c.is_ascii_alphabetic() || !c.is_ascii(),
        })
    };
    // A shell reads four digits if the first is 0.
    let octal = match Digits::of(rest, 0, 8, 4) {
        four if four.count == 4 && (rest[0] != b'0' || four.value > 0x7f) => Digits::of(rest, 0, 8, 3),
        digits => digits,
    };
    if octal.count >= 3
        && octal.value < 0x80
        && let Some(c) = of_use(octal.value)
    {
        return Some(One(c, octal.end));
    }
    let css = Digits::of(rest, 0, 16, 6);
    if css.is_cut {
        return Some(Cut);
    }
    let c = of_use(css.value).filter(|_| css.count >= 2)?;
    Some(One(c, css.end + usize::from(rest.get(css.end) == Some(&b' '))))
}

/// A character by its name, `N{LEFT SQUARE BRACKET}`: a bracket, or a character of an opening.
fn named(rest: &[u8]) -> Option<Next> {
    let name = &rest[2..rest.len().min(2 + MAX_NAME_BYTES)];
    let Some(end) = memchr::memchr(b'}', name) else {
        return (name.len() < MAX_NAME_BYTES).then_some(Cut);
    };
    let name = str::from_utf8(&name[..end]).ok()?.to_ascii_uppercase();
    let letter = |kind: &str| name.strip_prefix(kind).filter(|letter| letter.len() == 1)?.chars().next();
    let c = if let Some(number) = name.strip_prefix("U+") {
        u32::from_str_radix(number, 16).ok().and_then(char::from_u32)?
    } else if name.contains("LEFT") && name.contains("BRACKET") {
        '['
    } else if let Some(c) = letter("LATIN SMALL LETTER ").or_else(|| letter("LATIN CAPITAL LETTER ")) {
        c
    } else {
        match &*name {
            "COLON" => ':',
            "NUMBER SIGN" => '#',
            name if name.ends_with("SPACE") => ' ',
            _ => return None,
        }
    };
    Some(One(c, 3 + end))
}

/// An HTML entity: a number with or without the semicolon, or a name.
fn entity(bytes: &[u8]) -> Option<Next> {
    let mut at = 1;
    let starts = |at: usize, word: &str| {
        let here = &bytes[at..bytes.len().min(at + word.len())];
        here.eq_ignore_ascii_case(&word.as_bytes()[..here.len()]).then_some(here.len() == word.len())
    };
    for _ in 0..MAX_AGAIN {
        if starts(at, "amp;") != Some(true) {
            break;
        }
        at += "amp;".len();
    }
    if bytes.get(at) != Some(&b'#') {
        let mut is_cut = starts(at, "amp;").is_some();
        for (name, c) in ENTITIES {
            match starts(at, name) {
                Some(true) => {
                    let end = at + name.len();
                    return Some(One(*c, end + usize::from(bytes.get(end) == Some(&b';'))));
                }
                Some(false) => is_cut = true,
                None => {}
            }
        }
        return is_cut.then_some(Cut);
    }
    let digits = match bytes.get(at + 1) {
        None => return Some(Cut),
        Some(b'x' | b'X') => Digits::all(bytes, at + 2, 16),
        Some(_) => Digits::all(bytes, at + 1, 10),
    };
    if digits.is_cut {
        return Some(Cut);
    }
    let c = char::from_u32(digits.value).filter(|_| digits.count > 0)?;
    Some(One(c, digits.end + usize::from(bytes.get(digits.end) == Some(&b';'))))
}

/// `%5B` of a URL or `=5B` of mail, and the octets of a longer character. `again` is how the sign itself is written.
fn octets(bytes: &[u8], again: &[u8; 2]) -> Option<Next> {
    let sign = bytes[0];
    match bytes.get(1) {
        None => return Some(Cut),
        Some(b'\n') if sign == b'=' => return Some(One(NOTHING, 2)),
        Some(b'\r') if sign == b'=' && bytes.get(2) == Some(&b'\n') => return Some(One(NOTHING, 3)),
        Some(_) => {}
    }
    let mut at = 1;
    for _ in 0..MAX_AGAIN {
        let is_again = bytes.get(at..at + 2).is_some_and(|two| two.eq_ignore_ascii_case(again));
        match bytes.get(at + 2) {
            None if is_again => return Some(Cut),
            Some(next) if is_again && next.is_ascii_hexdigit() => at += 2,
            _ => break,
        }
    }
    let first = Digits::of(bytes, at, 16, 2);
    let more = match first.value {
        _ if first.count < 2 => return first.exactly(2),
        0..0x80 => return first.exactly(2),
        0xc2..=0xdf => 1,
        0xe0..=0xef => 2,
        0xf0..=0xf4 => 3,
        _ => return None,
    };
    let mut whole = [first.value as u8, 0, 0, 0];
    // The sign must be written the same way each time.
    let (step, mut end) = (at, first.end);
    for octet in &mut whole[1..=more] {
        if end + step > bytes.len() {
            return Some(Cut);
        }
        if !bytes[end..end + step].eq_ignore_ascii_case(&bytes[..step]) {
            return None;
        }
        let digits = Digits::of(bytes, end + step, 16, 2);
        if digits.count < 2 {
            return digits.exactly(2);
        }
        (*octet, end) = (digits.value as u8, digits.end);
    }
    let c = str::from_utf8(&whole[..=more]).ok()?.chars().next()?;
    Some(One(c, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ways to write `[`.
    const WAYS: &[&str] = &[
        "[",
        "\\u005b",
        "\\\\u005b",
        "\\u{5b}",
        "\\u{00000000005b}",
        "\\U0000005b",
        "\\x5b",
        "\\x005b",
        "\\x{5b}",
        "\\o{133}",
        "\\133",
        "\\0133",
        "\\5b ",
        "\\00005b",
        "\\N{LEFT SQUARE BRACKET}",
        "\\N{U+005B}",
        "&#91;",
        "&#000000000000000091;",
        "&#x0000000000000005b;",
        "&amp;#91;",
        "&amp;amp;lsqb;",
        "&lbrack;",
        "%5b",
        "%255B",
        "%25255B",
        "=5B",
        "=3D5B",
    ];

    #[test]
    fn every_way_is_read_and_a_cut_one_is_told() {
        for way in WAYS {
            // No language has `\O{133}`.
            for way in [(*way).to_owned(), way.to_uppercase().replace("\\O", "\\o")] {
                let whole = format!("{way}tersed");
                let read = next(whole.as_bytes());
                assert!(matches!(read, One('[', len) if len == way.len()), "{way} {read:?}");
                for cut in 1..way.trim_end_matches([';', ' ']).len() {
                    let read = next(&way.as_bytes()[..cut]);
                    assert!(!matches!(read, One('[', _)), "{way} {cut}");
                }
            }
        }
        for (way, c) in [
            ("&#91x", '['),
            ("=E2=9F=A6", '⟦'),
            ("%E2%9F%A6", '⟦'),
            ("%25E2%259F%25A6", '⟦'),
            ("\\ud835\\udc2d", '\u{1d42d}'),
            ("\\N{LATIN SMALL LETTER T}", 'T'),
            ("\\164", 't'),
            ("\\74 ", 't'),
            ("\\033[", '\u{1b}'),
            ("\\0337", '\u{1b}'),
            ("\\010", '\u{8}'),
            ("&nbspx", ' '),
            ("=\n", NOTHING),
            ("\\\n", NOTHING),
        ] {
            assert!(matches!(next(way.as_bytes()), One(read, _) if read == c), "{way}");
        }
    }

    #[test]
    fn what_is_no_escape_is_itself() {
        for (text, c) in [
            ("\\[", '\\'),
            ("\\users", '\\'),
            ("&&", '&'),
            ("&x;", '&'),
            ("% done", '%'),
            ("== 5", '='),
            ("=> x", '='),
            ("\\\\\\\\\\u005b", '\\'),
            ("é", 'é'),
        ] {
            assert!(matches!(next(text.as_bytes()), One(read, _) if read == c), "{text}");
        }
        assert_eq!(next(b"\xe2\x9f"), Cut);
        assert_eq!(next(b"\xe2["), One('\u{fffd}', 1));
        assert_eq!(next(b"\xff"), One('\u{fffd}', 1));
        for cut in ["\\", "&", "&#", "&#9", "&lbr", "%", "%5", "=", "\\u00", "\\u{5b", "\\N{LEFT ", "=E2=9F"]
        {
            assert_eq!(next(cut.as_bytes()), Cut, "{cut}");
        }
    }
}
