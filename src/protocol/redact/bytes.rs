//! Base64 in the members of a result: if it encodes text, it is decoded, searched, and encoded again in the same
//! form.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD, PAD};

use crate::sanitize::binary;

/// Members that may hold such bytes.
const BINARY_MEMBERS: &[&str] =
    &["data", "blob", "base64", "bytes", "file_data", "fileData", "url", "uri", "image_url", "b64_json"];
/// Fewest base64 digits that are decoded.
const MIN_DIGITS: usize = 16;
/// Digits from which on binary data (pictures, sounds, archives) is not searched.
const MAX_DIGITS_OF_DATA: usize = 1 << 10;

/// Whether a member of that name may hold base64.
pub(super) fn may_be(name: &str) -> bool {
    BINARY_MEMBERS.contains(&name)
}

/// The kind of a string.
pub(super) enum Bytes {
    /// Text in base64, in any encoding.
    Text(Box<Coded>),
    /// Long binary data.
    Other,
    /// Not base64.
    None,
}

/// Text that was encoded in base64.
pub(super) struct Coded {
    pub(super) text: Vec<u8>,
    /// The part of the string before the base64.
    head: String,
    engine: GeneralPurpose,
}

impl Coded {
    /// A new text in its place, in the same form.
    pub(super) fn written(&self, text: &[u8]) -> String {
        format!("{}{}", self.head, self.engine.encode(text))
    }
}

/// Reads a string as it is written in JSON; base64 needs no escapes but `\/`.
pub(super) fn read(raw: &str) -> Bytes {
    let raw = if raw.contains("\\/") { &raw.replace("\\/", "/") } else { raw };
    let (head, digits) = match raw.strip_prefix("data:") {
        Some(rest) => match rest.split_once(";base64,") {
            Some((_, digits)) => raw.split_at(raw.len() - digits.len()),
            None => return Bytes::None,
        },
        None => ("", raw),
    };
    if digits.len() < MIN_DIGITS {
        return Bytes::None;
    }
    let is_url = digits.bytes().take(4 * MAX_DIGITS_OF_DATA).any(|b| b == b'-' || b == b'_');
    let alphabet = if is_url { &alphabet::URL_SAFE } else { &alphabet::STANDARD };
    let is_padded = digits.len().is_multiple_of(4);
    let engine = GeneralPurpose::new(alphabet, if is_padded { PAD } else { NO_PAD });
    // Only whole groups at the start are decoded to detect binary data, so that a picture is not decoded in full.
    let start = digits.len().min(MAX_DIGITS_OF_DATA) / 4 * 4;
    let Ok(start) = engine.decode(&digits.as_bytes()[..start]).or_else(|_| engine.decode(digits)) else {
        return Bytes::None;
    };
    if digits.len() >= MAX_DIGITS_OF_DATA && binary::classify(&start).is_some() {
        return Bytes::Other;
    }
    let padded = GeneralPurpose::new(alphabet, PAD);
    let (bytes, engine) = match (engine.decode(digits), padded.decode(digits)) {
        (Ok(bytes), _) => (bytes, engine),
        (Err(_), Ok(bytes)) => (bytes, padded),
        _ => return Bytes::None,
    };
    Bytes::Text(Box::new(Coded { text: bytes, head: head.to_owned(), engine }))
}
