//! Configuration files: where they are, and which settings one of them gives.
//!
//! A file is used only if it is regular and small, and only the user and the superuser may write it. A project's file
//! applies fully only if the user trusts its current content (see `trust`). Otherwise only the settings that
//! `project` allows apply.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::check::{check, sound};
use super::document::{toml, yaml};
use super::given::{Given, Origin, flatten, meant};
use super::project::{Untrusted, may_raise, may_say};
use super::search::{Found, upwards};
use super::trust::{Digest, FOLDER, Record, Trusted, of_user};
use super::{ConfigError, Sources};
use crate::config::schema::root;
use crate::config::table::{PathUse, Project, row};
use crate::files::{Folder, Writers};
use crate::formats::typed;

/// Names of configuration files.
pub const CONFIG_FILE_NAMES: [&str; 3] = ["tersed.yaml", "tersed.yml", "tersed.toml"];
/// The file that `tersed tune` writes beside the user's file.
pub const TUNED: &str = "tuned.toml";
/// Largest file of settings that is read, in bytes.
use crate::files::LARGEST_SETTINGS as LARGEST;
/// Folder below the state folder to which relative paths of projects refer.
const OF_PROJECTS: &str = "projects";
/// Most files of rules that a project may name.
pub(super) const MAX_RULE_FILES: usize = 32;

/// The settings of a file, with values and lines.
type FileSettings = Vec<(String, Value, usize)>;
/// Files with their contents.
pub(super) type Texts = Vec<(PathBuf, Vec<u8>)>;

/// The result of reading a file.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub given: Vec<Given>,
    pub faults: Vec<ConfigError>,
    /// Set if it is a project's file that is not trusted.
    pub untrusted: Option<Untrusted>,
    /// The files of rules that a trusted project file names.
    pub rules: Texts,
}

/// The configuration file of a folder. If there are two, one is ignored, so this is a fault.
pub(super) fn in_folder(folder: &Path, faults: &mut Vec<ConfigError>) -> Option<PathBuf> {
    let is_there = |name: &&str| folder.join(name).symlink_metadata().is_ok();
    let names: Vec<&str> = CONFIG_FILE_NAMES.into_iter().filter(is_there).collect();
    one_of(folder, &names, faults)
}

fn one_of(folder: &Path, names: &[&str], faults: &mut Vec<ConfigError>) -> Option<PathBuf> {
    let first = folder.join(names.first()?);
    if let Some(second) = names.get(1) {
        let second = folder.join(second);
        let text =
            format!("{} is there too, allowed is one of {}", second.display(), CONFIG_FILE_NAMES.join(", "));
        faults.push(ConfigError {
            place: first.display().to_string(),
            line: None,
            text,
            is_missing_file: false,
        });
    }
    Some(first)
}

/// Reads a file of the user.
pub(super) fn read(path: &Path, sources: &Sources) -> Read {
    let mut read = Read::default();
    let bytes = match of_user(path, LARGEST) {
        Ok(bytes) => bytes,
        Err(text) => {
            let place = path.display().to_string();
            read.faults.push(ConfigError { place, line: None, text, is_missing_file: is_missing(path) });
            return read;
        }
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    for (key, value, line) in settings_of(path, &bytes, &mut read.faults) {
        let value = placed(&key, value, folder, sources);
        read.given.push(Given::new(key, value, Origin::File { path: path.to_owned(), line }));
    }
    read
}

/// The valid settings of a text; invalid ones are faults.
fn settings_of(path: &Path, bytes: &[u8], faults: &mut Vec<ConfigError>) -> FileSettings {
    let place = path.display().to_string();
    let mut wrong = |line: Option<usize>, text: String| {
        let line = line.filter(|line| *line > 0);
        faults.push(ConfigError { place: place.clone(), line, text, is_missing_file: false });
    };
    let Ok(text) = std::str::from_utf8(bytes) else {
        wrong(None, "is not UTF-8".to_owned());
        return Vec::new();
    };
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    let node = match if is_toml { toml(text) } else { yaml(text) } {
        Ok(node) => meant(node, root()),
        Err(error) => {
            wrong(error.line, error.reason);
            return Vec::new();
        }
    };
    let bad = check(&node, root(), "");
    let sound = if bad.is_empty() { Some(node) } else { sound(&node, root()) };
    bad.into_iter().for_each(|bad| wrong(Some(bad.line), bad.text));
    let mut all = Vec::new();
    if let Some(node) = sound {
        flatten(&node, root(), "", &mut |key, node, line| {
            all.push((key.to_owned(), Value::from(node), line))
        });
    }
    all
}

/// A project's file in its current state.
#[derive(Debug)]
pub struct ProjectFile {
    /// The file.
    pub path: PathBuf,
    /// The record for trusting it.
    pub record: Record,
    /// Its settings.
    pub says: Vec<Given>,
    /// Faults of the file and of its files of rules.
    pub faults: Vec<ConfigError>,
    /// The files of rules that it names.
    pub(super) rules: Texts,
}

impl ProjectFile {
    /// Reads the file. Also reads its files of rules if `with_rules` returns true for its digest.
    fn read(path: &Path, top: &Path, with_rules: impl FnOnce(&Digest) -> bool) -> Result<Self, ConfigError> {
        let error = |text: String| {
            let place = path.display().to_string();
            ConfigError { place, line: None, text, is_missing_file: is_missing(path) }
        };
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(error("is not a file".to_owned()));
        };
        let bytes =
            Folder::open(folder).and_then(|folder| folder.read(Path::new(name), LARGEST, Writers::Own));
        let bytes = bytes.map_err(|refused| error(refused.why.to_string()))?;
        let mut faults = Vec::new();
        let origin = |line| Origin::File { path: path.to_owned(), line };
        let says = settings_of(path, &bytes, &mut faults);
        let says: Vec<Given> =
            says.into_iter().map(|(key, value, line)| Given::new(key, value, origin(line))).collect();
        let file = Digest::of(path, &bytes);
        let names = says.iter().find(|given| given.key == "ruleFiles").filter(|_| with_rules(&file));
        let names = names.and_then(|given| typed::read_value::<Vec<PathBuf>>(&given.value).ok());
        let rules = rule_files(folder, top, &names.unwrap_or_default(), &mut faults);
        let digests = rules.iter().map(|(path, bytes)| Digest::of(path, bytes)).collect();
        let record = Record { file, rules: digests };
        Ok(Self { path: path.to_owned(), record, says, faults, rules })
    }

    /// Its settings that are ignored while it is not trusted, or that may be ignored: whether a mode is lower depends
    /// on the user's mode.
    pub fn beyond(&self) -> impl Iterator<Item = &Given> {
        self.says
            .iter()
            .filter(|given| !may_say(&given.key, &given.value) || may_raise(&given.key, &given.value))
    }

    /// The files of rules that it names, with their bytes, whose digests are in the record.
    pub fn rule_files(&self) -> impl Iterator<Item = (&Path, &[u8])> {
        self.rules.iter().map(|(path, bytes)| (path.as_path(), bytes.as_slice()))
    }

    /// Whether a setting is ignored even if the file is trusted.
    pub fn never(given: &Given) -> bool {
        row(&given.key).is_some_and(|row| row.project == Some(Project::Never))
    }
}

/// The files of rules that a project names: below the project's top folder, without links.
fn rule_files(folder: &Path, top: &Path, names: &[PathBuf], faults: &mut Vec<ConfigError>) -> Texts {
    let mut all = Vec::new();
    let root = (!names.is_empty()).then(|| Folder::open(top)).and_then(Result::ok);
    for name in names {
        let path = folder.join(name);
        let below = path.strip_prefix(top).ok().filter(|_| !name.starts_with("~"));
        let text = match (&root, below) {
            _ if all.len() == MAX_RULE_FILES => {
                Err(format!("at most {MAX_RULE_FILES} rule files are allowed"))
            }
            (Some(root), Some(below)) => {
                root.read(below, LARGEST, Writers::Own).map_err(|refused| refused.why.to_string())
            }
            _ => Err("leads out of the project, whose file names it".to_owned()),
        };
        match text {
            Ok(bytes) => all.push((path, bytes)),
            Err(text) => {
                let place = path.display().to_string();
                faults.push(ConfigError { place, line: None, text, is_missing_file: is_missing(&path) });
                if all.len() == MAX_RULE_FILES {
                    break;
                }
            }
        }
    }
    all
}

/// The file of the project around `directory`, and the project's top folder.
fn of_directory(found: &Found, faults: &mut Vec<ConfigError>) -> Option<(PathBuf, PathBuf)> {
    let (folder, names) = found.file.as_ref()?;
    let path = one_of(folder, names, faults)?;
    Some((path, found.repository.clone().unwrap_or_else(|| folder.clone())))
}

/// The project's file for `tersed trust`. `path` is the file or a folder of the project.
///
/// # Errors
///
/// There is no such file, or it may not be used.
pub fn project_file(path: &Path, sources: &Sources) -> Result<ProjectFile, String> {
    let place = crate::files::resolved(path).map_err(|refused| refused.to_string())?;
    let is_file = place.file_name().is_some_and(|name| CONFIG_FILE_NAMES.iter().any(|known| name == *known))
        && !place.is_dir();
    if !is_file && !place.is_dir() {
        return Err(format!(
            "{}: allowed is a folder or a file named {}",
            path.display(),
            CONFIG_FILE_NAMES.join(", ")
        ));
    }
    let from = if is_file { place.parent().unwrap_or(&place) } else { &place };
    let found = upwards(from, sources.home.as_deref());
    let mut faults = Vec::new();
    let (file, top) = match is_file {
        true => (place.clone(), found.repository.unwrap_or_else(|| from.to_owned())),
        false => of_directory(&found, &mut faults)
            .ok_or_else(|| format!("{}: no settings file in this folder or its project", path.display()))?,
    };
    let read = ProjectFile::read(&file, &top, |_| true).map_err(|error| error.to_string())?;
    faults.extend(read.faults);
    // Named before the user consents: once trusted, the file would be read without these values.
    let refused = |given: &Given| {
        let why = within_state(&given.key, given.value.clone(), &file, sources).err()?;
        Some(refused_value(&file, given.origin.line(), &given.key, &why))
    };
    faults.extend(read.says.iter().filter_map(refused));
    Ok(ProjectFile { faults, ..read })
}

/// Reads the project's file.
pub(super) fn read_project(found: &Found, sources: &Sources) -> Option<(PathBuf, Read)> {
    let mut read = Read::default();
    let (path, top) = of_directory(found, &mut read.faults)?;
    let record = sources.state.as_deref().and_then(|state| Trusted::below(state).find(&path));
    let is_known = |file: &Digest| record.as_ref().is_some_and(|record| record.file.digest == file.digest);
    let file = match ProjectFile::read(&path, &top, is_known) {
        Ok(file) => file,
        Err(error) => {
            read.faults.push(error);
            return Some((path, read));
        }
    };
    read.faults.extend(file.faults);
    if record.as_ref() == Some(&file.record) {
        for given in file.says {
            if ProjectFile::never(&given) {
                let why = "only the user's own file may say what is no secret";
                read.faults.push(refused_value(&path, given.origin.line(), &given.key, why));
                continue;
            }
            match within_state(&given.key, given.value, &path, sources) {
                Ok(value) => read.given.push(Given { value, ..given }),
                Err(why) => {
                    read.faults.push(refused_value(&path, given.origin.line(), &given.key, &why));
                }
            }
        }
        read.rules = file.rules;
        return Some((path, read));
    }
    let (less, ignored): (Vec<_>, Vec<_>) =
        file.says.into_iter().partition(|given| may_say(&given.key, &given.value));
    read.given = less.into_iter().map(|given| Given { is_less: true, ..given }).collect();
    read.untrusted = Some(Untrusted { path: path.clone(), has_changed: record.is_some(), ignored });
    Some((path, read))
}

/// Whether there is nothing at a path: a file that is there and is refused is invalid.
pub(super) fn is_missing(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_err()
}

/// The fault of a value that a project's file may not set, trusted or not.
fn refused_value(path: &Path, line: Option<usize>, key: &str, why: &str) -> ConfigError {
    let text = format!("{key}: {why}");
    ConfigError { place: path.display().to_string(), line, text, is_missing_file: false }
}

/// A value of a trusted project file. Paths to write to must be below the user's state folder; relative paths start
/// there.
fn within_state(key: &str, value: Value, path: &Path, sources: &Sources) -> Result<Value, String> {
    if path_use(key) != Some(PathUse::Written) {
        return Ok(placed(key, value, path.parent().unwrap_or(path), sources));
    }
    let state = sources.state.as_deref().ok_or("there is no state folder of the user")?;
    let value = placed(key, value, &state.join(OF_PROJECTS), sources);
    let is_inside =
        value.as_str().map(Path::new).and_then(|path| path.strip_prefix(state).ok()).is_some_and(|below| {
            let is_name = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
            below.components().all(is_name)
                && below.components().next() != Some(Component::Normal(FOLDER.as_ref()))
        });
    match is_inside {
        true => Ok(value),
        false => Err(format!("a project's file may only name what lies below {}", state.display())),
    }
}

fn path_use(key: &str) -> Option<PathUse> {
    row(key).and_then(|row| row.path)
}

/// Resolves a path relative to a folder; returns other values unchanged.
pub(super) fn placed(key: &str, value: Value, folder: &Path, sources: &Sources) -> Value {
    if path_use(key).is_none() {
        return value;
    }
    match value {
        Value::String(path) => {
            let path = match (path.strip_prefix("~/"), &sources.home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => folder.join(path),
            };
            Value::String(path.display().to_string())
        }
        Value::Array(items) => items.into_iter().map(|item| placed(key, item, folder, sources)).collect(),
        other => other,
    }
}
