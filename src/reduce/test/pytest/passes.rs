//! The section `PASSES` of pytest: one block for each passed test that printed something. A test may itself run
//! pytest, so a block can hold a whole session with its own titles and totals.

use std::ops::Range;

use super::grammar::{is_start, is_totals_line, title};
use crate::text::signals;
use crate::text::source::Source;

/// What is known about the section.
#[derive(Debug, Default)]
pub struct Passes {
    /// The sessions inside the output of tests, in order.
    nested: Vec<Range<usize>>,
    /// Lines before this one are kept.
    whole: usize,
}

/// What to do with a line of the section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassesAction {
    Keep,
    Hide,
    /// The line may end the section.
    Open,
}

impl Passes {
    /// Reads the section whose first line below the title is `from`. A nested session is one with its own totals
    /// before the totals of the outer session.
    pub fn new(source: &Source<'_>, from: usize) -> Self {
        let mut nested = Vec::new();
        // The starts of sessions whose totals have not been read yet.
        let mut open = Vec::new();
        for i in from..source.len() {
            let line = source.line(i);
            if is_start(line) {
                open.push(i);
            } else if is_totals_line(line) {
                match open.pop() {
                    Some(start) if open.is_empty() => nested.push(start..i + 1),
                    Some(_) => {}
                    None => return Self { nested, whole: 0 },
                }
            } else if open.is_empty() && title(line) == Some("PASSES") {
                break;
            }
        }
        Self::default()
    }

    /// What to do with a line. Call it for all lines in order.
    pub fn action(&mut self, source: &Source<'_>, i: usize) -> PassesAction {
        let line = source.line(i);
        let is_nested = self.nested_at(i).is_some();
        if i < self.whole {
            return PassesAction::Keep;
        }
        if !is_nested && (title(line).is_some() || is_totals_line(line)) {
            return PassesAction::Open;
        }
        if !is_nested && is_header(line) {
            return self.block(source, i);
        }
        if signals::is_failure(line) { PassesAction::Keep } else { PassesAction::Hide }
    }

    /// What to do with the header in line `i`. A block is kept whole if it has a nested session that failed, or a
    /// title that does not belong to a nested session: parts of it would read as the result of the outer session.
    fn block(&mut self, source: &Source<'_>, i: usize) -> PassesAction {
        let (mut at, mut fails, mut is_whole) = (i + 1, false, false);
        while at < source.len() {
            let line = source.line(at);
            if let Some(session) = self.nested_at(at) {
                let end = session.end;
                is_whole |= (at..end).any(|i| signals::is_failure(source.line(i)));
                at = end;
                continue;
            }
            if is_header(line) {
                break;
            }
            if title(line).is_some() || is_totals_line(line) {
                is_whole |= !ends_section(source, at);
                break;
            }
            fails |= signals::is_failure(line);
            at += 1;
        }
        if is_whole {
            self.whole = at;
        }
        if is_whole || fails { PassesAction::Keep } else { PassesAction::Hide }
    }

    /// The nested session that line `i` belongs to.
    fn nested_at(&self, i: usize) -> Option<&Range<usize>> {
        let next = self.nested.partition_point(|session| session.end <= i);
        self.nested.get(next).filter(|session| session.start <= i)
    }
}

/// `____ test_name ____`
fn is_header(line: &str) -> bool {
    line.starts_with('_') && line.trim_end().ends_with('_')
}

/// Whether the title or totals in line `i` end this section, by the order in which pytest writes its sections.
fn ends_section(source: &Source<'_>, i: usize) -> bool {
    const NEXT: &[&str] = &["XPASSES", "short test summary info", "tests coverage"];
    let line = source.line(i);
    if is_totals_line(line) {
        let next = if i + 1 < source.len() { source.line(i + 1) } else { "" };
        return !is_header(next) && !next.starts_with("-----");
    }
    title(line).is_some_and(|t| {
        NEXT.contains(&t) || ["warnings summary", "slowest ", "coverage: "].iter().any(|s| t.starts_with(s))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<usize> {
        let source = Source::new(text);
        let mut passes = Passes::new(&source, 0);
        (0..source.len())
            .map(|i| (i, passes.action(&source, i)))
            .take_while(|(_, action)| *action != PassesAction::Open)
            .filter_map(|(i, action)| (action == PassesAction::Keep).then_some(i))
            .collect()
    }

    const END: &str = "=== short test summary info ===\nPASSED a\n=== 2 passed in 1.0s ===\n";

    #[test]
    fn a_session_that_failed_stays_with_its_test() {
        let session = "=== test session starts ===\nt.py F\n=== FAILURES ===\n__ x __\nE  no\n=== 1 failed in 0.1s ===\n";
        let text = format!("__ a __\none\n__ b __\n--- Captured ---\n{session}two\n__ c __\nthree\n{END}");
        assert_eq!(shown(&text), (2..=10).collect::<Vec<_>>());
    }

    #[test]
    fn a_session_that_passed_goes() {
        let session = "=== test session starts ===\nt.py .\n=== 1 passed in 0.1s ===\n";
        assert_eq!(shown(&format!("__ a __\n{session}__ c __\nthree\n{END}")), [0; 0]);
    }

    #[test]
    fn what_a_test_prints_like_a_title_stays_with_its_test() {
        assert_eq!(shown(&format!("__ a __\none\n=== mine ===\n__ c __\nthree\n{END}")), [0, 1]);
        assert_eq!(shown("__ a __\none\n=== test session starts ===\nt.py F\n"), [0, 1]);
        assert_eq!(shown(&format!("__ a __\n1 failed in 0.1s\n__ c __\nthree\n{END}")), [0]);
        assert_eq!(shown(&format!("__ a __\none\n{END}")), [0; 0]);
    }
}
