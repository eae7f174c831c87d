//! Values in the table of characters that look like ASCII, for the build script that writes the table and for its
//! reader. Smaller values are the ASCII characters themselves.

/// Does not look like any ASCII character.
pub const OTHER: u8 = 0x80;
/// Is invisible.
pub const UNSEEN: u8 = 0x81;
/// The number of code points in one block of the table.
pub const BLOCK: usize = 128;
