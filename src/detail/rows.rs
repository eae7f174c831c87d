//! Outlier rows of values in SQL text: `(417,'SKU-1',5,'2024-13-05'),` among hundreds with a date that exists. They
//! are compared column by column, like the rows of a table.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use crate::elide::plan::{Item, Series, Value};
use crate::stop;
use crate::text::judge::{form, number};

/// Fewest rows of a text that are compared. A choice: a reader expects to see all of fewer rows.
const MIN_ROWS: usize = 20;
/// Rows that the plan may choose besides outliers.
const CHOSEN: usize = 6;
/// Longest row that is compared, in bytes, and most of its columns. Bounds the work.
const MAX_ROW_BYTES: usize = 2000;
const MAX_COLUMNS: usize = 40;

/// The lines with outlier rows, in order.
pub(super) fn odd(lines: &[&str]) -> Vec<usize> {
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
        series.push(Item::default());
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

    fn found(row: impl Fn(usize) -> String) -> Vec<usize> {
        let lines: Vec<String> = (0..200).map(row).collect();
        odd(&lines.iter().map(String::as_str).collect::<Vec<_>>())
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
