//! Writes a table: its header and its rows. `protocol/spec.md` has the grammar; `read` decodes it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::shape::{Column, Shape, Type, is_marker};

/// How the types of the cells are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `[3]{id:int,path:string}`: the header gives the types, and text may look like a number.
    Typed,
    /// `[3]{id,path}:`: the form of a cell gives its type; text that looks like another type is quoted.
    Bare,
}

/// The JSON of rows that are written verbatim, by the address of the row in memory.
pub type Verbatim = BTreeMap<usize, String>;

/// The address of a row, to look it up among the verbatim ones.
pub fn place(row: &str) -> usize {
    row.as_ptr() as usize
}

/// Writes the first `count` rows as a table, or all of them; every line ends with a line end. `lines` says that the
/// rows are lines of NDJSON, not items of an array. If one of them is a marker, the header gives the number of shown
/// objects and the number of all items.
pub fn table(shape: &Shape<'_>, form: Form, lines: bool, verbatim: &Verbatim, count: usize) -> String {
    let count = count.min(shape.rows.len());
    let lines = if lines { " lines" } else { "" };
    let mut out = match shape.all {
        Some(all) => format!("[{} of {all}{lines}]{{", shape.rows.len() - 1),
        None => format!("[{count}{lines}]{{"),
    };
    for (i, column) in shape.columns.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_column(column, form, &mut out);
    }
    out.push_str(if form == Form::Typed { "}\n" } else { "}:\n" });
    for row in 0..count {
        let start = out.len();
        let given = verbatim.get(&place(shape.rows[row]));
        // An empty line, a line with a brace and a marker would be read as something else.
        let fits = given.is_none() && !is_marker(shape.rows[row]) && cells(shape, form, row, &mut out);
        if !fits || out[start..].is_empty() || out[start..].starts_with('{') || is_marker(&out[start..]) {
            out.truncate(start);
            out.push_str(given.map_or(shape.rows[row], String::as_str));
        }
        out.push('\n');
    }
    out
}

fn write_column(column: &Column<'_>, form: Form, out: &mut String) {
    for (i, key) in column.path.iter().enumerate() {
        if i > 0 {
            out.push('.');
        }
        let inner = key.get(1..key.len() - 1).unwrap_or_default();
        out.push_str(if is_bare_key(inner) { inner } else { key });
    }
    if form == Form::Typed {
        out.push(':');
        out.push_str(column.kind.name());
    }
}

/// Whether a key needs no quotes in a header.
pub fn is_bare_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-$@/".contains(&b))
}

/// Writes the cells of a row; returns false if one of them cannot be written.
fn cells(shape: &Shape<'_>, form: Form, row: usize, out: &mut String) -> bool {
    let mut column = 0;
    for &(place, value) in shape.cells(row) {
        while column < place {
            out.push(',');
            column += 1;
        }
        if !value.starts_with('"') {
            out.push_str(value);
            continue;
        }
        let Some(text) = decode(value) else { return false };
        write_text(&text, form, out);
    }
    out.extend(std::iter::repeat_n(',', shape.columns.len() - 1 - column));
    true
}

fn write_text(text: &str, form: Form, out: &mut String) {
    if !is_quoted(text, form) {
        out.push_str(text);
        return;
    }
    out.push('"');
    for (i, piece) in text.split('"').enumerate() {
        if i > 0 {
            out.push_str("\"\"");
        }
        out.push_str(piece);
    }
    out.push('"');
}

/// Whether a text needs quotes in a cell.
fn is_quoted(text: &str, form: Form) -> bool {
    let bytes = text.as_bytes();
    let blank = |b: Option<&u8>| matches!(b, Some(b' ' | b'\t'));
    text.is_empty()
        || text == "null"
        || blank(bytes.first())
        || blank(bytes.last())
        || bytes[0] == b'{'
        || bytes.iter().any(|b| matches!(b, b',' | b'"' | b'\n'))
        || form == Form::Bare
            && (matches!(text, "true" | "false") || bytes[0] == b'[' || is_number(text).is_some())
}

/// Parses a number by the grammar of JSON; returns whether it is an integer or a float.
pub fn is_number(text: &str) -> Option<Type> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let whole = digits(unsigned);
    if whole == 0 || whole > 1 && unsigned.starts_with('0') {
        return None;
    }
    let mut rest = &unsigned[whole..];
    if rest.is_empty() {
        return Some(Type::Int);
    }
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = digits(fraction);
        rest = Some(&fraction[length..]).filter(|_| length > 0)?;
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        rest = Some(&exponent[digits(exponent)..]).filter(|_| digits(exponent) > 0)?;
    }
    rest.is_empty().then_some(Type::Float)
}

/// The text of a JSON string; `None` if it contains characters that the safe stage removes, such as control
/// characters, or that look like other characters.
fn decode(literal: &str) -> Option<Cow<'_, str>> {
    let inner = literal.get(1..literal.len().checked_sub(1)?)?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = *rest.as_bytes().get(at + 1)?;
        rest = rest.get(at + 2..)?;
        match escape {
            b'"' | b'\\' | b'/' => out.push(char::from(escape)),
            b'n' => out.push('\n'),
            b't' => out.push('\t'),
            b'u' => {
                let mut unit = || {
                    let hex = rest.get(..4)?;
                    let unit = u16::from_str_radix(hex, 16).ok()?;
                    rest = &rest[4..];
                    Some(unit)
                };
                let mut units = vec![unit()?];
                if (0xd800..0xdc00).contains(&units[0]) {
                    rest = rest.strip_prefix("\\u")?;
                    let hex = rest.get(..4)?;
                    units.push(u16::from_str_radix(hex, 16).ok()?);
                    rest = &rest[4..];
                }
                let c = char::decode_utf16(units).next()?.ok()?;
                out.push(Some(c).filter(|c| is_plain(*c))?);
            }
            _ => return None,
        }
    }
    out.push_str(rest);
    Some(Cow::Owned(out))
}

/// Whether an escaped character can be shown unescaped and still be recognized.
fn is_plain(c: char) -> bool {
    c.is_alphanumeric()
        || "<>&'=+".contains(c)
        || ('\u{a1}'..='\u{bf}').contains(&c) && c != '\u{ad}'
        || ('\u{2010}'..='\u{2027}').contains(&c)
        || ('\u{20a0}'..='\u{2bff}').contains(&c)
        || ('\u{1f300}'..='\u{1faff}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::super::shape::objects;
    use super::*;

    fn written(text: &str, form: Form) -> String {
        let shape = Shape::read(objects(text, 0).unwrap().0).unwrap();
        table(&shape, form, false, &Verbatim::new(), usize::MAX)
    }

    #[test]
    fn the_published_form() {
        let text = r#"[{"id":1,"status":"passed","path":"src/a.rs"},{"id":2,"status":"failed","path":"src/b.rs"},{"id":3,"status":"passed","path":"src/c.rs"}]"#;
        let expected = "[3]{id:int,status:string,path:string}\n1,passed,src/a.rs\n2,failed,src/b.rs\n3,passed,src/c.rs\n";
        assert_eq!(written(text, Form::Typed), expected);
        let bare = expected.replace("{id:int,status:string,path:string}", "{id,status,path}:");
        assert_eq!(written(text, Form::Bare), bare);
    }

    #[test]
    fn null_missing_and_empty_are_told_apart() {
        let text = r#"[{"a":null,"b":1},{"b":2},{"a":"","b":3},{"a":"null","b":4},{"a":"x"},{}]"#;
        let rows = "null,1\n,2\n\"\",3\n\"null\",4\nx,\n,\n";
        assert_eq!(written(text, Form::Typed), format!("[6]{{a:string,b:int}}\n{rows}"));
    }

    #[test]
    fn cells_and_keys_are_quoted_where_they_must_be() {
        let text = r#"[{"a.b":"x,y","c d":{"ü":"say \"hi\""},"n":"10"},{"a.b":" x","c d":{"ü":"two\nlines"},"n":"true"}]"#;
        assert_eq!(
            written(text, Form::Typed),
            "[2]{\"a.b\":string,\"c d\".\"ü\":string,n:string}\n\"x,y\",\"say \"\"hi\"\"\",10\n\" x\",\"two\nlines\",true\n"
        );
        assert!(written(text, Form::Bare).ends_with(",\"true\"\n"));
    }

    #[test]
    fn what_the_safe_stage_would_take_out_stays_escaped() {
        for odd in [r"\u001b[31m", r"\u202e", r"\ud800", r"\r", r"\b", r"\u005btersed"] {
            let row = format!("{{\"a\":\"{odd}\"}}");
            assert_eq!(written(&format!("[{row}]"), Form::Typed), format!("[1]{{a:string}}\n{row}\n"));
        }
        assert_eq!(written(r#"[{"a":"\u00e9\ud83d\ude00\u003c\/"}]"#, Form::Typed), "[1]{a:string}\né😀</\n");
    }

    #[test]
    fn numbers_are_known_by_the_grammar() {
        for text in ["0", "-0", "12", "-3"] {
            assert_eq!(is_number(text), Some(Type::Int), "{text}");
        }
        for text in ["1.50", "1e400", "-0.0E-3"] {
            assert_eq!(is_number(text), Some(Type::Float), "{text}");
        }
        for text in ["", "-", "01", "1.", ".5", "1e", "+1", "1x", "0x1"] {
            assert_eq!(is_number(text), None, "{text}");
        }
    }
}
