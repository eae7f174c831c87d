//! Edits JSON, with or without comments, and leaves every other byte as it is.
//!
//! The text is parsed only to find its values; changes are cuts and insertions in the text itself. `remove` undoes `add`
//! byte for byte, with one exception: an empty object written over several lines comes back on one line. Each result is
//! parsed again and compared with the expected value before it is returned.
//!
//! The tree of `jsonc-parser` for edits (`cst`) is not suitable here: it writes an object of one line over several
//! lines, and adding and removing with it leaves line ends and drops empty lines.
//! `tests::the_tree_of_the_library_cannot_undo` shows it.

mod insert;
mod remove;
#[cfg(test)]
mod tests;

use std::ops::Range;

use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

use super::parts::Part;
pub use remove::remove;

/// Why a text cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Line, from 1.
    pub line: usize,
    /// The fault.
    pub text: String,
}

impl Fault {
    fn at(text: &str, offset: usize, what: String) -> Self {
        Self { line: 1 + text.as_bytes()[..offset].iter().filter(|b| **b == b'\n').count(), text: what }
    }
}

/// A value and its byte range.
#[derive(Debug)]
enum Node {
    Object(Range<usize>, Vec<Member>),
    Array(Range<usize>, Vec<Node>),
    Other(Range<usize>, &'static str),
}

#[derive(Debug)]
struct Member {
    name: String,
    range: Range<usize>,
    value: Node,
}

impl Node {
    fn of(ast: &Ast<'_>) -> Self {
        let range = ast.range();
        let range = range.start..range.end;
        match ast {
            Ast::Object(object) => Self::Object(
                range,
                object
                    .properties
                    .iter()
                    .map(|property| Member {
                        name: property.name.as_str().to_owned(),
                        range: property.range.start..property.range.end,
                        value: Self::of(&property.value),
                    })
                    .collect(),
            ),
            Ast::Array(array) => Self::Array(range, array.elements.iter().map(Self::of).collect()),
            Ast::StringLit(_) => Self::Other(range, "a string"),
            Ast::NumberLit(_) => Self::Other(range, "a number"),
            Ast::BooleanLit(_) => Self::Other(range, "a boolean"),
            Ast::NullKeyword(_) => Self::Other(range, "null"),
        }
    }

    fn range(&self) -> Range<usize> {
        match self {
            Self::Object(range, _) | Self::Array(range, _) | Self::Other(range, _) => range.clone(),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Object(..) => "an object",
            Self::Array(..) => "an array",
            Self::Other(_, kind) => kind,
        }
    }

    /// The members or elements of a container.
    fn items(&self) -> Vec<Range<usize>> {
        match self {
            Self::Object(_, members) => members.iter().map(|member| member.range.clone()).collect(),
            Self::Array(_, elements) => elements.iter().map(Self::range).collect(),
            Self::Other(..) => Vec::new(),
        }
    }
}

fn ast<'a>(text: &'a str) -> Result<Option<Ast<'a>>, Fault> {
    let strict = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &strict);
    parsed.map(|parsed| parsed.value).map_err(|error| {
        if text.starts_with('\u{feff}') {
            let what = "begins with a byte order mark, which is no JSON: save it as UTF-8 without one";
            return Fault { line: 1, text: what.to_owned() };
        }
        let what = error.kind().to_string();
        Fault { line: error.line_display(), text: format!("not JSON: {}", what.trim_end_matches('.')) }
    })
}

fn parse(text: &str) -> Result<Option<Node>, Fault> {
    Ok(ast(text)?.as_ref().map(Node::of))
}

/// The root value of a text; `None` if there is only white space and comments.
pub fn value(text: &str) -> Result<Option<Value>, Fault> {
    Ok(ast(text)?.map(Value::from))
}

/// The text with the missing parts added, and the paths of objects and arrays that were created for them.
pub fn add(text: &str, parts: &[Part]) -> Result<(String, Vec<Vec<String>>), Fault> {
    let (mark, body) = text.strip_prefix('\u{feff}').map_or(("", text), |body| ("\u{feff}", body));
    let mut body = body.to_owned();
    let mut made = Vec::new();
    for part in parts {
        let root = value(&body)?;
        let is_there = |root: &Value| part.is_held(root) || part.is_known(root);
        if root.as_ref().is_some_and(is_there) {
            continue;
        }
        let next = insert::part(&body, part, &mut made)?;
        match value(&next) {
            Ok(Some(root)) if part.is_held(&root) => body = next,
            _ => {
                let what = format!("`{}` cannot be added safely", part.path().join("."));
                return Err(Fault { line: 1, text: what });
            }
        }
    }
    Ok((format!("{mark}{body}"), made))
}

/// The end of the white space and comments that start at `from`.
fn after_trivia(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\t' | b'\r' | b'\n') => at += 1,
            Some(b'/') => at = after_comment(text, at),
            _ => return at,
        }
    }
}

/// The end of the comment that starts at `from`, without its line end.
fn after_comment(text: &str, from: usize) -> usize {
    let rest = &text[from..];
    let length = match rest.starts_with("/*") {
        true => rest.find("*/").map(|end| end + 2),
        false => rest.find(['\n', '\r']),
    };
    from + length.unwrap_or(rest.len())
}

/// The position of the comma after a value that ends at `end`.
fn comma_after(text: &str, end: usize) -> Option<usize> {
    let at = after_trivia(text, end);
    (text.as_bytes().get(at) == Some(&b',')).then_some(at)
}
