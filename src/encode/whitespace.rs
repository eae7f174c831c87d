//! Removes white space at the end of lines. Diffs and files keep it: there it is content that an edit
//! tool may have to match.

use super::Encoder;
use crate::detect::Shape;
use crate::input::Input;
use crate::text::ledger::{Ledger, Reduction};
use crate::text::reason::Reason;

/// The encoder of this module.
pub struct TrailingWhitespace;

impl Encoder for TrailingWhitespace {
    fn id(&self) -> &'static str {
        "trailing_whitespace"
    }

    fn encode(&self, input: &Input<'_>, _: &Ledger) -> Result<Reduction, Reason> {
        let exact = matches!(input.detection.shape, Shape::File | Shape::Diff | Shape::Search);
        if exact || input.detection.is_numbered {
            return Err(Reason::NothingToDo);
        }
        let text = input.source.text().as_bytes();
        let before_end = |at: usize| {
            crate::stop::check_sometimes();
            matches!(text[..at], [.., b' ' | b'\t', b'\r'] | [.., b' ' | b'\t'])
        };
        if !memchr::memchr_iter(b'\n', text).any(before_end) && !before_end(text.len()) {
            return Err(Reason::NothingToDo);
        }
        // In strings over several lines, blanks are content.
        if super::data::has_long_strings(input.source) {
            return Err(Reason::NothingToDo);
        }
        Ok(Reduction { trim_line_ends: true, ..Reduction::default() })
    }
}
