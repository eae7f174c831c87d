//! Titles of sections that are not indented: `PAGE 3`, `==> a.log <==`, `[server]`, `## Usage`, a line with a rule
//! below it. A reader takes the last title above a line for its own, so a cut must not drop it.
//!
//! A line is a title by its form; some forms only count if they occur again: a line with a number, `== a` without marks
//! after it, and a name above titles. Titles of one form are one level; a level is inside the levels that occurred
//! before it.

use crate::text::details::similarity_hash;
use crate::text::lines::{is_blank, trimmed_end};
use crate::text::maps::Map;
use crate::text::source::Source;

/// The longest title, in bytes.
const MAX_BYTES: usize = 100;
/// The longest line that is a title by its number, in bytes.
const MAX_NUMBERED_BYTES: usize = 48;
/// The most levels that are distinguished.
const MAX_LEVELS: usize = 8;
/// A text has at least this many lines for each title of a level; lines that are more frequent are not titles. Titles
/// with marks, such as `== a`, may be more frequent than others.
const LINES_OF_TITLE: usize = 4;
const LINES_OF_MARKED_TITLE: usize = 2;

/// The titles of a text.
pub(super) struct Sections {
    /// The lines that are titles, in order, each with the title of an outer level above it.
    titles: Vec<(usize, Option<usize>)>,
}

impl Sections {
    pub(super) fn of(source: &Source<'_>) -> Self {
        let mut forms: Map<u64, (usize, Form)> = Map::default();
        let mut found: Vec<(usize, u64)> = Vec::new();
        for line in 0..source.len() {
            crate::stop::check_sometimes();
            let Some(form) = form(source, line) else { continue };
            if form.is_marked
                && let Some(name) = name_above(source, line)
            {
                let known = found.last().filter(|(last, _)| *last == name).map(|(_, id)| *id);
                let known = known.and_then(|id| forms.get_mut(&id));
                if known.as_ref().is_none_or(|(_, form)| !form.is_marked) {
                    // The line counts as a name now, and no longer as a title of its own form.
                    if let Some((count, _)) = known {
                        *count -= 1;
                        found.pop();
                    }
                    let form = Form { id: form.id | NAME_ABOVE, comes_again: true, is_marked: true };
                    forms.entry(form.id).or_insert((0, form)).0 += 1;
                    found.push((name, form.id));
                }
            }
            forms.entry(form.id).or_insert((0, form)).0 += 1;
            found.push((line, form.id));
        }
        let is_level = |id: &u64| {
            forms.get(id).is_some_and(|(count, form)| {
                let lines = if form.is_marked { LINES_OF_MARKED_TITLE } else { LINES_OF_TITLE };
                count * lines <= source.len() && (*count > 1 || !form.comes_again)
            })
        };
        let mut levels: Vec<(u64, usize)> = Vec::new();
        let mut titles = Vec::new();
        for (line, form) in found.into_iter().filter(|(_, form)| is_level(form)) {
            let level = levels.iter().position(|(known, _)| *known == form).unwrap_or(levels.len());
            if level == MAX_LEVELS {
                continue;
            }
            let outer = levels[..level].iter().map(|(_, last)| *last).max();
            titles.push((line, outer));
            match levels.get_mut(level) {
                Some((_, last)) => *last = line,
                None => levels.push((form, line)),
            }
        }
        Self { titles }
    }

    /// The title above a line; for a title, the title of the outer level.
    pub(super) fn above(&self, line: usize) -> Option<usize> {
        let next = self.titles.partition_point(|(title, _)| *title < line);
        match self.titles.get(next).filter(|(title, _)| *title == line) {
            Some((_, outer)) => *outer,
            None => next.checked_sub(1).map(|last| self.titles[last].0),
        }
    }
}

/// The form of a title.
#[derive(Clone, Copy)]
struct Form {
    /// Equal for titles of one level.
    id: u64,
    /// Whether a line is only a title if others have this form.
    comes_again: bool,
    /// Whether marks such as `==` make it a title, or the title below it.
    is_marked: bool,
}

/// Set in the id of the form of names above titles.
const NAME_ABOVE: u64 = 1 << 62;

/// The line directly above a title, if it starts its paragraph or is below a rule: the name of what the section is a
/// part of, as in `secret/a` above `=== Metadata ===`.
fn name_above(source: &Source<'_>, title: usize) -> Option<usize> {
    // Titles in brackets, of Markdown and of diffs have no name above them.
    if !source.line(title).starts_with(['=', '-', '*', '_']) {
        return None;
    }
    let name = title.checked_sub(1)?;
    let text = source.line(name);
    let is_name = !text.starts_with([' ', '\t']) && !is_blank(text) && text.len() <= MAX_BYTES;
    let starts = name.checked_sub(1).is_none_or(|above| {
        let above = source.line(above).trim_end();
        is_blank(above) || is_rule(above.as_bytes())
    });
    (is_name && starts && !is_rule(text.trim_end().as_bytes())).then_some(name)
}

/// Whether a line is a rule: `-----`, `=====`.
fn is_rule(line: &[u8]) -> bool {
    line.len() >= 3 && matches!(line[0], b'=' | b'-' | b'~' | b'*') && line.iter().all(|b| *b == line[0])
}

/// The form of a line that may be a title.
fn form(source: &Source<'_>, line: usize) -> Option<Form> {
    let marked = |id: u64| Form { id, comes_again: false, is_marked: true };
    let text = source.line(line);
    let bytes = trimmed_end(text).as_bytes();
    let first = *bytes.first().filter(|first| !first.is_ascii_whitespace())?;
    if bytes.len() > MAX_BYTES || bytes.len() < 3 {
        return None;
    }
    let last = bytes[bytes.len() - 1];
    let has_letter = || bytes.iter().any(u8::is_ascii_alphabetic);
    match first {
        // `==> a <==`, `=== a ===`, `--- a ---`, `*** a ***`, `___ a ___`
        b'=' | b'-' | b'*' | b'_' => {
            let marks = bytes.iter().take_while(|b| **b == first).count();
            let is_closed = last == first || bytes.ends_with(b"<==");
            // `== a`, but not the options of a command, the file of a diff, or comments in SQL.
            let is_file =
                first == b'-' && line + 1 < source.len() && source.line(line + 1).starts_with("+++ ");
            let is_open =
                bytes.get(marks) == Some(&b' ') && (first == b'=' || first == b'-' && marks > 2) && !is_file;
            let is_title = marks > 1 && (is_closed || is_open) && has_letter() && bytes.contains(&b' ');
            let id = u64::from(first) + if is_closed { 0 } else { 6000 };
            return is_title.then_some(Form { comes_again: !is_closed, ..marked(id) });
        }
        b'#' => {
            let depth = bytes.iter().take_while(|b| **b == b'#').count();
            let is_title = depth > 1 && bytes.get(depth) == Some(&b' ');
            return is_title.then_some(marked(1000 + depth as u64));
        }
        // `[server]`, and `[[server]]` for each of several.
        b'[' => {
            let inner = bytes.strip_prefix(b"[[").filter(|_| bytes.ends_with(b"]]")).unwrap_or(&bytes[1..]);
            let is_name = last == b']' && inner.first().is_some_and(u8::is_ascii_alphabetic);
            return is_name.then_some(marked(2000));
        }
        // `> web@1.2.0 build`, above the command, as package managers write it.
        b'>' => {
            let is_above_command = line + 1 < source.len() && source.line(line + 1).starts_with("> ");
            return (bytes[1] == b' ' && bytes.contains(&b'@') && is_above_command).then_some(marked(2500));
        }
        _ if bytes.ends_with(b"***") && has_letter() => return Some(marked(4000)),
        b'd' if bytes.starts_with(b"diff --git ") => return Some(marked(5000)),
        _ => {}
    }
    let is_blank =
        |line: Option<usize>| line.is_none_or(|line| line >= source.len() || is_blank(source.line(line)));
    if line + 1 < source.len() && is_blank(line.checked_sub(1)) && has_letter() {
        let below = source.line(line + 1).trim_end().as_bytes();
        if is_rule(below) && below.len() * 2 >= bytes.len() {
            return Some(marked(3000 + u64::from(below[0])));
        }
    }
    let letters = bytes.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let is_numbered = bytes.len() <= MAX_NUMBERED_BYTES
        && letters >= 3
        && bytes.iter().any(u8::is_ascii_digit)
        && !b".,;{}()=".contains(&last)
        && is_blank(line.checked_sub(1));
    is_numbered.then(|| Form { id: similarity_hash(text) | 1 << 63, comes_again: true, is_marked: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(text: &str) -> Vec<(usize, Option<usize>)> {
        let source = Source::new(text);
        Sections::of(&source).titles
    }

    #[test]
    fn the_script_of_a_package_is_a_title() {
        let package =
            |name: &str| format!("> {name}@1.2.0 check\n> biome check .\n\nChecked 3 files. No fixes.\n\n");
        let text = package("@a/web") + &package("api") + "> a quotation of someone@example.com\n";
        assert_eq!(titles(&text), [(0, None), (5, None)]);
    }

    #[test]
    fn titles_by_number_come_again() {
        let page = |n: usize| {
            format!("PAGE {n}\n\n{}\nTable {n}: rows\n{}\n", "words\n".repeat(9), "a b\n".repeat(9))
        };
        let text: String = (1..4).map(page).collect();
        assert_eq!(
            titles(&text),
            [(0, None), (12, Some(0)), (23, None), (35, Some(23)), (46, None), (58, Some(46))]
        );
        // A single numbered line is not a title.
        assert_eq!(titles(&page(1)), []);
    }

    #[test]
    fn titles_by_form() {
        for title in [
            "==> a.log <==",
            "=== build ===",
            "[server]",
            "[[server]]",
            "## Usage",
            "Usage\n=====",
            "TASK [db : a] ****",
            "__ test_a __",
        ] {
            let text = format!("one\n\n{title}\n{}", "more of it\n".repeat(9));
            assert_eq!(titles(&text), [(2, None)], "{title}");
        }
        for line in ["= a", "-- a", "# a", "[1, 2]", "[[1, 2]]", "[[ -f a ]]", "----------", "text"] {
            assert_eq!(titles(&format!("one\n\n{line}\n{}", "more of it\n".repeat(9))), [], "{line}");
        }
    }

    #[test]
    fn titles_that_come_again() {
        let text = "== ann\nnone\n== bob\nnone\n1 2\n3 4\n== eve\nnone\n";
        assert_eq!(titles(text), [(0, None), (2, None), (6, None)]);
        // A title without marks after it that occurs once, and the files of a plain diff.
        assert_eq!(titles("--- a/x.rs\nmore\nmore\n"), []);
        assert_eq!(titles(&"--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-a\n+b\n".repeat(3)), []);
        // A comment above some settings is no name.
        let section = |n: usize| format!("# note\n[part {n}]\na = 1\nb = 2\n\n[other {n}]\na = 3\nb = 4\n\n");
        let text: String = (1..4).map(section).collect();
        assert!(
            titles(&text)
                .iter()
                .all(|(line, outer)| outer.is_none() && text.lines().nth(*line).unwrap().starts_with('['))
        );
        let call =
            |n: usize| format!("=====\nTOOL: {}\n-- ARGS --\na\nb\n-- RESULT --\nc\nd\n", "x".repeat(n));
        assert_eq!(
            titles(&format!("{}{}", call(1), call(2))),
            [(1, None), (2, Some(1)), (5, Some(1)), (9, None), (10, Some(9)), (13, Some(9))]
        );
        let record = |name: &str| format!("secret/{name}-0\n=== Data ===\na 1\nb 2\nc 3\n\n");
        let text = format!("{}{}", record("x"), record("y"));
        assert_eq!(titles(&text), [(0, None), (1, Some(0)), (6, None), (7, Some(6))]);
    }

    #[test]
    fn a_line_is_under_the_last_title() {
        let text = "[a]\nx = 1\ny = 2\nz = 3\n[b]\nx = 1\ny = 2\nz = 3\n";
        let source = Source::new(text);
        let sections = Sections::of(&source);
        assert_eq!((sections.above(3), sections.above(4), sections.above(7)), (Some(0), None, Some(4)));
    }
}
