//! The queue between those who tell and the thread that writes. Putting something in never waits.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// See the module.
#[derive(Debug)]
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    max: usize,
}

#[derive(Debug)]
struct State<T> {
    items: VecDeque<T>,
    dropped: u64,
    is_writing: bool,
    is_closed: bool,
}

impl<T> Queue<T> {
    /// An empty queue for so many items.
    pub(super) fn new(max: usize) -> Self {
        let state = State { items: VecDeque::new(), dropped: 0, is_writing: false, is_closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new(), max: max.max(1) }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an item in, or drops and counts it. `make` is told how many were dropped just before.
    pub(super) fn push(&self, make: impl FnOnce(u64) -> T) {
        let mut state = self.state();
        if state.is_closed {
            return;
        }
        if state.items.len() >= self.max {
            state.dropped += 1;
            return;
        }
        let item = make(std::mem::take(&mut state.dropped));
        state.items.push_back(item);
        // More than one: the writer was woken by the first and will see them all.
        let is_first = state.items.len() == 1;
        drop(state);
        if is_first {
            self.changed.notify_all();
        }
    }

    /// All that waits, or `Err` with what was dropped since once the queue is closed and empty. What was taken
    /// before counts as written, the last after `done`.
    pub(super) fn take(&self) -> Result<VecDeque<T>, u64> {
        let mut state = self.state();
        state.is_writing = false;
        loop {
            if !state.items.is_empty() {
                state.is_writing = true;
                return Ok(std::mem::take(&mut state.items));
            }
            if state.is_closed {
                state.is_writing = true;
                return Err(std::mem::take(&mut state.dropped));
            }
            self.changed.notify_all();
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The writer has nothing left to write.
    pub(super) fn done(&self) {
        self.state().is_writing = false;
        self.changed.notify_all();
    }

    /// Waits until all that was put in is written, or no longer than that; whether it is.
    pub(super) fn flush(&self, patience: Duration) -> bool {
        let is_busy = |state: &mut State<T>| state.is_writing || !state.items.is_empty();
        let waited = self.changed.wait_timeout_while(self.state(), patience, is_busy);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Takes nothing any more.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_counted_and_told_with_the_next() {
        let queue = Queue::new(2);
        for i in 0..5 {
            queue.push(|dropped| (i, dropped));
        }
        assert_eq!(queue.take().unwrap(), [(0, 0), (1, 0)]);
        queue.push(|dropped| (5, dropped));
        queue.push(|dropped| (6, dropped));
        queue.push(|dropped| (7, dropped));
        queue.close();
        queue.push(|dropped| (8, dropped));
        assert_eq!(queue.take().unwrap(), [(5, 3), (6, 0)]);
        assert_eq!(queue.take().unwrap_err(), 1);
    }

    #[test]
    fn a_flush_waits_for_what_was_taken() {
        let queue = Queue::new(2);
        assert!(queue.flush(Duration::ZERO));
        queue.push(|_| ());
        assert!(!queue.flush(Duration::ZERO));
        queue.take().unwrap();
        assert!(!queue.flush(Duration::ZERO));
        queue.close();
        queue.take().unwrap_err();
        assert!(!queue.flush(Duration::ZERO));
        queue.done();
        assert!(queue.flush(Duration::ZERO));
    }
}
