//! Home-made runners that print which test starts and, on the next line, how it ended: `Running test_a …` above `PASS`,
//! `RUN  a` above `OK   a`.
//!
//! A pair is two adjacent lines, or one line that says both. A test that printed something or did not pass is not a
//! pair, and all its lines are kept.

use crate::input::Input;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::lines::starts_with_any;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// The reducer of this module.
pub struct Pairs;

static META: Meta = Meta {
    id: "test_pairs",
    family: "test",
    reads: "runners that write `Running NAME` above `PASS`, or `RUN` above `OK`",
    keeps: "tests that did not pass or that printed something, with all lines, and everything else",
    omits: "pairs of the start of a test and its `PASS` or `OK`",
    anchors: &["Running ", "running ", "RUN ", "Testing "],
};

/// A text with fewer pairs than this is not claimed.
const MIN_PAIRS: usize = 5;
/// If there are at most this many tests, the marker names them.
const MAX_NAMED: usize = 15;
/// Longest name, in bytes.
const MAX_NAME_BYTES: usize = 160;
const START_PREFIXES: &[&str] =
    &["Running test: ", "Running test ", "Running ", "running ", "RUN ", "Testing "];
const PASSED: &[&str] = &["PASS", "PASSED", "OK", "ok", "Passed", "passed", "pass"];

impl Reducer for Pairs {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let (mut known, mut pairs, mut all, mut tests) = (0, 0, 0, 0);
        let command = input.call.command.as_deref().unwrap_or_default();
        let mut i = 0;
        while i < input.source.len() {
            let len = pair(input.source, i).map_or(1, |(_, len)| len);
            let line = input.source.line(i);
            all += if line.trim().is_empty() { 0 } else { len };
            match pair(input.source, i) {
                Some(_) => {
                    (known, pairs) = (known + len, pairs + 1);
                    tests += usize::from(says_test(line));
                }
                None => known += usize::from(started(line).is_some()),
            }
            i += len;
        }
        // Migrations and similar steps also report "running" and "OK".
        let is_test = tests * 2 >= pairs || says_test(command);
        FormatProof::full_if(is_test && pairs >= MIN_PAIRS && known * 2 >= all)
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut found: Vec<(usize, usize, &str)> = Vec::new();
        let mut i = 0;
        while i < source.len() {
            let pair = pair(source, i);
            // The last line of the text is kept: it may be the verdict on the whole run.
            if let Some((name, len)) = pair
                && i + len < source.len()
                && !(i..i + len).any(|i| signals::is_failure(source.line(i)))
            {
                found.push((i, len, name));
            }
            i += pair.map_or(1, |(_, len)| len);
        }
        let names: Vec<&str> = found.iter().map(|(_, _, name)| *name).collect();
        let is_named = names.len() <= MAX_NAMED && !names.iter().any(|name| name.contains(['[', ']']));
        let mut said = match is_named {
            true => names.join(", "),
            false => format!("{} tests", names.len()),
        };
        let mut out = Reduction::default();
        for (line, len, _) in &found {
            out.omit_named(*line..line + len, Reason::PassingTests, 1, &std::mem::take(&mut said));
        }
        out.unless_empty()
    }

    fn is_format_line(&self, line: &str) -> bool {
        started(line).is_some() || is_passed(line, "")
    }
}

/// The name of the test of the pair that starts in line `i`, and the number of lines of the pair.
fn pair<'a>(source: &Source<'a>, i: usize) -> Option<(&'a str, usize)> {
    let line = source.line(i);
    let name = started(line)?;
    if let Some((head, verdict)) = name.rsplit_once(' ')
        && PASSED.contains(&verdict)
        && head.trim_end().ends_with(['.', ':', '\u{2026}', '-'])
    {
        let name = bare(head);
        return is_name(name).then_some((name, 1));
    }
    let name = bare(name);
    (is_name(name) && i + 1 < source.len() && is_passed(source.line(i + 1), name)).then_some((name, 2))
}

/// Whether a text mentions tests.
fn says_test(text: &str) -> bool {
    ["test", "Test", "TEST", "spec", "Spec"].iter().any(|word| text.contains(word))
}

/// The name of the test that a line says is starting.
fn started(line: &str) -> Option<&str> {
    let line = line.trim();
    if !starts_with_any(line, START_PREFIXES) {
        return None;
    }
    START_PREFIXES.iter().find_map(|start| line.strip_prefix(start)).map(str::trim_start)
}

/// A name without trailing dots, colons and dashes.
fn bare(name: &str) -> &str {
    name.trim_end_matches(['.', ':', '\u{2026}', ' ', '-'])
}

/// Whether a text can be the name of a test.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.split(' ').count() <= 4
}

/// Whether a line says that the test `name` passed, and nothing else.
fn is_passed(line: &str, name: &str) -> bool {
    let line = line.trim();
    let (verdict, rest) = line.split_once([' ', ':', '\t']).unwrap_or((line, ""));
    let rest = rest.trim();
    let rest = rest.strip_prefix(name).unwrap_or(rest).trim();
    let is_time = || {
        let inner = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(rest);
        let number = inner.trim_end_matches(['m', 's', ' ']);
        !number.is_empty()
            && number.len() < inner.len()
            && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    };
    PASSED.contains(&verdict) && (rest.is_empty() || is_time())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(&str, usize)> {
        let source = Source::new(text);
        (0..source.len()).filter_map(|i| pair(&source, i)).collect()
    }

    #[test]
    fn pairs_are_two_lines_or_one() {
        assert_eq!(names("Running test_a \u{2026}\nPASS\n"), [("test_a", 2)]);
        assert_eq!(names("Running test: a...\n  ok\n"), [("a", 2)]);
        assert_eq!(names("RUN  a/b\nOK   a/b (0.01s)\n"), [("a/b", 2)]);
        assert_eq!(names("Running test_a ... PASS\n"), [("test_a", 1)]);
        assert_eq!(names("Testing a: \nPASSED 12 ms\n"), [("a", 2)]);
    }

    #[test]
    fn what_does_not_pass_or_prints_is_no_pair() {
        for text in [
            "Running test_a\nFAIL\n",
            "Running test_a\nhello\nPASS\n",
            "RUN  a\nOK   b\n",
            "Running a\nPASS but slow\n",
            "Running a ... FAIL\n",
            "Running the whole set of tests again\nPASS\n",
            "Running a\n",
            "PASS\nRunning\n",
        ] {
            assert_eq!(names(text), [], "{text}");
        }
    }
}
