//! Holds output back: in memory while it is short, then in an unnamed file.

use std::io::{self, Read, Seek, SeekFrom, Write};

use tempfile::SpooledTempFile;

/// Most bytes in memory.
const IN_MEMORY: usize = 1 << 20;

/// Held output; see the module.
#[derive(Debug)]
pub(super) struct HeldOutput {
    bytes: SpooledTempFile,
    len: usize,
}

impl HeldOutput {
    pub(super) fn new() -> Self {
        Self { bytes: SpooledTempFile::new(IN_MEMORY), len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds a piece. If that fails, nothing of the piece is held.
    pub(super) fn push(&mut self, piece: &[u8]) -> io::Result<()> {
        let written = self.bytes.write_all(piece);
        match written {
            Ok(()) => self.len += piece.len(),
            Err(_) => {
                self.bytes.seek(SeekFrom::Start(self.len as u64))?;
            }
        }
        written
    }

    /// Returns everything and becomes empty.
    pub(super) fn take(&mut self) -> io::Result<Vec<u8>> {
        let mut all = Vec::with_capacity(self.len);
        self.write_to(&mut all)?;
        Ok(all)
    }

    /// Writes everything and becomes empty.
    pub(super) fn write_to(&mut self, to: &mut impl Write) -> io::Result<()> {
        let mut bytes = std::mem::replace(&mut self.bytes, SpooledTempFile::new(IN_MEMORY));
        bytes.seek(SeekFrom::Start(0))?;
        let len = std::mem::take(&mut self.len);
        io::copy(&mut bytes.take(len as u64), to).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_comes_back_once() {
        let mut held = HeldOutput::new();
        let piece: Vec<u8> = (0..=255).collect();
        for _ in 0..8192 {
            held.push(&piece).unwrap();
        }
        assert_eq!(held.len(), 2 << 20);
        let all = held.take().unwrap();
        assert!(all.len() == 2 << 20 && all.chunks(256).all(|chunk| chunk == piece));
        assert_eq!((held.len(), held.take().unwrap().len()), (0, 0));
        held.push(b"x").unwrap();
        let mut out = Vec::new();
        held.write_to(&mut out).unwrap();
        assert_eq!(out, b"x");
    }
}
