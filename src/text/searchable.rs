//! Finds what a reader may search for in a line: identifiers, paths and string literals, unchanged and whole, and
//! what the line names: a changed file, an entry of a list, a record. Whether these are worth a search is decided in
//! `names`.

use std::ops::Range;

/// Whether a byte may start a name, and whether it may continue one.
const STARTS_NAME: u8 = 1;
const GOES_ON: u8 = 1 << 1;
/// The kind of a byte in a name.
pub(super) const LOWER: u8 = 1 << 2;
pub(super) const UPPER: u8 = 1 << 3;
pub(super) const DIGIT: u8 = 1 << 4;
/// `_`, `.`, `:`, `/`
pub(super) const JOINT: u8 = 1 << 5;

pub(super) static NAME: [u8; 256] = {
    let mut name = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        name[byte] = match byte as u8 {
            b'a'..=b'z' => STARTS_NAME | GOES_ON | LOWER,
            b'A'..=b'Z' => STARTS_NAME | GOES_ON | UPPER,
            b'_' => STARTS_NAME | GOES_ON | JOINT,
            b'$' => STARTS_NAME | GOES_ON,
            b'0'..=b'9' => GOES_ON | DIGIT,
            b'.' | b':' | b'/' => JOINT,
            _ => 0,
        };
        byte += 1;
    }
    name
};

fn starts(b: u8) -> bool {
    NAME[usize::from(b)] & STARTS_NAME != 0
}

fn goes_on(b: u8) -> bool {
    NAME[usize::from(b)] & GOES_ON != 0
}

/// The byte at a position; a blank after the end.
fn at_or_blank(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(b' ')
}

/// Calls `found` with every identifier, including the names it is a member of, and every path, and with the kinds of
/// its bytes. Parts of longer things are skipped: text after a digit, a backslash or a letter that is not ASCII, and
/// parts of URLs.
pub(super) fn each<'a>(line: &'a str, mut found: impl FnMut(&'a str, u8)) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let b = bytes[at];
        // `</Name>` is skipped: the start tag of the element has the same name.
        if b == b'<' && at_or_blank(bytes, at + 1) == b'/' {
            at += 2;
            at += bytes[at..].iter().take_while(|b| goes_on(**b) || matches!(b, b'.' | b'-' | b':')).count();
            continue;
        }
        if !starts(b) && !starts_path(bytes, at) {
            at += 1;
            continue;
        }
        let mut start = at;
        let mut run = Run::at(bytes, start);
        at = run.end;
        if line[at..].starts_with("://") {
            at += line[at..].find([' ', '\t', '"', '\'', '<', '>', ')', ']']).unwrap_or(line.len() - at);
            continue;
        }
        // `src/**/*.rs`, `**/node_modules/**`: a pattern is one thing.
        let is_pattern = bytes[at..].starts_with(b"/*") || run.is_path && bytes.get(at) == Some(&b'*');
        if is_pattern || start >= 2 && bytes[start - 2..start] == *b"*/" {
            let is_of_pattern = |b: &u8| goes_on(*b) || b"*/.-@?".contains(b);
            start -= bytes[..start].iter().rev().take_while(|b| is_of_pattern(b)).count();
            at += bytes[at..].iter().take_while(|b| is_of_pattern(b)).count();
            run.kinds = bytes[start..at].iter().fold(0, |kinds, b| kinds | NAME[usize::from(*b)]);
        }
        if !is_whole(bytes, start..at) || run.is_path && is_in_template(bytes, start..at) {
            continue;
        }
        // `../a`, `.github/a`, `@scope/a`
        while run.is_path && start > 0 && matches!(bytes[start - 1], b'.' | b'@') {
            start -= 1;
        }
        found(&line[start..at], run.kinds);
    }
}

/// Whether a path starts with the sign at `at`: `/a`, `./a`, `~/a`.
#[inline]
fn starts_path(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        b'/' => {
            let before = at.checked_sub(1).map_or(b' ', |i| bytes[i]);
            starts(at_or_blank(bytes, at + 1)) && !goes_on(before) && before != b'/'
        }
        b'.' | b'~' => at_or_blank(bytes, at + 1) == b'/',
        _ => false,
    }
}

/// Whether the name in a range is not a part of something longer.
fn is_whole(bytes: &[u8], name: Range<usize>) -> bool {
    let is_part = |b: u8| goes_on(b) || !b.is_ascii() || matches!(b, b'\\' | b'%');
    // The rest of a text such as `web-01.prod.example.com`, whose start is not a name.
    let is_rest = name.start >= 2 && bytes[name.start - 1] == b'.' && bytes[name.start - 2].is_ascii_digit();
    !is_rest
        && !name.start.checked_sub(1).is_some_and(|before| is_part(bytes[before]))
        && bytes.get(name.end).is_none_or(u8::is_ascii)
}

/// Whether a path is a part of one with values to fill in: `${base}/users/list`, `users/{id}`, `logs/<name>.txt`.
fn is_in_template(bytes: &[u8], path: Range<usize>) -> bool {
    let rest = &bytes[path.end..];
    path.start.checked_sub(1).is_some_and(|before| matches!(bytes[before], b'}' | b'>'))
        || matches!(rest, [b'{' | b'$', ..] | [b'/' | b'-' | b'.', b'{' | b'$' | b'<' | b'%', ..])
}

/// A run of bytes that belong to one name, identifiers and the signs that join them, and the kinds of these bytes.
struct Run {
    end: usize,
    kinds: u8,
    is_path: bool,
}

impl Run {
    /// The run that starts at `start`, whose first byte belongs to it.
    fn at(bytes: &[u8], start: usize) -> Self {
        let mut at = start + 1;
        let mut kinds = NAME[usize::from(bytes[start])];
        let mut is_path = bytes[start] == b'/';
        loop {
            while let Some(&b) = bytes.get(at)
                && goes_on(b)
            {
                kinds |= NAME[usize::from(b)];
                at += 1;
            }
            let Some(&b) = bytes.get(at) else { break };
            let next = at_or_blank(bytes, at + 1);
            match b {
                // A minus, if digits follow.
                b'-' if !goes_on(next) || !(is_path || starts(next)) => break,
                b'.' | b'/' | b'-' | b'@' | b'~' if goes_on(next) => {
                    is_path |= b == b'/';
                    kinds |= NAME[usize::from(b)];
                    at += 1;
                }
                b'/' if next == b'.' && goes_on(at_or_blank(bytes, at + 2)) => {
                    (is_path, kinds) = (true, kinds | JOINT);
                    at += 2;
                }
                b':' if next == b':' && bytes.get(at + 2).is_some_and(|b| starts(*b)) => {
                    kinds |= JOINT;
                    at += 2;
                }
                _ => break,
            }
        }
        Self { end: at, kinds, is_path }
    }
}

/// A piece of a line of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text outside of literals, with comments.
    Code(&'a str),
    /// A string literal that ends in its line, with its quotes.
    Literal(&'a str),
}

/// Calls `found` with the pieces of a line. An apostrophe in a word, a lifetime and a quote without a partner start no
/// literal. Linear in the line: if a quote has no partner, no later quote of its kind has one.
pub(super) fn pieces<'a>(line: &'a str, mut found: impl FnMut(Piece<'a>)) {
    let bytes = line.as_bytes();
    let (mut from, mut at) = (0, 0);
    let mut without_end: [bool; 3] = [false; 3];
    while let Some(next) = memchr::memchr3(b'"', b'\'', b'`', bytes.get(at..).unwrap_or_default()) {
        at += next;
        let kind = usize::from(bytes[at] == b'\'') + 2 * usize::from(bytes[at] == b'`');
        let is_in_word = bytes[at] == b'\'' && at > 0 && (goes_on(bytes[at - 1]) || bytes[at - 1] == b'&');
        let end = match is_in_word || without_end[kind] {
            true => None,
            false => literal_end(bytes, at),
        };
        without_end[kind] |= end.is_none() && !is_in_word;
        let Some(end) = end else {
            at += 1;
            continue;
        };
        if bytes[at] == b'\'' && goes_on(at_or_blank(bytes, end)) {
            // The other quote may start a literal.
            at = end - 1;
            continue;
        }
        if from < at {
            found(Piece::Code(&line[from..at]));
        }
        found(Piece::Literal(&line[at..end]));
        (from, at) = (end, end);
    }
    if from < bytes.len() {
        found(Piece::Code(&line[from..]));
    }
}

/// The end of the literal that starts at a quote, if it ends in this line.
fn literal_end(bytes: &[u8], start: usize) -> Option<usize> {
    let quote = bytes[start];
    let mut at = start + 1;
    while let Some(next) = memchr::memchr2(quote, b'\\', bytes.get(at..)?) {
        at += next;
        if bytes[at] == quote {
            return Some(at + 1);
        }
        at += 2;
    }
    None
}

/// The name of a symbolic link in a listing, without what it points to: `lrwxrwxrwx 1 a a 8 May  2 a.so -> a.so.1`, or an
/// entry of `tree`. Whoever searches for an entry of a folder searches for its name.
pub(super) fn link(line: &str) -> Option<&str> {
    let (entry, _) = line.split_once(" -> ")?;
    let is_link = entry.starts_with(['l', ' ', '├', '└', '│'])
        && (entry.contains("── ") || entry.trim_start().get(1..10).is_some_and(is_mode));
    is_link.then(|| entry.rsplit(' ').next()).flatten()
}

/// Whether a text is the mode in a line of `ls -l`, such as `-rw-r--r--`.
fn is_mode(text: &str) -> bool {
    text.len() == 9 && text.bytes().all(|b| b"rwxsStT-".contains(&b))
}

/// Whether a name in a literal is not joined with signs around it.
pub(super) fn stands_alone(name: &str, literal: &str) -> bool {
    let at = name.as_ptr() as usize - literal.as_ptr() as usize;
    literal[..at].chars().next_back().is_none_or(|c| c == ' ' || "('\"`".contains(c))
        && literal[at + name.len()..].chars().next().is_none_or(|c| c == ' ' || ".,:;)'\"`".contains(c))
}
/// The longest path of a changed file that is listed.
const MAX_PATH_BYTES: usize = 80;

/// The file of `diff --git a/src/x.rs b/src/x.rs` and `Index: src/x.rs`.
pub(super) fn changed_file(line: &str) -> Option<&str> {
    if let Some(path) = line.strip_prefix("Index: ") {
        return Some(path).filter(|path| !path.contains(' ') && path.contains(['/', '.']));
    }
    let paths = line.strip_prefix("diff --git a/")?;
    let path = paths.rsplit_once(" b/")?.1;
    (!path.is_empty() && path.len() <= MAX_PATH_BYTES).then_some(path)
}

/// The name in an entry of a list: `fping - sends ICMP ECHO_REQUEST packets`, `ping (8) - …`, as `apt-cache search`
/// and `man -k` write it.
pub(super) fn entry(line: &str) -> Option<&str> {
    const MAX_BYTES: usize = 60;
    let (name, rest) = line.split_once(' ')?;
    let rest = match rest.strip_prefix('(') {
        Some(section) => section.split_once(") ")?.1,
        None => rest,
    };
    let is_said = rest.strip_prefix("- ").is_some_and(|said| !said.trim().is_empty());
    let is_name = (2..=MAX_BYTES).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().any(|b| b.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-+._@/:".contains(&b));
    (is_said && is_name).then_some(name)
}

/// The name of a record, by its title and the line below: `Loopback 21` of `Loopback 21 is up, line protocol is up`.
pub(super) fn record<'a>(title: &'a str, below: &str) -> Option<&'a str> {
    let (kind, rest) = title.split_once(' ')?;
    let number = rest.split([' ', ',']).next()?.trim_end_matches(':');
    let is_kind = kind.len() >= 3
        && kind.starts_with(|c: char| c.is_ascii_uppercase())
        && kind.bytes().all(|b| b.is_ascii_alphanumeric());
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|b| b.is_ascii_digit() || b"/.".contains(&b));
    (is_kind && is_number && below.starts_with([' ', '\t'])).then(|| &title[..kind.len() + 1 + number.len()])
}
