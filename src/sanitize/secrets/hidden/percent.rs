//! Percent encoding, as in addresses and forms.

use super::view::Unit;

/// The byte at a percent sign, or the character of `%u0041`, as `escape` of JavaScript writes it.
pub(super) fn unit(text: &[u8], at: usize) -> Option<Unit> {
    if text.get(at + 1) == Some(&b'u') {
        return Some(Unit::char(6, char::from_u32(hex(text.get(at + 2..at + 6)?)?)?));
    }
    let byte = hex(text.get(at + 1..at + 3)?)?;
    u8::try_from(byte).ok().map(|b| Unit::byte(3, b))
}

/// A blank in the encoding of forms: a `+` in a word near a percent-encoded character or line end.
pub(super) fn blank(text: &[u8], at: usize) -> Option<Unit> {
    const NEAR_BYTES: usize = 64;
    let is_inside = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_graphic() && *b != b'+');
    (at > 0 && is_inside(text.get(at - 1)) && is_inside(text.get(at + 1))).then_some(())?;
    let from = at.saturating_sub(NEAR_BYTES);
    let near = &text[from..text.len().min(at + NEAR_BYTES)];
    let is_code = |n: usize| {
        let code = unit(text, from + n);
        code.is_some_and(|code| matches!(code.bytes(), [b' '..=b'~' | b'\n' | b'\r']))
    };
    let mut codes = memchr::memchr_iter(b'%', near).take(4);
    codes.any(is_code).then(|| Unit::byte(1, b' '))
}

/// The number that up to eight hexadecimal digits write; `None` if there is another byte.
pub(super) fn hex(digits: &[u8]) -> Option<u32> {
    let value = |b: u8| char::from(b).to_digit(16);
    (!digits.is_empty() && digits.len() <= 8).then_some(())?;
    digits.iter().try_fold(0u32, |sum, &b| Some(sum << 4 | value(b)?))
}
