//! Reads an artifact, whole or by line ranges, page by page.
//!
//! The pages of a request joined are exactly the requested bytes: line ends stay, nothing is trimmed, no character is split.
//! A page ends at a line end unless one line is longer than a page.

use std::fmt;
use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use memchr::memrchr;

use super::body::{Body, Reader};
use super::{AccessError, Media};

/// Lines `start` to `end`, 1-based, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineRange {
    /// First line.
    pub start: u64,
    /// Last line; `u64::MAX` reads to the end.
    pub end: u64,
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A range that is open at its end.
        match self.end {
            u64::MAX => write!(f, "{}-", self.start),
            end => write!(f, "{}-{end}", self.start),
        }
    }
}

/// Size and start of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Most bytes of text; larger values count as [`Page::MAX_BYTES`], 0 is an error. One whole character always fits.
    /// Default 64 KiB.
    pub max_bytes: usize,
    /// `next_cursor` of the previous page; `None` for the first.
    pub cursor: Option<String>,
}

impl Page {
    /// The most bytes that one page holds.
    pub const MAX_BYTES: usize = 1 << 20;
}

impl Default for Page {
    fn default() -> Self {
        Self { max_bytes: 64 << 10, cursor: None }
    }
}

/// The encoding of the bytes in [`ReadResult::text`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// As they are.
    Utf8,
    /// Base64 with padding only at the very end: the pages joined are one base64 text.
    Base64,
}

/// One page of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadResult {
    /// The bytes, in the given encoding.
    pub text: String,
    /// The encoding of `text`.
    pub encoding: Encoding,
    /// MIME type of binary data.
    pub mime: Option<String>,
    /// The lines in `text`, in order; empty for binary data.
    pub lines: Vec<LineRange>,
    /// Number of lines of the artifact.
    pub total_lines: u64,
    /// Length of the artifact in bytes.
    pub total_bytes: u64,
    /// Cursor of the next page; `None` on the last.
    pub next_cursor: Option<String>,
}

/// Longest UTF-8 form of a character in bytes.
const MAX_CHAR_BYTES: u64 = 4;

pub(super) fn read(
    body: &Body,
    media: &Media,
    ranges: &[LineRange],
    page: &Page,
) -> Result<ReadResult, AccessError> {
    if page.max_bytes == 0 {
        return Err(AccessError::EmptyPage { setting: "maxBytes" });
    }
    let max = page.max_bytes.min(Page::MAX_BYTES);
    let from = page.cursor.as_deref().map(|cursor| offset_of(cursor, body.len())).transpose()?;
    let (text, lines, next, mime) = match media {
        Media::Text => {
            let (text, lines, next) = text_page(body, &normalise(ranges, body.lines())?, from, max)?;
            (text, lines, next, None)
        }
        Media::Binary(mime) if ranges.is_empty() => {
            let (text, next) = binary_page(body, from.unwrap_or(0), max)?;
            (text, Vec::new(), next, Some(mime.clone()))
        }
        Media::Binary(mime) => return Err(AccessError::NotText { mime: mime.clone() }),
    };
    Ok(ReadResult {
        text,
        encoding: if mime.is_some() { Encoding::Base64 } else { Encoding::Utf8 },
        total_lines: if mime.is_some() { 0 } else { body.lines() },
        mime,
        lines,
        total_bytes: body.len(),
        next_cursor: next.map(|offset| format!("b{offset}")),
    })
}

/// A cursor is the offset of the first byte that was not sent. It needs no memory here, and stays valid as long as the
/// artifact exists.
fn offset_of(cursor: &str, len: u64) -> Result<u64, AccessError> {
    let digits = cursor.strip_prefix('b').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    digits
        .and_then(|digits| digits.parse().ok())
        .filter(|&offset| offset < len)
        .ok_or_else(|| bad_offset_text(cursor))
}

fn bad_offset(offset: u64) -> AccessError {
    bad_offset_text(&format!("b{offset}"))
}

fn bad_offset_text(cursor: &str) -> AccessError {
    AccessError::Cursor { cursor: cursor.to_owned() }
}

/// The ranges sorted and merged, clipped to the last line. An empty list means all lines.
fn normalise(ranges: &[LineRange], total: u64) -> Result<Vec<LineRange>, AccessError> {
    if ranges.is_empty() {
        return Ok(if total == 0 { Vec::new() } else { vec![LineRange { start: 1, end: total }] });
    }
    for &range in ranges {
        if range.start == 0 || range.end < range.start {
            return Err(AccessError::RangeInvalid(range));
        }
        if range.start > total {
            return Err(AccessError::RangeBeyondEnd { range, lines: total });
        }
    }
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable();
    let mut merged: Vec<LineRange> = Vec::with_capacity(sorted.len());
    for range in sorted {
        let end = range.end.min(total);
        match merged.last_mut() {
            Some(last) if range.start <= last.end + 1 => last.end = last.end.max(end),
            _ => merged.push(LineRange { start: range.start, end }),
        }
    }
    Ok(merged)
}

type TextPage = (String, Vec<LineRange>, Option<u64>);

fn text_page(
    body: &Body,
    ranges: &[LineRange],
    from: Option<u64>,
    max: usize,
) -> Result<TextPage, AccessError> {
    let mut reader = Reader::new(body);
    let mut out = Vec::new();
    let mut lines = Vec::new();
    let mut next = None;
    let mut resume = from;
    for range in ranges {
        let mut bytes = reader.line_start(range.start)?..reader.line_start(range.end + 1)?;
        let mut first = range.start;
        if let Some(offset) = resume {
            if offset >= bytes.end {
                continue;
            }
            if offset < bytes.start {
                return Err(bad_offset(offset));
            }
            bytes.start = offset;
            first = reader.line_at(offset)?;
            resume = None;
        }
        let room = max.saturating_sub(out.len()) as u64;
        if bytes.end - bytes.start <= room {
            reader.copy(bytes, &mut out)?;
            lines.push(LineRange { start: first, end: range.end });
            continue;
        }
        let cut = copy_to_cut(&mut reader, bytes.clone(), room, &mut out)?;
        if cut > bytes.start {
            lines.push(LineRange { start: first, end: reader.line_at(cut - 1)? });
        }
        // A character that does not fit on the page may have been the last of its range.
        if cut < bytes.end {
            next = Some(cut);
            break;
        }
    }
    if let Some(offset) = resume {
        return Err(bad_offset(offset));
    }
    // Only an invented cursor can point into the middle of a character.
    let text = String::from_utf8(out).map_err(|_| from.map_or(AccessError::Unreadable, bad_offset))?;
    Ok((text, lines, next))
}

/// Appends as much of `bytes` as fits into `room`. Returns where it stopped: after the last whole line, or inside the first
/// line if that alone is too long and the page is empty.
fn copy_to_cut(
    reader: &mut Reader<'_>,
    bytes: Range<u64>,
    room: u64,
    out: &mut Vec<u8>,
) -> Result<u64, AccessError> {
    let kept = out.len();
    reader.copy(bytes.start..bytes.start + room, out)?;
    if let Some(newline) = memrchr(b'\n', &out[kept..]) {
        out.truncate(kept + newline + 1);
    } else if kept > 0 {
        out.truncate(kept);
    } else {
        out.truncate(whole_characters(out));
        if out.is_empty() {
            reader.copy(bytes.start..bytes.end.min(bytes.start + MAX_CHAR_BYTES), out)?;
            out.truncate(first_character(out));
        }
    }
    Ok(bytes.start + (out.len() - kept) as u64)
}

/// Length of `bytes` without an incomplete character at the end.
pub(super) fn whole_characters(bytes: &[u8]) -> usize {
    let tail = bytes.len().saturating_sub(MAX_CHAR_BYTES as usize - 1);
    let lead = bytes[tail..].iter().rposition(|&byte| byte & 0xC0 != 0x80);
    match lead.map(|at| tail + at) {
        Some(at) if at + width(bytes[at]) > bytes.len() => at,
        _ => bytes.len(),
    }
}

fn first_character(bytes: &[u8]) -> usize {
    bytes.first().map_or(0, |&lead| width(lead).min(bytes.len()))
}

/// Length of the character that starts with `lead`, 1 for what starts none.
fn width(lead: u8) -> usize {
    match lead {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xFF => 4,
        _ => 1,
    }
}

fn binary_page(body: &Body, from: u64, max: usize) -> Result<(String, Option<u64>), AccessError> {
    // Three bytes give four digits: pages of whole groups need no padding between them.
    if !from.is_multiple_of(3) {
        return Err(bad_offset(from));
    }
    let to = body.len().min(from + (max as u64 / 4 * 3).max(3));
    let mut out = Vec::new();
    Reader::new(body).copy(from..to, &mut out)?;
    Ok((STANDARD.encode(out), (to < body.len()).then_some(to)))
}
