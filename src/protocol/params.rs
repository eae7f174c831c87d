//! Reading parameters: every error names the place, the value and what is allowed.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::error::RpcError;
use super::skim::Json;
use crate::config::elsewhere;
use crate::formats::typed::{self, Fault};
use crate::sanitize;

/// Longest id that a host may choose, in bytes.
pub const MAX_ID_BYTES: usize = 512;

/// Reads parameters of a method from their JSON text.
///
/// # Errors
///
/// `-32602` if the text is not a value of the type; the message names the place.
pub fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, RpcError> {
    parse_at(text, "")
}

/// Reads the value at `place` in the parameters.
pub fn parse_at<'a, T: Deserialize<'a>>(text: &'a str, place: &str) -> Result<T, RpcError> {
    typed::read(text).map_err(|fault| at_place(fault, place))
}

/// Reads the member `name` of the object at `place`, which is written only in an error.
pub fn parse_member<'a, T: Deserialize<'a>>(text: &'a str, place: &str, name: &str) -> Result<T, RpcError> {
    typed::read(text).map_err(|fault| at_place(fault, &format!("{place}.{name}")))
}

/// An error for a fault in the value at a place.
fn at_place(Fault { path, reason }: Fault, place: &str) -> RpcError {
    let path = if path == "." { String::new() } else { path };
    let dot = if place.is_empty() || path.is_empty() || path.starts_with('[') { "" } else { "." };
    let place = format!("{place}{dot}{path}");
    let place = if place.is_empty() { "params".to_owned() } else { place };
    // The position is relative to the parameters, which the caller does not see as a text of their own.
    let reason = reason.split(" at line ").next().unwrap_or_default();
    invalid(&place, &with_meant(&place, &in_words(reason)))
}

/// A reason that names what an unknown name or value probably meant, before the list of the known ones.
fn with_meant(place: &str, reason: &str) -> String {
    let unknown =
        ["unknown field `", "unknown variant `"].iter().find_map(|start| reason.strip_prefix(start));
    let Some((given, allowed)) = unknown.and_then(|rest| rest.split_once("`, expected ")) else {
        return reason.to_owned();
    };
    let meant = elsewhere::of_request(place, given, allowed.split('`').skip(1).step_by(2));
    let end = if meant.ends_with(['?', ')']) { "" } else { "." };
    match meant.is_empty() {
        true => reason.to_owned(),
        false => {
            format!(
                "{}{meant}{end} Expected {allowed}",
                reason.split(", expected ").next().unwrap_or_default()
            )
        }
    }
}

/// A reason in the words of JSON, without the names of Rust types, which a host does not know.
fn in_words(reason: &str) -> String {
    if reason.contains("surrogate") || reason.ends_with("hex escape") {
        return "holds an escape that is no whole Unicode character".to_owned();
    }
    let (found, expected) = match reason.rsplit_once(", expected ") {
        Some(parts) => parts,
        // A value that is neither a string nor an object cannot name a variant.
        None if reason == "expected value" => ("invalid type", "a string"),
        None => return reason.to_owned(),
    };
    let expected = match expected.split(' ').next() {
        Some("struct") => "an object",
        Some("u32" | "u64" | "usize") => "a whole number from 0",
        Some("i64") => "a whole number",
        Some("f64") => "a number",
        _ if expected == "a sequence" => "an array",
        _ if expected == "a map" => "an object",
        _ => expected,
    };
    let found = match found {
        "invalid type: map" => "invalid type: object",
        "invalid type: sequence" => "invalid type: array",
        found => found,
    };
    format!("{found}, expected {expected}")
}

/// Checks a name that the host gives a request.
///
/// # Errors
///
/// `-32602` unless it has 1 to 128 visible ASCII characters.
pub fn check_correlation(id: Option<&str>) -> Result<(), RpcError> {
    match id {
        Some(id) if !(1..=128).contains(&id.len()) || !id.bytes().all(|b| b.is_ascii_graphic()) => {
            let reason = format!("{id:?} is not allowed, expected 1 to 128 visible ASCII characters");
            Err(invalid("correlationId", &reason))
        }
        _ => Ok(()),
    }
}

/// Longest message about a value, in bytes: it quotes the value, which may be as long as a message.
const MAX_MESSAGE_BYTES: usize = 1200;
/// Bytes of them that are kept from the start; the allowed values are at the end.
const MESSAGE_HEAD: usize = 250;

/// An error about the value at a place. The reason may quote the value, so its secrets are removed, and the middle of
/// a long reason is left out.
pub fn invalid(place: &str, reason: &str) -> RpcError {
    let message = format!("{place}: {reason}");
    // Shortened after redaction, never before: half a secret would not be found.
    match sanitize::redact_only(&message) {
        Ok((message, _)) => RpcError::invalid_params(shortened(&message)),
        Err(_) => RpcError::invalid_params("a parameter has a value that is not allowed"),
    }
}

fn shortened(message: &str) -> String {
    if message.len() <= MAX_MESSAGE_BYTES {
        return message.to_owned();
    }
    let head = message.floor_char_boundary(MESSAGE_HEAD);
    let tail = message.ceil_char_boundary(message.len() - (MAX_MESSAGE_BYTES - MESSAGE_HEAD));
    format!("{} ... {}", &message[..head], &message[tail..])
}

/// Reads the parameters of a method, which must be an object.
pub fn by_name<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, RpcError> {
    match text.starts_with('{') {
        true => parse(text),
        false => Err(invalid("params", "expected an object")),
    }
}

/// Members of the parameters of methods that take results; no other program has settings of these names.
const MEMBERS: &[&str] = &["sessionId", "policy", "result", "results"];

/// As [`by_name`], for methods that take results. A setting outside of `policy` is an error, because it would
/// have no effect.
pub fn of_results<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, RpcError> {
    let params = by_name(text)?;
    // Nearly every request has these members alone: they are not looked up.
    let others = Json::of_text(text).members().filter(|member| !MEMBERS.contains(&&*member.name));
    for member in others {
        if let Some(meant) = elsewhere::misplaced(&member.name) {
            return Err(invalid(&member.name, &format!("is no member of these parameters{meant}")));
        }
    }
    Ok(params)
}

/// As [`of_results`], for a whole body. `full_output` is an error, because it belongs to a single result.
pub fn of_body<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, RpcError> {
    let is_full = |name: &str| matches!(name, "full_output" | "fullOutput");
    match Json::of_text(text).members().find(|member| is_full(&member.name)) {
        Some(member) => {
            let reason = "is no member of these parameters; `full_output` among the arguments of a call says it, and `keepNewest` for \
                          the newest results";
            Err(invalid(&member.name, reason))
        }
        None => of_results(text),
    }
}

/// Reads an object that may be absent or null. A derived reader would also accept an array.
pub fn object<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct Object<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
        type Value = Option<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map)).map(Some)
        }
    }
    deserializer.deserialize_any(Object(PhantomData))
}

/// Checks an id that the host chose.
///
/// # Errors
///
/// `-32602` unless it has 1 to 512 bytes.
pub fn check_id(place: &str, id: &str) -> Result<(), RpcError> {
    match id.len() {
        0 => Err(invalid(place, "is empty, allowed are 1 to 512 bytes")),
        n if n > MAX_ID_BYTES => Err(invalid(place, &format!("has {n} bytes, allowed are 1 to 512"))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::PolicyPatch;

    #[derive(Debug, serde::Deserialize)]
    #[allow(dead_code)]
    struct Params {
        #[serde(default, deserialize_with = "object")]
        policy: Option<PolicyPatch>,
    }

    #[test]
    fn errors_name_place_value_and_what_is_allowed() {
        let message = |text| parse::<Params>(text).unwrap_err().message;
        assert_eq!(
            message(r#"{"policy":{"mode":"turbo"}}"#),
            "policy.mode: unknown variant `turbo`, expected one of `disabled`, `off`, `conservative`, \
             `safe`, `balanced`, `standard`, `aggressive`"
        );
        assert_eq!(
            message(r#"{"policy":{"minBytes":-5}}"#),
            "policy.minBytes: invalid value: integer `-5`, expected a whole number from 0"
        );
        assert_eq!(message(r#"{"policy":["safe"]}"#), "policy: invalid type: array, expected an object");
        assert_eq!(by_name::<Params>("[]").unwrap_err().message, "params: expected an object");
        let level = message(r#"{"policy":{"level":"balanced"}}"#);
        assert!(
            level.starts_with("policy.level: unknown field `level`; did you mean `policy.mode`?"),
            "{level}"
        );
        assert!(level.contains(" Expected one of `mode`"), "{level}");
        let misplaced = |text| of_results::<Params>(text).unwrap_err().message;
        assert!(MEMBERS.iter().all(|name| elsewhere::misplaced(name).is_none()));
        assert_eq!(
            misplaced(r#"{"policy":{},"maxOutputBytes":7}"#),
            "maxOutputBytes: is no member of these parameters; did you mean `policy.maxOutputBytes`?"
        );
        let of_a_body = of_body::<Params>(r#"{"policy":{},"full_output":true}"#).unwrap_err().message;
        assert!(of_a_body.contains("`keepNewest`"), "{of_a_body}");
        assert!(message(r#"{"policy":{"alerts":{}}}"#).contains("did you mean `alerts`?"));
        assert!(message(r#"{"policy":{"session_id":"x"}}"#).contains("beside `policy`. Expected one of"));
        assert!(misplaced(r#"{"tool_output_compression":"off"}"#).contains("did you mean `policy.mode`?"));
        assert!(
            of_results::<Params>(r#"{"policy":{},"budget":{},"toolSchemas":"minify","trace":1}"#).is_ok()
        );
        assert!(by_name::<Params>(r#"{"policy":null}"#).unwrap().policy.is_none());
        let long = message(&format!(r#"{{"policy":{{"mode":"{}"}}}}"#, "é".repeat(100_000)));
        assert!(long.len() <= MAX_MESSAGE_BYTES + 5 && long.ends_with("`aggressive`"), "{long}");
        assert!(check_id("sessionId", "").is_err() && check_id("sessionId", "s").is_ok());
    }
}
