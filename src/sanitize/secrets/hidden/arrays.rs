//! Arrays that spell a text byte by byte: `{0x67, 0x68}`, `{'g', 'h'}`, `[103, 104]` and `[103 104]`, also mixed and over
//! lines, and the bytes that `gdb` prints after addresses.
//!
//! It does not read types. For a text without `0x`, `','` and brackets, the only cost is the search for these.

use super::base64::is_text;
use super::escapes;
use super::percent::hex;
use super::view::View;
use crate::sanitize::secrets::judge::{ByteSet, skip_back};
use crate::stop;
use memchr::memmem;

/// Fewest elements of an array that is examined.
const MIN_ELEMENTS: usize = 12;
/// Fewest elements if a name precedes the array. A choice.
const MIN_NAMED_ELEMENTS: usize = 8;
/// Longest name of an array, in bytes; and the bytes of the word before it that are compared.
const MAX_NAME_BYTES: usize = 48;
const MAX_TYPE_BYTES: usize = 8;
const BLANK: ByteSet = ByteSet::parse(" \t");
/// Most bytes of blanks and line ends between two elements.
const MAX_GAP_BYTES: usize = 256;

/// Calls `found` with every array, decoded.
pub(super) fn views(text: &[u8], found: &mut dyn FnMut(View)) {
    let mut at = 0;
    let mut next = Next::default();
    while let Some(start) = next.from(text, at) {
        stop::check_sometimes();
        let mut view = View::default();
        let is_named = name(text, start, &mut view);
        let mut count = 0;
        let mut end = start;
        while let Some((bytes, len)) = element(text, end) {
            view.stand(&[bytes], end..end + len);
            (end, count) = (end + len, count + 1);
            let Some(after) = separator(text, end) else { break };
            end = after;
        }
        if count >= least(is_named) {
            close(is_named, end, &mut view);
            found(view);
        }
        at = end.max(start + 1);
    }
}

/// Calls `found` with every list of decimal numbers that is a text.
pub(super) fn decimals(text: &[u8], found: &mut dyn FnMut(View)) {
    let mut done = 0;
    for open in memchr::memchr3_iter(b'[', b'(', b'{', text) {
        if open < done {
            continue;
        }
        stop::check_sometimes();
        let start = blank(text, open + 1);
        if !text.get(start).is_some_and(u8::is_ascii_digit) {
            done = start;
            continue;
        }
        let mut view = View::default();
        let is_named = name(text, start, &mut view);
        let (mut end, mut count) = (start, 0);
        while let Some((byte, len)) = decimal(text, end) {
            view.stand(&[byte], end..end + len);
            (end, count) = (end + len, count + 1);
            let next = blank(text, end);
            end = match text.get(next) {
                Some(b',') => blank(text, next + 1),
                Some(b'0'..=b'9') if next > end => next,
                _ => break,
            };
        }
        if count >= least(is_named) && is_text(view.bytes()) {
            close(is_named, end, &mut view);
            found(view);
        }
        done = end;
    }
}

/// Calls `found` with every list of letters without quotation marks, as Java prints an array of them: `[g, h, p, _]`.
pub(super) fn letters(text: &[u8], found: &mut dyn FnMut(View)) {
    let mut done = 0;
    for open in memchr::memchr_iter(b'[', text) {
        if open < done {
            continue;
        }
        stop::check_sometimes();
        let (mut view, mut at) = (View::default(), open + 1);
        while let Some([letter, sign, ..]) = text.get(at..) {
            if !letter.is_ascii_graphic() || !matches!(sign, b',' | b']') {
                break;
            }
            view.stand(&[*letter], at..at + 1);
            done = at + 1;
            if *sign == b']' || text.get(at + 2) != Some(&b' ') {
                break;
            }
            at += 3;
        }
        if view.bytes().len() >= MIN_ELEMENTS {
            found(view);
        }
    }
}

/// Fewest elements of an array that is examined.
fn least(is_named: bool) -> usize {
    if is_named { MIN_NAMED_ELEMENTS } else { MIN_ELEMENTS }
}

/// Writes the name before an array whose first element is at `start`, as if the array were a string: `apiKey = [`,
/// `"token": {"type": "Buffer", "data": [`, `secret: <Buffer `. Returns whether there is a name.
pub(super) fn name(text: &[u8], start: usize, view: &mut View) -> bool {
    const OPENS: ByteSet = ByteSet::parse("[({< \t\r\nb");
    const AROUND: ByteSet = ByteSet::parse(" \t\"'\\[]");
    const NAME: ByteSet = ByteSet::parse("a-zA-Z0-9_-");
    let mut at = skip_back(text, start, OPENS, 16);
    let near = |at: usize| &text[at.saturating_sub(MAX_TYPE_BYTES)..at];
    if near(at).ends_with(b"<Buffer") {
        at -= b"<Buffer".len();
    }
    // Skips the members that describe a buffer.
    for _ in 0..3 {
        let end = skip_back(text, at, const { ByteSet::parse(" \t:=") }, 8);
        let end = skip_back(text, end, const { ByteSet::parse(" \t\"'\\") }, 6);
        let of_buffer = [&b"data"[..], b"Buffer", b"type"].into_iter().find(|word| near(end).ends_with(word));
        let Some(word) = of_buffer else { break };
        at = skip_back(text, end - word.len(), const { ByteSet::parse(" \t\r\n,{\"'\\") }, 16);
    }
    let operator = skip_back(text, at, BLANK, 4);
    if !operator.checked_sub(1).is_some_and(|at| b":=>".contains(&text[at])) {
        return false;
    }
    let end = skip_back(text, operator, const { ByteSet::parse(":=> \t") }, 6);
    let end = skip_back(text, end, AROUND, 6);
    let from = skip_back(text, end, NAME, MAX_NAME_BYTES);
    if from == end {
        return false;
    }
    view.stand(b"\n", start..start);
    view.stand(&text[from..end], start..start);
    view.stand(b": \"", start..start);
    true
}

/// Closes the string that a name opened.
pub(super) fn close(is_named: bool, end: usize, view: &mut View) {
    if is_named {
        view.stand(b"\"\n", end..end);
    }
}

/// A number from 0 to 255, and its digits.
fn decimal(text: &[u8], at: usize) -> Option<(u8, usize)> {
    let digits = text.get(at..)?.iter().take(4).take_while(|b| b.is_ascii_digit()).count();
    (1..=3).contains(&digits).then_some(())?;
    let number = text[at..at + digits].iter().fold(0u32, |sum, b| sum * 10 + u32::from(b - b'0'));
    Some((u8::try_from(number).ok()?, digits))
}

/// The first byte from a place on that is not white space.
fn blank(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().take(MAX_GAP_BYTES).take_while(|b| b.is_ascii_whitespace()).count()
}

/// The next possible start of an array, found in one pass over the text for each notation of elements.
#[derive(Default)]
struct Next {
    number: Option<Option<usize>>,
    letter: Option<Option<usize>>,
}

impl Next {
    /// The position of the first element from `at` on.
    fn from(&mut self, text: &[u8], at: usize) -> Option<usize> {
        let known =
            |known: Option<Option<usize>>| known.filter(|place| place.is_none_or(|place| place >= at));
        let number = known(self.number).unwrap_or_else(|| number(text, at));
        let letter = known(self.letter).unwrap_or_else(|| letter(text, at));
        (self.number, self.letter) = (Some(number), Some(letter));
        match (number, letter) {
            (Some(number), Some(letter)) => Some(number.min(letter)),
            (number, letter) => number.or(letter),
        }
    }
}

/// The first hexadecimal number from `at` on.
fn number(text: &[u8], at: usize) -> Option<usize> {
    let mut places = memchr::memchr2_iter(b'x', b'X', text.get(at..)?).map(|n| at + n);
    places.find(|&x| x > at && text[x - 1] == b'0').map(|x| x - 1)
}

/// The opening quote of the first letter from `at` on that a comma follows.
fn letter(text: &[u8], at: usize) -> Option<usize> {
    let mut from = at;
    loop {
        let close = from + memmem::find(text.get(from..)?, b"',")?;
        // One byte, or an escape of two to four.
        let open = (2..=5).filter_map(|back| close.checked_sub(back)).find(|&open| {
            open >= at
                && text[open] == b'\''
                && element(text, open).is_some_and(|(_, len)| open + len == close + 1)
        });
        if open.is_some() {
            return open;
        }
        stop::check_sometimes();
        from = close + 1;
    }
}

/// The element at a place: its value, and its length in bytes.
fn element(text: &[u8], at: usize) -> Option<(u8, usize)> {
    let rest = text.get(at..)?;
    match *rest {
        [b'0', b'x' | b'X', ..] => {
            let digits = rest[2..].iter().take(3).take_while(|b| b.is_ascii_hexdigit()).count();
            let ends = !rest.get(2 + digits).is_some_and(u8::is_ascii_alphanumeric);
            ((1..=2).contains(&digits) && ends).then_some(())?;
            Some((u8::try_from(hex(&rest[2..2 + digits])?).ok()?, 2 + digits))
        }
        [b'\'', b'\\', ..] => {
            let unit = escapes::unit(text, at + 1);
            let (byte, len) = match unit {
                Some(unit) => (*unit.bytes().first()?, unit.len),
                // `'\0'` ends a text.
                None => (0, 2),
            };
            (rest.get(1 + len) == Some(&b'\'')).then_some((byte, len + 2))
        }
        [b'\'', byte, b'\'', ..] if byte != b'\'' && byte >= b' ' => Some((byte, 3)),
        _ => None,
    }
}

/// The start of the next element: after a comma, with a `b` before a letter as in Rust, or after white space and
/// perhaps an address.
fn separator(text: &[u8], at: usize) -> Option<usize> {
    let next = blank(text, at);
    if text.get(next) != Some(&b',') {
        let is_number = next > at && text.get(next..).is_some_and(|rest| rest.starts_with(b"0x"));
        return is_number.then(|| behind_address(text, next));
    }
    let next = blank(text, next + 1);
    let is_rust = text.get(next) == Some(&b'b') && text.get(next + 1) == Some(&b'\'');
    Some(next + usize::from(is_rust))
}

/// After `0x7fffffffe3a8:` or `0x555555558040 <key>:`, where one begins at a place.
fn behind_address(text: &[u8], at: usize) -> usize {
    const MAX_ADDRESS_BYTES: usize = 80;
    let rest = &text[at + 2..text.len().min(at + MAX_ADDRESS_BYTES)];
    let digits = rest.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let name = match rest.get(digits..).unwrap_or_default() {
        [b':', ..] => Some(0),
        [b' ', b'<', name @ ..] => name.windows(2).position(|end| end == b">:").map(|len| len + 3),
        _ => None,
    };
    match name.filter(|_| digits >= 4) {
        Some(len) => blank(text, at + 2 + digits + len + 1),
        None => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitize::secrets::{find, redact};

    /// Assembled at run time, so that this file contains no token.
    fn token() -> String {
        ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat()
    }

    #[test]
    fn a_list_of_letters_goes() {
        let letters = token().chars().map(String::from).collect::<Vec<_>>().join(", ");
        let shown = redact(&format!("chars: [{letters}], 1\n")).map(|redacted| redacted.text);
        assert_eq!(shown.as_deref(), Some("chars: [[REDACTED:github-pat]], 1\n"));
        for text in ["[g, h, i, j, k, l, m, n, o, p, q, r, s, t]\n", "[x, y]\n", "[g, h", "[", "[a"] {
            assert_eq!(redact(text), None, "{text}");
        }
    }

    fn joined(element: impl Fn(u8) -> String, between: &str) -> String {
        token().bytes().map(element).collect::<Vec<_>>().join(between)
    }

    #[test]
    fn an_array_that_spells_a_secret_goes_and_the_rest_stays() {
        let number = |b: u8| format!("0x{b:02x}");
        let letter = |b: u8| format!("'{}'", b as char);
        let mixed = |b: u8| if b.is_multiple_of(2) { number(b) } else { letter(b) };
        let rust = |b: u8| format!("b'{}'", b as char);
        let escape = |b: u8| format!("'\\x{b:02x}'");
        for array in [
            joined(number, ", "),
            joined(number, ","),
            joined(number, ",\n  "),
            joined(|b| format!("0X{b:02X}"), " , "),
            joined(letter, ","),
            joined(letter, ", "),
            joined(letter, ",\r\n\t"),
            joined(mixed, ", "),
            joined(escape, ", "),
            joined(number, ", ") + ", 0x00",
            joined(letter, ", ") + ", '\\0'",
        ] {
            let text = format!("static const char key[] = {{ {array} }};\nint other[] = {{ 0x01, 0x02 }};\n");
            let out = redact(&text).map_or(text, |redacted| redacted.text);
            assert!(out.contains("[REDACTED:github-pat]"), "{array}: {out}");
            assert!(
                out.starts_with("static const char key[] = { [") && out.ends_with("{ 0x01, 0x02 };\n"),
                "{out}"
            );
            let digits = out.matches("0x").count() + out.matches('\'').count();
            assert!(digits <= 5, "nothing of it is left: {out}");
        }
        let text = format!("let key = [{}];\n", joined(rust, ", "));
        assert_eq!(redact(&text).unwrap().text, "let key = [b[REDACTED:github-pat]];\n");
    }

    #[test]
    fn lists_of_decimal_numbers_go_as_a_whole() {
        for between in [",", ", ", " ", ",\n    "] {
            let list = joined(|b| b.to_string(), between);
            for (open, close) in
                [("{\"type\":\"Buffer\",\"data\":[", "]}"), ("b = bytes([", "])"), ("[", "]")]
            {
                let out = redact(&format!("{open}{list}{close}\n")).expect(between).text;
                let quote = if between.contains(',') { "\"" } else { "" };
                assert_eq!(out, format!("{open}{quote}[REDACTED:github-pat]{quote}{close}\n"));
            }
        }
    }

    #[test]
    fn bytes_behind_addresses_go() {
        let lines = |address: fn(usize) -> String| {
            let line = |(n, bytes): (usize, &[u8])| {
                let bytes = bytes.iter().map(|b| format!("\t0x{b:02x}")).collect::<String>();
                format!("{}:{bytes}\n", address(n))
            };
            token().as_bytes().chunks(8).enumerate().map(line).collect::<String>()
        };
        for text in [
            lines(|n| format!("0x{:x}", 0x7fff_ffff_e3a0_u64 + 8 * n as u64)),
            lines(|n| format!("0x{:x} <key+{}>", 0x4040 + 8 * n, 8 * n)),
        ] {
            let out = redact(&text).expect("a token").text;
            assert!(out.contains("[REDACTED:github-pat]") && out.matches("0x").count() <= 2, "{out}");
        }
    }

    #[test]
    fn arrays_of_other_things_stay() {
        let bytes: String = (0..=255).map(|b| format!("0x{b:02x}, ")).collect();
        let letters: String = ('a'..='z').map(|c| format!("'{c}', ")).collect();
        let numbers: String = (0..=255).map(|n| format!("{n}, ")).collect();
        let numbers = format!("[{numbers}]");
        for text in [
            numbers,
            bytes,
            letters,
            "'a','b'".repeat(9),
            "0x".repeat(99),
            "0x1234, ".repeat(40),
            "'',".repeat(40),
        ] {
            assert!(find(text.as_bytes()).is_empty(), "{text}");
        }
    }

    #[test]
    fn every_element_is_read_once() {
        for trigger in
            ["0x41, ", "'a', ", "'a',", "',", "''',", "0x", "0x41", "'\\x41', ", "0x41, 'a', ", "'\\',"]
        {
            let text = trigger.repeat((64 << 10) / trigger.len());
            let (mut bytes, mut views_of_it) = (0, 0);
            views(text.as_bytes(), &mut |view| {
                (bytes, views_of_it) = (bytes + view.bytes().len(), views_of_it + 1)
            });
            assert!(bytes <= text.len() / 3 && views_of_it <= text.len() / (3 * MIN_ELEMENTS), "{trigger}");
        }
    }
}
