//! The format in which operators write rules. The schema, the documentation and the errors come from these types. Validation
//! is in `Rule` and its parts.

use std::fmt;

use serde::de::{Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

/// A file of rules.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleFile {
    /// The rules.
    pub rules: Vec<RuleSpec>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Rule"))]
pub struct RuleSpec {
    /// Name, unique among the rules: 1 to 64 letters, digits, `-`, `_` and `.`. Markers and evidence carry it.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 64)))]
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// If several rules match a result, the one with the highest number is used; of equals the first. Default
    /// 0.
    #[serde(default)]
    pub priority: i32,
    /// Whether it is used. With false, it removes a rule of the same name that an earlier layer gave. Default
    /// true.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// When it is used: all given conditions must hold.
    #[serde(default)]
    pub when: When,
    /// Names of the methods that process the text after the stages, instead of the built-in ones. Default
    /// `lossless` for a rule with stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<Vec<String>>,
    /// Line stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<StagesSpec>,
    /// Tests that the rule must pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<RuleTest>,
}

/// The conditions of a rule. A rule without conditions is used on every text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "RuleWhen"))]
pub struct When {
    /// Names of tools, compared without case; `*` and `?` stand for any text and any character. One must match the
    /// whole name, or the part after a server prefix such as `mcp__shell__`.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub tool: List,
    /// First words of commands: `cargo test`, `npm run build*`. The command is parsed as a shell does, through `cd x
    /// &&`, `sudo`, `env`, `bash -lc` and the like; a flag among the words may be anywhere in the command.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub command: List,
    /// Paths that the call named, with `*` and `?`.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub path: List,
    /// The type of the text by its content: `json`, `xml`, `html`, `text`, or a media type such as
    /// `application/json`.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub content_type: List,
    /// The kind of output: a family of reducers, such as `test`, `build` or `log`, or `file`, `search`, `listing`,
    /// `diff`.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub kind: List,
    /// Exit statuses: numbers, `zero`, `nonzero`, `unknown`.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub exit_code: List,
    /// Regular expression that has to match somewhere in the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Regular expression that must not match anywhere in the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_text: Option<String>,
    /// Fewest bytes of the text. Default what the policy's `minBytes` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_bytes: Option<u64>,
    /// Most bytes of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Fewest lines of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_lines: Option<u64>,
    /// Most lines of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_lines: Option<u64>,
}

/// The line stages, in the order in which they run. Each gets the lines that earlier stages left; lines that report
/// a failure pass all of them unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "RuleStages"))]
pub struct StagesSpec {
    /// Stage 1: Escape sequences are removed. This always happens before a rule is used, so only `true` is allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strip_ansi: Option<bool>,
    /// Stage 2: Parts of lines are replaced, by one replacement after the other, each at most 64 times in a line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replace: Vec<Replace>,
    /// Stage 3: If a pattern matches in the text, the whole text is left out, and the marker shows a message instead.
    /// The first pattern that matches is used; none if the command failed or may have failed, or if a line reports a
    /// failure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_output: Vec<MatchOutput>,
    /// Stage 4: Lines that match one of these regular expressions are left out.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub strip_lines: List,
    /// Stage 4: Lines that match none of these regular expressions are left out. Not together with
    /// `stripLines`.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub keep_lines: List,
    /// Stage 5: Lines are cut after this many characters, at least 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 20)))]
    pub truncate_lines_at: Option<u64>,
    /// Stage 6: Only this many of the remaining lines stay, from the start. With `tailLines`, both ends stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_lines: Option<u64>,
    /// Stage 6: Only this many of the remaining lines stay, from the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail_lines: Option<u64>,
    /// Stage 7: At most this many of the remaining lines stay, from the start; at least 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub max_lines: Option<u64>,
    /// Stage 8: The message of the marker if no line is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_empty: Option<String>,
}

/// A replacement inside lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "RuleReplace"))]
pub struct Replace {
    /// Regular expression; it must not match the empty text.
    pub pattern: String,
    /// The replacement; `$1`, `${name}` for what a group matched, `$$` for `$`. Default nothing.
    #[serde(default)]
    pub with: String,
}

/// A text that is replaced by a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "RuleMatchOutput"))]
pub struct MatchOutput {
    /// Regular expression that has to match somewhere in the text.
    pub pattern: String,
    /// Regular expression that must not match anywhere in the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless: Option<String>,
    /// The message of the marker: one line of at most 200 bytes without `[` and `]`. A message that claims
    /// success is only used if the exit status is known to be 0.
    pub message: String,
}

/// A test of a rule. It needs at least one expectation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleTest {
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The text.
    pub input: String,
    /// The tool. Default `bash`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The path that the call named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The exit status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// Whether the rule is used. Default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fires: Option<bool>,
    /// The whole expected output; the seal of its first marker may be left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// Texts that the output must contain.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub contains: List,
    /// Texts that the output must not contain.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub lacks: List,
}

fn yes() -> bool {
    true
}

/// One text, or several. Numbers count as texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct List(pub Vec<String>);

impl List {
    /// Whether nothing is given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The texts.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl<'de> Deserialize<'de> for List {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct One(String);
        impl<'de> Deserialize<'de> for One {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(Text).map(One)
            }
        }
        struct Text;
        impl Visitor<'_> for Text {
            type Value = String;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E>(self, text: &str) -> Result<String, E> {
                Ok(text.to_owned())
            }

            fn visit_i64<E>(self, n: i64) -> Result<String, E> {
                Ok(n.to_string())
            }

            fn visit_u64<E>(self, n: u64) -> Result<String, E> {
                Ok(n.to_string())
            }
        }
        struct Texts;
        impl<'de> Visitor<'de> for Texts {
            type Value = List;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an array of strings")
            }

            fn visit_str<E>(self, text: &str) -> Result<List, E> {
                Ok(List(vec![text.to_owned()]))
            }

            fn visit_i64<E>(self, n: i64) -> Result<List, E> {
                Ok(List(vec![n.to_string()]))
            }

            fn visit_u64<E>(self, n: u64) -> Result<List, E> {
                Ok(List(vec![n.to_string()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<List, A::Error> {
                let mut out = Vec::new();
                while let Some(One(text)) = items.next_element()? {
                    out.push(text);
                }
                Ok(List(out))
            }
        }
        deserializer.deserialize_any(Texts)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for List {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "TextOrTexts".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "One text, or several. Numbers count as texts.",
            "anyOf": [
                { "type": ["string", "integer"] },
                { "type": "array", "items": { "type": ["string", "integer"] } },
            ],
        })
    }
}
