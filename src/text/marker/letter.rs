//! The values of the table of characters that read like ASCII, for the build script, which makes it, and for its reader.
//! Those below are ASCII themselves.

/// Reads like nothing of ASCII.
pub const OTHER: u8 = 0x80;
/// Shows as nothing.
pub const UNSEEN: u8 = 0x81;
/// Code points in one block of the table.
pub const BLOCK: usize = 128;
