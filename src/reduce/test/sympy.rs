//! SymPy's own runner, `bin/test` and `sympy.test()`: files in which all tests passed are left out; in other files,
//! the lines of passing tests.
//!
//! Grammar: a rule that says that the tests start; the environment; then for each file a heading with the path and
//! the number of tests. Dots follow in the same line, or with `--verbose` one line a test below it. The last of
//! these lines ends with the verdict on the file. Then failures below rules of `_`, and the totals. The output of
//! tests is kept.

use std::ops::Range;

use crate::input::Input;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// The reducer of this module.
pub struct Sympy;

static META: Meta = Meta {
    id: "sympy",
    family: "test",
    reads: "SymPy's `bin/test` and `bin/doctest`, also with `--verbose`",
    keeps: "failures and exceptions whole, expected failures, skipped and slow tests, what tests print, the environment, totals; \
            in a file that did not end, the last test that passed",
    omits: "files in which all tests passed, passed tests of other files",
    anchors: &["= test process starts =", " tests finished: "],
};

impl Reducer for Sympy {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let source = input.source;
        let starts = |i: usize| {
            is_start(source.line(i)) && i + 1 < source.len() && source.line(i + 1).starts_with("executable: ")
        };
        FormatProof::full_if(!input.detection.command.is_filtered() && (0..source.len()).any(starts))
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut out = Reduction::default();
        let mut i = (0..source.len()).find(|&i| is_start(source.line(i))).ok_or(Reason::NotRecognized)?;
        while i < source.len() {
            if !is_heading(source.line(i)) {
                i += 1;
                continue;
            }
            let end = file_end(source, i);
            file(source, i..end, &mut out);
            i = end;
        }
        out.unless_empty()
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let source = input.source;
        let Some(first) = (0..source.len()).find(|&i| is_start(source.line(i))) else {
            return 0..source.len();
        };
        let total = |i: &usize| source.line(*i).contains(" tests finished: ");
        let Some(last) = (first..source.len()).rev().find(total) else { return first..source.len() };
        // Long totals continue in the next line.
        let ends = |i: &usize| source.line(*i).starts_with("DO *NOT* COMMIT!");
        let last = (last..source.len().min(last + 3)).rev().find(ends).unwrap_or(last);
        first..last + 1
    }
}

/// `============================= test process starts ==============================`
fn is_start(line: &str) -> bool {
    line.starts_with('=') && line.trim_matches('=') == " test process starts "
}

/// `sympy/core/tests/test_basic.py[23] ….`
fn is_heading(line: &str) -> bool {
    heading_rest(line).is_some()
}

/// The text after the path and the number of tests of a heading.
fn heading_rest(line: &str) -> Option<&str> {
    let open = memchr::memmem::find(line.as_bytes(), b".py[")? + 4;
    let digits = line[open..].bytes().take_while(u8::is_ascii_digit).count();
    let is_path = !line[..open].contains([' ', '"', '\'', '(', '=']);
    line[open + digits..].strip_prefix("] ").filter(|_| digits > 0 && is_path)
}

/// The line after the lines of a file: they end with the verdict, or before a line that belongs to something else.
fn file_end(source: &Source<'_>, start: usize) -> usize {
    for i in start..source.len() {
        let line = source.line(i);
        if i > start && (is_heading(line) || is_rule(line) || line.contains(" tests finished: ")) {
            return i;
        }
        if verdict(line).is_some() {
            return i + 1;
        }
    }
    source.len()
}

/// A line of underscores, which may have a title in it.
fn is_rule(line: &str) -> bool {
    line.len() >= 60 && line.starts_with("___") && line.ends_with("___")
}

/// Whether the verdict at the end of a line is `[OK]`; `None` if the line has no verdict.
fn verdict(line: &str) -> Option<bool> {
    let line = line.trim_end();
    if line.ends_with(" [OK]") {
        return Some(true);
    }
    line.ends_with(" [FAIL]").then_some(false)
}

/// `test_a ok`
fn is_passed(text: &str) -> bool {
    text.trim_end().strip_suffix(" ok").is_some_and(|name| {
        !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':' | b'/'))
    })
}

/// Whether a text has nothing but passed tests.
fn is_clean(text: &str) -> bool {
    let text = text.trim();
    text.bytes().all(|b| b == b'.') || is_passed(text)
}

/// Leaves out the passed tests of one file, or all its lines if all passed.
fn file(source: &Source<'_>, lines: Range<usize>, out: &mut Reduction) {
    let own = |i: usize| match i == lines.start {
        true => heading_rest(source.line(i)).unwrap_or_default(),
        false => source.line(i),
    };
    let last = lines.end - 1;
    let said = |i: usize| match own(i).trim_end().strip_suffix(" [OK]") {
        Some(rest) if i == last => rest,
        // If the line has nothing but the verdict, no blank is left before it.
        _ => own(i)
            .trim_end()
            .strip_suffix("[OK]")
            .filter(|rest| i == last && rest.is_empty())
            .unwrap_or(own(i)),
    };
    let fails = |i: usize| signals::is_failure(source.line(i));
    if verdict(source.line(last)) == Some(true) && lines.clone().all(|i| is_clean(said(i)) && !fails(i)) {
        let blank = lines.end < source.len() && source.line(lines.end).is_empty();
        // The empty line below a file, which `--verbose` writes.
        let end = lines.end + usize::from(blank && lines.len() > 1 && lines.end + 1 < source.len());
        out.omit_in(lines.start..end, Reason::PassingTests, 1);
        return;
    }
    let ended = verdict(source.line(last)).is_some();
    let mut passed = lines.skip(1).filter(|&i| is_passed(source.line(i)) && !fails(i)).peekable();
    while let Some(i) = passed.next() {
        if ended || passed.peek().is_some() {
            out.omit_in(i..i + 1, Reason::PassingTests, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first and last lines of the spans that are left out.
    fn hidden(text: &str) -> Vec<(usize, usize)> {
        let source = Source::new(text);
        let mut out = Reduction::default();
        file(&source, 0..file_end(&source, 0), &mut out);
        out.spans.into_iter().map(|s| (s.lines.start, s.lines.end)).collect()
    }

    #[test]
    fn reads_files() {
        assert_eq!(hidden("a/b.py[3] ...     [OK]\n"), [(0, 1)]);
        assert_eq!(hidden("a/b.py[3] ..\n.     [OK]\nx\n"), [(0, 2)]);
        assert_eq!(hidden("a/b.py[3] \ntest_a ok\ntest_b ok    [OK]\n\nx\n"), [(0, 4)]);
        assert_eq!(hidden("a/b.py[3] \ntest_a ok\ntest_b f\ntest_c ok    [OK]\n"), [(1, 2)]);
        assert_eq!(hidden("a/b.py[3] \ntest_a ok\ntest_b F     [FAIL]\n"), [(1, 2)]);
        // The file has no verdict, so its last test is kept.
        assert_eq!(hidden("a/b.py[3] \ntest_a ok\ntest_b ok\n"), [(1, 2)]);
        assert!(hidden("a/b.py[3] ..f     [OK]\n").is_empty());
        assert!(hidden("a/b.py[3] ..said\n.     [OK]\n").is_empty());
        assert!(!is_heading("x = y.py[3] z") && !is_heading("a/b.py[x] ."));
    }
}
