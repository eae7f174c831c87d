//! Reads characters of a UTF-8 text as classes. It never fails: past the end there is no class.

use super::class::{BLOCK, LOWER, NEWLINE, NUMBER, OTHER, SPACE, UPPER};

static INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/class_index.bin"));
static BLOCKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/class_blocks.bin"));

/// Class of each ASCII byte; no class for the bytes of wider characters, so that a loop over a mask
/// stops at them.
static ASCII: [u8; 256] = ascii();

const fn ascii() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0u8;
    while byte < 0x80 {
        table[byte as usize] = match byte {
            b'A'..=b'Z' => UPPER,
            b'a'..=b'z' => LOWER,
            b'0'..=b'9' => NUMBER,
            b'\r' | b'\n' => NEWLINE,
            b'\t' | 0x0b | 0x0c | b' ' => SPACE,
            _ => OTHER,
        };
        byte += 1;
    }
    table
}

/// The class of an ASCII byte; none for the others.
#[inline(always)]
pub fn ascii_class(byte: u8) -> u8 {
    ASCII[usize::from(byte)]
}

/// The class of the character at `at` and its length in bytes; `(0, 0)` at the end.
#[inline(always)]
pub fn class_at(bytes: &[u8], at: usize) -> (u8, usize) {
    match bytes.get(at) {
        None => (0, 0),
        Some(byte) if *byte < 0x80 => (ASCII[usize::from(*byte)], 1),
        Some(_) => wide(bytes, at),
    }
}

/// [`class_at`] for a character that is not ASCII.
fn wide(bytes: &[u8], at: usize) -> (u8, usize) {
    let low = |byte: u8| u32::from(byte & 0x3f);
    let (code, len) = match *bytes.get(at..).unwrap_or_default() {
        [a @ 0xc0..=0xdf, b, ..] => (u32::from(a & 0x1f) << 6 | low(b), 2),
        [a @ 0xe0..=0xef, b, c, ..] => (u32::from(a & 0xf) << 12 | low(b) << 6 | low(c), 3),
        [a @ 0xf0..=0xf7, b, c, d, ..] => (u32::from(a & 7) << 18 | low(b) << 12 | low(c) << 6 | low(d), 4),
        // Not reached in UTF-8.
        _ => return (OTHER, 1),
    };
    let code = code as usize;
    let class = INDEX
        .get(code / BLOCK)
        .and_then(|block| BLOCKS.get(usize::from(*block) * BLOCK + code % BLOCK))
        .copied()
        .unwrap_or(OTHER);
    (class, len)
}

/// The end of the run of characters of the classes in `mask` that starts at `at`.
#[inline(always)]
pub fn run(bytes: &[u8], mut at: usize, mask: u8) -> usize {
    loop {
        while let Some(byte) = bytes.get(at)
            && ASCII[usize::from(*byte)] & mask != 0
        {
            at += 1;
        }
        match bytes.get(at) {
            Some(byte) if *byte >= 0x80 => {
                let (class, len) = wide(bytes, at);
                if class & mask == 0 {
                    return at;
                }
                at += len;
            }
            _ => return at,
        }
    }
}

/// Every byte is one.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The upper bit of each byte.
const HIGH: u64 = 0x80 * ONES;

/// The end of the run of ASCII letters in lower case that starts at `at`, or a place in it less than eight
/// bytes before the end of the text.
#[inline(always)]
pub fn skip_lower(bytes: &[u8], mut at: usize) -> usize {
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let eight = u64::from_le_bytes(*eight);
        let low = eight & !HIGH;
        let from_a = low + (0x80 - u64::from(b'a')) * ONES;
        let above_z = low + (0x7f - u64::from(b'z')) * ONES;
        let others = !(from_a & !above_z & !eight) & HIGH;
        if others != 0 {
            return at + others.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at
}

/// The same for blanks.
#[inline(always)]
pub fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let others = u64::from_le_bytes(*eight) ^ (u64::from(b' ') * ONES);
        if others != 0 {
            return at + others.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    /// Every scalar value against the regex crate, which reads the classes from its own tables.
    #[test]
    fn every_character_has_the_class_of_the_pattern() {
        use super::super::class::{MARK, UNCASED};
        let sets = [
            (UPPER, r"^[\p{Lu}\p{Lt}]"),
            (LOWER, r"^\p{Ll}"),
            (UNCASED, r"^[\p{Lm}\p{Lo}]"),
            (MARK, r"^\p{M}"),
            (NUMBER, r"^\p{N}"),
            (NEWLINE, r"^[\r\n]"),
            (SPACE, r"^\s"),
            (OTHER, r"^[^\s\p{L}\p{M}\p{N}]"),
        ]
        .map(|(class, pattern)| (class, Regex::new(pattern).unwrap()));
        let mut seen = 0u8;
        let mut buffer = [0; 4];
        for character in '\0'..=char::MAX {
            let text: &str = character.encode_utf8(&mut buffer);
            let expected = sets.iter().find(|(_, regex)| regex.is_match(text)).unwrap().0;
            assert_eq!(class_at(text.as_bytes(), 0), (expected, text.len()), "{character:?}");
            seen |= expected;
        }
        assert_eq!(seen, u8::MAX);
    }

    #[test]
    fn eight_bytes_at_a_time_are_skipped_as_one_by_one() {
        for byte in 0..=u8::MAX {
            for len in 0..20 {
                let text: Vec<u8> = [vec![b'k'; len], vec![byte], vec![b'a'; 9]].concat();
                let end = if byte.is_ascii_lowercase() { len + 10 } else { len };
                let found = skip_lower(&text, 0);
                assert!(found == end || (found < end && found + 8 > text.len()), "{byte} {len}");
                let text: Vec<u8> = [vec![b' '; len], vec![byte], vec![b'a'; 9]].concat();
                assert_eq!(skip_blanks(&text, 0), len + usize::from(byte == b' '), "{byte} {len}");
            }
        }
    }

    #[test]
    fn a_run_crosses_wide_characters_and_stops_at_another_class() {
        let text = "ab\u{e9}cd\u{4e2d}e".as_bytes();
        assert_eq!(run(text, 0, LOWER), 6);
        assert_eq!(run(text, 6, LOWER), 6);
        assert_eq!(run(text, 10, LOWER), 10);
    }
}
