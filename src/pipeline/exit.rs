//! The exit status in the text: a reader of a text with gaps must not have to guess whether the command
//! failed. A status that the text names already is not added.

use crate::text::marker::Marker;

/// The largest distance, in bytes, between a word for the end of a process (`ENDS`) and the status.
const MAX_WORD_DISTANCE: usize = 24;
/// Words for the end of a process.
const ENDS: &[&str] = &["exit", "Exit", "EXIT"];
/// Words right before a number that make it a status, unless it counts what follows: `returned 1 row`.
const STATUS_WORDS: &[&str] = &["code", "status", "Error", "returned"];

/// Whether the text names the status.
pub fn names_status(text: &str, status: i64) -> bool {
    let number = status.to_string();
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, number.as_bytes()).any(|at| {
        let before = &text[text.floor_char_boundary(at.saturating_sub(MAX_WORD_DISTANCE))..at];
        let line = before.rsplit('\n').next().unwrap_or(before);
        let is_part = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'.');
        let after = &bytes[at + number.len()..];
        // A decimal point continues only if a digit follows.
        let next = if after.first() == Some(&b'.') { after.get(1) } else { after.first() };
        let ends = !next.is_some_and(u8::is_ascii_alphanumeric);
        let counts = matches!(after, [b' ' | b'%', b, ..] if b.is_ascii_alphanumeric());
        ends && !is_part(at.checked_sub(1).and_then(|i| bytes.get(i)))
            && (ENDS.iter().any(|word| line.contains(word)) || !counts && is_behind_word(line))
    })
}

/// Whether a line ends in a word that makes the next number a status: `with code `, `status: `.
fn is_behind_word(line: &str) -> bool {
    let line = line.trim_end_matches([' ', ':', '=', '#', '\'', '"']);
    let is_whole = |rest: &str| !rest.ends_with(|c: char| c.is_alphanumeric());
    STATUS_WORDS.iter().any(|word| line.strip_suffix(word).is_some_and(is_whole))
}

/// Adds the status as the last line.
pub fn write_status(text: &mut String, status: i64) {
    let is_closed = text.ends_with('\n');
    if !is_closed {
        text.push('\n');
    }
    text.push_str(&Marker::Exit { status }.write());
    if is_closed {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_told_once() {
        for text in [
            "Process exited with code 1.",
            "make: *** [all] Error 1",
            "exit status 1",
            "Exit code: 1\n",
            "it returned 1",
            "npm ERR! code 1",
            "failed with error code: 1 (see above)",
        ] {
            assert!(names_status(text, 1), "{text}");
        }
        for text in [
            "1 failed",
            "exit code 12",
            "exit code\n1",
            "code 1.5",
            "v1.1 code",
            "exit status 2",
            "the query returned 1 row",
            "decode 1",
            "status of 1 issue",
            "code 1 of 3",
            "",
        ] {
            assert!(!names_status(text, 1), "{text}");
        }
        let mut text = "a\n".to_owned();
        write_status(&mut text, 2);
        assert_eq!(text, "a\n[tersed: exit status 2]\n");
        assert!(names_status(&text, 2));
        let mut text = "a".to_owned();
        write_status(&mut text, -9);
        assert_eq!(text, "a\n[tersed: exit status -9]");
    }
}
