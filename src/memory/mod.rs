//! What things take in memory, and giving back to the system what was freed. Allocators keep it for later, which a process that lives as
//! long as its host must not do after a session with much in it or a large message.

pub mod size;

/// Gives back all whole pages that nothing uses. Takes milliseconds: to be called when much was freed.
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

/// Other allocators do so by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {}
