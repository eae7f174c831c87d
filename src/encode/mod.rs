//! Encoders: know nothing of what an output means, lose nothing, and only pay or do not.
//!
//! Each works on the lines that the reducer kept and returns spans, as reducers do.

mod fold;
mod whitespace;

use crate::pipeline::ledger::{Ledger, Reduction};
use crate::pipeline::reason::Reason;
use crate::reduce::Input;

/// A way to write the same in less.
pub trait Encoder: Sync {
    /// Name in the evidence.
    fn id(&self) -> &'static str;

    /// What to do with the kept lines, or the stable reason for doing nothing.
    fn encode(&self, input: &Input<'_>, ledger: &Ledger) -> Result<Reduction, Reason>;
}

/// Encoders of the `standard` mode, in the order in which they run.
pub static ENCODERS: &[&dyn Encoder] = &[&whitespace::TrailingWhitespace, &fold::RepeatedLines];
