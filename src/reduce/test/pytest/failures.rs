//! The sections `FAILURES` and `ERRORS` of pytest: what a failure repeats from earlier ones. If a fixture fails, or a
//! test with many parameters, pytest prints the same source lines for every test.
//!
//! Grammar: `____ name ____`, then in the style `long` for each function its arguments, its source (indented, `>`
//! before the failing line), the exception (`E`) and the place, with `_ _ _` between functions; then captured output,
//! under titles of `-`. Names, arguments, `>`, `E` and places are kept.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::grammar::{is_start, is_totals_line, title};
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The fewest source lines that are left out. A choice: fewer lines cost hardly more than their marker.
const MIN_EXCERPT_LINES: usize = 3;
/// The fewest bytes that these source lines must have.
const MIN_EXCERPT_BYTES: usize = 120;

/// The lines to leave out of a section, in order. `from` is the first line below the title of the section.
pub fn repeated(source: &Source<'_>, from: usize) -> Vec<(Range<usize>, Reason)> {
    let ends = |&i: &usize| {
        let line = source.line(i);
        title(line).is_some() || is_totals_line(line) || is_start(line)
    };
    let end = (from..source.len()).find(ends).unwrap_or(source.len());
    let headings: Vec<usize> = (from..end).filter(|&i| is_heading(source.line(i))).collect();
    let mut gone = Vec::new();
    let mut excerpts = HashSet::new();
    // The body of the last failure that is shown.
    let mut shown = Cow::Borrowed("");
    for (n, &heading) in headings.iter().enumerate() {
        let body = heading + 1..headings.get(n + 1).copied().unwrap_or(end);
        let text = without_addresses(source.slice(body.clone()).trim());
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

/// The text without the digits of memory addresses: `<Store object at 0x>` for `<Store object at 0x7f7e20bada10>`.
fn without_addresses(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for at in memchr::memmem::find_iter(text.as_bytes(), b" at 0x") {
        let start = at + " at 0x".len();
        let digits = text[start..].bytes().take_while(u8::is_ascii_hexdigit).count();
        out.push_str(&text[copied..start]);
        copied = start + digits;
    }
    match copied {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(out + &text[copied..]),
    }
}

/// `____ TestA.test_b[3] ____`, `____ ERROR at setup of test_c ____`
fn is_heading(line: &str) -> bool {
    let line = line.trim_end();
    let inner = line.trim_start_matches('_').strip_prefix(' ').filter(|_| line.ends_with('_'));
    let name = inner.and_then(|inner| inner.trim_end_matches('_').strip_suffix(' '));
    line.starts_with('_') && name.is_some_and(|name| name.contains(|c| c != '_' && c != ' '))
}

/// The runs of source lines of a failure that are long enough to leave out. They start and end with a non-empty line.
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

#[cfg(test)]
mod tests {
    use super::*;

    const HELPER: &str = "    def check(numbers, total):\n        \"\"\"Adds the numbers one after the other and compares the sum with \
                          what is asked for.\"\"\"\n        found = sum(numbers)\n>       assert found == total\n";

    fn of(text: &str) -> Vec<(Range<usize>, Reason)> {
        repeated(&Source::new(text), 0)
    }

    #[test]
    fn what_is_shown_is_not_shown_again() {
        let failure = |name: &str, what: &str| {
            format!("___ {name} ___\n\n{what}\n\n{HELPER}E       assert 6 == 7\n\nt.py:5: AssertionError\n")
        };
        // The same report, apart from the name and an address.
        let same = failure("test_a", "self = <T at 0x7f01>") + &failure("test_b", "self = <T at 0x8f0a1>");
        assert_eq!(of(&same), [(12..22, Reason::SameFailure)]);
        // The value of an argument differs: the source lines above the failing line are left out.
        let other = failure("test_a", "total = 7") + &failure("test_b", "total = 8");
        assert_eq!(of(&other), [(15..18, Reason::RepeatedExcerpt)]);
        // A failure is compared with the one directly before it, not with earlier ones.
        let between = failure("test_a", "total = 7")
            + &failure("test_b", "total = 8")
            + &failure("test_a", "total = 7");
        let reasons: Vec<Reason> = of(&between).into_iter().map(|(_, reason)| reason).collect();
        assert_eq!(reasons, [Reason::RepeatedExcerpt; 2]);
    }

    #[test]
    fn what_a_test_printed_stays() {
        let printed = "---- Captured stdout call ----\n    one line of what the test wrote, which is long enough to go\n    \
                       another\n    and one more line of what the test wrote\n";
        let text =
            format!("___ a ___\nx = 1\n{printed}___ b ___\nx = 2\n{printed}=== 2 failed in 0.1s ===\n");
        assert_eq!(of(&text), []);
    }

    #[test]
    fn headings_are_no_rules() {
        assert!(is_heading("____ test_a[1] ____") && is_heading("_ a_name_that_fills_the_line _"));
        assert!(!is_heading("_ _ _ _ _ _") && !is_heading("__init__") && !is_heading("____"));
    }
}
