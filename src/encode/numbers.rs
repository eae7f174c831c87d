//! Padding before the line numbers of a file view. The file's own text stays as it is: it starts after the
//! number and its separator.

use super::Encoder;
use crate::pipeline::ledger::{Ledger, Reduction};
use crate::pipeline::reason::Reason;
use crate::reduce::Input;

/// See the module.
pub struct NumberPadding;

impl Encoder for NumberPadding {
    fn id(&self) -> &'static str {
        "number_padding"
    }

    fn encode(&self, input: &Input<'_>, ledger: &Ledger) -> Result<Reduction, Reason> {
        // A range that was asked for is exact.
        if !input.detection.is_numbered || input.detection.is_range {
            return Err(Reason::NothingToDo);
        }
        let view = input.source.view();
        let padded = |i: &usize| view.number(*i).is_some() && input.source.line(*i).starts_with(' ');
        // Frames of stack traces are numbered too, as `   1: core::panicking`.
        let by_viewer = |i: usize| {
            let number = input.source.line(i).get(..view.offset(i)).unwrap_or_default();
            number.ends_with(['\t', '→', '│'])
        };
        let mut lines = ledger.kept().flatten().filter(padded).peekable();
        match lines.peek().is_some() && lines.all(by_viewer) {
            true => Ok(Reduction { trim_numbers: true, ..Reduction::default() }),
            false => Err(Reason::NothingToDo),
        }
    }
}
