//! Looks for ASCII digits, eight bytes at a time.

/// Each byte one.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The upper bit of each byte.
const HIGH: u64 = 0x80 * ONES;

/// Where the first digit stands; the length of the text if there is none.
pub fn first(text: &[u8]) -> usize {
    let (eights, rest) = text.as_chunks::<8>();
    for (at, eight) in eights.iter().enumerate() {
        let eight = u64::from_le_bytes(*eight);
        let low = eight & !HIGH;
        let from_0 = low + (0x80 - u64::from(b'0')) * ONES;
        let above_9 = low + (0x7f - u64::from(b'9')) * ONES;
        let digits = from_0 & !above_9 & !eight & HIGH;
        if digits != 0 {
            return 8 * at + digits.trailing_zeros() as usize / 8;
        }
    }
    let behind = rest.iter().position(u8::is_ascii_digit).unwrap_or(rest.len());
    text.len() - rest.len() + behind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_told_at_every_place() {
        for byte in 0..=u8::MAX {
            for at in 0..20 {
                let mut text = [b'x'; 20];
                text[at] = byte;
                let expected = if byte.is_ascii_digit() { at } else { text.len() };
                assert_eq!(first(&text), expected, "{byte} {at}");
            }
        }
        assert_eq!((first(b""), first(b"ab"), first(b"7")), (0, 2, 0));
    }
}
