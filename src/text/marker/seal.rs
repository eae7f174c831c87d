//! Seals: a keyed checksum of the whole document in its first marker. It tells our output from text that quotes or
//! imitates it. Without the key of the installation nobody can make a valid seal, nor find one by trying, because
//! nobody learns whether a seal is valid. `lookalike` does the escaping.

use std::fmt;
use std::ops::Range;

use super::{Marker, OPEN, REMOVED, SEAL, SEAL_DIGITS, parse};

/// The key for seals: a secret of the installation. It is never written anywhere, not even for debugging.
///
/// The default is a key that everybody knows: good for trying things out and for tests. An engine replaces it by a
/// random one.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SealKey([u8; Self::BYTES]);

impl SealKey {
    /// Bytes of a key.
    pub const BYTES: usize = 32;

    /// A key of these bytes, which should be random.
    pub const fn new(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// A keyed fingerprint of a value: without the key, nobody can read a value from it or test guesses.
    pub fn fingerprint(&self, value: &[u8]) -> u64 {
        // No sealed text starts like this.
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(b"\0value of a secret\0").update(value);
        let mut head = [0; 8];
        head.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        u64::from_le_bytes(head)
    }

    /// Whether this is the default key.
    pub fn is_unset(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealKey(..)")
    }
}

/// The position of the seal of a text, or where it would be.
struct Place {
    /// The range of the check and the sign before it; empty if the text has no seal.
    range: Range<usize>,
    /// The sign before the check.
    mark: &'static str,
}

impl Place {
    /// The position in the marker that starts at `open`. In the marker of a removed result the seal is at the end, as
    /// `; seal …`: models took a number at the start for the id of the result.
    fn of(text: &str, open: usize) -> Self {
        let at = open + OPEN.len();
        let rest = &text[at..];
        let end = memchr::memchr(b']', rest.as_bytes()).filter(|_| rest.starts_with(REMOVED));
        let (range, mark) = match end.map(|end| at + end) {
            Some(end) => (end - parse::seal_len(&text[at..end])..end, SEAL),
            None => (at..at + if rest.starts_with('#') { 1 + SEAL_DIGITS } else { 0 }, "#"),
        };
        Self { range, mark }
    }

    /// The position in the first marker of a text.
    fn first(text: &str) -> Option<Self> {
        find_open(text, 0).map(|open| Self::of(text, open))
    }

    /// The digits of the seal, if there is one.
    fn digits<'a>(&self, text: &'a str) -> Option<&'a str> {
        text.get(self.range.start + self.mark.len()..self.range.end).filter(|_| !self.range.is_empty())
    }
}

/// Puts the seal into the first marker of a finished text, if it has one.
pub fn seal(text: &mut String, key: &SealKey) {
    let Some(Place { range, mark }) = Place::first(text) else { return };
    // A marker of an earlier output that was cut again still has the seal of the longer text.
    let start = range.start;
    text.replace_range(range, "");
    let check = format!("{mark}{}", seal_digits(&text[..start], &text[start..], key));
    text.insert_str(start, &check);
}

/// Removes the seal from a text, so that the text can become part of another one.
pub fn unseal(text: &mut String, key: &SealKey) {
    if is_sealed(text, key)
        && let Some(place) = Place::first(text)
    {
        text.replace_range(place.range, "");
    }
}

/// Whether a text is a whole output that `seal` finished with this key.
pub fn is_sealed(text: &str, key: &SealKey) -> bool {
    let Some(place) = Place::first(text) else { return false };
    let Range { start, end } = place.range;
    place.digits(text).is_some_and(|check| seal_digits(&text[..start], &text[end..], key) == check)
}

/// The check in the first marker of a text, valid or not.
pub fn check(text: &str) -> Option<&str> {
    let place = Place::first(text)?;
    place.digits(text)
}

/// The most bytes that are read to find the start of a sealed output, over all attempts.
const MAX_READ: usize = 16 << 20;

/// The start of an output that `seal` finished with this key and that continues to the end of the text: the start of
/// the text or of a line. The last line end may be missing, since hosts remove it.
pub fn sealed_from(text: &str, key: &SealKey) -> Option<usize> {
    let open = find_open(text, 0)?;
    let place = Place::of(text, open);
    let check = place.digits(text)?;
    let Range { start: at, end } = place.range;
    let whole = format!("{}\n", &text[end..]);
    let starts = memchr::memchr_iter(b'\n', &text.as_bytes()[..open]).map(|end| end + 1);
    let mut left = MAX_READ;
    std::iter::once(0)
        .chain(starts)
        .take_while(|&start| {
            let cost = 2 * (text.len() - start);
            let goes_on = left >= cost;
            left = left.saturating_sub(cost);
            goes_on
        })
        .find(|&start| {
            let before = &text[start..at];
            [&whole[..], &whole[..whole.len() - 1]]
                .iter()
                .any(|after| seal_digits(before, after, key) == check)
        })
}

/// Decimal digits: tokenizers have one token for three of them, so four tokens carry as much as ten hexadecimal
/// digits in about six.
fn seal_digits(before: &str, after: &str, key: &SealKey) -> String {
    let mut hasher = blake3::Hasher::new_keyed(&key.0);
    hasher.update(before.as_bytes()).update(after.as_bytes());
    let mut head = [0; 8];
    head.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    let most = 10_u64.pow(SEAL_DIGITS as u32);
    format!("{:0width$}", u64::from_le_bytes(head) % most, width = SEAL_DIGITS)
}

/// Whether a line may be a marker or contain one.
pub fn may_hold(line: &str) -> bool {
    let opens = |at: usize| [OPEN, super::DUPLICATE_OPEN].iter().any(|open| line[at..].starts_with(open));
    memchr::memchr_iter(b'[', line.as_bytes()).any(opens)
}

/// The next position from `from` on where a marker that parses starts; escaped markers are skipped.
pub(super) fn find_open(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(&bytes[from..], OPEN)
        .map(|i| i + from)
        .find(|&at| (at == 0 || bytes[at - 1] != b'\\') && Marker::parse(&text[at..]).is_some())
}
