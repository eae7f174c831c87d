//! The allocator of these tests counts allocated bytes, the heap that they take, and the number of blocks.

use std::alloc::{GlobalAlloc, Layout};
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use peak_alloc::PeakAlloc;

/// See the module.
pub struct Heap {
    all: PeakAlloc,
    blocks: AtomicUsize,
    taken: AtomicUsize,
}

/// Bytes that a block of `bytes` bytes takes with its header, where blocks are multiples of 16.
fn taken(bytes: usize) -> usize {
    (bytes + 8).next_multiple_of(16).max(32)
}

impl Heap {
    pub const fn new() -> Self {
        Self { all: PeakAlloc, blocks: AtomicUsize::new(0), taken: AtomicUsize::new(0) }
    }

    /// Blocks that are allocated now.
    pub fn blocks(&self) -> usize {
        self.blocks.load(Relaxed)
    }

    /// Bytes that they take with their headers.
    pub fn taken(&self) -> usize {
        self.taken.load(Relaxed)
    }

    fn add(&self, bytes: usize) {
        self.blocks.fetch_add(1, Relaxed);
        self.taken.fetch_add(taken(bytes), Relaxed);
    }

    fn remove(&self, bytes: usize) {
        self.blocks.fetch_sub(1, Relaxed);
        self.taken.fetch_sub(taken(bytes), Relaxed);
    }
}

impl Deref for Heap {
    type Target = PeakAlloc;

    fn deref(&self) -> &PeakAlloc {
        &self.all
    }
}

// SAFETY: every call is passed on to `PeakAlloc` unchanged; nothing here touches the memory itself.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let at = unsafe { self.all.alloc(layout) };
        if !at.is_null() {
            self.add(layout.size());
        }
        at
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        self.remove(layout.size());
        // SAFETY: as above.
        unsafe { self.all.dealloc(at, layout) };
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as above.
        let new = unsafe { self.all.realloc(at, layout, bytes) };
        if !new.is_null() {
            self.remove(layout.size());
            self.add(bytes);
        }
        new
    }
}
