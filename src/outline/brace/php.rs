//! Statements of PHP.

use super::head::{Head, Inside, Verdict};
use super::lex::TokenKind;
use crate::outline::Kind;

const MODIFIERS: &[&str] =
    &["public", "private", "protected", "static", "final", "abstract", "readonly", "var"];

pub(super) fn judge(head: &Head<'_, '_>, inside: Inside, brace: bool) -> Verdict {
    let i = head.skip(0, MODIFIERS);
    let more = if brace { Verdict::More(Inside::Code) } else { Verdict::Plain(Inside::Nothing) };
    match head.word(i) {
        "function" => {
            let at = if head.is_mark(i + 1, b'&') { i + 2 } else { i + 1 };
            if head.is_word(at) { head.item(Kind::Function, at, Inside::Code) } else { more }
        }
        "class" | "interface" | "trait" | "enum" if head.is_word(i + 1) => {
            head.item(Kind::Type, i + 1, Inside::Members)
        }
        _ if inside == Inside::Code => Verdict::Plain(Inside::Code),
        "namespace" if brace => Verdict::Item {
            kind: Kind::Type,
            name: head.span(i + 1, head.len()),
            inside: Inside::Top,
            ends: true,
        },
        "use" if brace => Verdict::More(Inside::Nothing),
        "namespace" | "use" | "require" | "require_once" | "include" | "include_once" => Verdict::Item {
            kind: Kind::Import,
            name: head.span((i + 1).min(head.len().saturating_sub(1)), head.len()),
            inside: Inside::Nothing,
            ends: true,
        },
        "const" => {
            let end = head.find(i, TokenKind::Mark(b'=')).unwrap_or(head.len());
            head.item(Kind::Value, end.saturating_sub(1), Inside::Nothing)
        }
        "case" if inside == Inside::Members => Verdict::Plain(Inside::Nothing),
        _ => variable(head, i, inside, brace),
    }
}

fn variable(head: &Head<'_, '_>, i: usize, inside: Inside, brace: bool) -> Verdict {
    let assign = head.find(i, TokenKind::Mark(b'='));
    if assign.is_some() && brace {
        return Verdict::More(Inside::Code);
    }
    let end = assign.unwrap_or(head.len());
    let name = end
        .checked_sub(1)
        .filter(|n| head.word(*n).starts_with('$') && (*n == i || inside == Inside::Members));
    match name {
        Some(name) if assign.is_some() || inside == Inside::Members => {
            head.item(Kind::Value, name, Inside::Nothing)
        }
        _ if head.is_prose(KEYWORDS) => Verdict::Unknown,
        _ => Verdict::Plain(Inside::Code),
    }
}

const KEYWORDS: &[&str] = &[
    "return",
    "echo",
    "print",
    "new",
    "instanceof",
    "as",
    "else",
    "elseif",
    "if",
    "throw",
    "clone",
    "global",
    "static",
    "yield",
    "from",
    "and",
    "or",
    "xor",
    "unset",
    "abstract",
    "fn",
    "case",
    "break",
    "continue",
    "declare",
    "match",
    "php",
    "foreach",
    "while",
    "require",
    "require_once",
    "include",
    "include_once",
    "switch",
    "exit",
    "endif",
];
