//! Rows written as one line per column: `\x` of psql, `\G` of mysql. The padding of the names is removed and the
//! rules are shortened; values stay byte for byte.

use std::ops::Range;

/// How the rows are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `-[ RECORD 1 ]---+-----`, then `name | value`, where the pipe is at one place.
    Psql,
    /// `*** 1. row ***`, then `   name: value`, where the colon is at one place.
    Mysql,
}

/// The lines that are such rows, with their rules.
pub fn find(lines: &[&str]) -> Option<Range<usize>> {
    let start = lines.iter().position(|line| style(line).is_some())?;
    let (style, place) = layout(&lines[start..])?;
    let is_row = |line: &&&str| self::style(line) == Some(style) || fits(line, style, place);
    let len = lines[start..].iter().take_while(is_row).count();
    (len >= super::MIN_LINES).then_some(start..start + len)
}

/// The rows that `find` found, rewritten.
pub fn squeeze(lines: &[&str]) -> Option<Vec<String>> {
    let (style, place) = layout(lines)?;
    let is_row = |line: &&str| self::style(line) == Some(style) || fits(line, style, place);
    lines.iter().all(is_row).then(|| lines.iter().map(|line| write(line, style, place)).collect())
}

fn layout(lines: &[&str]) -> Option<(Style, usize)> {
    let style = style(lines.first()?)?;
    Some((style, place(lines.get(1)?, style)?))
}

fn style(line: &str) -> Option<Style> {
    crate::stop::check_sometimes();
    let number = |text: &str, end: &str| text.strip_suffix(end).is_some_and(is_number);
    if let Some(rest) = line.strip_prefix("-[ RECORD ") {
        let (count, rule) = rest.split_once(" ]")?;
        let plain = rule.bytes().all(|b| matches!(b, b'-' | b'+'));
        return (is_number(count) && plain).then_some(Style::Psql);
    }
    let inside = line.trim_matches('*');
    (line.starts_with("***") && line.ends_with("***") && number(inside.trim(), ". row"))
        .then_some(Style::Mysql)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The place of the sign between name and value in a row, in characters.
fn place(line: &str, style: Style) -> Option<usize> {
    crate::stop::check_sometimes();
    let sign = if style == Style::Psql { '|' } else { ':' };
    line.chars().position(|c| c == sign)
}

/// Whether the sign is in its place, with nothing but a name and its padding before it.
fn fits(line: &str, style: Style, place: usize) -> bool {
    self::place(line, style) == Some(place)
}

fn write(line: &str, style: Style, place: usize) -> String {
    if self::style(line).is_some() {
        return match style {
            Style::Psql => line.trim_end_matches(['-', '+']).to_owned(),
            Style::Mysql => format!("***{}***", line.trim_matches('*')),
        };
    }
    let at = line.char_indices().nth(place).map_or(line.len(), |(at, _)| at);
    let (name, value) = line.split_at(at);
    match style {
        Style::Psql if name.trim().is_empty() => line.trim_start().to_owned(),
        Style::Psql => format!("{} {value}", name.trim_end()),
        Style::Mysql => format!("{}{value}", name.trim_start()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squeezed(text: &str) -> Option<String> {
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(find(&lines)?, 0..lines.len());
        squeeze(&lines).map(|rows| rows.join("\n"))
    }

    #[test]
    fn names_lose_their_padding_and_values_nothing() {
        let text = "-[ RECORD 1 ]---+------\nid              | 1\ndescription     |   a  b|c \n                | more\n-[ RECORD 2 ]---+------\nid              | 2";
        let out = "-[ RECORD 1 ]\nid | 1\ndescription |   a  b|c \n| more\n-[ RECORD 2 ]\nid | 2";
        assert_eq!(squeezed(text).as_deref(), Some(out));
        let text = "*************************** 1. row ***************************\n  id: 1\nname: x:  y\n*************************** 2. row ***************************\n  id: 2";
        let out = "*** 1. row ***\nid: 1\nname: x:  y\n*** 2. row ***\nid: 2";
        assert_eq!(squeezed(text).as_deref(), Some(out));
    }

    #[test]
    fn other_lines_end_it_or_are_none() {
        assert_eq!(squeezed("a | b\nc | d\ne | f"), None);
        let lines = ["-[ RECORD 1 ]-", "id  | 1", "ab  | 2", "(1 row)"];
        assert_eq!(find(&lines), Some(0..3));
    }
}
