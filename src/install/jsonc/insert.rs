//! Inserts into JSON in the style of the text: its indentation, line ends, and trailing commas.

use std::ops::Range;

use serde::Serialize;
use serde_json::ser::PrettyFormatter;
use serde_json::{Value, json};

use super::{Fault, Member, Node, after_comment, comma_after, parse};
use crate::install::parts::Part;

/// The style of a text.
struct Style {
    unit: String,
    newline: &'static str,
    /// Whether everything is on one line.
    is_flat: bool,
}

/// The text with the part added. The caller checks that it is missing.
pub(super) fn part(text: &str, part: &Part, made: &mut Vec<Vec<String>>) -> Result<String, Fault> {
    let Some(root) = parse(text)? else {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let style = Style { unit: "  ".to_owned(), newline, is_flat: false };
        made.extend((0..=part.path().len()).map(|end| part.path()[..end].to_vec()));
        let whole = nest(part.path(), leaf(part));
        let before = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
        return Ok(format!("{text}{before}{}{newline}", rendered(&whole, &style, "")));
    };
    let style = Style::of(text, &root);
    let path = part.path();
    let mut node = &root;
    for (depth, name) in path.iter().enumerate() {
        let Node::Object(_, members) = node else {
            return Err(unexpected(text, node, &path[..depth], "an object"));
        };
        match member(text, members, name)? {
            Some(found) => node = &found.value,
            None => {
                made.extend((depth + 1..=path.len()).map(|end| path[..end].to_vec()));
                let value = nest(&path[depth + 1..], leaf(part));
                return Ok(into(text, node, &style, |indent| {
                    format!("{}: {}", Value::from(name.as_str()), rendered(&value, &style, indent))
                }));
            }
        }
    }
    match (part, node) {
        (Part::Element { value, .. }, Node::Array(..)) => {
            Ok(into(text, node, &style, |indent| rendered(value, &style, indent)))
        }
        (Part::Element { .. }, _) => Err(unexpected(text, node, path, "an array")),
        _ => {
            let what =
                format!("`{}` is there already and is not of tersed; rename or remove it", path.join("."));
            Err(Fault::at(text, node.range().start, what))
        }
    }
}

fn unexpected(text: &str, node: &Node, path: &[String], wanted: &str) -> Fault {
    let name = if path.is_empty() { "the whole".to_owned() } else { format!("`{}`", path.join(".")) };
    Fault::at(text, node.range().start, format!("{name} is {}, expected {wanted}", node.kind()))
}

fn member<'a>(text: &str, members: &'a [Member], name: &str) -> Result<Option<&'a Member>, Fault> {
    let mut found = members.iter().filter(|member| member.name == name);
    let first = found.next();
    match found.next() {
        Some(second) => Err(Fault::at(text, second.range.start, format!("`{name}` is given twice"))),
        None => Ok(first),
    }
}

/// The value at the end of a part's path.
fn leaf(part: &Part) -> Value {
    match part {
        Part::Element { value, .. } => json!([value]),
        Part::Member { value, .. } | Part::Default { value, .. } => value.clone(),
    }
}

/// Wraps a value in objects with these names.
fn nest(path: &[String], value: Value) -> Value {
    path.iter().rev().fold(value, |value, name| json!({ name: value }))
}

fn rendered(value: &Value, style: &Style, indent: &str) -> String {
    if style.is_flat {
        return value.to_string();
    }
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(style.unit.as_bytes());
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    if value.serialize(&mut serializer).is_err() {
        return value.to_string();
    }
    let text = String::from_utf8_lossy(&bytes);
    // A JSON string contains no raw line end.
    text.replace('\n', &format!("{}{indent}", style.newline))
}

impl Style {
    fn of(text: &str, root: &Node) -> Self {
        let first = root.items().first().map(|item| own_indent(text, item.start));
        let unit = first.flatten().filter(|indent| !indent.is_empty()).unwrap_or("  ").to_owned();
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let is_flat = !root.items().is_empty() && !text.trim().contains('\n');
        Self { unit, newline, is_flat }
    }
}

/// The white space before an item, if the item is the first on its line.
fn own_indent(text: &str, start: usize) -> Option<&str> {
    let line = line_start(text, start);
    Some(&text[line..start]).filter(|before| before.bytes().all(|b| b == b' ' || b == b'\t'))
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The indentation of a line.
pub(super) fn indent_of_line(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The text with one more item at the end of an object or an array.
fn into(text: &str, node: &Node, style: &Style, item: impl Fn(&str) -> String) -> String {
    let range: Range<usize> = node.range();
    let items = node.items();
    let Some((first, last)) = items.first().zip(items.last()) else {
        return into_empty(text, &range, style, item);
    };
    let comma = comma_after(text, last.end).filter(|comma| *comma < range.end);
    let after = comma.map_or(last.end, |comma| comma + 1);
    let (mut out, end) = (String::with_capacity(text.len() + 256), if comma.is_some() { "," } else { "" });
    out.push_str(&text[..after]);
    if comma.is_none() {
        out.push(',');
    }
    if !text[range.start..first.start].contains('\n') {
        // Everything is on the line of the bracket.
        let space = if text[..range.end].contains(", ") || !style.is_flat { " " } else { "" };
        out.push_str(&format!("{space}{}{end}", item(indent_of_line(text, range.start))));
        out.push_str(&text[after..]);
        return out;
    }
    let place = end_of_line(text, after);
    let indent = own_indent(text, last.start).or_else(|| own_indent(text, first.start));
    let indent =
        indent.map_or_else(|| format!("{}{}", indent_of_line(text, range.start), style.unit), str::to_owned);
    out.push_str(&text[after..place]);
    out.push_str(&format!("{}{indent}{}{end}", style.newline, item(&indent)));
    out.push_str(&text[place..]);
    out
}

/// The end of the line; `from` itself if a bracket or a comment of several lines follows.
fn end_of_line(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\t') => at += 1,
            Some(b'/') => {
                let end = after_comment(text, at);
                if text[at..end].contains('\n') {
                    return from;
                }
                at = end;
            }
            Some(b'\r' | b'\n') => return at,
            _ => return from,
        }
    }
}

fn into_empty(text: &str, range: &Range<usize>, style: &Style, item: impl Fn(&str) -> String) -> String {
    let (before, inner) = (&text[..=range.start], &text[range.start + 1..]);
    let outer = indent_of_line(text, range.start);
    if style.is_flat {
        return format!("{before}{}{inner}", item(outer));
    }
    let indent = format!("{outer}{}", style.unit);
    let is_open = text[range.start + 1..range.end].contains('\n');
    let close = if is_open { String::new() } else { format!("{}{outer}", style.newline) };
    format!("{before}{}{indent}{}{close}{inner}", style.newline, item(&indent))
}
