//! Settings of the policy that are one name of several.

use serde::{Deserialize, Serialize};

/// How far a result may be changed: each mode does what the one before it does, and more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Nothing.
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

/// What a request gets that is repeated after an answer that was a reference or had gaps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnRepeat {
    /// The whole text: asking again means wanting more.
    #[default]
    Full,
    /// What it would get at any time.
    Same,
}

/// How much of a file is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FileDetail {
    /// By size, request and what the session is about.
    #[default]
    Auto,
    /// All of it.
    Full,
    /// Declarations of types, functions and constants.
    Structure,
    /// Declarations of functions only.
    Signatures,
}

/// What may become of structured data (JSON, XML, YAML and the like).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Structured {
    /// `parseable` up to `standard`, `tables` in `aggressive`.
    #[default]
    Auto,
    /// A document stays one of its own format, also where parts of it are left out.
    Parseable,
    /// As `parseable`, but arrays of objects may become schema tables, which lose nothing.
    Tables,
    /// Parts that are left out may be marked as in any other text.
    Plain,
}

/// How repeated text is written once in `aggressive`.
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
    /// What gives fewer tokens.
    #[default]
    Auto,
}
