//! One file of a vault: a header as a line of JSON, followed by the content, packed with zstd.
//!
//! `head -1 FILE` shows the header, `tail -n +2 FILE | zstd -d` the content.

use serde::{Deserialize, Serialize};

use crate::artifact::body::count_lines;
use crate::artifact::{AccessError, Media};

/// Longest header in bytes.
pub(super) const MAX_HEADER: usize = 32 << 10;
/// Largest content that is read back, in bytes: the largest that may be kept.
pub(super) const MAX_CONTENT: u64 = 64 << 20;
/// Compression level of zstd: its default, which takes about a millisecond for 256 KiB.
#[cfg(feature = "recovery")]
const LEVEL: i32 = 3;
/// Version of the file format.
const VERSION: u32 = 1;
/// Longest text of a label in bytes.
const MAX_LABEL: usize = 1024;

/// The description of a copy. Texts must already be redacted, and are cut to 1 KiB.
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
    /// Keyed fingerprint of the workspace; none if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<u64>,
    /// The checks in the markers of the texts that were shown of it, by which it can be found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
}

/// The first line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// Version of the file format.
    pub(super) tersed: u32,
    /// BLAKE3 digest of the artifact, 64 hexadecimal digits; handles are prefixes of it.
    pub digest: String,
    /// Digest of the content; it differs if only the copy had to be redacted.
    pub(super) content: String,
    /// Length of the content in bytes.
    pub bytes: u64,
    /// Number of lines, 0 for what is not text.
    pub lines: u64,
    /// MIME type, for what is not text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// Time of storing, in seconds since the epoch.
    pub stored: u64,
    /// End of its retention, in seconds since the epoch.
    pub expires: u64,
    /// The call that produced it.
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

    /// Its handle as shown.
    pub fn id(&self) -> &str {
        self.digest.get(..super::HANDLE_DIGITS).unwrap_or(&self.digest)
    }

    /// The type of the content.
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

/// Without the feature `recovery`, copies are neither written nor read.
#[cfg(not(feature = "recovery"))]
fn packed(_: &[u8]) -> std::io::Result<Vec<u8>> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(not(feature = "recovery"))]
fn unpacked(_: &[u8], _: usize) -> std::io::Result<Vec<u8>> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Whether the first bytes of a file, possibly incomplete, are those of our files.
pub(super) fn is_begun(head: &[u8]) -> bool {
    const BEGIN: &[u8] = b"{\"tersed\":";
    let n = head.len().min(BEGIN.len());
    head[..n] == BEGIN[..n]
}

/// The header at the start of a file, and its length including the line end.
pub(super) fn header(file: &[u8]) -> Result<(Header, usize), AccessError> {
    let end = memchr::memchr(b'\n', &file[..file.len().min(MAX_HEADER)]).ok_or(AccessError::Unreadable)?;
    let header: Header = serde_json::from_slice(&file[..end]).map_err(|_| AccessError::Unreadable)?;
    let is_known = header.tersed == VERSION && header.bytes <= MAX_CONTENT && header.digest.len() == 64;
    if is_known { Ok((header, end + 1)) } else { Err(AccessError::Unreadable) }
}

/// The content of a file; an error if it does not match the header exactly.
pub(super) fn content(file: &[u8]) -> Result<(Header, Vec<u8>), AccessError> {
    let (header, start) = header(file)?;
    let bytes = unpacked(&file[start..], header.bytes as usize).map_err(|_| AccessError::Unreadable)?;
    let is_whole = bytes.len() as u64 == header.bytes
        && blake3::hash(&bytes).to_hex().as_str() == header.content
        && (header.mime.is_some() || std::str::from_utf8(&bytes).is_ok());
    if is_whole { Ok((header, bytes)) } else { Err(AccessError::Unreadable) }
}
