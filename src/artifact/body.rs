//! The bytes of one artifact: where they are stored, and how to find a line in them.
//!
//! A large artifact is a list of blocks of equal unpacked length. Each block is packed separately and stores the number of
//! newlines before it, so any line or byte is found by unpacking one block. The index takes 32 bytes per block. Lines are
//! not stored separately. This file knows nothing about sessions or ids.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::Arc;

use memchr::memchr_iter;

use super::disk::{Disk, PrivateDir, TempPath};
use super::{AccessError, Limits, PutError};
use crate::memory::size::block;

/// Unpacked length of a block in bytes: twice the window of LZ4, so that little compression is lost at the borders.
pub(super) const BLOCK: usize = 128 << 10;

/// One packed block.
#[derive(Debug, Clone, Copy)]
struct BlockRef {
    offset: u64,
    newlines_before: u64,
    /// First bytes of the digest of the unpacked block, to detect a damaged file.
    check: [u8; 8],
    /// Packed length; equal to the unpacked length if packing did not help.
    len: u32,
}

#[derive(Debug)]
enum Data {
    Inline(Box<[u8]>),
    Memory {
        index: Vec<BlockRef>,
        packed: Box<[u8]>,
    },
    /// Fields drop in order: the file must go before the directory.
    File {
        index: Vec<BlockRef>,
        path: TempPath,
        _dir: Arc<PrivateDir>,
    },
}

/// The content of one artifact; its file, if any, is deleted with it.
#[derive(Debug)]
pub(super) struct Body {
    len: u64,
    lines: u64,
    data: Data,
}

impl Body {
    /// Stores `bytes`: small ones as they are, large ones on `disk`. If the disk fails, packs them in memory, in at most
    /// as many bytes as `fallback_room` gives.
    pub(super) fn new(
        bytes: &[u8],
        limits: &Limits,
        disk: &mut Disk,
        fallback_room: impl FnOnce() -> u64,
    ) -> Result<Self, PutError> {
        let data = if bytes.len() <= limits.inline_bytes {
            Data::Inline(bytes.into())
        } else {
            match to_file(bytes, disk) {
                Ok(data) => data,
                Err(error) => to_memory(bytes, fallback_room()).ok_or(PutError::Disk(error.kind()))?,
            }
        };
        Ok(Self { len: bytes.len() as u64, lines: count_lines(bytes), data })
    }

    /// Stores `bytes` in memory as they are, whatever their size.
    pub(super) fn in_memory(bytes: Vec<u8>) -> Self {
        let lines = count_lines(&bytes);
        Self { len: bytes.len() as u64, lines, data: Data::Inline(bytes.into_boxed_slice()) }
    }

    /// Length in bytes, unpacked.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Number of lines; a last line without a newline counts.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    /// Packed bytes in memory because the disk failed.
    pub(super) fn fallback_bytes(&self) -> u64 {
        match &self.data {
            Data::Memory { packed, .. } => packed.len() as u64,
            Data::Inline(_) | Data::File { .. } => 0,
        }
    }

    /// Bytes of memory.
    pub(super) fn memory_bytes(&self) -> usize {
        let held = match &self.data {
            Data::Inline(bytes) => block(bytes.len()),
            Data::Memory { packed, .. } => block(packed.len()),
            Data::File { path, .. } => block(path.as_os_str().len()),
        };
        held + block(size_of_val(self.index())) + block(size_of::<Self>() + 2 * size_of::<usize>())
    }

    /// Whether its file has disappeared.
    pub(super) fn is_lost(&self) -> bool {
        matches!(&self.data, Data::File { path, .. } if !path.exists())
    }

    fn index(&self) -> &[BlockRef] {
        match &self.data {
            Data::Inline(_) => &[],
            Data::Memory { index, .. } | Data::File { index, .. } => index,
        }
    }
}

/// Number of lines of a text; a last line without a newline counts.
pub(super) fn count_lines(bytes: &[u8]) -> u64 {
    let open_end = bytes.last().is_some_and(|&last| last != b'\n');
    memchr_iter(b'\n', bytes).count() as u64 + u64::from(open_end)
}

fn to_file(bytes: &[u8], disk: &mut Disk) -> io::Result<Data> {
    let (file, dir) = disk.file()?;
    let mut out = BufWriter::new(file);
    let index = pack(bytes, &mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok(Data::File { index, path: file.into_temp_path(), _dir: dir })
}

fn to_memory(bytes: &[u8], room: u64) -> Option<Data> {
    let mut packed = Vec::new();
    let index = pack(bytes, &mut packed).ok()?;
    (packed.len() as u64 <= room).then(|| Data::Memory { index, packed: packed.into_boxed_slice() })
}

fn pack(bytes: &[u8], out: &mut impl Write) -> io::Result<Vec<BlockRef>> {
    let mut index = Vec::with_capacity(bytes.len().div_ceil(BLOCK));
    let (mut offset, mut newlines_before) = (0, 0);
    for block in bytes.chunks(BLOCK) {
        let packed = lz4_flex::block::compress(block);
        let kept = if packed.len() < block.len() { &packed[..] } else { block };
        out.write_all(kept)?;
        index.push(BlockRef { offset, newlines_before, check: check(block), len: kept.len() as u32 });
        offset += kept.len() as u64;
        newlines_before += memchr_iter(b'\n', block).count() as u64;
    }
    Ok(index)
}

fn check(block: &[u8]) -> [u8; 8] {
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(block).as_bytes()[..8]);
    first
}

/// Reads one artifact. Holds at most one unpacked block, and keeps the file open.
pub(super) struct Reader<'a> {
    body: &'a Body,
    file: Option<File>,
    loaded: Option<usize>,
    block: Vec<u8>,
    packed: Vec<u8>,
    /// The start of the last line that was looked up: newlines before it, and its offset in `loaded`. Lines requested in
    /// ascending order are found in one pass.
    mark: (u64, usize),
}

impl<'a> Reader<'a> {
    pub(super) fn new(body: &'a Body) -> Self {
        Self { body, file: None, loaded: None, block: Vec::new(), packed: Vec::new(), mark: (0, 0) }
    }

    /// Number of blocks: one for an artifact in memory, none for an empty one.
    pub(super) fn blocks(&self) -> usize {
        match &self.body.data {
            Data::Inline(bytes) => usize::from(!bytes.is_empty()),
            Data::Memory { index, .. } | Data::File { index, .. } => index.len(),
        }
    }

    /// The unpacked bytes of block `n`, which must be below [`Self::blocks`].
    pub(super) fn block(&mut self, n: usize) -> Result<&[u8], AccessError> {
        if let Data::Inline(bytes) = &self.body.data {
            self.loaded = Some(n);
            return Ok(bytes);
        }
        if self.loaded != Some(n) {
            self.loaded = None;
            self.unpack(n)?;
            let before = self.body.index().get(n).map_or(0, |block| block.newlines_before);
            self.mark = (before, 0);
            self.loaded = Some(n);
        }
        Ok(&self.block)
    }

    fn unpack(&mut self, n: usize) -> Result<(), AccessError> {
        let at = *self.body.index().get(n).ok_or(AccessError::Unreadable)?;
        let len = (self.body.len - (n * BLOCK) as u64).min(BLOCK as u64) as usize;
        let packed = match &self.body.data {
            Data::Inline(_) => return Ok(()),
            Data::Memory { packed, .. } => {
                let from = at.offset as usize;
                packed.get(from..from + at.len as usize).ok_or(AccessError::Unreadable)?
            }
            Data::File { path, .. } => {
                self.packed.resize(at.len as usize, 0);
                read_at(&mut self.file, path, at.offset, &mut self.packed)
                    .map_err(|_| AccessError::Unreadable)?;
                &self.packed
            }
        };
        self.block.resize(len, 0);
        if packed.len() == len {
            self.block.copy_from_slice(packed);
        } else if !lz4_flex::block::decompress_into(packed, &mut self.block).is_ok_and(|got| got == len) {
            return Err(AccessError::Unreadable);
        }
        if check(&self.block) == at.check { Ok(()) } else { Err(AccessError::Unreadable) }
    }

    /// Appends the bytes of `range`, which must lie within the artifact, to `out`.
    pub(super) fn copy(&mut self, range: Range<u64>, out: &mut Vec<u8>) -> Result<(), AccessError> {
        let mut at = range.start;
        while at < range.end {
            let (n, from) = self.place(at);
            let block = self.block(n)?;
            let to = block.len().min(from + (range.end - at) as usize);
            let piece =
                block.get(from..to).filter(|piece| !piece.is_empty()).ok_or(AccessError::Unreadable)?;
            out.extend_from_slice(piece);
            at += piece.len() as u64;
        }
        Ok(())
    }

    /// Offset of the first byte of `line` (1-based); the length for the line after the last.
    pub(super) fn line_start(&mut self, line: u64) -> Result<u64, AccessError> {
        if line <= 1 {
            return Ok(0);
        }
        if line > self.body.lines {
            return Ok(self.body.len);
        }
        let wanted = line - 1;
        let n = self.body.index().partition_point(|block| block.newlines_before < wanted).saturating_sub(1);
        self.block(n)?;
        let before = self.body.index().get(n).map_or(0, |block| block.newlines_before);
        let (mut seen, mut from) = if self.mark.0 <= wanted { self.mark } else { (before, 0) };
        let block = match &self.body.data {
            Data::Inline(bytes) => &bytes[..],
            Data::Memory { .. } | Data::File { .. } => &self.block,
        };
        if seen < wanted {
            let skip = (wanted - seen - 1) as usize;
            from += 1 + memchr_iter(b'\n', &block[from..]).nth(skip).ok_or(AccessError::Unreadable)?;
            seen = wanted;
        }
        self.mark = (seen, from);
        Ok((n * BLOCK) as u64 + from as u64)
    }

    /// The line (1-based) of the byte at `offset`, which must lie within the artifact.
    pub(super) fn line_at(&mut self, offset: u64) -> Result<u64, AccessError> {
        let (n, to) = self.place(offset);
        let before = self.body.index().get(n).map_or(0, |block| block.newlines_before);
        let block = self.block(n)?;
        let part = block.get(..to).ok_or(AccessError::Unreadable)?;
        Ok(1 + before + memchr_iter(b'\n', part).count() as u64)
    }

    fn place(&self, offset: u64) -> (usize, usize) {
        match &self.body.data {
            Data::Inline(_) => (0, offset as usize),
            Data::Memory { .. } | Data::File { .. } => {
                ((offset / BLOCK as u64) as usize, (offset % BLOCK as u64) as usize)
            }
        }
    }
}

fn read_at(file: &mut Option<File>, path: &TempPath, offset: u64, out: &mut [u8]) -> io::Result<()> {
    let file = match file {
        Some(file) => file,
        None => file.insert(File::open(path)?),
    };
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(out)
}
