//! Reading parameters: every error names the place, the value and what is allowed.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::error::RpcError;
use crate::pipeline::sanitize;

/// Longest id that a host may choose, in bytes.
pub const MAX_ID_BYTES: usize = 512;

/// Reads parameters of a method from their JSON text.
pub fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, RpcError> {
    parse_at(text, "")
}

/// Reads a value that stands at `place` in the parameters.
pub fn parse_at<'a, T: Deserialize<'a>>(text: &'a str, place: &str) -> Result<T, RpcError> {
    let mut reader = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { String::new() } else { path };
        let dot = if place.is_empty() || path.is_empty() || path.starts_with('[') { "" } else { "." };
        let place = format!("{place}{dot}{path}");
        let place = if place.is_empty() { "params".to_owned() } else { place };
        let reason = error.into_inner().to_string();
        // The position counts from the start of the parameters, which the caller never sees alone.
        let reason = reason.split(" at line ").next().unwrap_or_default();
        invalid(&place, reason)
    })
}

/// An error about the value at a place. The reason may quote the value, so secrets are taken out.
pub fn invalid(place: &str, reason: &str) -> RpcError {
    let message = format!("{place}: {reason}");
    match sanitize::redact_only(&message) {
        Ok((message, _)) => RpcError::invalid_params(message),
        Err(_) => RpcError::invalid_params(format!("{place}: invalid value")),
    }
}

/// Checks an id that the host chose.
pub fn check_id(place: &str, id: &str) -> Result<(), RpcError> {
    match id.len() {
        0 => Err(invalid(place, "is empty, allowed are 1 to 512 bytes")),
        n if n > MAX_ID_BYTES => Err(invalid(place, &format!("has {n} bytes, allowed are 1 to 512"))),
        _ => Ok(()),
    }
}

/// The JSON text of a value that is passed through as it came.
pub type Raw<'a> = &'a RawValue;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::PolicyPatch;

    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Params {
        policy: PolicyPatch,
    }

    #[test]
    fn errors_name_place_value_and_what_is_allowed() {
        let message = |text| parse::<Params>(text).unwrap_err().message;
        assert_eq!(
            message(r#"{"policy":{"mode":"turbo"}}"#),
            "policy.mode: unknown variant `turbo`, expected one of `disabled`, `conservative`, `safe`, \
             `balanced`, `standard`, `aggressive`"
        );
        assert_eq!(
            message(r#"{"policy":{"minBytes":-5}}"#),
            "policy.minBytes: invalid value: integer `-5`, expected u64"
        );
        assert_eq!(message("[]"), "params: invalid length 0, expected struct Params with 1 element");
        assert!(check_id("sessionId", "").is_err() && check_id("sessionId", "s").is_ok());
    }
}
