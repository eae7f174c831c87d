//! Pieces of text from hosts with UTF-16 strings. A piece may end in the middle of a character, and the next piece begin
//! with the rest. A half without its other half becomes U+FFFD.

use super::table::Stream;
use crate::protocol::skim::Json;
use crate::protocol::stream::StreamName;

/// Adds a piece, given as a JSON string.
pub(super) fn push(stream: &mut Stream, name: StreamName, piece: Json<'_>) {
    let waits = stream.half.is_some_and(|(of, _)| of == name);
    if let Some(text) = piece.exact_string().filter(|_| !waits) {
        stream.buffer(name).push(&text);
        return;
    }
    let bytes = piece.wtf8().unwrap_or_default();
    if bytes.is_empty() {
        return;
    }
    let mut rest = &bytes[..];
    let mut text = String::with_capacity(bytes.len() + 4);
    if waits && let Some((_, high)) = stream.half.take() {
        match rest.first_chunk().and_then(half).filter(|low| *low >= LOW) {
            Some(low) => {
                text.extend(char::decode_utf16([high, low]).map(|c| c.unwrap_or('\u{fffd}')));
                rest = &rest[3..];
            }
            None => text.push('\u{fffd}'),
        }
    }
    let end = rest.last_chunk().and_then(half).filter(|high| *high < LOW);
    if let Some(high) = end {
        rest = &rest[..rest.len() - 3];
        // Only one half is kept at a time: if the host splits characters in two streams at once, one half is lost.
        if let Some((of, _)) = stream.half.replace((name, high)) {
            stream.buffer(of).push("\u{fffd}");
        }
    }
    for chunk in rest.utf8_chunks() {
        text.push_str(chunk.valid());
        // The three bytes of half a character are invalid UTF-8 and arrive one by one.
        if chunk.invalid().first() == Some(&0xED) {
            text.push('\u{fffd}');
        }
    }
    stream.buffer(name).push(&text);
}

/// The first low surrogate.
const LOW: u16 = 0xDC00;

/// The surrogate that three bytes encode in the manner of UTF-8.
fn half(bytes: &[u8; 3]) -> Option<u16> {
    let unit = u16::from(bytes[1] & 0x3F) << 6 | u16::from(bytes[2] & 0x3F) | 0xD000;
    (bytes[0] == 0xED && bytes[1] >= 0xA0).then_some(unit)
}
