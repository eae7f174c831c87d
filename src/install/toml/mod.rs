//! Edits TOML and leaves every other byte as it is: adds tables at the end of the text.
//!
//! As for JSON, the text is parsed only to find its tables, `remove` undoes `add` byte for byte, and each result is parsed
//! again before it is returned.

mod remove;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};
use toml_edit::{Document, Item, Table};

use super::jsonc::Fault;
use super::parts::Part;
pub use remove::remove;

/// The values of a text.
pub fn value(text: &str) -> Result<Value, Fault> {
    parse(text).map(|document| of_item(document.as_item()))
}

fn parse(text: &str) -> Result<Document<&str>, Fault> {
    Document::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = 1 + text.as_bytes()[..offset].iter().filter(|b| **b == b'\n').count();
        let what = error.message().lines().collect::<Vec<_>>().join(", ");
        Fault { line, text: format!("no TOML: {what}") }
    })
}

fn of_item(item: &Item) -> Value {
    let table = |table: &Table| -> Value {
        let members = table.iter().map(|(name, item)| (name.to_owned(), of_item(item)));
        Value::Object(members.collect())
    };
    match item {
        Item::None => Value::Null,
        Item::Table(inner) => table(inner),
        Item::ArrayOfTables(all) => all.iter().map(table).collect(),
        Item::Value(value) => of_value(value),
    }
}

fn of_value(value: &toml_edit::Value) -> Value {
    use toml_edit::Value as Toml;
    match value {
        Toml::String(text) => Value::from(text.value().as_str()),
        Toml::Integer(number) => Value::from(*number.value()),
        Toml::Float(number) => Value::from(*number.value()),
        Toml::Boolean(is) => Value::from(*is.value()),
        Toml::Datetime(time) => Value::from(time.value().to_string()),
        Toml::Array(all) => all.iter().map(of_value).collect(),
        Toml::InlineTable(table) => {
            let members = table.iter().map(|(name, value)| (name.to_owned(), of_value(value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
    }
}

/// The text with the missing parts added.
pub fn add(text: &str, parts: &[Part]) -> Result<String, Fault> {
    let mut text = text.to_owned();
    for part in parts {
        let root = value(&text)?;
        if part.is_held(&root) || part.is_known(&root) {
            continue;
        }
        let next = match part {
            Part::Default { path, value } => with_default(&text, path, value),
            _ => appended(&text, part),
        };
        match value(&next) {
            Ok(root) if part.is_held(&root) => text = next,
            // The existing value is written in a form to which no table can be added.
            _ => return Err(refused(&text, part.path())),
        }
    }
    Ok(text)
}

/// Why no table can be added: the value in the way, and the form that it should have.
fn refused(text: &str, path: &[String]) -> Fault {
    let what = format!(
        "`{}` cannot be added: `{}` is written inline or is something else; write it as [{}] with a header of its own",
        path.join("."),
        path[0],
        path[0],
    );
    let place =
        parse(text).ok().and_then(|root| root.as_table().key(&path[0]).and_then(toml_edit::Key::span));
    let offset = place.map_or(0, |span| span.start);
    Fault { line: 1 + text.as_bytes()[..offset].iter().filter(|b| **b == b'\n').count(), text: what }
}

fn newline_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Adds the tables of a part at the end, after an empty line.
fn appended(text: &str, part: &Part) -> String {
    let mut block = String::new();
    let (path, value, is_element) = match part {
        Part::Element { path, value } => (path, value, true),
        Part::Member { path, value } | Part::Default { path, value } => (path, value, false),
    };
    tables(path, value, is_element, &mut block);
    let newline = newline_of(text);
    let block = block.replace('\n', newline);
    if text.is_empty() {
        return block;
    }
    if text.ends_with('\n') {
        return format!("{text}{newline}{block}");
    }
    format!("{text}{newline}{newline}{}", block.trim_end())
}

/// Writes a table with its header: plain values first, then the tables in it.
fn tables(path: &[String], value: &Value, is_element: bool, out: &mut String) {
    let name = path.iter().map(|name| toml_edit::Key::new(name).to_string()).collect::<Vec<_>>().join(".");
    out.push_str(&if is_element { format!("[[{name}]]\n") } else { format!("[{name}]\n") });
    let members = value.as_object().into_iter().flatten();
    let is_table = |value: &Value| value.is_object() || is_tables(value);
    for (name, value) in members.clone().filter(|(_, value)| !is_table(value)) {
        out.push_str(&format!("{} = {}\n", toml_edit::Key::new(name.as_str()), plain(value)));
    }
    for (name, value) in members.filter(|(_, value)| is_table(value)) {
        let path: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
        match value {
            Value::Array(all) => all.iter().for_each(|value| {
                out.push('\n');
                tables(&path, value, true, out);
            }),
            value => {
                out.push('\n');
                tables(&path, value, false, out);
            }
        }
    }
}

fn is_tables(value: &Value) -> bool {
    value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(Value::is_object))
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => toml_edit::Value::from(text.as_str()).to_string(),
        Value::Array(all) => format!("[{}]", all.iter().map(plain).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// Adds a plain value: to its table if that has a header, else in a new table.
fn with_default(text: &str, path: &[String], value: &Value) -> String {
    let Some((name, table)) = path.split_last() else { return text.to_owned() };
    let line = format!("{} = {}{}", toml_edit::Key::new(name.as_str()), plain(value), newline_of(text));
    if table.is_empty() {
        return format!("{line}{text}");
    }
    let header = parse(text).ok().and_then(|root| {
        let found = table.iter().try_fold(root.as_item(), |item, name| item.get(name.as_str()))?;
        found.as_table().filter(|table| !table.is_implicit() && !table.is_dotted())?.span()
    });
    match header {
        Some(header) => {
            let end = text[header.start..].find('\n').map_or(text.len(), |end| header.start + end + 1);
            let missing = if text[..end].ends_with('\n') { "" } else { newline_of(text) };
            format!("{}{missing}{line}{}", &text[..end], &text[end..])
        }
        None => {
            let value = Value::Object([(name.clone(), value.clone())].into_iter().collect());
            appended(text, &Part::Member { path: table.to_vec(), value })
        }
    }
}
