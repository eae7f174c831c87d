//! Dumps of bytes as `xxd`, `hexdump`, `od`, `tcpdump -X` and Wireshark print them.
//!
//! A line that shows a part of a secret is removed from its first digit on: the letters beside the digits show it
//! too.

use super::percent::hex;
use super::view::{View, blanks, line_end};
use crate::stop;

/// Shortest and longest line of a dump, in bytes.
const MIN_LINE_BYTES: usize = 3;
const MAX_LINE_BYTES: usize = 160;
/// Shortest and longest line of a dump that has other text before it, in bytes.
const MIN_PREFIXED_LINE_BYTES: usize = 24;
const MAX_PREFIXED_LINE_BYTES: usize = 360;
/// Fewest dumped bytes of a line without an address.
const MIN_BARE_DUMPED_BYTES: usize = 8;

/// One line of a dump.
struct Dumped {
    bytes: Vec<u8>,
    /// Where the digits begin in the line.
    start: usize,
    /// Whether words have two bytes and their byte order is unknown.
    words: bool,
}

/// Calls `found` with every dump, decoded; dumps of words in both byte orders. Records in `coded` the places of lines
/// that look like those of a dump and follow other text.
pub(super) fn views(text: &[u8], coded: &mut Vec<usize>, found: &mut dyn FnMut(View)) {
    let mut at = 0;
    let (mut big, mut little, mut words) = (View::default(), View::default(), false);
    while at < text.len() {
        let end = line_end(text, at);
        stop::check_sometimes();
        match (MIN_LINE_BYTES..=MAX_LINE_BYTES).contains(&(end - at)).then(|| line(&text[at..end])).flatten()
        {
            Some(dumped) => {
                words |= dumped.words;
                let source = at + dumped.start..end;
                big.stand(&dumped.bytes, source.clone());
                little.stand(&swapped(&dumped.bytes), source);
            }
            None => {
                give(&mut big, &mut little, &mut words, found);
                if is_like(&text[at..end]) {
                    coded.push(at);
                }
            }
        }
        at = end + 1;
    }
    give(&mut big, &mut little, &mut words, found);
}

/// Whether there are only digits and blanks around the middle of a line, or before it.
fn is_like(line: &[u8]) -> bool {
    const WINDOW_BYTES: usize = 12;
    let is_digits = |from: usize| {
        line.get(from..from + WINDOW_BYTES).is_some_and(|window| {
            window.iter().all(|b| b.is_ascii_hexdigit() || *b == b' ') && window.contains(&b' ')
        })
    };
    (MIN_PREFIXED_LINE_BYTES..=MAX_PREFIXED_LINE_BYTES).contains(&line.len())
        && (is_digits(line.len() / 2) || is_digits(line.len() / 3) || is_digits(line.len() / 4))
}

fn give(big: &mut View, little: &mut View, words: &mut bool, found: &mut dyn FnMut(View)) {
    if big.bytes().is_empty() {
        return;
    }
    let (big, little) = (std::mem::take(big), std::mem::take(little));
    found(big);
    if std::mem::take(words) {
        found(little);
    }
}

/// Words of two bytes with the second first.
fn swapped(bytes: &[u8]) -> Vec<u8> {
    bytes.chunks(2).flat_map(|pair| pair.iter().rev().copied()).collect()
}

/// Reads a line: an address, then digits in groups, then perhaps the letters.
fn line(line: &[u8]) -> Option<Dumped> {
    let from = blanks(line, 0, 16);
    if let Some(start) = behind_offset(line, from) {
        return groups(line, start, true);
    }
    // Three bytes are enough to distinguish most lines of text from a dump.
    let [first, second, third] = *line.get(from..)?.first_chunk()?;
    let is_dump = first.is_ascii_hexdigit() && second.is_ascii_hexdigit();
    (is_dump && (third.is_ascii_hexdigit() || third == b' ')).then_some(())?;
    let address = line[from..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let behind = line.get(from + address).copied();
    // Four digits may also be the first of the bytes, but these have one blank between them.
    let is_apart = address != 4 || blanks(line, from + address, 8) >= from + address + 2;
    let has_address = (4..=16).contains(&address) && is_apart || behind == Some(b':') && address >= 4;
    if !has_address {
        return groups(line, from, false).filter(|d| d.bytes.len() >= MIN_BARE_DUMPED_BYTES);
    }
    let colon = usize::from(behind == Some(b':'));
    let start = blanks(line, from + address + colon, 8);
    (start > from + address).then_some(())?;
    if address == 7
        && colon == 0
        && let Some(letters) = letters(line, from + address)
    {
        return Some(letters);
    }
    if address == 7
        && colon == 0
        && let Some(octal) = octal(line, start)
    {
        return Some(octal);
    }
    groups(line, start, colon == 1)
}

/// Where the digits begin after `0x0010:`, as `tcpdump -X` writes an address.
fn behind_offset(line: &[u8], from: usize) -> Option<usize> {
    let rest = line[from..].strip_prefix(b"0x")?;
    let len = rest.iter().take(9).take_while(|b| b.is_ascii_hexdigit()).count();
    ((4..=8).contains(&len) && rest.get(len) == Some(&b':')).then_some(())?;
    let colon = from + 2 + len;
    Some(blanks(line, colon + 1, 8)).filter(|start| *start > colon + 1)
}

/// Groups of two, four or eight digits, up to two blanks or a bar.
fn groups(line: &[u8], start: usize, has_colon: bool) -> Option<Dumped> {
    let (mut bytes, mut at, mut size) = (Vec::new(), start, 0);
    loop {
        let len = line[at..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
        let ends = line.get(at + len).is_none_or(|b| b.is_ascii_whitespace());
        // The last word of a dump may be cut.
        if !ends || len % 2 != 0 || !(2..=16).contains(&len) || (size != 0 && len > size) {
            break;
        }
        size = size.max(len);
        for pair in line[at..at + len].chunks(2) {
            bytes.push(u8::try_from(hex(pair)?).ok()?);
        }
        let next = blanks(line, at + len, 8);
        let gap = next - (at + len);
        at = next;
        // `hexdump -C` leaves two blanks in the middle.
        if gap == 0 || bytes.len() >= 32 || (gap >= 2 && !(bytes.len() == 8 && size == 2)) {
            break;
        }
    }
    (!bytes.is_empty()).then_some(Dumped { bytes, start, words: size == 4 && !has_colon })
}

/// `od -c`: four columns a byte, a letter, an escape or three octal digits.
fn letters(line: &[u8], from: usize) -> Option<Dumped> {
    let cells = line[from..].trim_ascii_end();
    let mut bytes = Vec::new();
    for cell in cells.chunks(4) {
        let cell = match cell.trim_ascii() {
            b"" => b" ",
            cell => cell,
        };
        bytes.push(match *cell {
            [b] => b,
            [b'\\', b'n'] => b'\n',
            [b'\\', b't'] => b'\t',
            [b'\\', b'r'] => b'\r',
            [b'\\', b'0'] => 0,
            [b'\\', _] => b' ',
            [a, b, c] if [a, b, c].iter().all(|d| matches!(d, b'0'..=b'7')) => number(cell, 8)? as u8,
            _ => return None,
        });
    }
    let single = cells.chunks(4).filter(|cell| cell.trim_ascii().len() < 3).count();
    (single * 2 > bytes.len()).then_some(Dumped { bytes, start: from, words: false })
}

/// `od` as it is without options (words of six octal digits), and `od -b` (bytes of three).
fn octal(line: &[u8], start: usize) -> Option<Dumped> {
    let mut bytes = Vec::new();
    let mut wide = false;
    for word in line[start..].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
        let value = number(word, 8)?;
        match word.len() {
            3 if value < 256 => bytes.push(value as u8),
            6 => {
                wide = true;
                bytes.extend((value as u16).to_le_bytes());
            }
            _ => return None,
        }
    }
    (bytes.len() >= if wide { 2 } else { 1 }).then_some(Dumped { bytes, start, words: false })
}

/// `None` for other text, and for numbers that are too large for a dump.
fn number(digits: &[u8], radix: u32) -> Option<u32> {
    let add = |sum: u32, b: &u8| sum.checked_mul(radix)?.checked_add(char::from(*b).to_digit(radix)?);
    digits.iter().try_fold(0, add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_any_length_is_read_or_is_none() {
        assert_eq!(number(b"377", 8), Some(255));
        assert_eq!(number(b"378", 8), None);
        for digits in ["6".repeat(11), "6".repeat(80)] {
            assert_eq!(number(digits.as_bytes(), 8), None);
            assert!(line(format!("0000000 {digits}").as_bytes()).is_none());
        }
    }
}
