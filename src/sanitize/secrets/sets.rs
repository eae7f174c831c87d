//! Sets of bytes, and of strings to search for.

/// A set of ASCII bytes, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ByteSet([u64; 4]);

impl ByteSet {
    /// Reads the inside of a regex class: single characters and `a-z` ranges; a `-` at the start or the end is a
    /// hyphen. A `^` at the start means all other bytes.
    pub(super) const fn parse(class: &str) -> ByteSet {
        let bytes = class.as_bytes();
        let is_inverted = !bytes.is_empty() && bytes[0] == b'^';
        let (mut set, mut i) = (ByteSet([0; 4]), is_inverted as usize);
        while i < bytes.len() {
            let (from, mut to) = (bytes[i], bytes[i]);
            if i + 2 < bytes.len() && bytes[i + 1] == b'-' {
                to = bytes[i + 2];
                i += 2;
            }
            let mut b = from;
            while b <= to && b < 128 {
                set = set.with(b);
                b += 1;
            }
            i += 1;
        }
        if is_inverted {
            set = ByteSet([!set.0[0], !set.0[1], !set.0[2], !set.0[3]]);
        }
        set
    }

    /// The first bytes of ASCII strings, in either case.
    pub(super) const fn first_of(strings: &[&str]) -> ByteSet {
        let (mut set, mut i) = (ByteSet([0; 4]), 0);
        while i < strings.len() {
            let first = strings[i].as_bytes()[0];
            set = set.with(first.to_ascii_lowercase()).with(first.to_ascii_uppercase());
            i += 1;
        }
        set
    }

    const fn with(mut self, byte: u8) -> ByteSet {
        self.0[(byte / 64) as usize] |= 1 << (byte % 64);
        self
    }

    /// This set with the bytes of letters of other scripts, without those of punctuation, arrows and box-drawing
    /// characters.
    pub(super) const fn with_letters(mut self) -> ByteSet {
        let mut b = 0x80;
        while b < 0xEE {
            if b < 0xC0 || b > 0xC2 && b < 0xE2 || b > 0xE2 {
                self = self.with(b);
            }
            b += 1;
        }
        self
    }

    pub(super) const fn has(self, byte: u8) -> bool {
        self.0[(byte / 64) as usize] >> (byte % 64) & 1 == 1
    }

    /// The end of the run of members that starts at `from`.
    pub(super) fn run(self, text: &[u8], from: usize) -> usize {
        text[from..].iter().position(|&b| !self.has(b)).map_or(text.len(), |n| from + n)
    }
}

/// Bytes from `from` that are in `set`, at most `most`.
#[inline]
pub(super) fn skip(text: &[u8], from: usize, set: ByteSet, most: usize) -> usize {
    from + text.get(from..).unwrap_or_default().iter().take(most).take_while(|&&b| set.has(b)).count()
}

/// The start of the run of `set` before `from`, at most `most` bytes long.
pub(super) fn skip_back(text: &[u8], from: usize, set: ByteSet, most: usize) -> usize {
    from - text[..from].iter().rev().take(most).take_while(|&&b| set.has(b)).count()
}

/// The ASCII bytes of a text, one bit each.
pub(super) const fn byte_set(text: &[u8]) -> u128 {
    let (mut quarters, mut i) = ([0u64; 4], 0);
    while i < text.len() {
        quarters[(text[i] / 64) as usize] |= 1 << (text[i] % 64);
        i += 1;
    }
    quarters[0] as u128 | (quarters[1] as u128) << 64
}

/// Strings to search for, each with its set of bytes: most values lack one of these bytes.
pub(super) struct Sought<const N: usize>([(&'static str, u128); N]);

impl<const N: usize> Sought<N> {
    pub(super) const fn new(strings: [&'static str; N]) -> Self {
        let (mut out, mut i) = ([("", 0); N], 0);
        while i < N {
            out[i] = (strings[i], byte_set(strings[i].as_bytes()));
            i += 1;
        }
        Self(out)
    }

    /// Whether one of them is in `value`.
    pub(super) fn is_in(&self, value: &[u8]) -> bool {
        self.within(byte_set(value)).any(|string| memchr::memmem::find(value, string.as_bytes()).is_some())
    }

    /// The strings whose bytes are all in the set.
    pub(super) fn within(&self, set: u128) -> impl Iterator<Item = &'static str> {
        self.0.iter().filter(move |(_, bytes)| bytes & !set == 0).map(|(string, _)| *string)
    }
}
