//! Views of files: which lines have the number of a file's line before them, and where their text starts.
//!
//! A line is numbered if it starts with a number and a separator that file viewers write, and the line before or
//! after it has the adjacent number in the same form. This distinguishes a view from text that happens to start
//! with numbers, without knowing the tool.

use crate::stop;
use std::ops::Range;

/// The separator after the number: `cat -n` and `nl` write a tab, agents' viewers `:`, `|` or `→`, bat `│`.
const SEPARATORS: &[&str] = &["\t", "→", ":", "|", "│"];

/// The line numbers in a text.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// For each line its number in the file, and the bytes before its text; 0 and 0 for lines without a number.
    lines: Vec<(u32, u32)>,
    numbered: usize,
}

impl View {
    /// Reads the line numbers in a text of `count` lines.
    pub fn read<'a>(count: usize, text: impl Iterator<Item = &'a str>) -> Self {
        let mut lines: Vec<(u32, u32)> = Vec::with_capacity(count);
        let mut numbered = 0;
        // The previous line: its number, the bytes before its text, and its separator.
        let mut last: Option<(u32, u32, &str)> = None;
        // Whether the numbers count rows of a table from 0: no line of a file has the number 0.
        let mut is_table = false;
        for line in text {
            let here = prefix(line);
            let follows = match (last, here) {
                (Some((before, _, a)), Some((n, _, b))) => a == b && n == before.wrapping_add(1),
                _ => false,
            };
            is_table = match here {
                Some((n, ..)) => n == 0 || is_table && follows,
                None => false,
            };
            let follows = follows && !is_table;
            if follows && let (Some((n, offset, _)), Some((before, start, _))) = (here, last) {
                if let Some(previous) = lines.last_mut().filter(|l| l.1 == 0) {
                    *previous = (before, start);
                    numbered += 1;
                }
                lines.push((n, offset));
                numbered += 1;
            } else {
                lines.push((0, 0));
            }
            last = here;
        }
        Self { lines, numbered }
    }

    /// The file's number of line `i`, if it has one.
    #[inline]
    pub fn number(&self, i: usize) -> Option<usize> {
        self.lines.get(i).filter(|l| l.1 > 0).map(|l| l.0 as usize)
    }

    /// The first line with this number of the file.
    pub fn line_of(&self, number: usize) -> Option<usize> {
        self.lines.iter().position(|l| l.1 > 0 && l.0 as usize == number)
    }

    /// Bytes of line `i` before its text; 0 if it has no number.
    #[inline]
    pub fn offset(&self, i: usize) -> usize {
        self.lines.get(i).map_or(0, |l| l.1 as usize)
    }

    /// Line `i` as it was written, without its number and line end. A `\r` before the line end is part of the text.
    #[inline]
    pub fn text<'a>(&self, raw: &'a str, i: usize) -> &'a str {
        stop::check_sometimes();
        // By bytes, for speed: most stages call this for every line.
        let end = raw.len() - usize::from(raw.as_bytes().last() == Some(&b'\n'));
        raw.get(self.offset(i)..end).unwrap_or_default()
    }

    /// The first and last line number of a run of lines, if every line has one and they are consecutive.
    pub fn numbers(&self, lines: &Range<usize>) -> Option<(usize, usize)> {
        let (first, last) = (self.number(lines.start)?, self.number(lines.end.checked_sub(1)?)?);
        let in_order = last.checked_sub(first)? + 1 == lines.len();
        (in_order && lines.clone().all(|i| self.number(i) == Some(first + i - lines.start)))
            .then_some((first, last))
    }

    /// The number of numbered lines.
    pub fn numbered(&self) -> usize {
        self.numbered
    }
}

/// The number at the start of a line, the number of bytes before the text, and the separator.
fn prefix(line: &str) -> Option<(u32, u32, &'static str)> {
    let bytes = line.as_bytes();
    let blanks = bytes.iter().take_while(|b| **b == b' ').count();
    let digits = bytes[blanks..].iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 || digits > 8 {
        return None;
    }
    let rest = &line[blanks + digits..];
    // The first byte of a separator, or of padding.
    if !matches!(rest.as_bytes().first(), Some(b'\t' | b':' | b'|' | b' ' | 0xe2)) {
        return None;
    }
    // bat pads the number on both sides.
    let padding = rest.bytes().take_while(|b| *b == b' ').count();
    let separator = SEPARATORS.iter().find(|s| match **s {
        "│" => rest[padding..].starts_with("│"),
        separator => rest.starts_with(separator),
    })?;
    let padding = if *separator == "│" { padding } else { 0 };
    let number = line[blanks..blanks + digits].parse().ok()?;
    Some((number, (blanks + digits + padding + separator.len()) as u32, separator))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::source::Source;

    #[test]
    fn rows_that_count_from_0_are_no_lines_of_a_file() {
        let rows = |from: usize| (from..from + 5).map(|n| format!("  {n}: 0000 FUNC\n")).collect::<String>();
        let text = format!("Symbol table contains 5 entries:\n{}\nother\n{}", rows(0), rows(0));
        assert_eq!(View::read(13, Source::new(&text).lines()).numbered(), 0);
        assert_eq!(View::read(5, Source::new(&rows(7)).lines()).numbered(), 5);
    }

    fn read(text: &str) -> Vec<(Option<usize>, String)> {
        let source = Source::new(text);
        let view = View::read(source.len(), source.lines());
        (0..source.len()).map(|i| (view.number(i), view.text(source.raw(i), i).to_owned())).collect()
    }

    #[test]
    fn every_numbering_is_read() {
        for text in
            ["  9\ta\n 10\t\tb\n", "9→a\n10→\tb\n", "9:a\n10:\tb", "9|a\n10|\tb\n", "  9   │a\n 10   │\tb\n"]
        {
            let lines = read(text);
            assert_eq!(lines, [(Some(9), "a".to_owned()), (Some(10), "\tb".to_owned())], "{text}");
        }
    }

    #[test]
    fn numbers_that_do_not_follow_are_text() {
        for text in ["3:a\n9:b\n12:c\n", "1:a\n2|b\n", "1. a\n2. b\n", "10:30 x\n10:31 y\n", "7:a"] {
            assert!(read(text).iter().all(|(n, _)| n.is_none()), "{text}");
        }
        let mixed = read("[File: a.py (3 lines total)]\n1:a\n2:b\n(1 more lines below)\n");
        assert_eq!(mixed.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [None, Some(1), Some(2), None]);
    }

    #[test]
    fn a_run_of_numbers_has_no_hole() {
        let source = Source::new("1:a\n2:b\n7:c\n8:d\n");
        let view = View::read(source.len(), source.lines());
        assert_eq!(view.numbers(&(0..2)), Some((1, 2)));
        assert_eq!(view.numbers(&(1..3)), None);
        assert_eq!(view.numbered(), 4);
    }
}
