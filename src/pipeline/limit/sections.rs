//! Titles of sections that are not indented: `PAGE 3`, `==> a.log <==`, `[server]`, `## Usage`, a line with a rule
//! below it. A reader takes the last title above a line for its own, so a cut must not drop it.
//!
//! A line is a title by its form; a line with a number only if the same line occurs again with other numbers. Titles
//! of one form are one level; a level is inside the levels that occurred before it.

use crate::text::details::likeness;
use crate::text::maps::Map;
use crate::text::source::Source;

/// The longest title, in bytes.
const MAX_BYTES: usize = 100;
/// The longest line that is a title by its number, in bytes.
const MAX_NUMBERED_BYTES: usize = 48;
/// The most levels that are distinguished.
const MAX_LEVELS: usize = 8;
/// A text has at least this many lines for each title of a level; more frequent lines are not titles.
const LINES_OF_TITLE: usize = 4;

/// The titles of a text.
pub(super) struct Sections {
    /// The units that are titles, in order, each with the title of an outer level above it.
    titles: Vec<(usize, Option<usize>)>,
}

impl Sections {
    /// `starts` are the first lines of all units of a text.
    pub(super) fn of(source: &Source<'_>, starts: impl Iterator<Item = usize>) -> Self {
        let mut forms: Map<u64, (usize, bool)> = Map::default();
        let mut found: Vec<(usize, u64)> = Vec::new();
        for (unit, line) in starts.enumerate() {
            crate::stop::tick();
            let Some((form, is_numbered)) = form(source, line) else { continue };
            forms.entry(form).or_insert((0, is_numbered)).0 += 1;
            found.push((unit, form));
        }
        let is_level = |form: &u64| {
            let (count, is_numbered) = forms.get(form).copied().unwrap_or_default();
            count * LINES_OF_TITLE <= source.len() && (count > 1 || !is_numbered)
        };
        let mut levels: Vec<(u64, usize)> = Vec::new();
        let mut titles = Vec::new();
        for (unit, form) in found.into_iter().filter(|(_, form)| is_level(form)) {
            let level = levels.iter().position(|(known, _)| *known == form).unwrap_or(levels.len());
            if level == MAX_LEVELS {
                continue;
            }
            let outer = levels[..level].iter().map(|(_, last)| *last).max();
            titles.push((unit, outer));
            match levels.get_mut(level) {
                Some((_, last)) => *last = unit,
                None => levels.push((form, unit)),
            }
        }
        Self { titles }
    }

    /// The title above a unit; for a title, the title of the outer level.
    pub(super) fn above(&self, unit: usize) -> Option<usize> {
        let next = self.titles.partition_point(|(title, _)| *title < unit);
        match self.titles.get(next).filter(|(title, _)| *title == unit) {
            Some((_, outer)) => *outer,
            None => next.checked_sub(1).map(|last| self.titles[last].0),
        }
    }
}

/// The form of a title, and whether the line is a title only if others are like it.
fn form(source: &Source<'_>, line: usize) -> Option<(u64, bool)> {
    let text = source.line(line);
    let bytes = text.trim_end().as_bytes();
    let first = *bytes.first().filter(|first| !first.is_ascii_whitespace())?;
    if bytes.len() > MAX_BYTES || bytes.len() < 3 {
        return None;
    }
    let last = bytes[bytes.len() - 1];
    let has_letter = || bytes.iter().any(u8::is_ascii_alphabetic);
    let is_rule = |bytes: &[u8]| {
        bytes.len() >= 3
            && bytes.iter().all(|b| *b == bytes[0])
            && matches!(bytes[0], b'=' | b'-' | b'~' | b'*')
    };
    match first {
        // `==> a <==`, `=== a ===`, `--- a ---`, `*** a ***`, `___ a ___`
        b'=' | b'-' | b'*' | b'_' => {
            let is_closed = bytes[1] == first && (last == first || bytes.ends_with(b"<=="));
            return (is_closed && has_letter() && bytes.contains(&b' ')).then_some((u64::from(first), false));
        }
        b'#' => {
            let depth = bytes.iter().take_while(|b| **b == b'#').count();
            let is_title = depth > 1 && bytes.get(depth) == Some(&b' ');
            return is_title.then_some((1000 + depth as u64, false));
        }
        b'[' => return (last == b']' && bytes[1].is_ascii_alphabetic()).then_some((2000, false)),
        _ if bytes.ends_with(b"***") && has_letter() => return Some((4000, false)),
        b'd' if bytes.starts_with(b"diff --git ") => return Some((5000, false)),
        _ => {}
    }
    let is_blank = |line: Option<usize>| {
        line.is_none_or(|line| line >= source.len() || source.line(line).trim().is_empty())
    };
    if line + 1 < source.len() && is_blank(line.checked_sub(1)) && has_letter() {
        let below = source.line(line + 1).trim_end().as_bytes();
        if is_rule(below) && below.len() * 2 >= bytes.len() {
            return Some((3000 + u64::from(below[0]), false));
        }
    }
    let letters = bytes.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let is_numbered = bytes.len() <= MAX_NUMBERED_BYTES
        && letters >= 3
        && bytes.iter().any(u8::is_ascii_digit)
        && !b".,;{}()=".contains(&last)
        && is_blank(line.checked_sub(1));
    is_numbered.then(|| (likeness(text) | 1 << 63, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(text: &str) -> Vec<(usize, Option<usize>)> {
        let source = Source::new(text);
        Sections::of(&source, 0..source.len()).titles
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
            "## Usage",
            "Usage\n=====",
            "TASK [db : a] ****",
            "__ test_a __",
        ] {
            let text = format!("one\n\n{title}\n{}", "more of it\n".repeat(9));
            assert_eq!(titles(&text), [(2, None)], "{title}");
        }
        for line in ["= a", "-- a", "# a", "[1, 2]", "----------", "text"] {
            assert_eq!(titles(&format!("one\n\n{line}\n{}", "more of it\n".repeat(9))), [], "{line}");
        }
    }

    #[test]
    fn a_line_is_under_the_last_title() {
        let text = "[a]\nx = 1\ny = 2\nz = 3\n[b]\nx = 1\ny = 2\nz = 3\n";
        let source = Source::new(text);
        let sections = Sections::of(&source, 0..source.len());
        assert_eq!((sections.above(3), sections.above(4), sections.above(7)), (Some(0), None, Some(4)));
    }
}
