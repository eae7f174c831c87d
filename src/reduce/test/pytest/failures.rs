//! The sections `FAILURES` and `ERRORS` of pytest: what a failure repeats of those before it. Of a fixture that breaks, or of a
//! test with many parameters, pytest prints the same source lines for every test.
//!
//! Grammar: `____ name ____`, then in the style `long` for each function its arguments, its source (indented, `>` before the
//! line at fault), the exception (`E`) and the place, with `_ _ _` between functions; then what was captured, under titles of
//! `-`. Names, arguments, `>`, `E` and places stay.

use std::collections::HashSet;
use std::ops::Range;

use super::grammar::{is_start, is_totals_line, title};
use crate::text::reason::Reason;
use crate::text::source::Source;

/// Fewest source lines that go. A choice: fewer cost hardly more than their marker.
const MIN_EXCERPT_LINES: usize = 3;
/// Fewest bytes of them.
const MIN_EXCERPT_BYTES: usize = 120;

/// What may go of the section of which line `from` is the first below the title, in order.
pub fn repeated(source: &Source<'_>, from: usize) -> Vec<(Range<usize>, Reason)> {
    let ends = |&i: &usize| {
        let line = source.line(i);
        title(line).is_some() || is_totals_line(line) || is_start(line)
    };
    let end = (from..source.len()).find(ends).unwrap_or(source.len());
    let headings: Vec<usize> = (from..end).filter(|&i| is_heading(source.line(i))).collect();
    let mut gone = Vec::new();
    let mut excerpts = HashSet::new();
    // The last body that is shown.
    let mut shown = "";
    for (n, &heading) in headings.iter().enumerate() {
        let body = heading + 1..headings.get(n + 1).copied().unwrap_or(end);
        let text = source.slice(body.clone()).trim();
        if text == shown && !text.is_empty() {
            gone.push((body, Reason::SameFailure));
            continue;
        }
        shown = text;
        gone.extend(
            code(source, body)
                .filter(|lines| !excerpts.insert(source.slice(lines.clone())))
                .map(|lines| (lines, Reason::RepeatedExcerpt)),
        );
    }
    gone
}

/// `____ TestA.test_b[3] ____`, `____ ERROR at setup of test_c ____`
fn is_heading(line: &str) -> bool {
    let line = line.trim_end();
    let inner = line.trim_start_matches('_').strip_prefix(' ').filter(|_| line.ends_with('_'));
    let name = inner.and_then(|inner| inner.trim_end_matches('_').strip_suffix(' '));
    line.starts_with('_') && name.is_some_and(|name| name.contains(|c| c != '_' && c != ' '))
}

/// The stretches of source lines of a failure that are long enough to go: from one that is not empty to one that is not.
fn code(source: &Source<'_>, body: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let is_code = |line: &str| line.starts_with("    ") || line.is_empty();
    let captured = body.clone().find(|&i| source.line(i).starts_with("----")).unwrap_or(body.end);
    let mut at = body.start;
    std::iter::from_fn(move || {
        while at < captured {
            let start = at;
            at = (start..captured).find(|&i| !is_code(source.line(i))).unwrap_or(captured);
            let first = (start..at).find(|&i| !source.line(i).trim().is_empty());
            let last = (start..at).rev().find(|&i| !source.line(i).trim().is_empty());
            at = at.max(start + 1);
            if let (Some(first), Some(last)) = (first, last)
                && last + 1 - first >= MIN_EXCERPT_LINES
                && source.byte_range(first..last + 1).len() >= MIN_EXCERPT_BYTES
            {
                return Some(first..last + 1);
            }
        }
        None
    })
}
