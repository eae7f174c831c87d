//! The pieces of JSON by their grammar (RFC 8259), and comments of JSON5, for all readers that walk a text themselves.
//!
//! Each function reads what starts at an offset and returns the offset after it, or as an error the offset of the first
//! invalid byte. Only [`decoded_escape`] and [`unescaped`] interpret what they read.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::stop;

/// Deepest nesting that is copied. It takes one bit for each level.
pub const MAX_DEPTH: usize = 512;
/// Deepest nesting of a document that is shortened. Its levels are walked by recursive functions, on the stack.
pub const MAX_TREE_DEPTH: usize = 256;

/// The first offset from `at` on that has no white space.
#[inline]
pub fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\t' | b'\r')) {
        at += 1;
    }
    at
}

/// The end of the comment that starts at `at`: the line end after `//`, or the offset after `*/`. `None` if there is no
/// comment, or it is not closed.
pub fn comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    match rest.get(..2)? {
        b"//" => Some(at + memchr::memchr(b'\n', rest).unwrap_or(rest.len())),
        b"/*" => block_comment_end(bytes, at + 2),
        _ => None,
    }
}

/// The offset after the `*/` that closes a comment whose content continues at `at`.
pub fn block_comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    memchr::memmem::find(bytes.get(at..)?, b"*/").map(|end| at + end + 2)
}

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

/// An escape in a string, from its backslash on. A loose grammar accepts any character after the backslash.
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

/// The end of the string that starts with its quote at `at`, whatever is in it; `None` if it is not closed.
pub fn string_end(bytes: &[u8], at: usize, quote: u8) -> Option<usize> {
    let from = at + 1;
    let mut at = from;
    // Texts hold far more escaped line ends than quotes: only quotes are searched.
    loop {
        at += memchr::memchr(quote, bytes.get(at..)?)? + 1;
        if !is_escaped(&bytes[from..at - 1]) {
            return Some(at);
        }
    }
}

/// Whether a backslash escapes what follows `before`, which starts outside an escape.
pub fn is_escaped(before: &[u8]) -> bool {
    !before.iter().rev().take_while(|b| **b == b'\\').count().is_multiple_of(2)
}

/// A value that was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skipped {
    /// The offset after it.
    pub end: usize,
    /// Its depth of nesting: 0 for a scalar.
    pub depth: usize,
}

/// Skips the value that starts at `at` of valid JSON. If the text ends inside the value, `end` is the end of the
/// text.
pub fn value_end(bytes: &[u8], at: usize) -> Skipped {
    let closed_string_end = |at| string_end(bytes, at, b'"').unwrap_or(bytes.len());
    match bytes.get(at) {
        Some(b'"') => Skipped { end: closed_string_end(at), depth: 0 },
        Some(b'{' | b'[') => {
            let (mut at, mut open, mut depth) = (at, 0_usize, 0);
            while let Some(byte) = bytes.get(at) {
                match byte {
                    b'"' => {
                        at = closed_string_end(at);
                        continue;
                    }
                    b'{' | b'[' => {
                        open += 1;
                        depth = depth.max(open);
                    }
                    b'}' | b']' => open -= 1,
                    _ => {}
                }
                at += 1;
                if open == 0 {
                    break;
                }
            }
            Skipped { end: at, depth }
        }
        _ => {
            let rest = bytes.get(at..).unwrap_or_default();
            let is_end = |b: &u8| matches!(b, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t');
            Skipped { end: at + rest.iter().position(is_end).unwrap_or(rest.len()), depth: 0 }
        }
    }
}

/// The character that the escape at `at` stands for, and the offset after it. The character is `None` for half a surrogate
/// pair; all is `None` for an invalid escape.
pub fn decoded_escape(bytes: &[u8], at: usize) -> Option<(Option<char>, usize)> {
    let plain = match bytes.get(at + 1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        plain @ (b'"' | b'\\' | b'/') => char::from(*plain),
        b'u' => {
            let first = utf16_unit(bytes, at + 2)?;
            if matches!(first, 0xD800..=0xDBFF)
                && bytes.get(at + 6..at + 8) == Some(br"\u")
                && let Some(second) = utf16_unit(bytes, at + 8)
                && let Some(Ok(pair)) = char::decode_utf16([first, second]).next()
            {
                return Some((Some(pair), at + 12));
            }
            return Some((char::from_u32(u32::from(first)), at + 6));
        }
        _ => return None,
    };
    Some((Some(plain), at + 2))
}

/// The UTF-16 unit that four digits at `at` stand for.
fn utf16_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits: &[u8; 4] = bytes.get(at..)?.first_chunk()?;
    digits.iter().try_fold(0, |unit, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(unit << 4 | digit as u16)
    })
}

/// Replaces escapes of half a surrogate pair, which no reader accepts, by the escape of U+FFFD, which has the same
/// length. Returns whether there was one. All other bytes of the JSON text stay.
///
/// Hosts that cut a text inside a character write such halves, and so can any server.
pub fn replace_lone_surrogates(json: &mut [u8]) -> bool {
    const ESCAPED: &[u8] = br"\ufffd";
    if !may_have_lone_surrogates(json) {
        return false;
    }
    let (mut at, mut is_changed) = (0, false);
    while let Some(n) = json.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        at += n;
        match decoded_escape(json, at) {
            Some((None, end)) => {
                json[at..end].copy_from_slice(ESCAPED);
                is_changed = true;
                at = end;
            }
            Some((_, end)) => at = end,
            // Not a valid escape: the JSON reader will report it.
            None => at += 2,
        }
    }
    is_changed
}

/// A JSON text that readers accept: see [`replace_lone_surrogates`]. Bytes that are not UTF-8 become U+FFFD.
pub fn without_lone_surrogates(json: &[u8]) -> Cow<'_, str> {
    if !may_have_lone_surrogates(json) {
        return String::from_utf8_lossy(json);
    }
    let mut replaced = json.to_vec();
    replace_lone_surrogates(&mut replaced);
    Cow::Owned(
        String::from_utf8(replaced).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()),
    )
}

/// Whether a text has what may be an escape of half a surrogate pair.
pub fn may_have_lone_surrogates(json: &[u8]) -> bool {
    static ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(br"\u"));
    ESCAPE.find_iter(json).any(|at| matches!(json.get(at + 2), Some(b'd' | b'D')))
}

/// A JSON text in which each array and object below `depth` levels is a string with its JSON text, for readers that refuse
/// deeper ones. `None` if there are none, or a string has no end.
pub fn shallow(json: &str, depth: usize) -> Option<String> {
    let bytes = json.as_bytes();
    let (mut out, mut done, mut at, mut open) = (String::new(), 0, 0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string_end(bytes, at, b'"')?;
                continue;
            }
            b'{' | b'[' if open == depth => {
                let end = value_end(bytes, at).end;
                out.push_str(json.get(done..at)?);
                out.push_str(&serde_json::to_string(json.get(at..end)?).ok()?);
                (at, done) = (end, end);
                continue;
            }
            b'{' | b'[' => open += 1,
            b'}' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    out.push_str(json.get(done..)?);
    (done > 0).then_some(out)
}

/// Bytes between two checks whether the work was cancelled.
const STRIDE_BYTES: usize = 256 << 10;

/// The string whose content between the quotes is `inner`; `None` if it has half a surrogate pair, and if the work
/// was cancelled. It takes no more memory than its JSON text, which matters if a message consists of one string.
pub fn unescaped(inner: &str) -> Option<String> {
    let bytes = inner.as_bytes();
    let mut out = String::with_capacity(inner.len());
    let mut at = 0;
    let mut asked = 0;
    while let Some(n) = bytes.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        if at >= asked + STRIDE_BYTES {
            asked = at;
            if stop::is_asked() {
                return None;
            }
        }
        out.push_str(inner.get(at..at + n)?);
        let (decoded, end) = decoded_escape(bytes, at + n)?;
        out.push(decoded?);
        at = end;
    }
    out.push_str(inner.get(at..)?);
    Some(out)
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

    #[test]
    fn comments_end_at_their_line_or_their_sign() {
        for (text, end) in [
            ("// a\nb", Some(4)),
            ("//", Some(2)),
            ("/* a\n*/b", Some(7)),
            ("/*/", None),
            ("/**/", Some(4)),
            ("/ a", None),
            ("/", None),
        ] {
            assert_eq!(comment_end(text.as_bytes(), 0), end, "{text}");
        }
    }

    #[test]
    fn values_are_skipped() {
        for (text, end, depth) in [
            (r#"[{"a]":[]},1],2"#, 13, 3),
            (r#""a\"b",1"#, 6, 0),
            ("1.5 }", 3, 0),
            ("null", 4, 0),
            ("[[1", 3, 2),
            ("[\"a", 3, 1),
            ("", 0, 0),
        ] {
            assert_eq!(value_end(text.as_bytes(), 0), Skipped { end, depth }, "{text}");
        }
    }

    #[test]
    fn half_a_surrogate_pair_becomes_a_replacement_character() {
        for (json, new) in [
            (r#""a\ud83d b""#, Some(r#""a\ufffd b""#)),
            (r#""\uD83D\uDE00""#, None),
            (r#""\ude00\ud83d""#, Some(r#""\ufffd\ufffd""#)),
            (r#""\ud83d\ud83d\ude00""#, Some(r#""\ufffd\ud83d\ude00""#)),
            // An escaped backslash before the letters makes them text.
            (r#""\\ud83d""#, None),
            (r#""\\\ud83d""#, Some(r#""\\\ufffd""#)),
            (r#""\\\\ud83d""#, None),
            (r#"{"\ud83d":"\udbff\n"}"#, Some(r#"{"\ufffd":"\ufffd\n"}"#)),
            (r#""\ud8""#, None),
            (r"\ud83d\", Some(r"\ufffd\")),
            (r#""\ud7ff\udg00""#, None),
        ] {
            let mut bytes = json.as_bytes().to_vec();
            assert_eq!(replace_lone_surrogates(&mut bytes), new.is_some(), "{json}");
            assert_eq!(str::from_utf8(&bytes), Ok(new.unwrap_or(json)));
            assert_eq!(without_lone_surrogates(json.as_bytes()), new.unwrap_or(json));
        }
        assert_eq!(without_lone_surrogates(b"\"\xff\\ud83d\""), "\"\u{fffd}\\ufffd\"");
    }

    #[test]
    fn what_is_nested_too_deeply_becomes_text() {
        for (json, new) in [
            (r#"{"a":[1,{"b":["]"]}],"c":[[]]}"#, Some(r#"{"a":[1,"{\"b\":[\"]\"]}"],"c":["[]"]}"#)),
            (r#"{"a":[1,"[[[["]}"#, None),
            ("[[[", Some(r#"[["[""#)),
            (r#"[["a"#, None),
            (r#"[[["a"#, Some(r#"[["[\"a""#)),
            ("]][[[]", Some(r#"]][["[]""#)),
        ] {
            assert_eq!(shallow(json, 2).as_deref(), new, "{json}");
        }
    }

    #[test]
    fn escapes_are_decoded() {
        for (text, decoded) in [
            (r"\n", Some((Some('\n'), 2))),
            (r"\u00e9", Some((Some('é'), 6))),
            (r"\ud83d\ude00", Some((Some('😀'), 12))),
            (r"\ud83d\u0041", Some((None, 6))),
            (r"\ude00", Some((None, 6))),
            (r"\u00g9", None),
            (r"\x", None),
            (r"\", None),
        ] {
            assert_eq!(decoded_escape(text.as_bytes(), 0), decoded, "{text}");
        }
    }
}
