//! The forms in which a user or a model may name an original: a handle, or the text around one. This module does no
//! look-ups.

use std::borrow::Cow;

use crate::text::marker::{Marker, RetrievalMethod, SEAL_DIGITS};

/// Fewest digits of a handle that a text shows.
const MIN_DIGITS: usize = 8;

/// What a given text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Name<'a> {
    /// An original, by its handle or a prefix of its id.
    Handle(Cow<'a, str>),
    /// The original of a text that was shown, by the check in its first marker.
    Check(String),
}

/// What a given text names: a handle, a check, a whole marker or a part of one, or an output with markers, also in
/// quotes or brackets. `list` is the command that lists all originals.
///
/// # Errors
///
/// A marker that names no original and has no check.
pub fn read<'a>(given: &'a str, list: &str) -> Result<Name<'a>, String> {
    let given = given.trim();
    let markers = given.match_indices("[tersed").filter_map(|(at, _)| Marker::parse(&given[at..]));
    let mut has_marker = false;
    for (marker, _) in markers {
        has_marker = true;
        // The marker contains the handle, so the handle is a part of the given text.
        let named = handle(marker);
        let place = named.as_ref().and_then(|handle| Some((given.find(handle.as_str())?, handle.len())));
        if let Some(word) = place.and_then(|(at, len)| given.get(at..at + len)) {
            return Ok(Name::Handle(word.into()));
        }
    }
    if let Some(check) = check_in(given) {
        return Ok(Name::Check(check));
    }
    if has_marker {
        return Err(format!(
            "{given:?} is not a name of an original; a line of the same result that says `id` or `artifacts show` has the \
             handle, and {list} shows all"
        ));
    }
    let words = given.rsplit("artifacts show ").next().unwrap_or(given);
    let words = words.rsplit_once(" id ").map_or(words, |(_, rest)| rest);
    let words = words.strip_prefix("id ").unwrap_or(words);
    let is_around =
        |c: char| matches!(c, '[' | ']' | '(' | ')' | '<' | '>' | '"' | '\'' | '`' | ',' | ';' | '.' | ':');
    let word = words.split_whitespace().next().unwrap_or(given).trim_matches(is_around);
    let is_hex = word.bytes().all(|digit| digit.is_ascii_hexdigit());
    Ok(Name::Handle(if is_hex { word.to_ascii_lowercase().into() } else { word.into() }))
}

/// The check in a text that has its sign before it, as `[tersed#493027516823` or `; seal 493027516823]`.
fn check_in(given: &str) -> Option<String> {
    let after = |sign: &str| given.split_once(sign).map(|(_, rest)| rest);
    let rest = after("tersed#")
        .or_else(|| after("; seal "))
        .or_else(|| given.trim_matches(['[', ']']).strip_prefix('#'))?;
    let digits = rest.get(..SEAL_DIGITS).filter(|digits| is_check(digits))?;
    let ends = !rest[SEAL_DIGITS..].starts_with(|c: char| c.is_ascii_alphanumeric());
    ends.then(|| digits.to_owned())
}

/// Whether a text may be a check.
pub fn is_check(text: &str) -> bool {
    text.len() == SEAL_DIGITS && text.bytes().all(|digit| digit.is_ascii_digit())
}

/// The only one of the originals whose shown text has this check.
///
/// # Errors
///
/// There is none, or more than one; the message names them.
pub fn only<'a>(check: &str, ids: &[&'a str], list: &str) -> Result<&'a str, String> {
    match ids {
        [one] => Ok(one),
        [] => Err(format!(
            "no original {check:?}: these {SEAL_DIGITS} digits are a check of a whole text, and no original that is kept was \
             shown with it; {list} shows the handles"
        )),
        several => Err(several_of(check, several)),
    }
}

/// Most candidates in a message.
const MAX_CANDIDATES: usize = 8;

/// The message that a name means several originals.
pub fn several_of(given: &str, ids: &[&str]) -> String {
    let shown: Vec<&str> = ids.iter().take(MAX_CANDIDATES).map(|id| id.get(..16).unwrap_or(id)).collect();
    let more = if ids.len() > shown.len() { " and others" } else { "" };
    format!("{given:?} means several originals: {}{more}", shown.join(", "))
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
pub fn explained(handle: &str, why: String) -> String {
    if is_check(handle) {
        return format!(
            "{why}\nthe {SEAL_DIGITS} digits behind `[tersed#` are a check of the whole text, no handle, and no original on \
             disk was shown with it"
        );
    }
    let is_handle = handle.len() >= MIN_DIGITS && handle.bytes().all(|digit| digit.is_ascii_hexdigit());
    match is_handle {
        true => why,
        false => format!("{why}\na handle has {MIN_DIGITS} digits or more, 0 to 9 and a to f"),
    }
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
            "[2c6edc77]",
            "(2c6edc77),",
            "`2c6edc77`",
            "'2c6edc77'",
            "id 2c6edc77",
            "id 2c6edc77]",
            "passing_tests, id 2c6edc77]",
            "tersed artifacts show 2c6edc77",
            "tersed artifacts show 2c6edc77]",
            "[tersed: all 404 lines: tersed artifacts show 2c6edc77]",
            "[tersed#384076648187: all 404 lines: tersed artifacts show 2c6edc77]",
            "[tersed#384076648187: omitted 400 lines 3-402, passing_tests, id 2c6edc77]",
            "[tersed#384076648187: omitted 400 lines 3-402, passing_tests]\nrest\n[tersed: all 404 lines: tersed artifacts show 2c6edc77]\n",
        ] {
            assert_eq!(read(given, "LIST").unwrap(), Name::Handle("2c6edc77".into()), "{given}");
        }
        let none = read("[tersed: omitted 400 lines 3-402, passing_tests]", "LIST").unwrap_err();
        assert!(none.contains("is not a name of an original"), "{none}");
    }

    #[test]
    fn a_check_names_the_text_that_was_shown() {
        for given in [
            "[tersed#384076648187: omitted 400 lines 3-402, passing_tests]",
            "  [tersed#384076648187: omitted 400 lines 3-402, passing_tests]\nmore",
            "tersed#384076648187: omitted 400 lines 3-402",
            "[tersed#384076648187",
            "[tersed#384076648187]",
            "tersed#384076648187",
            "#384076648187",
            "[#384076648187]",
        ] {
            assert_eq!(read(given, "LIST").unwrap(), Name::Check("384076648187".to_owned()), "{given}");
        }
        // Without a sign they may be a handle too.
        assert_eq!(read("384076648187", "LIST").unwrap(), Name::Handle("384076648187".into()));
        assert!(is_check("384076648187") && !is_check("38407664818a") && !is_check("3840"));
        assert_eq!(only("1", &["a"], "LIST"), Ok("a"));
        assert!(only("1", &[], "LIST").unwrap_err().contains("LIST shows the handles"));
        let several = only("1", &["2c6edc77", "3c6edc77"], "LIST").unwrap_err();
        assert!(several.contains("several originals: 2c6edc77, 3c6edc77"), "{several}");
        for handle in ["2310", "call_abc1"] {
            assert!(explained(handle, "none".to_owned()).contains("8 digits or more"), "{handle}");
        }
        assert_eq!(explained("2c6edc77", "none".to_owned()), "none");
        assert!(explained("384076648187", "none".to_owned()).contains("no handle"));
    }
}
