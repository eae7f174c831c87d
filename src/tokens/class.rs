//! Character classes: the few general categories that the published patterns distinguish.
//!
//! The build script generates the table from the Unicode data of `regex-syntax` (it includes this
//! file for the bit names). A class is one bit, so that a set of classes is a mask.

/// `\p{Lu}`, `\p{Lt}`.
pub const UPPER: u8 = 1;
/// `\p{Ll}`.
pub const LOWER: u8 = 1 << 1;
/// `\p{Lm}`, `\p{Lo}`: letters without case.
pub const UNCASED: u8 = 1 << 2;
/// `\p{M}`.
pub const MARK: u8 = 1 << 3;
/// `\p{N}`.
pub const NUMBER: u8 = 1 << 4;
/// `\s` without [`NEWLINE`].
pub const SPACE: u8 = 1 << 5;
/// `\r` and `\n` only: U+0085 and U+2028 are [`SPACE`] in the patterns.
pub const NEWLINE: u8 = 1 << 6;
/// Everything else: punctuation, symbols, controls, unassigned.
pub const OTHER: u8 = 1 << 7;

/// Code points in one block of the table.
pub const BLOCK: usize = 128;
