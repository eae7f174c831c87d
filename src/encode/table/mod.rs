//! Removes the padding of aligned tables: runs of blanks between columns become one blank, cells between pipes
//! keep one blank on each side, and rules and rows written as one line per column become shorter. A column that
//! has the same cell in every row is written once, at the header.
//!
//! This is done only where the padding carries no meaning. Where blanks alone separate the columns, every cell
//! but the last of a row must be one word, so that a cell can still be found by counting; a table with an empty
//! cell stays as it is. So does anything that may not be a table: source code, indented text, drawings, dumps,
//! trees, YAML. Files, searches and diffs are never changed.

mod columns;
mod expanded;
mod grid;
mod nested;
mod same;

use std::ops::Range;

use super::{Encoder, fold};
use crate::input::Input;
use crate::text::ledger::{Ledger, Reduction};
use crate::text::reason::Reason;
use crate::text::source::Source;

/// Fewest lines of a table: fewer do not show an alignment.
const MIN_LINES: usize = 3;
/// A table is rewritten only if that removes more than 1/N of its bytes. A run of blanks is a single token, so
/// small gains in bytes save no tokens.
const MIN_GAIN: usize = 10;

/// The encoder of this module.
pub struct TableWhitespace;

impl Encoder for TableWhitespace {
    fn id(&self) -> &'static str {
        "table_whitespace"
    }

    fn encode(&self, input: &Input<'_>, ledger: &Ledger) -> Result<Reduction, Reason> {
        let source = input.source;
        let padded = |pad: &str| memchr::memmem::find(source.text().as_bytes(), pad.as_bytes()).is_some();
        let is_drawn = || !source.text().is_ascii() && (padded("──") || padded("━━"));
        if !(padded("   ") || padded("----") || is_drawn()) || crate::input::is_exact_text(input) {
            return Err(Reason::NothingToDo);
        }
        let mut out = Reduction::default();
        for kept in ledger.kept() {
            let lines: Vec<&str> = kept.clone().map(|i| source.line(i).trim_end()).collect();
            for (range, rows) in tables(&lines) {
                push(source, kept.start + range.start, rows, &mut out);
            }
        }
        if out.is_empty() {
            return Err(Reason::NothingToDo);
        }
        spare_tables(source, ledger, &mut out);
        if out.is_empty() { Err(Reason::NothingToDo) } else { Ok(out) }
    }
}

/// Adds one span per line, so that a later cap can cut a long table between its rows.
fn push(source: &Source<'_>, first: usize, rows: Vec<String>, out: &mut Reduction) {
    for (line, row) in (first..).zip(rows) {
        if row != source.line(line) {
            out.replace(line..line + 1, row, Reason::TableWhitespace);
        }
    }
}

/// Leaves tables whole when some of their rows would become repetitions.
fn spare_tables(source: &Source<'_>, ledger: &Ledger, out: &mut Reduction) {
    let before: Vec<usize> = out.spans.iter().map(|span| span.lines.start).collect();
    fold::spare_repeats(source, ledger, out);
    let after: Vec<usize> = out.spans.iter().map(|span| span.lines.start).collect();
    let mut gone = before.into_iter().filter(|line| after.binary_search(line).is_err()).peekable();
    let blank = |line: &usize| source.line(*line).trim().is_empty();
    let mut end = 0;
    let mut whole: Vec<std::ops::Range<usize>> = Vec::new();
    while let Some(line) = gone.next() {
        if line < end {
            continue;
        }
        let start = (0..line).rev().find(blank).map_or(0, |i| i + 1);
        end = (line..source.len()).find(blank).unwrap_or(source.len());
        whole.push(start..end);
        while gone.next_if(|line| *line < end).is_some() {}
    }
    // In order and apart: the first that ends after a line is the only one that may hold it.
    let holds = |line: usize| whole.get(whole.partition_point(|table| table.end <= line));
    out.spans.retain(|span| !holds(span.lines.start).is_some_and(|table| table.contains(&span.lines.start)));
}

/// The lines as this encoder would write them.
pub(crate) fn squeezed(lines: &[&str]) -> Vec<String> {
    let trimmed: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let mut out: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    for (range, rows) in tables(&trimmed) {
        out[range].clone_from_slice(&rows);
    }
    out
}

/// The tables among some lines and their rows with less padding, one for each line.
fn tables(lines: &[&str]) -> Vec<(Range<usize>, Vec<String>)> {
    let mut found = Vec::new();
    for paragraph in chunks(lines, 0..lines.len(), |line| line.trim().is_empty()) {
        let mut free = paragraph.start;
        while let Some(rows) = expanded::find(&lines[free..paragraph.end]) {
            let rows = free + rows.start..free + rows.end;
            free = rows.end;
            found.extend(gaining(&lines[rows.clone()], expanded::squeeze).map(|written| (rows, written)));
        }
        while let Some(rows) = nested::find(&lines[free..paragraph.end]) {
            let rows = free + rows.start..free + rows.end;
            aligned(lines, free..rows.start, &mut found);
            free = rows.end;
            found.extend(gaining(&lines[rows.clone()], nested::squeeze).map(|written| (rows, written)));
        }
        let behind = free;
        for grid in grid::find(&lines[behind..paragraph.end]) {
            let grid = behind + grid.start..behind + grid.end;
            aligned(lines, free..grid.start, &mut found);
            free = grid.end;
            found.extend(gaining(&lines[grid.clone()], grid::squeeze).map(|rows| (grid, rows)));
        }
        aligned(lines, free..paragraph.end, &mut found);
    }
    found
}

/// The tables that are aligned by blanks alone.
fn aligned(lines: &[&str], range: Range<usize>, found: &mut Vec<(Range<usize>, Vec<String>)>) {
    for block in chunks(lines, range, columns::is_separator) {
        if block.len() < MIN_LINES || has_outlying_rows(lines, &block) {
            continue;
        }
        let squeeze = |lines: &[&str]| same::squeeze(lines).or_else(|| columns::squeeze(lines));
        found.extend(gaining(&lines[block.clone()], squeeze).map(|rows| (block, rows)));
    }
}

/// Whether a header or a footer may be separate from the block: then only the alignment shows to which
/// columns its words belong.
fn has_outlying_rows(lines: &[&str], block: &Range<usize>) -> bool {
    let apart =
        |run: Vec<&&str>| run.len() < MIN_LINES && run.iter().any(|line| line.trim_start().contains("  "));
    let blank = |line: &&&str| line.trim().is_empty();
    let filled = |line: &&&str| !line.trim().is_empty();
    let before = lines[..block.start].iter().rev().skip_while(blank).take_while(filled).take(MIN_LINES);
    let after = lines[block.end..].iter().skip_while(blank).take_while(filled).take(MIN_LINES);
    apart(before.collect()) || apart(after.collect())
}

/// Rows with less padding, if that saves enough and a second run would not change them.
fn gaining(lines: &[&str], squeeze: impl Fn(&[&str]) -> Option<Vec<String>>) -> Option<Vec<String>> {
    let gain = |before: &[&str], after: &[String]| {
        let before: usize = before.iter().map(|line| line.len() + 1).sum();
        let after: usize = after.iter().map(|line| line.len() + 1).sum();
        after + before / MIN_GAIN < before
    };
    let rows = squeeze(lines).filter(|rows| gain(lines, rows))?;
    let again: Vec<&str> = rows.iter().map(String::as_str).collect();
    match squeeze(&again) {
        Some(twice) if gain(&again, &twice) => None,
        _ => Some(rows),
    }
}

/// Runs of lines between separators.
fn chunks(lines: &[&str], range: Range<usize>, is_separator: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for i in range.filter(|&i| !is_separator(lines[i])) {
        crate::stop::check_sometimes();
        match out.last_mut() {
            Some(last) if last.end == i => last.end = i + 1,
            _ => out.push(i..i + 1),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn squeezed(text: &str) -> Option<String> {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let mut out: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let found = tables(&lines);
        for (range, rows) in &found {
            assert_eq!(range.len(), rows.len());
            out[range.clone()].clone_from_slice(rows);
        }
        (!found.is_empty()).then(|| out.join("\n"))
    }

    /// Cells padded to a common width, left or right.
    fn padded(cells: &[Vec<String>], right: &[bool], gap: usize) -> String {
        let width = |c: usize| cells.iter().map(|row| row[c].len()).max().unwrap_or(0);
        let line = |row: &Vec<String>| {
            let cell = |(c, text): (usize, &String)| match right[c] {
                true => format!("{text:>0$}", width(c)),
                false => format!("{text:<0$}", width(c)),
            };
            row.iter().enumerate().map(cell).collect::<Vec<_>>().join(&" ".repeat(gap))
        };
        cells.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    fn table(cell: &'static str) -> impl Strategy<Value = (Vec<Vec<String>>, Vec<bool>, usize)> {
        (3usize..6).prop_flat_map(move |columns| {
            let row = proptest::collection::vec(cell, columns);
            (
                proptest::collection::vec(row, 3..9),
                proptest::collection::vec(any::<bool>(), columns),
                1usize..6,
            )
        })
    }

    proptest! {
        #[test]
        fn every_cell_of_a_table_stays((cells, right, gap) in table("[a-z0-9][a-z0-9./%]{0,14}")) {
            let mut right = right;
            right[0] = false;
            let text = padded(&cells, &right, gap);
            if let Some(out) = squeezed(&text) {
                let back: Vec<Vec<&str>> = out.lines().map(|line| line.split(' ').collect()).collect();
                prop_assert_eq!(back, cells);
                prop_assert_eq!(squeezed(&out), None);
                prop_assert!(out.len() < text.len());
            } else {
                // A table stays only if rewriting does not pay, or if it may be a dump of addresses and bytes, or a
                // stack trace.
                let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
                let dense = cells.iter().map(|row| row.join(" ").len() + 1).sum::<usize>();
                let sparse = lines.iter().map(|line| line.len() + 1).sum::<usize>();
                let trace = cells.iter().any(|row| row[0] == "at");
                prop_assert!(dense + sparse / MIN_GAIN >= sparse || cells[0][0].len() >= 6 || trace, "{}", text);
            }
        }

        #[test]
        fn an_empty_cell_keeps_a_table((cells, right, gap) in table("[a-z0-9]{1,9}"), row in any::<prop::sample::Index>(), column in any::<prop::sample::Index>()) {
            let mut cells = cells;
            let (row, columns) = (row.index(cells.len()), cells[0].len());
            let column = column.index(columns - 1);
            // Another row shows that there is a column.
            cells[row][column] = String::new();
            cells.push(cells[(row + 1) % cells.len()].clone());
            prop_assert_eq!(squeezed(&padded(&cells, &right, gap + 1)), None);
        }

        #[test]
        fn cells_between_pipes_stay(cells in proptest::collection::vec(proptest::collection::vec("([a-zäß][a-z ]{0,9}[a-z])?", 3), 3..8), kind in 0usize..3) {
            let width = |c: usize| cells.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
            let row = |row: &Vec<String>, edge: &str| {
                let cells: Vec<String> = row.iter().enumerate().map(|(c, cell)| format!(" {cell:<0$} ", width(c))).collect();
                format!("{edge}{}{edge}", cells.join("|"))
            };
            let rule = |joint: &str, edge: &str| {
                let dashes: Vec<String> = (0..3).map(|c| "-".repeat(width(c) + 2)).collect();
                format!("{edge}{}{edge}", dashes.join(joint))
            };
            let (joint, edge, rule_edge) = [("|", "|", "|"), ("+", "", ""), ("+", "|", "+")][kind];
            let mut lines: Vec<String> = cells.iter().map(|cells| row(cells, edge)).collect();
            lines.insert(1, rule(joint, rule_edge));
            if kind == 2 {
                lines.insert(0, rule(joint, rule_edge));
                lines.push(rule(joint, rule_edge));
            }
            let text = lines.join("\n");
            if let Some(out) = squeezed(&text) {
                let back: Vec<Vec<String>> = out
                    .lines()
                    .filter(|line| !line.contains("--"))
                    .map(|line| {
                        let line = line.strip_prefix('|').filter(|_| kind != 1).unwrap_or(line);
                        let line = line.strip_suffix('|').filter(|_| kind != 1).unwrap_or(line);
                        line.split('|').map(|cell| cell.trim().to_owned()).collect()
                    })
                    .collect();
                prop_assert_eq!(back, cells);
                prop_assert_eq!(squeezed(&out), None);
            }
        }
    }

    #[test]
    fn what_stays() {
        for text in [
            // Source code.
            "int      a    = 1;\nint      bcd  = 2;\nunsigned e    = 3;",
            "  case A:    return one     two\n  case B:    return three   four\n  case CC:   return five    six",
            "#define A      1      x\n#define BCD    2      y\n#define EFGH   3      z",
            "mov    eax,     ebx     x\npush   ecx,     edx     y\npop    esi,     edi     z",
            // YAML, options, trees, dumps, blame, art.
            "name:      a     b\nversion:   c     d\nlicence:   e     f",
            "  -v, --verbose     say more\n  -q, --quiet       say less\n  -h, --help        this text",
            "a              x      y\n├── b          x      y\n└── c          x      y",
            "00000000: 7f45 4c46      .ELF     a\n00000010: 0300 3e00      ..>.     b\n00000020: 4000 0000      @...     c",
            "1a2b3c4d (Ada     2026-01-01 1) x     y\n1a2b3c4d (Ada     2026-01-01 2) x     y\n1a2b3c4d (Ada     2026-01-01 3) x     y",
            "*      *      *\n  *    *    *\n    *  *  *",
            // Blanks inside cells.
            "IMAGE         CREATED         SIZE\nnginx         3 weeks ago     187MB\npostgres      2 days ago      379MB",
            // An unnamed or unfilled column.
            "NAME      READY     AGE\na                   1d\nb                   2d",
            "NAME      AGE       NOTE\na         1d\nb         2d",
            // The header stands apart.
            "NAME      READY     AGE\n\na1        x         1d\nb1        y         2d\nc1        z         3d",
            // Pipes without a rule, with one too many, and with an open end.
            "| a      | b      |\n| c      | d      |\n| e      | f      |",
            "| a      | b      |\n|--------|--------|\n| e   | f | g     |",
            "+--------+--------+\n| a      | b      |\n+--------+--------+\n| c      | d      |",
        ] {
            assert_eq!(squeezed(text), None, "{text}");
        }
    }

    #[test]
    fn indentation_inside_a_cell_stays() {
        let text = "+----------------------+------+\n| plan                 | cost |\n+----------------------+------+\n| join                 |   10 |\n|   scan               |    9 |\n+----------------------+------+";
        let out = "+---+---+\n| plan | cost |\n+---+---+\n| join | 10 |\n|   scan | 9 |\n+---+---+";
        assert_eq!(squeezed(text).as_deref(), Some(out));
    }

    #[test]
    fn the_last_column_is_free_text() {
        let text = "USER       PID COMMAND\nroot         1 init\nada      23192 ls  -l   'a  b'\nada      23193 sh -c x";
        let out = "USER PID COMMAND\nroot 1 init\nada 23192 ls  -l   'a  b'\nada 23193 sh -c x";
        assert_eq!(squeezed(text).as_deref(), Some(out));
    }
}
