//! Statements of Kotlin, Swift and Scala: the declaration of a keyword among modifiers.

use super::head::{Head, Inside, Verdict};
use super::lex::TokenKind;
use crate::outline::Kind;

const MODIFIERS: &[&str] = &[
    "public",
    "private",
    "protected",
    "internal",
    "fileprivate",
    "open",
    "override",
    "abstract",
    "final",
    "sealed",
    "data",
    "inner",
    "inline",
    "suspend",
    "operator",
    "infix",
    "tailrec",
    "external",
    "lateinit",
    "const",
    "companion",
    "annotation",
    "value",
    "enum",
    "expect",
    "actual",
    "static",
    "mutating",
    "nonmutating",
    "lazy",
    "weak",
    "unowned",
    "required",
    "convenience",
    "indirect",
    "dynamic",
    "optional",
    "implicit",
    "case",
    "package",
    "noinline",
    "crossinline",
    "reified",
    "vararg",
    "nonisolated",
    "async",
    "isolated",
    "prefix",
    "postfix",
    "opaque",
    "given",
    "inout",
    "fun_",
];

const CONTROL: &[&str] = &[
    "if", "for", "while", "do", "when", "switch", "try", "catch", "else", "return", "throw", "guard",
    "defer", "repeat", "match", "yield", "break", "continue", "finally",
];

pub(super) fn judge(head: &Head<'_, '_>, inside: Inside, brace: bool) -> Verdict {
    let mut i = 0;
    while MODIFIERS.contains(&head.word(i)) && (head.is_word(i + 1) || head.is_open(i + 1)) {
        // `enum X` and `case X` of Swift are declarations without a block.
        let alone = !head.is_open(i + 1)
            && !MODIFIERS.contains(&head.word(i + 1))
            && keyword(head.word(i + 1)).is_none();
        if matches!(head.word(i), "enum" | "case" | "package") && alone {
            break;
        }
        // `private(set)`, `private[x]`.
        i += if head.is_open(i + 1) { 3 } else { 1 };
        if head.tok(i) == Some(TokenKind::Open(b'[')) {
            i += 2;
        }
    }
    let word = head.word(i);
    match (keyword(word), word) {
        (Some(Kind::Function), _) => function(head, i, brace),
        (Some(Kind::Type), _) if word == "type" || word == "typealias" || word == "associatedtype" => {
            match brace {
                true if inside == Inside::Code => Verdict::Plain(Inside::Code),
                true => Verdict::More(Inside::Nothing),
                false => head.item(Kind::Type, i + 1, Inside::Nothing),
            }
        }
        (Some(Kind::Type), _) => named(head, Kind::Type, i, Inside::Members),
        (_, "enum") => named(head, Kind::Type, i, Inside::Members),
        _ if inside == Inside::Code => Verdict::Plain(Inside::Code),
        (Some(Kind::Value), _) => value(head, i, brace),
        (_, "import" | "package") => {
            let name = head.span((i + 1).min(head.len().saturating_sub(1)), head.len());
            if brace {
                Verdict::More(Inside::Nothing)
            } else {
                Verdict::Item { kind: Kind::Import, name, inside: Inside::Nothing, ends: true }
            }
        }
        (_, "case") if inside == Inside::Members => Verdict::Plain(Inside::Nothing),
        (_, word) if CONTROL.contains(&word) => Verdict::Unknown,
        _ => other(head, inside, brace),
    }
}

fn keyword(word: &str) -> Option<Kind> {
    Some(match word {
        "fun" | "func" | "def" | "init" | "deinit" | "subscript" | "constructor" => Kind::Function,
        "class" | "interface" | "object" | "struct" | "protocol" | "extension" | "actor" | "trait"
        | "typealias" | "associatedtype" | "type" => Kind::Type,
        "val" | "var" | "let" => Kind::Value,
        _ => return None,
    })
}

fn named(head: &Head<'_, '_>, kind: Kind, i: usize, inside: Inside) -> Verdict {
    let end = head.find(i, TokenKind::Mark(b':')).unwrap_or(head.len());
    let at = if i + 1 < end && head.is_word(i + 1) { i + 1 } else { i };
    // `extension Foo.Bar` is named in full.
    let mut to = at + 1;
    while head.word(i) == "extension" && head.is_mark(to, b'.') && head.is_word(to + 1) {
        to += 2;
    }
    Verdict::Item { kind, name: head.span(at, to), inside, ends: true }
}

fn function(head: &Head<'_, '_>, i: usize, brace: bool) -> Verdict {
    let paren = head.find(i, TokenKind::Open(b'('));
    let assign = paren.and_then(|p| head.find(p, TokenKind::Mark(b'=')));
    if brace && assign.is_some() && head.last() != Some(TokenKind::Mark(b'=')) {
        return Verdict::More(Inside::Code);
    }
    let at = match (head.word(i), paren) {
        ("fun", Some(paren)) => paren.saturating_sub(1).max(i),
        ("func" | "def", _) if head.len() > i + 1 && !head.is_open(i + 1) => i + 1,
        // A block that is called init, or a function without a name.
        ("init" | "constructor" | "deinit" | "subscript", _) => i,
        _ => return if brace { Verdict::More(Inside::Code) } else { Verdict::Plain(Inside::Nothing) },
    };
    head.item(Kind::Function, at, Inside::Code)
}

fn value(head: &Head<'_, '_>, i: usize, brace: bool) -> Verdict {
    if !head.is_word(i + 1) && !head.is_open(i + 1) && !head.is_mark(i + 1, b'<') {
        return if brace { Verdict::More(Inside::Code) } else { Verdict::Unknown };
    }
    let at = if head.is_word(i + 1) { i + 1 } else { i };
    let assign = head.find(i, TokenKind::Mark(b'=')).is_some() || head.find_word(i, "by").is_some();
    if brace && assign {
        return Verdict::More(Inside::Code);
    }
    head.item(Kind::Value, at, Inside::Code)
}

/// A block argument of a call at the top of a script, such as `dependencies {`, or an accessor.
fn other(head: &Head<'_, '_>, inside: Inside, brace: bool) -> Verdict {
    if inside == Inside::Members {
        return Verdict::Plain(Inside::Code);
    }
    let call = head.is_word(0) && (1..head.len()).all(|i| !head.is_word(i) || head.is_mark(i - 1, b'.'));
    match (call, brace) {
        (true, true) => {
            Verdict::Item { kind: Kind::Section, name: head.name(0), inside: Inside::Code, ends: false }
        }
        (true, false) if head.len() > 1 => Verdict::Plain(Inside::Nothing),
        _ => Verdict::Unknown,
    }
}
