//! Content of a result in the shapes that hosts use, read and written back in the same shape.
//!
//! In a text block only the value of its text member is replaced. Every other byte of the block, and every block
//! without text, is returned unchanged.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::error::RpcError;
use super::params::{invalid, parse_at};
use super::skim::Json;
use crate::formats::json::unescaped;
use crate::memory::{Buffer, grow};
use crate::pipeline;
use crate::sanitize;
use crate::stop;

/// Block types whose `text` member is text that the model reads (MCP, Anthropic, OpenAI).
pub(super) const TEXT_TYPES: &[&str] = &["text", "input_text", "output_text"];

/// The members of a block that are read.
#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    base64: Option<&'a RawValue>,
}

/// How bytes that are not text are written back exactly.
#[derive(Debug, Clone, Copy)]
pub struct Exact {
    /// Whether secrets are removed.
    pub redact: bool,
}

impl Exact {
    fn bytes(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        match self.redact {
            true => Cow::Owned(sanitize::redact_binary(bytes.to_vec())),
            false => Cow::Borrowed(bytes),
        }
    }
}

/// One piece of a result's content.
#[derive(Debug)]
enum Piece<'a> {
    /// The whole content is one string.
    Whole(Cow<'a, str>),
    /// A block with text: the block, the text's place in it, the text.
    Text(&'a str, std::ops::Range<usize>, Cow<'a, str>),
    /// A block with bytes: the block, the place of the base64 in it, the bytes.
    Bytes(&'a str, std::ops::Range<usize>, Vec<u8>),
    /// Any other block.
    Other(&'a str),
}

/// Content that was read.
#[derive(Debug)]
pub struct Content<'a> {
    pieces: Vec<Piece<'a>>,
    is_array: bool,
}

impl<'a> Content<'a> {
    /// Reads a string or an array of blocks.
    pub fn read(raw: &'a RawValue, place: &str) -> Result<Self, RpcError> {
        let text = raw.get();
        match text.as_bytes().first() {
            Some(b'"') => {
                let whole = string(raw, place)?;
                Ok(Self { pieces: vec![Piece::Whole(whole)], is_array: false })
            }
            Some(b'[') => {
                let blocks: Vec<&'a RawValue> = parse_at(text, place)?;
                let pieces = blocks
                    .iter()
                    .enumerate()
                    .map(|(i, block)| piece(block.get(), &format!("{place}[{i}]")))
                    .collect::<Result<_, _>>()?;
                Ok(Self { pieces, is_array: true })
            }
            _ => {
                let kind = match text.as_bytes().first() {
                    Some(b'{') => "an object",
                    Some(b't' | b'f') => "a boolean",
                    _ => "a number",
                };
                Err(invalid(place, &format!("is {kind}, expected a string or an array of parts")))
            }
        }
    }

    /// Content of texts whose surrounding format only the caller knows and writes back.
    pub fn of_texts(texts: Vec<Cow<'a, str>>) -> Self {
        Self { pieces: texts.into_iter().map(Piece::Whole).collect(), is_array: false }
    }

    /// The parts that may be compressed, in order.
    pub fn parts(&self) -> Vec<pipeline::Raw<'_>> {
        self.pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Whole(text) | Piece::Text(_, _, text) => Some(pipeline::Raw::Text(text)),
                Piece::Bytes(_, _, bytes) => Some(pipeline::Raw::Bytes(bytes)),
                Piece::Other(_) => None,
            })
            .collect()
    }

    /// The JSON text of the content with its parts replaced by `texts`. `exact` is set if the texts are the parts
    /// without their secrets: bytes that are not text then stay bytes.
    pub fn write(&self, texts: &[String], exact: Option<Exact>) -> Result<Box<RawValue>, serde_json::Error> {
        let room = texts.iter().map(|text| text.len() + text.len() / 16 + 64).sum();
        let mut texts = texts.iter();
        let mut out = Buffer(Vec::with_capacity(room));
        if self.is_array {
            out.0.push(b'[');
        }
        for (i, piece) in self.pieces.iter().enumerate() {
            if i > 0 {
                out.0.push(b',');
            }
            match piece {
                Piece::Other(block) => out.push(block),
                Piece::Whole(_) => out.json(texts.next())?,
                Piece::Text(block, _, old) if texts.clone().next().is_some_and(|t| t == old) => {
                    texts.next();
                    out.push(block);
                }
                Piece::Text(block, place, _) => {
                    out.push(&block[..place.start]);
                    out.json(texts.next())?;
                    out.push(&block[place.end..]);
                }
                Piece::Bytes(block, place, old) => {
                    let text = texts.next().map_or(&[][..], |t| t.as_bytes());
                    let new: Cow<'_, [u8]> = match exact {
                        Some(exact) if std::str::from_utf8(old).is_err() => exact.bytes(old),
                        _ => Cow::Borrowed(text),
                    };
                    if *new == **old {
                        out.push(block);
                    } else {
                        out.push(&block[..place.start]);
                        out.push(&format!("\"{}\"", BASE64.encode(&new)));
                        out.push(&block[place.end..]);
                    }
                }
            }
        }
        if self.is_array {
            out.0.push(b']');
        }
        // All that was written is text.
        RawValue::from_string(String::from_utf8(out.0).unwrap_or_default())
    }
}

/// The places of the texts and bytes of content that was written; `None` for content that is one string.
pub fn texts_of(content: &RawValue) -> Option<Vec<std::ops::Range<usize>>> {
    let json = Json::of(content);
    if !json.is_array() {
        return None;
    }
    let mut places = Vec::new();
    for block in json.items() {
        let kind = block.text_of("type");
        let kind = kind.as_deref().unwrap_or_default();
        let name = if kind == "bytes" { "base64" } else { "text" };
        if kind == "bytes" || TEXT_TYPES.contains(&kind) {
            places.extend(block.get(name).filter(|value| value.is_string()).map(Json::range));
        }
    }
    Some(places)
}

impl Buffer {
    fn push(&mut self, text: &str) {
        grow(&mut self.0, text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Adds the JSON string of a text.
    fn json(&mut self, text: Option<&String>) -> Result<(), serde_json::Error> {
        serde_json::to_writer(self, text.map_or("", String::as_str))
    }
}

/// Reads one block; values other than objects are passed on. If a member occurs twice, it is unknown which one the model will
/// see, so neither could be passed on with its secrets removed.
fn piece<'a>(block: &'a str, place: &str) -> Result<Piece<'a>, RpcError> {
    let members = match serde_json::from_str::<Block<'a>>(block) {
        Ok(members) => members,
        Err(e) if block.starts_with('{') && e.to_string().starts_with("duplicate field") => {
            return Err(invalid(place, "`type`, `text` or `base64` is given twice"));
        }
        Err(_) => return Ok(Piece::Other(block)),
    };
    // The value is a slice of the block, so that its place is the distance of their addresses.
    let range = |value: &RawValue| {
        let start = value.get().as_ptr().addr() - block.as_ptr().addr();
        start..start + value.get().len()
    };
    match (members.kind.as_deref(), members.text, members.base64) {
        (Some(kind), Some(text), _) if TEXT_TYPES.contains(&kind) && text.get().starts_with('"') => {
            let value = string(text, &format!("{place}.text"))?;
            Ok(Piece::Text(block, range(text), value))
        }
        (Some("bytes"), _, Some(base64)) => {
            let place = format!("{place}.base64");
            let value = string(base64, &place)?;
            let bytes =
                BASE64.decode(value.as_bytes()).map_err(|e| invalid(&place, &format!("not base64: {e}")))?;
            Ok(Piece::Bytes(block, range(base64), bytes))
        }
        _ => Ok(Piece::Other(block)),
    }
}

/// A JSON string, borrowed when it holds no escapes.
fn string<'a>(raw: &'a RawValue, place: &str) -> Result<Cow<'a, str>, RpcError> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    let inner = raw.get().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    if let Some(text) =
        inner.filter(|inner| memchr::memchr(b'\\', inner.as_bytes()).is_some()).and_then(unescaped)
    {
        return Ok(Cow::Owned(text));
    }
    if stop::is_asked() {
        return Err(RpcError::cancelled());
    }
    // The reader makes the error for a value that is not a string, or not valid text.
    parse_at::<Text<'a>>(raw.get(), place).map(|text| text.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(json: &str, texts: &[&str]) -> String {
        let raw: &RawValue = serde_json::from_str(json).unwrap();
        let content = Content::read(raw, "content").unwrap();
        let texts: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
        content.write(&texts, None).unwrap().get().to_owned()
    }

    #[test]
    fn a_text_that_nobody_wants_is_not_read_to_its_end() {
        let json = format!("\"{}\"", "\\u001b".repeat(100_000));
        let raw: &RawValue = serde_json::from_str(&json).unwrap();
        let cancel = stop::Stop::default();
        let read = || cancel.apply_to(|| Content::read(raw, "content").map(drop));
        assert!(read().is_ok());
        cancel.ask();
        assert_eq!(read().unwrap_err().code, crate::protocol::error::REQUEST_CANCELLED);
    }

    #[test]
    fn blocks_keep_their_bytes() {
        assert_eq!(write(r#""a\u0041""#, &["b\n"]), r#""b\n""#);
        let json = r#"[{"type":"image","n":1.50,"n":1e400},{ "x" : 1, "text":"old","type":"text", "cache_control":{"a":1}},7]"#;
        let expected = r#"[{"type":"image","n":1.50,"n":1e400},{ "x" : 1, "text":"new","type":"text", "cache_control":{"a":1}},7]"#;
        assert_eq!(write(json, &["new"]), expected);
        assert_eq!(write(json, &["old"]), json);
        assert_eq!(
            write(r#"[{"type":"bytes","base64":"AAE="}]"#, &["hi"]),
            r#"[{"type":"bytes","base64":"aGk="}]"#
        );
    }

    #[test]
    fn bad_content_is_named() {
        let error = |json: &str| {
            let raw: &RawValue = serde_json::from_str(json).unwrap();
            Content::read(raw, "result.content").unwrap_err().message
        };
        assert_eq!(error("5"), "result.content: is a number, expected a string or an array of parts");
        assert!(
            error(r#"[{"type":"bytes","base64":"?"}]"#).starts_with("result.content[0].base64: not base64")
        );
        assert_eq!(
            error(r#"[{"type":"text","text":"a","te\u0078t":"b"}]"#),
            "result.content[0]: `type`, `text` or `base64` is given twice"
        );
        assert!(error(r#""\ud800""#).starts_with("result.content: "), "{}", error(r#""\ud800""#));
    }
}
