//! Configuration files: where they are, and what one of them gives.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::check::check;
use super::document::{toml, yaml};
use super::given::{Given, Origin, flatten};
use super::{ConfigError, Sources};
use crate::config::schema::root;

/// Names of configuration files.
pub const NAMES: [&str; 3] = ["tersed.yaml", "tersed.yml", "tersed.toml"];
/// Largest file that is read, in bytes.
const LARGEST: u64 = 1 << 20;
/// Settings that are paths to write to.
const WRITTEN: [&str; 2] = ["recovery.directory", "telemetry.path"];
/// Settings that are paths.
const PATHS: [&str; 3] = ["recovery.directory", "telemetry.path", "ruleFiles"];

/// The configuration file of a folder. Two of them are an error, since one would be ignored.
pub(super) fn in_folder(folder: &Path, errors: &mut Vec<ConfigError>) -> Option<PathBuf> {
    let mut found = NAMES.iter().map(|name| folder.join(name)).filter(|path| path.is_file());
    let first = found.next()?;
    if let Some(second) = found.next() {
        let text = format!("{} is there too, allowed is one of {}", second.display(), NAMES.join(", "));
        errors.push(ConfigError { place: first.display().to_string(), line: None, text });
    }
    Some(first)
}

/// What a file gives. One that was only found is not trusted with everything: whoever wrote the project need not
/// be who runs it.
pub(super) fn read(
    path: &Path,
    is_found: bool,
    sources: &Sources,
    errors: &mut Vec<ConfigError>,
) -> Vec<Given> {
    let place = path.display().to_string();
    let mut wrong = |line: Option<usize>, text: String| {
        errors.push(ConfigError { place: place.clone(), line: line.filter(|line| *line > 0), text });
    };
    let text = match text(path) {
        Ok(text) => text,
        Err(reason) => {
            wrong(None, reason);
            return Vec::new();
        }
    };
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    let node = match if is_toml { toml(&text) } else { yaml(&text) } {
        Ok(node) => node,
        Err(error) => {
            wrong(error.line, error.reason);
            return Vec::new();
        }
    };
    for bad in check(&node, root(), "") {
        wrong(Some(bad.line), bad.text);
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut all = Vec::new();
    flatten(&node, root(), "", &mut |key, node, line| {
        let value = Value::from(node);
        if let Some(reason) = refused(key, &value).filter(|_| is_found) {
            wrong(Some(line), format!("{key}: {reason}"));
        }
        let value = placed(key, value, folder, sources);
        all.push(Given { key: key.to_owned(), value, origin: Origin::File { path: path.to_owned(), line } });
    });
    all
}

/// The text of a file.
fn text(path: &Path) -> Result<String, String> {
    let file = std::fs::File::open(path).map_err(|e| e.to_string())?;
    let mut text = String::new();
    file.take(LARGEST + 1).read_to_string(&mut text).map_err(|e| e.to_string())?;
    match text.len() as u64 > LARGEST {
        true => Err(format!("has more than {LARGEST} bytes, which are allowed")),
        false => Ok(text),
    }
}

/// Why a file that was found in a project may not give a value.
fn refused(key: &str, value: &Value) -> Option<String> {
    let instead = "from a file that --config names, the user's file, the environment or a flag";
    if key == "policy.redactSecrets" && *value == Value::Bool(false) {
        return Some(format!("`false` is only taken {instead}"));
    }
    let path = Path::new(value.as_str().filter(|_| WRITTEN.contains(&key))?);
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let is_inside = is_inside && !path.starts_with("~");
    (!is_inside).then(|| format!("a path that leads out of the project is only taken {instead}"))
}

/// A path where it leads, seen from the folder that it is relative to; other values as they are.
pub(super) fn placed(key: &str, value: Value, folder: &Path, sources: &Sources) -> Value {
    if !PATHS.contains(&key) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::schema::setting;

    #[test]
    fn paths_are_settings() {
        assert!(PATHS.iter().all(|key| setting(key).is_some()));
    }
}
