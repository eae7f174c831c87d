//! Profiles: nothing but named settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings under one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// An agent that edits code: files and searches as they are, reports read.
    Coding,
    /// An agent that reads a lot: outlines, tables and limits.
    Research,
    /// An agent that operates machines: logs by form, originals of failures kept.
    Ops,
}

impl Profile {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Coding, Self::Research, Self::Ops];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Coding => "coding",
            Self::Research => "research",
            Self::Ops => "ops",
        }
    }

    /// The settings, as a file would give them.
    pub fn settings(self) -> &'static str {
        match self {
            // What is edited by its text has to be seen word for word; a climb must not rewrite it.
            Self::Coding => {
                "policy:
  mode: standard
  maxMode: standard
  fileFullMaxLines: 400
  fileLineNumbers: true
  excludeFlags: [--porcelain, --name-only]
"
            }
            // What was read once is looked up again, not read again.
            Self::Research => {
                "policy:
  mode: aggressive
  budget:
    perResult: 4000
    total: 16000
  searchMaxMatchesPerFile: 5
"
            }
            // What failed is asked for days later.
            Self::Ops => {
                "policy:
  mode: aggressive
  dropEmpty: true
recovery:
  mode: failures
  retentionSeconds: 604800
alerts:
  failureThreshold: 3
"
            }
        }
    }
}
