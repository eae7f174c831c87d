//! Base64 and plain hexadecimal digits that hold text, also over several lines.
//!
//! A run is decoded only if its first bytes are text. It is removed as a whole: a part of it cannot be read alone.

use super::percent::hex;
use super::view::{View, blanks, table};
use crate::stop;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::ops::Range;

/// Shortest run that is examined, in bytes.
const MIN_RUN_BYTES: usize = 16;
/// Shortest line that may continue in the next, in bytes.
const MIN_LINE_BYTES: usize = 40;
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
        let lines = lines(text, first);
        at = lines.last().map_or(at + 1, |last| last.end);
        let digits = digits(text, &lines);
        stop::check();
        let bytes = from_hex(&digits).or_else(|| from_base64(&digits));
        stop::check();
        if let Some(bytes) = bytes.and_then(as_text) {
            stop::check();
            let mut view = View::default();
            let padding = text[at..].iter().take(2).take_while(|b| **b == b'=').count();
            at += padding;
            view.stand(&bytes, start..at);
            found(view);
        }
    }
}

/// Length of a prefix that marks the digits of a run as hexadecimal: `\\x` of PostgreSQL, `0x` of MySQL.
fn sign(text: &[u8], run: &Range<usize>) -> usize {
    let len = match &text[run.clone()] {
        [b'x', ..] if run.start > 0 && text[run.start - 1] == b'\\' => 1,
        [b'0', b'x' | b'X', ..] => 2,
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
    let mut digits = [0; PROBE_BYTES];
    let len = run.len().min(PROBE_BYTES) / 4 * 4;
    for (digit, b) in digits.iter_mut().zip(&run[..len]) {
        *digit = plain(*b);
    }
    let mut bytes = [0; PROBE_BYTES];
    let decoded = ENGINE.decode_slice(&digits[..len], &mut bytes);
    decoded.is_ok_and(|len| is_shown_text(&bytes[..len]))
}

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

/// The run and those of the lines below that continue with it: each begins its line and ends it.
fn lines(text: &[u8], first: Range<usize>) -> Vec<Range<usize>> {
    let width = first.len();
    let mut lines = vec![first];
    while let Some(last) =
        lines.last().filter(|last| last.len() >= MIN_LINE_BYTES && (lines.len() == 1 || last.len() == width))
    {
        stop::check_sometimes();
        let line_end = last.end + usize::from(text.get(last.end) == Some(&b'\r'));
        // The line end may also be an escape, in JSON or in JSON inside JSON.
        let feed = match text.get(line_end..).unwrap_or_default() {
            [b'\n', ..] => 1,
            [b'\\', b'n', ..] => 2,
            [b'\\', b'\\', b'n', ..] => 3,
            _ => break,
        };
        let start = blanks(text, line_end + feed, 64);
        let end = run(text, start);
        let behind = end + text[end..].iter().take(2).take_while(|b| **b == b'=').count();
        let ends = text.get(behind).is_none_or(|b| b"\r\n\\\"'`,;)<".contains(b));
        // The first line may be after a name and so be shorter.
        let fits = end > start && end - start <= width.max(last.len()).max(76);
        // A word below a complete encoded text is not part of it.
        let sum = || lines.iter().map(Range::len).sum::<usize>();
        let is_hex = text[start..end].iter().all(u8::is_ascii_hexdigit) && (end - start).is_multiple_of(2);
        let completes = end - start >= MIN_RUN_BYTES || is_hex || (sum() + behind - start).is_multiple_of(4);
        if !(ends && fits && completes) {
            break;
        }
        lines.push(start..end);
        if lines.len() == 2 && end - start > width {
            return with_longer(text, lines);
        }
    }
    lines
}

/// The lines below a first line that is shorter than they are.
fn with_longer(text: &[u8], mut lines: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let Some(second) = lines.pop() else { return lines };
    let first = lines;
    let rest = self::lines(text, second);
    first.into_iter().chain(rest).collect()
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
