//! The allowed values of a setting, read from the JSON Schema. This one definition serves files, environment, flags, errors
//! and documentation.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::table::MAX_NUMBER;

/// Allowed values.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Whole {
        /// The smallest.
        min: u64,
        /// The largest.
        max: u64,
    },
    /// A number.
    Number,
    /// Any text.
    Text,
    /// One of these texts.
    Choice(Vec<String>),
    /// Values of one kind.
    List(Box<Kind>),
    /// Values of one kind under names that somebody chose.
    Table(Box<Kind>),
    /// Members with fixed names.
    Group(Vec<Member>),
    /// A form that only the setting's own reader can parse.
    Other,
}

/// A member of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its allowed values.
    pub kind: Kind,
    /// Its documentation, in one paragraph.
    pub doc: String,
}

/// How deep schemas are read; deeper values are `Other`.
const MAX_DEPTH: usize = 8;

impl Kind {
    /// Reads a schema whose references point into `definitions`.
    pub(super) fn read(schema: &Value, definitions: &Map<String, Value>) -> Self {
        read(schema, definitions, 0)
    }

    /// What is allowed, in words.
    pub fn allowed(&self) -> String {
        match self {
            Self::Flag => "true, false".to_owned(),
            Self::Whole { min, max } if *max >= MAX_NUMBER => format!("{min} and up"),
            Self::Whole { min, max } => format!("{min} to {max}"),
            Self::Number => "a number from 0".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::Choice(names) => names.join(", "),
            Self::List(of) => match &**of {
                Self::Choice(names) => format!("a list of {}", names.join(", ")),
                Self::Group(_) => "a list of groups".to_owned(),
                _ => "a list of texts".to_owned(),
            },
            Self::Table(_) => "a table".to_owned(),
            Self::Group(members) => {
                let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
                format!("a group of {}", names.join(", "))
            }
            Self::Other => "any".to_owned(),
        }
    }
}

fn read(schema: &Value, definitions: &Map<String, Value>, depth: usize) -> Kind {
    if depth > MAX_DEPTH {
        return Kind::Other;
    }
    if let Some(name) = schema["$ref"].as_str().and_then(|target| target.strip_prefix("#/$defs/")) {
        return definitions.get(name).map_or(Kind::Other, |schema| read(schema, definitions, depth + 1));
    }
    for any in ["anyOf", "oneOf"] {
        if let Some(branches) = schema[any].as_array() {
            return one_of(branches, definitions, depth);
        }
    }
    if let Some(text) = schema["const"].as_str() {
        return Kind::Choice(vec![text.to_owned()]);
    }
    if let Some(names) = schema["enum"].as_array() {
        return Kind::Choice(names.iter().filter_map(Value::as_str).map(str::to_owned).collect());
    }
    let types: BTreeSet<&str> = match &schema["type"] {
        Value::String(one) => BTreeSet::from([one.as_str()]),
        Value::Array(all) => all.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect(),
        _ => BTreeSet::new(),
    };
    let [one] = types.iter().copied().collect::<Vec<_>>()[..] else { return Kind::Other };
    match one {
        "boolean" => Kind::Flag,
        "integer" if schema["format"].as_str().is_none_or(|format| format.starts_with('u')) => {
            let bound = |name: &str, default| schema[name].as_u64().unwrap_or(default);
            Kind::Whole { min: bound("minimum", 0), max: bound("maximum", MAX_NUMBER) }
        }
        "number" => Kind::Number,
        "string" => Kind::Text,
        "array" if schema["items"].is_object() => {
            Kind::List(Box::new(read(&schema["items"], definitions, depth + 1)))
        }
        "object" => match (schema["properties"].as_object(), &schema["additionalProperties"]) {
            (Some(properties), _) => Kind::Group(members(properties, definitions, depth)),
            (None, of @ Value::Object(_)) => Kind::Table(Box::new(read(of, definitions, depth + 1))),
            _ => Kind::Other,
        },
        _ => Kind::Other,
    }
}

/// Branches that are names form one choice; a single branch beside `null` is used alone.
fn one_of(branches: &[Value], definitions: &Map<String, Value>, depth: usize) -> Kind {
    let mut kinds: Vec<Kind> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for branch in branches.iter().filter(|branch| branch["type"] != "null") {
        match read(branch, definitions, depth + 1) {
            Kind::Choice(more) => names.extend(more),
            other => kinds.push(other),
        }
    }
    match (names.is_empty(), kinds.pop(), kinds.is_empty()) {
        (false, None, _) => Kind::Choice(names),
        (true, Some(kind), true) => kind,
        _ => Kind::Other,
    }
}

fn members(properties: &Map<String, Value>, definitions: &Map<String, Value>, depth: usize) -> Vec<Member> {
    let member = |(name, schema): (&String, &Value)| Member {
        name: name.clone(),
        kind: read(schema, definitions, depth + 1),
        doc: schema["description"].as_str().unwrap_or_default().replace('\n', " "),
    };
    properties.iter().map(member).collect()
}
