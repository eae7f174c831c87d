//! Dumps of bytes as `xxd`, `hexdump`, `od`, `hexyl`, `tcpdump -X`, Wireshark, debuggers and PowerShell print them:
//! in hexadecimal, octal, decimal or binary digits, as letters, in words of either byte order.
//!
//! A line that shows a part of a secret is removed from its first digit on: the letters beside the digits show it
//! too.

use super::percent::hex;
use super::view::{View, blanks, line_end};
use crate::stop;
use std::ops::Range;

/// Shortest and longest line of a dump, in bytes.
const MIN_LINE_BYTES: usize = 3;
const MAX_LINE_BYTES: usize = 200;
/// Shortest and longest line of a dump that has other text before it, in bytes.
const MIN_PREFIXED_LINE_BYTES: usize = 24;
const MAX_PREFIXED_LINE_BYTES: usize = 360;
/// Fewest dumped bytes of a line without an address.
const MIN_BARE_DUMPED_BYTES: usize = 8;
/// Columns of a byte that `od` and `hexdump` write as a letter or a number.
const CELL: usize = 4;
/// Bytes before the letters that `od` writes below the digits of a line.
const MIN_INDENT_BYTES: usize = 8;

/// One line of a dump.
#[derive(Default)]
struct Dumped {
    /// Where the digits begin in the line.
    start: usize,
    /// The bytes in the order of the digits.
    bytes: Vec<u8>,
    /// The bytes of each word in reverse order; empty without words.
    reversed: Vec<u8>,
    /// The bytes if the digits are decimal; empty if they cannot be.
    decimal: Vec<u8>,
}

/// The dump that is read, decoded in every possible way, and which of these ways its lines need.
#[derive(Default)]
struct Dump {
    readings: [View; 3],
    needed: [bool; 3],
    /// The last line, and its place.
    last: Option<(Dumped, Range<usize>)>,
}

impl Dump {
    fn add(&mut self, line: Dumped, source: Range<usize>) {
        self.write_last();
        self.last = Some((line, source));
    }

    /// Adds the letters of the last line to its place, if they are below it.
    fn add_letters(&mut self, line: &[u8], end: usize) -> bool {
        let Some((last, source)) = &mut self.last else { return false };
        let indent = blanks(line, 0, MAX_LINE_BYTES);
        let is_below = indent >= MIN_INDENT_BYTES
            && (MIN_INDENT_BYTES - 2..=MIN_INDENT_BYTES).any(|from| {
                letters(line, from).is_some_and(|letters| letters.bytes.len() == last.bytes.len())
            });
        if is_below {
            source.end = end;
        }
        is_below
    }

    fn write_last(&mut self) {
        let Some((line, source)) = self.last.take() else { return };
        let own = [&line.bytes, &line.reversed, &line.decimal];
        let any = own.into_iter().find(|bytes| !bytes.is_empty()).unwrap_or(&line.bytes);
        for ((view, needed), bytes) in self.readings.iter_mut().zip(&mut self.needed).zip(own) {
            *needed |= !bytes.is_empty();
            view.stand(if bytes.is_empty() { any } else { bytes }, source.clone());
        }
    }

    /// Passes the decoded texts to `found`, and begins another dump.
    fn give(&mut self, found: &mut dyn FnMut(View)) {
        if self.last.is_none() {
            return;
        }
        self.write_last();
        if self.needed.contains(&true) {
            let Dump { readings, needed, .. } = std::mem::take(self);
            readings.into_iter().zip(needed).filter(|(_, needed)| *needed).for_each(|(view, _)| found(view));
        }
    }
}

/// Calls `found` with every dump, decoded; once for each way in which its digits may be read. Records in `coded` the
/// places of lines that look like those of a dump and follow other text.
pub(super) fn views(text: &[u8], coded: &mut Vec<usize>, found: &mut dyn FnMut(View)) {
    let (mut at, mut dump) = (0, Dump::default());
    while at < text.len() {
        let end = line_end(text, at);
        stop::check_sometimes();
        let is_short = (MIN_LINE_BYTES..=MAX_LINE_BYTES).contains(&(end - at));
        let here = text[at..end].strip_suffix(b"\r").unwrap_or(&text[at..end]);
        let is_letters = is_short && dump.add_letters(here, at + here.len());
        match is_short.then(|| line(here)).flatten() {
            _ if is_letters => {}
            Some(dumped) => {
                let source = at + dumped.start..at + here.len();
                dump.add(dumped, source);
            }
            None => {
                dump.give(found);
                if is_like(&text[at..end]) {
                    coded.push(at);
                }
            }
        }
        at = end + 1;
    }
    dump.give(found);
}

/// Whether there are only digits and blanks around the middle of a line, or before it.
fn is_like(line: &[u8]) -> bool {
    const WINDOW_BYTES: usize = 12;
    /// Fewest digits in it: three decimal numbers. The indentation of code has none.
    const MIN_DIGITS: usize = 3;
    let is_digits = |from: usize| {
        line.get(from..from + WINDOW_BYTES).is_some_and(|window| {
            let is_dump = window.iter().all(|b| b.is_ascii_hexdigit() || *b == b' ');
            let digits = || window.iter().filter(|b| b.is_ascii_hexdigit()).count();
            is_dump && (MIN_DIGITS..WINDOW_BYTES).contains(&digits())
        })
    };
    (MIN_PREFIXED_LINE_BYTES..=MAX_PREFIXED_LINE_BYTES).contains(&line.len())
        && (is_digits(line.len() / 2) || is_digits(line.len() / 3) || is_digits(line.len() / 4))
}

/// Reads a line: an address, then digits in groups, then perhaps the letters.
fn line(line: &[u8]) -> Option<Dumped> {
    let from = blanks(line, 0, 16);
    // Most lines of text end here.
    let first = *line.get(from)?;
    if !first.is_ascii_hexdigit() && from < 2 && first != b'|' && first < 0x80 {
        return None;
    }
    if (first == b'|' || first >= 0x80)
        && let Some(address) = BARS.iter().find_map(|bar| line[from..].strip_prefix(bar.as_bytes()))
    {
        return framed(line, line.len() - address.len());
    }
    if let Some(start) = behind_offset(line, from) {
        return shown_letters(line, start)
            .or_else(|| prefixed_words(line, start))
            .or_else(|| groups(line, start));
    }
    if from >= 1
        && let Some(cells) = letters(line, 0).or_else(|| numbers(line, from))
        && cells.len() >= MIN_BARE_DUMPED_BYTES
    {
        return Some(cells);
    }
    // Three bytes are enough to distinguish most lines of text from a dump.
    let [first, second, third] = *line.get(from..)?.first_chunk()?;
    let is_dump = first.is_ascii_hexdigit() && second.is_ascii_hexdigit();
    (is_dump && (third.is_ascii_hexdigit() || third == b' ')).then_some(())?;
    let address = line[from..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let behind = line.get(from + address).copied();
    // Four digits may also be the first of the bytes, but these have one blank between them.
    let is_apart =
        address != 4 || behind == Some(b'\t') || blanks(line, from + address, 8) >= from + address + 2;
    let has_address = (4..=16).contains(&address) && is_apart || behind == Some(b':') && address >= 4;
    if !has_address {
        return groups(line, from).filter(|dumped| dumped.bytes.len() >= MIN_BARE_DUMPED_BYTES);
    }
    let colon = usize::from(behind == Some(b':'));
    let start = blanks(line, from + address + colon, 8);
    (start > from + address).then_some(())?;
    let is_of_od = (6..=7).contains(&address) && colon == 0;
    if !is_of_od {
        return groups(line, start);
    }
    letters(line, from + address).or_else(|| {
        let decimal = decimals(line, start).unwrap_or_default();
        let mut dumped = octal(line, start).or_else(|| groups(line, start)).unwrap_or_default();
        (dumped.start, dumped.decimal) = (start, decimal);
        (dumped.len() > 0).then_some(dumped)
    })
}

impl Dumped {
    /// Number of dumped bytes.
    fn len(&self) -> usize {
        self.bytes.len().max(self.decimal.len())
    }
}

/// The bars around and between the parts of a framed dump.
const BARS: &[&str] = &["│", "|", "┊", "┆", "║", "┃"];

/// `│00000000│ 66 69 72 73 … ┊ 20 6f 66 … │first li┊ne of it│` of `hexyl`; `from` is the position after the first
/// bar.
fn framed(line: &[u8], from: usize) -> Option<Dumped> {
    let bar = |at: usize| BARS.iter().find(|bar| line[at..].starts_with(bar.as_bytes())).map(|bar| bar.len());
    let address = line[from..].iter().take(17).take_while(|b| b.is_ascii_hexdigit()).count();
    let (mut bytes, mut bars) = (Vec::new(), 0);
    let mut at = match address {
        4..=16 => from + address + bar(from + address)?,
        // Without addresses.
        _ => from,
    };
    let start = blanks(line, at, MAX_LINE_BYTES);
    while bars < 2 {
        at = blanks(line, at, MAX_LINE_BYTES);
        if let Some(len) = bar(at) {
            (at, bars) = (at + len, bars + 1);
            continue;
        }
        let byte = u8::try_from(hex(line.get(at..at + 2)?)?).ok()?;
        bytes.push(byte);
        at += 2;
        line.get(at).filter(|b| **b == b' ')?;
    }
    (!bytes.is_empty()).then_some(Dumped { bytes, start, ..Dumped::default() })
}

/// Where the digits begin after `0x0010:`, as `tcpdump -X` and debuggers write an address, also with a name.
fn behind_offset(line: &[u8], from: usize) -> Option<usize> {
    let rest = line[from..].strip_prefix(b"0x")?;
    let len = rest.iter().take(17).take_while(|b| b.is_ascii_hexdigit()).count();
    let mut colon = from + 2 + len;
    if line[colon..].starts_with(b" <") {
        colon += memchr::memchr(b'>', &line[colon..])? + 1;
    }
    ((4..=16).contains(&len) && line.get(colon) == Some(&b':')).then_some(())?;
    Some(blanks(line, colon + 1, 8)).filter(|start| *start > colon + 1)
}

/// `102 'f' 105 'i'`: numbers with their letters, as `x/8c` of gdb prints them.
fn shown_letters(line: &[u8], start: usize) -> Option<Dumped> {
    let mut bytes = Vec::new();
    let mut at = start;
    while at < line.len() {
        let digits = line[at..].iter().take(4).take_while(|b| b.is_ascii_digit()).count();
        let byte = u8::try_from(number(line.get(at..at + digits)?, 10)?).ok()?;
        at = at + digits + 1;
        (digits > 0 && line.get(at) == Some(&b'\'')).then_some(())?;
        let behind = at + 1 + usize::from(line.get(at + 1) == Some(&b'\''));
        at = behind + memchr::memchr(b'\'', &line[behind.min(line.len())..])? + 1;
        at = blanks(line, at, 8);
        bytes.push(byte);
    }
    (!bytes.is_empty()).then_some(Dumped { bytes, start, ..Dumped::default() })
}

/// `0x73726966 0x696c2074`: words of two, four or eight bytes.
fn prefixed_words(line: &[u8], start: usize) -> Option<Dumped> {
    let (mut dumped, mut at) = (Dumped { start, ..Dumped::default() }, start);
    while let Some(word) = line.get(at..).and_then(|rest| rest.strip_prefix(b"0x")) {
        let len = word.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        matches!(len, 4 | 8 | 16).then_some(())?;
        dumped.add_word(&word[..len])?;
        at = blanks(line, at + 2 + len, 8);
    }
    (!dumped.bytes.is_empty()).then_some(dumped)
}

impl Dumped {
    /// Adds the bytes of a word of hexadecimal digits.
    fn add_word(&mut self, digits: &[u8]) -> Option<()> {
        let before = self.bytes.len();
        for pair in digits.chunks(2) {
            self.bytes.push(u8::try_from(hex(pair)?).ok()?);
        }
        self.reversed.extend(self.bytes[before..].iter().rev());
        Some(())
    }
}

/// Groups of two, four, eight or sixteen digits, or of eight bits, up to two blanks or a bar.
fn groups(line: &[u8], start: usize) -> Option<Dumped> {
    let (mut dumped, mut at, mut size, mut usual) = (Dumped { start, ..Dumped::default() }, start, 0, None);
    if let Some(bits) = bits(line, start) {
        return Some(bits);
    }
    loop {
        let len = line[at..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
        let ends = line.get(at + len).is_none_or(|b| b.is_ascii_whitespace());
        // The last word of a dump may be cut.
        if !ends || len % 2 != 0 || !(2..=64).contains(&len) || (size != 0 && len > size) {
            break;
        }
        size = size.max(len);
        dumped.add_word(&line[at..at + len])?;
        let next = blanks(line, at + len, 16);
        let gap = next - (at + len);
        at = next;
        // Some tools leave more blanks between all, in the middle, or after every fourth byte.
        let usual = *usual.get_or_insert(gap);
        let is_between = gap == usual || size == 2 && dumped.bytes.len().is_multiple_of(4) && gap <= 3;
        // `xxd -e` aligns its last word to the right.
        let rest = line[at..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
        let is_padded = size >= 8 && gap > 1 && rest > 0 && gap + rest == size + 1;
        if gap == 0 || dumped.bytes.len() >= 32 || gap >= 2 && !is_between && !is_padded {
            break;
        }
    }
    if !(4..=16).contains(&size) {
        dumped.reversed.clear();
    }
    (!dumped.bytes.is_empty()).then_some(dumped)
}

/// Bytes of eight bits each, as `xxd -b` prints them.
fn bits(line: &[u8], start: usize) -> Option<Dumped> {
    /// Fewest bytes: two words may be numbers.
    const MIN_BYTES: usize = 3;
    let (mut bytes, mut at) = (Vec::new(), start);
    while let Some(bits) = line.get(at..at + 8) {
        let ends = line.get(at + 8).is_none_or(|b| *b == b' ');
        let Some(byte) = number(bits, 2).filter(|_| ends && !bits.contains(&b' ')) else { break };
        bytes.push(byte as u8);
        at = blanks(line, at + 8, 1);
    }
    (bytes.len() >= MIN_BYTES).then_some(Dumped { bytes, start, ..Dumped::default() })
}

/// Names of characters that `od -a` writes.
const NAMES: &[(&[u8], u8)] = &[
    (b"sp", b' '),
    (b"nl", b'\n'),
    (b"ht", b'\t'),
    (b"cr", b'\r'),
    (b"nul", 0),
    (b"esc", 0x1b),
    (b"del", 0x7f),
];

/// `od -c` and `od -a`: four columns a byte, a letter, an escape, a name or three octal digits.
fn letters(line: &[u8], from: usize) -> Option<Dumped> {
    let cells = line.get(from..)?.trim_ascii_end();
    // The first cell with anything in it rules out nearly every line of text.
    let first = cells.iter().position(|b| !b.is_ascii_whitespace())? / CELL;
    letter(cells.chunks(CELL).nth(first)?)?;
    let (mut bytes, mut single, mut shown) = (Vec::new(), 0, 0);
    for cell in cells.chunks(CELL) {
        let (byte, is_single) = letter(cell)?;
        single += usize::from(is_single);
        shown += usize::from(!cell.trim_ascii().is_empty());
        bytes.push(byte);
    }
    (single * 2 > bytes.len() && shown > 0).then_some(Dumped { bytes, start: from, ..Dumped::default() })
}

/// The byte that a cell stands for, and whether it is written as a letter or a name.
fn letter(cell: &[u8]) -> Option<(u8, bool)> {
    let cell = match cell.trim_ascii() {
        b"" => b" ",
        cell => cell,
    };
    // Names and numbers have at most three characters.
    if cell.len() > 3 {
        return None;
    }
    let is_long = cell.len() > 1;
    let name = NAMES.iter().filter(|_| is_long).find(|(name, _)| *name == cell);
    let byte = match *cell {
        _ if name.is_some() => name.map_or(b' ', |(_, byte)| *byte),
        [b] => b,
        [b'\\', b'n'] => b'\n',
        [b'\\', b't'] => b'\t',
        [b'\\', b'r'] => b'\r',
        [b'\\', b'0'] => 0,
        [b'\\', _] => b' ',
        [a, b, c] if [a, b, c].iter().all(|d| matches!(d, b'0'..=b'7')) => number(cell, 8)? as u8,
        _ => return None,
    };
    Some((byte, cell.len() < 3 || name.is_some()))
}

/// `od -An -t u1`: decimal numbers of one byte, without an address.
fn numbers(line: &[u8], start: usize) -> Option<Dumped> {
    let decimal = decimals(line, start)?;
    let words = line[start..].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    (words.count() == decimal.len()).then_some(Dumped { decimal, start, ..Dumped::default() })
}

/// Decimal numbers of one, two, four or eight bytes; the longest one of a line shows how many.
fn decimals(line: &[u8], start: usize) -> Option<Vec<u8>> {
    // Most lines of text begin with something else.
    line[start..].iter().find(|b| !b.is_ascii_whitespace()).filter(|b| b.is_ascii_digit())?;
    line[start..].iter().all(|b| b.is_ascii_digit() || b.is_ascii_whitespace()).then_some(())?;
    let words = || line[start..].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let longest = words().map(<[u8]>::len).max()?;
    let size = match longest {
        0..=3 => 1,
        4..=5 => 2,
        6..=10 => 4,
        11..=20 => 8,
        _ => return None,
    };
    let mut bytes = Vec::new();
    for word in words() {
        let value: u64 = std::str::from_utf8(word).ok()?.parse().ok()?;
        (size == 8 || value >> (8 * size) == 0).then_some(())?;
        bytes.extend_from_slice(&value.to_le_bytes()[..size]);
    }
    Some(bytes)
}

/// `od` without options (words of six octal digits), and `od -b` (bytes of three digits).
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
    (bytes.len() >= if wide { 2 } else { 1 }).then_some(Dumped { bytes, start, ..Dumped::default() })
}

/// `None` for other text, and for numbers that are too large for a dump.
fn number(digits: &[u8], radix: u32) -> Option<u32> {
    let add = |sum: u32, b: &u8| sum.checked_mul(radix)?.checked_add(char::from(*b).to_digit(radix)?);
    digits.iter().try_fold(0, add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitize::secrets::redact;

    /// Each line of `bytes` as `write` writes it, after its offset.
    fn dump(bytes: &[u8], size: usize, write: impl Fn(usize, &[u8]) -> String) -> String {
        bytes.chunks(size).enumerate().map(|(n, bytes)| write(n * size, bytes) + "\n").collect()
    }

    fn each(bytes: &[u8], size: usize, between: &str, write: impl Fn(&[u8]) -> String) -> String {
        bytes.chunks(size).map(write).collect::<Vec<_>>().join(between)
    }

    #[test]
    fn dumps_of_every_tool_lose_the_lines_of_a_value() {
        let token = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let text = format!("first line of it\ntoken {token}\nlast line of it!\n");
        let pair = |b: &[u8]| format!("{:02x}", b[0]);
        let word = |b: &[u8]| b.iter().rev().map(|b| format!("{b:02x}")).collect::<String>();
        let letter = |b: u8| match b {
            b' ' => "sp".to_owned(),
            b'\n' => "nl".to_owned(),
            b => char::from(b).to_string(),
        };
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace('\n', ".");
        let little = |b: &[u8]| b.iter().rev().fold(0u64, |sum, b| sum << 8 | u64::from(*b));
        let bytes = text.as_bytes();
        for text in [
            // xxd -e, xxd -b
            dump(bytes, 16, |at, b| format!("{at:08x}: {:<35}  {}", each(b, 4, " ", word), shown(b))),
            dump(bytes, 6, |at, b| {
                format!("{at:08x}: {}  {}", each(b, 1, " ", |b| format!("{:08b}", b[0])), shown(b))
            }),
            // od -a, od -An -a
            dump(bytes, 16, |at, b| {
                format!("{at:07o}{}", each(b, 1, "", |b| format!("{:>4}", letter(b[0]))))
            }),
            dump(bytes, 16, |_, b| each(b, 1, "", |b| format!("{:>4}", letter(b[0])))),
            // od -Ax -c
            dump(bytes, 16, |at, b| {
                let cell = |b: &[u8]| {
                    if b[0] == b'\n' { "  \\n".to_owned() } else { format!("   {}", char::from(b[0])) }
                };
                format!("{at:06x}{}", each(b, 1, "", cell))
            }),
            // od -t u1, od -An -t u1, od -t u2, od -i, od -l, od -t x4, od -t x8
            dump(bytes, 16, |at, b| format!("{at:07o}{}", each(b, 1, "", |b| format!(" {:>3}", b[0])))),
            dump(bytes, 16, |_, b| each(b, 1, "", |b| format!(" {:>3}", b[0]))),
            dump(bytes, 16, |at, b| format!("{at:07o} {}", each(b, 2, " ", |b| format!("{:>5}", little(b))))),
            dump(bytes, 16, |at, b| {
                format!("{at:07o} {}", each(b, 4, " ", |b| format!("{:>11}", little(b))))
            }),
            dump(bytes, 16, |at, b| {
                format!("{at:07o} {}", each(b, 8, " ", |b| format!("{:>20}", little(b))))
            }),
            dump(bytes, 16, |at, b| format!("{at:07o} {}", each(b, 4, " ", word))),
            dump(bytes, 16, |at, b| format!("{at:07o} {}", each(b, 8, " ", word))),
            // od -t x1 -t c
            dump(bytes, 16, |at, b| {
                let cell = |b: &[u8]| format!("   {}", if b[0] == b'\n' { '.' } else { char::from(b[0]) });
                format!("{at:07o}  {}\n       {}", each(b, 1, "  ", pair), each(b, 1, "", cell))
            }),
            // hexyl, certutil, debuggers
            dump(bytes, 16, |at, b| {
                let (left, right) = b.split_at(b.len().min(8));
                let half = |b: &[u8]| format!(" {:<23} ", each(b, 1, " ", pair));
                format!("│{at:08x}│{}┊{}│{:<8}┊{:<8}│", half(left), half(right), shown(left), shown(right))
            }),
            dump(bytes, 16, |at, b| format!("{at:04x}\t{:<47}   {}", each(b, 1, " ", pair), shown(b))),
            dump(bytes, 16, |at, b| {
                format!("0x{:x}: {}", 0x7fff_ffff_e000_u64 + at as u64, each(b, 1, " ", pair))
            }),
            dump(bytes, 16, |at, b| {
                format!("0x{:x} <key+{at}>:\t{}", 0x4040 + at, each(b, 4, "\t", |b| format!("0x{}", word(b))))
            }),
            dump(bytes, 8, |at, b| {
                format!(
                    "0x{:x}:\t{}",
                    0x4040 + at,
                    each(b, 1, "\t", |b| format!("{} '{}'", b[0], letter(b[0])))
                )
            }),
            // Four bytes in a group.
            dump(bytes, 16, |at, b| format!("{at:08x}:   {}", each(b, 4, "   ", |b| each(b, 1, " ", pair)))),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            let out = redact(&text).map(|redacted| redacted.text).unwrap_or_default();
            assert!(out.contains("[REDACTED:github-pat]") && out.starts_with(lines[0]), "{text}{out}");
            assert!(out.ends_with(&format!("{}\n", lines[lines.len() - 1])), "{text}{out}");
            let kept = lines.iter().filter(|line| out.lines().any(|shown| shown == **line)).count();
            assert!(kept * 2 < lines.len() + 4, "{kept} of {}: {text}{out}", lines.len());
        }
    }

    #[test]
    fn numbers_and_letters_in_columns_stay() {
        for text in [
            "        1   2   3   4   5   6   7   8   9  10\n".repeat(9),
            "   a   b   c   d   e   f   g   h   i   j\n".repeat(9),
            "0000000 123 45 6 78\n0000010 99 1 2\n".repeat(9),
            "│ 10 │ 20 │ 30 │\n".repeat(9),
            "| ab | cd | ef |\n".repeat(9),
        ] {
            assert_eq!(redact(&text), None, "{text}");
        }
    }

    #[test]
    fn a_number_of_any_length_is_read_or_is_none() {
        assert_eq!(number(b"377", 8), Some(255));
        assert_eq!(number(b"378", 8), None);
        for digits in ["6".repeat(21), "6".repeat(80)] {
            assert_eq!(number(digits.as_bytes(), 8), None);
            assert!(line(format!("0000000 {digits}").as_bytes()).is_none());
        }
    }
}
