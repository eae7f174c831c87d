//! Combines the layers into the resulting settings, and lists the values that are ignored.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::ConfigError;
use super::document::Node;
use super::files::{MAX_RULE_FILES, Read};
use super::given::{self, Given, Origin, flatten};
use super::project::{Part, Untrusted, over};
use crate::config::rules::RuleSet;
use crate::config::schema::{root, settings};
use crate::config::table::row;
use crate::config::{Config, ConfigPatch, Policy, Profile};
use crate::formats::typed;
use crate::rules::Rules;

/// The layers, topmost first, without profile and defaults.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layers {
    pub(super) layers: Vec<Vec<Given>>,
    pub(super) files: Vec<PathBuf>,
    /// The rules from files of rules; they come after those of `policy.rules`.
    pub(super) rules: RuleSet,
    /// Faults of variables and of the user's files.
    pub(super) faults: Vec<ConfigError>,
    /// Faults of the project's files.
    pub(super) of_project: Vec<ConfigError>,
    /// The project's file.
    pub(super) project: Option<PathBuf>,
    pub(super) untrusted: Option<Untrusted>,
}

/// The settings in force, and the origin of each given value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Resolved {
    /// The settings.
    pub config: Config,
    /// The given values in force, in the order of the definition.
    pub given: Vec<Given>,
    /// The project's file, if it is not trusted.
    pub untrusted: Option<Untrusted>,
}

impl Resolved {
    /// Whether any setting says which originals are kept on disk, and how.
    pub fn says_what_is_kept(&self) -> bool {
        let is_of_keeping = |key: &str| key.starts_with("recovery.") && key != "recovery.otherWorkspaces";
        self.given.iter().any(|given| is_of_keeping(&given.key))
    }
}

/// A value that cannot be used, and the error.
struct Bad {
    error: ConfigError,
    given: Option<Box<Given>>,
}

impl Layers {
    /// The files that were found, highest priority first.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The files of rules that any layer names. Those of an untrusted project are included: if they are changed back, the
    /// project is trusted again.
    pub fn rule_files(&self) -> impl Iterator<Item = PathBuf> {
        let ignored = self.untrusted.iter().flat_map(|untrusted| &untrusted.ignored);
        let naming = self.layers.iter().flatten().chain(ignored).filter(|given| given.key == "ruleFiles");
        naming.flat_map(|given| {
            let folder = match &given.origin {
                Origin::File { path, .. } => path.parent(),
                _ => None,
            };
            let names = typed::read_value::<Vec<PathBuf>>(&given.value).unwrap_or_default();
            // An untrusted file may name any number.
            names
                .into_iter()
                .take(MAX_RULE_FILES)
                .map(move |name| folder.map_or_else(|| name.clone(), |folder| folder.join(&name)))
        })
    }

    /// Faults of variables and files; their values are ignored.
    pub fn faults(&self) -> impl Iterator<Item = &ConfigError> {
        self.of_user().iter().chain(&self.of_project)
    }

    /// Only the faults of the user's variables and files.
    pub fn of_user(&self) -> &[ConfigError] {
        &self.faults
    }

    /// Adds the result of a file below the existing layers.
    pub(super) fn add(&mut self, path: PathBuf, read: Read) {
        self.layers.push(read.given);
        self.files.push(path);
        self.faults.extend(read.faults);
        self.untrusted = read.untrusted.or(self.untrusted.take());
    }

    /// These layers with the host's settings on top.
    pub fn under(&self, name: &'static str, patch: &ConfigPatch) -> Self {
        let node = Node::new(&serde_json::to_value(patch).unwrap_or_default());
        let mut top = Vec::new();
        flatten(&node, root(), "", &mut |key, node, _| {
            top.push(Given::new(key, Value::from(node), Origin::Host(name)));
        });
        let mut all = self.clone();
        all.layers.insert(0, top);
        all
    }

    /// The settings that result from all layers.
    ///
    /// # Errors
    ///
    /// A value that cannot be used.
    pub fn resolve(&self) -> Result<Resolved, ConfigError> {
        self.lay().map_err(|bad| bad.error)
    }

    /// The settings that result from all layers without unusable values, and the faults of these values.
    pub fn resolve_usable(&self) -> (Resolved, Vec<ConfigError>) {
        let mut layers = self.clone();
        let mut errors = Vec::new();
        loop {
            let bad = match layers.lay() {
                Ok(resolved) => return (resolved, errors),
                Err(bad) => bad,
            };
            errors.push(bad.error);
            let count = layers.count();
            if let Some(given) = &bad.given {
                layers.layers.iter_mut().for_each(|layer| layer.retain(|one| !one.is(given)));
            }
            if layers.count() == count {
                // No given value is at fault; the defaults can always be used.
                return (Resolved::default(), errors);
            }
        }
    }

    fn count(&self) -> usize {
        self.layers.iter().map(Vec::len).sum()
    }

    fn lay(&self) -> Result<Resolved, Bad> {
        let all = || self.layers.iter().flatten();
        let profile = all().find(|given| given.key == "profile");
        let profile = profile.and_then(|given| typed::read_value::<Profile>(&given.value).ok());
        let named = profile.map(given::of_profile).unwrap_or_default();
        let escapes_exact = all().any(|given| given.is_less);
        let mut given: Vec<Given> = Vec::new();
        let mut refused: Vec<Given> = Vec::new();
        for value in all().chain(&named) {
            match given.iter_mut().find(|known| known.key == value.key) {
                None => given.push(value.clone()),
                Some(known) if known.is_less => lower(known, Some(value), &mut refused),
                Some(known) if row(&known.key).is_some_and(|row| row.is_collected) => {
                    add_below(&mut known.value, &value.value)
                }
                Some(_) => {}
            }
        }
        given.iter_mut().filter(|known| known.is_less).for_each(|known| lower(known, None, &mut refused));
        given.retain(|known| !known.value.is_null());
        let place = |key: &str| settings().iter().position(|setting| setting.key.starts_with(key));
        given.sort_by_cached_key(|given| place(&given.key));
        let mut whole = Map::new();
        given.iter().for_each(|given| put(&mut whole, &given.key, &given.value));
        let patch: ConfigPatch = typed::read_value(&Value::Object(whole))
            .map_err(|fault| wrong(&given, &fault.path, fault.without_position().to_owned()))?;
        let config = Config::default().with(&patch).map_err(|bad| {
            let key = format!("{}.{}", bad.section, bad.key);
            wrong(&given, &key, bad.to_string())
        })?;
        let written = Rules::compile(&config.policy.rules);
        written.map_err(|error| wrong(&given, "policy.rules", error.to_string()))?;
        let rules = self.rules.with(&config.policy.rules);
        let mut untrusted = self.untrusted.clone();
        if let Some(untrusted) = &mut untrusted {
            untrusted.ignored.extend(refused);
        }
        Ok(Resolved {
            config: Config { policy: Policy { rules, escapes_exact, ..config.policy }, ..config },
            given,
            untrusted,
        })
    }
}

/// Applies a value of an untrusted file on top of the lower one; the result is used like any other value. If it has
/// no effect, it becomes null.
fn lower(known: &mut Given, below: Option<&Given>, refused: &mut Vec<Given>) {
    let (value, part) = over(&known.key, &known.value, below.map(|below| &below.value));
    if part == Part::Refused {
        refused.push(known.clone());
    }
    known.is_less = false;
    match (part, below) {
        (Part::Counts, _) => known.value = value.unwrap_or_default(),
        (_, Some(below)) => *known = below.clone(),
        (_, None) => known.value = Value::Null,
    }
}

/// Adds the items of a lower layer before it, except those whose name a higher layer also has.
fn add_below(items: &mut Value, below: &Value) {
    let (Some(items), Some(below)) = (items.as_array_mut(), below.as_array()) else { return };
    let named = |item: &&Value| items.iter().all(|known| known["name"] != item["name"]);
    let more: Vec<Value> = below.iter().filter(named).cloned().collect();
    items.splice(0..0, more);
}

/// An error about a given value, at its origin.
fn wrong(given: &[Given], key: &str, text: String) -> Bad {
    let is_it = |given: &&Given| key.starts_with(&given.key) || given.key.starts_with(key);
    let bad = given.iter().filter(is_it).max_by_key(|given| given.key.len());
    let (place, line) = match bad.map(|given| &given.origin) {
        Some(Origin::File { path, line }) => (path.display().to_string(), Some(*line)),
        Some(origin) => (origin.to_string(), None),
        None => ("configuration".to_owned(), None),
    };
    let text = if text.starts_with(key) { text } else { format!("{key}: {text}") };
    Bad {
        error: ConfigError { place, line, text, is_missing_file: false },
        given: bad.cloned().map(Box::new),
    }
}

/// Puts a value at its path, unless there already is one.
fn put(whole: &mut Map<String, Value>, key: &str, value: &Value) {
    match key.split_once('.') {
        None => {
            whole.entry(key).or_insert_with(|| value.clone());
        }
        Some((name, rest)) => {
            let group = whole.entry(name).or_insert_with(|| Value::Object(Map::new()));
            if let Some(group) = group.as_object_mut() {
                put(group, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn named_items_of_all_layers_count() {
        let mut items = json!([{"name": "b", "of": 2}, {"name": "c", "of": 2}]);
        add_below(&mut items, &json!([{"name": "a", "of": 1}, {"name": "b", "of": 1}]));
        assert_eq!(items, json!([{"name": "a", "of": 1}, {"name": "b", "of": 2}, {"name": "c", "of": 2}]));
    }
}
