//! Statements of Rust.

use super::head::{Head, Inside, Verdict};
use super::lex::TokenKind;
use crate::outline::Kind;

pub(super) fn judge(head: &Head<'_, '_>, inside: Inside, brace: bool) -> Verdict {
    let i = modifiers(head);
    let code = inside == Inside::Code;
    let named = |kind, inside| {
        if head.is_word(i + 1) { head.item(kind, i + 1, inside) } else { other(inside) }
    };
    match head.word(i) {
        "fn" if brace && head.last() == Some(TokenKind::Mark(b'<')) => Verdict::More(Inside::Nothing),
        "fn" => named(Kind::Function, Inside::Code),
        "struct" | "union" if head.is_word(i + 1) => named(Kind::Type, Inside::Nothing),
        "enum" => named(Kind::Type, Inside::Nothing),
        "trait" => named(Kind::Type, Inside::Members),
        "mod" if brace => named(Kind::Type, Inside::Top),
        "impl" => implementation(head, i),
        "macro_rules" if head.is_mark(i + 1, b'!') => head.item(Kind::Function, i + 2, Inside::Nothing),
        "macro" if head.is_word(i + 1) => named(Kind::Function, Inside::Nothing),
        _ if code => Verdict::Plain(Inside::Code),
        "mod" => named(Kind::Import, Inside::Nothing),
        "use" if brace => Verdict::More(Inside::Nothing),
        "use" => {
            let name = head.span(i + 1, head.len());
            Verdict::Item { kind: Kind::Import, name, inside: Inside::Nothing, ends: true }
        }
        "extern" if head.word(i + 1) == "crate" => head.item(Kind::Import, i + 2, Inside::Nothing),
        "const" | "static" if brace => Verdict::More(Inside::Code),
        "const" | "static" => {
            let at = if head.word(i + 1) == "mut" { i + 2 } else { i + 1 };
            head.item(Kind::Value, at, Inside::Nothing)
        }
        "type" => named(Kind::Type, Inside::Nothing),
        "" if brace && (i > 0 && head.len() == i) => Verdict::Plain(Inside::Members),
        _ => invocation(head, brace),
    }
}

/// The place after `pub(crate) default unsafe async const extern "C"`.
fn modifiers(head: &Head<'_, '_>) -> usize {
    let mut i = 0;
    loop {
        match head.word(i) {
            "pub" if head.is_open(i + 1) => i += 3,
            "pub" | "default" | "unsafe" | "async" | "auto" | "safe" | "gen" => i += 1,
            "const" if matches!(head.word(i + 1), "fn" | "unsafe" | "async" | "extern") => i += 1,
            "extern" if head.word(i + 1) != "crate" => {
                i += if head.tok(i + 1) == Some(TokenKind::Text) { 2 } else { 1 };
            }
            _ => return i,
        }
    }
}

/// `impl<T> Trait for Type`: its name is the text after the generics.
fn implementation(head: &Head<'_, '_>, i: usize) -> Verdict {
    let start = head.after_angles(i + 1);
    let end = head.find_word(start, "where").unwrap_or(head.len());
    if start >= end {
        return other(Inside::Code);
    }
    Verdict::Item { kind: Kind::Type, name: head.span(start, end), inside: Inside::Members, ends: true }
}

/// A macro's call at the level of items: `name! { … }`, `a::name!(…);`.
fn invocation(head: &Head<'_, '_>, brace: bool) -> Verdict {
    let path = head.find(0, TokenKind::Mark(b'!')).filter(|at| {
        *at > 0 && (0..*at).all(|i| matches!(head.tok(i), Some(TokenKind::Word | TokenKind::Path)))
    });
    match path {
        Some(at) => {
            let name = head.span(0, at);
            Verdict::Item { kind: Kind::Section, name, inside: Inside::Top, ends: brace }
        }
        None => Verdict::Unknown,
    }
}

fn other(inside: Inside) -> Verdict {
    if inside == Inside::Code { Verdict::Plain(Inside::Code) } else { Verdict::Unknown }
}
