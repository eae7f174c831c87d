//! Files of rules: YAML, TOML or JSON, by their extension; either `rules: [...]` or the list alone.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::config::rules::{RuleSet, RuleSpec};
use crate::files::LARGEST_SETTINGS;
use crate::files::{Links, Writers, read_regular};
use crate::formats::typed;
use crate::rules::Rules;
use crate::text::nearest::nearest;

/// A file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1, if known.
    pub line: Option<usize>,
    /// The fault: rule, field, value and what is allowed.
    pub reason: String,
    /// Whether there is no such file.
    pub is_missing_file: bool,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for LoadError {}

/// Reads a file of rules for use: regular, at most 1 MiB, and writable only by the user and the superuser.
///
/// # Errors
///
/// The file may not be read, or a rule is invalid.
pub fn load(path: &Path) -> Result<RuleSet, LoadError> {
    of_file(path, Writers::Own)
}

/// Reads a file of rules for inspection; anybody may have written it.
///
/// # Errors
///
/// As for [`load`].
pub fn read_untrusted(path: &Path) -> Result<RuleSet, LoadError> {
    of_file(path, Writers::Any)
}

fn of_file(path: &Path, writers: Writers) -> Result<RuleSet, LoadError> {
    let bytes =
        read_regular(path, LARGEST_SETTINGS, Links::Follow, writers).map_err(|refused| LoadError {
            path: path.to_owned(),
            line: None,
            reason: refused.why.to_string(),
            is_missing_file: super::files::is_missing(path),
        })?;
    read_bytes(path, &bytes)
}

/// Parses the bytes of a file; its path decides the format.
///
/// # Errors
///
/// They are not UTF-8, or a rule is invalid.
pub fn read_bytes(path: &Path, bytes: &[u8]) -> Result<RuleSet, LoadError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => read(path, text),
        Err(_) => {
            let reason = "is not UTF-8".to_owned();
            Err(LoadError { path: path.to_owned(), line: None, reason, is_missing_file: false })
        }
    }
}

/// Parses the text of a file; its path decides the format.
pub fn read(path: &Path, text: &str) -> Result<RuleSet, LoadError> {
    let error = |line: Option<usize>, reason: String| LoadError {
        path: path.to_owned(),
        line,
        reason,
        is_missing_file: false,
    };
    let value = value(path, text).map_err(|(line, reason)| error(line, reason))?;
    let list = match value {
        Value::Object(mut file) => match (file.remove("rules"), file.keys().next()) {
            (Some(list), None) => list,
            (_, Some(key)) => {
                let hint = nearest(key, ["rules"]).map_or("", |_| "; did you mean `rules`?");
                return Err(error(None, format!("unknown field `{key}`, expected `rules`{hint}")));
            }
            (None, None) => return Err(error(None, "has no `rules`".to_owned())),
        },
        list => list,
    };
    let Value::Array(list) = list else { return Err(error(None, "`rules` is not a list".to_owned())) };
    let mut specs = Vec::with_capacity(list.len());
    for (i, value) in list.into_iter().enumerate() {
        let name = value.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let spec: RuleSpec = typed::read_value(&value).map_err(|bad| {
            let reason = with_nearest(bad.without_position());
            let path = bad.path;
            let place = if path == "." { String::new() } else { format!(".{path}") };
            let named = if name.is_empty() { String::new() } else { format!(" ({name})") };
            error(line_of(text, &name), format!("rules[{i}]{named}{place}: {reason}"))
        })?;
        specs.push(spec);
    }
    let rules = RuleSet::new(specs).and_then(|rules| Rules::compile(&rules).map(|_| rules));
    rules.map_err(|bad| error(line_of(text, &bad.rule), bad.to_string()))
}

fn value(path: &Path, text: &str) -> Result<Value, (Option<usize>, String)> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    match extension.as_str() {
        "json" => serde_json::from_str(text).map_err(|e| (Some(e.line()), e.to_string())),
        "toml" => toml::from_str(text).map_err(|e: toml::de::Error| {
            let line = e.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            (line, e.message().to_owned())
        }),
        #[cfg(not(feature = "config-files"))]
        "yaml" | "yml" => Err((None, crate::files::yaml::NOT_READ.to_owned())),
        #[cfg(feature = "config-files")]
        "yaml" | "yml" => {
            let mut options = crate::files::yaml::options();
            options.with_snippet = false;
            serde_saphyr::from_str_with_options(text, options).map_err(|e| {
                let line = e.location().map(|location| location.line() as usize);
                (line, crate::files::yaml::reason(&e))
            })
        }
        other => {
            Err((None, format!("`.{other}` is not known, allowed are `.yaml`, `.yml`, `.toml`, `.json`")))
        }
    }
}

/// Adds the name that was probably meant to serde's error about an unknown field.
fn with_nearest(message: &str) -> String {
    let Some((_, rest)) = message.split_once("unknown field `") else { return message.to_owned() };
    let Some((given, rest)) = rest.split_once('`') else { return message.to_owned() };
    let allowed: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
    match nearest(given, allowed) {
        Some(name) => format!("{message}; did you mean `{name}`?"),
        None => message.to_owned(),
    }
}

/// The line on which a rule gives its name.
fn line_of(text: &str, name: &str) -> Option<usize> {
    let is_it = |line: &str| {
        let line = line.trim_start_matches(['-', ' ', '\t', '{', '"', ',']);
        let Some(rest) = line.strip_prefix("name") else { return false };
        let rest = rest.trim_start_matches(['"', ' ', ':', '=', '\'']);
        rest.strip_prefix(name)
            .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || "-_.".contains(c)))
    };
    if name.is_empty() {
        return None;
    }
    text.lines().position(is_it).map(|line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(file: &str, text: &str) -> String {
        read(Path::new(file), text).unwrap_err().to_string()
    }

    #[test]
    fn all_formats_say_the_same() {
        let yaml = "rules:\n  - name: a\n    priority: 2\n    when: {tool: bash, exitCode: 0}\n    pipeline: [passthrough]\n";
        let toml = "[[rules]]\nname = \"a\"\npriority = 2\npipeline = [\"passthrough\"]\nwhen = { tool = \"bash\", exitCode = 0 }\n";
        let json = r#"[{"name":"a","priority":2,"when":{"tool":["bash"],"exitCode":["0"]},"pipeline":["passthrough"]}]"#;
        let all = [("a.yaml", yaml), ("a.toml", toml), ("a.json", json)];
        let all = all.map(|(file, text)| read(Path::new(file), text).unwrap());
        assert_eq!((&all[0], &all[1]), (&all[1], &all[2]));
        assert_eq!(all[0].iter().count(), 1);
    }

    #[test]
    fn errors_name_file_line_rule_field_value_and_what_is_allowed() {
        let base = "rules:\n  - name: fine\n    pipeline: [none]\n  - name: bad\n";
        for (rest, expected) in [
            (
                "    pipelin: [none]\n",
                "r.yaml:4: rules[1] (bad).pipelin: unknown field `pipelin`, expected one of `name`, `description`, `priority`, `enabled`, `when`, `pipeline`, `stages`, `tests`; did you mean `pipeline`?",
            ),
            (
                "    pipeline: [progres]\n",
                "r.yaml:4: rules[1] (bad).pipeline[0]: `progres` is not known; `tersed rules methods` lists what is allowed; did you mean `progress`?",
            ),
            (
                "    stages: {stripLines: [ok, 'a(b']}\n",
                "r.yaml:4: rules[1] (bad).stages.stripLines[1]: `a(b` is not a regular expression: unclosed group at character 2",
            ),
            (
                "    stages: {maxLines: 0}\n",
                "r.yaml:4: rules[1] (bad).stages.maxLines: 0 is out of range, allowed is 1 to 4294967295",
            ),
            ("    when: {kind: tset}\n    pipeline: [none]\n", "did you mean `test`?"),
            (
                "    when: {exitCode: bad}\n    pipeline: [none]\n",
                "when.exitCode[0]: `bad` is not known, allowed are numbers, `zero`, `nonzero`, `unknown`",
            ),
            ("    stages: {replace: [{pattern: 'a*'}]}\n", "matches the empty text"),
            ("    stages: {replace: [{pattern: '(a)', with: '$2'}]}\n", "is not a group of the pattern"),
            ("", "is absent and so are `stages`, allowed is either or both"),
        ] {
            let text = error("r.yaml", &format!("{base}{rest}"));
            assert!(text.contains(expected), "{text}");
        }
        assert!(error("r.ini", "").contains("`.ini` is not known"));
        assert!(error("r.yaml", "rule: []\n").contains("did you mean `rules`?"));
        assert!(
            error("r.yaml", "rules: [{name: a, pipeline: [none]}, {name: a, pipeline: [none]}]\n")
                .contains("is the name of rules[0] already")
        );
        assert!(
            error("r.yaml", "rules:\n  - name: a\n   b: [\n").starts_with("r.yaml:"),
            "{}",
            error("r.yaml", "rules:\n  - name: a\n   b: [\n")
        );
    }
}
