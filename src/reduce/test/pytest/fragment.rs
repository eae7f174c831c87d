//! A part of a pytest session without its title and totals, as `grep` or `tail` leaves it: verdict lines, progress
//! lines or the section `FAILURES`.

use super::grammar::{dots, is_start, is_test_id, is_totals_line, strip_percent, title};
use crate::text::source::Source;

/// The fewest lines by which a fragment is recognised.
const MIN_LINES: usize = 3;
/// The fewest marks in a line that has only marks.
const MIN_MARKS: usize = 10;
const VERDICTS: &[&str] = &[" PASSED", " FAILED", " ERROR", " SKIPPED", " XFAIL", " XPASS"];

/// Whether at least half of the lines are those of a session, and none is its title or totals. Lines with only marks
/// count if the command is known to be pytest (`by_command`).
pub fn is_one(source: &Source<'_>, by_command: bool) -> bool {
    let (mut verdicts, mut all, mut is_inside) = (0, 0, false);
    for (i, line) in source.lines().enumerate() {
        if is_start(line) || is_totals_line(line) {
            return false;
        }
        all += usize::from(!line.trim().is_empty());
        is_inside |= is_section(source, i);
        verdicts += usize::from(is_inside && !line.trim().is_empty() || is_progress(line, by_command));
    }
    verdicts >= MIN_LINES && verdicts * 2 >= all
}

/// The title `FAILURES` or `ERRORS` above the rule of a test.
fn is_section(source: &Source<'_>, i: usize) -> bool {
    matches!(title(source.line(i)), Some("FAILURES" | "ERRORS"))
        && i + 1 < source.len()
        && source.line(i + 1).starts_with('_')
        && source.line(i + 1).trim_end().ends_with('_')
}

fn is_progress(line: &str, by_command: bool) -> bool {
    let (body, _) = strip_percent(line);
    let verdict = VERDICTS.iter().find_map(|verdict| body.strip_suffix(verdict));
    if let Some(test) = verdict {
        return is_test_id(test) && test.contains(".py::");
    }
    let is_mark = |b: u8| matches!(b, b'.' | b',' | b'F' | b'E' | b's' | b'x' | b'X' | b'R' | b'p' | b'P');
    let Some((path, _)) = dots(body) else { return false };
    let marks = body.rsplit(' ').next().unwrap_or_default();
    let are_marks = marks.bytes().all(is_mark) && marks.contains('.');
    are_marks && (path.ends_with(".py") || by_command && path.is_empty() && marks.len() >= MIN_MARKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_session_are_known() {
        let is = |text: &str, by_command| is_one(&Source::new(text), by_command);
        assert!(is("t/a.py::b PASSED\nt/a.py::c FAILED\nt/a.py::d PASSED\n", false));
        assert!(is("t/a.py ..F. [ 5%]\nt/b.py ... [ 9%]\nt/c.py s. [ 12%]\n", false));
        let marks = "..........F...\n".repeat(3);
        assert!(is(&marks, true) && !is(&marks, false));
        assert!(is("=== FAILURES ===\n____ a ____\n\n>  x\nE  y\n\na.py:3: AssertionError\n", false));
        assert!(!is("=== FAILURES ===\nof the day\nand more\nand more\n", false));
        assert!(!is("t/a.py::b PASSED\n1 passed in 0.1s\n", false));
        assert!(!is("a::b PASSED\na::c PASSED\na::d PASSED\n", false), "no file of Python");
        assert!(!is("t/a.py::b PASSED\none\ntwo\nthree\nfour\nfive\nsix\n", false));
    }
}
