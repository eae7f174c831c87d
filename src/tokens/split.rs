//! Cuts a text into the pieces that byte pair encoding never merges across.
//!
//! Two hand-written matchers replace the two published patterns (in `tiktoken_ext/openai_public.py` of the tiktoken
//! package). Each takes the start of a piece and returns its end; pieces are never empty and cover the whole text.
//! No matcher backtracks further than to a position that it passed and remembered, so a text is read at most twice.
//!
//! The last three alternatives are the same in both: `\s*[\r\n]+|\s+(?!\S)|\s+`.

use super::class::{LOWER, MARK, NEWLINE, NUMBER, OTHER, SPACE, UNCASED, UPPER};
use super::scan::{ascii_class, class_at, run, skip_blanks, skip_lower};

const LETTER: u8 = UPPER | LOWER | UNCASED;
const SYMBOL: u8 = OTHER | MARK;

/// The piece of o200k that starts at `start`, which must lie inside `bytes`.
///
/// With `U` for `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]` and `L` for `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`, the pattern
/// begins `[^\r\n\p{L}\p{N}]?U*L+c?`, `[^\r\n\p{L}\p{N}]?U+L*c?` (`c` is a contraction such as `'ll`
/// in any case), `\p{N}{1,3}`, ` ?[^\s\p{L}\p{N}]+[\r\n/]*`.
#[inline(always)]
pub fn o200k(bytes: &[u8], start: usize) -> usize {
    if let Some(end) = plain_word(bytes, start) {
        return end;
    }
    let (class, len) = class_at(bytes, start);
    if class & LETTER != 0 {
        let end = word(bytes, start).0;
        return end + contraction(bytes, end);
    }
    if class & NUMBER != 0 {
        return number(bytes, start);
    }
    if class & NEWLINE == 0 {
        let after = start + len;
        let (mut end, lower) = word(bytes, after);
        if class & MARK != 0 && !lower {
            // A mark may be the prefix or a letter. As a prefix it would need `U+L*`, which comes after
            // `U*L+` with the mark alone as `L`.
            end = after;
        }
        if end > after || class & MARK != 0 {
            return end + contraction(bytes, end);
        }
        if let Some(end) = symbols(bytes, start, class) {
            return end
                + bytes.iter().skip(end).take_while(|byte| matches!(byte, b'\r' | b'\n' | b'/')).count();
        }
    }
    space(bytes, start)
}

/// The piece of cl100k that starts at `start`, which must lie inside `bytes`.
///
/// The pattern begins `'(?i:[sdmt]|ll|ve|re)`, `[^\r\n\p{L}\p{N}]?\p{L}+`, `\p{N}{1,3}`,
/// ` ?[^\s\p{L}\p{N}]+[\r\n]*`.
///
/// Newer releases of tiktoken write the end as `\s++$|\s*[\r\n]|\s+(?!\S)|\s`, so that white space
/// at the very end is one piece even with a newline inside. No token starts as white space, holds a
/// newline and ends in other white space, so nothing merges across the last newline and the count
/// is the same; a test checks this for the vocabulary.
#[inline(always)]
pub fn cl100k(bytes: &[u8], start: usize) -> usize {
    let (class, len) = class_at(bytes, start);
    if class & LETTER != 0 {
        return run(bytes, start, LETTER);
    }
    if class & NUMBER != 0 {
        return number(bytes, start);
    }
    if class & NEWLINE == 0 {
        let suffix = contraction(bytes, start);
        if suffix > 0 {
            return start + suffix;
        }
        let after = start + len;
        let end = run(bytes, after, LETTER);
        if end > after {
            return end;
        }
        if let Some(end) = symbols(bytes, start, class) {
            return run(bytes, end, NEWLINE);
        }
    }
    space(bytes, start)
}

/// The end of a word in lower case with its optional prefix, if it and the text after it are ASCII and not a
/// contraction: the most frequent piece.
#[inline(always)]
fn plain_word(bytes: &[u8], start: usize) -> Option<usize> {
    let class = ascii_class(*bytes.get(start)?);
    let is_prefixed = || bytes.get(start + 1).is_some_and(u8::is_ascii_lowercase);
    if class & LOWER == 0 && (class & (SPACE | OTHER) == 0 || !is_prefixed()) {
        return None;
    }
    let mut end = skip_lower(bytes, start + 1);
    while bytes.get(end).is_some_and(u8::is_ascii_lowercase) {
        end += 1;
    }
    bytes.get(end).is_none_or(|next| next.is_ascii() && *next != b'\'').then_some(end)
}

/// `U*L+`, else `U+L*`, from `start`: the end, and whether it was the former. The end is `start` if
/// neither matches.
#[inline(always)]
fn word(bytes: &[u8], start: usize) -> (usize, bool) {
    let mut at = start;
    let mut uncased_end = start;
    loop {
        at = run(bytes, at, UPPER);
        let (class, len) = class_at(bytes, at);
        if class & (UNCASED | MARK) != 0 {
            at += len;
            uncased_end = at;
        } else if class & LOWER != 0 {
            return (run(bytes, skip_lower(bytes, at + len), LOWER | UNCASED | MARK), true);
        } else if uncased_end > start {
            // `U*` gives back just enough for `L+` to take one character, the last one that is both.
            return (uncased_end, true);
        } else {
            return (at, false);
        }
    }
}

/// The length of a contraction at `at`, or 0. Case folding lets U+017F (bytes C5 BF) stand for an `s`.
#[inline(always)]
fn contraction(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at) == Some(&b'\'') { suffix(&bytes[at + 1..]) } else { 0 }
}

fn suffix(after: &[u8]) -> usize {
    match *after {
        [b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', ..] => 2,
        [b'l' | b'L', b'l' | b'L', ..] | [b'v' | b'V' | b'r' | b'R', b'e' | b'E', ..] | [0xc5, 0xbf, ..] => 3,
        _ => 0,
    }
}

/// `\p{N}{1,3}`
#[inline(always)]
fn number(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    for _ in 0..3 {
        let (class, len) = class_at(bytes, at);
        if class & NUMBER == 0 {
            break;
        }
        at += len;
    }
    at
}

/// ` ?[^\s\p{L}\p{N}]+`, where `class` is the class of the first character.
#[inline(always)]
fn symbols(bytes: &[u8], start: usize, class: u8) -> Option<usize> {
    let from = if bytes[start] == b' ' { start + 1 } else { start };
    if from == start && class & SYMBOL == 0 {
        return None;
    }
    let end = run(bytes, from, SYMBOL);
    (end > from).then_some(end)
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+`
#[inline(always)]
fn space(bytes: &[u8], start: usize) -> usize {
    let mut at = skip_blanks(bytes, start);
    let mut last = at.saturating_sub(1).max(start);
    let mut newline_end = start;
    loop {
        let (class, len) = class_at(bytes, at);
        if class & (SPACE | NEWLINE) == 0 {
            break;
        }
        last = at;
        at += len;
        if class & NEWLINE != 0 {
            newline_end = at;
        }
    }
    if newline_end > start {
        newline_end
    } else if at == bytes.len() || last == start {
        at
    } else {
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fancy_regex::Regex;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    /// The pattern as published for o200k_base.
    static O200K: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ))
        .unwrap()
    });

    /// The pattern as first published for cl100k_base.
    static CL100K: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}",
            r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ))
        .unwrap()
    });

    type Splitter = fn(&[u8], usize) -> usize;

    #[track_caller]
    fn check(text: &str) {
        let splitters: [(&str, Splitter, &Regex); 2] =
            [("o200k", o200k, &O200K), ("cl100k", cl100k, &CL100K)];
        for (name, split, pattern) in splitters {
            let mut pieces = Vec::new();
            let mut start = 0;
            while start < text.len() {
                let end = split(text.as_bytes(), start);
                pieces.push(&text[start..end]);
                start = end;
            }
            let expected: Vec<&str> = pattern.find_iter(text).map(|found| found.unwrap().as_str()).collect();
            assert_eq!(pieces, expected, "{name} of {text:?}");
        }
    }

    /// One text for each place where the patterns backtrack, fold case or prefer an order. Counts alone would not
    /// show a fault: most of these cost the same when cut elsewhere.
    #[test]
    fn the_corners_of_the_patterns() {
        for text in [
            "it'\u{17f}x '\u{17f}a don'T WE'LL'd 'Re 'lx ''s",
            "\u{301}ABC \u{301}'s \u{301}A\u{301}B !\u{301}A (\u{301}foo \u{301}\u{301}abc \u{301}\u{301}ABC",
            "\u{4e2d}\u{6587}ABC A\u{4e2d}B\u{6587}C \u{4e2d}ABCabc XMLHttp \u{1c5}x \u{2b0}A",
            "12345 \u{660}\u{661}\u{662}\u{663}\u{b2}x 1a",
            "a/\n/b .\n/\r\n c ...\n\n",
            "  \n  x \t\u{a0}y \u{85}\u{2028}\n \u{3000} \u{3000}z\u{a0}!  !",
            "x  ",
            "x\n \t ",
        ] {
            check(text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn few_characters(text in "[aZ\u{17f}\u{301}\u{4e2d}\u{2b0}\u{1c5}\u{660}1 '/!.sS\n\r\t\u{a0}\u{85}]{0,14}") {
            check(&text);
        }

        #[test]
        fn contractions(text in "([aZ\u{301}\u{4e2d} 1!]?'[sStTmMdDlLvVeErR\u{17f}]{0,3}){0,5}") {
            check(&text);
        }

        #[test]
        fn any_text(text in any::<String>()) {
            check(&text);
        }
    }
}
