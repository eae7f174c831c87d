//! What tells an output of ours from a text that quotes or imitates one: a keyed check over the whole document in its
//! first marker. Without the key of the installation a right one can neither be written nor found by trying: nobody
//! learns whether a check was right. It never escapes anything; `lookalike` does.

use std::fmt;

use super::{CHECK_DIGITS, Marker, OPEN};

/// What seals are made with: a secret of the installation. It is never written anywhere, not even for debugging.
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

    /// A keyed fingerprint of a value: who does not have the key can neither tell nor try values by it.
    pub fn fingerprint(&self, value: &[u8]) -> u64 {
        // No text that is sealed begins like this.
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(b"\0value of a secret\0").update(value);
        let mut head = [0; 8];
        head.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        u64::from_le_bytes(head)
    }

    /// Whether nobody gave a key.
    pub fn is_unset(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealKey(..)")
    }
}

/// Puts the document check into the first marker of a finished text, if it has one.
pub fn seal(text: &mut String, key: &SealKey) {
    let Some(at) = find_open(text, 0).map(|at| at + OPEN.len()) else { return };
    // A marker of an earlier output that was cut further has a check already, of the longer text.
    if text[at..].starts_with('#') {
        text.replace_range(at..at + 1 + CHECK_DIGITS, "");
    }
    let check = format!("#{}", document_check(&text[..at], &text[at..], key));
    text.insert_str(at, &check);
}

/// Takes the check out of a text that `seal` finished, so that it can become a part of another.
pub fn unseal(text: &mut String, key: &SealKey) {
    if is_sealed(text, key)
        && let Some(at) = find_open(text, 0).map(|at| at + OPEN.len())
    {
        text.replace_range(at..at + 1 + CHECK_DIGITS, "");
    }
}

/// Whether a text is, whole, an output that `seal` finished with this key.
pub fn is_sealed(text: &str, key: &SealKey) -> bool {
    let Some(at) = find_open(text, 0).map(|at| at + OPEN.len()) else { return false };
    let Some(rest) = text[at..].strip_prefix('#') else { return false };
    let check = rest.get(..CHECK_DIGITS);
    check.is_some_and(|check| document_check(&text[..at], &rest[CHECK_DIGITS..], key) == check)
}

/// Bytes that are read to find where a sealed output begins, all attempts together.
const MAX_READ: usize = 16 << 20;

/// Where an output that `seal` finished with this key begins, which goes on to the end of the text: at its start or at
/// that of a line. The line end behind it may be missing: hosts take it off.
pub fn sealed_from(text: &str, key: &SealKey) -> Option<usize> {
    let open = find_open(text, 0)?;
    let at = open + OPEN.len();
    let rest = text[at..].strip_prefix('#')?;
    let check = rest.get(..CHECK_DIGITS)?;
    let whole = format!("{}\n", &rest[CHECK_DIGITS..]);
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
                .any(|after| document_check(before, after, key) == check)
        })
}

/// Decimal digits: tokenizers take three of them as one token, so that four tokens hold as much as ten hexadecimal digits
/// in about six.
fn document_check(before: &str, after: &str, key: &SealKey) -> String {
    let mut hasher = blake3::Hasher::new_keyed(&key.0);
    hasher.update(before.as_bytes()).update(after.as_bytes());
    let mut head = [0; 8];
    head.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    let most = 10_u64.pow(CHECK_DIGITS as u32);
    format!("{:0width$}", u64::from_le_bytes(head) % most, width = CHECK_DIGITS)
}

/// Whether a line may be or hold a marker.
pub fn may_hold(line: &str) -> bool {
    let holds = |open: &str| memchr::memmem::find(line.as_bytes(), open.as_bytes()).is_some();
    holds(OPEN) || holds(super::DUPLICATE_OPEN)
}

/// The next place from `from` on where a marker that parses starts, escaped ones aside.
pub(super) fn find_open(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(&bytes[from..], OPEN)
        .map(|i| i + from)
        .find(|&at| (at == 0 || bytes[at - 1] != b'\\') && Marker::parse(&text[at..]).is_some())
}
