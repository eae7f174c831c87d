//! Measures the steps where somebody asks. The core reads no clock: the caller brings a timer, and nothing depends on it.

/// Is told when a step begins and when it has ended.
pub trait Timer {
    /// What comes from here on belongs to the next step that ends.
    fn begin(&self);

    /// The `n`th step of the evidence, from 0, has ended; what follows belongs to the next one. Of a step that
    /// ends more than once, when a text is worked on again, the last time counts, and those after it are void.
    fn ended(&self, n: usize);
}
