//! Cuts pieces out of a line that is too long to be shown or hidden as a whole: a report that a tool writes in
//! one line.
//!
//! Each run of pieces leaves a marker with its length, so that the guard can rebuild the line and check that no
//! omitted piece reports a failure. The start of a line is kept, because a search for the line looks for it.

use std::ops::Range;

use crate::text::ledger::{Action, MARKER_COST, Reduction};
use crate::text::marker::Marker;
use crate::text::reason::Reason;

/// Bytes at the start of a line that are kept. A choice: the start shows what the line is about.
const KEPT_START_BYTES: usize = 200;
/// Shorter runs, in bytes, are not cut: a marker must save as much as it costs.
const MIN_RUN_BYTES: usize = 2 * MARKER_COST;

/// The pieces of one line that are left out.
pub struct Cut<'a> {
    line: &'a str,
    runs: Vec<Run>,
}

/// A run of pieces.
struct Run {
    bytes: Range<usize>,
    reason: Reason,
    /// The text before and after the marker.
    around: &'static str,
}

impl<'a> Cut<'a> {
    /// Nothing is left out yet.
    pub fn new(line: &'a str) -> Self {
        Self { line, runs: Vec::new() }
    }

    /// Leaves a piece out and returns true; false if it belongs to the start of the line. Pieces come in order; those with
    /// nothing but a comma or white space between them share a marker.
    pub fn hide(&mut self, piece: Range<usize>, reason: Reason) -> bool {
        self.push(piece, reason, "")
    }

    /// Leaves out members of a JSON array or object. A string is written in their place.
    pub fn hide_members(&mut self, piece: Range<usize>, reason: Reason) {
        self.push(piece, reason, "\"");
    }

    fn push(&mut self, piece: Range<usize>, reason: Reason, around: &'static str) -> bool {
        let after = self.runs.last().map_or(KEPT_START_BYTES, |run| run.bytes.end);
        if piece.start < after.max(KEPT_START_BYTES) || piece.is_empty() {
            return false;
        }
        if let Some(run) = self.runs.last_mut().filter(|r| r.reason == reason && r.around == around)
            && let Some(between) = self.line.get(run.bytes.end..piece.start)
            && between.bytes().all(|b| b == b',' || b.is_ascii_whitespace())
        {
            run.bytes.end = piece.end;
            return true;
        }
        self.runs.push(Run { bytes: piece, reason, around });
        true
    }

    /// The line without its pieces, the number of their bytes, and the reason of the first piece; `number` is the
    /// line's, for the markers. `None` when there are too few.
    pub fn text(&self, number: usize) -> Option<(String, usize, Reason)> {
        let (mut text, mut omitted, mut shown) = (String::new(), 0, 0);
        let pays = |run: &&Run| run.bytes.len() > MIN_RUN_BYTES;
        for Run { bytes, reason, around } in self.runs.iter().filter(pays) {
            text.push_str(self.line.get(shown..bytes.start)?);
            let reason = reason.code().to_owned();
            text.push_str(around);
            text.push_str(&Marker::Bytes { count: bytes.len(), line: number, reason, id: None }.write());
            text.push_str(around);
            omitted += bytes.len();
            shown = bytes.end;
        }
        text.push_str(self.line.get(shown..)?);
        let first = self.runs.iter().find(pays)?;
        Some((text, omitted, first.reason))
    }

    /// Shows the line `i` without its pieces, with `below` as lines of their own below it.
    pub fn apply(&self, i: usize, number: usize, below: &str, out: &mut Reduction) {
        let Some((mut text, omitted_bytes, reason)) = self.text(number) else { return };
        if !below.is_empty() {
            text.push('\n');
            text.push_str(below);
        }
        out.push(i..i + 1, Action::Replace { text, reason, omitted_bytes });
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
        let all = format!("{}[tersed: omitted 332 bytes of line 7, clean]", "a".repeat(250));
        assert_eq!(cut.text(7), Some((all, 332, Reason::Clean)));
    }

    #[test]
    fn members_leave_a_string_and_what_is_out_of_order_stays() {
        let line = format!("{}[{}]", "a".repeat(250), "b".repeat(200));
        let mut cut = Cut::new(&line);
        cut.hide_members(251..451, Reason::Clean);
        cut.hide(220..400, Reason::Clean);
        let all = format!("{}[\"[tersed: omitted 200 bytes of line 1, clean]\"]", "a".repeat(250));
        assert_eq!(cut.text(1), Some((all, 200, Reason::Clean)));
    }

    #[test]
    fn what_is_short_stays() {
        let line = "x".repeat(500);
        let mut cut = Cut::new(&line);
        cut.hide(300..330, Reason::Clean);
        assert_eq!(cut.text(1), None);
    }
}
