//! Single values with their origins.

use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

use super::document::{Data, Node};
use crate::config::Profile;
use crate::config::kind::Kind;
use crate::config::schema::root;
use crate::detect::command::OFF_WORDS;

/// The origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A profile.
    Profile(Profile),
    /// A file and a line, from 1.
    File {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// An environment variable.
    Variable(String),
    /// A flag.
    Flag(String),
    /// The host, in a message.
    Host(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Profile(profile) => write!(f, "profile {}", profile.name()),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
            Self::Host(name) => f.write_str(name),
        }
    }
}

/// A value that was given, with its origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// The key of the setting, such as `policy.mode`.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether it may only reduce what the layers below it do; see `project`.
    pub(super) is_less: bool,
}

impl Given {
    /// A value that replaces lower ones.
    pub(super) fn new(key: impl Into<String>, value: Value, origin: Origin) -> Self {
        Self { key: key.into(), value, origin, is_less: false }
    }

    /// Whether both are the value of one key from one origin.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.key == other.key && self.origin == other.origin
    }
}

impl Origin {
    /// The line in its file.
    pub(super) fn line(&self) -> Option<usize> {
        match self {
            Self::File { line, .. } => Some(*line).filter(|line| *line > 0),
            _ => None,
        }
    }
}

/// Calls `each` with the key, value and line of every setting in a checked group. An empty group is passed as one setting,
/// because it may mean its defaults.
pub(super) fn flatten(node: &Node, kind: &Kind, key: &str, each: &mut dyn FnMut(&str, &Node, usize)) {
    walk(node, node.line, kind, key, each);
}

fn walk(node: &Node, line: usize, kind: &Kind, key: &str, each: &mut dyn FnMut(&str, &Node, usize)) {
    match (kind, &node.data) {
        (_, Data::Null) => {}
        (Kind::Group(known), Data::Table(members)) if !members.is_empty() => {
            for (name, line, node) in members {
                let Some(member) = known.iter().find(|member| member.name == *name) else { continue };
                let dot = if key.is_empty() { "" } else { "." };
                walk(node, *line, &member.kind, &format!("{key}{dot}{name}"), each);
            }
        }
        _ if key.is_empty() => {}
        _ => each(key, node, line),
    }
}

/// Parses a value from a variable or a flag. Lists are comma-separated or JSON; groups are JSON.
pub(super) fn of_text(text: &str, kind: &Kind) -> Node {
    let json = || serde_json::from_str::<Value>(text).ok();
    let text_itself = || Value::String(text.to_owned());
    let value = match kind {
        Kind::Flag => match text {
            "true" | "1" => Value::Bool(true),
            "false" | "0" => Value::Bool(false),
            _ => text_itself(),
        },
        Kind::Whole { .. } | Kind::Number => json().filter(Value::is_number).unwrap_or_else(text_itself),
        Kind::Text | Kind::Choice(_) => text_itself(),
        Kind::List(_) if text.trim_start().starts_with('[') => json().unwrap_or_else(text_itself),
        Kind::List(_) => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            items.map(|item| Value::String(item.to_owned())).collect()
        }
        Kind::Table(_) | Kind::Group(_) | Kind::Other => json().unwrap_or_else(text_itself),
    };
    meant(Node::new(&value), kind)
}

/// The name that a person means: in any case; words for "off" mean the mode that does nothing.
pub fn meant_name(text: &str, names: &[String]) -> String {
    let known = |name: &str| names.iter().find(|known| known.eq_ignore_ascii_case(name)).cloned();
    let text_is_off = || OFF_WORDS.iter().any(|word| word.eq_ignore_ascii_case(text.trim()));
    let off = || known("disabled").filter(|_| text_is_off());
    if names.iter().any(|name| name == text) {
        return text.to_owned();
    }
    known(text.trim()).or_else(off).unwrap_or_else(|| text.to_owned())
}

/// The value with the names that its author meant. YAML reads some words for "off" as a boolean.
pub(super) fn meant(node: Node, kind: &Kind) -> Node {
    let Node { line, data } = node;
    let data = match (kind, data) {
        (Kind::Choice(names), Data::Text(text)) => Data::Text(meant_name(&text, names)),
        (Kind::Choice(names), Data::Flag(false)) if names.iter().any(|name| name == "disabled") => {
            Data::Text("disabled".to_owned())
        }
        (Kind::Group(known), Data::Table(members)) => {
            let one = |(name, line, node): (String, usize, Node)| {
                let kind = known.iter().find(|member| member.name == name).map(|member| &member.kind);
                let node = match kind {
                    Some(kind) => meant(node, kind),
                    None => node,
                };
                (name, line, node)
            };
            Data::Table(members.into_iter().map(one).collect())
        }
        (_, data) => data,
    };
    Node { line, data }
}

/// The settings of a profile.
pub(super) fn of_profile(profile: Profile) -> Vec<Given> {
    let mut all = Vec::new();
    flatten(&Node::new(&profile.settings()), root(), "", &mut |key, node, _| {
        all.push(Given::new(key, node.into(), Origin::Profile(profile)));
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::check::check;

    #[test]
    fn profiles_are_named_settings() {
        for profile in Profile::ALL {
            let node = Node::new(&profile.settings());
            assert_eq!(check(&node, root(), ""), [], "{}", profile.name());
            assert!(of_profile(*profile).len() >= 4);
        }
    }
}
