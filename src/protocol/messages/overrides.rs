//! `_forge`: settings in a request body for its own compression, in the member that some other proxies use.

use serde::Deserialize;

use super::ToolSchemas;
use crate::config::{DictionaryMethod, MAX_OUTPUT_BYTES, MIN_OUTPUT_BYTES, Mode, PolicyPatch};
use crate::protocol::error::RpcError;
use crate::protocol::params::{check_id, invalid, parse_at};
use crate::protocol::skim::Json;

/// The member of a body.
pub const OVERRIDES: &str = "_forge";

/// The settings in a body.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Settings that override those of the request.
    pub policy: PolicyPatch,
    /// The session, if the request names none.
    pub session_id: Option<String>,
    /// What is done to the schemas of the tools.
    pub tool_schemas: Option<ToolSchemas>,
}

/// The methods of dictionaries that may be asked for.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Dictionary {
    Lzw,
    Repair,
    Auto,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Compression {
    #[serde(default)]
    mode: Option<Mode>,
    #[serde(default)]
    method: Option<Dictionary>,
    #[serde(default)]
    session_id: Option<String>,
    #[serde(default)]
    dedup: Option<bool>,
    #[serde(default)]
    redact_secrets: Option<bool>,
    #[serde(default)]
    max_output_bytes: Option<u64>,
    #[serde(default)]
    memo: Option<bool>,
}

impl Overrides {
    /// Reads the member of a body, if it has it.
    pub fn read(body: Json<'_>) -> Result<Self, RpcError> {
        let mut all = body.members().filter(|m| m.name == OVERRIDES).map(|m| m.value);
        let Some(forge) = all.next() else { return Ok(Self::default()) };
        let place = format!("body.{OVERRIDES}");
        if all.next().is_some() {
            return Err(invalid(&place, "is given twice"));
        }
        if !forge.is_object() {
            return Err(invalid(&place, "expected an object"));
        }
        let mut out = Self::default();
        if let Some(json) = forge.get("tool_output_compression") {
            out.compression(json, &format!("{place}.tool_output_compression"))?;
        }
        if let Some(json) = forge.get("schema_compression") {
            out.tool_schemas = Some(parse_at(json.raw(), &format!("{place}.schema_compression"))?);
        }
        Ok(out)
    }

    fn compression(&mut self, json: Json<'_>, place: &str) -> Result<(), RpcError> {
        let given = match json.first() {
            b'"' => Compression { mode: Some(parse_at(json.raw(), place)?), ..Compression::default() },
            b'{' => parse_at(json.raw(), place)?,
            _ => return Err(invalid(place, "expected the name of a mode or an object")),
        };
        if let Some(id) = &given.session_id {
            check_id(&format!("{place}.session_id"), id)?;
        }
        if given.max_output_bytes == Some(0) {
            return Err(invalid(
                &format!("{place}.max_output_bytes"),
                "0 is out of range, allowed is 1 and up",
            ));
        }
        self.session_id = given.session_id;
        self.policy = PolicyPatch {
            mode: given.mode,
            dictionary: given.method.map(|method| match method {
                Dictionary::Lzw => DictionaryMethod::Lzw,
                Dictionary::Repair => DictionaryMethod::Repair,
                Dictionary::Auto => DictionaryMethod::Auto,
            }),
            dedup: given.dedup,
            redact_secrets: given.redact_secrets,
            max_output_bytes: given.max_output_bytes.map(|n| n.clamp(MIN_OUTPUT_BYTES, MAX_OUTPUT_BYTES)),
            memo: given.memo,
            ..PolicyPatch::default()
        };
        Ok(())
    }

    /// Other settings, overridden by these.
    pub fn over(&self, base: Option<PolicyPatch>) -> PolicyPatch {
        self.policy.clone().or(base.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Policy;
    use serde_json::value::RawValue;

    fn read(forge: &str) -> Result<Overrides, RpcError> {
        let body = format!("{{\"messages\":[],\"_forge\":{forge}}}");
        let raw: Box<RawValue> = serde_json::from_str(&body).unwrap();
        Overrides::read(Json::of(&raw))
    }

    #[test]
    fn both_forms_map_onto_the_policy() {
        let mode = |mode| PolicyPatch { mode: Some(mode), ..PolicyPatch::default() };
        let text = read(r#"{"tool_output_compression":"aggressive","schema_compression":"minify"}"#).unwrap();
        assert_eq!((&text.policy, text.tool_schemas), (&mode(Mode::Aggressive), Some(ToolSchemas::Minify)));
        let all = read(
            r#"{"tool_output_compression":{"mode":"safe","method":"repair","session_id":"s","dedup":false,
                "redact_secrets":true,"max_output_bytes":9999999,"memo":false},"other":1}"#,
        )
        .unwrap();
        let expected = PolicyPatch {
            dictionary: Some(DictionaryMethod::Repair),
            dedup: Some(false),
            redact_secrets: Some(true),
            max_output_bytes: Some(MAX_OUTPUT_BYTES),
            memo: Some(false),
            ..mode(Mode::Safe)
        };
        assert_eq!((&all.policy, all.session_id.as_deref()), (&expected, Some("s")));
        let base = PolicyPatch { min_bytes: Some(7), ..mode(Mode::Disabled) };
        assert_eq!(all.over(Some(base)), PolicyPatch { min_bytes: Some(7), ..expected });
        assert_eq!(read("{}").unwrap(), Overrides::default());
        assert_eq!(read(r#"{"tool_output_compression":null}"#).unwrap(), Overrides::default());
    }

    #[test]
    fn members_are_called_as_the_settings_that_they_set() {
        let error = read(r#"{"tool_output_compression":{"bogus":1}}"#).unwrap_err().message;
        let members = error.split('`').skip(3).step_by(2);
        let others = members.filter(|name| !Policy::TABLE.rows.iter().any(|row| row.field == *name));
        assert_eq!(others.collect::<Vec<_>>(), ["method", "session_id"], "{error}");
    }

    #[test]
    fn bad_values_are_named() {
        let error = |forge: &str| read(forge).unwrap_err().message;
        for (forge, expected) in [
            ("5", "body._forge: expected an object"),
            (
                r#"{"tool_output_compression":7}"#,
                "body._forge.tool_output_compression: expected the name of a mode or an object",
            ),
            (
                r#"{"tool_output_compression":{"max_output_bytes":0}}"#,
                "body._forge.tool_output_compression.max_output_bytes: 0 is out of range, allowed is 1 and up",
            ),
            (
                r#"{"tool_output_compression":{"dedup":"yes"}}"#,
                "body._forge.tool_output_compression.dedup: invalid type: string \"yes\", expected a boolean",
            ),
            (
                r#"{"schema_compression":"max"}"#,
                "body._forge.schema_compression: unknown variant `max`, expected `disabled` or `minify`",
            ),
        ] {
            assert_eq!(error(forge), expected);
        }
        for (forge, names) in [
            (r#"{"tool_output_compression":"turbo"}"#, ["`turbo`", "`aggressive`"]),
            (r#"{"tool_output_compression":{"mode":"turbo"}}"#, ["compression.mode", "`aggressive`"]),
            (r#"{"tool_output_compression":{"method":"zip"}}"#, ["`zip`", "`repair`"]),
            (r#"{"tool_output_compression":{"modes":"safe"}}"#, ["`modes`", "`max_output_bytes`"]),
            (r#"{"tool_output_compression":{"session_id":""}}"#, ["session_id", "1 to 512"]),
        ] {
            let message = error(forge);
            assert!(names.iter().all(|name| message.contains(name)), "{message}");
        }
    }
}
