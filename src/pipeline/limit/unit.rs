//! The pieces that a cut keeps or drops as a whole, and the candidates for outliers among them.

use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::fast::FixedState;

/// The approximate bytes of two markers and the check.
pub(super) const MARKER_BYTES: usize = 160;

/// The approximate bytes of the mark of one more gap.
pub(super) const GAP_BYTES: usize = 24;

/// A visible piece that is kept or dropped as a whole.
pub(super) struct Unit {
    pub(super) lines: Range<usize>,
    pub(super) bytes: usize,
    pub(super) form: Form,
    /// For the marker of a repeated block, the lines to which it refers.
    pub(super) same_as: Option<Range<usize>>,
    /// Whether the unit shows text, and is not just a marker.
    pub(super) is_shown: bool,
    /// Whether the lines that an earlier step left out become part of a gap next to them, because no marker, or only
    /// a small one, stands where they were.
    pub(super) joins_gap: bool,
    /// Whether the unit is the marker of lines that an earlier result shows.
    pub(super) is_reference: bool,
}

/// Whether a unit is kept, and how.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitFate {
    No,
    Window,
    Single,
}

/// How a unit depends on others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Complete by itself; the rows below it may depend on it.
    Other,
    /// A row of which a part, such as its path, is only written in a line above it.
    Row,
    /// A shortened path or a line below one; the whole path is in a line above.
    Short,
    /// A message that also replaces lines in other parts of the text.
    Message,
    /// The header of a table that says what is in every row below it.
    TableHead,
    /// A row of a table that was written anew: the header may say a part of it.
    TableRow,
}

/// The most lines that are remembered for one word or value.
pub(super) const MAX_LINES_PER_VALUE: usize = 16;

/// A line that stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The index of the line in the list of lines that was searched.
    pub place: usize,
    /// How many earlier candidates stand out for the same reason.
    pub nth: usize,
    /// How many candidates stand out for that reason.
    pub count: usize,
    /// Digest of the line's content and of the reason. One line per key is kept.
    pub key: u64,
    /// Whether another line that differs only in digits makes this one unnecessary.
    pub is_word: bool,
}

/// A digest that is the same on every machine and in every run.
pub(super) fn digest(value: &[u8], place: usize) -> u64 {
    FixedState::default().hash_one((value, place))
}
