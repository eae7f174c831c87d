//! One unit of an encoding, and the bytes that it stands for.

/// One unit of an encoding. It stands for up to four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    /// Bytes of the source.
    pub(super) len: usize,
    bytes: [u8; 4],
    count: usize,
}

impl Unit {
    /// `len` bytes of the source stand for a character.
    pub(super) fn char(len: usize, c: char) -> Unit {
        let mut bytes = [0; 4];
        let count = c.encode_utf8(&mut bytes).len();
        Unit { len, bytes, count }
    }

    /// `len` bytes of the source stand for a byte.
    pub(super) fn byte(len: usize, byte: u8) -> Unit {
        Unit { len, bytes: [byte, 0, 0, 0], count: 1 }
    }

    /// `len` bytes of the source stand for nothing.
    pub(super) fn nothing(len: usize) -> Unit {
        Unit { len, bytes: [0; 4], count: 0 }
    }

    /// What it stands for.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.count]
    }
}
