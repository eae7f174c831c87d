//! The forms in which a user or a model may name an original: a handle, or the text around one. This module does no
//! look-ups.

use std::borrow::Cow;

use crate::text::marker::{Marker, RetrievalMethod, SEAL_DIGITS};

/// Fewest digits of a handle that a text shows.
const MIN_DIGITS: usize = 8;

/// The handle in a given text: the handle itself, a whole marker, or the part of one that holds it. The case of the
/// digits is not changed. `list` is the command that lists all originals.
///
/// # Errors
///
/// A marker that names no original.
pub fn read<'a>(given: &'a str, list: &str) -> Result<Cow<'a, str>, String> {
    let given = given.trim();
    if !given.starts_with('[') {
        let words = given.rsplit("artifacts show ").next().unwrap_or(given);
        let word = words.strip_prefix("id ").unwrap_or(words).split_whitespace().next().unwrap_or(given);
        let word = word.trim_end_matches(']');
        let is_hex = word.bytes().all(|digit| digit.is_ascii_hexdigit());
        return Ok(if is_hex { word.to_ascii_lowercase().into() } else { word.into() });
    }
    let named = Marker::parse(given).and_then(|(marker, _)| handle(marker));
    // The marker contains the handle, so the handle is a part of the given text.
    let place = named.as_ref().and_then(|handle| Some((given.find(handle.as_str())?, handle.len())));
    let word = place.and_then(|(at, len)| given.get(at..at + len));
    word.map(Cow::from).ok_or_else(|| {
        format!(
            "{given:?} is not a name of an original; a line of the same result that says `id` or `artifacts show` has the \
             handle, and {list} shows all"
        )
    })
}

fn handle(marker: Marker) -> Option<String> {
    match marker {
        Marker::Lines { id, .. } | Marker::Bytes { id, .. } => id,
        Marker::Original { handle, .. } => Some(handle),
        Marker::Removed { read, .. } => read.map(|(handle, _): (String, RetrievalMethod)| handle),
        Marker::Externalized { key, .. } => Some(key),
        _ => None,
    }
}

/// Why an original was not found, with a hint if the given text cannot be a handle.
pub fn explained(handle: &str, why: String, list: &str) -> String {
    let digits = handle.strip_prefix('#').unwrap_or(handle);
    if digits.len() == SEAL_DIGITS && digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return format!(
            "{why}\nthe {SEAL_DIGITS} digits behind `[tersed#` are a check of the whole text, no handle; {list} shows \
             the handles"
        );
    }
    if digits.len() < MIN_DIGITS || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return format!("{why}\na handle has {MIN_DIGITS} digits or more, 0 to 9 and a to f");
    }
    why
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_text_shows_names_its_original() {
        for given in [
            "2c6edc77",
            "2C6EDC77",
            " 2c6edc77 ",
            "id 2c6edc77",
            "tersed artifacts show 2c6edc77",
            "tersed artifacts show 2c6edc77]",
            "[tersed: all 404 lines: tersed artifacts show 2c6edc77]",
            "[tersed#384076648187: all 404 lines: tersed artifacts show 2c6edc77]",
            "[tersed#384076648187: omitted 400 lines 3-402, passing_tests, id 2c6edc77]",
        ] {
            assert_eq!(read(given, "LIST").unwrap(), "2c6edc77", "{given}");
        }
        let none = read("[tersed#384076648187: omitted 400 lines 3-402, passing_tests]", "LIST").unwrap_err();
        assert!(none.contains("is not a name of an original"), "{none}");
    }

    #[test]
    fn a_check_is_told_from_a_handle() {
        assert!(explained("384076648187", "none".to_owned(), "LIST").contains("no handle"));
        assert!(explained("#384076648187", "none".to_owned(), "LIST").contains("no handle"));
        for handle in ["2310", "call_abc1"] {
            assert!(explained(handle, "none".to_owned(), "LIST").contains("8 digits or more"), "{handle}");
        }
        for handle in ["2c6edc77", "38407664", "38407664818a"] {
            assert_eq!(explained(handle, "none".to_owned(), "LIST"), "none");
        }
    }
}
