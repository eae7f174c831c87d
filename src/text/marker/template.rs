//! Distinguishes a template of a marker in program code from a marker. A template has placeholders where a marker
//! has numbers, so it claims nothing. A text that might claim something is never a template.

/// The longest placeholder, in bytes, and the most words in it: a longer one could be a statement. A choice.
const MAX_BLANK_BYTES: usize = 24;
const MAX_BLANK_WORDS: usize = 2;
/// Words of the grammar (a test compares them with the writer): a template has only these words and placeholders.
pub(super) const GRAMMAR_WORDS: &[&str] = &[
    "again",
    "ago",
    "all",
    "answer",
    "answers",
    "artifacts",
    "as",
    "binary",
    "but",
    "by",
    "bytes",
    "call",
    "characters",
    "cited",
    "dir",
    "earlier",
    "elements",
    "exit",
    "for",
    "here",
    "id",
    "in",
    "items",
    "kept",
    "last",
    "later",
    "line",
    "lines",
    "members",
    "merged",
    "more",
    "not",
    "of",
    "omitted",
    "output",
    "removed",
    "repeat",
    "repeats",
    "result",
    "results",
    "rewrote",
    "rows",
    "rule",
    "run",
    "same",
    "show",
    "shown",
    "status",
    "superseded",
    "tersed",
    "the",
    "them",
    "there",
    "this",
    "time",
    "times",
];

/// Whether something was found.
pub(super) enum Seen<T> {
    /// It was found.
    Is(T),
    /// It was not found.
    No,
    /// The bytes end too early to know.
    Cut,
}

/// Whether the text after a bracket is, up to its end, a marker with placeholders such as `{n}`, `%d`, `${n}` or
/// `<n>` for all numbers and names, so that it claims nothing.
pub(super) fn template(bytes: &[u8]) -> Seen<()> {
    let mut has_blank = false;
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        let len = match first {
            b']' => return if has_blank { Seen::Is(()) } else { Seen::No },
            b'{' | b'<' => {
                let close = if first == b'{' { b'}' } else { b'>' };
                let end = rest.iter().take(MAX_BLANK_BYTES + 2).position(|b| *b == close);
                match end {
                    None if rest.len() < MAX_BLANK_BYTES + 2 => return Seen::Cut,
                    Some(end) if is_blank_name(&rest[1..end]) => end + 1,
                    _ => return Seen::No,
                }
            }
            b'%' => {
                let kind = rest[1..].iter().take(3).take_while(|b| b"zlh".contains(b)).count();
                match rest.get(1 + kind) {
                    None => return Seen::Cut,
                    Some(b) if b"dsiuv".contains(b) => 2 + kind,
                    Some(_) => return Seen::No,
                }
            }
            b' ' | b',' | b':' | b'-' | b'#' | b'(' | b')' | b'$' => 1,
            b if b.is_ascii_alphabetic() => {
                let len = rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
                if len == rest.len() {
                    return Seen::Cut;
                }
                if !GRAMMAR_WORDS.iter().any(|word| word.as_bytes() == &rest[..len]) {
                    return Seen::No;
                }
                len
            }
            _ => return Seen::No,
        };
        has_blank |= matches!(first, b'{' | b'<' | b'%');
        rest = &rest[len..];
    }
    Seen::Cut
}

/// Whether the text inside a placeholder is the name of a value, with or without a format, or empty. A number or a
/// sentence would claim something.
fn is_blank_name(inside: &[u8]) -> bool {
    let (name, format) = match memchr::memchr(b':', inside) {
        Some(at) => (&inside[..at], &inside[at + 1..]),
        None => (inside, &[][..]),
    };
    let name = name.strip_suffix(b"()").unwrap_or(name);
    let mut words = name.split(|b| matches!(b, b'_' | b'.'));
    let is_name = name.is_empty() || words.all(|word| word.iter().all(u8::is_ascii_alphabetic));
    let words = name.split(|b| matches!(b, b'_' | b'.')).filter(|word| !word.is_empty()).count();
    // A format that starts with a number could be a value.
    let is_format = format.len() <= 3
        && !format.first().is_some_and(|b| matches!(b, b'1'..=b'9'))
        && format.iter().all(|b| b"?#<>^.*$xXbeodsf0123456789".contains(b));
    is_name && words <= MAX_BLANK_WORDS && is_format
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_to_fill_in_make_a_template() {
        for text in
            [": omitted {n} lines {a}-{b}]", ": exit status %d]", ": rule ${self.name}]", ": all <n> lines]"]
        {
            assert!(matches!(template(text.as_bytes()), Seen::Is(())), "{text}");
            for cut in 0..text.len() {
                assert!(matches!(template(&text.as_bytes()[..cut]), Seen::Cut), "{text} {cut}");
            }
        }
        for text in [
            ": omitted {400} lines {3}-{402}]",
            ": omitted <400> lines]",
            ": omitted {all_400_tests_passed}]",
            ": omitted {all_tests_passed}]",
            ": omitted {n:400} lines]",
            ": omitted %d\n400 lines]",
            ": omitted %d\"400 lines]",
            ": exit status <0>]",
            ": omitted lines]",
            ": omitted {a name far too long to be a name of anything} lines]",
        ] {
            assert!(matches!(template(text.as_bytes()), Seen::No), "{text}");
        }
    }
}
