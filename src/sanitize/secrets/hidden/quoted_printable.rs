//! The quoted-printable encoding of mail: `=3D`, and a `=` at the end of a line that continues.

use super::percent::hex;
use super::view::Unit;
use super::view::line_end;

/// Length of the lines that end in a soft break, in bytes.
const BROKEN: std::ops::RangeInclusive<usize> = 56..=78;

/// Whether a text encodes its own `=` in this way.
pub(super) fn is_likely(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"=3D").is_some()
}

/// The byte at a `=`, or nothing for a soft line break.
pub(super) fn unit(text: &[u8], at: usize, is_mail: bool) -> Option<Unit> {
    let rest = &text[at + 1..];
    let end = usize::from(rest.first() == Some(&b'\r'));
    if rest.get(end) == Some(&b'\n') {
        let start = text[at.saturating_sub(96)..at].iter().rposition(|&b| b == b'\n');
        let len = start.map_or(at.min(96), |n| at.min(96) - n - 1) + 1;
        let goes_on = line_end(text, at + end + 2) > at + end + 2;
        // At the end of base64 a `=` is padding.
        let run = text[at.saturating_sub(96)..at]
            .iter()
            .rev()
            .take_while(|b| b.is_ascii_alphanumeric() || b"+/_-".contains(b))
            .count();
        let padded = at > 0 && text[at - 1] == b'=' || (run >= 20 && run % 4 == 3);
        return (goes_on && !padded && (is_mail || BROKEN.contains(&len))).then(|| Unit::nothing(end + 2));
    }
    let byte = code(rest)?;
    let behind = rest.get(2) == Some(&b'=') && rest.get(3..).and_then(code).is_some();
    let before = at >= 3 && text[at - 3] == b'=' && code(&text[at - 2..at]).is_some();
    (is_mail || behind || before).then(|| Unit::byte(3, byte))
}

/// Two digits in capitals.
fn code(digits: &[u8]) -> Option<u8> {
    let digits = digits.get(..2).filter(|d| !d.iter().any(u8::is_ascii_lowercase))?;
    hex(digits).and_then(|b| u8::try_from(b).ok())
}
