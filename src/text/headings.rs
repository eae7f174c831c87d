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

/// The lines on which a line of code depends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Heads {
    /// The head of the innermost block around it: the nearest line above that is indented less.
    pub above: Option<usize>,
    /// The branch before an `else`, and the `if` of an `else if`.
    pub beside: Option<usize>,
}

/// Words that start a branch of a `switch`, and those that start the `switch`: in some languages both have the same
/// indentation.
const CASE: &[&str] = &["case", "default", "when"];
const SWITCH: &[&str] = &["switch", "select", "match"];

/// Words that start another branch of an `if`.
const ELSE_IF: &[&str] = &["elif", "elsif", "elseif"];

/// For each line of code, its heads. Only the first lines of statements are heads, not those of a text in one. Linear in
/// the lines.
pub fn heads(lines: &[&str], starts: &[bool]) -> Vec<Heads> {
    let mut out = Vec::with_capacity(lines.len());
    // Lines that may be heads of the next line, each with its indentation, the `switch` that it is a branch of, and the `if`
    // of which it is another branch.
    let mut open: Vec<(usize, usize, Option<usize>, usize)> = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        crate::stop::check_sometimes();
        let text = line.trim_start();
        let indent = indent(line);
        let is_comment = ["//", "/*", "* ", "--", "#"].iter().any(|sign| text.starts_with(sign));
        if is_comment || !starts[i] || !text.contains(char::is_alphanumeric) {
            let above = open.partition_point(|head| head.1 < indent).checked_sub(1);
            let above = above.filter(|_| !text.is_empty()).map(|at| open[at].0);
            out.push(Heads { above, beside: None });
            continue;
        }
        let mut beside = None;
        while let Some(last) = open.pop_if(|last| last.1 >= indent) {
            beside = Some(last).filter(|last| last.1 == indent);
        }
        let words = text.trim_start_matches(['}', ' ', '\t']);
        let first = words.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        let has_condition = words[first.len()..].trim_start().starts_with(char::is_alphanumeric);
        // A branch without an indentation of its own below its `switch`.
        let switch = beside.filter(|_| CASE.contains(&first)).and_then(|(line, _, of, _)| {
            let word = lines[line].trim_start();
            let starts =
                |head: &str| word.strip_prefix(head).is_some_and(|rest| rest.starts_with([' ', '(']));
            let is_switch = SWITCH.iter().any(|head| starts(head)) || first == "when" && starts("case");
            of.or_else(|| is_switch.then_some(line))
        });
        let above = switch.or_else(|| open.last().map(|head| head.0));
        let is_else = first == "else" && !has_condition;
        let is_other = ELSE_IF.contains(&first) || first == "else" && has_condition;
        let partner = beside.filter(|_| is_else || is_other);
        // In a long chain of branches, the `if` says most.
        let start = partner.map_or(i, |head| head.3);
        out.push(Heads { above, beside: partner.map(|head| if is_else { head.0 } else { start }) });
        open.push((i, indent, switch, start));
    }
    out
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

    /// The lines that are heads of a line, the innermost first.
    fn all_heads(text: &str, of: &str) -> Vec<String> {
        let lines: Vec<&str> = text.lines().collect();
        let all = heads(&lines, &vec![true; lines.len()]);
        let mut at = lines.iter().position(|line| line.trim() == of).unwrap();
        let mut out = Vec::new();
        while let Some(head) = all[at].beside.or(all[at].above) {
            out.push(lines[head].trim().to_owned());
            at = head;
        }
        out
    }

    #[test]
    fn heads_of_code() {
        let cases: [(&str, &[&str]); 7] = [
            ("fn f() {\n  if a {\n    b();\n\n    // c\n    x();\n  }\n}\n", &["if a {", "fn f() {"]),
            (
                "void f()\n{\n  if (a)\n  {\n    b();\n  }\n  else\n  {\n    x();\n  }\n}\n",
                &["else", "if (a)", "void f()"],
            ),
            (
                "func f() {\n\tswitch a {\n\tcase 1:\n\t\tb()\n\tcase 2:\n\t\tx();\n\t}\n}\n",
                &["case 2:", "switch a {", "func f() {"],
            ),
            (
                "def f():\n    with a:\n        try:\n            b()\n        except E:\n            x();\n",
                &["except E:", "with a:", "def f():"],
            ),
            (
                "f() {\n  if (a) {\n    b();\n  } else if (c) {\n    d();\n  } else {\n#ifdef E\n    x();\n",
                &["} else {", "} else if (c) {", "if (a) {", "f() {"],
            ),
            (
                "def f():\n  if a:\n    b()\n  elif c:\n    d()\n  elif e:\n    x();\n",
                &["elif e:", "if a:", "def f():"],
            ),
            ("case a\nwhen 1\n  b\nwhen 2\n  x();\nend\n", &["when 2", "case a"]),
        ];
        for (text, expected) in cases {
            assert_eq!(all_heads(text, "x();"), expected, "{text}");
        }
    }

    #[test]
    fn comments_and_brackets_are_no_heads() {
        let lines = ["a {", "", "  # b", "    }", "text", "      c"];
        let starts = [true, true, true, true, false, true];
        let above: Vec<_> = heads(&lines, &starts).iter().map(|heads| heads.above).collect();
        assert_eq!(above, [None, None, Some(0), Some(0), None, Some(0)]);
    }
}
