//! JSON5 and similar text, such as objects printed by scripts: keys without quotes, single quotes, comments,
//! trailing commas, bare words as values. It is written on one line, except for its comments.

use crate::formats::json;

/// The document without unneeded white space; `None` if the text is not such a document.
pub(super) fn rewritten(text: &str) -> Option<String> {
    let text = text.trim();
    let is_closed =
        text.starts_with('{') && text.ends_with('}') || text.starts_with('[') && text.ends_with(']');
    if !is_closed {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut open: Vec<u8> = Vec::new();
    let mut expected = Expected::Value;
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..)?;
        let byte = rest.as_bytes()[0];
        if byte.is_ascii_whitespace() {
            at += rest.bytes().take_while(u8::is_ascii_whitespace).count();
            continue;
        }
        if expected == Expected::End {
            return None;
        }
        let in_object = open.last() == Some(&b'{');
        let end = match byte {
            b'/' => {
                let is_first = text[..at].trim_end_matches([' ', '\t']).ends_with('\n');
                at += comment(rest, is_first, &mut out)?;
                continue;
            }
            b'{' | b'[' if expected == Expected::Value => {
                open.push(byte);
                expected = if byte == b'{' { Expected::Key } else { Expected::Value };
                1
            }
            // Also right after an opening or a comma.
            b'}' if in_object && matches!(expected, Expected::Key | Expected::Comma) => {
                close(&mut open, &mut expected)
            }
            b']' if open.last() == Some(&b'[') && matches!(expected, Expected::Value | Expected::Comma) => {
                close(&mut open, &mut expected)
            }
            b':' if expected == Expected::Colon => {
                expected = Expected::Value;
                1
            }
            b',' if expected == Expected::Comma => {
                expected = if in_object { Expected::Key } else { Expected::Value };
                1
            }
            _ if matches!(expected, Expected::Key | Expected::Value) => {
                let end = if matches!(byte, b'"' | b'\'') { string(rest)? } else { word(rest)? };
                expected = if expected == Expected::Key { Expected::Colon } else { Expected::Comma };
                end
            }
            _ => return None,
        };
        out.push_str(rest.get(..end)?);
        at += end;
    }
    (expected == Expected::End).then_some(out)
}

/// The token that may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Key,
    Colon,
    Value,
    Comma,
    End,
}

fn close(open: &mut Vec<u8>, expected: &mut Expected) -> usize {
    open.pop();
    *expected = if open.is_empty() { Expected::End } else { Expected::Comma };
    1
}

/// Writes the comment that a text starts with, and returns its bytes. `is_first`: it begins its line.
fn comment(text: &str, is_first: bool, out: &mut String) -> Option<usize> {
    let end = json::comment_end(text.as_bytes(), 0)?;
    if !out.ends_with('\n') {
        out.push(if is_first { '\n' } else { ' ' });
    }
    out.push_str(text[..end].trim_end());
    if text.starts_with("//") {
        out.push('\n');
    }
    Some(end)
}

/// Bytes of a string; an escaped line end does not end it.
fn string(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = json::string_end(bytes, 0, *bytes.first()?)?;
    let is_broken = memchr::memchr_iter(b'\n', &bytes[..end]).any(|at| !json::is_escaped(&bytes[1..at]));
    (!is_broken).then_some(end)
}

/// Bytes of a number, a name or a word.
fn word(text: &str) -> Option<usize> {
    let is_part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '+' | '-');
    let end = text.chars().take_while(is_part).map(char::len_utf8).sum();
    (end > 0).then_some(end)
}
