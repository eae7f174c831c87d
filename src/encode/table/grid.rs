//! Tables with a rule whose cells are separated by pipes: Markdown, psql, mysql, box drawing.
//!
//! The pipes separate the cells, so empty cells lose their padding too. Text that is indented inside a cell, such
//! as a query plan, keeps its indentation.

use std::ops::Range;

/// The style of a table, by its rule.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `|---|:-:|`, under the header.
    Markdown,
    /// `---+---`, under the header; no outer pipes.
    Psql,
    /// `+---+---+`, first, last, and anywhere between.
    Boxed,
}

const PIPES: [char; 4] = ['|', '│', '┃', '║'];
const DASHES: [char; 6] = ['-', '=', '─', '━', '═', '╌'];

/// How often a line may be read on average to find the ends of tables. Bounds the work.
const MAX_READS_PER_LINE: usize = 16;

/// The tables among lines, without those whose rows do not fit their rules.
pub fn find(lines: &[&str]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    // Consecutive rules that belong to no table are each read to the last one.
    let mut lines_left = MAX_READS_PER_LINE * lines.len();
    while at < lines.len() && lines_left > 0 {
        let free = found.last().map_or(0, |last| last.end);
        match style(lines[at]).and_then(|style| extent(lines, free, at, style, &mut lines_left)) {
            Some(range) => {
                at = range.end;
                found.push(range);
            }
            None => at += 1,
        }
    }
    found
}

/// The lines of the table that a rule belongs to.
fn extent(
    lines: &[&str],
    free: usize,
    rule: usize,
    style: Style,
    lines_left: &mut usize,
) -> Option<Range<usize>> {
    let cells = rule_cells(lines[rule], style);
    if cells < 2 {
        return None;
    }
    let start =
        if style == Style::Boxed { rule } else { rule.checked_sub(1).filter(|start| *start >= free)? };
    let fits = |line: &str| match style {
        Style::Boxed if self::style(line) == Some(Style::Boxed) => rule_cells(line, style) == cells,
        _ => split(line, style).is_some_and(|row| row.len() == cells),
    };
    let behind = lines[rule + 1..].iter().take_while(|line| fits(line)).count();
    *lines_left = lines_left.saturating_sub(behind);
    let end = rule + 1 + behind;
    let closed = match style {
        Style::Boxed => self::style(lines[end - 1]) == Some(Style::Boxed) && behind > 1,
        // A row with another number of pipes may have a pipe inside a cell: then the cells are uncertain.
        _ => fits(lines[start]) && lines.get(end).is_none_or(|line| !line.contains(PIPES)),
    };
    let indent = indentation(lines[start]);
    let even = style == Style::Psql || lines[start..end].iter().all(|line| indentation(line) == indent);
    (closed && even && end - start >= super::MIN_LINES).then_some(start..end)
}

/// What kind of rule a line is, if it is one.
fn style(line: &str) -> Option<Style> {
    crate::stop::check_sometimes();
    let line = line.trim();
    let first = line.chars().next()?;
    let joint = |c: char| c == '+' || (('\u{2500}'..='\u{257f}').contains(&c) && !DASHES.contains(&c));
    if !(matches!(first, '|' | '-') || joint(first)) || line.len() < 3 || !line.contains(DASHES) {
        return None;
    }
    let all = |more: &[char]| line.chars().all(|c| DASHES.contains(&c) || more.contains(&c));
    if first == '|' && line.ends_with('|') && all(&['|', ':', ' ']) {
        let cells = line[1..line.len() - 1].split('|');
        let is_rule = |cell: &str| {
            let cell = cell.trim();
            let dashes = cell.strip_prefix(':').unwrap_or(cell);
            let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
            !dashes.is_empty() && dashes.bytes().all(|b| b == b'-')
        };
        return { cells }.all(is_rule).then_some(Style::Markdown);
    }
    if first == '-' && line.contains("-+-") && line.ends_with('-') && all(&['+']) && !line.contains("++") {
        return Some(Style::Psql);
    }
    let ends = joint(first) && line.chars().next_back().is_some_and(joint);
    (ends && line.chars().all(|c| DASHES.contains(&c) || joint(c))).then_some(Style::Boxed)
}

fn rule_cells(line: &str, style: Style) -> usize {
    let line = line.trim();
    match style {
        Style::Markdown => line.matches('|').count() - 1,
        _ => line.split(|c| !DASHES.contains(&c)).filter(|dashes| !dashes.is_empty()).count(),
    }
}

/// The cells of a row with their padding.
fn split(line: &str, style: Style) -> Option<Vec<&str>> {
    crate::stop::check_sometimes();
    let body = match style {
        Style::Psql => line,
        _ => {
            let line = line.trim();
            line.strip_prefix(PIPES)?.strip_suffix(PIPES)?
        }
    };
    let mut cells = Vec::new();
    let mut from = 0;
    for (at, pipe) in body.match_indices(PIPES) {
        if style == Style::Markdown && (pipe != "|" || body[..at].ends_with('\\')) {
            continue;
        }
        cells.push(&body[from..at]);
        from = at + pipe.len();
    }
    cells.push(&body[from..]);
    Some(cells)
}

/// The lines of a table that `find` found, with less padding.
pub fn squeeze(lines: &[&str]) -> Option<Vec<String>> {
    let (rule, style) = lines.iter().enumerate().find_map(|(i, line)| Some((i, style(line)?)))?;
    let is_rule: Vec<bool> = match style {
        Style::Boxed => lines.iter().map(|line| self::style(line) == Some(style)).collect(),
        _ => (0..lines.len()).map(|i| i == rule).collect(),
    };
    let first_row = is_rule.iter().position(|is| !is)?;
    let body = (first_row..lines.len()).find(|&i| is_rule[i])? + 1;
    let rows: Vec<Option<Vec<&str>>> = lines
        .iter()
        .zip(&is_rule)
        .map(|(line, is_rule)| if *is_rule { Some(Vec::new()) } else { split(line, style) })
        .collect();
    let columns = rows.get(first_row)?.as_ref()?.len();
    let trims: Vec<bool> = (0..columns)
        .map(|column| {
            let cells = rows[body.min(rows.len())..].iter().flatten().filter_map(|row| row.get(column));
            style == Style::Markdown || may_trim_front(cells.copied())
        })
        .collect();
    let write = |(i, line): (usize, &&str)| {
        let indent = if style == Style::Psql { "" } else { &line[..indentation(line)] };
        if is_rule[i] {
            return Some(format!("{indent}{}", short_rule(line.trim(), style)));
        }
        let mut pipes = line.chars().filter(|c| PIPES.contains(c));
        let mut out = indent.to_owned();
        if style != Style::Psql {
            out.extend(pipes.next());
        }
        let row = rows[i].as_ref()?;
        for (column, cell) in row.iter().enumerate() {
            if column > 0 {
                out.push(if style == Style::Markdown { '|' } else { pipes.next()? });
            }
            write_cell(&mut out, cell, i < body || trims[column]);
        }
        out.extend(pipes.next_back().filter(|_| style != Style::Psql));
        Some(out.trim_end().to_owned())
    };
    lines.iter().enumerate().map(write).collect()
}

/// Whether blanks before the text of a column are padding: all texts start at the same place, or they are numbers,
/// which are aligned to the right.
fn may_trim_front<'a>(cells: impl Iterator<Item = &'a str> + Clone) -> bool {
    let filled = || cells.clone().filter(|cell| !cell.trim().is_empty());
    let is_number = |cell: &str| {
        let cell = cell.trim();
        cell.bytes().any(|b| b.is_ascii_digit())
            && cell.bytes().all(|b| b.is_ascii_digit() || b"+-.,%eE".contains(&b))
    };
    filled().all(|cell| indentation(cell) <= 1) || filled().all(is_number)
}

/// The text of a cell, with one blank on each side that had any.
fn write_cell(out: &mut String, cell: &str, trim_front: bool) {
    crate::stop::check_sometimes();
    let text = cell.trim_matches(' ');
    if text.is_empty() {
        out.push_str(if cell.is_empty() { "" } else { " " });
        return;
    }
    let front = cell.len() - cell.trim_start_matches(' ').len();
    let front = if trim_front { front.min(1) } else { front };
    out.extend(std::iter::repeat_n(' ', front));
    out.push_str(text);
    if cell.ends_with(' ') {
        out.push(' ');
    }
}

/// A rule with at most three dashes a cell.
fn short_rule(rule: &str, style: Style) -> String {
    let mut out = String::new();
    let mut run = 0;
    let mut last = '\0';
    for c in rule.chars().filter(|c| style != Style::Markdown || *c != ' ') {
        run = if c == last { run + 1 } else { 1 };
        last = c;
        if !DASHES.contains(&c) || run <= 3 {
            out.push(c);
        }
    }
    out
}

fn indentation(line: &str) -> usize {
    crate::stop::check_sometimes();
    line.len() - line.trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_no_table_are_not_read_over_and_over() {
        let mut left = 100;
        assert_eq!(extent(&["└──┘"; 50], 0, 0, Style::Boxed, &mut left), None);
        assert_eq!(left, 100);
        let mut lines = vec!["|--|--|"; 50];
        lines.push("|a|b|c|");
        assert_eq!(extent(&lines, 0, 1, Style::Markdown, &mut left), None);
        assert_eq!(left, 52);
    }
}
