//! Finds base64 and plain hexadecimal digits that encode text, also over several lines, with the text that a tool
//! puts before each line, and in several strings.
//!
//! A run is decoded only if its first bytes are text. It is removed as a whole: a part of it cannot be read alone.

use super::percent::hex;
use super::view::{View, blanks, line_start, table};
use crate::stop;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::ops::Range;

/// Shortest run that is examined, in bytes.
const MIN_RUN_BYTES: usize = 16;
/// Shortest run, in bytes, that is examined because it fills the rest of its line after other text.
const MIN_LINE_BYTES: usize = 40;
/// Most bytes between two pieces: signs, blanks, and the text before a line.
const MAX_GAP_BYTES: usize = 128;
/// Most bytes between two pieces on one line.
const MAX_SIGNS_BYTES: usize = 8;
/// Bytes of a run that are decoded first, a multiple of four.
const PROBE_BYTES: usize = 24;
/// Any byte may end a run; padding may be missing.
const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

const MEMBERS: [bool; 256] = table(b"+/-_");

/// Calls `found` with every run that holds text, decoded. Records in `coded` the places of full lines that follow
/// other text.
pub(super) fn views(text: &[u8], coded: &mut Vec<usize>, found: &mut dyn FnMut(View)) {
    let mut at = 0;
    while let Some(mut first) = next(text, at) {
        stop::check_sometimes();
        first.start += sign(text, &first);
        let start = first.start;
        if is_behind(text, &first) {
            coded.push(start);
        }
        if !may_be_coded(&text[first.clone()]) {
            at = first.end;
            continue;
        }
        let pieces = pieces(text, first);
        at = pieces.last().map_or(at + 1, |last| last.end);
        at += text[at..].iter().take(2).take_while(|b| **b == b'=').count();
        if let Some(bytes) = decoded(text, &pieces) {
            let mut view = View::default();
            view.stand(&bytes, start..at);
            found(view);
        } else if pieces.len() > 1 {
            // If the pieces do not encode one text, each may encode one.
            for piece in pieces.into_iter().filter(|piece| piece.len() >= MIN_RUN_BYTES) {
                let mut view = View::default();
                if let Some(bytes) = decoded(text, std::slice::from_ref(&piece)) {
                    view.stand(&bytes, piece);
                    found(view);
                }
            }
        }
    }
}

/// The text that pieces encode.
fn decoded(text: &[u8], pieces: &[Range<usize>]) -> Option<Vec<u8>> {
    stop::check();
    let digits = digits(text, pieces);
    stop::check();
    let bytes = from_hex(&digits).or_else(|| from_base64(&digits));
    stop::check();
    bytes.and_then(as_text)
}

/// Length of a prefix that marks the digits of a run as hexadecimal: `\\x` of PostgreSQL, `0x` of MySQL.
fn sign(text: &[u8], run: &Range<usize>) -> usize {
    let len = match &text[run.clone()] {
        [b'x', ..] if run.start > 0 && text[run.start - 1] == b'\\' => 1,
        [b'0', b'x' | b'X', ..] => 2,
        // The sign of a diff, which the next line has too.
        [sign @ (b'+' | b'-'), ..]
            if run.len() > MIN_RUN_BYTES && (run.start == 0 || text[run.start - 1] == b'\n') =>
        {
            return usize::from(text.get(run.end) == Some(&b'\n') && text.get(run.end + 1) == Some(sign));
        }
        _ => return 0,
    };
    let digits = text[run.start + len..run.end].iter().take(MIN_RUN_BYTES);
    if digits.len() == MIN_RUN_BYTES && digits.into_iter().all(u8::is_ascii_hexdigit) { len } else { 0 }
}

/// Whether the first digits of a run may encode text; those of most long words do not.
fn may_be_coded(run: &[u8]) -> bool {
    if run[..MIN_RUN_BYTES].iter().all(u8::is_ascii_hexdigit) {
        return true;
    }
    let mut bytes = [0; PROBE_BYTES];
    let mut len = 0;
    for four in run[..run.len().min(PROBE_BYTES)].as_chunks::<4>().0 {
        // All bytes of a run are digits: there is nothing that the decoder would refuse.
        let bits = four.iter().fold(0, |bits, digit| bits << 6 | u32::from(VALUES[usize::from(*digit)]));
        bytes[len..len + 3].copy_from_slice(&bits.to_be_bytes()[1..]);
        len += 3;
    }
    is_shown_text(&bytes[..len])
}

/// The value of each digit, of the standard alphabet and of the URL-safe one.
const VALUES: [u8; 256] = {
    let (mut values, mut value) = ([0; 256], 0);
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    while value < alphabet.len() {
        values[alphabet[value] as usize] = value as u8;
        value += 1;
    }
    values[b'-' as usize] = values[b'+' as usize];
    values[b'_' as usize] = values[b'/' as usize];
    values
};

/// Whether bytes are text, also with two bytes a character.
fn is_shown_text(bytes: &[u8]) -> bool {
    is_text(narrow(bytes).as_deref().unwrap_or(bytes))
}

/// The digit of the standard alphabet for a digit of the URL-safe one.
fn plain(digit: u8) -> u8 {
    match digit {
        b'-' => b'+',
        b'_' => b'/',
        digit => digit,
    }
}

/// Whether a run fills the rest of its line after something other than a blank, such as a number or the name of a
/// file.
fn is_behind(text: &[u8], run: &Range<usize>) -> bool {
    let ends = text.get(run.end).is_none_or(|b| matches!(b, b'\n' | b'\r' | b'='));
    if !ends || run.len() < MIN_LINE_BYTES {
        return false;
    }
    let begins_line = run.start == 0 || text[run.start - 1] == b'\n';
    // `12-` and the signs of a diff are also base64 digits.
    let number = text[run.clone()].iter().take(8).take_while(|b| b.is_ascii_digit()).count();
    !begins_line || matches!(text[run.start + number], b'-' | b'+')
}

/// The next run of at least `MIN_RUN_BYTES` bytes. It tests the last required byte first, so that most of a text is
/// skipped.
fn next(text: &[u8], from: usize) -> Option<Range<usize>> {
    let mut start = from;
    loop {
        let window = text.get(start..start + MIN_RUN_BYTES)?;
        match window.iter().rposition(|b| !MEMBERS[*b as usize]) {
            Some(n) => start += n + 1,
            None => return Some(start..run(text, start + MIN_RUN_BYTES)),
        }
    }
}

fn run(text: &[u8], from: usize) -> usize {
    text[from..].iter().position(|b| !MEMBERS[*b as usize]).map_or(text.len(), |n| from + n)
}

/// The run and those that continue with it: on the lines below, which have nothing else but the text that is also
/// before the first piece, and in the next strings.
fn pieces(text: &[u8], first: Range<usize>) -> Vec<Range<usize>> {
    let (mut width, mut sum) = (first.len(), first.len());
    let mut pieces = vec![first];
    while let Some(last) = pieces.last().filter(|last| last.len() == width) {
        stop::check_sometimes();
        let Some((start, is_line)) = next_piece(text, &pieces[0], last) else { break };
        let end = run(text, start);
        let behind = end + text[end..].iter().take(2).take_while(|b| **b == b'=').count();
        let len = end - start;
        let ends = text.get(behind).is_none_or(|b| match is_line {
            true => b"\r\n\\\"'`,;)<".contains(b) || ends_line(text, behind),
            false => b"\r\n\\\"'`,;)<| \t".contains(b),
        });
        // The first line may be after a name and so be shorter.
        let fits = len > 0 && len <= if pieces.len() == 1 && is_line { width.max(76) } else { width };
        // A word below or beside a complete encoded text is not part of it.
        let is_hex = text[start..end].iter().all(u8::is_ascii_hexdigit) && len.is_multiple_of(2);
        let completes = match is_line {
            true => len >= MIN_RUN_BYTES || is_hex || (sum + behind - start).is_multiple_of(4),
            false => {
                let is_quoted = matches!(text[start - 1], b'"' | b'\'');
                let is_word = text[start..behind].iter().all(u8::is_ascii_lowercase);
                let is_last = pieces.len() > 1 || is_quoted && !is_word;
                len == width || is_last && (sum + behind - start).is_multiple_of(4)
            }
        };
        if !(ends && fits && completes) {
            break;
        }
        pieces.push(start..end);
        sum += len;
        if pieces.len() == 2 && len > width {
            width = len;
        }
    }
    pieces
}

/// Whether nothing but blanks and signs, such as the side of a box, follows in a line.
fn ends_line(text: &[u8], at: usize) -> bool {
    let near = &text[at..text.len().min(at + MAX_GAP_BYTES)];
    let len = memchr::memchr(b'\n', near).unwrap_or(near.len());
    near.first().is_some_and(|b| *b == b' ') && !near[..len].iter().any(u8::is_ascii_alphanumeric)
}

/// The position at which the piece after `last` may begin, and whether that is on the next line.
fn next_piece(text: &[u8], first: &Range<usize>, last: &Range<usize>) -> Option<(usize, bool)> {
    const SIGNS: [bool; 256] = {
        let (mut set, mut b) = ([false; 256], 0);
        while b < set.len() {
            let byte = b as u8;
            set[b] = byte == b'+' || byte != b'\n' && !byte.is_ascii_alphanumeric() && !MEMBERS[b];
            b += 1;
        }
        set
    };
    // The line end may also be an escape, in JSON or in JSON inside JSON.
    let line_end = last.end + usize::from(text.get(last.end) == Some(&b'\r'));
    let feed = match text.get(line_end..).unwrap_or_default() {
        [b'\\', b'n', ..] => 2,
        [b'\\', b'\\', b'n', ..] => 3,
        _ => 0,
    };
    if feed > 0 {
        return Some((blanks(text, line_end + feed, 64), true));
    }
    let near = &text[..text.len().min(last.end + MAX_GAP_BYTES)];
    let signs = |from: usize| {
        let rest = near.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|b| SIGNS[usize::from(**b)]).count()
    };
    let end = signs(last.end);
    if near.get(end) != Some(&b'\n') {
        let gap = near.get(last.end..end)?;
        let is_short = (1..=MAX_SIGNS_BYTES).contains(&gap.len()) && gap[0] != b'=';
        return (is_short && gap[0] != b'+').then_some((end, false));
    }
    let line = end + 1;
    let head = &text[line_start(text, first.start, MAX_GAP_BYTES)..first.start];
    let is_alike = |(a, b): (&u8, &u8)| a == b || is_counted(*a) && is_counted(*b);
    let here = text.get(line..line + head.len()).unwrap_or_default();
    if here.len() == head.len() && here.iter().zip(head).all(is_alike) {
        return Some((line + head.len(), true));
    }
    Some((blanks(text, signs(line), 64), true))
}

/// Whether a byte in front of a line may be part of its number, or of a time.
fn is_counted(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b' '
}

fn digits(text: &[u8], lines: &[Range<usize>]) -> Vec<u8> {
    let bytes = lines.iter().flat_map(|line| &text[line.clone()]);
    bytes.map(|b| plain(*b)).collect()
}

fn from_base64(digits: &[u8]) -> Option<Vec<u8>> {
    let probe = ENGINE.decode(&digits[..digits.len().min(PROBE_BYTES) / 4 * 4]).ok()?;
    is_shown_text(&probe).then_some(())?;
    let whole = if digits.len() % 4 == 1 { &digits[..digits.len() - 1] } else { digits };
    ENGINE.decode(whole).ok()
}

fn from_hex(digits: &[u8]) -> Option<Vec<u8>> {
    (digits.len().is_multiple_of(2) && digits[..MIN_RUN_BYTES].iter().all(u8::is_ascii_hexdigit))
        .then_some(())?;
    let byte = |pair: &[u8]| hex(pair).and_then(|b| u8::try_from(b).ok());
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
    bytes.filter(|bytes| is_text(&bytes[..bytes.len().min(PROBE_BYTES)]))
}

/// The text, which may have two bytes a character.
fn as_text(bytes: Vec<u8>) -> Option<Vec<u8>> {
    let bytes = narrow(&bytes).unwrap_or(bytes);
    let odd = bytes.iter().filter(|b| !is_shown(**b)).count();
    (odd * 8 <= bytes.len()).then_some(bytes)
}

fn narrow(bytes: &[u8]) -> Option<Vec<u8>> {
    let wide = bytes.len() >= 8 && bytes.chunks_exact(2).all(|pair| pair[1] == 0);
    wide.then(|| bytes.iter().copied().step_by(2).collect())
}

/// Whether most bytes are those of a text.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().filter(|b| !is_shown(**b)).count() * 8 <= bytes.len()
}

fn is_shown(byte: u8) -> bool {
    byte.is_ascii_graphic() || matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x1b)
}

#[cfg(test)]
mod tests {
    use super::{ENGINE, MEMBERS, VALUES, plain};
    use crate::sanitize::secrets::redact;
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;

    #[test]
    fn digits_have_the_values_that_the_decoder_gives_them() {
        for digit in (0..=u8::MAX).filter(|b| MEMBERS[usize::from(*b)]) {
            let bytes = ENGINE.decode([plain(digit), b'A', b'A', b'A']).unwrap();
            assert_eq!(bytes[0] >> 2, VALUES[usize::from(digit)], "{}", char::from(digit));
        }
    }

    #[test]
    fn a_text_in_pieces_goes_whole() {
        let token = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let code = BASE64_STANDARD.encode(format!("first line of it\ntoken {token}\nlast one"));
        for size in [16, 20, 30, 48, 64] {
            for (before, between, behind) in [
                ("", "\n", "\n"),
                ("> ", "\n> ", "\n"),
                ("    # ", "\n    # ", "\n"),
                ("│ ", " │\n│ ", " │\n"),
                ("x = (\n    \"", "\"\n    \"", "\"\n)\n"),
                ("x = \"", "\" +\n    \"", "\";\n"),
                ("[\"", "\",\n  \"", "\"]\n"),
                ("[\"", "\", \"", "\"]\n"),
                ("", " ", "\n"),
                ("echo ", "\\\n", "\n"),
            ] {
                // Of two words, the second may be anything.
                if between == " " && size > 48 {
                    continue;
                }
                let lines: Vec<&str> =
                    code.as_bytes().chunks(size).map(|line| std::str::from_utf8(line).unwrap()).collect();
                let text = format!("{before}{}{behind}next line\n", lines.join(between));
                let shown = redact(&text).map(|redacted| redacted.text).unwrap_or_default();
                let is_whole = shown == format!("{before}[REDACTED:github-pat]{behind}next line\n");
                assert!(is_whole, "{size} {text}{shown}");
            }
        }
        let lines = code.as_bytes().chunks(24).enumerate();
        let text: String = lines
            .map(|(n, line)| format!("a/key.b64:{}:{}\n", n + 1, std::str::from_utf8(line).unwrap()))
            .collect();
        let shown = redact(&text).map(|redacted| redacted.text);
        assert_eq!(shown.as_deref(), Some("a/key.b64:1:[REDACTED:github-pat]\n"));
    }

    #[test]
    fn words_beside_a_code_stay() {
        let token = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let code = BASE64_STANDARD.encode(format!("token {token} x"));
        // Without the signs, too few characters may be left.
        assert_eq!(redact(&format!("+{0}\n+{0}\n+{0}\n", "5".repeat(15))), None);
        for behind in [" done\n", "\ndone and more\n", "\", \"done\"]\n", " + 1\n"] {
            let shown = redact(&format!("{code}{behind}")).map(|redacted| redacted.text);
            assert_eq!(shown, Some(format!("[REDACTED:github-pat]{behind}")));
        }
    }
}
