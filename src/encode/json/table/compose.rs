//! JSON with arrays of objects as tables, if that is clearly cheaper: in the form with types, or in the form without
//! types if that is more than a tenth cheaper.

use super::shape::{Shape, is_marker, objects, string_end};
use super::write::{Form, Verbatim, place, table};
use crate::formats::json::value_end;
use crate::text::reason::Reason;
use crate::tokens::TokenCounter;

/// Fewest rows of a table.
pub const MIN_ROWS: usize = 3;
/// Fewest rows of a table of NDJSON: a few lines of a log are easier to read as they are.
pub const MIN_LINES: usize = 6;
/// Most times that a document is read again for tables that it does not have. Bounds the work.
const MAX_REREADS: usize = 4;
/// Bytes of rows on which the two forms are compared: the rows of one table are alike.
const SAMPLE_BYTES: usize = 64 << 10;

/// A document with tables.
#[derive(Debug)]
pub struct Composed<'a> {
    /// The text, without a line end.
    pub text: String,
    /// The rows that are in tables, as they are written in the JSON, in order.
    pub rows: Vec<&'a str>,
}

/// Writes a minified document with tables, or gives the reason why it has none.
pub fn document<'a>(
    text: &'a str,
    verbatim: &Verbatim,
    counter: &dyn TokenCounter,
) -> Result<Composed<'a>, Reason> {
    let bytes = text.as_bytes();
    let mut out = Composed { text: String::new(), rows: Vec::new() };
    let (mut done, mut at, mut failed) = (0, 0, 0);
    let mut why = Reason::NothingToDo;
    while let Some(hit) = memchr::memchr2(b'"', b'[', bytes.get(at..).unwrap_or_default()) {
        at += hit;
        if bytes[at] == b'"' {
            at = string_end(bytes, at);
            continue;
        }
        let item = text.get(at + 1..).unwrap_or_default();
        if !item.starts_with('{') && !is_marker(item) || failed > text.len().saturating_mul(MAX_REREADS) {
            at += 1;
            continue;
        }
        let found = objects(text, at).ok_or(Reason::MixedItems).and_then(|(rows, end)| {
            rows_as_table(rows, false, end - at, verbatim, counter).map(|found| (found, end))
        });
        match found {
            Ok(((table, rows), end)) => {
                out.text.push_str(&text[done..at]);
                out.text.push_str(&table);
                out.rows.extend(rows);
                done = end;
                at = end;
            }
            Err(reason) => {
                why = why.max_of(reason);
                failed += value_end(bytes, at).end - at;
                at += 1;
            }
        }
    }
    if done == 0 {
        return Err(why);
    }
    match &text[done..] {
        // The line end belongs to the line, and the document ends here.
        "" => drop(out.text.pop()),
        rest => out.text.push_str(rest),
    }
    Ok(out)
}

/// Writes the lines of NDJSON as a table.
pub fn lines<'a>(
    rows: Vec<&'a str>,
    verbatim: &Verbatim,
    counter: &dyn TokenCounter,
) -> Result<Composed<'a>, Reason> {
    let bytes = rows.iter().map(|row| row.len() + 1).sum();
    let (mut text, rows) = rows_as_table(rows, true, bytes, verbatim, counter)?;
    text.pop();
    Ok(Composed { text, rows })
}

/// The cheaper table of some objects, and the objects; an error if they are cheaper as JSON.
fn rows_as_table<'a>(
    rows: Vec<&'a str>,
    lines: bool,
    bytes: usize,
    verbatim: &Verbatim,
    counter: &dyn TokenCounter,
) -> Result<(String, Vec<&'a str>), Reason> {
    if rows.iter().filter(|row| !is_marker(row)).count() < MIN_ROWS {
        return Err(Reason::FewItems);
    }
    let shape = Shape::read(rows)?;
    if shape.columns.is_empty() {
        return Err(Reason::MixedItems);
    }
    let mut sample = 0;
    let few = shape.rows.iter().take_while(|row| {
        sample += row.len();
        sample <= SAMPLE_BYTES
    });
    let few = few.count().max(MIN_ROWS);
    // The JSON form has a separator after each row. In the table, a row that is kept verbatim is longer than the
    // row itself.
    let mut plain = String::new();
    for row in shape.rows.iter().take(few) {
        plain.push_str(row);
        plain.push(if lines { '\n' } else { ',' });
    }
    if !lines {
        plain.insert(0, '[');
        plain.pop();
        plain.push(']');
    }
    let write = |form| {
        let text = table(&shape, form, lines, verbatim, few);
        (counter.count(&text), form, text)
    };
    let (typed, bare) = (write(Form::Typed), write(Form::Bare));
    // Using one form everywhere is worth a few tokens of a header.
    let (tokens, form, text) = if bare.0 + typed.0 / 10 < typed.0 { bare } else { typed };
    let json = counter.count(&plain);
    if tokens + json / 20 >= json {
        return Err(Reason::NotPaying);
    }
    let text = match few < shape.rows.len() {
        true => table(&shape, form, lines, verbatim, usize::MAX),
        false => text,
    };
    match text.len() < bytes {
        true => Ok((text, shape.rows)),
        false => Err(Reason::NotPaying),
    }
}

impl<'a> Composed<'a> {
    /// The row that contains a byte, by their addresses in memory.
    pub fn row_at(&self, byte: usize) -> Option<&'a str> {
        self.rows.iter().copied().find(|row| (place(row)..place(row) + row.len()).contains(&byte))
    }
}
