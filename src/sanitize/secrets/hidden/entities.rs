//! Character references of HTML and XML, and the tags that colour code.
//!
//! Only tags within a line of text are removed; other tags are structure, which rules may read.

use super::percent::hex;
use super::view::Unit;

/// Names of references that are in and around values.
const NAMES: &[(&[u8], char)] = &[
    (b"quot", '"'),
    (b"apos", '\''),
    (b"amp", '&'),
    (b"lt", '<'),
    (b"gt", '>'),
    (b"nbsp", ' '),
    (b"equals", '='),
    (b"colon", ':'),
    (b"semi", ';'),
    (b"lowbar", '_'),
    (b"sol", '/'),
    (b"bsol", '\\'),
    (b"plus", '+'),
    (b"dollar", '$'),
    (b"num", '#'),
    (b"excl", '!'),
    (b"commat", '@'),
    (b"percnt", '%'),
    (b"period", '.'),
    (b"comma", ','),
    (b"hyphen", '-'),
    (b"dash", '-'),
    (b"quest", '?'),
    (b"ast", '*'),
    (b"lpar", '('),
    (b"rpar", ')'),
    (b"lbrack", '['),
    (b"rbrack", ']'),
    (b"lbrace", '{'),
    (b"rbrace", '}'),
    (b"verbar", '|'),
    (b"vert", '|'),
    (b"grave", '`'),
    (b"Hat", '^'),
    (b"Tab", '\t'),
    (b"NewLine", '\n'),
];
/// References to invisible characters.
const NOTHING: &[&[u8]] = &[b"shy", b"zwnj", b"zwj", b"ZeroWidthSpace", b"lrm", b"rlm"];
/// Longest name of a reference.
const MAX_NAME_BYTES: usize = 16;
/// Tags within a line.
const TAGS: &[&[u8]] = &[
    b"span", b"b", b"i", b"u", b"s", b"em", b"strong", b"code", b"font", b"mark", b"a", b"var", b"kbd",
    b"tt", b"small", b"ins", b"del", b"wbr", b"bdi", b"bdo", b"samp", b"sup", b"sub",
];
/// Tags that begin or end a line.
const LINES: &[&[u8]] =
    &[b"pre", b"p", b"div", b"li", b"tr", b"br", b"ul", b"ol", b"table", b"dt", b"h", b"body", b"html"];
/// Tags that begin a cell.
const CELLS: &[&[u8]] = &[b"td", b"th", b"dd"];
/// Longest tag, in bytes.
const MAX_TAG_BYTES: usize = 512;

/// The character at an ampersand.
pub(super) fn unit(text: &[u8], at: usize) -> Option<Unit> {
    let rest = text.get(at + 1..text.len().min(at + 2 + MAX_NAME_BYTES))?;
    let end = rest.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'#')?;
    (rest[end] == b';').then_some(())?;
    let (name, len) = (&rest[..end], end + 2);
    if let Some(number) = name.strip_prefix(b"#") {
        let code = match number.strip_prefix(b"x").or(number.strip_prefix(b"X")) {
            Some(digits) => hex(digits)?,
            None => std::str::from_utf8(number).ok()?.parse().ok()?,
        };
        return char::from_u32(code).map(|c| Unit::char(len, c));
    }
    if NOTHING.contains(&name) {
        return Some(Unit::nothing(len));
    }
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, c)| Unit::char(len, *c))
}

/// Whether an element of this name only changes the style of its text.
pub(in crate::sanitize::secrets) fn is_style(name: &[u8]) -> bool {
    TAGS.iter().any(|tag| name.eq_ignore_ascii_case(tag))
}

/// The tag at a `<`, if it only changes the style or the position of text, or is a comment.
pub(super) fn tag(text: &[u8], at: usize) -> Option<Unit> {
    let rest = &text[at + 1..text.len().min(at + MAX_TAG_BYTES)];
    if let Some(comment) = rest.strip_prefix(b"!--") {
        let end = comment.iter().position(|b| matches!(b, b'>' | b'<'))?;
        return (comment[..=end].ends_with(b"-->")).then(|| Unit::nothing(4 + end + 1));
    }
    let is_end = rest.first() == Some(&b'/');
    let name = &rest[usize::from(is_end)..];
    let len = name.iter().take(8).take_while(|b| b.is_ascii_alphabetic()).count();
    let is = |tags: &[&[u8]]| tags.iter().any(|tag| name[..len].eq_ignore_ascii_case(tag));
    let unit = match () {
        () if is(TAGS) => Unit::nothing,
        () if is(LINES) => |len| Unit::byte(len, b'\n'),
        () if is(CELLS) && is_end => Unit::nothing,
        () if is(CELLS) => |len| Unit::byte(len, b'\t'),
        () => return None,
    };
    name.get(len).is_some_and(|b| b" >/\t\n123456".contains(b)).then_some(())?;
    // Stopping at another `<` limits the work on a text of only opening brackets.
    let end = rest.iter().position(|b| matches!(b, b'>' | b'<'))?;
    // An attribute may hold encoded text too.
    (rest[end] == b'>' && !rest[..end].contains(&b'&')).then(|| unit(end + 2))
}
