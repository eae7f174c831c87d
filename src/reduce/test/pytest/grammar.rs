//! The lines that pytest writes: titles, totals and progress. Each line is read by itself, without any state.

use crate::reduce::lines::leading_number;

/// The text between the `=` of a title, as pytest's `TerminalWriter.sep` writes it. However narrow the terminal is,
/// there is at least one `=` on each side.
pub fn title(line: &str) -> Option<&str> {
    if !line.starts_with('=') {
        return None;
    }
    line.trim_end().trim_matches('=').strip_prefix(' ')?.strip_suffix(' ')
}

/// The title that opens a session.
pub fn is_start(line: &str) -> bool {
    title(line) == Some("test session starts")
}

/// The totals: in a title, or bare with `-q`.
pub fn is_totals_line(line: &str) -> bool {
    match title(line) {
        Some(text) => is_totals(text),
        None => is_totals(line.trim_end()),
    }
}

/// `2 failed, 159 passed, 1 error in 0.57s`; up to version 5.3 `… in 0.57 seconds`, over a minute
/// `… in 61.20s (0:01:01)`.
pub fn is_totals(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "passed",
        "failed",
        "error",
        "errors",
        "skipped",
        "deselected",
        "xfailed",
        "xpassed",
        "warning",
        "warnings",
        "rerun",
    ];
    if !text.starts_with(|c: char| c.is_ascii_digit()) && !text.starts_with("no tests ran") {
        return false;
    }
    let Some((counts, time)) = text.rsplit_once(" in ") else { return false };
    let time = time.split_once(" (").map_or(time, |(time, _)| time);
    let digits = time.strip_suffix(" seconds").or_else(|| time.strip_suffix('s'));
    let is_time = digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
    let word = |piece: &'_ str| leading_number(piece).is_some_and(|(_, word)| word.starts_with(' '));
    let known = |piece: &str| WORDS.contains(&piece.rsplit([' ', '-']).next().unwrap_or_default());
    is_time && (counts == "no tests ran" || (counts.split(", ").all(word) && counts.split(", ").any(known)))
}

/// Whether a line ends the progress lines: a title that pytest writes, the totals, `!!! … !!!`, or the traceback of
/// an error in pytest itself. Any other title may be something that a test printed.
pub fn is_end_of_progress(line: &str) -> bool {
    const TITLES: &[&str] = &[
        "ERRORS",
        "FAILURES",
        "XFAILURES",
        "PASSES",
        "XPASSES",
        "short test summary info",
        "tests coverage",
    ];
    match line.as_bytes().first() {
        Some(b'=') => title(line).is_some_and(|t| {
            TITLES.contains(&t)
                || t.starts_with("warnings summary")
                || t.starts_with("slowest ")
                || is_totals(t)
        }),
        Some(b'!') => line.starts_with("!!!!") && line.trim_end().ends_with("!!!!"),
        Some(b'I') => line.starts_with("INTERNALERROR>"),
        Some(b'0'..=b'9' | b'n') => is_totals_line(line),
        _ => false,
    }
}

/// Whether a line before any title belongs to a failure or to a captured output.
pub fn is_inside_block(line: &str) -> bool {
    line.starts_with("____") || line.starts_with("E   ") || line.starts_with("---------- Captured")
}

/// A line without its share of the run (`[ 43%]`, or `[ 5/12]` in the style `count`), and whether it had one.
pub fn strip_percent(line: &str) -> (&str, bool) {
    let line = line.trim_end();
    let share = line.strip_suffix(']').and_then(|l| {
        let opens = memchr::memrchr_iter(b'[', l.as_bytes());
        let at = { opens }.find(|&at| at > 0 && l.as_bytes()[at - 1] == b' ')?;
        Some((&l[..at - 1], &l[at + 1..]))
    });
    match share {
        Some((body, share))
            if !share.is_empty()
                && share.ends_with(['%', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
                && share.contains(['%', '/'])
                && share.bytes().all(|b| matches!(b, b' ' | b'0'..=b'9' | b'%' | b'/')) =>
        {
            (body.trim_end(), true)
        }
        _ => (line, false),
    }
}

/// The test named in `tests/test_a.py::test_b PASSED` or `tests/test_a.py::test_b SUBPASSED[what] (i=0)`.
pub fn passed(body: &str) -> Option<&str> {
    body.strip_suffix(" PASSED").or_else(|| {
        let (test, what) = body.split_once(" SUBPASS")?;
        let what = what.strip_prefix("ED").unwrap_or(what).trim_start();
        (what.is_empty() || what.starts_with(['[', '('])).then_some(test)
    })
}

/// `tests/test_a.py::TestB::test_c[x y]`
pub fn is_test_id(text: &str) -> bool {
    !text.starts_with([' ', '\t', '[']) && text.split_once("::").is_some_and(|(file, _)| !file.is_empty())
}

/// The test named in `[gw0] [ 12%] PASSED tests/test_a.py::test_b `.
pub fn xdist_passed(line: &str) -> Option<&str> {
    let (worker, rest) = line.strip_prefix("[gw")?.split_once("] ")?;
    let rest = match rest.strip_prefix('[') {
        Some(share) => share.split_once("] ")?.1,
        None => rest,
    };
    let test = rest.strip_prefix("PASSED ")?.trim_end();
    (worker.bytes().all(|b| b.is_ascii_digit()) && is_test_id(test)).then_some(test)
}

/// Reads `tests/test_a.py ..F.` and returns the file (empty if the line continues one) and whether all tests in the
/// line passed (a comma is a passed subtest). `None` for any other line.
pub fn dots(body: &str) -> Option<(&str, bool)> {
    let (path, marks) = body.rsplit_once(' ').unwrap_or(("", body));
    let path = path.trim_end();
    let is_file = |path: &str| {
        !path.starts_with([' ', '\t']) && path.rsplit(['/', '\\']).next().is_some_and(|n| n.contains('.'))
    };
    let is_mark = |b: u8| matches!(b, b'.' | b',' | b'-') || b.is_ascii_alphabetic();
    if marks.is_empty() || !marks.bytes().all(is_mark) || !(path.is_empty() || is_file(path)) {
        return None;
    }
    Some((path, marks.bytes().all(|b| matches!(b, b'.' | b','))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_totals() {
        for line in [
            "=== 2 failed, 159 passed, 1 skipped, 1 xfailed, 2 warnings, 1 error in 0.57s ===",
            "3 passed in 0.12 seconds",
            "= 1 passed, 1 pytest-warnings in 61.20s (0:01:01) =",
            "============ no tests ran in 0.00s ============",
            "1 failed, 2 passed, 3 snapshots updated in 4s",
        ] {
            assert!(is_totals_line(line), "{line}");
        }
        for line in [
            "= tests finished: 77 passed, in 7.58 seconds =",
            "3 passed",
            "2 apples in 3s",
            "=====",
            "1 in 2",
        ] {
            assert!(!is_totals_line(line), "{line}");
        }
    }

    #[test]
    fn reads_progress() {
        assert_eq!(strip_percent("a.py ...   [  9%]"), ("a.py ...", true));
        assert_eq!(strip_percent("a.py::t[1] PASSED [ 5/12]"), ("a.py::t[1] PASSED", true));
        assert_eq!(strip_percent("a.py::t[12]"), ("a.py::t[12]", false));
        assert_eq!(dots("tests/a.py ..,."), Some(("tests/a.py", true)));
        assert_eq!(dots("..F."), Some(("", false)));
        assert_eq!(dots("collected 5"), None);
        assert_eq!(dots("said ..."), None);
        assert_eq!(xdist_passed("[gw1] [ 12%] PASSED a.py::t[x y] "), Some("a.py::t[x y]"));
        assert_eq!(xdist_passed("[gw1] [ 12%] FAILED a.py::t "), None);
        assert!(
            is_end_of_progress("!!!!!!!!! KeyboardInterrupt !!!!!!!!!")
                && !is_end_of_progress("=== mine ===")
        );
    }
}
