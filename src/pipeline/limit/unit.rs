//! The pieces that a cut keeps or drops as a whole.

use std::ops::Range;

/// Bytes that two markers and the check take, about.
pub(super) const MARKER_BYTES: usize = 160;

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

/// How a unit leans on others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Stands for itself, and may be what the rows below it lean on.
    Other,
    /// A line without what a line above it says for it.
    Row,
    /// A folder by its end, or what stands below one: above it is written out.
    Short,
    /// A message that stands for lines elsewhere too.
    Message,
}
