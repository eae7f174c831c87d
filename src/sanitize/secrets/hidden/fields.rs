//! Names and values in separate fields: cells of HTML tables, `<dt>` and `<dd>`, `<key>` and `<string>`, dumps of
//! objects, tuples and hashes, and a member `"value"` beside the member that names it.
//!
//! Each such pair is written as `name: "value"`, and the rules are applied to that. It reads only around names of
//! secrets.

use super::beside;
use super::columns;
use super::lists;
use super::strings::{line, string};
use super::view::View;
use crate::sanitize::secrets::extent::is_strong;
use crate::sanitize::secrets::judge::{ByteSet, is_signed_password, skip, skip_back};
use crate::stop;
use std::ops::Range;

/// Longest name, and longest value, in bytes.
const MAX_NAME_BYTES: usize = 48;
const MAX_VALUE_BYTES: usize = 4 << 10;
/// Bytes that may be between two fields: blanks, line ends, opening tags.
const MAX_BETWEEN_BYTES: usize = 256;
/// Bytes between a name and the member that holds its value.
const MAX_APART_BYTES: usize = 48;
/// Bytes before a name that are searched for the start of its table row.
const MAX_ROW_BYTES: usize = 4 << 10;
/// Longest class name and access modifier after a name, in bytes.
const MAX_CLASS_BYTES: usize = 80;
/// Bytes of a table that are read.
const MAX_TABLE_BYTES: usize = 256 << 10;
/// Most cells of a row.
const MAX_COLUMNS: usize = 64;

const NAME: ByteSet = ByteSet::parse("a-zA-Z0-9_.-");
/// Bytes of names, with letters of other scripts, but not the signs that draw tables.
const REST: ByteSet = NAME.with_letters();
const BLANK: ByteSet = ByteSet::parse(" \t\r\n");
const QUOTE: ByteSet = ByteSet::parse("\"'");
const QUOTES: ByteSet = ByteSet::parse("\\\"'");
const DIGIT: ByteSet = ByteSet::parse("0-9");
const HEX: ByteSet = ByteSet::parse("0-9a-fA-F");

/// The text between an operator and a string that is the value: types and addresses that debuggers and dumps print.
const WRAPPERS: &[&str] = &[
    "Some(",
    "Ok(",
    "Just(",
    "Secret(",
    "SecretStr(",
    "SecretString(",
    "Password(",
    "String(",
    "str(",
    "Optional(",
    "&",
    "(string) ",
    "std::string ",
    "JSON.stringify(",
    "chr ",
    "L",
];
/// Members whose value is the name of another value.
const NAMING: &[&str] = &["name", "key", "Name", "Key", "NAME", "KEY", "id", "ParameterKey", "ParameterName"];
const VALUE: &str = "value";

/// The name that was judged last, and whether it has a value in another field: several keywords may be in one name.
#[derive(Debug, Default)]
pub(in crate::sanitize::secrets) struct Judged {
    name: Range<usize>,
    has_value: bool,
}

/// Whether the name around `hit` may be a field: a separator of fields is after or before it.
pub(in crate::sanitize::secrets) fn is_field(text: &[u8], hit: &Range<usize>, last: &mut Judged) -> bool {
    let end = skip(text, hit.end, NAME, MAX_NAME_BYTES);
    match text.get(end) {
        Some(b'<') => text.get(end + 1) == Some(&b'/'),
        Some(b')') => beside::asserted(text, &(hit.start..end)).is_some(),
        // `cat -A` marks the end of a line.
        Some(b'$') => text.get(end + 1) == Some(&b'\n'),
        None | Some(b':' | b'=' | b' ' | b'"' | b'\'' | b']' | b'\r' | b'\n' | b'(' | b',' | b'{') => {
            let start = skip_back(text, hit.start, NAME, MAX_NAME_BYTES);
            if last.name != (start..end) {
                *last = Judged { name: start..end, has_value: has_value(text, &(start..end)) };
            }
            last.has_value && !is_cell_of_table(text, hit, start, end)
        }
        _ => false,
    }
}

/// Whether a name is a cell between bars that `columns` reads: not in a long line, and not if letters follow the hit.
fn is_cell_of_table(text: &[u8], hit: &Range<usize>, start: usize, end: usize) -> bool {
    const PADDING: ByteSet = ByteSet::parse(" ");
    let before = skip_back(text, start, PADDING, MAX_BETWEEN_BYTES);
    text.get(skip(text, end, PADDING, MAX_BETWEEN_BYTES)) == Some(&b'|')
        && before.checked_sub(1).is_some_and(|before| text[before] == b'|')
        && columns::is_cell(text, hit)
        && is_in_short_line(text, hit)
}

/// Whether the line of a hit starts and ends near it.
fn is_in_short_line(text: &[u8], hit: &Range<usize>) -> bool {
    /// Bytes on each side. A choice: rows of tables are shorter, and `columns` reads far longer ones.
    const NEAR_BYTES: usize = 256;
    let before = &text[hit.start.saturating_sub(NEAR_BYTES)..hit.start];
    let after = &text[hit.end..text.len().min(hit.end + NEAR_BYTES)];
    let starts = before.len() < NEAR_BYTES || memchr::memrchr(b'\n', before).is_some();
    starts && (after.len() < NEAR_BYTES || memchr::memchr(b'\n', after).is_some())
}

/// One view of all pairs of the names of secrets at `names`, which are in order.
pub(super) fn view(text: &[u8], names: &[usize]) -> Option<View> {
    let mut view = View::default();
    let mut tables = Tables::default();
    let mut done = 0;
    for &at in names {
        stop::check_sometimes();
        let name = skip_back(text, at, NAME, MAX_NAME_BYTES)..name_end(text, at);
        if name.start < done || name.is_empty() {
            continue;
        }
        done = name.end;
        let value = if text[name.end..].starts_with(b"</") {
            tables.add(text, &name, &mut view);
            next_element(text, name.end)
        } else {
            value_of(text, &name)
        };
        if let Some(value) = value {
            let replacing = beside::replacing(text, &value);
            write(text, &name, value, &mut view);
            if let Some(value) = replacing {
                write(text, &name, value, &mut view);
            }
        }
        for value in lists::values(text, &name, skip(text, name.end, QUOTES, 4)) {
            stop::check_sometimes();
            write(text, &name, value, &mut view);
        }
    }
    (!view.bytes().is_empty()).then_some(view)
}

/// The end of a name; some have two words.
fn name_end(text: &[u8], at: usize) -> usize {
    const SECOND: &[&[u8]] = &[b" key", b" de passe", b" chiave"];
    let end = skip(text, at, REST, MAX_NAME_BYTES);
    let rest = &text[end..];
    let is_next = |word: &&&[u8]| rest.get(..word.len()).is_some_and(|next| next.eq_ignore_ascii_case(word));
    end + SECOND.iter().find(is_next).map_or(0, |word| word.len())
}

/// Writes a pair on a line of its own.
fn write(text: &[u8], name: &Range<usize>, value: Range<usize>, view: &mut View) {
    if value.is_empty() || value.len() > MAX_VALUE_BYTES {
        return;
    }
    let quote: &[u8] = if text[value.clone()].contains(&b'"') { b"'" } else { b"\"" };
    let here = value.start..value.start;
    view.stand(b"\n", here.clone());
    view.stand(&text[name.clone()], here.clone());
    // Two blanks, so that the pair is not read as a line of a settings file, in which plain words count as
    // passwords.
    view.stand(b":  ", here.clone());
    view.stand(quote, here);
    view.copy(text, value.clone());
    view.stand(quote, value.end..value.end);
}

/// Whether a name has a value, or a list of values.
fn has_value(text: &[u8], name: &Range<usize>) -> bool {
    value_of(text, name).is_some() || !lists::values(text, name, skip(text, name.end, QUOTES, 4)).is_empty()
}

/// The value of the name in `name`, unless the value directly follows the name, where other matchers find it.
fn value_of(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let closed = skip(text, name.end, QUOTE, 1);
    dumped(text, closed)
        .or_else(|| wrapped(text, closed))
        .or_else(|| paired(text, name, closed))
        .or_else(|| value_behind(text, name.end))
        .or_else(|| value_before(text, name.start))
        .or_else(|| beside::value_of(text, name, closed))
}

/// `["name"]=>⏎  string(4) "…"` of PHP.
fn dumped(text: &[u8], at: usize) -> Option<Range<usize>> {
    let near = text.get(at..text.len().min(at + MAX_CLASS_BYTES))?;
    // `["name":"Class":private]=>`
    let note = if near.starts_with(b":") { memchr::memmem::find(near, b"]=>")? } else { 0 };
    (near[note..].starts_with(b"]=>") && !near[..note].contains(&b'\n')).then_some(())?;
    let at = skip(text, at + note + 3, BLANK, MAX_BETWEEN_BYTES);
    let word = text.get(at..)?.strip_prefix(b"string(")?;
    let digits = skip(word, 0, DIGIT, 9);
    word[digits..].starts_with(b") ").then(|| string(text, at + 7 + digits + 2))?
}

/// The string after an operator and a wrapper, as in `: Some("…")` and ` = 0x55 "…"`.
fn wrapped(text: &[u8], at: usize) -> Option<Range<usize>> {
    let at = skip(text, at, BLANK, 4);
    matches!(text.get(at), Some(b':' | b'=')).then_some(())?;
    let first = skip(text, at + 1, BLANK, 4);
    let mut at = first;
    if text.get(at..)?.starts_with(b"0x") {
        let end = skip(text, at + 2, HEX, 16);
        at = skip(text, end, BLANK, 1);
        return (end > first + 2 && at > end).then(|| string(text, at))?;
    }
    // `Some(SecretString("…"))`
    for _ in 0..2 {
        const FIRST: ByteSet = ByteSet::first_of(WRAPPERS);
        if !text.get(at).is_some_and(|b| FIRST.has(*b)) {
            break;
        }
        let wrapper = WRAPPERS.iter().find(|wrapper| text[at..].starts_with(wrapper.as_bytes()));
        at += wrapper.map_or(0, |wrapper| wrapper.len());
    }
    if at > first {
        at = skip(text, at, BLANK, MAX_BETWEEN_BYTES);
    }
    if text[at..].starts_with(b"Optional[") && at == first && text[at - 1] == b'=' {
        return bracketed(text, at + b"Optional[".len());
    }
    if text[at..].starts_with(b"(len=") {
        let digits = skip(text, at + 5, DIGIT, 9);
        at = text[digits..].starts_with(b") ").then_some(digits + 2)?;
    }
    (at > first).then(|| string(text, at))?
}

/// The word in the brackets of `=Optional[…]` of Java. It must not be a type.
fn bracketed(text: &[u8], at: usize) -> Option<Range<usize>> {
    let near = &text[at..text.len().min(at + MAX_BETWEEN_BYTES)];
    let len = near.iter().position(|b| !b.is_ascii_graphic() || b"[]\"'".contains(b))?;
    let is_value = near[len] == b']' && (is_strong(&near[..len]) || is_signed_password(&near[..len]));
    is_value.then_some(at..at + len)
}

/// `"name"=>"…"` of Ruby, `[name] => …` of PHP, `('name', '…')` of Python.
fn paired(text: &[u8], name: &Range<usize>, closed: usize) -> Option<Range<usize>> {
    let before = |n: usize| name.start.checked_sub(n).map(|at| text[at]);
    let listed = before(1) == Some(b'[') && text.get(name.end) == Some(&b']');
    let at = skip(text, closed + usize::from(listed), BLANK, 4);
    if text.get(at..)?.starts_with(b"=>") {
        let at = skip(text, at + 2, BLANK, 4);
        return if listed { line(text, at) } else { string(text, at) };
    }
    let is_tuple = closed > name.end && before(1) == Some(text[name.end]) && before(2) == Some(b'(');
    (is_tuple && text.get(at) == Some(&b',')).then(|| string(text, skip(text, at + 1, BLANK, 4)))?
}

/// The value of the member `value` after the member whose value is the name that ends at `end`.
fn value_behind(text: &[u8], end: usize) -> Option<Range<usize>> {
    // `<property name="…"><value>…</value>`
    if text[end..].starts_with(b"\">") {
        let at = skip(text, end + 2, BLANK, MAX_APART_BYTES);
        let inside = at + b"<value>".len();
        text[at..].starts_with(b"<value>").then_some(())?;
        let len = memchr::memchr2(b'<', b'\n', &text[inside..text.len().min(inside + MAX_VALUE_BYTES)])?;
        return text[inside + len..].starts_with(b"</value>").then_some(inside..inside + len);
    }
    let at = skip(text, end, const { ByteSet::parse(" \t\r\n\"',+~-") }, MAX_APART_BYTES);
    let word = text.get(at..at + VALUE.len())?;
    (at > end && word.eq_ignore_ascii_case(VALUE.as_bytes())).then_some(())?;
    let closed = skip(text, at + VALUE.len(), const { ByteSet::parse("\"' \t") }, 24);
    matches!(text.get(closed), Some(b':' | b'=')).then_some(())?;
    let at = skip(text, closed + 1, BLANK, 4);
    string(text, at).or_else(|| line(text, at))
}

/// The value of the member `value` before the member whose value is the name at `name`.
fn value_before(text: &[u8], name: usize) -> Option<Range<usize>> {
    let before = |at: usize| &text[at.saturating_sub(MAX_BETWEEN_BYTES)..at];
    let trim = |bytes: &mut usize, set: ByteSet| *bytes = skip_back(text, *bytes, set, MAX_BETWEEN_BYTES);
    let mut at = name;
    let quoted = before(at).ends_with(b"\"");
    at -= usize::from(quoted);
    trim(&mut at, BLANK);
    before(at).ends_with(b":").then_some(())?;
    at -= 1;
    trim(&mut at, const { ByteSet::parse("\"' \t") });
    let key = NAMING.iter().find(|key| before(at).ends_with(key.as_bytes()))?;
    at -= key.len();
    if quoted {
        before(at).ends_with(b"\"").then_some(())?;
        trim(&mut at, const { ByteSet::parse("\"") });
        trim(&mut at, BLANK);
        before(at).ends_with(b",").then_some(())?;
        at -= 1;
        before(at).ends_with(b"\"").then_some(())?;
        let end = at - 1;
        let near = &text[end.saturating_sub(MAX_VALUE_BYTES)..end];
        let start = end - near.len() + memchr::memrchr(b'"', near)? + 1;
        let mut key = start - 1;
        trim(&mut key, BLANK);
        before(key).ends_with(b":").then_some(())?;
        key -= 1;
        trim(&mut key, const { ByteSet::parse("\" \t") });
        return is_value(before(key)).then_some(start..end);
    }
    // The line above, in YAML.
    let indent = at;
    trim(&mut at, const { ByteSet::parse(" \t") });
    (at < indent && before(at).ends_with(b"\n")).then_some(())?;
    let end = skip_back(text, at, const { ByteSet::parse("\r\n\"'") }, 4);
    let near = &text[end.saturating_sub(MAX_VALUE_BYTES)..end];
    let line = end - near.len() + memchr::memrchr(b'\n', near).map_or(0, |at| at + 1);
    let colon = line + memchr::memmem::find(&text[line..end], b": ")?;
    let start = skip(text, colon + 2, const { ByteSet::parse(" \"'") }, 16);
    (is_value(&text[line..colon]) && start < end).then_some(start..end)
}

/// Whether a text ends with the name of a value.
fn is_value(text: &[u8]) -> bool {
    let start = text.len().saturating_sub(VALUE.len());
    text[start..].eq_ignore_ascii_case(VALUE.as_bytes())
}

/// The text of the element after the one that ends at `at`.
fn next_element(text: &[u8], at: usize) -> Option<Range<usize>> {
    let near = &text[at..text.len().min(at + MAX_BETWEEN_BYTES)];
    let close = memchr::memchr(b'>', near)?;
    inner(text, at + close + 1)
}

/// The text after a run of opening tags, up to the next tag.
fn inner(text: &[u8], at: usize) -> Option<Range<usize>> {
    let limit = text.len().min(at + MAX_BETWEEN_BYTES);
    let (mut at, mut opened) = (skip(text, at, BLANK, MAX_BETWEEN_BYTES), false);
    // The number of the next line in a view of a file.
    let digits = skip(text, at, DIGIT, 6);
    let sign = ["\t", "→"].iter().find(|sign| digits > at && text[digits..].starts_with(sign.as_bytes()));
    at = sign.map_or(at, |sign| skip(text, digits + sign.len(), BLANK, MAX_BETWEEN_BYTES));
    while at < limit && text[at] == b'<' {
        // An empty element has no text, and the end of a row ends the field.
        let is_row = text[at..].starts_with(b"</tr") || text[at..].starts_with(b"<tr");
        if text.get(at + 1) == Some(&b'/') && opened || is_row {
            return None;
        }
        opened |= text.get(at + 1) != Some(&b'/');
        at += memchr::memchr(b'>', &text[at..limit])? + 1;
        at = skip(text, at, BLANK, MAX_BETWEEN_BYTES);
    }
    let end = at + memchr::memchr(b'<', &text[at..text.len().min(at + MAX_VALUE_BYTES)])?;
    let trimmed = skip_back(text, end, BLANK, end - at);
    (opened && at < trimmed).then_some(at..trimmed)
}

/// Tables of HTML whose heads hold names of secrets. Tags are read once, up to the last name.
#[derive(Default)]
struct Tables {
    /// Where reading continues.
    at: usize,
    /// The row that holds the last name; `None` outside one.
    row: Option<Row>,
    /// Whether the next row is the first of its table.
    opens: bool,
    /// Where the rows below the last head end.
    read: usize,
}

/// A row, up to the last name in it.
#[derive(Default)]
struct Row {
    /// Where it begins.
    start: usize,
    /// Cells up to here.
    cells: usize,
    /// Whether it holds heads: it is the first row of a table, or has a head cell.
    is_head: bool,
    /// The cells below it, row by row, if they were read.
    below: Option<Vec<Vec<Option<Range<usize>>>>>,
}

impl Tables {
    /// Writes the cells below the cell that holds a name.
    fn add(&mut self, text: &[u8], name: &Range<usize>, view: &mut View) {
        if !text[name.end..].starts_with(b"</t") {
            return;
        }
        self.read_up_to(text, name.start);
        let is_new = self.read <= name.start;
        // A name in another row is a value of that column.
        let Some(row) = self.row.as_mut().filter(|row| row.is_head && row.cells > 0) else { return };
        if row.below.is_none() && !is_new {
            return;
        }
        let below = row.below.get_or_insert_with(|| {
            let (rows, end) = rows_below(text, row.start);
            self.read = end;
            rows
        });
        for cell in below.iter().filter_map(|cells| cells.get(row.cells - 1)?.clone()) {
            stop::check_sometimes();
            write(text, name, cell, view);
        }
    }

    fn read_up_to(&mut self, text: &[u8], end: usize) {
        if end.saturating_sub(self.at) > MAX_ROW_BYTES {
            (self.at, self.row, self.opens) = (end - MAX_ROW_BYTES, None, false);
        }
        while let Some(tag) = memchr::memchr(b'<', &text[self.at..end]).map(|n| self.at + n) {
            stop::check_sometimes();
            self.at = tag + 1;
            let rest = &text[self.at..];
            if rest.starts_with(b"table") {
                self.opens = true;
            } else if rest.starts_with(b"tr") {
                let is_head = std::mem::take(&mut self.opens);
                self.row = Some(Row { start: tag, is_head, ..Row::default() });
            } else if let Some(row) = self.row.as_mut().filter(|_| is_cell(rest)) {
                row.cells += 1;
                row.is_head |= rest[1] == b'h';
            }
        }
        self.at = self.at.max(end);
    }
}

/// The cells of the rows after the one at `row`, and where the table ends or was left.
fn rows_below(text: &[u8], row: usize) -> (Vec<Vec<Option<Range<usize>>>>, usize) {
    let limit = text.len().min(row + MAX_TABLE_BYTES);
    let (mut rows, mut at) = (Vec::<Vec<_>>::new(), row + 3);
    while let Some(tag) = memchr::memchr(b'<', &text[at..limit]).map(|n| at + n) {
        stop::check_sometimes();
        at = tag + 1;
        let rest = &text[at..limit];
        if rest.starts_with(b"tr") {
            rows.push(Vec::new());
        } else if is_cell(rest) {
            if let Some(cells) = rows.last_mut().filter(|cells| cells.len() < MAX_COLUMNS) {
                cells.push(inner(text, tag));
            }
        } else if rest.starts_with(b"/table") {
            break;
        }
    }
    (rows, at)
}

/// Whether a tag begins a cell.
fn is_cell(tag: &[u8]) -> bool {
    matches!(tag, [b't', b'd' | b'h', b' ' | b'>' | b'\t' | b'\n', ..])
}
