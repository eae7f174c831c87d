//! What a project's file may set without the user's trust: only settings that make tersed do less, and never less redaction.
//!
//! It may add to the lists of exclusions, forbid omissions, and lower the mode. Other settings are kept with their
//! lines, to be reported.

use std::path::PathBuf;

use serde_json::Value;

use super::Given;
use crate::config::Mode;
use crate::config::schema::setting;
use crate::config::table::{Project, row};
use crate::formats::typed;

/// Most items that such a file may add to one list, because each call is compared with all of them.
const MAX_ITEMS_PER_LIST: usize = 1000;

/// Most settings that a message names.
const MAX_NAMED_SETTINGS: usize = 12;

/// A project's file that the user does not trust with its current content.
#[derive(Debug, Clone, PartialEq)]
pub struct Untrusted {
    /// The file.
    pub path: PathBuf,
    /// Whether it was trusted with other content.
    pub has_changed: bool,
    /// Its settings that are ignored.
    pub ignored: Vec<Given>,
}

impl Untrusted {
    /// A report on one line; `None` if all settings of the file apply.
    pub fn line(&self) -> Option<String> {
        if self.ignored.is_empty() {
            return None;
        }
        let mut keys: Vec<&str> = self.ignored.iter().map(|given| given.key.as_str()).collect();
        keys.dedup();
        let more = match keys.len().saturating_sub(MAX_NAMED_SETTINGS) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        keys.truncate(MAX_NAMED_SETTINGS);
        let path = self.path.display();
        let changed = if self.has_changed { " since it changed" } else { "" };
        Some(format!(
            "{path}: not trusted{changed}, so that these settings of it do not count: {}{more}; `tersed trust` shows \
             and allows them",
            keys.join(", ")
        ))
    }
}

/// Whether a value can only make tersed do less. For a mode, `over` must also check that it is lower.
pub(super) fn may_say(key: &str, value: &Value) -> bool {
    match row(key).and_then(|row| row.project) {
        Some(Project::TurnsOn) => *value == Value::Bool(true),
        Some(Project::Adds) => value.as_array().is_some_and(|items| items.len() <= MAX_ITEMS_PER_LIST),
        Some(Project::Lowers) => true,
        Some(Project::Never) | None => false,
    }
}

/// Whether a value is a mode that may be higher than the user's.
pub(super) fn may_raise(key: &str, value: &Value) -> bool {
    row(key).and_then(|row| row.project) == Some(Project::Lowers)
        && typed::read_value::<Mode>(value).is_ok_and(|mode| mode >= Mode::Standard)
}

/// The effect of such a file on a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// It changes the value.
    Counts,
    /// It sets the value that already applies.
    Nothing,
    /// It asks for more than it is allowed to.
    Refused,
}

/// Applies a value of such a file on top of the lower one; `None` means the default. Returns the resulting value, and the
/// effect of the file.
pub(super) fn over(key: &str, value: &Value, below: Option<&Value>) -> (Option<Value>, Part) {
    let project = row(key).and_then(|row| row.project);
    if project == Some(Project::Lowers) {
        let mode = |value: &Value| typed::read_value::<Mode>(value).ok();
        let default = || mode(&setting(key)?.default_value());
        let known = below.and_then(mode).or_else(default);
        return match (mode(value), known) {
            (Some(mode), Some(known)) if mode < known => (Some(value.clone()), Part::Counts),
            (Some(mode), Some(known)) if mode == known => (below.cloned(), Part::Nothing),
            _ => (below.cloned(), Part::Refused),
        };
    }
    if project == Some(Project::Adds) {
        let mut all = below.and_then(Value::as_array).cloned().unwrap_or_default();
        let count = all.len();
        for item in value.as_array().into_iter().flatten() {
            if !all.contains(item) {
                all.push(item.clone());
            }
        }
        let part = if all.len() > count { Part::Counts } else { Part::Nothing };
        return (Some(Value::Array(all)), part);
    }
    (Some(value.clone()), if below == Some(value) { Part::Nothing } else { Part::Counts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::exclusion;
    use crate::config::schema::settings;
    use serde_json::json;

    #[test]
    fn lists_of_what_is_excluded_are_all_here() {
        for setting in settings().iter().filter(|setting| setting.key.starts_with("policy.exclude")) {
            let row = row(&setting.key).unwrap();
            assert_eq!(row.project, Some(Project::Adds), "{}", setting.key);
        }
        assert!(exclusion::methods().iter().all(|step| !step.contains("redact") && !step.contains("secret")));
    }

    #[test]
    fn a_mode_is_only_lowered() {
        for (key, given, below, counts) in [
            ("policy.mode", "safe", None, Some("safe")),
            ("policy.mode", "standard", None, None),
            ("policy.mode", "aggressive", None, None),
            ("policy.mode", "aggressive", Some("safe"), Some("safe")),
            ("policy.mode", "standard", Some("aggressive"), Some("standard")),
            ("policy.mode", "disabled", Some("conservative"), Some("disabled")),
            ("policy.mode", "balanced", Some("safe"), Some("safe")),
            ("policy.maxMode", "standard", None, Some("standard")),
            ("policy.maxMode", "aggressive", Some("safe"), Some("safe")),
        ] {
            let below = below.map(|below| json!(below));
            let (value, _) = over(key, &json!(given), below.as_ref());
            assert_eq!(value, counts.map(|mode| json!(mode)), "{key} {given} over {below:?}");
        }
    }

    #[test]
    fn a_list_only_grows() {
        let (value, adds) = over("policy.excludeTools", &json!(["b", "c"]), Some(&json!(["a", "b"])));
        assert_eq!((value, adds), (Some(json!(["a", "b", "c"])), Part::Counts));
        let (value, adds) = over("policy.excludeTools", &json!([]), Some(&json!(["a"])));
        assert_eq!((value, adds), (Some(json!(["a"])), Part::Nothing));
        assert!(may_say("policy.neverOmit", &json!(true)) && !may_say("policy.neverOmit", &json!(false)));
        for key in [
            "policy.redactSecrets",
            "policy.rules",
            "policy.minBytes",
            "ruleFiles",
            "profile",
            "telemetry.path",
        ] {
            assert!(!may_say(key, &json!(true)), "{key}");
        }
    }
}
