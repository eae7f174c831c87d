//! Markers in what is shown: what they cost, and what an agent sees beside them.

use crate::text::marker::Marker;
use crate::tokens::TokenCounter;

/// A text, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Apart {
    /// What is left without the markers: what can be read, other than only named.
    pub shown: String,
    /// Tokens of the markers, each counted by itself.
    pub tokens: u64,
}

/// Takes the markers out of a text. A marker that stands inside a string of JSON is found too.
pub(super) fn take_apart(text: &str, counter: &dyn TokenCounter) -> Apart {
    let mut apart = Apart { shown: String::with_capacity(text.len()), tokens: 0 };
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'[', rest.as_bytes()) {
        let (before, from) = rest.split_at(at);
        apart.shown.push_str(before);
        let length = match Marker::parse(from) {
            // What only looks like a marker has a backslash in front of it.
            Some((_, length)) if !before.ends_with('\\') => length,
            _ => {
                apart.shown.push('[');
                rest = &from[1..];
                continue;
            }
        };
        apart.tokens += counter.count(&from[..length]) as u64;
        rest = &from[length..];
    }
    apart.shown.push_str(rest);
    apart
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
        let apart = take_apart(&text, counter);
        assert_eq!(apart.shown, format!("one [a]\n\ntwo \\{marker}\n"));
        assert_eq!(apart.tokens, counter.count(marker) as u64);
    }
}
