//! Outliers in a file whose parts are alike: the line in which one function differs from all others, such as handlers
//! and accessors, and rows of values in SQL text: `(417,'SKU-1',5,'2024-13-05'),` among hundreds with a date that exists.
//!
//! Functions with the same number of lines are compared line by line: first by the text of a line, then by its
//! shape, which is its punctuation with one letter for each word. Time is linear in the lines of these functions. Rows
//! are compared column by column, like the rows of a table.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::Lines;
use crate::elide::plan::{Item as Row, Series, Value};
use crate::outline::{Item, Kind};
use crate::stop;
use crate::text::judge::{form, number};

/// Fewest functions of one length that show the usual form, and most lines of one. A choice; the second bounds the
/// work if functions are nested.
const MIN_SIBLINGS: usize = 8;
const MAX_BODY_LINES: usize = 40;
/// A function that differs in more lines than this is unrelated, not an outlier. A choice.
const MAX_UNLIKE_LINES: usize = 2;
/// The most such lines in a file. A choice.
const MAX_SHOWN: usize = 6;

/// The lines in which one function differs from all others of its length.
pub(super) fn unlike(lines: &[&str], items: &[Item<'_>]) -> Vec<usize> {
    let is_compared = |item: &&Item<'_>| {
        item.kind == Kind::Function && !item.body.is_empty() && item.body.len() <= MAX_BODY_LINES
    };
    let mut bodies: Vec<Lines> = items.iter().filter(is_compared).map(|item| item.body.clone()).collect();
    bodies.sort_unstable_by_key(|body| (body.len(), body.start));
    let mut out = Vec::new();
    for alike in bodies.chunk_by(|a, b| a.len() == b.len()).filter(|alike| alike.len() >= MIN_SIBLINGS) {
        // For each line in which all functions but one agree: the function that differs, and the line.
        let mut odd: Vec<(usize, usize)> = Vec::new();
        for at in 0..alike[0].len() {
            stop::check_sometimes();
            let texts: Vec<&str> =
                alike.iter().map(|body| lines.get(body.start + at).map_or("", |line| line.trim())).collect();
            let found = odd_one(&texts).or_else(|| {
                let shapes: Vec<String> = texts.iter().map(|text| shape(text)).collect();
                odd_one(&shapes)
            });
            odd.extend(found.map(|function| (function, alike[function].start + at)));
        }
        odd.sort_unstable();
        for of_one in odd.chunk_by(|a, b| a.0 == b.0).filter(|of_one| of_one.len() <= MAX_UNLIKE_LINES) {
            out.extend(of_one.iter().map(|(_, line)| *line));
        }
    }
    out.sort_unstable();
    out.dedup();
    if out.len() <= MAX_SHOWN { out } else { Vec::new() }
}

/// The one value that differs from all others, which are equal.
fn odd_one<T: PartialEq>(values: &[T]) -> Option<usize> {
    let [first, second, third, ..] = values else { return None };
    let usual = if first == second || first == third { first } else { second };
    let mut others = (0..values.len()).filter(|i| values[*i] != *usual);
    others.next().filter(|_| others.next().is_none())
}

/// The shape of a line: its punctuation, with a letter for each word or number.
fn shape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_word = false;
    for c in text.chars() {
        let is_word = c.is_alphanumeric() || c == '_';
        if !is_word {
            out.push(c);
        } else if !in_word {
            out.push('a');
        }
        in_word = is_word;
    }
    out
}

/// Fewest rows of a text that are compared. A choice: a reader expects to see all of fewer rows.
const MIN_ROWS: usize = 20;
/// Rows that the plan may choose besides outliers.
const CHOSEN: usize = 6;
/// Longest row that is compared, in bytes, and most of its columns. Bounds the work.
const MAX_ROW_BYTES: usize = 2000;
const MAX_COLUMNS: usize = 40;

/// The lines with outlier rows, in order.
pub(super) fn odd_rows(lines: &[&str]) -> Vec<usize> {
    let mut series = Series::default();
    let mut rows = Vec::new();
    // The fields of the first row: rows of other tables have others.
    let mut count = None;
    let hasher = FixedState::default();
    for (line, text) in lines.iter().enumerate() {
        stop::check_sometimes();
        let Some(cells) = cells(text) else { continue };
        if *count.get_or_insert(cells.len()) != cells.len() {
            continue;
        }
        let mut name = 0;
        for cell in &cells {
            let cell = cell.trim().trim_matches('\'').as_bytes();
            let value = number(cell).map_or_else(|| Value::Word(hasher.hash_one(cell)), Value::Number);
            series.field(name, value);
            series.field(name + 1, Value::Form(form(cell)));
            name += 2;
        }
        series.push(Row::default());
        rows.push(line);
    }
    if rows.len() < MIN_ROWS {
        return Vec::new();
    }
    let keep = series.rank().keep(CHOSEN);
    rows.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(line, _)| line).collect()
}

/// The values between the parentheses of a row: `(1,'a, b',NULL),`, also after `INSERT INTO t VALUES `.
fn cells(line: &str) -> Option<Vec<&str>> {
    let line = line.trim();
    let row = line.strip_prefix('(').or_else(|| {
        let (start, row) = line.split_once("VALUES (").or_else(|| line.split_once("values ("))?;
        start.get(..6).filter(|verb| verb.eq_ignore_ascii_case("insert"))?;
        Some(row)
    })?;
    let row = row.trim_end_matches([',', ';']).strip_suffix(')').filter(|row| row.len() <= MAX_ROW_BYTES)?;
    let mut cells = Vec::new();
    let (mut from, mut is_open) = (0, false);
    for (at, byte) in row.bytes().enumerate() {
        match byte {
            b'\'' => is_open = !is_open,
            b',' if !is_open => {
                cells.push(row.get(from..at)?);
                from = at + 1;
            }
            // More than one row, or an expression.
            b'(' | b')' if !is_open => return None,
            _ => {}
        }
    }
    cells.push(row.get(from..)?);
    (!is_open && (2..=MAX_COLUMNS).contains(&cells.len())).then_some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::{Language, outline};

    fn odd_lines(odd: &str, other: &str) -> Vec<String> {
        let function = |i: usize| {
            let (range, call) = if i == 5 { (odd, other) } else { ("range(retries)", "self.db.fetch") };
            format!(
                "def run_{i}(self):\n    for n in {range}:\n        {call}('name{i}', n)\n    return None\n\n"
            )
        };
        let text: String = (0..12).map(function).collect();
        let lines: Vec<&str> = text.lines().collect();
        let items = outline(Language::of(Some("a.py"), "").unwrap(), &lines).unwrap();
        unlike(&lines, &items).into_iter().map(|line| lines[line].trim().to_owned()).collect()
    }

    #[test]
    fn the_line_that_sets_a_function_apart() {
        assert_eq!(odd_lines("range(retries + 1)", "self.db.fetch"), ["for n in range(retries + 1):"]);
        assert_eq!(odd_lines("range(attempts)", "self.db.fetch"), ["for n in range(attempts):"]);
        assert_eq!(odd_lines("range(retries)", "self.fetch"), ["self.fetch('name5', n)"]);
        assert!(odd_lines("range(retries)", "self.db.fetch").is_empty());
    }

    #[test]
    fn one_of_many_differs() {
        assert_eq!(odd_one(&[1, 2, 2, 2]), Some(0));
        assert_eq!(odd_one(&[2, 1, 2, 2]), Some(1));
        assert_eq!(odd_one(&[2, 2, 2, 1]), Some(3));
        assert_eq!(odd_one(&[2, 2, 1, 1]), None);
        assert_eq!(odd_one(&[2, 2, 2]), None);
    }

    fn found(row: impl Fn(usize) -> String) -> Vec<usize> {
        let lines: Vec<String> = (0..200).map(row).collect();
        odd_rows(&lines.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn rows_unlike_the_others() {
        let date = |i: usize| format!("2024-{:02}-{:02}", 1 + i % 12, 1 + i * 7 % 28);
        let row =
            |i: usize, date: &str, amount: usize| format!("({i},'N-{}',{amount},'{date}'),", i * 31 % 997);
        for odd in ["2024-13-05", "0000-00-00", "2041-01-01"] {
            let lines = found(|i| row(i, &if i == 90 { odd.to_owned() } else { date(i) }, 1 + i % 30));
            assert!(lines.contains(&90) && lines.len() < 12, "{odd} {lines:?}");
        }
        let lines = found(|i| row(i, &date(i), if i == 90 { 88_000 } else { 1 + i % 30 }));
        assert!(lines.contains(&90), "{lines:?}");
        let insert =
            |i: usize| format!("INSERT INTO `t` VALUES ({i},'{}','x');", if i == 90 { "b" } else { "a" });
        assert!(found(insert).contains(&90));
        assert_eq!(found(|i| format!("call({i}, 2)")), [0; 0]);
    }

    #[test]
    fn cells_of_rows() {
        assert_eq!(cells("(1,'a, (b)',NULL),"), Some(vec!["1", "'a, (b)'", "NULL"]));
        assert_eq!(cells("INSERT INTO t VALUES (1,2);"), Some(vec!["1", "2"]));
        for line in ["(1,2),(3,4),", "(1)", "f(1,2)", "(1,now()),", "(1,'a", "("] {
            assert_eq!(cells(line), None, "{line}");
        }
    }
}
