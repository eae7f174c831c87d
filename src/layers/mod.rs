//! Where settings come from: flags, environment, project file, user file, profile, defaults; what a host says lies
//! on top. Each value knows its origin. What each setting is stands in `config`.

pub mod check;
pub mod document;
mod files;
mod given;

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::config::schema::{kind, setting, settings};
use crate::config::{Config, ConfigPatch, Policy, Profile};
use crate::rules::{LoadError, Rules};
use check::{check, nearest, quoted};
use document::Node;
pub use files::NAMES;
pub use given::{Given, Origin};
use given::{flatten, of_text};

/// Variable that names the file to read in place of the project's.
pub const FILE_VARIABLE: &str = "TERSED_CONFIG";
/// Variable that, set to anything but nothing, stands for `--no-config`.
pub const NONE_VARIABLE: &str = "TERSED_NO_CONFIG";

/// Variables that are not for this program but for those that start it.
const OF_CLIENTS: [&str; 3] = ["TERSED_BIN", "TERSED_DEADLINE_MS", "TERSED_WRAP"];

/// Lists of named items, of which every layer adds its own.
const ADDED: [&str; 1] = ["policy.rules"];

/// Something wrong with a setting, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// File, variable or flag.
    pub place: String,
    /// Line of the file, from 1.
    pub line: Option<usize>,
    /// Key, value and what is allowed.
    pub text: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.place, self.text),
            None => write!(f, "{}: {}", self.place, self.text),
        }
    }
}

/// All that is wrong, one a line.
pub fn told(errors: &[ConfigError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Where to look. The environment is taken once, when the process starts; files are read at each `load`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sources {
    /// Flags: their name, the setting and its value.
    pub flags: Vec<(String, String, Value)>,
    /// Variables whose name begins with `TERSED_`.
    pub variables: Vec<(String, String)>,
    /// The working directory: the project's file is looked for in it and above.
    pub directory: PathBuf,
    /// The folder of the user's file.
    pub user: Option<PathBuf>,
    /// The user's folder, for `~`.
    pub home: Option<PathBuf>,
    /// The file to read in place of the project's.
    pub file: Option<PathBuf>,
    /// Neither files nor variables are read.
    pub is_bare: bool,
}

impl Sources {
    /// Those of this process, without flags.
    pub fn of_process() -> Result<Self, ConfigError> {
        use etcetera::BaseStrategy;
        let wrong = |place: &str, text: String| ConfigError { place: place.to_owned(), line: None, text };
        let directory = std::env::current_dir().map_err(|e| wrong("the working directory", e.to_string()))?;
        let folders = etcetera::choose_base_strategy().ok();
        let mut sources = Self {
            directory,
            user: folders.as_ref().map(|folders| folders.config_dir().join("tersed")),
            home: folders.map(|folders| folders.home_dir().to_owned()),
            ..Self::default()
        };
        let mut is_bare = false;
        for (name, value) in std::env::vars_os() {
            let Some(name) = name.to_str().filter(|name| name.starts_with("TERSED_")) else { continue };
            if value.is_empty() {
                continue;
            }
            match name {
                FILE_VARIABLE => sources.file = Some(PathBuf::from(value)),
                NONE_VARIABLE => is_bare = true,
                name if OF_CLIENTS.contains(&name) => {}
                name => {
                    let value =
                        value.into_string().map_err(|_| wrong(name, "its value is no UTF-8".to_owned()))?;
                    sources.variables.push((name.to_owned(), value));
                }
            }
        }
        sources.variables.sort();
        Ok(if is_bare { sources.bare() } else { sources })
    }

    /// The same without files and variables.
    pub fn bare(self) -> Self {
        Self { is_bare: true, variables: Vec::new(), file: None, ..self }
    }

    /// Reads all layers. Gives everything that is wrong.
    pub fn load(&self) -> Result<Layers, Vec<ConfigError>> {
        let mut errors = Vec::new();
        let mut layers = vec![self.of_flags(&mut errors), self.of_variables(&mut errors)];
        let mut read = Vec::new();
        if !self.is_bare {
            for (path, is_found) in self.files(&mut errors) {
                layers.push(files::read(&path, is_found, self, &mut errors));
                read.push(path);
            }
        }
        let rules = rules_of(&layers, &mut errors);
        let layers = Layers { layers, files: read, rules };
        match errors.is_empty() {
            true => Ok(layers),
            false => Err(errors),
        }
    }

    /// Where files are looked for.
    pub fn places(&self) -> Vec<PathBuf> {
        if self.is_bare {
            return Vec::new();
        }
        let of_project = self.directory.ancestors().filter(|_| self.file.is_none());
        let folders = of_project.chain(self.user.as_deref());
        let in_folders = folders.flat_map(|folder| NAMES.iter().map(|name| folder.join(name)));
        self.file.iter().map(|file| self.directory.join(file)).chain(in_folders).collect()
    }

    /// The project's file, then the user's, each with whether it was only found.
    fn files(&self, errors: &mut Vec<ConfigError>) -> Vec<(PathBuf, bool)> {
        let mut all: Vec<(PathBuf, bool)> = Vec::new();
        match &self.file {
            Some(file) => all.push((self.directory.join(file), false)),
            None => {
                let found = self.directory.ancestors().find_map(|folder| files::in_folder(folder, errors));
                all.extend(found.map(|path| (path, true)));
            }
        }
        let user = self.user.as_deref().and_then(|folder| files::in_folder(folder, errors));
        if let Some(user) = user {
            // A process that runs in the user's folder finds the same file twice.
            all.retain(|(path, _)| *path != user);
            all.push((user, false));
        }
        all
    }

    fn of_flags(&self, errors: &mut Vec<ConfigError>) -> Vec<Given> {
        let mut all: Vec<Given> = Vec::new();
        for (flag, key, value) in &self.flags {
            let node = Node::new(value);
            self.add(Origin::Flag(flag.clone()), key, &node, &mut all, errors);
        }
        // A flag that is given again counts more.
        all.reverse();
        all
    }

    fn of_variables(&self, errors: &mut Vec<ConfigError>) -> Vec<Given> {
        let mut all = Vec::new();
        for (name, value) in &self.variables {
            let Some(known) = settings().iter().find(|setting| setting.variable() == *name) else {
                let names: Vec<String> = settings().iter().map(|setting| setting.variable()).collect();
                let near = nearest(name, names.iter().map(String::as_str));
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                let text = format!("no setting has this variable{near}");
                errors.push(ConfigError { place: name.clone(), line: None, text });
                continue;
            };
            let node = of_text(value, &known.kind);
            self.add(Origin::Variable(name.clone()), &known.key, &node, &mut all, errors);
        }
        all
    }

    /// Checks one value and adds it.
    fn add(
        &self,
        origin: Origin,
        key: &str,
        node: &Node,
        all: &mut Vec<Given>,
        errors: &mut Vec<ConfigError>,
    ) {
        let Some(kind) = kind(key) else { return };
        let wrong = check(node, kind, key);
        if wrong.is_empty() {
            flatten(node, kind, key, &mut |key, node, _| {
                let value = files::placed(key, Value::from(node), &self.directory, self);
                all.push(Given { key: key.to_owned(), value, origin: origin.clone() });
            });
        }
        errors.extend(wrong.into_iter().map(|wrong| ConfigError {
            place: origin.to_string(),
            line: None,
            text: wrong.text,
        }));
    }
}

/// Reads `KEY=VALUE` as a flag gives it.
pub fn of_flag(text: &str) -> Result<(String, Value), String> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(format!("{} is not allowed, allowed is KEY=VALUE", quoted(text)));
    };
    let Some(known) = setting(key) else {
        let near = nearest(key, settings().iter().map(|setting| setting.key.as_str()));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(format!("{}: there is no such setting{near}", key.escape_debug()));
    };
    Ok((key.to_owned(), Value::from(&of_text(value, &known.kind))))
}

/// What one file gives, and all that is wrong with it.
pub fn read_file(path: &Path, sources: &Sources) -> Result<Vec<Given>, Vec<ConfigError>> {
    let mut errors = Vec::new();
    let given = files::read(path, false, sources, &mut errors);
    if errors.is_empty() { Ok(given) } else { Err(errors) }
}

/// The layers, the topmost first; profile and defaults are not among them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layers {
    layers: Vec<Vec<Given>>,
    files: Vec<PathBuf>,
    /// Those of the files of rules; they lie below those of `policy.rules`.
    rules: Rules,
}

/// The settings in force, and where each comes from that somebody gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Resolved {
    /// The settings.
    pub config: Config,
    /// What was given and counts, in the order of the definition.
    pub given: Vec<Given>,
}

impl Layers {
    /// The files that were read, those that count more first.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// These layers with what a host gave on top of them.
    pub fn under(&self, name: &'static str, patch: &ConfigPatch) -> Self {
        let node = Node::new(&serde_json::to_value(patch).unwrap_or_default());
        let mut top = Vec::new();
        flatten(&node, crate::config::schema::root(), "", &mut |key, node, _| {
            top.push(Given { key: key.to_owned(), value: Value::from(node), origin: Origin::Host(name) });
        });
        let mut all = self.clone();
        all.layers.insert(0, top);
        all
    }

    /// The settings that come of all layers.
    pub fn resolve(&self) -> Result<Resolved, ConfigError> {
        let all = || self.layers.iter().flatten();
        let profile = all().find(|given| given.key == "profile");
        let profile = profile.and_then(|given| serde_json::from_value::<Profile>(given.value.clone()).ok());
        let named = profile.map(given::of_profile).unwrap_or_default();
        let mut given: Vec<Given> = Vec::new();
        for value in all().chain(&named) {
            match given.iter_mut().find(|known| known.key == value.key) {
                None => given.push(value.clone()),
                Some(known) if ADDED.contains(&known.key.as_str()) => {
                    add_below(&mut known.value, &value.value)
                }
                Some(_) => {}
            }
        }
        let place = |key: &str| settings().iter().position(|setting| setting.key.starts_with(key));
        given.sort_by_cached_key(|given| place(&given.key));
        let mut whole = Map::new();
        given.iter().for_each(|given| put(&mut whole, &given.key, &given.value));
        let patch: ConfigPatch = serde_path_to_error::deserialize(Value::Object(whole)).map_err(|error| {
            let key = error.path().to_string();
            self::wrong(&given, &key, error.into_inner().to_string())
        })?;
        let config = Config::default().with(&patch).map_err(|bad| {
            let key = format!("{}.{}", bad.section, bad.key);
            self::wrong(&given, &key, bad.to_string())
        })?;
        let rules = self.rules.with(&config.policy.rules);
        Ok(Resolved { config: Config { policy: Policy { rules, ..config.policy }, ..config }, given })
    }
}

/// What the files of rules hold that the topmost layer names which names any.
fn rules_of(layers: &[Vec<Given>], errors: &mut Vec<ConfigError>) -> Rules {
    let files = layers.iter().flatten().find(|given| given.key == "ruleFiles");
    let files = files.and_then(|given| serde_json::from_value::<Vec<PathBuf>>(given.value.clone()).ok());
    let mut all = Rules::default();
    for file in files.into_iter().flatten() {
        match crate::rules::load(&file) {
            Ok(rules) => all = all.with(&rules),
            Err(LoadError { path, line, reason }) => {
                errors.push(ConfigError { place: path.display().to_string(), line, text: reason });
            }
        }
    }
    all
}

/// Adds the items of a lower layer in front, but for those whose name a higher one gives too.
fn add_below(items: &mut Value, below: &Value) {
    let (Some(items), Some(below)) = (items.as_array_mut(), below.as_array()) else { return };
    let named = |item: &&Value| items.iter().all(|known| known["name"] != item["name"]);
    let more: Vec<Value> = below.iter().filter(named).cloned().collect();
    items.splice(0..0, more);
}

/// An error about a value that was given, at its origin.
fn wrong(given: &[Given], key: &str, text: String) -> ConfigError {
    let origin = given.iter().filter(|given| key.starts_with(&given.key)).max_by_key(|given| given.key.len());
    let (place, line) = match origin.map(|given| &given.origin) {
        Some(Origin::File { path, line }) => (path.display().to_string(), Some(*line)),
        Some(origin) => (origin.to_string(), None),
        None => ("configuration".to_owned(), None),
    };
    let text = if text.starts_with(key) { text } else { format!("{key}: {text}") };
    ConfigError { place, line, text }
}

/// Puts a value at its place, unless one stands there already.
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
