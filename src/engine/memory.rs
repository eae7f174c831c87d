//! The bound over all that sessions and the store of originals hold in memory together.
//!
//! Above it, the sessions that were used least lately give way: first their memos and the lines that references
//! point to, which costs time and savings but changes nothing that was given; then whole sessions end, as they
//! do above `maxSessions`. The session that is being used ends never: it stops taking in calls instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Engine;
use crate::memory::size::Share;
use crate::session::Shared;

/// What is held by all together, and how much that may be.
#[derive(Debug, Default)]
pub(super) struct Memory {
    used: Arc<AtomicUsize>,
    /// An eighth less than the setting: the process itself takes something, and freed pages are not all whole.
    max: usize,
}

impl Memory {
    pub(super) fn new(max: usize) -> Self {
        Self { used: Arc::default(), max: max - max / 8 }
    }

    /// A share of it, for somebody who begins to hold something.
    pub(super) fn share(&self) -> Share {
        Share::of(&self.used)
    }

    pub(super) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    fn is_over(&self) -> bool {
        self.used() > self.max
    }

    /// Whether enough has gone: some more than need be, so that the next request does not look again.
    fn has_room(&self) -> bool {
        self.used() <= self.max - self.max / 8
    }
}

/// Bytes that a session may remember for good, and that small originals may take, of `max` for all: half and
/// a quarter, so that what others hold can always give way to one session.
pub(super) fn parts(max: usize) -> (usize, usize) {
    (max / 2, max / 4)
}

impl Engine {
    /// Bytes that sessions and originals take in memory, counted with what the allocator adds.
    pub fn memory_bytes(&self) -> usize {
        self.memory.used()
    }

    /// Sees to it that everything takes no more than it may. `current` does not end; the caller holds no lock.
    pub(super) fn make_room(&self, current: Option<&str>) {
        if !self.memory.is_over() {
            return;
        }
        let mut others = self.sessions().by_use();
        let current =
            others.iter().position(|(id, _)| Some(id.as_str()) == current).map(|i| others.remove(i));
        // One that works right now is not one that was used least lately.
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
