//! Separates the markers in a shown text from the rest, and counts their tokens.

use crate::text::marker::Marker;
use crate::tokens::TokenCounter;

/// A shown text without its markers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SplitText {
    /// The text without markers: what can be read, not just names in markers.
    pub shown: String,
    /// Tokens of the markers, each counted separately.
    pub tokens: u64,
}

/// Removes the markers from a text, also those inside JSON strings.
pub(super) fn take_apart(text: &str, counter: &dyn TokenCounter) -> SplitText {
    let mut split = SplitText { shown: String::with_capacity(text.len()), tokens: 0 };
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'[', rest.as_bytes()) {
        let (before, from) = rest.split_at(at);
        split.shown.push_str(before);
        let length = match Marker::parse(from) {
            // A look-alike has a backslash before it.
            Some((_, length)) if !before.ends_with('\\') => length,
            _ => {
                split.shown.push('[');
                rest = &from[1..];
                continue;
            }
        };
        split.tokens += counter.count(&from[..length]) as u64;
        rest = &from[length..];
    }
    split.shown.push_str(rest);
    split
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{Tokenizer, counter};

    #[test]
    fn markers_are_counted_and_taken_out() {
        let marker = "[tersed: omitted 3 lines 2-4, passing_tests: 2 alpha 3 beta]";
        let counter = counter(Tokenizer::default());
        let text = format!("one [a]\n{marker}\ntwo \\{marker}\n");
        let split = take_apart(&text, counter);
        assert_eq!(split.shown, format!("one [a]\n\ntwo \\{marker}\n"));
        assert_eq!(split.tokens, counter.count(marker) as u64);
    }
}
