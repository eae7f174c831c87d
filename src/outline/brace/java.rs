//! Statements of Java, C# and Dart: modifiers, a type, a name.

use super::head::{Head, Inside, Verdict};
use super::lex::TokenKind;
use crate::outline::Kind;

const MODIFIERS: &[&str] = &[
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "final",
    "abstract",
    "sealed",
    "non",
    "synchronized",
    "native",
    "default",
    "transient",
    "volatile",
    "strictfp",
    "virtual",
    "override",
    "async",
    "partial",
    "readonly",
    "unsafe",
    "extern",
    "external",
    "fixed",
    "required",
    "file",
    "ref",
    "late",
    "covariant",
    "global",
    "event",
    "base",
];

const CONTROL: &[&str] = &[
    "if",
    "for",
    "foreach",
    "while",
    "do",
    "switch",
    "try",
    "catch",
    "finally",
    "else",
    "return",
    "throw",
    "new",
    "using",
    "lock",
    "assert",
    "yield",
    "await",
    "break",
    "continue",
    "case",
    "goto",
    "checked",
    "unchecked",
    "this",
    "super",
];

pub(super) fn judge(head: &Head<'_, '_>, inside: Inside, brace: bool) -> Verdict {
    let mut i = head.skip(0, MODIFIERS);
    // `non-sealed`, and `new` that hides a member.
    if head.is_mark(i, b'-') {
        i = head.skip(i + 1, MODIFIERS);
    }
    if head.word(i) == "new" && head.is_word(i + 1) && inside == Inside::Members {
        i = head.skip(i + 1, MODIFIERS);
    }
    let declares = head.is_word(i + 1) && !head.is_mark(i + 1, b'=');
    match head.word(i) {
        "enum" if declares => return named(head, i + 1, Inside::Enum),
        "record" if declares && matches!(head.word(i + 1), "struct" | "class") => {
            return named(head, i + 2, Inside::Members);
        }
        "class" | "interface" | "struct" | "record" | "mixin" | "extension" if declares => {
            return named(head, i + 1, Inside::Members);
        }
        "delegate" if declares && !brace => {
            return head
                .find(i, TokenKind::Open(b'('))
                .map_or(Verdict::Unknown, |p| head.item(Kind::Type, p - 1, Inside::Nothing));
        }
        _ if inside == Inside::Code => return Verdict::Plain(Inside::Code),
        "namespace" if brace => return path(head, i + 1, Kind::Type),
        "package" | "import" | "namespace" | "library" | "part" | "export" if head.len() > i + 1 => {
            return path(head, i + 1, Kind::Import);
        }
        "using" if declares && !brace => return path(head, i + 1, Kind::Import),
        "interface" if i > 0 || head.is_mark(0, b'@') => return Verdict::Unknown,
        word if CONTROL.contains(&word) && !(word == "this" && declared_index(head, i)) => {
            return Verdict::Unknown;
        }
        _ => {}
    }
    if head.is_mark(i, b'@') && head.word(i + 1) == "interface" {
        return named(head, i + 2, Inside::Members);
    }
    if head.is_mark(0, b'=') {
        // The first value of a property, after its accessors.
        return if brace { Verdict::More(Inside::Code) } else { Verdict::Plain(Inside::Code) };
    }
    member(head, head.after_angles(i), brace, inside)
}

fn named(head: &Head<'_, '_>, at: usize, inside: Inside) -> Verdict {
    if head.is_word(at) { head.item(Kind::Type, at, inside) } else { Verdict::Unknown }
}

fn path(head: &Head<'_, '_>, at: usize, kind: Kind) -> Verdict {
    Verdict::Item { kind, name: head.span(at, head.len()), inside: Inside::Top, ends: true }
}

fn declared_index(head: &Head<'_, '_>, i: usize) -> bool {
    head.tok(i + 1) == Some(TokenKind::Open(b'['))
}

/// A method, constructor, field or property; `i` is its type or its name.
fn member(head: &Head<'_, '_>, i: usize, brace: bool, inside: Inside) -> Verdict {
    let paren = head.find(i, TokenKind::Open(b'('));
    let assign = head.find(i, TokenKind::Mark(b'='));
    let arrow = head.find(i, TokenKind::Arrow);
    let cut = assign.unwrap_or(usize::MAX).min(arrow.unwrap_or(usize::MAX));
    if head.len() <= i {
        return match brace {
            true if head.word(0) == "static" => head.item(Kind::Function, 0, Inside::Code),
            true if inside == Inside::Members => Verdict::Plain(Inside::Code),
            _ => Verdict::Unknown,
        };
    }
    if let Some(paren) = paren.filter(|p| *p < cut) {
        return method(head, i, paren, brace, inside);
    }
    if let Some(assign) = assign.filter(|a| *a <= cut) {
        let field = is_declared(head, i, assign);
        return match (field, brace) {
            (_, true) => Verdict::More(Inside::Code),
            (true, false) => head.item(Kind::Value, field_name(head, assign), Inside::Nothing),
            (false, false) => Verdict::Unknown,
        };
    }
    let end = arrow.unwrap_or(head.len());
    if !is_declared(head, i, end) && !is_index(head, end) {
        return Verdict::Unknown;
    }
    // A property with accessors, an expression after `=>`, or a field without a value.
    head.item(Kind::Value, field_name(head, end), Inside::Code)
}

fn method(head: &Head<'_, '_>, i: usize, paren: usize, brace: bool, inside: Inside) -> Verdict {
    // A generic method of C# has its brackets between name and parameters.
    let mut at = paren.saturating_sub(1);
    if head.is_mark(at, b'>') {
        let mut depth = 0_usize;
        while at > i {
            match head.tok(at) {
                Some(TokenKind::Mark(b'>')) => depth += 1,
                Some(TokenKind::Mark(b'<')) => depth = depth.saturating_sub(1),
                _ => {}
            }
            at -= 1;
            if depth == 0 {
                break;
            }
        }
    }
    if let Some(operator) = head.find_word(i, "operator") {
        let name = head.span(operator, paren);
        return Verdict::Item { kind: Kind::Function, name, inside: Inside::Code, ends: true };
    }
    let dotted = at > i && (head.is_mark(at - 1, b'.') && at < i + 3);
    let typed = at > i || i > 0 || head.is_mark(at.saturating_sub(1), b'~');
    if at < i || !head.is_word(at) || CONTROL.contains(&head.word(at)) || dotted {
        return Verdict::Unknown;
    }
    // A call looks like a constructor without a body.
    if brace || typed || inside == Inside::Members && head.len() > paren + 2 {
        return head.item(Kind::Function, at, Inside::Code);
    }
    Verdict::Unknown
}

/// Whether `i..end` is a type and a name.
fn is_declared(head: &Head<'_, '_>, i: usize, end: usize) -> bool {
    let name = field_name(head, end);
    // A type and a name are two adjacent words; more adjacent words are a sentence.
    let sides = |at: &usize| head.is_word(*at) && head.is_word(at - 1) && head.word(at - 1) != "get";
    if (i + 1..=name).filter(sides).count() > 1 {
        return false;
    }
    name > i
        && head.is_word(name)
        && match head.tok(name - 1) {
            Some(TokenKind::Word) => !CONTROL.contains(&head.word(name - 1)),
            Some(TokenKind::Mark(b'>' | b'?' | b'*' | b',') | TokenKind::Close(_)) => true,
            _ => false,
        }
        || i > 0 && name == i && head.is_word(name)
}

fn is_index(head: &Head<'_, '_>, end: usize) -> bool {
    end >= 3 && head.word(end - 3) == "this" && head.tok(end - 1) == Some(TokenKind::Close(b')'))
}

/// The name before an `=` or the end, with `[]` between them allowed.
fn field_name(head: &Head<'_, '_>, end: usize) -> usize {
    let mut at = end.saturating_sub(1);
    while at >= 2
        && head.tok(at) == Some(TokenKind::Close(b')'))
        && head.tok(at - 1) == Some(TokenKind::Open(b'['))
    {
        at -= 2;
    }
    at
}
