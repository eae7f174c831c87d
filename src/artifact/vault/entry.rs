//! One file of a vault: a header as a line of JSON, and the content packed with zstd behind it.
//!
//! `head -1 FILE` shows what it is, `tail -n +2 FILE | zstd -d` what it holds.

use serde::{Deserialize, Serialize};

use crate::artifact::body::count_lines;
use crate::artifact::{AccessError, Media};

/// Longest header in bytes.
pub(super) const MAX_HEADER: usize = 32 << 10;
/// Largest content that is read back, in bytes: the largest that may be kept.
pub(super) const MAX_CONTENT: u64 = 64 << 20;
/// How hard zstd tries: its default, at which a result of 256 KiB takes about a millisecond.
#[cfg(feature = "recovery")]
const LEVEL: i32 = 3;
/// Version of the file format.
const VERSION: u32 = 1;
/// Longest text of a label in bytes.
const MAX_LABEL: usize = 1024;

/// What a copy says about itself. Texts come redacted, and are cut to 1 KiB.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Label {
    /// Name of the tool.
    pub tool: String,
    /// The call, if the host named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The session, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The command line, where the tool ran one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What kind of output it is, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// The call's exit code, where the host gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
}

/// The first line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// Version of the file format.
    pub(super) tersed: u32,
    /// BLAKE3 digest of the artifact, 64 hexadecimal digits: what handles are the start of.
    pub digest: String,
    /// The same of the content, which differs where only the copy had to be redacted.
    pub(super) content: String,
    /// Length of the content in bytes.
    pub bytes: u64,
    /// Number of lines, 0 for what is not text.
    pub lines: u64,
    /// MIME type, for what is not text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// When it was stored, since the epoch in seconds.
    pub stored: u64,
    /// When its retention is over, since the epoch in seconds.
    pub expires: u64,
    /// What it is a result of.
    #[serde(flatten)]
    pub label: Label,
}

impl Header {
    /// The header of a content.
    pub(super) fn new(digest: &str, bytes: &[u8], media: &Media, times: (u64, u64), label: &Label) -> Self {
        let (lines, mime) = match media {
            Media::Text => (count_lines(bytes), None),
            Media::Binary(mime) => (0, Some(mime.clone())),
        };
        let cut = |text: &String| crate::artifact::clip(text, MAX_LABEL).to_owned();
        let label = Label {
            tool: cut(&label.tool),
            tool_call_id: label.tool_call_id.as_ref().map(cut),
            session: label.session.as_ref().map(cut),
            command: label.command.as_ref().map(cut),
            ..label.clone()
        };
        Self {
            tersed: VERSION,
            digest: digest.to_owned(),
            content: blake3::hash(bytes).to_hex().to_string(),
            bytes: bytes.len() as u64,
            lines,
            mime,
            stored: times.0,
            expires: times.1,
            label,
        }
    }

    /// The handle that is shown.
    pub fn id(&self) -> &str {
        self.digest.get(..super::HANDLE_DIGITS).unwrap_or(&self.digest)
    }

    /// What the content is.
    pub(super) fn media(&self) -> Media {
        self.mime.clone().map_or(Media::Text, Media::Binary)
    }
}

/// The header as a line, and the packed content.
pub(super) fn write(header: &Header, bytes: &[u8]) -> std::io::Result<(Vec<u8>, Vec<u8>)> {
    let mut line = serde_json::to_vec(header)?;
    line.push(b'\n');
    Ok((line, packed(bytes)?))
}

#[cfg(feature = "recovery")]
fn packed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    zstd::bulk::compress(bytes, LEVEL)
}

#[cfg(feature = "recovery")]
fn unpacked(packed: &[u8], len: usize) -> std::io::Result<Vec<u8>> {
    zstd::bulk::decompress(packed, len)
}

/// Without the feature `recovery` no copy is written or read.
#[cfg(not(feature = "recovery"))]
fn packed(_: &[u8]) -> std::io::Result<Vec<u8>> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(not(feature = "recovery"))]
fn unpacked(_: &[u8], _: usize) -> std::io::Result<Vec<u8>> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Whether the first bytes of a file are those of a file of ours, as far as they were written.
pub(super) fn is_begun(head: &[u8]) -> bool {
    const BEGIN: &[u8] = b"{\"tersed\":";
    let n = head.len().min(BEGIN.len());
    head[..n] == BEGIN[..n]
}

/// The header that a file starts with, and its length with its line end.
pub(super) fn header(file: &[u8]) -> Result<(Header, usize), AccessError> {
    let end = memchr::memchr(b'\n', &file[..file.len().min(MAX_HEADER)]).ok_or(AccessError::Unreadable)?;
    let header: Header = serde_json::from_slice(&file[..end]).map_err(|_| AccessError::Unreadable)?;
    let is_known = header.tersed == VERSION && header.bytes <= MAX_CONTENT && header.digest.len() == 64;
    if is_known { Ok((header, end + 1)) } else { Err(AccessError::Unreadable) }
}

/// The content of a file; an error where it is not what the header says, to the byte.
pub(super) fn content(file: &[u8]) -> Result<(Header, Vec<u8>), AccessError> {
    let (header, start) = header(file)?;
    let bytes = unpacked(&file[start..], header.bytes as usize).map_err(|_| AccessError::Unreadable)?;
    let is_whole = bytes.len() as u64 == header.bytes
        && blake3::hash(&bytes).to_hex().as_str() == header.content
        && (header.mime.is_some() || std::str::from_utf8(&bytes).is_ok());
    if is_whole { Ok((header, bytes)) } else { Err(AccessError::Unreadable) }
}
