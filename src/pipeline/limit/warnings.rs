//! The first line of each form of warning among the lines that a cut would drop.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

use super::unit::Candidate;
use crate::text::maps::Map;
use crate::text::source::Source;

/// The most forms that are counted separately. Bounds the memory for a hostile text.
const MAX_FORMS: usize = 100;

/// Adds the first line of each form of warning, with the number of lines that have this form.
pub fn find(source: &Source<'_>, lines: &[usize], out: &mut Vec<Candidate>) {
    let mut forms: Map<u64, (usize, usize)> = Map::default();
    for (place, &line) in lines.iter().enumerate() {
        let Some(message) = message(source.line(line)) else { continue };
        let key = form(message);
        if forms.len() < MAX_FORMS || forms.contains_key(&key) {
            forms.entry(key).or_insert((place, 0)).1 += 1;
        }
    }
    let of = |(key, (place, count))| Candidate { place, nth: 0, count, key, is_word: true };
    out.extend(forms.into_iter().map(of));
}

/// The message of a warning: the text after `warning: `, `warning C4996: ` or `WARN `.
fn message(line: &str) -> Option<&str> {
    let bytes = line.as_bytes();
    let hit = memchr::memchr2_iter(b'w', b'W', bytes).find_map(|at| {
        let is_start = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        let word = bytes.get(at..at + 7).filter(|word| word.eq_ignore_ascii_case(b"warning")).map(|_| 7);
        let word = word.or_else(|| bytes[at..].starts_with(b"WARN").then_some(4))?;
        let is_end = bytes.get(at + word).is_some_and(|b| b": []".contains(b));
        (is_start && is_end).then_some(at + word)
    })?;
    line.get(hit..).map(str::trim).filter(|message| !message.is_empty())
}

/// A digest of a message without quoted texts and digits.
fn form(message: &str) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    let mut quote = None;
    let mut before = ' ';
    for c in message.chars() {
        match quote {
            Some(end) => quote = quote.filter(|_| c != end),
            // An apostrophe inside a word is not a quote.
            None if c == '\'' && before.is_alphanumeric() => {}
            None if matches!(c, '\'' | '"' | '`') => quote = Some(c),
            None if c == '\u{2018}' => quote = Some('\u{2019}'),
            None if c.is_ascii_digit() => {}
            None => hasher.write_u32(c as u32),
        }
        before = c;
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_found_once() {
        let text: String = (0..40)
            .map(|i| match i {
                17 => "a.c:4:1: warning: 'gets' is deprecated [-Wdeprecated]\n".to_owned(),
                i if i % 3 == 0 => format!("a.c:{i}:9: warning: unused variable 'x{i}' [-Wunused]\n"),
                i => format!("cc -c {i}.c -Wall\n"),
            })
            .collect();
        let source = Source::new(&text);
        let mut found = Vec::new();
        find(&source, &(0..source.len()).collect::<Vec<_>>(), &mut found);
        found.sort_by_key(|c| c.count);
        assert_eq!(found.iter().map(|c| (c.place, c.count)).collect::<Vec<_>>(), [(17, 1), (0, 14)]);
        assert_eq!(message("x warning C4996: old"), Some("C4996: old"));
        assert_eq!(
            (message("no warnings"), message("forwarding: x"), message("warning")),
            (None, None, None)
        );
    }
}
