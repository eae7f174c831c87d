//! The members and elements that an edit adds to a settings file, read from an example of the file.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One added item and its path: names of members from the root.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// A member that belongs to us by its name.
    Member {
        /// Its path, own name last.
        path: Vec<String>,
        /// Its value.
        value: Value,
    },
    /// An element of an array that others also use.
    Element {
        /// Path of the array.
        path: Vec<String>,
        /// The element.
        value: Value,
    },
    /// A value that every user of the file needs. It is set if it is missing, and stays after removal.
    Default {
        /// Its path, own name last.
        path: Vec<String>,
        /// Its value.
        value: Value,
    },
}

/// Name of the members that are ours.
const OURS: &str = "tersed";
/// Members that hold a command line.
const COMMANDS: [&str; 3] = ["command", "bash", "powershell"];
/// The text after the program where a shell runs our hook.
const CALL: &str = " hook ";
/// The tool that hooks of earlier versions call.
const HOOK_TOOL: &str = "tersed_hook";

impl Part {
    /// The parts of an example: each member `tersed`, each element of an array, and each other value.
    pub fn of(example: &Value) -> Vec<Self> {
        let mut parts = Vec::new();
        collect(example, &mut Vec::new(), &mut parts);
        parts
    }

    /// Its path: names of members from the root.
    pub fn path(&self) -> &[String] {
        match self {
            Self::Member { path, .. } | Self::Element { path, .. } | Self::Default { path, .. } => path,
        }
    }

    /// Whether a file contains it; more members are allowed.
    pub fn is_held(&self, root: &Value) -> bool {
        let found = at(root, self.path());
        match self {
            Self::Member { value, .. } => found.is_some_and(|found| covers(found, value)),
            Self::Element { value, .. } => {
                found.and_then(Value::as_array).is_some_and(|all| all.iter().any(|one| covers(one, value)))
            }
            Self::Default { .. } => found.is_some(),
        }
    }

    /// Whether a file contains it in some form: with another program, or edited by hand.
    pub fn is_known(&self, root: &Value) -> bool {
        let found = at(root, self.path());
        match self {
            Self::Member { .. } => found.is_some_and(is_ours),
            Self::Element { .. } => found.is_some_and(is_ours),
            Self::Default { .. } => found.is_some(),
        }
    }
}

fn collect(value: &Value, path: &mut Vec<String>, parts: &mut Vec<Part>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                path.push(name.clone());
                if name == OURS {
                    parts.push(Part::Member { path: path.clone(), value: value.clone() });
                } else {
                    collect(value, path, parts);
                }
                path.pop();
            }
        }
        Value::Array(elements) => {
            let part = |value: &Value| Part::Element { path: path.clone(), value: value.clone() };
            parts.extend(elements.iter().map(part));
        }
        other => parts.push(Part::Default { path: path.clone(), value: other.clone() }),
    }
}

/// The value at a path.
pub fn at<'a>(root: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(root, |value, name| value.get(name))
}

/// Whether `found` contains everything in `wanted`.
fn covers(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => {
            wanted.iter().all(|(name, value)| found.get(name).is_some_and(|found| covers(found, value)))
        }
        (Value::Array(found), Value::Array(wanted)) => {
            wanted.iter().all(|value| found.iter().any(|found| covers(found, value)))
        }
        (found, wanted) => found == wanted,
    }
}

/// Whether anything in a value runs this program or calls its hook.
pub fn is_ours(value: &Value) -> bool {
    is_entry(value)
        || match value {
            Value::Object(members) => members.values().any(is_ours),
            Value::Array(elements) => elements.iter().any(is_ours),
            _ => false,
        }
}

/// Whether an object itself does so.
pub fn is_entry(value: &Value) -> bool {
    value.get("tool").and_then(Value::as_str) == Some(HOOK_TOOL)
        || programs_of(value).any(|program| is_tersed(&program))
}

/// Collects the programs of our name that a value runs.
pub fn programs(value: &Value, found: &mut Vec<String>) {
    found.extend(programs_of(value).filter(|program| is_tersed(program)));
    match value {
        Value::Object(members) => members.values().for_each(|value| programs(value, found)),
        Value::Array(elements) => elements.iter().for_each(|value| programs(value, found)),
        _ => {}
    }
}

fn programs_of(value: &Value) -> impl Iterator<Item = String> {
    COMMANDS.iter().filter_map(|name| match value.get(name)? {
        // With `args` it is a program, without it a shell command line.
        Value::String(program) if value.get("args").is_some() => Some(program.clone()),
        Value::String(line) => Some(program_of(line)),
        Value::Array(words) => words.first()?.as_str().map(str::to_owned),
        _ => None,
    })
}

/// The program of a shell command line: the word before `hook`, else the first word.
fn program_of(line: &str) -> String {
    let Some((before, _)) = line.split_once(CALL) else { return first_word(line) };
    let quote = before.chars().last().filter(|last| matches!(last, '"' | '\''));
    let word = match quote {
        Some(quote) => before[..before.len() - 1].rsplit(quote).next(),
        None => before.rsplit(char::is_whitespace).next(),
    };
    word.unwrap_or_default().to_owned()
}

/// The first word of a command line: quoted, or up to a space.
fn first_word(line: &str) -> String {
    let line = line.trim_start().trim_start_matches("& ");
    let quoted = |quote: char| line.strip_prefix(quote).and_then(|rest| rest.split(quote).next());
    let word = quoted('"').or_else(|| quoted('\'')).or_else(|| line.split_whitespace().next());
    word.unwrap_or_default().to_owned()
}

/// Whether a program has our name, by which it is found again.
pub fn is_tersed(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name == OURS || name.strip_suffix(".exe") == Some(OURS)
}

/// Replaces the bare name in an example by this program.
pub fn with_program(example: &mut Value, program: &str) {
    match example {
        Value::Object(members) => {
            let has_arguments = members.contains_key("args");
            for (name, value) in members.iter_mut() {
                let Value::String(line) = value else {
                    with_program(value, program);
                    continue;
                };
                if !COMMANDS.contains(&name.as_str()) {
                    continue;
                }
                if has_arguments || line == OURS {
                    if line == OURS {
                        program.clone_into(line);
                    }
                    continue;
                }
                let call = format!("{OURS}{CALL}");
                let is_word = |(at, _): &(usize, &str)| *at == 0 || line[..*at].ends_with(' ');
                if let Some((at, _)) = line.match_indices(&call).find(is_word) {
                    line.replace_range(at..at + OURS.len(), &quoted(program, name));
                }
            }
        }
        Value::Array(elements) => {
            if let Some(Value::String(first)) = elements.first_mut()
                && first == OURS
            {
                *first = program.to_owned();
            }
            elements.iter_mut().for_each(|element| with_program(element, program));
        }
        _ => {}
    }
}

/// Quotes a program for a shell.
fn quoted(program: &str, member: &str) -> String {
    let is_plain = program.bytes().all(|b| b.is_ascii_alphanumeric() || b"/\\:._-+@,~".contains(&b));
    match (is_plain, member) {
        (true, _) => program.to_owned(),
        (false, "powershell") => format!("& \"{program}\""),
        (false, _) if cfg!(windows) => format!("\"{program}\""),
        (false, _) => format!("'{}'", program.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parts_are_read_from_an_example() {
        let example = json!({ "version": 1, "mcpServers": { "tersed": { "command": "tersed", "args": ["mcp"] } },
            "hooks": { "A": [{ "command": "tersed hook x" }] } });
        let parts = Part::of(&example);
        let paths: Vec<String> = parts.iter().map(|part| part.path().join(".")).collect();
        assert_eq!(paths, ["version", "mcpServers.tersed", "hooks.A"]);
        assert!(parts.iter().all(|part| part.is_held(&example)));
        assert!(matches!(parts[2], Part::Element { .. }));
    }

    #[test]
    fn a_program_is_put_in_and_found_again() {
        let mut example =
            json!({ "a": { "command": "tersed", "args": ["mcp"] }, "b": [{ "command": "tersed hook x" }] });
        with_program(&mut example, "/my tools/tersed");
        assert_eq!(example["a"]["command"], "/my tools/tersed");
        let mut found = Vec::new();
        programs(&example, &mut found);
        assert_eq!(found, ["/my tools/tersed", "/my tools/tersed"]);
        assert!(is_ours(&example["b"]));
        assert!(!is_ours(&json!({ "command": "other tersed" })));
        assert!(!is_ours(&json!({ "command": "husky hook tersed" })));
        let mut guarded = json!({ "command": "test -z \"$X\" || exec tersed hook x 2>/dev/null || true" });
        assert!(is_ours(&guarded));
        with_program(&mut guarded, "/my tools/tersed");
        assert!(is_ours(&guarded));
        assert_eq!(
            guarded["command"],
            "test -z \"$X\" || exec '/my tools/tersed' hook x 2>/dev/null || true"
        );
    }

    #[test]
    fn more_beside_ours_does_not_hide_it() {
        let part =
            Part::Element { path: vec!["h".into()], value: json!({ "hooks": [{ "command": "tersed" }] }) };
        let root = json!({ "h": [{ "hooks": [{ "command": "x" }, { "command": "tersed", "timeout": 3 }], "m": 1 }] });
        assert!(part.is_held(&root));
        assert!(!part.is_held(&json!({ "h": [{ "hooks": [{ "command": "x" }] }] })));
    }
}
