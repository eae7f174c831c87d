//! Memory sizes of values, and returning freed memory to the system. Allocators keep it for later, which a process that lives as
//! long as its host must not do after a large session or message.

pub mod size;

/// Buffers with more bytes than this grow by a quarter instead of doubling.
const LARGE_BYTES: usize = 1 << 20;

/// Reserves room for `more` bytes in a buffer; in a large buffer at most a quarter more than needed. With doubling, a
/// message would take three times its size while it grows.
pub fn grow(buffer: &mut Vec<u8>, more: usize) {
    if buffer.capacity() - buffer.len() >= more {
        return;
    }
    match buffer.len() {
        small if small < LARGE_BYTES => buffer.reserve(more),
        large => buffer.reserve_exact(more.max(large / 4)),
    }
}

/// A buffer for what is written piece by piece, and may become large.
#[derive(Debug, Default)]
pub struct Buffer(pub Vec<u8>);

impl std::io::Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        grow(&mut self.0, bytes.len());
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns all unused pages to the system. It takes milliseconds, so call it only after much memory was freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(
    unsafe_code,
    reason = "the C library has no safe door to this, and no crate that is kept up wraps it"
)]
pub fn give_back() {
    // SAFETY: `malloc_trim` takes the allocator's own locks, may be called at any time from any thread, and
    // touches only memory that is free.
    unsafe { libc::malloc_trim(0) };
}

/// Other allocators return memory by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {}
