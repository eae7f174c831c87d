//! Decoding: finds tables in a text and restores the minified JSON from which they were written.
//!
//! Text that does not match the grammar of tables is left as it is.

use super::super::scan;
use super::shape::{MAX_COLUMNS, Type, is_marker, string_end};
use super::write::{is_bare_key, is_number};

/// Most bytes of JSON that are written for texts that turn out not to be tables, as a multiple of the bytes of the
/// text. Bounds the work.
const MAX_WASTED_RATIO: usize = 8;

/// A column as a header names it.
struct Column<'a> {
    /// Keys as JSON strings.
    path: Vec<std::borrow::Cow<'a, str>>,
    /// `None` if the form of each cell gives its type.
    kind: Option<Type>,
}

/// A header.
struct Header<'a> {
    /// The number of rows, and whether there is also a row with a marker.
    count: usize,
    is_part: bool,
    lines: bool,
    columns: Vec<Column<'a>>,
    /// The start of the header, and of the rows.
    start: usize,
    end: usize,
}

/// The text with every table in it as the JSON that it was written from; `None` when it holds no table.
pub fn expand(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut done = 0;
    let mut from = 0;
    // Text that fails as a table is read again from its next line on, up to a limit.
    let mut failed = 0;
    while let Some(hit) = memchr::memmem::find(text.as_bytes().get(from..)?, b"]{") {
        let at = from + hit;
        from = at + 2;
        let Some(header) = header(text, at, done) else { continue };
        let mut json = String::new();
        let end = match rows(text, &header, &mut json) {
            Some(end) => end,
            None => {
                failed += json.len();
                if failed > text.len() * MAX_WASTED_RATIO + 4096 {
                    break;
                }
                continue;
            }
        };
        let line = text[..header.start].rfind('\n').map_or(0, |at| at + 1);
        let inside = !text[line.max(done)..header.start].trim().is_empty();
        out.push_str(&text[done..header.start]);
        out.push_str(&json);
        // After a table inside a document the document continues, on a line of its own.
        let ended = end > 0 && text.as_bytes()[end - 1] == b'\n';
        if ended && !inside {
            out.push('\n');
        }
        done = end;
        from = end;
    }
    if done == 0 {
        return None;
    }
    out.push_str(&text[done..]);
    Some(out)
}

/// The header whose `]{` is at `at` and that starts no earlier than `from`.
fn header(text: &str, at: usize, from: usize) -> Option<Header<'_>> {
    let head = &text[from..at];
    let (lines, number) = match head.strip_suffix(" lines") {
        Some(number) => (true, number),
        None => (false, head),
    };
    let (mut rest, mut count) = last_number(number)?;
    let mut all = None;
    if let Some(shown) = rest.strip_suffix(" of ") {
        all = Some(count);
        (rest, count) = last_number(shown)?;
    }
    let start = rest.len().checked_sub(1).filter(|_| rest.ends_with('['))?;
    if all.is_some_and(|all| all < count) {
        return None;
    }
    let (columns, end) = columns(text, at + 2)?;
    Some(Header { count, is_part: all.is_some(), lines, columns, start: from + start, end })
}

/// The number without leading zeros at the end of a text, and the text before it.
fn last_number(text: &str) -> Option<(&str, usize)> {
    let digits = text.len() - text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (before, number) = text.split_at(digits);
    Some((before, number.parse().ok().filter(|_| !number.starts_with('0'))?))
}

/// The columns of a header, up to the end of its line.
fn columns(text: &str, at: usize) -> Option<(Vec<Column<'_>>, usize)> {
    let bytes = text.as_bytes();
    let mut columns: Vec<Column<'_>> = Vec::new();
    let mut at = at;
    loop {
        let mut path = Vec::new();
        loop {
            let end = match bytes.get(at)? {
                b'"' => string_end(bytes, at),
                _ => {
                    at + bytes[at..]
                        .iter()
                        .take_while(|b| is_bare_key(char::from(**b).encode_utf8(&mut [0; 4])))
                        .count()
                }
            };
            let key = text.get(at..end)?;
            path.push(match key.strip_prefix('"') {
                Some(_) if is_string(key) => key.into(),
                None if is_bare_key(key) => format!("\"{key}\"").into(),
                _ => return None,
            });
            at = end;
            if bytes.get(at)? != &b'.' {
                break;
            }
            at += 1;
        }
        let mut kind = None;
        if bytes.get(at)? == &b':' {
            let rest = text.get(at + 1..)?;
            let name = &rest[..rest.bytes().take_while(u8::is_ascii_lowercase).count()];
            kind = Some(Type::ALL.into_iter().find(|kind| kind.name() == name)?);
            at += 1 + name.len();
        }
        columns.push(Column { path, kind });
        match bytes.get(at)? {
            b',' if columns.len() < MAX_COLUMNS => at += 1,
            b'}' => break,
            _ => return None,
        }
    }
    let typed = columns.iter().filter(|column| column.kind.is_some()).count();
    let end = match (typed, text.get(at..)?) {
        (0, rest) if rest.starts_with("}:\n") => at + 3,
        (typed, rest) if typed == columns.len() && rest.starts_with("}\n") => at + 2,
        _ => return None,
    };
    is_order(&columns).then_some((columns, end))
}

fn is_string(text: &str) -> bool {
    scan::minify(text, 0, &mut String::new(), &[]) == Ok(text.len())
}

/// Whether no path occurs twice and columns with a common start of their paths are adjacent.
fn is_order(columns: &[Column<'_>]) -> bool {
    columns.iter().enumerate().all(|(i, column)| {
        let before = &columns[..i];
        (1..=column.path.len()).all(|length| {
            let prefix = &column.path[..length];
            let shares = |other: &&Column<'_>| other.path.starts_with(prefix);
            let last = before.last().is_some_and(|last| last.path.starts_with(prefix));
            let known = before.iter().any(|other| shares(&other));
            if length == column.path.len() { !known } else { known == last }
        })
    })
}

/// Reads the rows of a table and writes them as JSON; returns the offset after them.
fn rows(text: &str, header: &Header<'_>, out: &mut String) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = header.end;
    let count = header.count + usize::from(header.is_part);
    let mut has_marker = false;
    for row in 0..count {
        out.push_str(match (row, header.lines) {
            (0, true) => "",
            (0, false) => "[",
            (_, true) => "\n",
            (_, false) => ",",
        });
        let is_marker = is_marker(text.get(at..)?);
        // After all objects only the marker can follow.
        if header.is_part && (is_marker && has_marker || !is_marker && !has_marker && row + 1 == count) {
            return None;
        }
        has_marker |= is_marker;
        if is_marker || bytes.get(at)? == &b'{' {
            at = scan::minify(text, at, out, &[]).ok()?;
            at += usize::from(bytes.get(at) == Some(&b','));
        } else {
            at = self::row(text, at, &header.columns, out)?;
        }
        match bytes.get(at) {
            Some(b'\n') => at += 1,
            None if row + 1 == count => {}
            _ => return None,
        }
    }
    if !header.lines {
        out.push(']');
    }
    Some(at)
}

/// Reads one row of cells.
fn row(text: &str, at: usize, columns: &[Column<'_>], out: &mut String) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = at;
    // The open objects, and whether the last member was written directly in the innermost one.
    let mut open: &[std::borrow::Cow<'_, str>] = &[];
    let mut last: &[std::borrow::Cow<'_, str>] = &[];
    out.push('{');
    for (i, column) in columns.iter().enumerate() {
        if i > 0 {
            if bytes.get(at) != Some(&b',') {
                return None;
            }
            at += 1;
        }
        let (end, value) = cell(text, at, column.kind)?;
        at = end;
        let Some(value) = value else { continue };
        let folder = &column.path[..column.path.len() - 1];
        // A value and members cannot both are at one path.
        if !last.is_empty() && last.len() <= folder.len() && folder.starts_with(last) {
            return None;
        }
        let common = open.iter().zip(folder).take_while(|(a, b)| a == b).count();
        out.extend(std::iter::repeat_n('}', open.len() - common));
        if !out.ends_with('{') {
            out.push(',');
        }
        for key in &folder[common..] {
            out.push_str(key);
            out.push_str(":{");
        }
        out.push_str(column.path.last()?);
        out.push(':');
        out.push_str(&value);
        open = folder;
        last = &column.path;
    }
    out.extend(std::iter::repeat_n('}', open.len() + 1));
    Some(at)
}

/// Reads the cell at `at`: the offset after it, and its value as JSON unless it is missing.
#[allow(clippy::type_complexity)]
fn cell(text: &str, at: usize, kind: Option<Type>) -> Option<(usize, Option<String>)> {
    let bytes = text.as_bytes();
    match bytes.get(at) {
        None | Some(b',' | b'\n') => return Some((at, None)),
        Some(b'"') if matches!(kind, None | Some(Type::String)) => {
            let (end, value) = quoted(text, at)?;
            return Some((end, Some(value)));
        }
        Some(b'"') => return None,
        Some(b'[' | b'{') if matches!(kind, None | Some(Type::Json)) => {
            let mut value = String::new();
            let end = scan::minify(text, at, &mut value, &[]).ok()?;
            return Some((end, Some(value)));
        }
        _ => {}
    }
    let rest = text.get(at..)?;
    let end = memchr::memchr2(b',', b'\n', rest.as_bytes()).unwrap_or(rest.len());
    let word = &rest[..end];
    let is_plain = match kind {
        _ if word == "null" => true,
        Some(Type::Int) => is_number(word) == Some(Type::Int),
        Some(Type::Float) => is_number(word).is_some(),
        Some(Type::Bool) => matches!(word, "true" | "false"),
        Some(Type::String) => false,
        Some(Type::Null | Type::Json) => return None,
        None => matches!(word, "true" | "false") || is_number(word).is_some(),
    };
    let is_text = matches!(kind, None | Some(Type::String));
    match is_plain {
        true => Some((at + end, Some(word.to_owned()))),
        false if is_text => Some((at + end, Some(literal(word)))),
        false => None,
    }
}

/// Reads a quoted cell.
fn quoted(text: &str, at: usize) -> Option<(usize, String)> {
    let mut value = String::new();
    let mut at = at + 1;
    loop {
        let end = at + memchr::memchr(b'"', text.as_bytes().get(at..)?)?;
        value.push_str(&text[at..end]);
        at = end + 1;
        if text.as_bytes().get(at) != Some(&b'"') {
            return Some((at, literal(&value)));
        }
        value.push('"');
        at += 1;
    }
}

/// A text as a JSON string.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Whether the whole text is JSON or NDJSON that holds tables.
pub fn is_own(text: &str) -> bool {
    let head = text.lines().next().unwrap_or_default();
    if !head.starts_with(['[', '{']) || !head.contains("]{") || !head.ends_with(['}', ':']) {
        return false;
    }
    let Some(json) = expand(text) else { return false };
    let mut at = 0;
    while at < json.len() {
        match scan::minify(&json, at, &mut String::new(), &[]) {
            Ok(end) => at = end + json[end..].bytes().take_while(u8::is_ascii_whitespace).count(),
            Err(_) => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_become_what_they_were() {
        for (text, json) in [
            ("[2]{id:int,path:string}\n1,a\n2,\n", "[{\"id\":1,\"path\":\"a\"},{\"id\":2}]\n"),
            (
                "[2]{id,path}:\n1,\"2\"\nnull,\"\"\n",
                "[{\"id\":1,\"path\":\"2\"},{\"id\":null,\"path\":\"\"}]\n",
            ),
            ("[1]{a.b:int,a.c:json}\n1,[1,\"x, y\"]", "[{\"a\":{\"b\":1,\"c\":[1,\"x, y\"]}}]"),
            ("[2 lines]{a:float}\n1.50\n{\"a\": \"failed\"},\n", "{\"a\":1.50}\n{\"a\":\"failed\"}\n"),
            (
                "HTTP/1.1 200 OK\n\n{\"n\":1,\"items\":[1]{a:bool}\ntrue\n,\"b\":[1]{a:null}\nnull\n}\nend\n",
                "HTTP/1.1 200 OK\n\n{\"n\":1,\"items\":[{\"a\":true}],\"b\":[{\"a\":null}]}\nend\n",
            ),
            (
                "[2]{a:null,a.x:int,b:int}\nnull,,1\n,7,2\n",
                "[{\"a\":null,\"b\":1},{\"a\":{\"x\":7},\"b\":2}]\n",
            ),
            (
                "[2]{a:string}\n\"[tersed#123abc: omitted 2 of 3 items, array_items]\"\n{\"a\":\"[tersed, no\"}\n",
                "[\"[tersed#123abc: omitted 2 of 3 items, array_items]\",{\"a\":\"[tersed, no\"}]\n",
            ),
            (
                "[1 of 1]{a:string}\nx\n\"[tersed: omitted 2 of 3 members, empty_members]\"\n",
                "[{\"a\":\"x\"},\"[tersed: omitted 2 of 3 members, empty_members]\"]\n",
            ),
            (
                "[1 of 3]{a:string}\nx\n\"[tersed#123abc: omitted 2 of 3 items, array_items]\"\n",
                "[{\"a\":\"x\"},\"[tersed#123abc: omitted 2 of 3 items, array_items]\"]\n",
            ),
            ("[1]{a:string}\n\"two\nlines \"\"q\"\"\"\n", "[{\"a\":\"two\\nlines \\\"q\\\"\"}]\n"),
        ] {
            assert_eq!(expand(text).as_deref(), Some(json), "{text}");
        }
    }

    #[test]
    fn what_is_no_table_stays() {
        for text in [
            "",
            "let a = [3]{id:int}",
            "[2]{id:int}\n1\n",
            "[2]{id:int}\n1\nx\n",
            "[2 of 5]{id:int}\n1\n2\n3\n",
            "[2 of 1]{id:int}\n1\n2\n\"[tersed: omitted 2 of 4 items, array_items]\"\n",
            "[02 of 5]{id:int}\n1\n2\n\"[tersed: omitted 3 of 5 items, array_items]\"\n",
            "[1]{id:int}\n1,2\n",
            "[0]{id:int}\n",
            "[01]{id:int}\n1\n",
            "[1]{id:int,id:int}\n1,2\n",
            "[1]{a.x:int,b:int,a.y:int}\n1,2,3\n",
            "[1]{id:int,path}\n1,2\n",
            "[1]{id:number}\n1\n",
            "[1]{a:null,a.x:int}\nnull,7\n",
            "[1]{a b:int}\n1\n",
        ] {
            assert_eq!(expand(text), None, "{text}");
        }
    }
}
