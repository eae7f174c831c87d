//! Shows a terminal stream as the terminal would have shown it at the end.

/// x
pub struct Rendered {
    /// x
    pub text: String,
    /// x
    pub escapes: usize,
    /// x
    pub overwrites: usize,
}
/// x
pub fn render(_: &str) -> Option<Rendered> {
    None
}
