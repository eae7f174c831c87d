//! Reads one JSON value by its grammar (RFC 8259) and copies its bytes without the white space
//! between the tokens. Numbers, escapes, key order and repeated keys are never interpreted, so they
//! come out byte for byte. Nesting costs one bit a level and no stack.

use crate::formats::json::{self, MAX_DEPTH};
use crate::text::signals;

/// Appends the value at `at` to `out` without white space between tokens. Returns the offset after the value, or as
/// an error the offset where the text stops being JSON; `out` then holds a part.
///
/// A member that reports a failure keeps the one blank after its colon, so that a search for it as it was
/// written finds it. `words` are the places of `signals::word_offsets` in the text.
pub fn minify(text: &str, at: usize, out: &mut String, words: &[usize]) -> Result<usize, usize> {
    let words = &words[words.partition_point(|word| *word < at)..];
    let bytes = text.as_bytes();
    Scan { text, bytes, at, from: at, out, objects: [0; MAX_DEPTH / 64], depth: 0, words }.value()
}

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// The start of the bytes that are read but not yet copied.
    from: usize,
    out: &'a mut String,
    /// One bit a level: whether it is an object.
    objects: [u64; MAX_DEPTH / 64],
    depth: usize,
    /// Places of failure words after the current position.
    words: &'a [usize],
}

impl Scan<'_> {
    fn value(mut self) -> Result<usize, usize> {
        loop {
            if !self.open()? {
                // After a value: close what ends here, then continue with the next member.
                loop {
                    if self.depth == 0 {
                        self.flush();
                        return Ok(self.at);
                    }
                    self.skip_space();
                    let object = self.in_object();
                    match self.peek() {
                        Some(b',') => {
                            self.at += 1;
                            break;
                        }
                        Some(b'}') if object => self.close(),
                        Some(b']') if !object => self.close(),
                        _ => return Err(self.at),
                    }
                }
            }
            self.skip_space();
            if self.depth > 0 && self.in_object() {
                self.key()?;
            }
        }
    }

    /// Reads a scalar, an empty container, or the opening of one; true for the last.
    fn open(&mut self) -> Result<bool, usize> {
        crate::stop::check_sometimes();
        match self.peek() {
            Some(open @ (b'{' | b'[')) => {
                let object = open == b'{';
                if self.depth == MAX_DEPTH {
                    return Err(self.at);
                }
                let (word, bit) = (self.depth / 64, 1 << (self.depth % 64));
                if object {
                    self.objects[word] |= bit;
                } else {
                    self.objects[word] &= !bit;
                }
                self.depth += 1;
                self.at += 1;
                self.skip_space();
                if self.peek() == Some(if object { b'}' } else { b']' }) {
                    self.close();
                    return Ok(false);
                }
                Ok(true)
            }
            Some(b'"') => self.string().map(|()| false),
            Some(b'-' | b'0'..=b'9') => {
                self.at = json::number(self.bytes, self.at)?;
                Ok(false)
            }
            _ => {
                self.at = json::literal(self.bytes, self.at)?;
                Ok(false)
            }
        }
    }

    /// A key and its colon, up to the value.
    fn key(&mut self) -> Result<(), usize> {
        if self.peek() != Some(b'"') {
            return Err(self.at);
        }
        let start = self.at;
        self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.at);
        }
        self.at += 1;
        if self.peek() == Some(b' ') && self.fails(start) {
            self.at += 1;
        }
        self.skip_space();
        Ok(())
    }

    /// Whether the member with the key at `start` and the value one blank after the current position reports a
    /// failure. Only its own text decides, so that a second run has the same result.
    fn fails(&mut self, start: usize) -> bool {
        while self.words.first().is_some_and(|word| *word < start) {
            self.words = &self.words[1..];
        }
        let Some(&word) = self.words.first() else { return false };
        let value = self.at + 1;
        let rest = self.bytes.get(value..).unwrap_or_default();
        let end = match rest.first() {
            Some(b'{' | b'[') => value + 1,
            Some(b'"') => json::string_end(self.bytes, value, b'"').unwrap_or(self.bytes.len()),
            Some(b' ' | b'\n' | b'\t' | b'\r') | None => return false,
            _ => value + rest.iter().take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b)).count(),
        };
        word < end && self.text.get(start..end).is_some_and(signals::is_failure)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn in_object(&self) -> bool {
        let level = self.depth - 1;
        self.objects[level / 64] >> (level % 64) & 1 == 1
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.at += 1;
    }

    /// Copies what was read. Tokens start and end with ASCII, so the cuts are always at characters.
    fn flush(&mut self) {
        self.out.push_str(self.text.get(self.from..self.at).unwrap_or_default());
    }

    fn skip_space(&mut self) {
        if !matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            return;
        }
        self.flush();
        loop {
            while word_at(self.bytes, self.at) == Some(u64::from_ne_bytes([b' '; 8])) {
                self.at += 8;
            }
            match self.peek() {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                _ => break,
            }
        }
        self.from = self.at;
    }

    fn string(&mut self) -> Result<(), usize> {
        self.at += 1;
        loop {
            while let Some(word) = word_at(self.bytes, self.at) {
                match ends_or_escapes(word) {
                    0 => self.at += 8,
                    hits => {
                        self.at += hits.trailing_zeros() as usize / 8;
                        break;
                    }
                }
            }
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.at = json::escape(self.bytes, self.at, false)?,
                Some(0x20..) => self.at += 1,
                // JSON strings hold no raw control characters, line ends among them.
                _ => return Err(self.at),
            }
        }
    }
}

/// The eight bytes at `at`, the first in the lowest place.
fn word_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
}

/// Sets the highest bit of every byte that is a quote, a backslash or a control character. Above the first
/// hit, a borrow may set wrong bits; the lowest set bit is right.
fn ends_or_escapes(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let zero = |w: u64| w.wrapping_sub(ONES) & !w;
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (zero(word ^ (ONES * u64::from(b'"'))) | zero(word ^ (ONES * u64::from(b'\\'))) | control) & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn minified(text: &str) -> Option<String> {
        let mut out = String::new();
        let end = minify(text, 0, &mut out, &[]).ok()?;
        (end == text.len()).then_some(out)
    }

    /// Tokens of a text that is JSON, found the slow way: character by character.
    fn tokens(text: &str) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                ' ' | '\n' | '\t' | '\r' => {}
                '"' => {
                    let mut token = String::from('"');
                    while let Some(c) = chars.next() {
                        token.push(c);
                        match c {
                            '\\' => token.extend(chars.next()),
                            '"' => break,
                            _ => {}
                        }
                    }
                    out.push(token);
                }
                '{' | '}' | '[' | ']' | ',' | ':' => out.push(c.to_string()),
                c => {
                    let mut token = String::from(c);
                    while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || "+-.".contains(*c)) {
                        token.push(c);
                    }
                    out.push(token);
                }
            }
        }
        out
    }

    fn space() -> impl Strategy<Value = String> {
        "[ \n\t\r]{0,12}"
    }

    fn string() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            8 => "[ -!#-\\[\\]-~]{0,12}",
            2 => "[äß→😀\u{a0}\u{2028}\u{7f}]{1,3}",
            1 => r#"\\["\\/bfnrt]"#,
            1 => r"\\u[0-9a-fA-F]{4}",
        ];
        proptest::collection::vec(piece, 0..4).prop_map(|p| format!("\"{}\"", p.concat()))
    }

    /// JSON text with white space in all places where the grammar has it.
    fn json() -> impl Strategy<Value = String> {
        let scalar = prop_oneof![
            Just("true".to_owned()),
            Just("false".to_owned()),
            Just("null".to_owned()),
            "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,4})?",
            string(),
        ];
        let padded =
            |inner: BoxedStrategy<String>| (space(), inner, space()).prop_map(|(a, b, c)| a + &b + &c);
        scalar.boxed().prop_recursive(5, 40, 6, move |inner| {
            let member =
                (space(), prop_oneof![Just("\"k\"".to_owned()), string()], space(), padded(inner.clone()))
                    .prop_map(|(a, key, b, value)| format!("{a}{key}{b}:{value}"));
            prop_oneof![
                (space(), proptest::collection::vec(padded(inner), 0..6)).prop_map(
                    |(s, v)| if v.is_empty() { format!("[{s}]") } else { format!("[{}]", v.join(",")) }
                ),
                (space(), proptest::collection::vec(member, 0..6)).prop_map(|(s, v)| if v.is_empty() {
                    format!("{{{s}}}")
                } else {
                    format!("{{{}}}", v.join(","))
                }),
            ]
            .boxed()
        })
    }

    proptest! {
        #[test]
        fn the_tokens_stay_and_only_they(text in json()) {
            let out = minified(&text).expect("valid");
            prop_assert_eq!(&out, &tokens(&text).concat());
            prop_assert_eq!(tokens(&out), tokens(&text));
            prop_assert_eq!(minified(&out), Some(out));
        }

        #[test]
        fn what_serde_reads_is_read_and_the_reverse(text in json(), at in any::<prop::sample::Index>(), c in "[]{},:\"\\\\0-9.eE+a \n\u{1}-]") {
            // One extra character makes most of them invalid.
            let mut broken = text.clone();
            let mut at = at.index(text.len() + 1);
            while !broken.is_char_boundary(at) { at -= 1; }
            broken.insert_str(at, &c);
            for text in [text, broken] {
                let text = text.trim_matches([' ', '\n', '\t', '\r']);
                let serde = serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok();
                // RawValue takes lone surrogates and numbers out of range, as we do.
                prop_assert_eq!(minified(text).is_some(), serde, "{}", text);
            }
        }
    }

    #[test]
    fn number_text_escapes_and_duplicates_stay() {
        let text = r#"{ "a" : 1e400 , "a" : -0 , "b" : [ 1.50 , 123456789012345678901234567890 , "\u00E9\/ \ud800" ] }"#;
        let out = r#"{"a":1e400,"a":-0,"b":[1.50,123456789012345678901234567890,"\u00E9\/ \ud800"]}"#;
        assert_eq!(minified(text).as_deref(), Some(out));
    }

    #[test]
    fn what_is_not_json_fails_where_it_stops_to_be() {
        for (text, at) in [
            ("[1, 2", 5),
            ("[1,]", 3),
            ("{\"a\": 1,}", 8),
            ("{'a': 1}", 1),
            ("{a: 1}", 1),
            ("[01]", 2),
            ("[1.]", 3),
            ("[.5]", 1),
            ("[+1]", 1),
            ("[NaN]", 1),
            ("[True]", 1),
            ("[1 2]", 3),
            ("{\"a\" 1}", 5),
            ("[\"a\nb\"]", 3),
            ("[\"\\x\"]", 2),
            ("[\"\\u12g4\"]", 2),
            ("[ // no\n1]", 2),
            ("[}", 1),
            ("", 0),
        ] {
            assert_eq!(minify(text, 0, &mut String::new(), &[]), Err(at), "{text}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(minified(&nested(MAX_DEPTH)).is_some());
        assert_eq!(minify(&nested(MAX_DEPTH + 1), 0, &mut String::new(), &[]), Err(MAX_DEPTH));
    }
}
