//! The section `warnings summary` of pytest, in mode `aggressive`: if a warning is repeated, the later ones keep only
//! their first test, their place and message, without further tests and the source line.

use std::collections::HashSet;
use std::ops::Range;

use super::grammar::{is_totals_line, title};
use crate::text::signals;
use crate::text::source::Source;

/// The lines to leave out of a section. `from` is the first line below the title of the section.
///
/// A block has the tests that caused the warning, `  file:line: Category: message`, the source line, and an empty
/// line.
pub fn repeated(source: &Source<'_>, from: usize) -> Vec<Range<usize>> {
    let mut gone = Vec::new();
    let mut shown: HashSet<&str> = HashSet::new();
    let mut start = from;
    let end = (from..source.len())
        .find(|&i| title(source.line(i)).is_some() || is_totals_line(source.line(i)))
        .unwrap_or(source.len());
    while start < end {
        let stop = (start..end).find(|&i| source.line(i).trim().is_empty()).unwrap_or(end);
        let place = (start..stop).find(|&i| source.line(i).starts_with("  "));
        if let Some(place) = place
            && let Some(message) = message(source.line(place))
            && !(start..stop).any(|i| signals::is_failure(source.line(i)) && i != place)
            && !shown.insert(message)
        {
            // The test above a warning stays, because it shows where the warning comes from.
            gone.extend([start + 1..place, place + 1..stop].into_iter().filter(|lines| !lines.is_empty()));
        }
        start = stop + 1;
    }
    gone
}

/// Category and message of `  /project/test_w.py:4: DeprecationWarning: old is deprecated`.
fn message(line: &str) -> Option<&str> {
    let (_, rest) = line.trim_start().split_once(".py:")?;
    let (number, message) = rest.split_once(": ")?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (is_number && message.contains(": ")).then_some(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_ones_keep_one_test() {
        let text = "t.py::a\nt.py::b\n  /p/t.py:4: UserWarning: old\n    old()\n\nt.py::c\nt.py::e\n  /p/t.py:9: UserWarning: old\n    old()\n\nt.py::d\n  /p/t.py:10: UserWarning: other\n    x\n\n-- Docs: d\n=== 1 passed in 0.1s ===\n";
        let source = Source::new(text);
        assert_eq!(repeated(&source, 0), [6..7, 8..9]);
        assert_eq!(message("  /p/t.py:4: UserWarning: old"), Some("UserWarning: old"));
        assert_eq!(message("  see t.py: now"), None);
    }
}
