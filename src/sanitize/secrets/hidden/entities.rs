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
/// Namespaces of documents, whose elements cut a text wherever its style changes: Word, PowerPoint and OpenDocument.
const OF_DOCUMENTS: &[&[u8]] = &[b"w:", b"a:", b"text:"];
/// Their elements that begin or end a line.
const LINES_OF_DOCUMENTS: &[&[u8]] =
    &[b"p", b"br", b"tr", b"tbl", b"body", b"h", b"list", b"list-item", b"line-break", b"cr"];
/// Longest tag, in bytes.
const MAX_TAG_BYTES: usize = 512;
/// Opens a section of plain text.
const SECTION: &[u8] = b"<![CDATA[";

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
    if let Some(local) = OF_DOCUMENTS.iter().find_map(|space| name.strip_prefix(*space)) {
        return tag_of_document(rest, local);
    }
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

/// The tag of a document whose local name and rest are `local`.
fn tag_of_document(rest: &[u8], local: &[u8]) -> Option<Unit> {
    let end = rest.iter().position(|b| matches!(b, b'>' | b'<')).filter(|end| rest[*end] == b'>')?;
    let len = local.iter().take(24).take_while(|b| b.is_ascii_alphabetic() || **b == b'-').count();
    Some(match &local[..len] {
        b"tab" => Unit::byte(end + 2, b'\t'),
        b"s" => Unit::byte(end + 2, b' '),
        name if LINES_OF_DOCUMENTS.contains(&name) => Unit::byte(end + 2, b'\n'),
        _ => Unit::nothing(end + 2),
    })
}

/// Whether the section that begins at `at` continues the text of another one: `]]><![CDATA[`.
pub(super) fn between_sections(text: &[u8], at: usize) -> bool {
    text[at..].starts_with(SECTION) && text[..at].ends_with(b"]]>")
}

/// Bytes from the end of a section to the text of the next one.
pub(super) const BETWEEN_SECTIONS_BYTES: usize = SECTION.len() + 3;

#[cfg(test)]
mod tests {
    use crate::sanitize::secrets::redact;

    #[test]
    fn runs_and_sections_of_one_text_are_read_together() {
        let token = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let (first, second) = token.split_at(3);
        let hidden = "[REDACTED:github-pat]";
        for between in [
            "</w:t></w:r><w:r><w:rPr><w:b/><w:sz w:val=\"24\"/></w:rPr><w:t>",
            "</a:t></a:r><a:r><a:t>",
            "</text:span><text:span text:style-name=\"T1\">",
            "]]><![CDATA[",
        ] {
            let text = format!("<x><![CDATA[see {first}{between}{second} there]]></x>\n");
            let shown = redact(&text).map(|redacted| redacted.text);
            assert_eq!(shown, Some(format!("<x><![CDATA[see {hidden} there]]></x>\n")));
        }
        let text = "<w:p><w:r><w:t>password</w:t></w:r></w:p><w:p><w:r><w:t>is required</w:t></w:r></w:p>\n";
        assert_eq!(redact(text), None);
    }
}
