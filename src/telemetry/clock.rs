//! Clocks. The core reads no clock: it gets a stopwatch if times are wanted.

use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::time::Duration;
#[cfg(not(target_family = "wasm"))]
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::pipeline::timer::Timer;

/// A clock. Tests provide their own.
pub trait Clock: Debug + Send + Sync {
    /// Time since an arbitrary moment; never goes back.
    fn now(&self) -> Duration;

    /// Milliseconds since 1970-01-01, UTC.
    fn unix_millis(&self) -> u64;
}

/// The clock of the system.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug)]
pub struct SystemClock(Instant);

#[cfg(not(target_family = "wasm"))]
impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

#[cfg(not(target_family = "wasm"))]
impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn unix_millis(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
    }
}

/// The clock of the host.
#[cfg(target_family = "wasm")]
#[derive(Debug)]
pub struct SystemClock(f64);

#[cfg(target_family = "wasm")]
impl Default for SystemClock {
    fn default() -> Self {
        Self(crate::wasm::unix_millis())
    }
}

#[cfg(target_family = "wasm")]
impl Clock for SystemClock {
    fn now(&self) -> Duration {
        // The host's clock may be set back.
        Duration::from_secs_f64((crate::wasm::unix_millis() - self.0).max(0.0) / 1000.0)
    }

    fn unix_millis(&self) -> u64 {
        crate::wasm::unix_millis() as u64
    }
}

/// Distinguishes processes that start at the same time. Always 0 in WebAssembly.
pub(super) fn process_number() -> u32 {
    #[cfg(target_family = "wasm")]
    return 0;
    #[cfg(not(target_family = "wasm"))]
    std::process::id()
}

/// Measures the work on one result.
#[derive(Debug)]
pub struct Stopwatch<'a> {
    clock: &'a dyn Clock,
    began: Duration,
    since: Cell<Duration>,
    safe: Cell<Option<Duration>>,
    steps: RefCell<Vec<Duration>>,
}

impl<'a> Stopwatch<'a> {
    /// A running stopwatch.
    pub fn new(clock: &'a dyn Clock) -> Self {
        let began = clock.now();
        Self { clock, began, since: Cell::new(began), safe: Cell::default(), steps: RefCell::default() }
    }

    /// Measures the safe stage.
    pub fn safe<T>(&self, work: impl FnOnce() -> T) -> T {
        let began = self.clock.now();
        let out = work();
        self.safe.set(Some(self.clock.now().saturating_sub(began)));
        out
    }

    /// Time since the start.
    pub fn total(&self) -> Duration {
        self.clock.now().saturating_sub(self.began)
    }

    /// Time of the safe stage, if it was measured.
    pub fn safe_stage(&self) -> Option<Duration> {
        self.safe.get()
    }

    /// Time of each step that was measured.
    pub fn steps(&self) -> Vec<Duration> {
        self.steps.borrow().clone()
    }
}

impl Timer for Stopwatch<'_> {
    fn begin(&self) {
        self.since.set(self.clock.now());
    }

    fn ended(&self, n: usize) {
        let now = self.clock.now();
        let mut steps = self.steps.borrow_mut();
        steps.resize(n, Duration::ZERO);
        steps.push(now.saturating_sub(self.since.replace(now)));
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// A clock that advances by a millisecond with each read.
    #[derive(Debug, Default)]
    pub(crate) struct Ticks(AtomicU64);

    impl Clock for Ticks {
        fn now(&self) -> Duration {
            Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
        }

        fn unix_millis(&self) -> u64 {
            1_700_000_000_000
        }
    }

    #[test]
    fn a_step_that_is_made_anew_voids_those_after_it() {
        let clock = Ticks::default();
        let watch = Stopwatch::new(&clock);
        for n in [0, 1, 2, 1] {
            watch.begin();
            watch.ended(n);
        }
        assert_eq!(watch.steps(), [Duration::from_millis(1); 2]);
        watch.ended(3);
        assert_eq!(watch.steps().len(), 4);
    }
}
