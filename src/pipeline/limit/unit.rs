//! The pieces that a cut keeps or drops as a whole.

use std::ops::Range;

/// Bytes that two markers and the check take, about.
pub(super) const MARKER_BYTES: usize = 160;

/// Bytes that the mark of one more gap takes, about.
pub(super) const GAP_BYTES: usize = 24;

/// A visible piece that is kept or dropped as a whole.
pub(super) struct Unit {
    pub(super) lines: Range<usize>,
    pub(super) bytes: usize,
    pub(super) form: Form,
    /// The lines that it says it is like, where it is the marker of a block that stands twice.
    pub(super) same_as: Option<Range<usize>>,
    /// Whether it shows what it stands for, and not only a marker.
    pub(super) is_shown: bool,
}

/// Whether a piece stays, and for what.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    No,
    Window,
    Signal,
}

/// How a unit depends on others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Complete by itself; the rows below it may depend on it.
    Other,
    /// A row of which a part, such as its path, is written once in a line above it.
    Row,
    /// A folder written by its end alone, or a line below such a folder; a line above has the whole path.
    Short,
    /// A message that also replaces lines elsewhere in the text.
    Message,
}
