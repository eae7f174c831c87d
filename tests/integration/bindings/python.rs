//! Prints the model as Python: `TypedDict`s for 3.10 and later, and one method per method of the protocol.

use std::fmt::Write as _;

use super::model::{Definition, Field, Method, Model, Shape, Type};

const TYPES_HEAD: &str = r#""""Types of the protocol, version 1.

Generated from the schema of the protocol; not to be edited. Members that a server may add later are
absent here and are to be ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, TypedDict, Union
"#;

/// Words that cannot name a member of a class.
const KEYWORDS: &[&str] =
    &["class", "def", "from", "global", "import", "in", "is", "lambda", "not", "pass", "return", "with"];

/// The module of types.
pub fn types(model: &Model) -> String {
    let mut out = String::from(TYPES_HEAD);
    let mut exported: Vec<&str> = model.types.iter().map(|d| d.name.as_str()).collect();
    exported.sort_unstable();
    out.push_str("\n__all__ = [\n");
    for name in exported {
        writeln!(out, "    \"{name}\",").unwrap();
    }
    out.push_str("]\n");
    for definition in &model.types {
        out.push_str(&self::definition(definition, model.sent.contains(&definition.name)));
    }
    out
}

fn definition(definition: &Definition, sent: bool) -> String {
    let Definition { name, about, shape } = definition;
    match shape {
        Shape::Names(names, open) => {
            let mut literal = String::from("Literal[\n");
            for name in names {
                writeln!(literal, "        \"{name}\",").unwrap();
            }
            literal.push_str("    ]");
            let value = if *open { format!("Union[\n    {literal},\n    str,\n]") } else { dedent(&literal) };
            format!("\n\n{name}: TypeAlias = {value}\n{}", doc("", about))
        }
        Shape::Alias(of) => {
            format!(
                "\n\n{name}: TypeAlias = \"{}\"\n{}",
                self::of(of, sent).replace('"', "'"),
                doc("", about)
            )
        }
        Shape::Object(fields) if fields.iter().any(|f| is_keyword(f) && !f.required) => {
            // Members that a class cannot name are in a base without a class body.
            let (words, others): (Vec<&Field>, Vec<&Field>) = fields.iter().partition(|f| is_keyword(f));
            assert!(words.iter().all(|f| !f.required) && others.iter().all(|f| f.required), "{name}");
            let mut out = format!("\n\nclass _{name}(TypedDict):\n");
            out.push_str(&doc("    ", &format!("Members that every `{name}` has.")));
            for field in others {
                write!(out, "\n    {}: {}\n", field.name, self::of(&field.of, sent)).unwrap();
                out.push_str(&doc("    ", &field.about));
            }
            write!(out, "\n\n_{name}Words = TypedDict(\n    \"_{name}Words\",\n    {{\n").unwrap();
            for field in words {
                writeln!(out, "        # {}", field.about).unwrap();
                writeln!(out, "        \"{}\": {},", field.name, self::of(&field.of, sent)).unwrap();
            }
            out.push_str("    },\n    total=False,\n)\n");
            write!(out, "\n\nclass {name}(_{name}, _{name}Words):\n{}", doc("    ", about)).unwrap();
            out
        }
        Shape::Object(fields) if fields.iter().any(is_keyword) => {
            let mut out = format!("\n{name} = TypedDict(\n    \"{name}\",\n    {{\n");
            for field in fields {
                writeln!(out, "        # {}", field.about).unwrap();
                writeln!(out, "        \"{}\": {},", field.name, self::of(&field.of, sent)).unwrap();
            }
            out + "    },\n)\n" + &doc("", about)
        }
        Shape::Object(fields) => {
            let (required, optional): (Vec<&Field>, Vec<&Field>) = fields.iter().partition(|f| f.required);
            let class = |name: &str, base: &str, about: &str, fields: &[&Field]| {
                let mut out = format!("\n\nclass {name}({base}):\n{}", doc("    ", about));
                for field in fields {
                    write!(out, "\n    {}: {}\n", field.name, self::of(&field.of, sent)).unwrap();
                    out.push_str(&doc("    ", &field.about));
                }
                out
            };
            if required.is_empty() {
                class(name, "TypedDict, total=False", about, &optional)
            } else if optional.is_empty() {
                class(name, "TypedDict", about, &required)
            } else {
                let base = format!("_{name}");
                let first =
                    class(&base, "TypedDict", &format!("Members that every `{name}` has."), &required);
                first + &class(name, &format!("{base}, total=False"), about, &optional)
            }
        }
    }
}

fn is_keyword(field: &Field) -> bool {
    KEYWORDS.contains(&field.name.as_str())
}

fn dedent(text: &str) -> String {
    text.lines().map(|l| l.strip_prefix("    ").unwrap_or(l)).collect::<Vec<_>>().join("\n")
}

/// A docstring, wrapped at 100 columns.
fn doc(indent: &str, text: &str) -> String {
    let text = text.replace('\\', "\\\\");
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().unwrap();
        if !last.is_empty() && indent.len() + last.len() + word.len() > 93 {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    let end = if lines.len() > 1 { format!("\n{indent}") } else { String::new() };
    format!("{indent}\"\"\"{}{end}\"\"\"\n", lines.join(&format!("\n{indent}")))
}

/// A type. Values that a host sends may be any mapping; values that it receives are a `dict`.
fn of(of_: &Type, sent: bool) -> String {
    match of_ {
        Type::Any => "Any".into(),
        Type::Null => "None".into(),
        Type::String => "str".into(),
        Type::Integer => "int".into(),
        Type::Number => "float".into(),
        Type::Boolean => "bool".into(),
        Type::Object => (if sent { "Mapping[str, Any]" } else { "dict[str, Any]" }).into(),
        Type::Literal(names) => {
            let names: Vec<String> = names.iter().map(|n| format!("\"{n}\"")).collect();
            format!("Literal[{}]", names.join(", "))
        }
        Type::Named(name) => name.clone(),
        Type::List(item) | Type::Tuple(item, _) => format!("list[{}]", of(item, sent)),
        Type::Map(item) => format!("dict[str, {}]", of(item, sent)),
        Type::Union(parts) => parts.iter().map(|p| of(p, sent)).collect::<Vec<_>>().join(" | "),
    }
}

const METHODS_HEAD: &str = r#""""One method for each method of the protocol, version 1.

Generated from the schema of the protocol; not to be edited.
"""

from __future__ import annotations

from typing import Any, cast

from . import protocol
"#;

/// The module of methods: a base class for each of the two clients.
pub fn methods(model: &Model) -> String {
    let mut out = String::from(METHODS_HEAD);
    for (class, sync) in [("Methods", true), ("AsyncMethods", false)] {
        let word = if sync { "" } else { "async " };
        let kind = if sync { "blocking" } else { "asyncio" };
        write!(
            out,
            "\n\nclass {class}:\n    \"\"\"The methods of the protocol, in {kind} form.\"\"\"\n\n    \
             {word}def request(self, method: str, params: object = None, *, timeout: float | None = None) \
             -> Any:\n        \"\"\"Calls any method; gives its result as it came.\"\"\"\n        \
             raise NotImplementedError\n\n    \
             {word}def notify(self, method: str, params: object = None) -> None:\n        \
             \"\"\"Sends any notification.\"\"\"\n        raise NotImplementedError\n"
        )
        .unwrap();
        for method in &model.methods {
            out.push_str(&self::method(method, sync));
        }
    }
    out
}

fn method(method: &Method, sync: bool) -> String {
    let (word, wait) = if sync { ("", "") } else { ("async ", "await ") };
    let Method { name, about, params, result } = method;
    let python = snake(name);
    match result {
        Some(result) => format!(
            "\n    {word}def {python}(\n        self, params: protocol.{params}, *, timeout: float | None = None\n    \
             ) -> protocol.{result}:\n{}        result = {wait}self.request(\"{name}\", params, timeout=timeout)\n        \
             return cast(\"protocol.{result}\", result)\n",
            doc("        ", about)
        ),
        None => format!(
            "\n    {word}def {python}(self, params: protocol.{params}) -> None:\n{}        \
             {wait}self.notify(\"{name}\", params)\n",
            doc("        ", about)
        ),
    }
}

/// `toolResult/compressBatch` as `tool_result_compress_batch`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c {
            '/' => out.push('_'),
            c if c.is_ascii_uppercase() => {
                out.push('_');
                out.push(c.to_ascii_lowercase());
            }
            c => out.push(c),
        }
    }
    out
}
