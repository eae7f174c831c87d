//! Measures what an agent would have missed: references that it used later, and failure lines.
//!
//! The definition of a failure is independent of the one in the pipeline, so that mistakes there are noticed here.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

/// Whether a reference is still in a text. A path counts if its folder and its name are both there, because a folder may be
/// written once for many names. A `path:line` counts if path and line are there.
pub(in crate::cli) fn survives(reference: &str, kind: &str, text: &str) -> bool {
    if kind == "line" {
        return stands(reference, text, |c| c.is_numeric());
    }
    if bounded(reference, text) {
        return true;
    }
    if kind != "path" && kind != "pathline" {
        return false;
    }
    let (path, line) = reference.split_once(':').unwrap_or((reference, ""));
    let line = line.split(':').next().unwrap_or_default();
    if !line.is_empty() && !stands(line, text, |c| c.is_numeric()) {
        return false;
    }
    if bounded(path, text) {
        return true;
    }
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    !folder.is_empty() && !name.is_empty() && bounded(folder, text) && bounded(name, text)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether `needle` occurs in `text` as a separate word.
fn bounded(needle: &str, text: &str) -> bool {
    let first = needle.chars().next().is_some_and(is_word);
    let last = needle.chars().next_back().is_some_and(is_word);
    text.match_indices(needle).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(is_word);
        let after = text[at + needle.len()..].chars().next().is_some_and(is_word);
        !(first && before || last && after)
    })
}

/// Whether `needle` occurs in `text` without a character next to it for which `glue` is true.
fn stands(needle: &str, text: &str, glue: impl Fn(char) -> bool) -> bool {
    text.match_indices(needle).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(&glue)
            && !text[at + needle.len()..].chars().next().is_some_and(&glue)
    })
}

/// Kinds of output in which a failure word is a report and not quoted text.
const REPORTING: &[&str] = &["test", "build", "log", "stacktrace", "other", "json", "xml", "table"];
/// Longest line that is examined, in bytes.
const MAX_LINE: usize = 20_000;
/// Up to this many characters of failure lines are compared; of a longer line, its start is enough.
const MAX_COMPARED: usize = 400;
const COMPARED_START_CHARS: usize = 160;

struct Patterns {
    escapes: Regex,
    hit: Regex,
    none: Regex,
    some: Regex,
    passed: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let build = |pattern: &str| Regex::new(pattern).ok();
    Some(Patterns {
        escapes: build(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")?,
        hit: build(concat!(
            r"\b(?:error|ERROR|Error|fatal|FATAL|panic(?:ked)?|FAILED|FAIL|Failed|failed|failure|FAILURE|Traceback",
            r"|CRITICAL|Segmentation fault|undefined reference|command not found|No such file|Permission denied",
            r"|cannot find|could not|AssertionError|BUILD FAILURE)\b|\b\w*(?:Error|Exception)(?:\b|:)|^E\s{2,}\S",
            r"|^(?:not ok\b|npm ERR!|--- FAIL|\s*[✕✗✖×]\s)|\berror(?:\[E\d+\]|:|\s+TS\d+)|: (?:fatal )?error:",
        ))?,
        none: build(concat!(
            r#"(?i)\b(?:0|no) (?:errors?|failures?|failed)\b"#,
            r#"|\b(?:errors?|failures?|failed)['"]?\s*[:=]\s*['"]?0\b"#,
        ))?,
        some: build(concat!(
            r#"(?i)\b[1-9]\d* (?:errors?|failures?|failed)"#,
            r#"|(?:errors?|failures?|failed)['"]?\s*[:=]\s*['"]?[1-9]"#,
        ))?,
        passed: build(concat!(
            r"(?i)\b(?:\.\.\.\s*ok|PASSED|PASS|passed)\s*(?:\[.*\])?$",
            r"|^\s*(?:✓|✔|ok \d|--- PASS|test .* \.\.\. ok)",
        ))?,
    })
});

/// The text with white space folded to single blanks and escape sequences removed.
pub(in crate::cli) fn fold(text: &str) -> String {
    let plain = match PATTERNS.as_ref() {
        Some(patterns) if text.contains('\x1b') => patterns.escapes.replace_all(text, ""),
        _ => text.into(),
    };
    let mut out = String::with_capacity(plain.len());
    for word in plain.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Distinct lines that report a failure, folded.
pub(in crate::cli) fn failure_lines(text: &str, kind: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let Some(patterns) = PATTERNS.as_ref().filter(|_| REPORTING.contains(&kind)) else { return out };
    let plain = patterns.escapes.replace_all(text, "");
    for line in plain.split(['\n', '\r']).filter(|line| line.len() <= MAX_LINE) {
        if !patterns.hit.is_match(line) || excused(patterns, line) {
            continue;
        }
        let folded: String = fold(line).chars().take(MAX_COMPARED).collect();
        if folded.chars().count() >= 4 {
            out.insert(folded);
        }
    }
    out
}

fn excused(patterns: &Patterns, line: &str) -> bool {
    patterns.passed.is_match(line)
        || patterns.none.find(line).is_some_and(|zero| !patterns.some.is_match(&line[zero.end()..]))
}

/// Whether a folded failure line is in a folded text.
pub(in crate::cli) fn line_survives(line: &str, folded: &str) -> bool {
    let start: String = line.chars().take(COMPARED_START_CHARS).collect();
    folded.contains(line) || (start.len() < line.len() && folded.contains(&start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_survive_as_agents_find_them() {
        assert!(survives("120", "line", "src/a.rs:120: x") && !survives("120", "line", "1120 1201"));
        assert!(survives("foo_bar", "ident", "(foo_bar)") && !survives("foo_bar", "ident", "foo_bars"));
        assert!(
            survives("src/a/b.rs", "path", "in src/a:\n  b.rs") && !survives("src/a/b.rs", "path", "b.rs")
        );
        assert!(
            survives("a/b.rs:7", "pathline", "a:\nb.rs\n7: x")
                && !survives("a/b.rs:7", "pathline", "a/b.rs 8")
        );
    }

    #[test]
    fn failure_lines_are_distinct_and_folded() {
        let text = "ok\nerror:   one\nerror: one\n0 errors\ntest a ... ok\n0 errors, 3 failed\n";
        let lines: Vec<String> = failure_lines(text, "test").into_iter().collect();
        assert_eq!(lines, ["0 errors, 3 failed", "error: one"]);
        assert!(failure_lines(text, "file_read").is_empty());
    }
}
