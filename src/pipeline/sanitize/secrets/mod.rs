//! Finds secrets in bytes, by rules that are data.

/// One secret: the bytes `start..end` of the searched text are the value to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Offset of the first byte of the secret value.
    pub start: usize,
    /// Offset behind the last byte of the secret value.
    pub end: usize,
    /// Name of the rule, for example `github-pat`.
    pub rule: &'static str,
}

/// All secrets in `text`, in order, without overlap.
pub fn find(text: &[u8]) -> Vec<Finding> {
    let _ = text;
    Vec::new()
}
