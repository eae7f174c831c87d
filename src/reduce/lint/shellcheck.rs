//! shellcheck for people: `In a.sh line 3:`, the line of code, carets with the findings, and the suggested code.
//! Equal findings in several places are written together; the first of a kind and all with errors are kept whole.

use std::borrow::Cow;
use std::ops::Range;

use super::group::{Block, Layout};
use super::reader::{Linter, Reading};
use crate::reduce::Meta;
use crate::reduce::lines::is_number;
use crate::text::source::Source;

/// The reducer of this module.
pub static SHELLCHECK: Linter = Linter {
    meta: Meta {
        id: "shellcheck",
        family: "build",
        reads: "`shellcheck` in its usual format (`tty`)",
        keeps: "every place with its codes and messages, errors whole, the first code and suggestions of a kind, the list of pages",
        omits: "the same findings in other places into one line with these places, without code and suggestion",
        anchors: &["-- SC", "-^ SC", "^ SC"],
    },
    commands: &["shellcheck"],
    content: 2,
    read,
};

fn read<'a>(source: &'a Source<'a>, lines: Range<usize>) -> Reading<'a> {
    let mut out = Reading::of(source, &lines);
    let mut i = lines.start;
    while i < lines.end {
        let line = source.line(i);
        if line.starts_with("For more information:") {
            let end = (i + 1..lines.end).find(|&j| !source.line(j).starts_with("  ")).unwrap_or(lines.end);
            out.knows(source, i..end);
            i = end;
            continue;
        }
        let Some((path, row)) = place(line) else {
            i += 1;
            continue;
        };
        let ends = |j: &usize| {
            place(source.line(*j)).is_some() || source.line(*j).starts_with("For more information:")
        };
        let next = (i + 1..lines.end).find(ends).unwrap_or(lines.end);
        let end = end(source, i, next);
        let messages: Vec<&str> = (i + 1..end).filter_map(|j| finding(source.line(j))).collect();
        if !messages.is_empty() {
            out.own += 1;
            out.knows(source, i..end);
            let (place, message) = (Cow::Borrowed(row), Cow::Owned(messages.join("\n")));
            out.blocks.push(Block { lines: i..end, path, place, message, layout: Layout::ByRule });
        }
        i = end;
    }
    out
}

/// The first line after a block: it has a line of code, the findings, and after an empty line the suggested code. The
/// next line that is not empty belongs to another program.
fn end(source: &Source<'_>, start: usize, next: usize) -> usize {
    let is_empty = |j: &usize| source.line(*j).trim().is_empty();
    let text = |from: usize| (from..next).find(|j| !is_empty(j)).unwrap_or(next);
    let mut end = (start + 2..next).find(|&j| finding(source.line(j)).is_none()).unwrap_or(next);
    if (text(end)..next).next().is_some_and(|j| source.line(j).starts_with("Did you mean:")) {
        end = (text(end)..next).find(is_empty).unwrap_or(next);
    }
    text(end)
}

/// `In a.sh line 3:`
fn place(line: &str) -> Option<(&str, &str)> {
    let (path, row) = line.strip_prefix("In ")?.strip_suffix(':')?.rsplit_once(" line ")?;
    (!path.is_empty() && is_number(row)).then_some((path, row))
}

/// `     ^-- SC2086 (info): …`
fn finding(line: &str) -> Option<&str> {
    let line = line.trim();
    let rest = line.trim_start_matches(['^', '-']);
    let rest = rest.strip_prefix(' ').filter(|_| line.starts_with('^'))?;
    rest.starts_with("SC").then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines() {
        assert_eq!(place("In a b.sh line 12:"), Some(("a b.sh", "12")));
        assert_eq!(place("In the line of fire:"), None);
        assert_eq!(finding("   ^-- SC2086 (info): Quote."), Some("SC2086 (info): Quote."));
        assert_eq!(finding("   ^----^ SC2046 (warning): Quote."), Some("SC2046 (warning): Quote."));
        assert_eq!(finding("  echo SC2086"), None);
    }
}
