//! Where lines stand that a reference points at.

/// Where lines stand: in the result of a call, or in what the model wrote into one of its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The call's id.
    pub call: String,
    /// Its tool, as the host wrote it.
    pub tool: String,
    /// The argument; `None` for the result.
    pub argument: Option<String>,
}
