//! Counts the bytes of queued calls and unwritten replies, and decides what to do when there are too many. It blocks only
//! the callers of its `wait_` functions.
//!
//! With a limit of N bytes: new requests are refused while calls and replies hold N. Handlers wait while replies alone hold
//! N. Reading stops while both hold more than a hard bound: twice the larger of N and the largest message. That happens if
//! the client keeps sending but does not read. Memory is limited to this bound, one message that is being read, and one
//! reply for each handler.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Locks even if another holder panicked: every critical section here is a few stores.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug, Default)]
struct BudgetState {
    calls: usize,
    replies: usize,
    /// Threads that wait for room. If no thread waits, none is woken: that would be a system call for each message.
    waiting: usize,
}

impl BudgetState {
    /// Waits for a change.
    fn wait<'a>(mut held: MutexGuard<'a, BudgetState>, change: &Condvar) -> MutexGuard<'a, BudgetState> {
        held.waiting += 1;
        let mut held = change.wait(held).unwrap_or_else(PoisonError::into_inner);
        held.waiting -= 1;
        held
    }
}

/// The bytes that wait before and after the handlers.
#[derive(Debug)]
pub(super) struct Budget {
    limit: usize,
    hard: usize,
    held: Mutex<BudgetState>,
    room: Condvar,
    written: Condvar,
}

impl Budget {
    /// A budget of `limit` bytes, over messages of at most `largest` bytes.
    pub(super) fn new(limit: usize, largest: u64) -> Self {
        let hard = limit.max(usize::try_from(largest).unwrap_or(usize::MAX)).saturating_mul(2);
        Self { limit, hard, held: Mutex::default(), room: Condvar::new(), written: Condvar::new() }
    }

    /// Reserves `cost` for a call if there is room. If no call is open, one is admitted whatever its size.
    pub(super) fn admit(&self, cost: usize) -> bool {
        let mut held = lock(&self.held);
        let total = held.calls + held.replies;
        let fits = held.calls == 0 || total.saturating_add(cost) <= self.limit;
        if fits {
            held.calls += cost;
        }
        fits
    }

    /// Reserves `cost` for a call that must not be refused.
    pub(super) fn take(&self, cost: usize) {
        lock(&self.held).calls += cost;
    }

    /// Returns what [`Self::admit`] or [`Self::take`] reserved.
    pub(super) fn give_back(&self, cost: usize) {
        let mut held = lock(&self.held);
        held.calls -= cost;
        let has_waiting = held.waiting > 0;
        drop(held);
        if has_waiting {
            self.room.notify_all();
        }
    }

    /// A reply of `cost` bytes waits to be written.
    pub(super) fn reply_queued(&self, cost: usize) {
        lock(&self.held).replies += cost;
    }

    /// A reply of `cost` bytes was written, or never will be.
    pub(super) fn reply_gone(&self, cost: usize) {
        let mut held = lock(&self.held);
        held.replies -= cost;
        let has_waiting = held.waiting > 0;
        drop(held);
        if has_waiting {
            self.room.notify_all();
            self.written.notify_all();
        }
    }

    /// Blocks the reader while the hard bound is exceeded.
    pub(super) fn wait_for_room(&self) {
        let mut held = lock(&self.held);
        while held.calls + held.replies > self.hard {
            held = BudgetState::wait(held, &self.room);
        }
    }

    /// Whether a handler would not wait.
    pub(super) fn do_replies_fit(&self) -> bool {
        lock(&self.held).replies <= self.limit
    }

    /// Blocks a handler until another reply may be produced.
    pub(super) fn wait_until_replies_fit(&self) {
        let mut held = lock(&self.held);
        while held.replies > self.limit {
            held = BudgetState::wait(held, &self.written);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_always_fits_and_then_the_limit_counts() {
        let budget = Budget::new(100, 0);
        assert!(budget.admit(1000));
        assert!(!budget.admit(1));
        budget.give_back(1000);
        budget.reply_queued(60);
        assert!(budget.admit(10));
        assert!(budget.admit(30));
        assert!(!budget.admit(1));
        budget.reply_gone(60);
        assert!(budget.admit(60));
    }

    #[test]
    fn the_reader_waits_only_beyond_the_hard_bound() {
        let budget = std::sync::Arc::new(Budget::new(10, 100));
        budget.reply_queued(200);
        budget.wait_for_room();
        budget.take(1);
        let waiting = {
            let budget = budget.clone();
            std::thread::spawn(move || budget.wait_for_room())
        };
        std::thread::sleep(std::time::Duration::from_millis(30));
        assert!(!waiting.is_finished());
        budget.reply_gone(1);
        waiting.join().unwrap();
    }
}
