//! Columns of a table with a header in capitals that have the same cell in every row (`NOMINATED NODE
//! <none>` of kubectl, `DRIVER local` of docker): the header holds the cell once, and the rows are written without it.
//!
//! Cells are found by the places of the names in the header, so they may be empty or have blanks. A table with a
//! row that does not keep to these places, or that reports a failure, is left as it is.

use unicode_width::UnicodeWidthChar;

use super::columns;
use crate::text::names::IN_EVERY_ROW;
use crate::text::signals;

/// Fewest rows: fewer do not show a pattern.
const MIN_ROWS: usize = 4;
/// Fewest columns of a table.
const MIN_COLUMNS: usize = 2;

/// The lines, with cells that all rows share written only at the header.
pub fn squeeze(lines: &[&str]) -> Option<Vec<String>> {
    let (header, rest) = lines.split_first()?;
    let is_ruled = rest.first().is_some_and(|line| is_rule(line));
    let rows = &rest[usize::from(is_ruled)..];
    if !is_header(header, is_ruled)
        || rows.len() < MIN_ROWS
        || lines
            .iter()
            .any(|line| signals::is_failure(line) || line.chars().any(|c| c.width() != Some(1) && c != '\t'))
    {
        return None;
    }
    let tabs = header.contains('\t');
    let starts = if tabs { Vec::new() } else { starts(header) };
    let cut = |line: &&str| if tabs { at_tabs(line, header) } else { at_places(line, &starts) };
    let table: Vec<Vec<String>> = lines.iter().map(cut).collect::<Option<_>>()?;
    let columns = table[0].len();
    let first = 1 + usize::from(is_ruled);
    let cell = |row: usize, column: usize| {
        crate::stop::check_sometimes();
        table[row][column].trim()
    };
    let same: Vec<bool> =
        (0..columns).map(|c| (first + 1..table.len()).all(|r| cell(r, c) == cell(first, c))).collect();
    // A cell that starts elsewhere than its name may belong to the column beside it.
    let is_in_place = |row: &Vec<String>| {
        crate::stop::check_sometimes();
        row.iter().zip(&table[0]).all(|(cell, name)| {
            !cell.starts_with(' ') || cell.trim().is_empty() || cell.trim_end().len() == name.trim_end().len()
        })
    };
    if !tabs && !table.iter().all(is_in_place) {
        return None;
    }
    if columns < MIN_COLUMNS || !same.contains(&true) || !same.contains(&false) {
        return None;
    }
    let kept: Vec<String> = table.iter().map(|row| join(row, &same, tabs)).collect();
    let lines: Vec<&str> = kept.iter().map(String::as_str).collect();
    let mut out = columns::squeeze(&lines).unwrap_or(kept);
    let said = (0..columns).filter(|&c| same[c]).map(|c| match cell(first, c) {
        "" => format!("{} empty", cell(0, c)),
        value => format!("{} {value}", cell(0, c)),
    });
    let said: Vec<String> = said.collect();
    out.first_mut()?.push_str(&format!("{IN_EVERY_ROW}{})", said.join(", ")));
    Some(out)
}

/// The cells of a row whose columns are not the same in all rows.
fn join(row: &[String], same: &[bool], tabs: bool) -> String {
    crate::stop::check_sometimes();
    let kept = row.iter().zip(same).filter(|(_, same)| !**same).map(|(cell, _)| cell.as_str());
    match tabs {
        true => kept.map(str::trim).collect::<Vec<_>>().join("\t"),
        false => kept.collect::<String>().trim_end().to_owned(),
    }
}

/// Whether a line is a header: names in capitals, or any names above a rule.
fn is_header(line: &str, is_ruled: bool) -> bool {
    let starts = |name: &str| name.starts_with(|c: char| c.is_ascii_uppercase());
    let mut names = line.split("  ").map(str::trim).filter(|name| !name.is_empty());
    line.is_ascii() && names.all(starts) && (is_ruled || !line.contains(|c: char| c.is_ascii_lowercase()))
}

fn is_rule(line: &str) -> bool {
    line.contains("--") && line.bytes().all(|b| matches!(b, b'-' | b' '))
}

/// Where the names of a header start; two blanks are between them at least.
fn starts(header: &str) -> Vec<usize> {
    let bytes = header.as_bytes();
    let begins = |&i: &usize| bytes[i] != b' ' && (i == 0 || i > 1 && bytes[i - 2..i] == *b"  ");
    (0..bytes.len()).filter(begins).collect()
}

/// The cells of a row with their padding; `None` if a cell has no blank before it.
fn at_places(line: &str, starts: &[usize]) -> Option<Vec<String>> {
    crate::stop::check_sometimes();
    let chars: Vec<char> = line.chars().collect();
    let mut cells = Vec::with_capacity(starts.len());
    for (i, &start) in starts.iter().enumerate() {
        if start > 0 && chars.get(start - 1).is_some_and(|c| *c != ' ') {
            return None;
        }
        let end = starts.get(i + 1).map_or(chars.len(), |end| (*end).min(chars.len()));
        cells.push(chars.get(start..end).unwrap_or_default().iter().collect());
    }
    (starts.first() == Some(&0) && !line.contains('\t')).then_some(cells)
}

/// The cells of a row between tabs, as many as the header has.
fn at_tabs(line: &str, header: &str) -> Option<Vec<String>> {
    crate::stop::check_sometimes();
    let cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
    (cells.len() == header.split('\t').count()).then_some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squeezed(text: &str) -> Option<String> {
        squeeze(&text.lines().collect::<Vec<_>>()).map(|rows| rows.join("\n"))
    }

    #[test]
    fn what_all_rows_have_is_written_once() {
        let text = "NAME    READY   AGE   NODE NAME   GATES\na       1/1     5d    n 1         <none>\nbcd     1/1     6d    n 1         <none>\nc       1/1     7d    n 1         <none>\nd       1/1     7d    n 1         <none>";
        let out =
            "NAME AGE  (in every row: READY 1/1, NODE NAME n 1, GATES <none>)\na 5d\nbcd 6d\nc 7d\nd 7d";
        assert_eq!(squeezed(text).as_deref(), Some(out));
        let text =
            "DRIVER  NOTE  VOLUME NAME\nlocal         a\nlocal         b\nlocal         c\nlocal         d";
        let out = "VOLUME NAME  (in every row: DRIVER local, NOTE empty)\na\nb\nc\nd";
        assert_eq!(squeezed(text).as_deref(), Some(out));
        let text = "NAME\tSPACE \tAGE\na   \tprod  \t1\nb   \tprod  \t2\nc   \tprod  \t3\nd   \tprod  \t4";
        assert_eq!(
            squeezed(text).as_deref(),
            Some("NAME\tAGE  (in every row: SPACE prod)\na\t1\nb\t2\nc\t3\nd\t4")
        );
    }

    #[test]
    fn what_stays() {
        for text in [
            // Three rows, a failure, a cell across the place of the next, no capitals.
            "NAME    READY   AGE\na       1/1     5d\nb       1/1     6d\nc       1/1     7d",
            "NAME    STATUS  AGE\na       Error   5d\nb       Error   6d\nc       Error   7d\nd       Error   8d",
            "NAME    READY   AGE\na       1/1     5d\nlong-name 1/1   6d\nc       1/1     7d\nd       1/1     8d",
            "NAME    READY   AGE\na         1/1   5d\nb         1/1   6d\nc          1/1  7d\nd         1/1   8d",
            "name    ready   age\na       1/1     5d\nb       1/1     6d\nc       1/1     7d\nd       1/1     8d",
        ] {
            assert_eq!(squeezed(text), None, "{text}");
        }
    }
}
