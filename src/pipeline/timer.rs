//! Measures the steps on request. The core reads no clock: the caller passes a timer, and no output depends on it.

/// Gets the start and the end of each step.
pub trait Timer {
    /// The next step begins: time from now on is counted for the next step that ends.
    fn begin(&self);

    /// The `n`th step of the evidence, from 0, has ended; time from now on belongs to the next one. If a step ends
    /// more than once, because a text is processed again, its last time counts, and the earlier times of later steps
    /// are void.
    fn ended(&self, n: usize);
}
