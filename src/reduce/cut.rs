//! Cuts pieces out of a line that is too long to be shown or hidden as a whole: a report that a tool writes in
//! one line.
//!
//! Each run of pieces leaves a marker with its length, so that the guard can put the line together again and see
//! that nothing went which reports a failure. The start of a line stays: whoever looks for it looks for that.

use std::ops::Range;

use crate::pipeline::ledger::{Action, MARKER_COST, Reduction};
use crate::pipeline::marker::Marker;
use crate::pipeline::reason::Reason;

/// Bytes at the start of a line that stay.
pub const LEAD: usize = 200;
/// Least bytes of a run.
pub const LEAST: usize = 2 * MARKER_COST;

/// The pieces that go of one line.
pub struct Cut<'a> {
    line: &'a str,
    runs: Vec<(Range<usize>, Reason)>,
}

impl<'a> Cut<'a> {
    /// Nothing goes yet.
    pub fn new(line: &'a str) -> Self {
        Self { line, runs: Vec::new() }
    }

    /// A piece goes, unless it belongs to the start. Pieces come in order; those with nothing but a comma or white
    /// space between share a marker.
    pub fn hide(&mut self, piece: Range<usize>, reason: Reason) {
        if piece.start < LEAD {
            return;
        }
        if let Some((run, _)) = self.runs.last_mut().filter(|(_, r)| *r == reason)
            && let Some(between) = self.line.get(run.end..piece.start)
            && between.bytes().all(|b| b == b',' || b.is_ascii_whitespace())
        {
            run.end = piece.end;
            return;
        }
        self.runs.push((piece, reason));
    }

    /// The line without its pieces, and how many bytes these are; `number` is the line's, for the markers. `None`
    /// when there are too few. `around` gives what stands before and after a marker.
    pub fn text(&self, number: usize, around: &str) -> Option<(String, usize)> {
        let (mut text, mut omitted, mut shown) = (String::new(), 0, 0);
        for (run, reason) in self.runs.iter().filter(|(run, _)| run.len() > LEAST) {
            text.push_str(self.line.get(shown..run.start)?);
            let reason = reason.code().to_owned();
            text.push_str(around);
            text.push_str(&Marker::Bytes { count: run.len(), line: number, reason, id: None }.write());
            text.push_str(around);
            omitted += run.len();
            shown = run.end;
        }
        text.push_str(self.line.get(shown..)?);
        (omitted > 0).then_some((text, omitted))
    }

    /// Shows the line `i` without its pieces, with `below` as lines of their own below it.
    pub fn apply(&self, i: usize, number: usize, around: &str, below: &str, out: &mut Reduction) {
        let Some((mut text, omitted_bytes)) = self.text(number, around) else { return };
        let Some((_, reason)) = self.runs.iter().find(|(run, _)| run.len() > LEAST) else { return };
        if !below.is_empty() {
            text.push('\n');
            text.push_str(below);
        }
        out.push(i..i + 1, Action::Replace { text, reason: *reason, omitted_bytes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_with_a_comma_between_share_a_marker() {
        let line = format!("{}{},{} {}", "a".repeat(250), "b".repeat(150), "c".repeat(150), "d".repeat(30));
        let mut cut = Cut::new(&line);
        cut.hide(10..100, Reason::Clean);
        cut.hide(250..400, Reason::Clean);
        cut.hide(401..551, Reason::Clean);
        cut.hide(552..582, Reason::Clean);
        let (text, omitted) = cut.text(7, "\"").unwrap();
        assert_eq!(text, format!("{}\"[tersed: omitted 332 bytes of line 7, clean]\"", "a".repeat(250)));
        assert_eq!(omitted, 332);
    }

    #[test]
    fn what_is_short_stays() {
        let line = "x".repeat(500);
        let mut cut = Cut::new(&line);
        cut.hide(300..330, Reason::Clean);
        assert_eq!(cut.text(1, ""), None);
    }
}
