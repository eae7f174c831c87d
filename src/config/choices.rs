//! Settings of the policy whose value is one of several names.

use serde::{Deserialize, Serialize};

/// How far a result may be changed: each mode does everything that the one before it does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Nothing.
    #[serde(alias = "off")]
    Disabled,
    /// Redaction, terminal clean-up, invisible characters, binary suppression, byte cap.
    #[serde(alias = "conservative")]
    Safe,
    /// `safe` and one content-aware reducer, lossless minification, repeated lines, duplicates.
    #[default]
    #[serde(alias = "balanced")]
    Standard,
    /// `standard` and tighter reducers.
    Aggressive,
}

impl Mode {
    /// The mode's name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Safe => "safe",
            Self::Standard => "standard",
            Self::Aggressive => "aggressive",
        }
    }
}

/// How much evidence a response carries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EvidenceDetail {
    /// None.
    None,
    /// Only when the text was changed or a rule bypassed it.
    Changed,
    /// Always.
    #[default]
    Full,
}

/// What a repeated request gets after an answer that was a reference or had gaps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnRepeat {
    /// The whole text: asking again means that more is needed.
    #[default]
    Full,
    /// The same answer as before.
    Same,
}

/// How much of a file is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FileDetail {
    /// Depends on size, request and the topic of the session.
    #[default]
    Auto,
    /// All of it.
    Full,
    /// Declarations of types, functions and constants.
    Structure,
    /// Declarations of functions only.
    Signatures,
}

/// What may happen to structured data (JSON, XML, YAML and the like).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Structured {
    /// `parseable` up to `standard`, `tables` in `aggressive`.
    #[default]
    Auto,
    /// A document stays valid in its format, even if parts are left out.
    Parseable,
    /// As `parseable`, but arrays of objects may become schema tables, which lose nothing.
    Tables,
    /// Omissions may be marked as in any other text.
    Plain,
}

/// What is done to the schemas of the tools in a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ToolSchemas {
    /// Nothing.
    #[default]
    Disabled,
    /// As `toolSchema/minify` does.
    Minify,
}

/// How repeated text is replaced by a dictionary in `aggressive`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DictionaryMethod {
    /// Not at all.
    None,
    /// Repeated runs of bytes.
    Lzw,
    /// Repeated sequences of words.
    Repair,
    /// The method that gives fewer tokens.
    #[default]
    Auto,
}
