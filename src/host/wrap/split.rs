//! Splits a command line into its commands, byte for byte. Accepts only lists of pipelines.

use std::ops::Range;

use crate::detect::command::lex::{self, Spanned, Token};

/// A piece of a command line between operators outside of quotes.
#[derive(Debug)]
pub(super) struct Part<'a> {
    pub(super) start: usize,
    /// The text without white space at its ends.
    pub(super) text: &'a str,
    /// The operator after it: `&&`, `||`, `|`, `;`, a line end, or nothing.
    pub(super) end: &'static str,
    /// Whether it is not in a pipeline and has no redirection but `2>&1`.
    pub(super) is_simple: bool,
}

/// The parts of a command line; `None` if it is more than a list of pipelines of programs.
pub(super) fn split(command: &str) -> Option<Vec<Part<'_>>> {
    let read = lex::read(command);
    if !read.passed.is_empty() {
        return None;
    }
    let mut parts: Vec<Part<'_>> = Vec::new();
    let (mut start, mut redirects, mut follows_pipe) = (0, false, false);
    let whole_end = Spanned { token: Token::Op(""), range: command.len()..command.len() };
    for Spanned { token, range } in read.tokens.into_iter().chain([whole_end]) {
        let end = match token {
            Token::Op(end) => end,
            Token::Redirect(..) => {
                redirects |= !is_joined(command, range);
                continue;
            }
            Token::Word(_) => continue,
        };
        let is_simple = !redirects && !follows_pipe && end != "|";
        let text = command[start..range.start].trim_start();
        start = range.start - text.len();
        match text.trim_end() {
            // An operator without a command before it. Blank lines and a final `;` are allowed.
            "" if matches!(end, "\n" | "") => {}
            "" => return None,
            // A comment after white space that the shell does not treat as such.
            text if text.starts_with('#') => return None,
            text => {
                follows_pipe = end == "|";
                parts.push(Part { start, text, end, is_simple });
            }
        }
        (start, redirects) = (range.end, false);
    }
    // `a &&` would continue in a line that does not exist.
    parts.last().filter(|last| matches!(last.end, "" | ";" | "\n"))?;
    Some(parts)
}

/// Whether a redirection is `2>&1`.
fn is_joined(command: &str, range: Range<usize>) -> bool {
    let at = range.start + command[range].find(['<', '>']).unwrap_or_default();
    command[..at].ends_with('2') && command[at..].starts_with(">&1")
}

/// The first word, if it has no quotes or expansions.
pub(super) fn first_word(text: &str) -> Option<&str> {
    let end = text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len());
    let word = &text[..end];
    let is_plain = word.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-+[:@".contains(&b));
    (is_plain && !word.is_empty()).then_some(word)
}

/// The text without leading variable assignments.
pub(super) fn without_assignments(text: &str) -> &str {
    let mut rest = text;
    loop {
        let name = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(0);
        if name == 0 || !rest[name..].starts_with('=') || rest.as_bytes()[0].is_ascii_digit() {
            return rest;
        }
        let value = &rest[name + 1..];
        // Values with quotes or brackets are not parsed.
        let end = value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len());
        if value[..end].contains(['"', '\'', '`', '$', '\\', '(']) {
            return "";
        }
        rest = value[end..].trim_start();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Words with an operator inside quotes, and redirections, each with whether a part that holds them counts as simple.
    const WORDS: [(&str, bool); 16] = [
        ("a", true),
        ("-x=1", true),
        ("'b && c'", true),
        ("\"d | 'e'; f\"", true),
        ("$(g; h | i)", true),
        ("\"$(j \"k && l\")\"", true),
        ("`m; n`", true),
        ("${o:-p}", true),
        ("\\;", true),
        ("q#r", true),
        ("$'s\\'; t'", true),
        ("2>&1", true),
        ("> u", false),
        (">&2", false),
        ("&> v", false),
        ("< w", false),
    ];

    /// Command lines that are more than a list of pipelines, or have an unclosed quote.
    const MORE: [&str; 22] = [
        "(x)", "x &", "<<E", "<<< x", "<(x)", ">(x)", "|& x", ";; x", "# x", "$!", "$$", "'x", "\"x", "$'x",
        "$(x", "${x", "`x", "\"$(x\"", "x &&", "x |", "&& ; x", "; ; x",
    ];

    fn words() -> impl Strategy<Value = Vec<(&'static str, bool)>> {
        proptest::collection::vec(proptest::sample::select(WORDS.as_slice()), 0..4)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn parts_are_what_stands_between_operators(
            lines in proptest::collection::vec((words(), proptest::sample::select(&["&&", "||", "|", ";", "\n"][..])), 1..6),
            last in words(),
            more in proptest::sample::select(MORE.as_slice()),
        ) {
            let mut command = String::new();
            let mut expected = Vec::new();
            let mut follows_pipe = false;
            for (words, end) in lines.iter().cloned().chain([(last, "")]) {
                let all: Vec<&str> = std::iter::once("cmd").chain(words.iter().map(|(word, _)| *word)).collect();
                let text = all.join(" ");
                let is_simple = words.iter().all(|(_, is)| *is) && !follows_pipe && end != "|";
                follows_pipe = end == "|";
                expected.push((command.len() + 1, text.clone(), end, is_simple));
                command.push_str(&format!(" {text} {end}"));
            }
            let parts = split(&command).unwrap();
            let parts: Vec<_> = parts.iter().map(|part| (part.start, part.text.to_owned(), part.end, part.is_simple)).collect();
            prop_assert_eq!(parts, expected);
            let declined = format!("{command} {more}");
            prop_assert!(split(&declined).is_none(), "{}", declined);
        }
    }

    #[test]
    fn what_is_never_closed_is_declined() {
        for text in ["a 'b", "a \"b", "a $'b", "a $(b", "a ${b", "a `b", "a \"$(b\"", "a \"`b\"", "a && 'b"] {
            assert!(split(text).is_none(), "{text}");
        }
        assert_eq!(split("a 'b' && c").unwrap().len(), 2);
    }
}
