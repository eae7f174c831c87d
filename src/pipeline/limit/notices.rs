//! Notices of tools before tersed that they cut the output themselves: `[... 120 more lines]`, `22166 characters
//! elided`, `(output truncated)`. If a cut dropped one, the text around it would look whole.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::text::source::Source;

/// The most notices that are kept. A choice: a text with more of them has one for each of its parts.
const MAX_NOTICES: usize = 16;
/// The longest notice, in bytes.
const MAX_BYTES: usize = 160;

/// What every notice contains.
const NOTICE_WORDS: &[&str] = &["elided", "truncated", "TRUNCATED", "omitted", " more"];
/// The words of texts that are counted in notices.
const COUNTED: &[&str] = &["char", "line", "byte", "row", "item", "entr", "result", "match", "file", "token"];
/// How notices without a sign before it start.
const SUBJECTS: &[&str] =
    &["output", "Output", "result", "Result", "response", "Response", "content", "Content"];

static SEARCH: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(NOTICE_WORDS).ok());

/// The lines with notices, in order.
pub(super) fn find(source: &Source<'_>) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let Some(search) = SEARCH.as_ref() else { return found };
    let mut from = 0;
    while let Some(hit) = source.text().get(from..).and_then(|rest| search.find(rest)) {
        crate::stop::check_sometimes();
        let line = source.line_at(from + hit.start());
        from = source.byte_range(line..line + 1).end.max(from + hit.end());
        if is_notice(source.line(line)) {
            found.push(line);
            if found.len() == MAX_NOTICES {
                break;
            }
        }
    }
    found
}

/// Whether a line only says that something was cut.
fn is_notice(line: &str) -> bool {
    let line = line.trim();
    if line.len() > MAX_BYTES {
        return false;
    }
    let text = line.trim_matches(['.', '\u{2026}', ' ', '-', '*', '=']);
    let is_apart = text.len() < line.len();
    let inner = text.trim_start_matches(['[', '(', '<', '/', '{']);
    let is_enclosed = inner.len() < text.len() && text.ends_with([']', ')', '>', '}']);
    let inner = inner.trim_end_matches([']', ')', '>', '}']).trim_matches(['.', '\u{2026}', ' ']);
    let is_number = inner.starts_with(|c: char| c.is_ascii_digit());
    let counts = || COUNTED.iter().any(|word| inner.contains(word));
    let says = |word: &str| inner.contains(word);
    let is_subject = || SUBJECTS.iter().any(|subject| inner.starts_with(subject));
    let is_short = inner.split_ascii_whitespace().nth(8).is_none();
    match () {
        () if !is_short => false,
        () if says("elided") || says("truncated") || says("TRUNCATED") => {
            is_enclosed || is_apart && is_number || is_number && counts() || is_subject()
        }
        () if says("omitted") => is_number && (is_enclosed || is_apart) && counts(),
        // `... 23 more` alone is in every stack trace of Java.
        () => is_number && has_more(inner) && (is_enclosed || is_apart && counts()),
    }
}

/// Whether a text with a number before it continues with `more`: `120 more lines`.
fn has_more(text: &str) -> bool {
    text.split_ascii_whitespace().nth(1) == Some("more")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_say_that_something_was_cut() {
        for line in [
            "... 22166 characters elided",
            "22166 characters elided",
            "<elided_chars>",
            "</elided_chars>",
            "[120 more lines]",
            "... (123 more)",
            "... 12 more lines",
            "[... 40 lines omitted ...]",
            "(output truncated)",
            "Output truncated to 2000 lines",
            "... [truncated]",
            "--- 400 bytes truncated ---",
        ] {
            assert!(is_notice(line), "{line}");
        }
        for line in [
            "\t... 23 more",
            "value was truncated for column a",
            "no more lines",
            "3 more tests passed",
            "let truncated = true;",
            "WARN 3 lines omitted from the report",
            "TRUNCATE TABLE a",
        ] {
            assert!(!is_notice(line), "{line}");
        }
        let source = Source::new("a\n[3 more lines]\nb more\n<elided_chars>\n");
        assert_eq!(find(&source), [1, 3]);
    }
}
