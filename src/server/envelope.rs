//! The JSON-RPC envelope: the kind of a message, its session and its stream. Parameters are decoded only when a handler asks
//! for them, so a queued request costs only its bytes.
//!
//! This file is longer than most because its visitors form one parser, and half of it is tests.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::formats::json::{may_have_lone_surrogates, replace_lone_surrogates, without_lone_surrogates};
use crate::protocol::RpcError;
use crate::protocol::error::{INVALID_REQUEST, PARSE_ERROR};
use crate::protocol::messages::OVERRIDES;
use crate::protocol::skim::Json;

/// A parsed message.
#[derive(Debug, PartialEq)]
pub enum Message {
    /// A request. Its answer uses `id`, kept as raw JSON text.
    Request {
        /// Raw JSON: a string, a number or `null`.
        id: String,
        /// The method and whose it is.
        call: Call,
    },
    /// A notification; it gets no answer.
    Notification(Call),
    /// An answer to a request that we never sent.
    Response,
    /// Not a request. `id` is raw JSON if one could be read.
    Invalid {
        /// Raw JSON.
        id: Option<String>,
        /// The reply.
        error: RpcError,
    },
}

/// The method of a request or notification, and whose it is.
#[derive(Debug, PartialEq)]
pub struct Call {
    /// Name on the wire.
    pub method: String,
    /// The string member `sessionId` of the parameters, or else the session that a request body in them names.
    pub session: Option<String>,
    /// The string member `streamId` of the parameters.
    pub stream: Option<String>,
}

/// Parses one message. `text` should be one JSON text.
pub fn read(text: &str) -> Message {
    match serde_json::from_str(text) {
        Ok(Top::Object(envelope)) => envelope.sort(),
        Ok(Top::Array) => Message::invalid(None, "batches are not supported; send one message at a time"),
        Ok(Top::Other) => Message::invalid(None, "a message is a JSON object"),
        Err(error) => Message::Invalid { id: None, error: unreadable(text, &error) },
    }
}

/// Methods that read halves of surrogate pairs themselves: a stream may be cut between two halves; in a body only
/// tool results change, and in tools only descriptions.
const READ_LONE_SURROGATES: [&str; 3] = ["toolResult/append", "messages/compress", "toolSchema/minify"];

/// A message whose method would refuse half a surrogate pair, with U+FFFD in its place.
pub(super) fn with_whole_characters(method: &str, text: String) -> String {
    if READ_LONE_SURROGATES.contains(&method) || !may_have_lone_surrogates(text.as_bytes()) {
        return text;
    }
    // In place, because a message may be large.
    let mut bytes = text.into_bytes();
    replace_lone_surrogates(&mut bytes);
    // An escape was replaced by another one.
    String::from_utf8(bytes).unwrap_or_default()
}

/// The JSON text of the parameters of a message that [`read`] accepted. Missing or `null` parameters become an empty object.
pub fn params(text: &str) -> &str {
    // The text is read already: only the positions of the members are searched.
    let params = Json::of_text(text).members().filter(|member| member.name == "params").last();
    match params.map(|params| params.value.raw()) {
        None | Some("null") => "{}",
        Some(params) => params,
    }
}

/// The raw `params.id` of a `$/cancelRequest`.
pub(super) fn cancel_target(text: &str) -> Option<String> {
    let params: &RawValue = member(text, Key::Params).ok()??;
    let id: &RawValue = member(params.get(), Key::Id).ok()??;
    Some(id.get().to_owned())
}

/// A key that is equal for all spellings of one id: strings are decoded, numbers stay as written.
pub(super) fn id_key(raw: &str) -> Cow<'_, str> {
    // Most ids are numbers: an attempt to read one as a string would write an error that nobody reads.
    let decoded = raw.starts_with('"').then(|| serde_json::from_str::<String>(raw).ok()).flatten();
    decoded.map_or(Cow::Borrowed(raw), |decoded| Cow::Owned(format!("\"{decoded}")))
}

/// Syntax errors of serde_json name the fault and the place, and quote no content.
fn unreadable(text: &str, error: &serde_json::Error) -> RpcError {
    const HEADER: &[u8] = b"content-length:";
    let start = text.as_bytes().get(..HEADER.len());
    let hint = match start.is_some_and(|start| start.eq_ignore_ascii_case(HEADER)) {
        true => "; it is a header of LSP: to send headers, start tersed without `--framing lines`",
        false => "",
    };
    RpcError::new(PARSE_ERROR, "parse_error", format!("the message cannot be read as JSON: {error}{hint}"))
}

impl Message {
    fn invalid(id: Option<String>, what: &str) -> Self {
        Self::Invalid { id, error: RpcError::new(INVALID_REQUEST, "invalid_request", what) }
    }
}

enum Top<'a> {
    Object(Envelope<'a>),
    Array,
    Other,
}

#[derive(Default)]
struct Envelope<'a> {
    version: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Params<'a>,
    answer: bool,
}

#[derive(Default)]
enum Params<'a> {
    #[default]
    Missing,
    Object(Named<'a>),
    Array,
    Other,
}

/// The members of parameters that name a session or stream.
#[derive(Default)]
struct Named<'a> {
    session: Option<&'a RawValue>,
    stream: Option<&'a RawValue>,
    /// The overrides of a request body.
    overrides: Option<&'a RawValue>,
}

impl Named<'_> {
    fn session(&self) -> Option<String> {
        decoded(self.session).or_else(|| {
            let settings = Json::of(self.overrides?).get("tool_output_compression")?;
            settings.text_of("session_id").map(Cow::into_owned)
        })
    }
}

impl Envelope<'_> {
    fn sort(self) -> Message {
        if self.method.is_none() && self.answer {
            return Message::Response;
        }
        let id = match self.id.map(RawValue::get) {
            Some(raw) if raw.starts_with(['{', '[', 't', 'f']) => {
                return Message::invalid(None, "id must be a string, a number or null");
            }
            raw => raw.map(str::to_owned),
        };
        if decoded(self.version).as_deref() != Some("2.0") {
            return Message::invalid(id, "jsonrpc must be \"2.0\"");
        }
        let Some(method) = decoded(self.method) else {
            return Message::invalid(id, "method must be a string");
        };
        let named = match self.params {
            Params::Other => return Message::invalid(id, "params must be an object"),
            Params::Object(named) => named,
            Params::Missing | Params::Array => Named::default(),
        };
        let call = Call { method, session: named.session(), stream: decoded(named.stream) };
        match id {
            Some(id) => Message::Request { id, call },
            None => Message::Notification(call),
        }
    }
}

fn decoded(raw: Option<&RawValue>) -> Option<String> {
    raw.and_then(|raw| serde_json::from_str(&without_lone_surrogates(raw.get().as_bytes())).ok())
}

/// The relevant member names. Of several equal keys every visitor takes the last, as `serde_json::Value` does.
#[derive(PartialEq)]
enum Key {
    Version,
    Id,
    Method,
    Params,
    Answer,
    Session,
    Stream,
    Body,
    Overrides,
    Other,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Key;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }
            fn visit_str<E>(self, name: &str) -> Result<Key, E> {
                Ok(match name {
                    "jsonrpc" => Key::Version,
                    "id" => Key::Id,
                    "method" => Key::Method,
                    "params" => Key::Params,
                    "result" | "error" => Key::Answer,
                    "sessionId" => Key::Session,
                    "streamId" => Key::Stream,
                    "body" => Key::Body,
                    OVERRIDES => Key::Overrides,
                    _ => Key::Other,
                })
            }
        }
        deserializer.deserialize_identifier(Name)
    }
}

/// The visitor methods that all scalars share.
macro_rules! scalars {
    ($value:expr) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($value)
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($value)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($value)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($value)
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok($value)
        }
    };
}

fn drain<'de, A: SeqAccess<'de>>(mut items: A) -> Result<(), A::Error> {
    while items.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

impl<'de> Deserialize<'de> for Top<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TopVisitor;
        impl<'de> Visitor<'de> for TopVisitor {
            type Value = Top<'de>;
            scalars!(Top::Other);
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a message")
            }
            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Top::Other)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
                drain(items).map(|()| Top::Array)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
                let mut envelope = Envelope::default();
                while let Some(key) = members.next_key()? {
                    match key {
                        Key::Version => envelope.version = Some(members.next_value()?),
                        Key::Id => envelope.id = Some(members.next_value()?),
                        Key::Method => envelope.method = Some(members.next_value()?),
                        Key::Params => envelope.params = members.next_value_seed(ParamsSeed)?,
                        other => {
                            envelope.answer |= matches!(other, Key::Answer);
                            members.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(Top::Object(envelope))
            }
        }
        deserializer.deserialize_any(TopVisitor)
    }
}

struct ParamsSeed;

impl<'de> DeserializeSeed<'de> for ParamsSeed {
    type Value = Params<'de>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ParamsSeed {
    type Value = Params<'de>;
    scalars!(Params::Other);
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("parameters")
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Params::Missing)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        drain(items).map(|()| Params::Array)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut named = Named::default();
        while let Some(key) = members.next_key()? {
            match key {
                Key::Session => named.session = Some(members.next_value()?),
                Key::Stream => named.stream = Some(members.next_value()?),
                Key::Body => named.overrides = members.next_value_seed(BodySeed)?,
                _ => _ = members.next_value::<IgnoredAny>()?,
            }
        }
        Ok(Params::Object(named))
    }
}

/// Finds the overrides in a request body, which may be any JSON.
struct BodySeed;

impl<'de> DeserializeSeed<'de> for BodySeed {
    type Value = Option<&'de RawValue>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for BodySeed {
    type Value = Option<&'de RawValue>;
    scalars!(None);
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a body")
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        drain(items).map(|()| None)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut overrides = None;
        while let Some(key) = members.next_key()? {
            match key {
                Key::Overrides => overrides = Some(members.next_value()?),
                _ => _ = members.next_value::<IgnoredAny>()?,
            }
        }
        Ok(overrides)
    }
}

/// Reads one member of the object `text`, and skips the others.
fn member<'de, T: Deserialize<'de>>(text: &'de str, wanted: Key) -> serde_json::Result<Option<T>> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let found = Member { wanted, found: PhantomData }.deserialize(&mut deserializer)?;
    deserializer.end().map(|()| found)
}

struct Member<T> {
    wanted: Key,
    found: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Member<T> {
    type Value = Option<T>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Member<T> {
    type Value = Option<T>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = members.next_key::<Key>()? {
            if key == self.wanted {
                found = Some(members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(id: &str, method: &str, session: Option<&str>) -> Message {
        let call = Call { method: method.to_owned(), session: session.map(str::to_owned), stream: None };
        Message::Request { id: id.to_owned(), call }
    }

    #[test]
    fn sessions_and_streams_are_found() {
        let of = |params: &str| match read(&format!(r#"{{"jsonrpc":"2.0","method":"m","params":{params}}}"#))
        {
            Message::Notification(call) => (call.session, call.stream),
            other => panic!("{other:?}"),
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(of(r#"{"streamId":"x","sessionId":"s"}"#), (some("s"), some("x")));
        assert_eq!(of(r#"{"streamId":5}"#), (None, None));
        let forge = r#"{"messages":[{"a":1}],"_forge":{"tool_output_compression":{"session_id":"b"}}}"#;
        assert_eq!(of(&format!(r#"{{"body":{forge}}}"#)).0, some("b"));
        assert_eq!(of(&format!(r#"{{"body":{forge},"sessionId":"s"}}"#)).0, some("s"));
        assert_eq!(of(&format!(r#"{{"body":{forge},"sessionId":null}}"#)).0, some("b"));
        for body in [
            "[]",
            "5",
            "null",
            "\"x\"",
            "{}",
            r#"{"_forge":5}"#,
            r#"{"_forge":{"tool_output_compression":"safe"}}"#,
        ] {
            assert_eq!(of(&format!(r#"{{"body":{body}}}"#)), (None, None));
        }
    }

    #[test]
    fn ids_stay_as_they_were_written() {
        for id in
            ["1", "3000000000", "1.5", "-7", "\"x\"", "\"\"", "null", "123456789012345678901234567890", "1E3"]
        {
            let text = format!(r#"{{"extra":[1],"id":{id},"method":"m","jsonrpc":"2.0"}}"#);
            assert_eq!(read(&text), request(id, "m", None));
        }
    }

    #[test]
    fn the_session_is_found_and_the_last_of_equal_keys_counts() {
        let text = r#"{"jsonrpc":"1.0","jsonrpc":"2.0","id":1,"method":"m","params":{"x":{"sessionId":"no"},"sessionId":7,"sessionId":"s"}}"#;
        assert_eq!(read(text), request("1", "m", Some("s")));
        assert!(params(text).ends_with(r#""sessionId":"s"}"#));
    }

    #[test]
    fn what_is_no_request_is_refused_with_the_id_where_there_is_one() {
        for (text, id, code) in [
            ("", None, PARSE_ERROR),
            ("{", None, PARSE_ERROR),
            ("{} {}", None, PARSE_ERROR),
            ("[{]", None, PARSE_ERROR),
            ("[]", None, INVALID_REQUEST),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"m"}]"#, None, INVALID_REQUEST),
            ("7", None, INVALID_REQUEST),
            ("null", None, INVALID_REQUEST),
            ("\"x\"", None, INVALID_REQUEST),
            ("{}", None, INVALID_REQUEST),
            (r#"{"id":3,"method":"m"}"#, Some("3"), INVALID_REQUEST),
            (r#"{"jsonrpc":2.0,"id":3,"method":"m"}"#, Some("3"), INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":3}"#, Some("3"), INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":3,"method":4}"#, Some("3"), INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":"a","method":"m","params":4}"#, Some("\"a\""), INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":"a","method":"m","params":"p"}"#, Some("\"a\""), INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":{},"method":"m"}"#, None, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#, None, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":true,"method":"m"}"#, None, INVALID_REQUEST),
        ] {
            match read(text) {
                Message::Invalid { id: found, error } => {
                    assert_eq!((found.as_deref(), error.code), (id, code), "{text}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn headers_and_wrong_parameters_are_named() {
        for (text, what) in [
            ("Content-Length: 20\r", "; it is a header of LSP: to send headers, start tersed without"),
            ("content-length:", "; it is a header of LSP"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":"p"}"#, "params must be an object"),
        ] {
            let Message::Invalid { error, .. } = read(text) else { panic!("{text}") };
            assert!(error.message.contains(what), "{text}: {}", error.message);
        }
    }

    #[test]
    fn answers_are_told_from_requests() {
        assert_eq!(read(r#"{"jsonrpc":"2.0","id":1,"result":null}"#), Message::Response);
        assert_eq!(read(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#), Message::Response);
        let both = r#"{"jsonrpc":"2.0","id":1,"method":"m","result":null}"#;
        assert_eq!(read(both), request("1", "m", None));
    }

    #[test]
    fn missing_and_null_parameters_are_an_empty_object() {
        for text in [r#"{"jsonrpc":"2.0","method":"m"}"#, r#"{"jsonrpc":"2.0","method":"m","params":null}"#] {
            assert!(matches!(read(text), Message::Notification(_)));
            assert_eq!(params(text), "{}");
        }
        assert_eq!(params(r#"{"params":[1]}"#), "[1]");
    }

    #[test]
    fn what_cannot_be_decoded_costs_one_error_and_keeps_the_id() {
        let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        // Half a surrogate pair can be read.
        let half = r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"sessionId":"\udfff"}}"#;
        assert_eq!(read(half), request("1", "m", Some("\u{fffd}")));
        for bad in [r#"{"x":1e400}"#, &deep] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{bad}}}"#);
            assert_eq!(read(&text), request("1", "m", None));
            assert!(serde_json::from_str::<serde_json::Value>(params(&text)).is_err());
        }
        let open = "[".repeat(100_000);
        assert!(matches!(read(&open), Message::Invalid { error, .. } if error.code == PARSE_ERROR));
    }

    #[test]
    fn cancel_targets_are_compared_as_json_values() {
        let target = |text| cancel_target(text).map(|raw| id_key(&raw).into_owned());
        assert_eq!(target(r#"{"params":{"id":"\u0061"}}"#), Some(id_key("\"a\"").into_owned()));
        assert_eq!(
            target(r#"{"params":{"id":12345678901234567890123}}"#).as_deref(),
            Some("12345678901234567890123")
        );
        assert_ne!(id_key("1"), id_key("\"1\""));
        assert_eq!(target(r#"{"params":{}}"#), None);
        assert_eq!(target(r#"{"params":[1]}"#), None);
        assert_eq!(target(r#"{}"#), None);
    }
}
