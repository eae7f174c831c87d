//! Profiles: nothing but named settings.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Settings under one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

    /// The settings.
    pub fn settings(self) -> Value {
        match self {
            // What is edited by its text has to be seen word for word; a climb must not rewrite it.
            Self::Coding => json!({
                "policy": {
                    "mode": "standard",
                    "maxMode": "standard",
                    "fileFullMaxLines": 400,
                    "fileLineNumbers": true,
                    "excludeFlags": ["--porcelain", "--name-only"],
                },
            }),
            // What was read once is looked up again, not read again.
            Self::Research => json!({
                "policy": {
                    "mode": "aggressive",
                    "budget": { "perResult": 4000, "total": 16000 },
                    "searchMaxMatchesPerFile": 5,
                },
            }),
            // What failed is asked for days later.
            Self::Ops => json!({
                "policy": { "mode": "aggressive", "dropEmpty": true },
                "recovery": { "mode": "failures", "retentionSeconds": 604_800 },
                "alerts": { "failureThreshold": 3 },
            }),
        }
    }

    /// The settings, as a file of YAML would give them.
    pub fn yaml(self) -> String {
        let mut out = String::new();
        write(&self.settings(), "", &mut out);
        out
    }
}

/// Writes groups with a line for each member, and lists of names in one line.
fn write(group: &Value, indent: &str, out: &mut String) {
    for (name, value) in group.as_object().into_iter().flatten() {
        *out += &match value {
            Value::Object(_) => format!("{indent}{name}:\n"),
            Value::Array(items) => {
                let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                format!("{indent}{name}: [{}]\n", items.join(", "))
            }
            Value::String(text) => format!("{indent}{name}: {text}\n"),
            value => format!("{indent}{name}: {value}\n"),
        };
        write(value, &format!("{indent}  "), out);
    }
}
