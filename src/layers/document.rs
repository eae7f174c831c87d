//! A configuration file as values with line numbers.

#[cfg(feature = "config-files")]
mod yaml;

use serde_json::{Number, Value};
use toml::de::{DeTable, DeValue};
#[cfg(feature = "config-files")]
pub use yaml::yaml;

/// A value and its line, from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its line.
    pub line: usize,
    /// The value.
    pub data: Data,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// No value.
    Null,
    /// `true` or `false`.
    Flag(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
    /// Values in order.
    List(Vec<Node>),
    /// Members: name, line of the name, value.
    Table(Vec<(String, usize, Node)>),
}

/// The error for a text that cannot be parsed: the line, if known, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The line, from 1.
    pub line: Option<usize>,
    /// The reason, in words.
    pub reason: String,
}

/// Parses YAML.
#[cfg(not(feature = "config-files"))]
pub fn yaml(_: &str) -> Result<Node, Unreadable> {
    Err(Unreadable { line: None, reason: crate::files::yaml::NOT_READ.to_owned() })
}

/// Parses TOML.
pub fn toml(text: &str) -> Result<Node, Unreadable> {
    let starts: Vec<usize> =
        std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1)).collect();
    let line = |at: usize| starts.partition_point(|start| *start <= at);
    match DeTable::parse(text) {
        Ok(table) => {
            let data = of_table(table.get_ref(), &line);
            Ok(Node { line: 1, data })
        }
        Err(error) => {
            let reason = error.message().lines().next().unwrap_or_default().to_owned();
            Err(Unreadable { line: error.span().map(|span| line(span.start)), reason })
        }
    }
}

fn of_table(table: &DeTable<'_>, line: &dyn Fn(usize) -> usize) -> Data {
    let member = |(name, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
        let at = line(name.span().start);
        let name: &std::borrow::Cow<'_, str> = name.get_ref();
        (name.clone().into_owned(), at, Node { line: at, data: of_value(value.get_ref(), line) })
    };
    let mut members: Vec<_> = table.iter().map(member).collect();
    members.sort_by_key(|(_, line, _)| *line);
    Data::Table(members)
}

fn of_value(value: &DeValue<'_>, line: &dyn Fn(usize) -> usize) -> Data {
    match value {
        DeValue::String(text) => Data::Text(text.clone().into_owned()),
        DeValue::Integer(number) => {
            let (text, radix) = (number.as_str(), number.radix());
            let number = u64::from_str_radix(text, radix).map(Number::from);
            let number = number.or_else(|_| i64::from_str_radix(text, radix).map(Number::from));
            number.map_or_else(|_| Data::Text(text.to_owned()), Data::Number)
        }
        DeValue::Float(number) => {
            let text = number.as_str();
            let number = text.parse().ok().and_then(Number::from_f64);
            number.map_or_else(|| Data::Text(text.to_owned()), Data::Number)
        }
        DeValue::Boolean(is) => Data::Flag(*is),
        DeValue::Datetime(time) => Data::Text(time.to_string()),
        DeValue::Array(items) => {
            let item = |item: &toml::Spanned<DeValue<'_>>| Node {
                line: line(item.span().start),
                data: of_value(item.get_ref(), line),
            };
            Data::List(items.iter().map(item).collect())
        }
        DeValue::Table(table) => of_table(table, line),
    }
}

impl From<&Node> for Value {
    fn from(node: &Node) -> Self {
        match &node.data {
            Data::Null => Self::Null,
            Data::Flag(is) => Self::Bool(*is),
            Data::Number(number) => Self::Number(number.clone()),
            Data::Text(text) => Self::String(text.clone()),
            Data::List(items) => items.iter().map(Self::from).collect(),
            Data::Table(members) => {
                members.iter().map(|(name, _, node)| (name.clone(), Self::from(node))).collect()
            }
        }
    }
}

impl Node {
    /// A value that does not come from a file.
    pub fn new(value: &Value) -> Self {
        let data = match value {
            Value::Null => Data::Null,
            Value::Bool(is) => Data::Flag(*is),
            Value::Number(number) => Data::Number(number.clone()),
            Value::String(text) => Data::Text(text.clone()),
            Value::Array(items) => Data::List(items.iter().map(Self::new).collect()),
            Value::Object(members) => {
                Data::Table(members.iter().map(|(name, value)| (name.clone(), 0, Self::new(value))).collect())
            }
        };
        Self { line: 0, data }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_languages_say_the_same() {
        let of_yaml =
            yaml("policy:\n  mode: safe\n  minBytes: 7\n  dedup: no\n  excludeTools:\n    - a\n    - b\n")
                .unwrap();
        let of_toml = toml("[policy]\nmode = \"safe\"\nminBytes = 7\ndedup = \"no\"\nexcludeTools = [\n  \"a\",\n  \"b\",\n]\n").unwrap();
        let expected = json!({"policy":{"mode":"safe","minBytes":7,"dedup":"no","excludeTools":["a","b"]}});
        for node in [of_yaml, of_toml] {
            assert_eq!(Value::from(&node), expected);
            let Data::Table(members) = &node.data else { panic!() };
            let Data::Table(policy) = &members[0].2.data else { panic!() };
            let lines: Vec<usize> = policy.iter().map(|(_, line, _)| *line).collect();
            assert_eq!(lines, [2, 3, 4, 5]);
            let Data::List(tools) = &policy[3].2.data else { panic!() };
            assert_eq!([tools[0].line, tools[1].line], [6, 7]);
        }
        for empty in ["", "# nothing\n", "---\n"] {
            assert_eq!(yaml(empty).unwrap().data, Data::Null, "{empty:?}");
        }
        assert_eq!(toml("").unwrap().data, Data::Table(Vec::new()));
    }

    #[test]
    fn what_cannot_be_read_has_a_line() {
        for (text, least) in [("a: 1\na: 2\n", 2), ("a: 1\nb: [\n", 1), ("a: 1\n\tb: 1\n", 1), ("a: *x\n", 1)]
        {
            let error = yaml(text).unwrap_err();
            let has_line = error.line.is_some_and(|line| line >= least);
            assert!(has_line && !error.reason.is_empty(), "{text:?}: {error:?}");
        }
        let twice = yaml("a: 1\na: 2\n").unwrap_err();
        assert_eq!((twice.line, &*twice.reason), (Some(2), "the key `a` is given twice"));
        for text in ["a = 1\na = 2\n", "a = 1\nb = [\n", "a = 1\nb\n"] {
            let error = toml(text).unwrap_err();
            assert!(
                error.line.is_some_and(|line| line >= 2) && !error.reason.is_empty(),
                "{text:?}: {error:?}"
            );
        }
    }
}
