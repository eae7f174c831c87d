//! What a user may type to name an original: a handle, or what a text shows around one. Looks nothing up.

use crate::cli::Failure;
use crate::text::marker::{CHECK_DIGITS, Marker, ReadBy};

/// The handle in what was given: the handle itself, a whole marker, or the part of one that holds it.
///
/// # Errors
///
/// A marker that names no original.
pub(super) fn read(given: &str) -> Result<&str, Failure> {
    let given = given.trim();
    if !given.starts_with('[') {
        let words = given.rsplit("artifacts show ").next().unwrap_or(given);
        let word = words.strip_prefix("id ").unwrap_or(words).split_whitespace().next().unwrap_or(given);
        return Ok(word.trim_end_matches(']'));
    }
    let named = Marker::parse(given).and_then(|(marker, _)| handle(marker));
    // The marker holds the handle, so it is a part of what was given.
    let place = named.as_ref().and_then(|handle| Some((given.find(handle.as_str())?, handle.len())));
    let word = place.and_then(|(at, len)| given.get(at..at + len));
    word.ok_or_else(|| {
        Failure::value(format!("{given:?} is not a name of an original; `tersed artifacts list` shows them"))
    })
}

fn handle(marker: Marker) -> Option<String> {
    match marker {
        Marker::Lines { id, .. } | Marker::Bytes { id, .. } => id,
        Marker::Original { handle, .. } => Some(handle),
        Marker::Removed { read, .. } => read.map(|(handle, _): (String, ReadBy)| handle),
        Marker::Externalized { key, .. } => Some(key),
        _ => None,
    }
}

/// Why an original was not found, with a word about what was given if it cannot be a handle.
pub(super) fn explained(handle: &str, why: String) -> String {
    let digits = handle.strip_prefix('#').unwrap_or(handle);
    if digits.len() == CHECK_DIGITS && digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return format!(
            "{why}\nthe {CHECK_DIGITS} digits behind `[tersed#` are a check of the whole text, no handle; \
             `tersed artifacts list` shows the handles"
        );
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
            " 2c6edc77 ",
            "id 2c6edc77",
            "tersed artifacts show 2c6edc77",
            "tersed artifacts show 2c6edc77]",
            "[tersed: all 404 lines: tersed artifacts show 2c6edc77]",
            "[tersed#384076648187: all 404 lines: tersed artifacts show 2c6edc77]",
            "[tersed#384076648187: omitted 400 lines 3-402, passing_tests, id 2c6edc77]",
        ] {
            assert_eq!(read(given).unwrap(), "2c6edc77", "{given}");
        }
        let none = read("[tersed#384076648187: omitted 400 lines 3-402, passing_tests]").unwrap_err();
        assert!(none.message.contains("is not a name of an original") && none.code == 2);
    }

    #[test]
    fn a_check_is_told_from_a_handle() {
        assert!(explained("384076648187", "none".to_owned()).contains("no handle"));
        assert!(explained("#384076648187", "none".to_owned()).contains("no handle"));
        for handle in ["2c6edc77", "38407664", "38407664818a"] {
            assert_eq!(explained(handle, "none".to_owned()), "none");
        }
    }
}
