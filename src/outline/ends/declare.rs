//! The declaration in one line of Ruby, Lua, Elixir or a shell.

use crate::outline::{Kind, Language, word};

/// The declaration of a line.
pub(super) struct Declared<'a> {
    pub kind: Kind,
    pub name: &'a str,
    /// Whether a block follows on later lines.
    pub block: bool,
}

/// Whether a line starts with the word that closes a block.
pub(super) fn is_close(language: Language, text: &str) -> bool {
    match language {
        Language::Shell => text.starts_with(['}', ')']),
        _ => word(text) == "end",
    }
}

pub(super) fn declare<'a>(language: Language, text: &'a str, in_function: bool) -> Option<Declared<'a>> {
    match language {
        Language::Ruby => ruby(text, in_function),
        Language::Lua => lua(text, in_function),
        Language::Elixir => elixir(text, in_function),
        _ => shell(text, in_function),
    }
}

/// Whether the line also closes the block that it opens.
fn is_closed(text: &str) -> bool {
    let text = text.trim_end();
    text.strip_suffix("end").is_some_and(|t| t.ends_with([' ', ';', ')']))
}

fn ruby<'a>(text: &'a str, in_function: bool) -> Option<Declared<'a>> {
    const MODIFIERS: &[&str] =
        &["private", "public", "protected", "module_function", "private_class_method", "memoize"];
    let first = word(text);
    let rest = text[first.len()..].trim_start();
    if MODIFIERS.contains(&first) && rest.starts_with("def ") {
        return ruby(rest, in_function);
    }
    let block = !is_closed(text);
    match first {
        "def" => {
            let name = method_name(rest);
            let after = rest[name.len()..].trim_start();
            let endless = after.starts_with("= ") || after.starts_with('(') && after.contains(") = ");
            Some(Declared { kind: Kind::Function, name, block: block && !endless })
        }
        "class" | "module" => {
            let name = rest.split([';', ' ', '<']).find(|s| !s.is_empty()).unwrap_or(rest);
            rest.starts_with(|c: char| c.is_ascii_uppercase() || c == '<').then_some(Declared {
                kind: Kind::Type,
                name,
                block,
            })
        }
        "require" | "require_relative" | "load" if !in_function => {
            Some(Declared { kind: Kind::Import, name: rest.trim_end(), block: false })
        }
        _ if in_function => call(text),
        _ if first.starts_with(|c: char| c.is_ascii_uppercase()) && rest.starts_with("= ") => {
            let kind = if opens_do(text) { Kind::Type } else { Kind::Value };
            Some(Declared { kind, name: first, block: kind == Kind::Type })
        }
        _ => call(text),
    }
}

/// A method's name: `self.a?`, `<=>`, `a=`.
fn method_name(text: &str) -> &str {
    let end = text.find([' ', '(', ';', '\n']).unwrap_or(text.len());
    &text[..end]
}

/// A call of a test or a task with a block: `describe "x" do`.
fn call<'a>(text: &'a str) -> Option<Declared<'a>> {
    const CALLS: &[&str] = &[
        "describe",
        "context",
        "it",
        "specify",
        "before",
        "after",
        "around",
        "let",
        "subject",
        "shared_examples",
        "shared_context",
        "feature",
        "scenario",
        "task",
        "namespace",
        "test",
        "setup",
        "teardown",
        "RSpec",
        "namespace",
        "resource",
        "resources",
        "desc",
        "included",
        "class_methods",
        "Rails",
        "group",
        "Gem",
    ];
    (CALLS.contains(&word(text)) && opens_do(text)).then(|| {
        let name = text.rsplit_once(" do").map_or(text, |t| t.0);
        Declared { kind: Kind::Function, name, block: true }
    })
}

/// Whether a line ends with `do` or `do |x|`.
fn opens_do(text: &str) -> bool {
    let text = text.trim_end();
    let text = text.strip_suffix('|').and_then(|t| t.rsplit_once('|')).map_or(text, |t| t.0.trim_end());
    text.ends_with(" do")
}

fn lua<'a>(text: &'a str, in_function: bool) -> Option<Declared<'a>> {
    let local = text.strip_prefix("local ").map(str::trim_start);
    let rest = local.unwrap_or(text);
    let block = !is_closed(text);
    if let Some(name) = rest.strip_prefix("function ") {
        let end = name.find('(').unwrap_or(name.len());
        return (end > 0).then(|| Declared { kind: Kind::Function, name: name[..end].trim(), block });
    }
    let (name, value) = rest.split_once('=')?;
    let (name, value) = (name.trim_end(), value.trim_start());
    let is_path = !name.is_empty()
        && name.bytes().all(|b| {
            b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':' | b'[' | b']' | b'"' | b'\'')
        });
    if !is_path {
        return None;
    }
    if value.starts_with("function(") || value.starts_with("function (") {
        return Some(Declared { kind: Kind::Function, name, block });
    }
    let kind = if value.starts_with("require") { Kind::Import } else { Kind::Value };
    (!in_function && !value.starts_with('=')).then_some(Declared { kind, name, block: false })
}

fn elixir<'a>(text: &'a str, in_function: bool) -> Option<Declared<'a>> {
    let first = word(text);
    let rest = text[first.len()..].trim_start();
    let block = opens_do(text);
    let kind = match first {
        "defmodule" | "defprotocol" | "defimpl" => Kind::Type,
        "def" | "defp" | "defmacro" | "defmacrop" | "defguard" | "defdelegate" | "test" | "describe"
        | "setup" => Kind::Function,
        "import" | "alias" | "use" | "require" if !in_function => Kind::Import,
        "" if text.starts_with('@') && !in_function => {
            let name = &text[..1 + word(&text[1..]).len()];
            return Some(Declared { kind: Kind::Value, name, block: false });
        }
        _ => return None,
    };
    let name = if matches!(first, "test" | "describe" | "setup") {
        rest.rsplit_once(" do").map_or(rest, |r| r.0)
    } else {
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '?' | '!')))
            .unwrap_or(rest.len());
        &rest[..end]
    };
    // A head whose `do` is on a later line.
    let later =
        kind != Kind::Import && !block && !text.contains("do:") && text.trim_end().ends_with(['(', ',']);
    Some(Declared { kind, name, block: block || later })
}

fn shell<'a>(text: &'a str, in_function: bool) -> Option<Declared<'a>> {
    let rest = text.strip_prefix("function ").map(str::trim_start);
    let named = rest.unwrap_or(text);
    let name_end = named
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':' | b'.'))
        .count();
    let (name, after) = named.split_at(name_end);
    let after = after.trim_start();
    let parens = after.strip_prefix('(').and_then(|a| a.trim_start().strip_prefix(')'));
    if name_end > 0 && (parens.is_some() || rest.is_some() && after.starts_with('{')) {
        let body = parens.unwrap_or(after).trim();
        let block = body.is_empty()
            || body == "{"
            || body == "("
            || body.starts_with("{ #")
            || !body.ends_with(['}', ')']);
        return Some(Declared { kind: Kind::Function, name, block });
    }
    if in_function {
        return None;
    }
    let first = word(text);
    if matches!(first, "source") || text.starts_with(". ") {
        let name = text.split_once(' ').map_or(text, |t| t.1);
        return Some(Declared { kind: Kind::Import, name, block: false });
    }
    let assigned = ["export ", "readonly ", "declare ", "local ", "typeset "]
        .iter()
        .find_map(|k| text.strip_prefix(k))
        .unwrap_or(text);
    let assigned =
        if assigned.starts_with('-') { assigned.split_once(' ').map_or(assigned, |a| a.1) } else { assigned };
    let name = word(assigned);
    let is_value = !name.is_empty()
        && assigned[name.len()..].starts_with('=')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    is_value.then_some(Declared { kind: Kind::Value, name, block: false })
}
