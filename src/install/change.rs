//! What a host needs in one file, and how to add it to the text of the file and remove it again.

use std::path::PathBuf;

use serde_json::Value;

use super::jsonc::{self, Fault};
use super::parts::{self, Part};
use super::toml;

/// One file of a host.
#[derive(Debug, Clone)]
pub struct Change {
    /// The file.
    pub path: PathBuf,
    /// The change that it needs.
    pub what: FileContent,
}

/// What a file needs.
#[derive(Debug, Clone)]
pub enum FileContent {
    /// The whole file is ours. If it names the program, the name is between `before` and `after`.
    File {
        /// Its text.
        text: String,
        /// The text before and after the program's name, which is a quoted string.
        around: Option<(&'static str, &'static str)>,
    },
    /// Parts of a JSON file that other programs also use.
    Json(Vec<Part>),
    /// The same for a TOML file.
    Toml(Vec<Part>),
}

/// How much of a change is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstallState {
    /// Nothing.
    None,
    /// Some of it, or all in another form: from another version, with another program, or edited by hand.
    Other,
    /// All.
    All,
}

impl Change {
    /// A file of ours.
    pub fn file(path: PathBuf, text: &str) -> Self {
        Self { path, what: FileContent::File { text: text.to_owned(), around: None } }
    }

    /// A file of ours that starts the program. `around` is the text before and after its quoted name.
    pub fn file_with(path: PathBuf, text: &str, around: (&'static str, &'static str), program: &str) -> Self {
        let name = Value::from(program).to_string();
        let given = format!("{}\"tersed\"{}", around.0, around.1);
        let text = text.replacen(&given, &format!("{}{name}{}", around.0, around.1), 1);
        Self { path, what: FileContent::File { text, around: Some(around) } }
    }

    /// Parts of a JSON file, taken from an example.
    pub fn json(path: PathBuf, mut example: Value, program: &str) -> Self {
        parts::with_program(&mut example, program);
        Self { path, what: FileContent::Json(Part::of(&example)) }
    }

    /// Parts of a TOML file, taken from an example.
    pub fn toml(path: PathBuf, mut example: Value, program: &str) -> Self {
        parts::with_program(&mut example, program);
        Self { path, what: FileContent::Toml(Part::of(&example)) }
    }

    /// The text with the change added, and the paths of objects that were created for it.
    pub(super) fn with(&self, text: &str) -> Result<(String, Vec<Vec<String>>), Fault> {
        match &self.what {
            FileContent::File { text, .. } => Ok((text.clone(), Vec::new())),
            FileContent::Json(parts) => jsonc::add(text, parts),
            FileContent::Toml(parts) => Ok((toml::add(text, parts)?, Vec::new())),
        }
    }

    /// The text without the change; `None` if nothing is left.
    pub(super) fn without(&self, text: &str, made: Option<&[Vec<String>]>) -> Result<Option<String>, Fault> {
        match &self.what {
            FileContent::File { .. } => Ok(None),
            FileContent::Json(parts) => jsonc::remove(text, parts, made).map(Some),
            FileContent::Toml(parts) => toml::remove(text, parts).map(Some),
        }
    }

    /// Its parts; empty if the whole file is ours.
    pub(super) fn parts(&self) -> &[Part] {
        match &self.what {
            FileContent::File { .. } => &[],
            FileContent::Json(parts) | FileContent::Toml(parts) => parts,
        }
    }

    /// Whether a text has one of `parts` in another form than it was written.
    pub(super) fn has_edited_part(&self, text: &str, parts: &[Part]) -> bool {
        let root = self.root(text);
        let mut ours = parts.iter().filter(|part| !matches!(part, Part::Default { .. }));
        ours.any(|part| part.is_known(&root) && !part.is_held(&root))
    }

    /// The value of a text; null if the whole file is ours or cannot be parsed.
    fn root(&self, text: &str) -> Value {
        match &self.what {
            FileContent::File { .. } => Value::Null,
            FileContent::Json(_) => jsonc::value(text).ok().flatten().unwrap_or_default(),
            FileContent::Toml(_) => toml::value(text).unwrap_or_default(),
        }
    }

    /// Whether a text contains the whole change and starts the same program, but its parts differ from `parts` as written:
    /// then somebody edited them on purpose.
    pub(super) fn is_changed_by_hand(&self, text: &str, parts: &[Part]) -> bool {
        if matches!(self.what, FileContent::File { .. }) {
            return false;
        }
        let root = self.root(text);
        let programs = self.with("").map(|(text, _)| self.programs(&text));
        self.is_known(text)
            && programs.is_ok_and(|programs| programs == self.programs(text))
            && parts.iter().any(|part| !part.is_held(&root))
    }

    /// Whether the part at this path is a value that other users of the file need too.
    pub(super) fn is_default(&self, path: &[String]) -> bool {
        self.parts().iter().any(|part| matches!(part, Part::Default { .. }) && part.path() == path)
    }

    /// Whether a text contains only what a new file would contain.
    pub(super) fn is_bare(&self, text: &str) -> bool {
        let left = match &self.what {
            FileContent::File { .. } => return false,
            FileContent::Json(_) if text.contains("//") || text.contains("/*") => return false,
            FileContent::Json(_) => jsonc::value(text).ok().flatten(),
            FileContent::Toml(_) if text.contains('#') => return false,
            FileContent::Toml(_) => toml::value(text).ok(),
        };
        let (FileContent::Json(parts) | FileContent::Toml(parts)) = &self.what else { return false };
        let is_default = |path: &[String], value: &Value| {
            parts
                .iter()
                .any(|part| matches!(part, Part::Default { path: p, value: v } if p == path && v == value))
        };
        left.is_none_or(|left| is_nothing(&left, &mut Vec::new(), &is_default))
    }

    /// How much of the change a text contains.
    pub fn held(&self, text: &str) -> Result<InstallState, Fault> {
        let (parts, root) = match &self.what {
            FileContent::File { text: wanted, .. } if wanted == text => return Ok(InstallState::All),
            FileContent::File { .. } if text.contains("tersed") => return Ok(InstallState::Other),
            FileContent::File { .. } => return Ok(InstallState::None),
            FileContent::Json(parts) => (parts, jsonc::value(text)?.unwrap_or_default()),
            FileContent::Toml(parts) => (parts, toml::value(text)?),
        };
        let mut ours = parts.iter().filter(|part| !matches!(part, Part::Default { .. }));
        if parts.iter().all(|part| part.is_held(&root)) {
            return Ok(InstallState::All);
        }
        Ok(if ours.any(|part| part.is_known(&root)) { InstallState::Other } else { InstallState::None })
    }

    /// Whether each part exists in some form; for a whole file, whether only the program differs.
    pub(super) fn is_known(&self, text: &str) -> bool {
        let (parts, root) = match &self.what {
            FileContent::File { text: wanted, around } => {
                let around = |text: &str| {
                    let (before, after) = (*around)?;
                    let (head, rest) = text.split_once(before)?;
                    let (_, tail) = rest.split_once(after)?;
                    Some((head.to_owned(), tail.to_owned()))
                };
                return around(text).is_some_and(|found| Some(found) == around(wanted));
            }
            FileContent::Json(parts) => (parts, jsonc::value(text).ok().flatten()),
            FileContent::Toml(parts) => (parts, toml::value(text).ok()),
        };
        root.is_some_and(|root| parts.iter().all(|part| part.is_known(&root)))
    }

    /// The programs of this name that a text starts, as written.
    pub fn programs(&self, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        match &self.what {
            FileContent::File { around: None, .. } => {}
            FileContent::File { around: Some((before, after)), .. } => {
                let name = text.split(before).nth(1).and_then(|rest| rest.split(after).next());
                found.extend(name.and_then(|name| serde_json::from_str::<String>(name).ok()));
            }
            FileContent::Json(ours) | FileContent::Toml(ours) => {
                let is_toml = matches!(self.what, FileContent::Toml(_));
                let root = if is_toml { toml::value(text).ok() } else { jsonc::value(text).ok().flatten() };
                let Some(root) = root else { return found };
                for part in ours {
                    if let Some(value) = parts::at(&root, part.path()) {
                        parts::programs(value, &mut found);
                    }
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }
}

fn is_nothing(
    value: &Value,
    path: &mut Vec<String>,
    is_default: &impl Fn(&[String], &Value) -> bool,
) -> bool {
    let Value::Object(members) = value else { return is_default(path, value) };
    members.iter().all(|(name, value)| {
        path.push(name.clone());
        let is = is_nothing(value, path, is_default);
        path.pop();
        is
    })
}
