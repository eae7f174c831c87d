//! The pieces of JSON by their grammar (RFC 8259), for readers that go through a text of their own accord.
//!
//! Each function reads what starts at a place and gives the place behind it, or as an error the place where the
//! text stops to be that. Nothing is interpreted.

/// `true`, `false` or `null`.
pub fn literal(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let rest = bytes.get(at..).unwrap_or_default();
    let word = ["true", "false", "null"].into_iter().find(|word| rest.starts_with(word.as_bytes()));
    word.map(|word| at + word.len()).ok_or(at)
}

/// A number.
pub fn number(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let is = |at: usize, signs: &[u8]| bytes.get(at).is_some_and(|b| signs.contains(b));
    let mut at = at + usize::from(is(at, b"-"));
    at = if is(at, b"0") { at + 1 } else { digits(bytes, at)? };
    if is(at, b".") {
        at = digits(bytes, at + 1)?;
    }
    if is(at, b"eE") {
        at = digits(bytes, at + 1 + usize::from(is(at + 1, b"+-")))?;
    }
    Ok(at)
}

fn digits(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.iter().take_while(|b| b.is_ascii_digit()).count() {
        0 => Err(at),
        count => Ok(at + count),
    }
}

/// An escape in a string, from its backslash on. A loose grammar takes any sign behind the backslash.
pub fn escape(bytes: &[u8], at: usize, loose: bool) -> Result<usize, usize> {
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => match bytes.get(at + 2..at + 6) {
            Some(hex) if hex.iter().all(u8::is_ascii_hexdigit) => Ok(at + 6),
            _ => Err(at),
        },
        Some(0x20..=0x7e) if loose => Ok(at + 2),
        _ => Err(at),
    }
}

/// The end of the string that starts with its quote at `at`, whatever is in it; `None` where it is not closed.
pub fn string_end(bytes: &[u8], at: usize, quote: u8) -> Option<usize> {
    let mut at = at + 1;
    loop {
        at += memchr::memchr2(quote, b'\\', bytes.get(at..)?)?;
        if bytes[at] == quote {
            return Some(at + 1);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_read_by_their_grammar() {
        for (text, end) in [
            ("0", Ok(1)),
            ("-1.50e+3,", Ok(8)),
            ("01", Ok(1)),
            ("-", Err(1)),
            ("1.", Err(2)),
            ("1e+x", Err(3)),
        ] {
            assert_eq!(number(text.as_bytes(), 0), end, "{text}");
        }
        assert_eq!((literal(b"[true]", 1), literal(b"nul", 0), literal(b"", 3)), (Ok(5), Err(0), Err(3)));
        assert_eq!(escape(br"\u00e9x", 0, false), Ok(6));
        assert_eq!((escape(br"\u12g4", 0, true), escape(br"\x", 0, false)), (Err(0), Err(0)));
        assert_eq!((escape(br"\x", 0, true), escape(b"\\\n", 0, true)), (Ok(2), Err(0)));
    }

    #[test]
    fn strings_end_at_their_quote() {
        assert_eq!(string_end(br#"a"b\"c\\"d"#, 1, b'"'), Some(9));
        assert_eq!(string_end(br#"'it\'s'"#, 0, b'\''), Some(7));
        for open in [r#""a"#, r#""a\"#, r#""a\""#, "\""] {
            assert_eq!(string_end(open.as_bytes(), 0, b'"'), None, "{open}");
        }
    }
}
