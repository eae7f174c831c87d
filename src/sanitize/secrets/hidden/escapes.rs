//! Escapes of string literals: `\n`, `\"`, `\u0041`, `\x41`, `\101`, `\u{41}`, `\000041`.
//!
//! It does not check whether it is in a string: decoding an escape elsewhere does not create a secret.

use super::percent::hex;
use super::view::Unit;

/// The escape at a backslash.
pub(super) fn unit(text: &[u8], at: usize) -> Option<Unit> {
    let rest = text.get(at + 1..)?;
    let (len, c) = match *rest.first()? {
        b'n' => (2, '\n'),
        b't' => (2, '\t'),
        b'r' => (2, '\r'),
        b'e' => (2, '\u{1b}'),
        c @ (b'"' | b'\'' | b'/' | b'\\' | b'`' | b'$' | b'&' | b'=' | b':') => (2, char::from(c)),
        b'x' => return hex(rest.get(1..3)?).and_then(|b| u8::try_from(b).ok()).map(|b| Unit::byte(4, b)),
        b'u' if rest.get(1) == Some(&b'{') => {
            let digits = rest[2..].iter().take(6).take_while(|b| b.is_ascii_hexdigit()).count();
            (rest.get(2 + digits) == Some(&b'}')).then_some(())?;
            (digits + 4, char::from_u32(hex(&rest[2..2 + digits])?)?)
        }
        b'u' => (6, char::from_u32(hex(rest.get(1..5)?)?)?),
        b'U' => (10, char::from_u32(hex(rest.get(1..9)?)?)?),
        // An escape of CSS.
        b'0' if rest.starts_with(b"0000")
            && rest.get(4..6).is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit)) =>
        {
            return hex(&rest[4..6]).and_then(|b| u8::try_from(b).ok()).map(|b| Unit::byte(7, b));
        }
        b'0'..=b'3' => {
            let digits = rest.get(..3)?;
            let octal = digits.iter().all(|b| matches!(b, b'0'..=b'7'));
            let value = digits.iter().fold(0u32, |sum, b| sum * 8 + u32::from(b.wrapping_sub(b'0')));
            return u8::try_from(value).ok().filter(|_| octal).map(|b| Unit::byte(4, b));
        }
        _ => return None,
    };
    Some(Unit::char(len, c))
}
