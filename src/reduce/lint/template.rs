//! The template of the diagnostics of one rule: the message, with gaps where names and numbers differ.
//!
//! A gap is text in quotes, a number, or a word that looks like a name in the code. A text that would be hard to
//! read inside a list of places, such as one with a comma, is not a gap but part of the message.

use std::ops::Range;

/// The character for a gap in a key. No sanitized text contains it.
const GAP: char = '\0';
/// Longest text that differs between messages of one template, in bytes. A choice: a name with its path.
const MAX_GAP_BYTES: usize = 60;

/// A message, split into the part that it shares with others and its own values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The message with [`GAP`] for each gap.
    pub key: String,
    /// The text in the gaps, as ranges of the message.
    pub gaps: Vec<Range<usize>>,
}

/// Splits a message.
pub fn split(message: &str) -> Template {
    let bytes = message.as_bytes();
    let mut key = String::with_capacity(message.len());
    let mut gaps = Vec::new();
    let mut copied = 0;
    let mut i = 0;
    while i < bytes.len() {
        let gap = match bytes[i] {
            b'\'' | b'"' | b'`' => quoted(bytes, i),
            b'0'..=b'9' => number(bytes, i),
            b' ' => name(bytes, i + 1),
            _ => None,
        };
        let Some(gap) = gap else {
            i += 1;
            continue;
        };
        if message.get(gap.clone()).is_some_and(is_listable) {
            key.push_str(message.get(copied..gap.start).unwrap_or_default());
            key.push(GAP);
            copied = gap.end;
            gaps.push(gap.clone());
        }
        // A closing quote opens nothing.
        i = gap.end.max(i + 1) + usize::from(matches!(bytes[i], b'\'' | b'"' | b'`'));
    }
    key.push_str(message.get(copied..).unwrap_or_default());
    Template { key, gaps }
}

/// Whether a text can be in a list of places.
fn is_listable(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_GAP_BYTES
        && !text.contains(['(', ')', '[', ']', ',', ';', '\n', GAP])
}

/// The text between the quote at `open` and the one that closes it. An apostrophe does not count.
fn quoted(bytes: &[u8], open: usize) -> Option<Range<usize>> {
    let is_word = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_alphanumeric);
    if open > 0 && is_word(open - 1) {
        return None;
    }
    let rest = &bytes[open + 1..bytes.len().min(open + 2 + MAX_GAP_BYTES)];
    let close = open + 1 + memchr::memchr(bytes[open], rest)?;
    (!is_word(close + 1)).then_some(open + 1..close)
}

/// The number that starts at `start`, if it is a word of its own: a rule's code and a version are not.
fn number(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    let end = start + bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
    let before = start.checked_sub(1).and_then(|i| bytes.get(i)).is_some_and(is_part);
    let after = match bytes.get(end) {
        Some(b'.') => bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric),
        Some(b) => is_part(b),
        None => false,
    };
    // All digits are examined once, whether or not they are a gap.
    if before || after { Some(end..end) } else { Some(start..end) }
}

/// The word at `start` inside a sentence, if it looks like a name: `Load`, `snake_case`, `a.b`, but not the first
/// word of a sentence or an abbreviation.
fn name(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let before = start.checked_sub(2).and_then(|i| bytes.get(i))?;
    let rest = &bytes[start..bytes.len().min(start + MAX_GAP_BYTES + 1)];
    if !rest.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_') {
        return None;
    }
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$' | b':' | b'\\');
    let len = rest.iter().take_while(|b| is_part(b)).count();
    let word = &rest[..len];
    let word = &word[..word.iter().rposition(|b| !matches!(b, b'.' | b':')).map_or(0, |last| last + 1)];
    let ends = matches!(
        rest.get(word.len()),
        None | Some(b' ' | b'.' | b',' | b':' | b';' | b')' | b'(' | b'?' | b'!')
    );
    let has_lower = word.iter().any(u8::is_ascii_lowercase);
    let begins = matches!(before, b'.' | b':' | b']' | b'!' | b'?');
    let is_name = word
        .iter()
        .skip(1)
        .any(|b| matches!(b, b'_' | b'.' | b':' | b'\\') || b.is_ascii_uppercase() || b.is_ascii_digit())
        || !begins && word.first().is_some_and(u8::is_ascii_uppercase);
    (ends && has_lower && is_name).then_some(start..start + word.len())
}

/// The key with its gaps filled: with the text that all messages have there, otherwise with `…`.
pub fn fill(key: &str, common: &[Option<&str>]) -> String {
    let mut out = String::with_capacity(key.len() + 16);
    let mut common = common.iter();
    for c in key.chars() {
        match c {
            GAP => out.push_str(common.next().copied().flatten().unwrap_or("…")),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(message: &str) -> (String, Vec<&str>) {
        let t = split(message);
        (t.key.replace(GAP, "_"), t.gaps.iter().map(|g| &message[g.clone()]).collect())
    }

    #[test]
    fn gaps_are_names_and_numbers() {
        assert_eq!(
            parts("E501 line too long (111 > 79 characters)"),
            ("E501 line too long (_ > _ characters)".into(), vec!["111", "79"])
        );
        assert_eq!(
            parts("F401 'os.path' imported but unused"),
            ("F401 '_' imported but unused".into(), vec!["os.path"])
        );
        assert_eq!(
            parts("Name \"x\" doesn't conform to 'a'"),
            ("Name \"_\" doesn't conform to '_'".into(), vec!["x", "a"])
        );
        assert_eq!(
            parts("use python 3.11 or ver2, not 4."),
            ("use python 3.11 or _, not _.".into(), vec!["ver2", "4"])
        );
        assert_eq!(parts("'f(a, b)' is 'x'"), ("'f(a, b)' is '_'".into(), vec!["x"]));
        assert_eq!(
            parts("exported type Order_v2 in a.b.C should. Use Foo instead"),
            ("exported type _ in _ should. Use _ instead".into(), vec!["Order_v2", "a.b.C", "Foo"])
        );
        assert_eq!(
            parts("Call to App\\Cart::add() of App\\Shop\\Cart::$items."),
            ("Call to _() of _.".into(), vec!["App\\Cart::add", "App\\Shop\\Cart::$items"])
        );
        assert_eq!(
            parts("C: Style/X: Missing JSON or a CLI"),
            ("C: Style/X: Missing JSON or a CLI".into(), vec![])
        );
        assert_eq!(parts("it's 'open"), ("it's 'open".into(), vec![]));
        assert_eq!(parts("``x`` é 12é"), ("``_`` é _é".into(), vec!["x", "12"]));
    }

    #[test]
    fn gaps_are_filled() {
        let key = split("a 'x' of 12 in 3").key;
        assert_eq!(fill(&key, &[None, Some("12"), None]), "a '…' of 12 in …");
    }
}
