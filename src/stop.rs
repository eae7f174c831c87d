//! Cancels work: once a flag is set, the next check unwinds.
//!
//! The caller sets a flag for its thread with [`Stop::apply_to`]. [`run_cancellable`] marks work that may be cut short.
//! Such work calls [`check_sometimes`] at each small step and [`check`] at each large one. Once the flag is set, the next
//! check unwinds to the code that catches faults of the core. So does each later check, so that no other attempt begins.
//! Without a flag, or while it is not set, nothing changes: there is no clock, and no output depends on it.

use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that is set once.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

/// The payload of the panic that ends stopped work. It is not a fault, so it is not reported.
#[derive(Debug)]
pub struct Stopped;

/// Steps between two checks of the flag: well below a millisecond of work.
const STEPS_PER_CHECK: u32 = 512;

thread_local! {
    static FLAG: RefCell<Option<Stop>> = const { RefCell::new(None) };
    static IS_CANCELLABLE: Cell<bool> = const { Cell::new(false) };
    static COUNT: Cell<u32> = const { Cell::new(0) };
}

impl Stop {
    /// Sets the flag.
    pub fn ask(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it is set.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Runs `work`, which stops at a check after this flag is set, if it runs in [`run_cancellable`].
    pub fn apply_to<T>(&self, work: impl FnOnce() -> T) -> T {
        struct Before(Option<Stop>);
        impl Drop for Before {
            fn drop(&mut self) {
                FLAG.set(self.0.take());
            }
        }
        let _before = Before(FLAG.replace(Some(self.clone())));
        work()
    }
}

/// Runs work that a set flag may interrupt. The caller catches the unwinding panic, and discards what the work has done so far.
pub fn run_cancellable<T>(work: impl FnOnce() -> T) -> T {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            IS_CANCELLABLE.set(self.0);
        }
    }
    let _before = Before(IS_CANCELLABLE.replace(true));
    work()
}

/// Whether the work of this thread is no longer wanted. For code that must not unwind, and reports the stop itself.
pub fn is_asked() -> bool {
    FLAG.with_borrow(|flag| flag.as_ref().is_some_and(Stop::is_asked))
}

/// Counts one of many small steps, such as a line, a match or a token, and checks the flag at every 512th of them.
#[inline(always)]
pub fn check_sometimes() {
    // Unlike `with`, `try_with` is inlined where the crate is not optimized across its units.
    let count = COUNT.try_with(|count| {
        count.set(count.get().wrapping_add(1));
        count.get()
    });
    if count.is_ok_and(|count| count.is_multiple_of(STEPS_PER_CHECK)) {
        check();
    }
}

/// The number of steps that this thread has reported.
#[cfg(test)]
pub fn steps() -> usize {
    COUNT.get() as usize
}

/// Checks the flag after one large step: some ten thousand bytes.
#[inline(never)]
pub fn check() {
    if IS_CANCELLABLE.get() && is_asked() {
        resume_unwind(Box::new(Stopped));
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn work_ends_only_under_a_flag_that_is_set_and_only_if_it_is_cancellable() {
        let stop = Stop::default();
        let work = || (0..10 * STEPS_PER_CHECK).for_each(|_| check_sometimes());
        stop.apply_to(|| run_cancellable(work));
        stop.ask();
        stop.apply_to(work);
        run_cancellable(work);
        let ended = catch_unwind(|| stop.apply_to(|| run_cancellable(work))).unwrap_err();
        assert!(ended.is::<Stopped>());
        // The thread has no flag afterwards.
        run_cancellable(work);
        stop.apply_to(work);
    }
}
