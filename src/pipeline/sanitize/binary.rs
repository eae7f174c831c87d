//! Tells binary data from text.

/// x
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binary {
    /// x
    pub mime: &'static str,
    /// x
    pub size: usize,
}
/// x
pub fn classify(b: &[u8]) -> Option<Binary> {
    b.contains(&0).then_some(Binary { mime: "application/octet-stream", size: b.len() })
}
