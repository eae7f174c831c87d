//! The queue between the callers and the writer thread. Adding to it never blocks.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long the writer collects events after the first. Waking a thread costs more than queueing an event, so one wake-up
/// serves many events.
const GATHER_TIME: Duration = Duration::from_millis(20);

/// The queue; see the module.
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
    writer: Writer,
    /// Whether somebody waits until everything is written.
    is_urgent: bool,
    is_closed: bool,
}

/// What the writer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writer {
    /// It has nothing to do and must be woken.
    Waits,
    /// It waits for more events.
    Gathers,
    Writes,
    /// Will write nothing any more.
    Ended,
}

impl<T> Queue<T> {
    /// An empty queue for at most `max` items.
    pub(super) fn new(max: usize) -> Self {
        let state = State {
            items: VecDeque::new(),
            dropped: 0,
            writer: Writer::Waits,
            is_urgent: false,
            is_closed: false,
        };
        Self { state: Mutex::new(state), changed: Condvar::new(), max: max.max(1) }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an item, or drops and counts it. `make` gets the number of items that were dropped just before.
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
        let is_needed = match state.writer {
            Writer::Waits => state.items.len() == 1,
            Writer::Gathers => state.items.len() == self.many(),
            Writer::Writes | Writer::Ended => false,
        };
        drop(state);
        if is_needed {
            self.changed.notify_all();
        }
    }

    /// Number of queued items at which the writer is woken at once.
    fn many(&self) -> usize {
        self.max.div_ceil(2)
    }

    /// Takes all items. Once the queue is closed and empty, returns `Err` with the number of items dropped since. Items
    /// count as written at the next call, the last ones at `done`.
    pub(super) fn take(&self) -> Result<VecDeque<T>, u64> {
        let mut state = self.state();
        if state.items.is_empty() && !state.is_closed {
            state.writer = Writer::Waits;
            state.is_urgent = false;
            self.changed.notify_all();
            let is_idle = |state: &mut State<T>| state.items.is_empty() && !state.is_closed;
            state = self.changed.wait_while(state, is_idle).unwrap_or_else(PoisonError::into_inner);
        }
        state.writer = Writer::Gathers;
        let may_gather =
            |state: &mut State<T>| !state.is_closed && !state.is_urgent && state.items.len() < self.many();
        let gathered = self.changed.wait_timeout_while(state, GATHER_TIME, may_gather);
        state = gathered.unwrap_or_else(PoisonError::into_inner).0;
        state.writer = Writer::Writes;
        match state.items.is_empty() {
            false => Ok(std::mem::take(&mut state.items)),
            true => Err(std::mem::take(&mut state.dropped)),
        }
    }

    /// The writer has written the last items.
    pub(super) fn done(&self) {
        self.state().writer = Writer::Ended;
        self.changed.notify_all();
    }

    /// Waits until everything is written, at most for `patience`. Returns whether it is. For a closed queue, also waits
    /// until the writer has ended.
    pub(super) fn flush(&self, patience: Duration) -> bool {
        let mut state = self.state();
        state.is_urgent = true;
        self.changed.notify_all();
        let is_busy = |state: &mut State<T>| match state.writer {
            Writer::Waits => !state.items.is_empty() || state.is_closed,
            Writer::Gathers | Writer::Writes => true,
            Writer::Ended => false,
        };
        let waited = self.changed.wait_timeout_while(state, patience, is_busy);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Refuses items from now on.
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

    #[test]
    fn a_closed_queue_is_flushed_once_its_writer_ended() {
        let queue = Queue::<()>::new(2);
        queue.close();
        assert!(!queue.flush(Duration::ZERO));
        queue.done();
        assert!(queue.flush(Duration::ZERO));
    }

    #[test]
    fn items_gather_until_somebody_waits_for_them() {
        let queue = std::sync::Arc::new(Queue::new(1 << 20));
        let seen = {
            let queue = queue.clone();
            std::thread::spawn(move || {
                let mut batches = Vec::new();
                while let Ok(items) = queue.take() {
                    batches.push(items.len());
                }
                queue.done();
                batches
            })
        };
        (0..1000).for_each(|i| queue.push(|_| i));
        assert!(queue.flush(Duration::from_secs(60)));
        queue.close();
        assert!(queue.flush(Duration::from_secs(60)));
        assert_eq!(seen.join().unwrap().iter().sum::<usize>(), 1000);
    }
}
