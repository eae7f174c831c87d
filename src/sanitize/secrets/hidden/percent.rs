//! Percent encoding, as in addresses and forms.

use super::unit::Unit;

/// The byte at a percent sign.
pub(super) fn unit(text: &[u8], at: usize) -> Option<Unit> {
    let byte = hex(text.get(at + 1..at + 3)?)?;
    u8::try_from(byte).ok().map(|b| Unit::byte(3, b))
}

/// The number that up to eight hexadecimal digits write; `None` where there is another byte.
pub(super) fn hex(digits: &[u8]) -> Option<u32> {
    let value = |b: u8| char::from(b).to_digit(16);
    (!digits.is_empty() && digits.len() <= 8).then_some(())?;
    digits.iter().try_fold(0u32, |sum, &b| Some(sum << 4 | value(b)?))
}
