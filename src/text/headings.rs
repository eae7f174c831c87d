//! The lines above a line to which it belongs: the head of a function above its body, a condition above its branch.

use std::ops::Range;

use crate::text::source::Source;

/// Headings are searched in this many lines at the end of a gap. A choice: in recorded sessions these lines contained
/// nearly half of the headings that a reference would hide.
const MAX_HEADING_LINES: usize = 6;

/// The distance of tab stops, in columns, as in terminals.
const TAB: usize = 8;

/// The width of the indentation of a line, in columns; a tab goes to the next tab stop.
pub fn indent(line: &str) -> usize {
    line.bytes().take_while(|b| matches!(b, b' ' | b'\t')).fold(0, |columns, b| match b {
        b'\t' => (columns / TAB + 1) * TAB,
        _ => columns + 1,
    })
}

/// Searches the last lines of `lines` for headings of the text below them (up to `behind`), and returns the first. A
/// heading is indented less than the lines below it.
pub fn first(source: &Source<'_>, lines: Range<usize>, behind: usize) -> Option<usize> {
    let text = |i: usize| source.view().text(source.line(i), i);
    let next = (lines.end..behind).take(MAX_HEADING_LINES).map(text).find(|line| !line.trim().is_empty())?;
    let (mut least, mut first) = (indent(next), None);
    for i in lines.rev().take(MAX_HEADING_LINES) {
        let line = text(i);
        // A closing bracket is not a heading.
        let is_heading = line.contains(char::is_alphanumeric) && indent(line) < least;
        if is_heading {
            (least, first) = (indent(line), Some(i));
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str, lines: Range<usize>) -> Option<usize> {
        let source = Source::new(text);
        first(&source, lines, source.len())
    }

    #[test]
    fn a_head_belongs_to_the_lines_of_its_body() {
        let text = "fn a() {\n    x();\n}\n\nfn b() {\n    if y {\n        z();\n    }\n    w();\n}\n";
        assert_eq!(head(text, 0..6), Some(4));
        assert_eq!(head(text, 0..8), Some(4));
        // The text below starts a new part.
        assert_eq!(head(text, 0..3), None);
        let numbered: String =
            text.lines().enumerate().map(|(i, line)| format!("{:>6}\t{line}\n", i + 1)).collect();
        assert_eq!(head(&numbered, 0..8), Some(4));
        // Headings far above are not searched.
        let far = format!("fn a() {{\n{}", "    x();\n".repeat(20));
        assert_eq!(head(&far, 0..10), None);
    }
}
