//! Tables whose columns are separated by blanks alone. A gap between two columns is a run of places that are
//! blank in every line. If a line has no cell in a column, the table is left as it is.

use unicode_width::UnicodeWidthChar;

use crate::text::judge::EXCEPTION_ONE_IN;

/// Fewest columns of a table with a header in capitals or over a rule.
const MIN_NAMED_COLUMNS: usize = 2;
/// Fewest columns of any other table.
const MIN_BARE_COLUMNS: usize = 3;
/// Shortest line of dashes, in bytes, that is a rule of a table; shorter ones separate outputs.
const MIN_RULE_BYTES: usize = 6;

/// A piece of text in a row: bytes in the line and places on the screen, ends exclusive.
#[derive(Debug, Clone, Copy)]
struct Piece {
    column: usize,
    bytes: (usize, usize),
    places: (usize, usize),
}

/// The pieces of a row, left to right.
type Row = Vec<Piece>;

/// Whether a line separates outputs and is not a row of a table. The check does not depend on the width of
/// gaps, so that it gives the same answer for the rewritten table.
pub fn is_separator(line: &str) -> bool {
    crate::stop::check_sometimes();
    let text = line.trim();
    // Checks the ends of a line first: most lines are decided by them.
    let plain = || !text.contains("  ");
    let banner = ["-", "=", "*", "#"].iter().any(|sign| text.starts_with(sign) && text.ends_with(sign));
    let dashes = || text.bytes().all(|b| matches!(b, b'-' | b'=' | b' '));
    text.starts_with(['{', '[', '<'])
        || ["$ ", "# ", "> ", "+ ", "total "].iter().any(|start| text.starts_with(start)) && plain()
        || text.ends_with(':') && plain()
        || banner && !dashes()
        || text.len() < MIN_RULE_BYTES && dashes()
}

/// A line of dashes through the whole table.
fn is_rule(line: &str) -> bool {
    crate::stop::check_sometimes();
    let text = line.trim();
    ["-", "=", "─", "━", "═"]
        .iter()
        .any(|dash| text.len() >= MIN_RULE_BYTES && text.trim_start_matches(dash).is_empty())
}

/// The lines of a block with one blank between columns, if it is a table.
///
/// Two blanks would not pay: a run of blanks before a word costs one token more than a single blank, whatever
/// its length. So only tables qualify whose cells can be identified by counting words: no cell but the last of
/// a row may have a blank inside, the names of the columns included.
pub fn squeeze(lines: &[&str]) -> Option<Vec<String>> {
    if lines.iter().any(|line| is_code(line)) || is_dump(lines) {
        return None;
    }
    let table: Vec<&str> = lines.iter().copied().filter(|line| !is_rule(line)).collect();
    if table.len() < super::MIN_LINES {
        return None;
    }
    let rows = rows(&table);
    let columns = common_columns(&table, &rows)?;
    let header = is_header(table[0], &rows[0][..columns]);
    let ruled = table.len() < lines.len() || is_dashes(table[1]);
    let named = header && (ruled || !table[0].contains(char::is_lowercase));
    let enough = columns >= if named { MIN_NAMED_COLUMNS } else { MIN_BARE_COLUMNS };
    let is_table = enough
        && table.iter().zip(&rows).all(|(line, row)| has_single_words(line, &row[..columns]))
        && is_aligned_first(&table, &rows, header)
        && (1..columns).all(|column| is_aligned(&rows, column))
        && has_words(&table, &rows, columns);
    let mut written = table.iter().zip(&rows).map(|(line, row)| write(line, &row[..columns]));
    let line = |line: &&str| if is_rule(line) { Some((*line).to_owned()) } else { written.next() };
    if is_table { lines.iter().map(line).collect() } else { None }
}

/// The row with one blank between its cells; the last continues to the end of the line as it is.
fn write(line: &str, row: &[Piece]) -> String {
    crate::stop::check_sometimes();
    let mut out = String::with_capacity(line.len());
    for (i, piece) in row.iter().enumerate() {
        let start = if i == 0 { 0 } else { piece.bytes.0 - 1 };
        let end = if i + 1 == row.len() { line.len() } else { piece.bytes.1 };
        out.push_str(&line[start..end]);
    }
    out
}

/// Whether no cell but the last has a blank inside.
fn has_single_words(line: &str, row: &[Piece]) -> bool {
    crate::stop::check_sometimes();
    row.split_last()
        .is_some_and(|(_, row)| row.iter().all(|cell| !line[cell.bytes.0..cell.bytes.1].contains(' ')))
}

/// Cuts every line at the places where no line has text.
fn rows(lines: &[&str]) -> Vec<Row> {
    let mut filled: Vec<bool> = Vec::new();
    for line in lines {
        for (_, _, place, width) in texts(line) {
            if filled.len() < place + width {
                filled.resize(place + width, false);
            }
            filled[place..place + width].fill(true);
        }
    }
    // For each place the number of the column that it is in.
    let mut column = 0;
    let mut columns = Vec::with_capacity(filled.len());
    for (place, &now) in filled.iter().enumerate() {
        column += usize::from(now && place > 0 && !filled[place - 1]);
        columns.push(column);
    }
    let first = usize::from(filled.first().is_some_and(|filled| !filled));
    lines
        .iter()
        .map(|line| {
            let mut row = Row::new();
            for (from, to, place, width) in texts(line) {
                let column = columns.get(place).map_or(0, |column| column - first);
                match row.last_mut() {
                    Some(last) if last.column == column => {
                        (last.bytes.1, last.places.1) = (to, place + width);
                    }
                    _ => row.push(Piece { column, bytes: (from, to), places: (place, place + width) }),
                }
            }
            row
        })
        .collect()
}

/// The characters of a line that are not blanks: first byte, end, place, width.
fn texts(line: &str) -> impl Iterator<Item = (usize, usize, usize, usize)> + '_ {
    crate::stop::check_sometimes();
    let mut place = 0;
    line.char_indices().filter_map(move |(at, c)| {
        let width = if c.is_ascii() { 1 } else { c.width().unwrap_or(0) };
        place += width;
        (c != ' ').then_some((at, at + c.len_utf8(), place - width, width))
    })
}

/// How many columns, from the left, every row has. Anything after them must be free text in the last one;
/// `None` if a cell is empty.
fn common_columns(lines: &[&str], rows: &[Row]) -> Option<usize> {
    let full = |row: &Row| row.iter().enumerate().take_while(|(i, piece)| piece.column == *i).count();
    let common = rows.iter().map(full).min()?;
    let header = is_header(lines[0], rows[0].get(..common)?);
    let free = |row: &Row| match row.get(common) {
        None => true,
        Some(next) => next.column == common && next.bytes.0 - row[common - 1].bytes.1 == 1,
    };
    let ends_short = header && rows[0].len() == common;
    if header && rows[0].get(common).is_some_and(|more| is_header(lines[0], std::slice::from_ref(more))) {
        // One more name than cells: no row has a cell for it.
        return None;
    }
    (common > 0 && (ends_short || rows.iter().all(|row| row.len() == common) || rows.iter().all(free)))
        .then_some(common)
}

/// Whether the first line names the columns: each name starts with a capital.
fn is_header(line: &str, row: &[Piece]) -> bool {
    row.iter().all(|piece| {
        let name = &line[piece.bytes.0..piece.bytes.1];
        name.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_uppercase)
    })
}

/// Whether the first column starts at one place, or if it is numeric ends at one. Without a header an indented
/// block is not a table.
fn is_aligned_first(lines: &[&str], rows: &[Row], header: bool) -> bool {
    let first: Vec<&Piece> = rows.iter().filter_map(|row| row.first()).collect();
    let indent = first[0].places.0;
    let left = first.iter().all(|piece| piece.places.0 == indent);
    let number = |(line, piece): (&&str, &&Piece)| {
        line[piece.bytes.0..piece.bytes.1].bytes().all(|b| b.is_ascii_digit() || b == b'.')
    };
    let skip = usize::from(header);
    let right = first.iter().all(|piece| piece.places.1 == first[0].places.1)
        && lines.iter().zip(&first).skip(skip).all(number);
    left && (indent == 0 || header) || right
}

/// Whether a column starts or ends at the same place in nearly all rows.
fn is_aligned(rows: &[Row], column: usize) -> bool {
    let allowed = rows.len() / EXCEPTION_ONE_IN;
    let off = |place: &dyn Fn(&Piece) -> usize| {
        let most = place(&rows[rows.len() / 2][column]);
        let differs = |row: &&Row| {
            crate::stop::check_sometimes();
            place(&row[column]) != most
        };
        rows.iter().filter(differs).count()
    };
    off(&|piece| piece.places.0) <= allowed || off(&|piece| piece.places.1) <= allowed
}

/// Whether the cells are mostly words and numbers, no column holds only signs, and no cell but the last
/// looks as if it continued, as operands do.
fn has_words(lines: &[&str], rows: &[Row], columns: usize) -> bool {
    let cell = |r: usize, c: usize| {
        crate::stop::check_sometimes();
        &lines[r][rows[r][c].bytes.0..rows[r][c].bytes.1]
    };
    let is_word = |text: &str| text.contains(char::is_alphanumeric);
    let mut words = 0;
    for c in 0..columns {
        let of_column = (0..rows.len()).filter(|&r| is_word(cell(r, c))).count();
        let goes_on = |r: usize| c + 1 < columns && cell(r, c).ends_with([',', ';', '(', '{']);
        if of_column == 0 || (0..rows.len()).any(goes_on) {
            return false;
        }
        words += of_column;
    }
    words * 2 >= rows.len() * columns
}

fn is_dashes(line: &str) -> bool {
    line.contains("--") && line.chars().all(|c| c == '-' || c == ' ')
}

/// Whether a line looks like source text, a drawing, a diff or a tree, or its places cannot be counted.
fn is_code(line: &str) -> bool {
    crate::stop::check_sometimes();
    let text = line.trim();
    line.contains(['`', '├', '└', '│', '┌', '┐', '┘', '^'])
        || line.chars().any(|c| !c.is_ascii_graphic() && c != ' ' && c.width().unwrap_or(0) == 0)
        || text.ends_with([';', '{', '}', ',', '\\', '('])
        || text.starts_with(['#', '@', '"', '\'', '(', '}', ']', ')', '|', '+', '`', '\\', '~'])
        || ["//", "/*", "* ", "--- ", "at ", "|--", "- "].iter().any(|sign| text.starts_with(sign))
        || [" = ", " := ", " => ", " == ", "|--", "`--", "*/", " | "].iter().any(|sign| line.contains(sign))
}

/// Whether every line starts with a word that ends in a colon, or every line with an address.
fn is_dump(lines: &[&str]) -> bool {
    let words = |line: &&str| {
        crate::stop::check_sometimes();
        let mut words = line.split_whitespace();
        (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned())
    };
    let hex = |word: &str, least: usize| word.len() >= least && word.bytes().all(|b| b.is_ascii_hexdigit());
    let address = |(first, second): (String, String)| {
        let first = first.trim_end_matches(':');
        hex(first, 6)
            && (second.len() <= 4 && hex(&second, 2) || second.starts_with('(') || second.len() == 1)
    };
    let all = |test: &dyn Fn((String, String)) -> bool| lines.iter().map(words).all(test);
    all(&|(first, _)| first.ends_with(':')) || all(&address)
}
