//! Tables: CSV, the tables of databases and of Markdown, text in columns. A cell under the name of a secret is its
//! value.
//!
//! Each such cell is written as `name: "cell"`, and the rules judge that. It reads only below lines with the name of
//! a secret as a cell, and after the columns of an SQL statement with such a name.

use super::logged::prefix;
use super::view::{View, blanks, line_end, line_start, table};
use crate::sanitize::secrets::PLACEHOLDER;
use crate::sanitize::secrets::judge::is_word;
use crate::stop;
use std::ops::Range;

/// Longest line of a table, in bytes.
const MAX_LINE_BYTES: usize = 4 << 10;
/// Shorter cells, in bytes, are not secrets: no rule for names accepts a shorter value.
const MIN_VALUE_BYTES: usize = 4;
/// Longest name of a column.
const MAX_NAME_BYTES: usize = 48;
/// Most columns of a line that are examined. Bounds the work.
const MAX_COLUMNS: usize = 64;

/// The text between the cells of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Byte(u8),
    /// `|`, or a box-drawing character like it.
    Bar,
    /// Two blanks or more.
    Blanks,
}

const BARS: &[&[u8]] = &[b"|", "│".as_bytes(), "┃".as_bytes(), "║".as_bytes()];

/// Whether the name around `hit` may be a cell: a separator of cells follows it.
pub(in crate::sanitize::secrets) fn is_cell(text: &[u8], hit: &Range<usize>) -> bool {
    const INSIDE: [bool; 256] = table(b"_-)\"'*`");
    let rest = &text[hit.end..text.len().min(hit.end + MAX_NAME_BYTES)];
    let name = rest.iter().position(|b| !INSIDE[usize::from(*b)]).unwrap_or(rest.len());
    match rest.get(name..).unwrap_or_default() {
        [] => hit.end + name >= text.len(),
        [b',' | b';' | b'\t' | b'\r' | b'\n' | b'|', ..] | [b' ', b' ' | b'|', ..] | [0xe2, ..] => true,
        [b' ', 0xe2, ..] | [b' ', b'\n', ..] | [b'$', b'\n', ..] => true,
        // The last column of a statement.
        _ => rest[..name].contains(&b')'),
    }
}

/// The line of the name that holds `hit`, if it is a cell with others on both sides. Its value is a cell too, so
/// text in front of the line cannot hide it.
pub(in crate::sanitize::secrets) fn barred(text: &[u8], hit: &Range<usize>) -> Option<Range<usize>> {
    let around = |b: &u8| b.is_ascii_alphanumeric() || b"_-. *`".contains(b);
    let before = &text[hit.start.saturating_sub(MAX_NAME_BYTES)..hit.start];
    let behind = &text[hit.end..text.len().min(hit.end + MAX_NAME_BYTES)];
    let opens = before.iter().rposition(|b| !around(b)).is_some_and(|at| before[at] == b'|');
    let closes = behind.iter().position(|b| !around(b)).is_some_and(|at| behind[at] == b'|');
    if !opens || !closes {
        return None;
    }
    let start = line_start(text, hit.start, MAX_LINE_BYTES);
    let near = &text[..text.len().min(hit.end + MAX_LINE_BYTES)];
    Some(start..near.len().min(line_end(near, hit.end) + 1))
}

/// One view of all cells that belong to the names of secrets at `heads`, which are in order.
pub(super) fn view(text: &[u8], heads: &[usize]) -> Option<View> {
    let mut view = View::default();
    let (mut done, mut table, mut stated, mut spent) = (0, 0, 0, 0);
    for (next, &at) in heads.iter().enumerate() {
        stop::tick();
        if at >= stated {
            stated =
                statement(text, &heads[next..], &mut spent, &mut view).unwrap_or_else(|| line_end(text, at));
        }
        if at < done {
            continue;
        }
        let end = line_end(text, at);
        let start = at
            - text[at.saturating_sub(MAX_LINE_BYTES)..at].iter().rev().take_while(|b| **b != b'\n').count();
        done = end;
        if end - start > MAX_LINE_BYTES || start >= end {
            continue;
        }
        let start = string_start(text, start..at);
        let heads_here: Vec<usize> = heads[heads.partition_point(|h| *h < start)..]
            .iter()
            .copied()
            .take_while(|h| *h < end)
            .take(MAX_COLUMNS)
            .collect();
        let Some(cut) = cut(&text[start..end]) else { continue };
        let cells = cells(text, start..end, cut);
        if cells.iter().filter(|c| !c.is_empty()).count() < 2 {
            continue;
        }
        let telling: Vec<usize> = (0..cells.len())
            .filter(|&i| heads_here.iter().any(|h| cells[i].contains(h)) && is_name(&text[cells[i].clone()]))
            .collect();
        if cut != Cut::Bar || !continued(text, end, &cells, &telling, &mut view) {
            pairs(text, &cells, &telling, cut, &mut view);
        }
        let heads = cells.iter().all(|cell| cell.is_empty() || is_name(&text[cell.clone()]));
        if start >= table && heads {
            // Text that a tool puts before a line is not part of a head; the lines are also read without that text.
            let is_named = |cell: &&usize| **cell > 0 || prefix(&text[start..end], false) == 0;
            let telling: Vec<usize> = telling.iter().filter(is_named).copied().collect();
            table = rows(text, start..end, &cells, &telling, cut, &mut view);
        }
    }
    (!view.bytes().is_empty()).then_some(view)
}

/// Bytes from the start of a statement of SQL to the first telling column, and from there to the last column.
const MAX_COLUMNS_BYTES: usize = 1 << 10;
/// Bytes of the rows of a statement that are read.
const MAX_ROWS_BYTES: usize = 256 << 10;
/// Bytes that are read after unclosed rows have cost as many bytes as the text has. Otherwise many such rows would
/// take quadratic time.
const MAX_LATER_ROWS_BYTES: usize = 512;

/// `INSERT INTO t (id, password) VALUES (1, '…'), …` and `COPY t (id, password) FROM stdin;` around the first of `heads`: where
/// the rows end. `spent` are the bytes that were read for rows that never closed.
fn statement(text: &[u8], heads: &[usize], spent: &mut usize, view: &mut View) -> Option<usize> {
    const NAMES: [bool; 256] = table(b"_ ,\"'`[].\n\t\r");
    let at = *heads.first()?;
    let near = &text[at.saturating_sub(MAX_COLUMNS_BYTES)..at];
    let from = at - near.len();
    let before = near.iter().rposition(|b| !NAMES[usize::from(*b)]).filter(|open| near[*open] == b'(')?;
    let opening = &near[..before];
    let start = memchr::memrchr2(b';', b'(', opening).map_or(0, |at| at + 1);
    let opening = opening[start..].to_ascii_lowercase();
    let has = |word: &[u8]| memchr::memmem::find(&opening, word).is_some();
    let is_insert = has(b"insert into") || has(b"replace into");
    if !is_insert && !has(b"copy ") {
        return None;
    }
    let open = from + before + 1;
    let close = at + memchr::memchr(b')', &text[at..text.len().min(at + MAX_COLUMNS_BYTES)])?;
    let columns: Vec<Range<usize>> = cells(text, open..close, Cut::Byte(b','));
    let is_telling = |cell: &Range<usize>| heads.iter().take(MAX_COLUMNS).any(|head| cell.contains(head));
    let telling: Vec<usize> = (0..columns.len())
        .filter(|i| is_telling(&columns[*i]) && is_name(&text[columns[*i].clone()]))
        .collect();
    let skip_blanks = |at: usize| {
        at + text[at..].iter().take(MAX_COLUMNS_BYTES).take_while(|b| b.is_ascii_whitespace()).count()
    };
    let next = skip_blanks(close + 1);
    let rest = &text[next..];
    let starts = |word: &[u8]| rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let most = if *spent > text.len() { MAX_LATER_ROWS_BYTES } else { MAX_ROWS_BYTES };
    let limit = text.len().min(next + most);
    if is_insert && starts(b"values") {
        let first = skip_blanks(next + b"values".len());
        let mut at = first;
        while at < limit && text[at] == b'(' {
            stop::tick();
            let Some((values, end)) = row(text, at + 1..limit) else {
                *spent += limit - at;
                return (at > first).then_some(at);
            };
            for &i in &telling {
                if let Some(value) = values.get(i) {
                    write(text, &columns[i], value.clone(), view);
                }
            }
            let behind = skip_blanks(end + 1);
            at = if text.get(behind) == Some(&b',') { skip_blanks(behind + 1) } else { return Some(behind) };
        }
        return Some(at);
    }
    if !is_insert && starts(b"from stdin") {
        let mut at = line_end(text, next) + 1;
        while at < limit && !text[at..].starts_with(b"\\.") {
            stop::tick();
            let end = line_end(text, at);
            let values = cells(text, at..end, Cut::Byte(b'\t'));
            if values.len() != columns.len() {
                break;
            }
            for &i in &telling {
                write(text, &columns[i], values[i].clone(), view);
            }
            at = end + 1;
        }
        return Some(at.min(text.len()));
    }
    None
}

/// The values of a row of a statement, without the quotes of strings, and where its bracket closes.
fn row(text: &[u8], range: Range<usize>) -> Option<(Vec<Range<usize>>, usize)> {
    let (mut values, mut at, mut from, mut depth) = (Vec::new(), range.start, range.start, 0usize);
    let mut string: Option<Range<usize>> = None;
    while at < range.end {
        match text[at] {
            quote @ (b'\'' | b'"') => {
                let start = at + 1;
                at = start;
                // A doubled quotation mark is part of the string.
                while at < range.end && (text[at] != quote || text.get(at + 1) == Some(&quote)) {
                    at += 1 + usize::from(text[at] == b'\\' || text[at] == quote);
                }
                string = Some(start..at.min(range.end));
            }
            b'(' => depth += 1,
            b')' if depth > 0 => depth -= 1,
            end @ (b',' | b')') if depth == 0 => {
                if values.len() < MAX_COLUMNS {
                    values.push(string.take().unwrap_or_else(|| trimmed(text, from..at)));
                }
                if end == b')' {
                    return Some((values, at));
                }
                from = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// `password | value`, in a table with a name and a value on each line.
fn pairs(text: &[u8], cells: &[Range<usize>], telling: &[usize], cut: Cut, view: &mut View) {
    let full = cells.iter().filter(|c| !c.is_empty()).count();
    if matches!(cut, Cut::Byte(b',' | b';')) && full != 2 {
        return;
    }
    for &i in telling {
        if let Some(cell) = cells.get(i + 1).filter(|cell| !is_kind(&text[(*cell).clone()])) {
            write(text, &cells[i], cell.clone(), view);
        }
    }
}

/// Whether two bars of a line may have nothing between them. Bars that are drawn are not examined.
fn may_have_empty_cell(line: &[u8]) -> bool {
    let mut is_open = false;
    for byte in line {
        match byte {
            b'|' if is_open => return true,
            b'|' => is_open = true,
            b' ' => {}
            0x80.. => return true,
            _ => is_open = false,
        }
    }
    false
}

/// Writes a value that continues in the lines below, whose name cells are empty: `| token | ghp_… |` above
/// `| | … |`. Returns whether there is one.
fn continued(text: &[u8], end: usize, cells: &[Range<usize>], telling: &[usize], view: &mut View) -> bool {
    /// Most lines of a value. A choice.
    const MAX_LINES: usize = 64;
    let is_word = |cell: &Range<usize>| !cell.is_empty() && !text[cell.clone()].contains(&b' ');
    let [name] = telling else { return false };
    let Some(first) = cells.get(name + 1).filter(|cell| is_word(cell)) else { return false };
    let (mut pieces, mut at) = (vec![first.clone()], end + 1);
    while at < text.len() && pieces.len() < MAX_LINES {
        stop::tick();
        let next = line_end(text, at);
        if next - at > MAX_LINE_BYTES || !may_have_empty_cell(&text[at..next]) {
            break;
        }
        let here = self::cells(text, at..next, Cut::Bar);
        let goes_on = here.len() == cells.len() && here[*name].is_empty() && is_word(&here[name + 1]);
        if !goes_on || is_ruler(&text[at..next]) {
            break;
        }
        pieces.push(here[name + 1].clone());
        at = next + 1;
    }
    if pieces.len() > 1 {
        write_pieces(text, &cells[*name], &pieces, view);
    }
    pieces.len() > 1
}

/// Writes the cells below the names of secrets, as long as the lines have the same cells. Returns where that ends.
fn rows(
    text: &[u8],
    head: Range<usize>,
    cells: &[Range<usize>],
    telling: &[usize],
    cut: Cut,
    view: &mut View,
) -> usize {
    let mut at = head.end + 1;
    if telling.is_empty() {
        return head.end;
    }
    while at < text.len() {
        stop::tick();
        let end = line_end(text, at);
        let line = at..end - usize::from(end > at && text[end - 1] == b'\r');
        if line.len() > MAX_LINE_BYTES || text[line.clone()].iter().all(u8::is_ascii_whitespace) {
            break;
        }
        if !is_ruler(&text[line.clone()]) {
            let here = match cut {
                Cut::Blanks => below(head.start, text, line, cells),
                _ => Some(self::cells(text, line, cut)).filter(|here| here.len() == cells.len()),
            };
            let Some(here) = here else { break };
            let is_same = |i: usize| !here[i].is_empty() && text[here[i].clone()] == text[cells[i].clone()];
            // The line is one of a list whose lines begin alike, not a head.
            if here.len() > 2 && is_same(0) && is_same(1) {
                break;
            }
            for &i in telling {
                write(text, &cells[i], here[i].clone(), view);
            }
        }
        at = end + 1;
    }
    at
}

/// The cells of a line below heads of columns that are separated by blanks.
fn below(start: usize, text: &[u8], line: Range<usize>, heads: &[Range<usize>]) -> Option<Vec<Range<usize>>> {
    let mut cells = Vec::new();
    for (i, column) in heads.iter().enumerate() {
        let from = line.start + (column.start - start);
        let to = heads.get(i + 1).map_or(line.end, |next| (line.start + (next.start - start)).min(line.end));
        if from > line.end || (from > line.start && from < line.end && text[from - 1] != b' ') {
            return None;
        }
        cells.push(trimmed(text, from.min(to)..to));
    }
    Some(cells)
}

fn write(text: &[u8], name: &Range<usize>, cell: Range<usize>, view: &mut View) {
    write_pieces(text, name, &[cell], view);
}

/// Writes a pair whose value is in one or several cells.
fn write_pieces(text: &[u8], name: &Range<usize>, pieces: &[Range<usize>], view: &mut View) {
    let [cell, more @ ..] = pieces else { return };
    let cell = cell.clone();
    let bytes: usize = pieces.iter().map(|piece| piece.len()).sum();
    if bytes < MIN_VALUE_BYTES
        || cell.len() > MAX_LINE_BYTES
        || more.is_empty() && is_removed(&text[cell.clone()])
    {
        return;
    }
    let quote: &[u8] = if text[cell.clone()].contains(&b'"') { b"'" } else { b"\"" };
    let mut head = Vec::with_capacity(name.len() + 5);
    head.push(b'\n');
    head.extend(text[name.clone()].iter().map(|b| if *b == b' ' { b'_' } else { *b }));
    // Two blanks, so that the pair is not read as a line of a settings file, in which plain words count as
    // passwords.
    head.extend_from_slice(b":  ");
    head.extend_from_slice(quote);
    view.stand(&head, cell.start..cell.start);
    view.copy(text, cell.clone());
    for piece in more {
        view.copy(text, piece.clone());
    }
    let end = more.last().unwrap_or(&cell).end;
    view.stand(quote, end..end);
}

/// `Opaque`, `kubernetes.io/basic-auth`: the kind of a secret in a cluster.
fn is_kind(cell: &[u8]) -> bool {
    let is_name = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"./-".contains(b);
    cell == b"Opaque" || memchr::memmem::find(cell, b".io/").is_some() && cell.iter().all(is_name)
}

/// Whether a cell is a placeholder, and nothing else.
fn is_removed(cell: &[u8]) -> bool {
    cell.starts_with(PLACEHOLDER.as_bytes()) && memchr::memchr(b']', cell) == Some(cell.len() - 1)
}

/// Whether a cell is a name: one to three words, not a piece of code.
fn is_name(cell: &[u8]) -> bool {
    cell.len() <= MAX_NAME_BYTES
        && cell.iter().filter(|b| **b == b' ').count() <= 2
        && cell.iter().all(|b| b.is_ascii_alphanumeric() || b"_-. *`:/".contains(b) || *b >= 0x80)
        && cell.first().is_some_and(|b| !b.is_ascii_digit())
}

/// The start of a string that an earlier layer opened, so that the program code before it is not read as a cell:
/// after the last quotation mark before `line.end` that is not closed there.
fn string_start(text: &[u8], line: Range<usize>) -> usize {
    let before = &text[line.clone()];
    let Some(open) = memchr::memrchr2(b'"', b'\'', before) else { return line.start };
    let rest = &text[line.start + open + 1..];
    let in_line = &rest[..memchr::memchr(b'\n', &rest[..rest.len().min(MAX_LINE_BYTES)]).unwrap_or(0)];
    let opens = open == 0 || b":=[({, bB".contains(&before[open - 1]);
    let is_open = opens && !in_line.is_empty() && !in_line.contains(&before[open]);
    if is_open { line.start + open + 1 } else { line.start }
}

/// Whether a line may be a row with separators: the row begins its line, or has no blanks, which arguments have.
fn is_row(line: &[u8]) -> bool {
    line[0] != b' ' || !line.trim_ascii().contains(&b' ')
}

fn cut(line: &[u8]) -> Option<Cut> {
    let count = |byte| memchr::memchr_iter(byte, line).count();
    // All except one begin with the same byte.
    let is_drawn = |at: usize| BARS.iter().any(|bar| line[at..].starts_with(bar));
    if memchr::memchr2_iter(b'|', 0xe2, line).any(is_drawn) {
        Some(Cut::Bar)
    } else if count(b'\t') > 0 {
        Some(Cut::Byte(b'\t'))
    } else if is_row(line) && count(b',') > 0 && !line.iter().any(|b| b"(){}[]=<>".contains(b)) {
        Some(Cut::Byte(b','))
    } else if is_row(line)
        && count(b';') > 0
        && !line.ends_with(b";")
        && !line.iter().any(|b| b"(){}[]=<>".contains(b))
    {
        Some(Cut::Byte(b';'))
    } else {
        line.trim_ascii().windows(2).any(|w| w == b"  ").then_some(Cut::Blanks)
    }
}

/// The cells of a line, without blanks, quotes and the signs of emphasis around them.
fn cells(text: &[u8], line: Range<usize>, cut: Cut) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let (mut at, mut from) = (line.start, line.start);
    let mut quoted = false;
    let mut end = line.end;
    while at < end && cells.len() < MAX_COLUMNS {
        let rest = &text[at..end];
        if rest[0] == b'"' && !quoted && closes_string(text, from..at, rest, cut) {
            end = at;
            break;
        }
        let len = match cut {
            _ if rest[0] == b'"' && matches!(cut, Cut::Byte(b',' | b';')) => {
                quoted = !quoted;
                0
            }
            _ if quoted => 0,
            Cut::Byte(byte) => usize::from(rest[0] == byte),
            Cut::Bar => BARS.iter().find(|bar| rest.starts_with(bar)).map_or(0, |bar| bar.len()),
            Cut::Blanks if rest.starts_with(b"  ") => rest.iter().take_while(|b| **b == b' ').count(),
            Cut::Blanks => 0,
        };
        if len > 0 {
            cells.push(trimmed(text, from..at));
            from = at + len;
        }
        at += len.max(1);
    }
    cells.push(trimmed(text, from..end));
    cells
}

/// Whether the quotation mark at the start of `rest` ends a string around the whole table: it is in a cell without one at its
/// start, and is the last of its line.
fn closes_string(text: &[u8], cell: Range<usize>, rest: &[u8], cut: Cut) -> bool {
    let is_comma = matches!(cut, Cut::Byte(b',' | b';'));
    let is_closed = rest.get(1).is_none_or(|b| b",}])".contains(b) || is_comma && !is_word(*b));
    // Only the last mark of a line is examined further, so that each byte is read a few times.
    let is_last = is_closed && memchr::memchr(b'"', &rest[1..]).is_none();
    let before = if is_last { text[cell].trim_ascii() } else { b"" };
    !before.is_empty() && !before.contains(&b'"')
}

fn trimmed(text: &[u8], range: Range<usize>) -> Range<usize> {
    let around = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'"' | b'`' | b'*');
    let bytes = &text[range.clone()];
    let before = bytes.iter().take_while(|b| around(b)).count();
    let behind = bytes[before..].iter().rev().take_while(|b| around(b)).count();
    range.start + before..range.end - behind
}

/// Whether a line only draws the table.
fn is_ruler(line: &[u8]) -> bool {
    line.iter().all(|b| b"-+=|: \t_".contains(b) || *b >= 0x80)
        && blanks(line, 0, MAX_LINE_BYTES) < line.len()
}
