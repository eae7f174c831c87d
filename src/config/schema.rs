//! The JSON Schema of the settings, and the list of settings that is read from it.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::Config;
use super::kind::Kind;
#[cfg(feature = "schema")]
use super::table::{MAX_NUMBER, TABLES};

/// One setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Its key: `policy.budget.perResult`.
    pub key: String,
    /// Its allowed values.
    pub kind: Kind,
    /// Its documentation.
    pub doc: String,
    /// Its default in words.
    pub default: String,
}

impl Setting {
    /// The environment variable that sets it: `TERSED_`, then its key in capital letters, with `_` for each `.` and before
    /// each capital letter. `POLICY_` may be left out where it is read.
    pub fn variable(&self) -> String {
        let mut name = String::from("TERSED_");
        for c in self.key.chars() {
            match c {
                '.' => name.push('_'),
                c if c.is_ascii_uppercase() => name.extend(['_', c]),
                c => name.push(c.to_ascii_uppercase()),
            }
        }
        name
    }

    /// Its default as a value; null if it depends on the mode or there is none.
    pub fn default_value(&self) -> Value {
        static DEFAULTS: LazyLock<Value> =
            LazyLock::new(|| serde_json::to_value(Config::default()).unwrap_or_default());
        DEFAULTS.pointer(&format!("/{}", self.key.replace('.', "/"))).cloned().unwrap_or_default()
    }
}

/// The schema of a configuration file.
#[cfg(not(feature = "schema"))]
pub fn schema() -> Value {
    // The result of the version below; `tests/integration/generated.rs` compares the two.
    const GENERATED: &str = include_str!("../../protocol/v1/config.schema.json");
    serde_json::from_str(GENERATED).unwrap_or_default()
}

/// The schema of a configuration file.
#[cfg(feature = "schema")]
pub fn schema() -> Value {
    let generator = schemars::generate::SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<super::ConfigPatch>().to_value();
    schema["title"] = serde_json::json!("tersed configuration");
    if let Some(definitions) = schema["$defs"].as_object_mut() {
        complete(definitions);
    }
    schema
}

/// The JSON Schema of the settings as text, for editors.
pub fn schema_json() -> String {
    serde_json::to_string_pretty(&schema()).unwrap_or_default() + "\n"
}

/// Adds details that the types do not show: ranges, items of lists, and aliases of modes.
#[cfg(feature = "schema")]
pub fn complete(definitions: &mut Map<String, Value>) {
    for (name, definition) in definitions.iter_mut().filter(|(name, _)| name.ends_with("Patch")) {
        let Some(properties) = definition["properties"].as_object_mut() else { continue };
        let rows = TABLES.iter().find(|table| table.patch == name).map_or(&[][..], |table| table.rows);
        for (member, property) in properties {
            let row = rows.iter().find(|row| row.name() == *member);
            if property["format"] == "uint64" {
                let (min, max) = row.map_or((0, MAX_NUMBER), |row| (row.min, row.max));
                property["minimum"] = serde_json::json!(min);
                property["maximum"] = serde_json::json!(max);
            }
            if let Some(items) = row.and_then(|row| row.items) {
                property["items"]["enum"] = serde_json::json!(items());
            }
            // Aliases are read and never written, so they belong only to this setting.
            if name == "PolicyPatch"
                && matches!(member.as_str(), "mode" | "maxMode")
                && let Some(names) = property["anyOf"].as_array_mut()
            {
                names.push(serde_json::json!({
                    "description": "Other names of `disabled`, `safe` and `standard`.",
                    "enum": ["off", "conservative", "balanced"],
                }));
            }
        }
    }
}

/// The allowed content of a whole file.
pub fn root() -> &'static Kind {
    static ROOT: LazyLock<Kind> = LazyLock::new(|| {
        let schema = schema();
        let none = Map::new();
        Kind::read(&schema, schema["$defs"].as_object().unwrap_or(&none))
    });
    &ROOT
}

/// The allowed values of a setting or a group.
pub fn kind(key: &str) -> Option<&'static Kind> {
    key.split('.').try_fold(root(), |kind, name| match kind {
        Kind::Group(members) => members.iter().find(|member| member.name == name).map(|member| &member.kind),
        _ => None,
    })
}

/// All settings, in the order of the definition.
pub fn settings() -> &'static [Setting] {
    static SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| {
        let mut all = Vec::new();
        collect(root(), "", "", &mut all);
        all
    });
    &SETTINGS
}

/// The setting with that key.
pub fn setting(key: &str) -> Option<&'static Setting> {
    settings().iter().find(|setting| setting.key == key)
}

fn collect(kind: &Kind, key: &str, doc: &str, all: &mut Vec<Setting>) {
    match kind {
        Kind::Group(members) => {
            for member in members {
                let dot = if key.is_empty() { "" } else { "." };
                collect(&member.kind, &format!("{key}{dot}{}", member.name), &member.doc, all);
            }
        }
        kind => {
            let (doc, default) = parted(doc);
            all.push(Setting { key: key.to_owned(), kind: kind.clone(), doc, default });
        }
    }
}

/// Splits a description into its text and the sentence about the default.
fn parted(doc: &str) -> (String, String) {
    let Some(at) = doc.find("Default ") else { return (doc.trim().to_owned(), String::new()) };
    let rest = &doc[at + "Default ".len()..];
    // A full stop inside a name does not end a sentence.
    let end = rest.find(". ").map_or(rest.len(), |end| end + 1);
    let default = rest[..end].trim_end_matches('.').to_owned();
    (format!("{}{}", &doc[..at], rest[end..].trim_start()).trim().to_owned(), default)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_in_words_are_those_in_force() {
        assert!(settings().len() > 70);
        for setting in settings() {
            let Setting { key, default, .. } = setting;
            assert!(!default.is_empty(), "{key} tells no default");
            let told = match setting.default_value() {
                Value::Null => continue,
                Value::Bool(is) => is.to_string(),
                Value::Number(number) => number.to_string(),
                Value::String(text) => format!("`{text}`"),
                Value::Array(items) if items.is_empty() => "none".to_owned(),
                Value::Array(items) => items
                    .iter()
                    .map(|item| format!("`{}`", item.as_str().unwrap()))
                    .collect::<Vec<_>>()
                    .join(", "),
                Value::Object(_) => "none".to_owned(),
            };
            let is_told = default.to_lowercase().starts_with(&told);
            assert!(is_told, "{key}: told `{default}`, in force `{told}`");
        }
    }

    #[test]
    fn variables_are_unique() {
        let mut names: Vec<String> = settings().iter().map(Setting::variable).collect();
        assert!(names.contains(&"TERSED_POLICY_BUDGET_PER_RESULT".to_owned()));
        assert!(names.contains(&"TERSED_RULE_FILES".to_owned()));
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
        // A short form, without `POLICY_`, must not be the name of another setting.
        let short =
            names.iter().filter_map(|name| Some(format!("TERSED_{}", name.strip_prefix("TERSED_POLICY_")?)));
        let taken: Vec<String> = short.filter(|short| names.contains(short)).collect();
        assert_eq!(taken, Vec::<String>::new());
    }

    #[test]
    fn what_the_schema_bounds_is_bounded() {
        for Setting { key, kind, .. } in settings() {
            let Kind::Whole { min, max } = *kind else { continue };
            let with = |value: u64| {
                let mut patch = serde_json::json!(value);
                for name in key.rsplit('.') {
                    patch = serde_json::json!({ name: patch });
                }
                Config::default().with(&serde_json::from_value(patch).unwrap())
            };
            assert!(with(min).is_ok() && with(max).is_ok(), "{key}");
            assert!(with(max + 1).is_err(), "{key}: {max}");
            assert!(min == 0 || with(min - 1).is_err(), "{key}: {min}");
        }
    }
}
