//! Where settings come from: flags, environment, the project's file, the user's file, a profile. Settings from the host
//! override them all. Each value keeps its origin. `config` defines the settings.
//!
//! There are three levels of trust. Flags, the environment, the host and the user's own files are trusted. A
//! project's file may be written by somebody else, so it may only make tersed do less, until the user trusts it
//! (`trust`). Output of a tool is never a setting. A file that cannot be read and a value that is not allowed are
//! reported as faults, and the value of the next lower layer applies. So a typing error never turns off redaction.

pub mod check;
pub mod document;
mod files;
mod given;
mod project;
mod resolve;
pub mod rule_file;
mod search;
pub mod trust;

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::config::elsewhere;
use crate::config::schema::{kind, setting, settings};
use crate::formats::typed;

use crate::sanitize::{self, RedactionFailed};
use crate::text::nearest::nearest;
use check::{check, quoted};
use document::Node;
pub use files::{CONFIG_FILE_NAMES, ProjectFile, TUNED, project_file};
pub use given::{Given, Origin, meant_name};
use given::{flatten, of_text};
pub use project::Untrusted;
pub use resolve::{Layers, Resolved};
use rule_file::LoadError;

/// Variable that names a file to read instead of the project's.
pub const FILE_VARIABLE: &str = "TERSED_CONFIG";
/// Variable that means `--no-config` if it is not empty.
pub const NONE_VARIABLE: &str = "TERSED_NO_CONFIG";

/// Variables for programs that start this one.
const OF_CLIENTS: [&str; 3] = ["TERSED_BIN", "TERSED_DEADLINE_MS", "TERSED_WRAP"];

/// A fault of a setting, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// File, variable or flag.
    pub place: String,
    /// Line of the file, from 1.
    pub line: Option<usize>,
    /// Key, value and what is allowed.
    pub text: String,
    /// Whether there is no such file.
    pub is_missing_file: bool,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.place, self.text),
            None => write!(f, "{}: {}", self.place, self.text),
        }
    }
}

/// All errors, one on each line.
pub fn joined(errors: &[ConfigError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// A line about settings for people and logs. Secrets are removed; control characters, invisible characters and
/// characters that reorder others are written as escapes.
pub fn printable(line: &str) -> String {
    let is_plain = |c: &char| !c.is_control() && !is_unseen(*c);
    let none = |_: RedactionFailed| "a configuration cannot be read".to_owned();
    // Redacted before the characters are escaped, too: an escape would split a secret that contains such a character.
    let safe = sanitize::redact_only(line).map_or_else(none, |(text, _)| text);
    let line: String = safe
        .chars()
        .map(|c| if is_plain(&c) { c.to_string() } else { c.escape_default().to_string() })
        .collect();
    sanitize::redact_only(&line).map_or_else(none, |(text, _)| text)
}

/// Whether a character is invisible, or changes the order or the line of others: the categories Cf, Zl and Zp of
/// Unicode 16, and other code points that are ignored by default (`Default_Ignorable_Code_Point`), such as tags and
/// variation selectors.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}'
        | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Where to look for settings. The environment is read once, when the process starts; files are read by each `load`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sources {
    /// Flags: name, setting and value.
    pub flags: Vec<(String, String, Value)>,
    /// Variables whose name begins with `TERSED_`.
    pub variables: Vec<(String, String)>,
    /// The working directory: the project's file is searched in it and above.
    pub directory: PathBuf,
    /// The folder of the user's file.
    pub user: Option<PathBuf>,
    /// The user's home folder, for `~`. The search for project files ends there.
    pub home: Option<PathBuf>,
    /// The state folder of this program, which holds the trust records.
    pub state: Option<PathBuf>,
    /// The file to read instead of the project's.
    pub file: Option<PathBuf>,
    /// Whether to read neither files nor variables.
    pub is_bare: bool,
    /// Faults of the process itself.
    pub faults: Vec<ConfigError>,
    /// Variables of other programs that have the meaning of a setting here. They may be meant for those programs, so
    /// they are not faults.
    pub foreign: Vec<ConfigError>,
}

impl Sources {
    /// The sources of this process, without flags.
    pub fn of_process() -> Self {
        let wrong = |place: &str, text: String| ConfigError {
            place: place.to_owned(),
            line: None,
            text,
            is_missing_file: false,
        };
        let mut sources = folders();
        match std::env::current_dir() {
            Ok(directory) => sources.directory = directory,
            // Without a working directory there is no project.
            Err(error) => sources.faults.push(wrong("the working directory", error.to_string())),
        }
        let mut is_bare = false;
        for (name, value) in std::env::vars_os() {
            let Some(name) = name.to_str().filter(|_| !value.is_empty()) else { continue };
            if let Some(answer) = elsewhere::of_variable(name) {
                let text = format!("it belongs to another program and does not count here{answer}");
                sources.foreign.push(wrong(name, text));
            }
            if !name.starts_with("TERSED_") {
                continue;
            }
            match name {
                FILE_VARIABLE => sources.file = Some(PathBuf::from(value)),
                NONE_VARIABLE => is_bare = true,
                name if OF_CLIENTS.contains(&name) => {}
                name => match value.into_string() {
                    Ok(value) => sources.variables.push((name.to_owned(), value)),
                    Err(_) => sources.faults.push(wrong(name, "its value is not UTF-8".to_owned())),
                },
            }
        }
        sources.variables.sort();
        if is_bare { sources.bare() } else { sources }
    }

    /// These sources without files and variables.
    pub fn bare(self) -> Self {
        Self {
            is_bare: true,
            variables: Vec::new(),
            file: None,
            faults: Vec::new(),
            foreign: Vec::new(),
            ..self
        }
    }

    /// Reads all layers and reports every fault.
    ///
    /// # Errors
    ///
    /// All faults of flags, variables and files.
    pub fn load(&self) -> Result<Layers, Vec<ConfigError>> {
        let layers = self.read()?;
        let faults: Vec<ConfigError> = layers.faults().cloned().collect();
        if faults.is_empty() { Ok(layers) } else { Err(faults) }
    }

    /// Reads all layers. Faults of variables and files are kept in the layers, and their values are ignored.
    ///
    /// # Errors
    ///
    /// Faults of flags.
    pub fn read(&self) -> Result<Layers, Vec<ConfigError>> {
        let mut wrong = Vec::new();
        let flags = self.of_flags(&mut wrong);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let mut faults = self.faults.clone();
        let variables = self.of_variables(&mut faults);
        let mut all = Layers { layers: vec![flags, variables], faults, ..Layers::default() };
        let mut texts = Vec::new();
        if !self.is_bare {
            texts = self.read_files(&mut all);
        }
        self.read_rules(&mut all, &texts);
        Ok(all)
    }

    /// Reads the project's file or its replacement, then the user's. Returns the files of rules of a trusted project.
    fn read_files(&self, all: &mut Layers) -> files::Texts {
        let user = self.user.as_deref().and_then(|folder| files::in_folder(folder, &mut all.faults));
        let mut texts = Vec::new();
        match &self.file {
            Some(file) => {
                let file = self.directory.join(file);
                // It may be the user's own file.
                if user.as_ref() != Some(&file) {
                    all.add(file.clone(), files::read(&file, self));
                }
            }
            None => {
                let real = |path: &Path| crate::files::resolved(path).ok();
                let mut found = search::upwards(&self.directory, self.home.as_deref());
                // In the user's folder both searches find the same file.
                let is_user =
                    |(folder, _): &(PathBuf, _)| self.user.as_deref().and_then(real).as_ref() == Some(folder);
                found.file = found.file.take_if(|file| !is_user(file));
                if let Some((path, mut read)) = files::read_project(&found, self) {
                    all.of_project = std::mem::take(&mut read.faults);
                    all.project = Some(path.clone());
                    texts = std::mem::take(&mut read.rules);
                    all.add(path, read);
                }
            }
        }
        if let Some(user) = user {
            let read = files::read(&user, self);
            all.add(user, read);
        }
        // The limit from `tersed tune` has a lower priority than the user's file.
        let tuned = self.user.as_deref().map(|folder| folder.join(TUNED));
        if let Some(tuned) = tuned.filter(|tuned| tuned.symlink_metadata().is_ok()) {
            let read = files::read(&tuned, self);
            all.add(tuned, read);
        }
        texts
    }

    /// Where files are searched, and the trust records that apply to them.
    pub fn places(&self) -> Vec<PathBuf> {
        if self.is_bare {
            return Vec::new();
        }
        let found = match self.file {
            Some(_) => search::Found::default(),
            None => search::upwards(&self.directory, self.home.as_deref()),
        };
        let folders = found.folders.iter().map(PathBuf::as_path).chain(self.user.as_deref());
        let in_folders = folders.flat_map(|folder| CONFIG_FILE_NAMES.iter().map(|name| folder.join(name)));
        let tuned = self.user.as_deref().map(|folder| folder.join(TUNED));
        let trusted = self.state.as_deref().map(|state| trust::Trusted::below(state).folder());
        self.file
            .iter()
            .map(|file| self.directory.join(file))
            .chain(in_folders)
            .chain(tuned)
            .chain(trusted)
            .collect()
    }

    /// Reads the files of rules that the topmost layer with such a setting names. A faulty file adds nothing.
    fn read_rules(&self, all: &mut Layers, texts: &files::Texts) {
        let Some(given) = all.layers.iter().flatten().find(|given| given.key == "ruleFiles") else { return };
        let is_of_project =
            matches!(&given.origin, Origin::File { path, .. } if all.project.as_deref() == Some(path));
        let files = typed::read_value::<Vec<PathBuf>>(&given.value).unwrap_or_default();
        for file in files {
            let read = match is_of_project {
                // Uses only the bytes whose digest was taken.
                true => match texts.iter().find(|(path, _)| *path == file) {
                    Some((path, bytes)) => rule_file::read_bytes(path, bytes),
                    None => continue,
                },
                false => rule_file::load(&file),
            };
            match read {
                Ok(rules) => all.rules = all.rules.with(&rules),
                Err(LoadError { path, line, reason, is_missing_file }) => {
                    let place = path.display().to_string();
                    let fault = ConfigError { place, line, text: reason, is_missing_file };
                    if is_of_project { all.of_project.push(fault) } else { all.faults.push(fault) }
                }
            }
        }
    }

    fn of_flags(&self, errors: &mut Vec<ConfigError>) -> Vec<Given> {
        let mut all: Vec<Given> = Vec::new();
        for (flag, key, value) in &self.flags {
            let node = Node::new(value);
            self.add(Origin::Flag(flag.clone()), key, &node, &mut all, errors);
        }
        // Of repeated flags, the last one applies.
        all.reverse();
        all
    }

    fn of_variables(&self, errors: &mut Vec<ConfigError>) -> Vec<Given> {
        let mut all = Vec::new();
        for (name, value) in &self.variables {
            let named = |name: &str| settings().iter().find(|setting| setting.variable() == name);
            let whole = name.strip_prefix("TERSED_").map(|rest| format!("TERSED_POLICY_{rest}"));
            if let Some(whole) =
                whole.as_ref().filter(|whole| self.variables.iter().any(|(name, _)| name == *whole))
            {
                let text = format!("it says the same as {whole}, which is given too");
                errors.push(ConfigError { place: name.clone(), line: None, text, is_missing_file: false });
                continue;
            }
            let Some(known) = named(name).or_else(|| named(&whole?)) else {
                let names: Vec<String> = settings().iter().map(|setting| setting.variable()).collect();
                let near = || nearest(name, names.iter().map(String::as_str));
                let near = near().map(|near| format!("; did you mean `{near}`?"));
                let theirs = || elsewhere::of_key(name.strip_prefix("TERSED_").unwrap_or(name));
                let text =
                    format!("no setting has this variable{}", near.or_else(theirs).unwrap_or_default());
                errors.push(ConfigError { place: name.clone(), line: None, text, is_missing_file: false });
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
                all.push(Given::new(key, value, origin.clone()));
            });
        }
        errors.extend(wrong.into_iter().map(|wrong| ConfigError {
            place: origin.to_string(),
            line: None,
            text: wrong.text,
            is_missing_file: false,
        }));
    }
}

/// Parses `KEY=VALUE` of a flag.
pub fn of_flag(text: &str) -> Result<(String, Value), String> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(format!("{} is not allowed, allowed is KEY=VALUE", quoted(text)));
    };
    let Some(known) = setting(key) else {
        let near = || nearest(key, settings().iter().map(|setting| setting.key.as_str()));
        let near = elsewhere::of_key(key).or_else(|| near().map(|near| format!("; did you mean `{near}`?")));
        let near = near.unwrap_or_default();
        return Err(format!("{}: there is no such setting{near}", key.escape_debug()));
    };
    let node = of_text(value, &known.kind);
    let wrong = check(&node, &known.kind, key);
    match wrong.into_iter().next() {
        Some(wrong) => Err(wrong.text),
        None => Ok((key.to_owned(), Value::from(&node))),
    }
}

/// The settings of one file, or all its faults.
pub fn read_file(path: &Path, sources: &Sources) -> Result<Vec<Given>, Vec<ConfigError>> {
    let read = files::read(path, sources);
    if read.faults.is_empty() { Ok(read.given) } else { Err(read.faults) }
}

/// The nearest folder, from `directory` upwards, with project settings or the root of a repository. The search ends with the
/// project.
pub fn workspace(directory: &Path) -> Option<PathBuf> {
    let found = search::upwards(directory, std::env::home_dir().as_deref());
    found.file.map(|(folder, _)| folder).or(found.repository)
}

/// The state folder of this program: `$XDG_STATE_HOME/tersed`, by default `~/.local/state/tersed`.
pub fn state_folder() -> Option<PathBuf> {
    folders().state
}

/// The file with the user's settings: `$XDG_CONFIG_HOME/tersed/tersed.yaml`, by default `~/.config/tersed/tersed.yaml`.
pub fn user_file() -> Option<PathBuf> {
    Some(folders().user?.join(CONFIG_FILE_NAMES[0]))
}

/// Only the folders of the user.
#[cfg(feature = "config-files")]
fn folders() -> Sources {
    use etcetera::BaseStrategy;
    let Ok(base) = etcetera::choose_base_strategy() else { return Sources::default() };
    // A relative path leads into the working directory, which others may control.
    let absolute = |path: PathBuf| Some(path).filter(|path| path.is_absolute());
    Sources {
        user: absolute(base.config_dir().join("tersed")),
        home: absolute(base.home_dir().to_owned()),
        state: absolute(base.state_dir().unwrap_or_else(|| base.data_dir()).join("tersed")),
        ..Sources::default()
    }
}

/// Empty: an engine inside another program does not use the user's folders.
#[cfg(not(feature = "config-files"))]
fn folders() -> Sources {
    Sources::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_unseen_is_printed() {
        let line = "a\u{202e}b\u{2066}c\u{200b}\u{2028}\u{2029}\u{e0061}\u{fe0f}\u{ad}\u{7}\u{9b}\u{1bca0}é";
        let shown = printable(line);
        assert!(shown.chars().all(|c| c == 'é' || matches!(c, ' '..='~')), "{shown}");
        assert!(shown.starts_with("a\\u{202e}b") && shown.ends_with('é'), "{shown}");
        let token = format!("ghp_{}", &"a1B2c3D4e5F6g7H8i9J0".repeat(2)[..36]);
        for cut in ["", "\u{200b}"] {
            let shown = printable(&format!("x {}{cut}{}", &token[..20], &token[20..]));
            assert!(shown.contains("[REDACTED") && !shown.contains(&token[20..]), "{shown}");
        }
    }
}
