//! Limits the memory of all sessions and of the store of originals together.
//!
//! Above the limit, the least recently used sessions shrink. First they lose their memos and the lines that references point
//! to; this costs time and savings, but changes no given answer. Then whole sessions end, as above `maxSessions`. The
//! session in use never ends: it stops remembering new calls instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Engine;
use crate::memory::size::Share;
use crate::session::Shared;

/// How much all sessions hold together, and how much they may hold.
#[derive(Debug, Default)]
pub(super) struct Memory {
    used: Arc<AtomicUsize>,
    /// An eighth less than the setting: the process itself needs memory, and freed pages are not all returned.
    max: usize,
}

impl Memory {
    pub(super) fn new(max: usize) -> Self {
        Self { used: Arc::default(), max: max - max / 8 }
    }

    /// A counter for one more holder of memory.
    pub(super) fn share(&self) -> Share {
        Share::of(&self.used)
    }

    pub(super) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    fn is_over(&self) -> bool {
        self.used() > self.max
    }

    /// Whether enough memory was freed: a little more than needed, so that the next request need not free any.
    fn has_room(&self) -> bool {
        self.used() <= self.max - self.max / 8
    }
}

/// Bytes that one session may remember for good (half of `max`), and that small originals may take (a quarter). So
/// one session always fits after everything else was freed.
pub(super) fn parts(max: usize) -> (usize, usize) {
    (max / 2, max / 4)
}

impl Engine {
    /// Bytes that sessions and originals take in memory, allocator overhead included.
    pub fn memory_bytes(&self) -> usize {
        self.memory.used()
    }

    /// Frees memory until the limit holds. Never ends `current`. The caller must hold no lock.
    pub(super) fn make_room(&self, current: Option<&str>) {
        if !self.memory.is_over() {
            return;
        }
        let mut others = self.sessions().by_use();
        let current =
            others.iter().position(|(id, _)| Some(id.as_str()) == current).map(|i| others.remove(i));
        // A locked session is in use now, so it is skipped.
        let shrink = |session: &Shared| session.try_lock().is_ok_and(|mut session| session.shrink() > 0);
        let mut freed = false;
        for (_, session) in &others {
            if self.memory.has_room() {
                break;
            }
            freed |= shrink(session);
        }
        for (id, session) in others {
            if self.memory.has_room() {
                break;
            }
            if session.try_lock().is_ok() {
                drop(session);
                self.end_session(&id);
                freed = true;
            }
        }
        if let Some((_, session)) = current.filter(|_| !self.memory.has_room()) {
            shrink(&session);
        }
        if freed {
            crate::memory::give_back();
        }
    }
}
