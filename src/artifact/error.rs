//! Errors of the store. Messages quote only the caller's input, shortened, and never a path or content.

use std::fmt;

use super::LineRange;

/// Why an artifact was not stored. The content itself is returned without an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PutError {
    /// Larger than one artifact may be.
    TooLarge {
        /// Length of the content in bytes.
        bytes: u64,
        /// The most that is allowed.
        max: u64,
    },
    /// Artifacts that are kept until their session ends leave no room.
    Full,
    /// The disk failed, and the fallback memory is used up.
    Disk(std::io::ErrorKind),
}

impl PutError {
    /// Stable reason code for evidence.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "artifact_too_large",
            Self::Full => "artifact_store_full",
            Self::Disk(_) => "artifact_disk_failed",
        }
    }
}

impl fmt::Display for PutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes, max } => {
                write!(f, "the original has {bytes} bytes, at most {max} are kept")
            }
            Self::Full => write!(f, "the store is full of originals that are kept until their session ends"),
            Self::Disk(kind) => write!(f, "the original could not be written to disk: {kind}"),
        }
    }
}

impl std::error::Error for PutError {}

/// Why a read, a search or a list failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccessError {
    /// Unknown, evicted, or of another session: one error for all, so that ids of others cannot be guessed.
    NotFound {
        /// The id that was asked for.
        id: String,
    },
    /// It was kept on disk, but its retention is over.
    Expired {
        /// The id that was asked for.
        id: String,
    },
    /// The prefix of several ids.
    Ambiguous {
        /// The id that was asked for.
        id: String,
    },
    /// A range that starts at line 0 or ends before it starts.
    RangeInvalid(LineRange),
    /// A range that starts after the last line.
    RangeBeyondEnd {
        /// The range that was asked for.
        range: LineRange,
        /// How many lines there are.
        lines: u64,
    },
    /// Line ranges, or a search, on binary data.
    NotText {
        /// MIME type of the artifact.
        mime: String,
    },
    /// Not a cursor from an earlier page of the same request.
    Cursor {
        /// The cursor that was sent.
        cursor: String,
    },
    /// A page limit of zero.
    EmptyPage {
        /// Which setting is zero.
        setting: &'static str,
    },
    /// An invalid search pattern.
    Pattern {
        /// The pattern that was sent.
        pattern: String,
        /// Why not.
        reason: String,
    },
    /// The caller cancelled.
    Stopped,
    /// The artifact is known, but its bytes cannot be read any more.
    Unreadable,
}

impl AccessError {
    /// Stable name of the fault, for the `kind` of an error reply.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "artifact_not_found",
            Self::Expired { .. } => "artifact_expired",
            Self::Ambiguous { .. } => "artifact_ambiguous",
            Self::RangeInvalid(_) => "range_invalid",
            Self::RangeBeyondEnd { .. } => "range_beyond_end",
            Self::NotText { .. } => "artifact_not_text",
            Self::Cursor { .. } => "cursor_invalid",
            Self::EmptyPage { .. } => "page_empty",
            Self::Pattern { .. } => "pattern_invalid",
            Self::Stopped => "cancelled",
            Self::Unreadable => "artifact_unreadable",
        }
    }
}

/// Longest quotation of a caller's text in a message, in bytes.
const MAX_QUOTE_BYTES: usize = 200;

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = |text: &str| format!("{:?}", super::clip(text, MAX_QUOTE_BYTES));
        match self {
            Self::NotFound { id } => write!(f, "no artifact {} in this session", quote(id)),
            Self::Expired { id } => write!(
                f,
                "artifact {} was kept and is no more: its retention is over, or newer ones took its place",
                quote(id)
            ),
            Self::Ambiguous { id } => {
                write!(f, "{} begins more than one artifact: more digits tell", quote(id))
            }
            Self::RangeInvalid(range) => {
                write!(
                    f,
                    "lines {range}: a range starts at line 1 or later and does not end before it starts"
                )
            }
            Self::RangeBeyondEnd { range, lines } => {
                write!(f, "lines {range} are beyond the end: the artifact has {lines} lines")
            }
            Self::NotText { mime } => write!(f, "the artifact is {}, not text: it has no lines", quote(mime)),
            Self::Cursor { cursor } => {
                write!(f, "cursor {} is not one that an earlier page of this question gave", quote(cursor))
            }
            Self::EmptyPage { setting } => write!(f, "{setting} is 0, it must be at least 1"),
            Self::Pattern { pattern, reason } => write!(f, "pattern {}: {reason}", quote(pattern)),
            Self::Stopped => write!(f, "the caller gave up"),
            Self::Unreadable => write!(f, "the artifact's stored bytes can no longer be read"),
        }
    }
}

impl std::error::Error for AccessError {}
