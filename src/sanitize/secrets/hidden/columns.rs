//! Tables: CSV, the tables of databases and of Markdown, text in columns. A cell under the name of a secret is its
//! value.
//!
//! Each such cell is written as `name: "cell"`, and the rules judge that. It reads only below lines with the name of
//! a secret as a cell; `statements` reads SQL statements and JSON tables.

mod statements;

use super::logged::prefix;
use super::view::{View, blanks, line_end, line_start, table};
use crate::sanitize::secrets::PLACEHOLDER;
use crate::sanitize::secrets::judge::is_word;
use crate::stop;
use std::ops::Range;

/// Longest line of a table, in bytes.
pub(super) const MAX_LINE_BYTES: usize = 4 << 10;
/// Shorter cells, in bytes, are not secrets: no rule for names accepts a shorter value.
const MIN_VALUE_BYTES: usize = 4;
/// Longest name of a column.
const MAX_NAME_BYTES: usize = 48;
/// Most columns of a line that are examined. Bounds the work.
pub(super) const MAX_COLUMNS: usize = 64;

/// The text between the cells of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    Byte(u8),
    /// `|`, or a box-drawing character like it.
    Bar,
    /// Two blanks or more.
    Blanks,
    /// One blank or more.
    Words,
}

pub(super) const BARS: &[&[u8]] = &[b"|", "│".as_bytes(), "┃".as_bytes(), "║".as_bytes()];

/// Whether a line has a bar between cells.
pub(super) fn has_bar(line: &[u8]) -> bool {
    // 0xe2 is the first byte of all box-drawing bars.
    memchr::memchr2_iter(b'|', 0xe2, line).any(|at| BARS.iter().any(|bar| line[at..].starts_with(bar)))
}

/// Whether the name around `hit` may be a cell: a separator of cells follows it.
pub(in crate::sanitize::secrets) fn is_cell(text: &[u8], hit: &Range<usize>) -> bool {
    const INSIDE: [bool; 256] = table(b"_-)\"'*`");
    let rest = &text[hit.end..text.len().min(hit.end + MAX_NAME_BYTES)];
    let name = rest.iter().position(|b| !INSIDE[usize::from(*b)]).unwrap_or(rest.len());
    match rest.get(name..).unwrap_or_default() {
        [] => hit.end + name >= text.len(),
        [b',' | b';' | b'\t' | b'\r' | b'\n' | b'|', ..] | [b' ', b' ' | b'|', ..] | [0xe2, ..] => true,
        [b' ', 0xe2 | b'\r' | b'\n', ..] | [b'$', b'\n', ..] => true,
        [b']', ..] => rest[..name].contains(&b'"'),
        [b' ', next, ..] if next.is_ascii_alphabetic() && !rest[..name].contains(&b')') => {
            statements::is_definition(text, hit.start)
        }
        // The last column in the brackets of an SQL statement.
        _ => rest[..name].contains(&b')'),
    }
}

/// The line of the name that holds `hit`, if the name is a cell with others on both sides. Its value is then a cell
/// too, so a prefix of the line cannot hide it.
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
    let (mut done, mut table, mut stated, mut spent) = (0, 0, 0, statements::Spent::default());
    for (next, &at) in heads.iter().enumerate() {
        stop::check_sometimes();
        if at >= stated {
            stated = statements::view(text, &heads[next..], &mut spent, &mut view)
                .unwrap_or_else(|| line_end(text, at));
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
        let line = start..end - usize::from(text[end - 1] == b'\r');
        table = table.max(head(text, line, &heads_here, table, &mut view));
    }
    (!view.bytes().is_empty()).then_some(view)
}

/// Writes the values beside and below the names of secrets at `heads` in a line. `table` is the end of the rows below
/// the last line of heads. Returns the end of the rows below this line.
fn head(text: &[u8], line: Range<usize>, heads: &[usize], table: usize, view: &mut View) -> usize {
    let cut = cut(&text[line.clone()]).unwrap_or(Cut::Words);
    let cells = cells(text, line.clone(), cut);
    let telling: Vec<usize> = (0..cells.len())
        .filter(|&i| heads.iter().any(|h| cells[i].contains(h)) && is_name(&text[cells[i].clone()]))
        .collect();
    let full = cells.iter().filter(|c| !c.is_empty()).count();
    if full == 1 && matches!(cut, Cut::Bar | Cut::Words) && line.start >= table {
        return telling.first().map_or(0, |i| single(text, line.end, &cells, *i, cut, view));
    }
    if full < 2 {
        return 0;
    }
    if cut != Cut::Words && (cut != Cut::Bar || !continued(text, line.end, &cells, &telling, view)) {
        pairs(text, &cells, &telling, cut, view);
    }
    let are_heads = cells.iter().all(|cell| cell.is_empty() || is_name(&text[cell.clone()]));
    if line.start < table || !are_heads {
        return 0;
    }
    // Text that a tool puts before a line is not part of a head; the lines are also read without that text.
    let is_named = |cell: &&usize| **cell > 0 || prefix(&text[line.clone()], false) == 0;
    let telling: Vec<usize> = telling.iter().filter(is_named).copied().collect();
    rows(text, line, &cells, &telling, cut, view)
}

/// A table of one column: the name, a ruler, and a value on each line below. Returns its end.
fn single(text: &[u8], end: usize, cells: &[Range<usize>], i: usize, cut: Cut, view: &mut View) -> usize {
    let next_line = |end: usize| {
        let at = text.len().min(line_end(text, end) + 1);
        let near = &text[..text.len().min(at + MAX_LINE_BYTES)];
        at..line_end(near, at)
    };
    let mut line = next_line(end);
    let is_drawn = |line: &[u8]| line.len() > 2 && line.iter().all(|b| b"-+| \r".contains(b) || *b >= 0x80);
    let drawn = &text[line.clone()];
    if !is_drawn(drawn) || drawn.iter().all(|b| b" \r".contains(b)) {
        return 0;
    }
    loop {
        stop::check_sometimes();
        line = next_line(line.end);
        let bytes = &text[line.clone()];
        let value = match cut {
            Cut::Bar => Some(self::cells(text, line.clone(), cut)).filter(|here| here.len() == cells.len()),
            _ => Some(vec![trimmed(text, line.clone()); cells.len()]),
        };
        let value = value
            .and_then(|here| here.into_iter().nth(i))
            .filter(|value| !is_drawn(bytes) && !value.is_empty() && !text[value.clone()].contains(&b' '));
        let Some(value) = value else { return line.start };
        write(text, &cells[i], value, view);
    }
}

/// `password | value`, in a table with a name and a value on each line.
fn pairs(text: &[u8], cells: &[Range<usize>], telling: &[usize], cut: Cut, view: &mut View) {
    let full = cells.iter().filter(|c| !c.is_empty()).count();
    if matches!(cut, Cut::Byte(b',' | b';')) && full != 2 {
        return;
    }
    let has_blank = |cell: &Range<usize>| text[cell.clone()].contains(&b' ');
    let is_quoted = |cell: &Range<usize>| cell.start > 0 && text[cell.start - 1] == b'"';
    for &i in telling {
        let Some(cell) = cells.get(i + 1).filter(|cell| !is_kind(&text[(*cell).clone()])) else { continue };
        // The text after the comma of a sentence is not a value.
        if matches!(cut, Cut::Byte(b',' | b';')) && has_blank(cell) && !is_quoted(cell) {
            continue;
        }
        // In a string, an escape ends the line.
        let len = memchr::memmem::find(&text[cell.clone()], b"\\n").unwrap_or(cell.len());
        write(text, &cells[i], cell.start..cell.start + len, view);
        // Between the name and the value may be a cell with a flag.
        if let Some(value) = cells.get(i + 2).filter(|value| full == 3 && !has_blank(value))
            && is_flag(&text[cell.clone()])
        {
            write(text, &cells[i], value.clone(), view);
        }
    }
}

/// Whether a cell is a flag: `True`, `no`, `-`.
fn is_flag(cell: &[u8]) -> bool {
    const FLAGS: &[&[u8]] = &[b"true", b"false", b"null", b"none", b"-"];
    FLAGS.iter().any(|flag| cell.eq_ignore_ascii_case(flag))
}

/// Whether two bars of a line may have nothing between them. Box-drawing bars are not examined.
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
    let (mut pieces, mut at) = (vec![first.clone()], line_end(text, end) + 1);
    while at < text.len() && pieces.len() < MAX_LINES {
        stop::check_sometimes();
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

/// Writes the cells below the names of secrets, as long as the lines have the same cells. Returns the end of these
/// lines.
fn rows(
    text: &[u8],
    head: Range<usize>,
    cells: &[Range<usize>],
    telling: &[usize],
    cut: Cut,
    view: &mut View,
) -> usize {
    let mut at = line_end(text, head.end) + 1;
    if telling.is_empty() {
        return head.end;
    }
    while at < text.len() {
        stop::check_sometimes();
        let end = line_end(text, at);
        let line = at..end - usize::from(end > at && text[end - 1] == b'\r');
        if line.len() > MAX_LINE_BYTES || text[line.clone()].iter().all(u8::is_ascii_whitespace) {
            break;
        }
        if !is_ruler(&text[line.clone()]) {
            let here = match cut {
                Cut::Blanks => below(head.start, text, line.clone(), cells)
                    .or_else(|| below_right(head.start, text, line.clone(), cells))
                    .or_else(|| as_many(text, line, cells)),
                Cut::Words => below_words(head.start, text, line, cells),
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

pub(super) fn write(text: &[u8], name: &Range<usize>, cell: Range<usize>, view: &mut View) {
    write_pieces(text, name, &[cell], view);
}

/// The cells of a line below heads that end where their cells end, as pandas and R print them.
fn below_right(
    start: usize,
    text: &[u8],
    line: Range<usize>,
    heads: &[Range<usize>],
) -> Option<Vec<Range<usize>>> {
    let (mut cells, mut from): (Vec<Range<usize>>, usize) = (Vec::new(), line.start);
    for head in heads {
        if head.is_empty() {
            cells.push(from..from);
            continue;
        }
        let to = line.start + (head.end - start);
        let is_end = text[line.clone()].get(to - line.start).is_none_or(|b| *b == b' ');
        if to > line.end || !is_end || text[to - 1] == b' ' {
            return None;
        }
        // The number of the row may be before the first cell.
        let bytes = &text[from.min(to)..to];
        let blanks = memchr::memmem::rfind(bytes, b"  ").map(|at| at + 2);
        let is_first = cells.iter().all(Range::is_empty);
        let first = if is_first { memchr::memrchr(b' ', bytes).map(|at| at + 1) } else { blanks };
        cells.push(trimmed(text, from + first.unwrap_or_default()..to));
        from = to;
    }
    Some(cells)
}

/// The cells of a line that has as many as there are heads, perhaps after the number of the row.
fn as_many(text: &[u8], line: Range<usize>, heads: &[Range<usize>]) -> Option<Vec<Range<usize>>> {
    let full = |cells: Vec<Range<usize>>| cells.into_iter().filter(|cell| !cell.is_empty());
    let mut cells: Vec<Range<usize>> = full(cells(text, line, Cut::Blanks)).collect();
    let count = heads.iter().filter(|head| !head.is_empty()).count();
    let is_number = |cell: &Range<usize>| text[cell.clone()].iter().all(u8::is_ascii_digit);
    if count > 2 && cells.len() == count + 1 && is_number(&cells[0]) {
        cells.remove(0);
    }
    (count > 2 && cells.len() == count).then_some(())?;
    let mut cells = cells.into_iter();
    Some(
        heads
            .iter()
            .filter_map(|head| if head.is_empty() { Some(head.clone()) } else { cells.next() })
            .collect(),
    )
}

/// The cells of a line below heads with one blank between: each begins where its head begins, and some are padded.
fn below_words(
    start: usize,
    text: &[u8],
    line: Range<usize>,
    heads: &[Range<usize>],
) -> Option<Vec<Range<usize>>> {
    memchr::memmem::find(text[line.clone()].trim_ascii(), b"  ")?;
    let cells = cells(text, line.clone(), Cut::Words);
    let is_alike =
        |(cell, head): (&Range<usize>, &Range<usize>)| cell.start - line.start == head.start - start;
    (cells.len() == heads.len() && cells.iter().zip(heads).all(is_alike)).then_some(cells)
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

/// `Opaque`, `kubernetes.io/basic-auth`: the type of a Kubernetes Secret.
fn is_kind(cell: &[u8]) -> bool {
    let is_name = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"./-".contains(b);
    cell == b"Opaque" || memchr::memmem::find(cell, b".io/").is_some() && cell.iter().all(is_name)
}

/// Whether a cell is a placeholder, and nothing else.
fn is_removed(cell: &[u8]) -> bool {
    cell.starts_with(PLACEHOLDER.as_bytes()) && memchr::memchr(b']', cell) == Some(cell.len() - 1)
}

/// Whether a cell is a name: one to three words, not a piece of code.
pub(super) fn is_name(cell: &[u8]) -> bool {
    cell.len() <= MAX_NAME_BYTES
        && cell.iter().filter(|b| **b == b' ').count() <= 2
        && cell.iter().all(|b| b.is_ascii_alphanumeric() || b"_-. *`:/".contains(b) || *b >= 0x80)
        && cell.first().is_some_and(|b| !b.is_ascii_digit())
        || cell == b"(index)"
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
    // The box-drawing bars begin with the same byte.
    if has_bar(line) {
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
pub(super) fn cells(text: &[u8], line: Range<usize>, cut: Cut) -> Vec<Range<usize>> {
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
            Cut::Words => rest.iter().take_while(|b| **b == b' ').count(),
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
    // A string as JavaScript prints it.
    match &bytes[before..bytes.len() - behind] {
        [b'\'', .., b'\''] => range.start + before + 1..range.end - behind - 1,
        _ => range.start + before..range.end - behind,
    }
}

/// Whether a line only draws the table.
pub(super) fn is_ruler(line: &[u8]) -> bool {
    line.iter().all(|b| b"-+=|: \t_".contains(b) || *b >= 0x80)
        && blanks(line, 0, MAX_LINE_BYTES) < line.len()
}
