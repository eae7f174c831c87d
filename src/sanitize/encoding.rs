//! Decodes bytes to text: UTF-8, UTF-16 with or without a byte order mark, and legacy encodings.
//!
//! An invalid byte becomes U+FFFD and is counted; no line is lost because of it. This file does not decide whether the bytes
//! are text (`binary` does that first), and guesses an encoding only after UTF-8 has failed.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use std::borrow::Cow;

/// Text and how it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'b> {
    /// The text, without a byte order mark.
    pub text: Cow<'b, str>,
    /// The encoding's name as in the WHATWG Encoding Standard, such as `UTF-8` or `windows-1252`.
    pub encoding: &'static str,
    /// Invalid sequences, each of which became one U+FFFD.
    pub replaced: usize,
    /// Whether a byte order mark was removed.
    pub bom: bool,
}

/// Reads the bytes as text.
#[must_use]
pub fn decode(bytes: &[u8]) -> Decoded<'_> {
    if let Some(rest) = bytes.strip_prefix(b"\xEF\xBB\xBF") {
        return Decoded { bom: true, ..decode_utf8(rest).unwrap_or_else(|| lossy_utf8(rest)) };
    }
    if let Some((encoding, len)) = utf16(bytes) {
        return decode_as(encoding, &bytes[len..], len > 0);
    }
    if let Some(decoded) = decode_utf8(bytes) {
        return decoded;
    }
    match guess_legacy(bytes) {
        Some(encoding) => decode_as(encoding, bytes, false),
        None => lossy_utf8(bytes),
    }
}

/// Reads bytes as text that may be shortened: bytes and controls that text does not contain become U+FFFD.
#[must_use]
pub fn as_text(bytes: &[u8]) -> String {
    let odd = |c: char| c.is_control() && !matches!(c, '\u{7}'..='\u{f}' | '\u{1b}');
    decode(bytes).text.chars().map(|c| if odd(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

fn decode_utf8(bytes: &[u8]) -> Option<Decoded<'_>> {
    let text = std::str::from_utf8(bytes).ok()?;
    Some(Decoded { text: Cow::Borrowed(text), encoding: UTF_8.name(), replaced: 0, bom: false })
}

/// Like `String::from_utf8_lossy`, but also counts the replacements.
fn lossy_utf8(bytes: &[u8]) -> Decoded<'_> {
    let mut text = String::with_capacity(bytes.len());
    let mut replaced = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
            replaced += 1;
        }
    }
    Decoded { text: Cow::Owned(text), encoding: UTF_8.name(), replaced, bom: false }
}

fn decode_as<'b>(encoding: &'static Encoding, bytes: &'b [u8], bom: bool) -> Decoded<'b> {
    let is_wide = encoding == UTF_16LE || encoding == UTF_16BE;
    let (bytes, line_feed) = match bytes {
        // A line feed of one byte after UTF-16.
        [rest @ .., b'\n'] if is_wide && rest.len().is_multiple_of(2) => (rest, "\n"),
        bytes => (bytes, ""),
    };
    let (mut text, bad) = encoding.decode_without_bom_handling(bytes);
    if !line_feed.is_empty() {
        text.to_mut().push_str(line_feed);
    }
    let replaced = if bad { text.matches(char::REPLACEMENT_CHARACTER).count() } else { 0 };
    Decoded { text, encoding: encoding.name(), replaced, bom }
}

/// Removes the NULs from text with two bytes a letter that was decoded as if it had one byte a letter. A
/// NUL-separated list of letters is not such a text, because it has no white space.
pub(super) fn narrowed(text: &str) -> Option<String> {
    const MIN_CHARS: usize = 16;
    memchr::memchr(0, text.as_bytes())?;
    let (mut chars, mut counts) = (0usize, [0usize; 2]);
    let mut run = 0;
    for c in text.chars() {
        if c == '\0' {
            counts[chars % 2] += 1;
        }
        // If there are plain words before or after wide text, the text is not treated as wide.
        run = if c == '\0' { 0 } else { run + 1 };
        if run > 8 {
            return None;
        }
        chars += 1;
    }
    let most = counts[0].max(counts[1]);
    let has_space = text.bytes().any(|b| matches!(b, b' ' | b'\n' | b'\t'));
    let is_wide = chars >= MIN_CHARS && has_space && most * 20 >= chars * 9;
    is_wide.then(|| text.replace('\0', ""))
}

/// Whether the bytes are UTF-16, and the length of the byte order mark.
pub(super) fn utf16(bytes: &[u8]) -> Option<(&'static Encoding, usize)> {
    // FF FE 00 00 is UTF-32, which no tool prints and which is not supported here.
    if bytes.starts_with(b"\xFF\xFE") && !bytes.starts_with(b"\xFF\xFE\0\0") {
        return Some((UTF_16LE, 2));
    }
    if bytes.starts_with(b"\xFE\xFF") {
        return Some((UTF_16BE, 2));
    }
    // Without a mark, only ASCII text in UTF-16 is recognised: one byte of nearly every pair is NUL, and the other is
    // printable.
    const PROBE_BYTES: usize = 4096;
    const MIN_PROBE_BYTES: usize = 8;
    let head = &bytes[..bytes.len().min(PROBE_BYTES)];
    if head.len() < MIN_PROBE_BYTES || !head.contains(&0) || has_plain_words(bytes) {
        return None;
    }
    let printable = |byte: u8| (0x20..0x7F).contains(&byte) || matches!(byte, b'\n' | b'\r' | b'\t' | 0x1B);
    let pairs = head.len() / 2;
    let little = head.chunks_exact(2).filter(|pair| pair[1] == 0 && printable(pair[0])).count();
    let big = head.chunks_exact(2).filter(|pair| pair[0] == 0 && printable(pair[1])).count();
    let most = |count: usize| count * 10 >= pairs * 9;
    most(little).then_some((UTF_16LE, 0)).or(most(big).then_some((UTF_16BE, 0)))
}

/// Whether the bytes contain words of one byte a letter: then they are not UTF-16 as a whole. A line feed at the end
/// may be one byte.
fn has_plain_words(bytes: &[u8]) -> bool {
    const MIN_LETTERS: usize = 8;
    let mut run = 0;
    bytes.iter().any(|byte| {
        run = if byte.is_ascii_graphic() || *byte == b' ' { run + 1 } else { 0 };
        run >= MIN_LETTERS
    })
}

/// The legacy encoding of the whole text, if it is clear.
pub(super) fn guess_legacy(bytes: &[u8]) -> Option<&'static Encoding> {
    let (mut valid, mut invalid) = (0usize, 0usize);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().bytes().filter(|byte| *byte >= 0xC0).count();
        invalid += chunk.invalid().len();
    }
    // Mostly valid UTF-8 stays UTF-8. Legacy text rarely forms valid UTF-8 sequences by chance.
    if valid * 2 >= invalid {
        return None;
    }
    // Single non-ASCII bytes between controls are data, not letters.
    let controls = bytes.iter().filter(|&&byte| byte < 0x20 && !matches!(byte, 0x07..=0x0D | 0x1B)).count();
    if controls * 50 > bytes.len() {
        return None;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    let (text, bad) = encoding.decode_without_bom_handling(bytes);
    // The detector always returns an encoding. It is used only if the bytes become letters and not C1 controls.
    let plain = |ch: char| ch.is_ascii() || ch.is_alphanumeric() || is_punctuation(ch);
    let odd = text.chars().filter(|&ch| !plain(ch)).count();
    let foreign = text.chars().filter(|ch| !ch.is_ascii()).count();
    (!bad && odd * 5 <= foreign).then_some(encoding)
}

/// Non-letters that occur in legacy text.
fn is_punctuation(ch: char) -> bool {
    matches!(ch, '\u{A0}'..='\u{BF}' | '\u{2000}'..='\u{2122}' | '\u{2500}'..='\u{25FF}' | '\u{3000}'..='\u{303F}'
        | '\u{FF00}'..='\u{FFEF}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(bytes: &[u8], text: &str, encoding: &str, replaced: usize, bom: bool) {
        let decoded = decode(bytes);
        assert_eq!(
            (&*decoded.text, decoded.encoding, decoded.replaced, decoded.bom),
            (text, encoding, replaced, bom)
        );
    }

    fn in_utf16(text: &str, to: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(to).collect()
    }

    #[test]
    fn utf8_is_borrowed_and_marks_go() {
        assert!(matches!(decode("héllo".as_bytes()).text, Cow::Borrowed("héllo")));
        check(b"", "", "UTF-8", 0, false);
        check(b"\xEF\xBB\xBFab", "ab", "UTF-8", 0, true);
        check(b"\xEF\xBB\xBFa\xFFb", "a\u{fffd}b", "UTF-8", 1, true);
        check(b"a\0b", "a\0b", "UTF-8", 0, false);
    }

    #[test]
    fn utf16_is_read_with_and_without_a_mark() {
        let text = "error CS1002: ; expected\r\n";
        for (name, mark, to) in [
            ("UTF-16LE", [0xFF, 0xFE], u16::to_le_bytes as fn(u16) -> [u8; 2]),
            ("UTF-16BE", [0xFE, 0xFF], u16::to_be_bytes),
        ] {
            check(&in_utf16(text, to), text, name, 0, false);
            check(&[&mark[..], &in_utf16("漢字 ok", to)].concat(), "漢字 ok", name, 0, true);
        }
    }

    #[test]
    fn wide_text_with_plain_words_is_not_decoded_and_loses_none() {
        let wide = in_utf16("one two three four five six seven eight nine ten\n", u16::to_le_bytes);
        assert!(utf16(&wide).is_some());
        assert!(utf16(&[&wide[..], b"\n"].concat()).is_some());
        let text = "one two three four five six seven eight nine ten\n\n";
        assert_eq!(decode(&[&wide[..], b"\n"].concat()).text, text);
        let mixed = [&wide.repeat(9)[..], b"ERROR: disk is full\n"].concat();
        assert!(utf16(&mixed).is_none() && decode(&mixed).text.contains("ERROR: disk is full"));
    }

    #[test]
    fn wide_text_that_was_decoded_by_letters_is_narrowed() {
        let wide = |text: &str| text.chars().flat_map(|c| [c, '\0']).collect::<String>();
        assert_eq!(
            narrowed(&wide("d\u{e9}j\u{e0} cr\u{e9}\u{e9}\r\n")).as_deref(),
            Some("d\u{e9}j\u{e0} cr\u{e9}\u{e9}\r\n")
        );
        assert_eq!(narrowed(&format!("\0{}", wide("two lines\nof it"))).as_deref(), Some("two lines\nof it"));
        for other in [
            wide("abcdefghijklmnop"),
            format!("{}ERROR: disk is full", wide("two lines\nof it").repeat(9)),
            "a\0b and more\n".repeat(9),
        ] {
            assert_eq!(narrowed(&other), None, "{other:?}");
        }
    }

    #[test]
    fn single_bad_bytes_are_replaced_one_by_one() {
        check("naïve caf\u{e9} — ok\n".as_bytes(), "naïve café — ok\n", "UTF-8", 0, false);
        let broken = [&b"line one \xC3\n"[..], "zwei äöü ß é\n".as_bytes(), b"\xF0\x9F\n"].concat();
        check(&broken, "line one \u{fffd}\nzwei äöü ß é\n\u{fffd}\n", "UTF-8", 2, false);
    }

    #[test]
    fn legacy_text_is_read_in_its_encoding() {
        use encoding_rs::{EUC_JP, EUC_KR, GBK, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};
        for (encoding, text) in [
            (
                WINDOWS_1252,
                "Datei wurde nicht gefunden: Größe überschritten, Prüfung schlägt fehl – “ça va déjà”\n",
            ),
            (GBK, "错误：无法打开文件，系统找不到指定的路径。请检查文件名是否正确，然后重试。\n"),
            (SHIFT_JIS, "エラー：指定されたファイルが見つかりません。パスを確認してください。\n"),
            (EUC_JP, "エラー：指定されたファイルが見つかりません。パスを確認してください。\n"),
            (EUC_KR, "오류: 지정된 파일을 찾을 수 없습니다. 경로를 확인하십시오.\n"),
            (WINDOWS_1251, "Ошибка: не удается найти указанный файл. Проверьте путь.\n"),
        ] {
            let (bytes, _, bad) = encoding.encode(text);
            assert!(!bad);
            check(&bytes, text, encoding.name(), 0, false);
        }
    }

    proptest! {
        #[test]
        fn no_line_is_lost(bytes in prop::collection::vec(prop_oneof![3 => 0x20..0x7Fu8, 1 => Just(b'\n'), 1 => 0x80..=0xFFu8], 0..200)) {
            prop_assume!(!bytes.starts_with(b"\xFF\xFE") && !bytes.starts_with(b"\xFE\xFF"));
            let decoded = decode(&bytes);
            let lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
            prop_assert_eq!(decoded.text.matches('\n').count(), lines);
            if std::str::from_utf8(&bytes).is_ok() {
                prop_assert_eq!(decoded.replaced, 0);
            }
        }
    }
}
