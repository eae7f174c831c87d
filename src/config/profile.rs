//! Profiles: named sets of settings.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Settings under one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// An agent that edits code: files and searches stay as they are, reports are reduced.
    Coding,
    /// An agent that reads a lot: outlines, tables and limits.
    Research,
    /// An agent that operates machines: logs grouped by form, originals of failures kept.
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
            // Text that is edited must be seen word for word; a budget must not rewrite it.
            Self::Coding => json!({
                "policy": {
                    "mode": "standard",
                    "maxMode": "standard",
                    "fileFullMaxLines": 400,
                    "fileLineNumbers": true,
                    "excludeFlags": ["--porcelain", "--name-only"],
                },
            }),
            // An agent that needs a text again searches it instead of reading all of it.
            Self::Research => json!({
                "policy": {
                    "mode": "aggressive",
                    "budget": { "perResult": 4000, "total": 16000 },
                    "searchMaxMatchesPerFile": 5,
                },
            }),
            // Failures are investigated days later.
            Self::Ops => json!({
                "policy": { "mode": "aggressive", "dropEmpty": true },
                "recovery": { "mode": "failures", "retentionSeconds": 604_800 },
                "alerts": { "failureThreshold": 3 },
            }),
        }
    }

    /// The settings, as a YAML file.
    pub fn yaml(self) -> String {
        let mut out = String::new();
        write(&self.settings(), "", &mut out);
        out
    }
}

/// Writes each member of a group on its own line, and lists of names on one line.
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
