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
    /// Of the rules that fit a result the one with the highest number is used, then the earliest. Default 0.
    #[serde(default)]
    pub priority: i32,
    /// Whether it is used. With false, a rule takes one of the same name away that an earlier layer gave. Default
    /// true.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// What it is used on: all that is given has to hold.
    #[serde(default)]
    pub when: When,
    /// What works on the text after the stages, by name, in place of what is there without a rule. Default
    /// `lossless` for a rule with stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<Vec<String>>,
    /// Line stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<StagesSpec>,
    /// Cases that the rule has to get right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<RuleTest>,
}

/// What a rule is used on. Without any condition it is used on every text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "RuleWhen"))]
pub struct When {
    /// Names of tools, without case; `*` and `?` stand for any text and any character. One has to fit the whole name,
    /// or its part behind a server prefix such as `mcp__shell__`.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub tool: List,
    /// Starts of commands, as words: `cargo test`, `npm run build*`. The command is read as a shell reads it, through
    /// `cd x &&`, `sudo`, `env`, `bash -lc` and the like; a flag among the words has to be given anywhere.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub command: List,
    /// Paths that the call named, with `*` and `?`.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub path: List,
    /// What the text is by itself: `json`, `xml`, `html`, `text`, or a media type such as `application/json`.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub content_type: List,
    /// What the output is of: a family of reducers, such as `test`, `build` or `log`, or `file`, `search`, `listing`,
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

/// The line stages, in the order in which they run. Each sees what those before it left; lines that report a failure
/// pass through all of them as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "RuleStages"))]
pub struct StagesSpec {
    /// Stage 1: Escape sequences go. They always have gone before a rule sees a text, so that only `true` is allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strip_ansi: Option<bool>,
    /// Stage 2: Parts of lines are written anew, one replacement after the other, each at most 64 times in a line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replace: Vec<Replace>,
    /// Stage 3: A text that matches goes as a whole, and the marker says a message in its place. The first that matches is
    /// used; none on a command that failed or may have, nor on a text with a failure line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_output: Vec<MatchOutput>,
    /// Stage 4: Lines go in which one of these regular expressions matches.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub strip_lines: List,
    /// Stage 4: Lines go in which none of these regular expressions matches. Not beside `stripLines`.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub keep_lines: List,
    /// Stage 5: Of a longer line, what stands behind so many characters goes, 20 and up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 20)))]
    pub truncate_lines_at: Option<u64>,
    /// Stage 6: Of the lines that are left, so many from the start stay. With `tailLines`, both do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_lines: Option<u64>,
    /// Stage 6: Of the lines that are left, so many from the end stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail_lines: Option<u64>,
    /// Stage 7: Of the lines that are left, no more than so many from the start stay, 1 and up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub max_lines: Option<u64>,
    /// Stage 8: What the marker says where no line is left.
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
    /// What stands there then; `$1`, `${name}` for what a group matched, `$$` for `$`. Default nothing.
    #[serde(default)]
    pub with: String,
}

/// A text that is told in other words.
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
    /// What the marker says: one line of at most 200 bytes without `[` and `]`. One that tells of success is only
    /// used where the exit status is known to be 0.
    pub message: String,
}

/// A case that a rule has to get right. At least one expectation has to be there.
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
    /// The whole output; the check of its first marker may be left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// Texts that stand in the output.
    #[serde(default, skip_serializing_if = "List::is_empty")]
    pub contains: List,
    /// Texts that do not stand in the output.
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
