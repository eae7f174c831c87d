//! Short prints of a value between other lines, such as `loss=0.31` or `rows: 5`: somebody added them in order to
//! read them.

use super::unit::{Candidate, MAX_LINES_PER_VALUE, digest};
use crate::text::judge::{EXCEPTION_ONE_IN, is_share};
use crate::text::maps::Map;
use crate::text::source::Source;

/// The longest line and the longest name, in bytes.
const MAX_BYTES: usize = 100;
const MAX_NAME_BYTES: usize = 32;
/// The most words of a value.
const MAX_WORDS: usize = 4;
/// The most names that are counted separately. Bounds the memory for a hostile text.
const MAX_NAMES: usize = 64;

/// Adds the first prints of each name, if there are few prints among all lines.
pub(super) fn find(source: &Source<'_>, lines: &[usize], out: &mut Vec<Candidate>) {
    let mut names: Map<&str, Vec<usize>> = Map::default();
    let mut all = 0;
    for (place, &line) in lines.iter().enumerate() {
        crate::stop::check_sometimes();
        let Some(name) = name(source.line(line)) else { continue };
        all += 1;
        if names.len() < MAX_NAMES || names.contains_key(name) {
            let places = names.entry(name).or_default();
            if places.len() < MAX_LINES_PER_VALUE {
                places.push(place);
            }
        }
    }
    if !is_share(all, lines.len(), EXCEPTION_ONE_IN) {
        return;
    }
    for places in names.into_values() {
        let count = places.len();
        out.extend(places.into_iter().enumerate().map(|(nth, place)| {
            let key = digest(source.line(lines[place]).trim().as_bytes(), 0);
            Candidate { place, nth, count, key, is_word: false }
        }));
    }
}

/// The name in a line that is only `name=value` or `name: value`.
fn name(line: &str) -> Option<&str> {
    let line = line.trim();
    if line.len() > MAX_BYTES {
        return None;
    }
    let end = memchr::memchr2(b'=', b':', &line.as_bytes()[..line.len().min(MAX_NAME_BYTES + 1)])?;
    let (name, value) = (line[..end].trim_end(), &line[end + 1..]);
    let is_print = line.as_bytes()[end] == b'=' || value.starts_with(' ');
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-[]()".contains(&b));
    // An assignment or comparison in source code, by how the value starts or ends.
    let is_code = value.starts_with(['=', ':', '>', '/']) || value.ends_with([';', '{', '(', ',', '\\']);
    let words = value.split_ascii_whitespace().count();
    (is_print && is_name && !is_code && (1..=MAX_WORDS).contains(&words)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_are_names_with_values() {
        for (line, expected) in [
            ("loss=0.31", Some("loss")),
            ("  rows: 5", Some("rows")),
            ("x.shape = (3, 4)", Some("x.shape")),
            ("DEBUG: got [1, 2]", Some("DEBUG")),
            ("note: this sentence has quite some words in it", None),
            ("let a = 1;", None),
            ("a == b", None),
            ("http://a/b", None),
            ("12: x", None),
            ("std::fmt", None),
            ("if x:", None),
        ] {
            assert_eq!(name(line), expected, "{line}");
        }
    }

    #[test]
    fn few_prints_stand_out() {
        let text = |every: usize| -> String {
            (0..60)
                .map(|i| if i % every == 7 { format!("n={i}\n") } else { "words of it\n".into() })
                .collect()
        };
        let places = |text: &str| {
            let source = Source::new(text);
            let mut out = Vec::new();
            find(&source, &(0..source.len()).collect::<Vec<_>>(), &mut out);
            out.iter().map(|c| c.place).collect::<Vec<_>>()
        };
        assert_eq!(places(&text(40)), [7, 47]);
        assert_eq!(places(&text(8)), [0; 0]);
    }
}
