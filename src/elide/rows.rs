//! Rows of tables: CSV and TSV, Markdown, and tables of database clients. The header stays, and the first, the last and
//! outlier rows. A footer such as `(1000 rows)` is not a row.
//!
//! A marker is a row of its own with empty cells after it, so a simple parser still finds the same number of cells in every
//! row. A table whose rows have different numbers of cells is declined.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use foldhash::fast::FixedState;

use super::Limits;
use super::json::Written;
use super::plan::{Item, Ranking, Series, Value};
use crate::text::judge::{form, may_be_unique, number, unit};
use crate::text::ledger::SHORT_GAP_MARK;
use crate::text::marker::{Marker, Unit};
use crate::text::reason::Reason;
use crate::text::relevance::Relevance;
use crate::text::signals;

/// Tables with fewer rows are not examined.
const MIN_ROWS: usize = 8;
/// Rows with fewer cells are not a table.
const MIN_CELLS: usize = 2;
/// Most lines of a header.
const MAX_HEADER_LINES: usize = 3;
/// Longest name of a column.
const MAX_NAME_BYTES: usize = 60;

/// The syntax of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Fields that a byte separates; a field that contains this byte is in quotation marks.
    Fields(u8),
    /// Cells between bars, with bars at both ends or at neither.
    Bars(char, bool),
}

/// A parsed table.
pub struct Table {
    /// Lines before the rows, and after them.
    head: Vec<String>,
    foot: Vec<String>,
    rows: Vec<String>,
    must: Vec<bool>,
    style: Style,
    cells: usize,
    ranking: Ranking,
}

impl Table {
    /// Writes the table under some limits.
    pub fn write(&self, limits: Limits) -> Written {
        let mut out = Written { text: String::new(), omitted: 0, reason: Reason::TableRows };
        let mut keep = self.ranking.keep(limits.items.unwrap_or(usize::MAX));
        for (keep, must) in keep.iter_mut().zip(&self.must) {
            *keep |= must;
        }
        self.keep_parents(&mut keep);
        let count = keep.iter().filter(|keep| !**keep).count();
        let reason = Reason::TableRows.code().to_owned();
        let marker = Marker::Parts { count, of: self.rows.len(), unit: Unit::Rows, reason, names: None };
        let mut marker = (count > 1).then(|| self.marker(&marker.write()));
        let is_cut = marker.is_some();
        let put = |line: &str, out: &mut Written| {
            out.text.push_str(line);
            out.text.push('\n');
        };
        self.head.iter().for_each(|line| put(line, &mut out));
        let mut rows = 0;
        for gap in keep.chunk_by(|a, b| a == b) {
            let (first, end) = (rows, rows + gap.len());
            rows = end;
            if gap[0] || !is_cut {
                self.rows[first..end].iter().for_each(|row| put(row, &mut out));
                continue;
            }
            match marker.take() {
                Some(marker) => put(&marker, &mut out),
                // Without a mark, the rows around a further gap would seem to follow each other.
                None if !self.is_evident(first..end) => put(&self.marker(SHORT_GAP_MARK), &mut out),
                None => {}
            }
            out.omitted += self.rows[first..end].iter().map(|row| row.len() + 1).sum::<usize>();
        }
        self.foot.iter().for_each(|line| put(line, &mut out));
        out.text.pop();
        out
    }

    /// Whether the rows around a gap show by themselves how many are missing: their first cells count the rows.
    fn is_evident(&self, gap: Range<usize>) -> bool {
        let id = |row: usize| {
            let cells = cells_of(self.rows.get(row)?, self.style);
            let cell = cells.iter().map(|cell| cell.trim()).find(|cell| !cell.is_empty())?;
            cell.parse::<usize>().ok()
        };
        let before = gap.start.checked_sub(1).and_then(id);
        before.is_some_and(|before| id(gap.end) == before.checked_add(gap.len() + 1))
    }

    /// Keeps the rows to which kept rows belong: in a table whose first cells are indented, as in a coverage report, the
    /// nearest row above with less indentation.
    fn keep_parents(&self, keep: &mut [bool]) {
        let Style::Bars(bar, _) = self.style else { return };
        // The rows above that a row may belong to, each with its indentation.
        let mut above: Vec<(usize, usize)> = Vec::new();
        for row in 0..self.rows.len().min(keep.len()) {
            let cell = self.rows[row].trim_start_matches(bar);
            let name = cell.trim_start_matches(' ');
            // Numbers are indented to be flush right.
            if !name.starts_with(|c: char| c.is_alphabetic() || c == '.' || c == '/' || c == '_') {
                above.clear();
                continue;
            }
            let indent = cell.len() - name.len();
            while above.pop_if(|(_, of_last)| *of_last >= indent).is_some() {}
            if keep[row] {
                above.iter().for_each(|(parent, _)| keep[*parent] = true);
            }
            above.push((row, indent));
        }
    }

    fn marker(&self, text: &str) -> String {
        match self.style {
            Style::Fields(by) => format!("\"{text}\"{}", char::from(by).to_string().repeat(self.cells - 1)),
            Style::Bars(bar, true) => {
                format!("{bar} {text} {}", format!("{bar} ").repeat(self.cells)).trim_end().to_owned()
            }
            Style::Bars(bar, false) => {
                format!("{text} {}", format!("{bar} ").repeat(self.cells - 1)).trim_end().to_owned()
            }
        }
    }
}

/// The records of CSV or TSV, each with its lines; `None` if one has another number of fields than the first.
pub fn csv(lines: &[&str], must: &dyn Fn(Range<usize>) -> bool, about: &Relevance) -> Option<Table> {
    let first = lines.first().filter(|line| !is_rule(line))?;
    let by = [b'\t', b',', b';', b'|'].into_iter().find(|by| first.as_bytes().contains(by))?;
    let mut records: Vec<Range<usize>> = Vec::new();
    let mut cells = 0;
    let mut at = 0;
    while at < lines.len() {
        let start = at;
        // A quoted field may hold line ends.
        let mut is_open = false;
        let mut count = 1;
        loop {
            let (more, open) = count_fields(lines.get(at)?, by, is_open)?;
            count += more;
            is_open = open;
            at += 1;
            if !is_open {
                break;
            }
        }
        if records.is_empty() {
            cells = count;
        } else if count != cells {
            return None;
        }
        records.push(start..at);
    }
    let names: Vec<&str> = first.split(char::from(by)).map(|name| name.trim_matches('"').trim()).collect();
    let is_name =
        |name: &str| !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.parse::<f64>().is_err();
    let are_names = names.iter().all(|name| is_name(name)) && records.first()?.len() == 1;
    // Data files have no blank after a comma, sentences do.
    let is_prose =
        by == b',' && (first.contains(", ") || names.iter().any(|name| name.split(' ').count() > 4));
    if !are_names || is_prose || cells <= MIN_CELLS || records.len() <= MIN_ROWS {
        return None;
    }
    let text = |lines_of: &Range<usize>| lines[lines_of.clone()].join("\n");
    let rows: Vec<String> = records[1..].iter().map(text).collect();
    let must = records[1..].iter().map(|range| must(range.clone())).collect();
    let style = Style::Fields(by);
    let ranking = rank(&rows, style, &shares(first, style), about);
    Some(Table { head: vec![text(&records[0])], foot: Vec::new(), rows, must, style, cells, ranking })
}

/// The number of fields that end in a line, and whether it ends inside quotes.
fn count_fields(line: &str, by: u8, is_open: bool) -> Option<(usize, bool)> {
    let bytes = line.as_bytes();
    if !is_open && !bytes.contains(&b'"') {
        return Some((bytes.iter().filter(|b| **b == by).count(), false));
    }
    let mut is_open = is_open;
    let mut count = 0;
    for (i, b) in bytes.iter().enumerate() {
        match b {
            b'"' if is_open => is_open = false,
            // Quotes start a field, or double inside one.
            b'"' => {
                let before = i.checked_sub(1).map(|i| bytes[i]);
                if !matches!(before, None | Some(b'"')) && before != Some(by) {
                    return None;
                }
                is_open = true;
            }
            b if *b == by && !is_open => count += 1,
            _ => {}
        }
    }
    Some((count, is_open))
}

/// A table among lines: its start and its length.
pub fn bars(
    lines: &[&str],
    written: &dyn Fn(usize) -> String,
    must: &dyn Fn(Range<usize>) -> bool,
    about: &Relevance,
) -> Option<(Range<usize>, Table)> {
    let rule = lines.iter().position(|line| is_rule(line))?;
    // A box has a rule above its header too; the header may have several lines: names, then types.
    let header_end =
        (rule + 2..rule + 2 + MAX_HEADER_LINES).find(|&i| lines.get(i).is_some_and(|line| is_rule(line)));
    let below = header_end.unwrap_or(rule);
    let is_boxed = header_end.is_some();
    let header = lines.get(below.checked_sub(1)?)?;
    let bar = ['│', '┃', '║', '|'].into_iter().find(|bar| header.contains(*bar))?;
    let is_edged = header.trim_start().starts_with(bar) && header.trim_end().ends_with(bar);
    let count = |line: &str| line.matches(bar).count();
    let bars = count(header);
    let cells = if is_edged { bars.checked_sub(1)? } else { bars + 1 };
    let start = if is_boxed { rule } else { below - 1 };
    let fits = |line: &&&str| {
        count(line) == bars
            && !is_rule(line)
            && (line.trim_start().starts_with(bar) && line.trim_end().ends_with(bar)) == is_edged
            // A cell that continues on the next line.
            && !line.trim_end_matches(bar).trim_end().ends_with(['+', '↵', '…'])
    };
    let len = lines[below + 1..].iter().take_while(fits).count();
    let end = below + 1 + len;
    let has_foot = lines.get(end).is_some_and(|line| is_rule(line));
    // A box must have a bottom line, and other tables must end without one.
    if cells < MIN_CELLS || len <= MIN_ROWS || is_boxed != has_foot {
        return None;
    }
    let said = lines[end + usize::from(has_foot)..].iter().take(2).find_map(|line| row_count(line));
    if said.is_some_and(|said| said != len) {
        return None;
    }
    let style = Style::Bars(bar, is_edged);
    let rows: Vec<String> = (below + 1..end).map(written).collect();
    let must = (below + 1..end).map(|i| must(i..i + 1)).collect();
    let ranking = rank(&rows, style, &shares(header, style), about);
    let head = (start..=below).map(written).collect();
    let foot = (end..end + usize::from(has_foot)).map(written).collect();
    Some((start..end + usize::from(has_foot), Table { head, foot, rows, must, style, cells, ranking }))
}

/// `(12 rows)`, `12 rows in set (0.01 sec)`.
fn row_count(line: &str) -> Option<usize> {
    let (count, rest) = line.trim().trim_start_matches('(').split_once(' ')?;
    rest.starts_with("row").then(|| count.parse().ok()).flatten()
}

/// `---+---`, `|---|:-:|`, `├───┼───┤`.
fn is_rule(line: &str) -> bool {
    const JOINTS: &[char] = &[
        '+', '|', '│', '┼', '├', '┤', '┬', '┴', '┌', '┐', '└', '┘', '╪', '╞', '╡', '┿', '┝', '┥', '╭', '╮',
        '╰', '╯',
    ];
    let text = line.trim();
    let dashes = text.chars().filter(|c| matches!(c, '-' | '─' | '═' | '━')).count();
    dashes >= 2
        && text.contains(JOINTS)
        && text.chars().all(|c| matches!(c, '-' | '─' | '═' | '━' | ':' | ' ') || JOINTS.contains(&c))
}

/// The cells of a row.
fn cells_of(row: &str, style: Style) -> Vec<&str> {
    match style {
        Style::Fields(by) => row.split(char::from(by)).collect(),
        Style::Bars(bar, _) => row.split(bar).collect(),
    }
}

/// Which columns hold percentages, by their header: `% Stmts`.
fn shares(header: &str, style: Style) -> Vec<bool> {
    cells_of(header, style).iter().map(|cell| cell.contains('%')).collect()
}

fn rank(rows: &[String], style: Style, shares: &[bool], about: &Relevance) -> Ranking {
    let texts: Vec<&str> = rows.iter().map(String::as_str).collect();
    let scores = about.scores_of(&texts);
    let mut series = Series::default();
    for (row, score) in rows.iter().zip(scores) {
        let cells = cells_of(row, style);
        let mut shape = 0u64;
        for (place, cell) in cells.iter().enumerate() {
            if let Style::Fields(_) = style {
                let inner = cell.trim_matches('"');
                let has_blanks = inner.len() > inner.trim().len();
                series.field(place as u64 | 1 << 41, Value::Form(u64::from(has_blanks)));
            }
            let cell = cell.trim().trim_matches('"');
            // An empty cell changes the shape; the content of a cell does not.
            shape = shape << 1 | u64::from(cell.is_empty());
            let value = number(cell.as_bytes()).map_or_else(|| Value::Word(digest(cell)), Value::Number);
            series.field(place as u64, value);
            // Among many different texts, one may have another form: a date.
            series.field(!(place as u64), Value::Form(form(cell.as_bytes())));
            if let Some(unit) = unit(cell.as_bytes()) {
                series.field(place as u64 | 1 << 42, Value::Form(digest(unit)));
            }
            series.text_at(place as u64, cell, 0);
            if let Value::Number(share) = value
                && shares.get(place) == Some(&true)
            {
                series.percentage_at(place as u64, share, 0);
            }
            if may_be_unique(cell.as_bytes()) {
                series.field(place as u64 | 1 << 40, Value::Id(digest(cell)));
            }
        }
        series.push(Item { shape, score, fails: signals::is_failure(row) });
    }
    series.rank()
}

fn digest(text: impl AsRef<[u8]>) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    hasher.write(text.as_ref());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_csv() {
        let read = |text: &str| csv(&text.lines().collect::<Vec<_>>(), &|_| false, &Relevance::default());
        let rows = "1,\"a, b\",x\n2,\"c\nd\",y\n".repeat(10);
        let table = read(&format!("id,name,note\n{rows}")).unwrap();
        assert_eq!((table.rows.len(), table.cells), (20, 3));
        for text in [
            format!("id,name,note\n{rows}1,2\n"),
            format!("id,name\n{}", "1,2\n".repeat(20)),
            format!("1,2,3\n{rows}"),
            "He said, that it was, after all, a sentence\n".repeat(20),
        ] {
            assert!(read(&text).is_none(), "{text}");
        }
    }

    #[test]
    fn tables_of_clients() {
        let read = |text: &str| {
            let lines: Vec<&str> = text.lines().collect();
            bars(&lines, &|i| lines[i].to_owned(), &|_| false, &Relevance::default())
                .map(|(range, table)| (range, table.rows.len(), table.marker("x")))
        };
        let psql = format!(" id | name \n----+------\n{}(10 rows)\n", "  1 | a\n".repeat(10));
        assert_eq!(read(&psql), Some((0..12, 10, "x |".to_owned())));
        assert_eq!(read(&psql.replace("(10", "(11")), None);
        let markdown = format!("text\n\n| a | b |\n|---|:-:|\n{}\nmore\n", "| 1 | 2 |\n".repeat(10));
        assert_eq!(read(&markdown), Some((2..14, 10, "| x | |".to_owned())));
        let boxed = format!("+---+---+\n| a | b |\n+---+---+\n{}+---+---+\n", "| 1 | 2 |\n".repeat(10));
        assert_eq!(read(&boxed), Some((0..14, 10, "| x | |".to_owned())));
        assert_eq!(read(&boxed.replacen("| 1 | 2 |", "| 1+| 2+|", 1)), None);
        let drawn = format!("┌───┬───┐\n│ a │ b │\n├───┼───┤\n{}└───┴───┘\n", "│ 1 │ 2 │\n".repeat(10));
        assert_eq!(read(&drawn), Some((0..14, 10, "│ x │ │".to_owned())));
    }

    #[test]
    fn rows_around_a_gap_do_not_seem_to_follow_each_other() {
        let table = |head: &str, row: &dyn Fn(usize) -> String| {
            let lines: Vec<String> = std::iter::once(head.to_owned()).chain((0..60).map(row)).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let table = csv(&lines, &|_| false, &Relevance::default()).unwrap();
            table.write(Limits { items: Some(12), string: None, depth: 9, halvings: 0 }).text
        };
        let state = |i: usize| if i == 33 { "broken" } else { "on" };
        let text = table("host,port,state", &|i| format!("h{},80,{}", i * 7919 % 61, state(i)));
        let odd = format!("h{},80,broken", 33 * 7919 % 61);
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.iter().position(|line| *line == odd).unwrap();
        assert!(lines[at - 1].contains("table_rows") && lines[at + 1] == "\"…\",,", "{text}");
        assert_eq!(text.matches("table_rows").count(), 1, "{text}");
        // Rows that begin with their number need no mark at a gap.
        let text = table("row,port,state", &|i| format!("{i},80,{}", state(i)));
        assert!(text.contains("33,80,broken") && !text.contains('…'), "{text}");
    }

    #[test]
    fn the_lowest_share_of_a_coverage_table_stays() {
        let row = |i: usize| {
            format!("ok  \ta/p{i}\t0.1s\tcoverage: {}.{}% of statements\n", 60 + i * 7 % 39, i % 10)
        };
        let text: String = (0..60)
            .map(|i| {
                if i == 33 {
                    row(i).replace(&row(i)[row(i).find("age: ").unwrap() + 5..], "0.0% of statements\n")
                } else {
                    row(i)
                }
            })
            .collect();
        let lines: Vec<&str> = text.lines().collect();
        let table = csv(&lines, &|_| false, &Relevance::default()).unwrap();
        let limits = Limits { items: Some(9), string: None, depth: 9, halvings: 0 };
        assert!(table.write(limits).text.contains("coverage: 0.0%"));
        let rule = "------|---------|---------\n";
        let rows: String = (0..60)
            .map(|i| {
                format!(
                    " a{i}.ts | {}.5 | {}.5 \n",
                    if i == 33 { 31 } else { 40 + i * 7 % 50 },
                    50 + i * 3 % 40
                )
            })
            .collect();
        let text = format!("{rule}File  | % Stmts | % Lines \n{rule}{rows}{rule}");
        let lines: Vec<&str> = text.lines().collect();
        assert!(csv(&lines, &|_| false, &Relevance::default()).is_none(), "a rule is no header");
        let (_, table) = bars(&lines, &|i| lines[i].to_owned(), &|_| false, &Relevance::default()).unwrap();
        assert!(table.write(limits).text.contains(" a33.ts | 31.5"));
    }

    #[test]
    fn an_indented_row_keeps_the_row_that_it_belongs_to() {
        let folder = |name: &str| format!("{name} | 99\n{}", "  a.ts | 100\n".repeat(9));
        let text = format!(
            "File | %\n-----|---\n{}{}  fx.ts | 0\n{}",
            folder("src/a"),
            folder("src/money"),
            folder("src/z")
        );
        let lines: Vec<&str> = text.lines().collect();
        let (_, table) = bars(&lines, &|i| lines[i].to_owned(), &|_| false, &Relevance::default()).unwrap();
        let out = table.write(Limits { items: Some(6), string: None, depth: 9, halvings: 0 }).text;
        let place = |part: &str| out.find(part);
        assert!(place("src/money").is_some() && place("src/money") < place("fx.ts | 0"), "{out}");
    }
}
