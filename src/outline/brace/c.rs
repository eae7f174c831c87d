//! Statements of C and C++.

use super::head::{Head, Inside, Verdict};
use super::lex::TokenKind;
use crate::outline::Kind;

const MODIFIERS: &[&str] = &[
    "static",
    "inline",
    "extern",
    "constexpr",
    "consteval",
    "constinit",
    "virtual",
    "explicit",
    "friend",
    "const",
    "volatile",
    "register",
    "thread_local",
    "export",
    "mutable",
    "__inline",
    "__inline__",
    "__forceinline",
    "__extension__",
    "_Noreturn",
    "__global__",
    "__device__",
    "__host__",
];

const CONTROL: &[&str] = &[
    "if",
    "for",
    "while",
    "do",
    "switch",
    "else",
    "return",
    "case",
    "goto",
    "break",
    "continue",
    "throw",
    "try",
    "catch",
    "delete",
    "new",
    "co_return",
    "co_await",
    "default",
];

/// Words before a parenthesis that do not name a function.
const WRAPPERS: &[&str] = &[
    "__attribute__",
    "__attribute",
    "__declspec",
    "alignas",
    "_Alignas",
    "decltype",
    "noexcept",
    "__asm__",
    "requires",
    "explicit",
];

pub(super) fn judge(head: &Head<'_, '_>, inside: Inside, brace: bool) -> Verdict {
    let i = start(head);
    if inside == Inside::Code {
        return Verdict::Plain(Inside::Code);
    }
    match head.word(i) {
        "" if brace && head.tok(i) == Some(TokenKind::Text) => return Verdict::Plain(Inside::Top),
        "namespace" if brace => return namespace(head, i),
        "namespace" => return Verdict::Plain(Inside::Nothing),
        "using" if brace => return Verdict::More(Inside::Nothing),
        "using" => return using(head, i),
        "typedef" => return typedef(head, i, brace),
        "concept" if !brace => return head.item(Kind::Type, i + 1, Inside::Nothing),
        "static_assert" | "_Static_assert" | "asm" | "__asm__" => return Verdict::Plain(Inside::Nothing),
        "template" => return Verdict::Plain(Inside::Nothing),
        word if CONTROL.contains(&word) => return Verdict::Unknown,
        _ => {}
    }
    let assign = head.find(i, TokenKind::Mark(b'='));
    let paren = parameters(head, i).filter(|p| assign.is_none_or(|a| *p < a || operator(head, i).is_some()));
    if let Some(paren) = paren {
        return function(head, i, paren, inside, brace);
    }
    if let "class" | "struct" | "union" | "enum" = head.word(i) {
        return tagged(head, i, assign, inside, brace);
    }
    if brace {
        return if assign.is_some() || head.len() > i + 1 {
            Verdict::More(Inside::Nothing)
        } else if inside == Inside::Members {
            Verdict::Plain(Inside::Nothing)
        } else {
            Verdict::Unknown
        };
    }
    value(head, i, assign, inside)
}

/// The place after templates and modifiers.
fn start(head: &Head<'_, '_>) -> usize {
    let mut i = 0;
    loop {
        let next = head.skip(i, MODIFIERS);
        let next = if head.word(next) == "template" { head.after_angles(next + 1).max(next) } else { next };
        if next == i || head.word(next) == "template" {
            return next;
        }
        i = next;
    }
}

fn namespace(head: &Head<'_, '_>, i: usize) -> Verdict {
    let at = if head.len() > i + 1 { i + 1 } else { i };
    Verdict::Item { kind: Kind::Type, name: head.span(at, head.len()), inside: Inside::Top, ends: true }
}

fn using(head: &Head<'_, '_>, i: usize) -> Verdict {
    if head.find(i, TokenKind::Mark(b'=')).is_some() {
        return head.item(Kind::Type, i + 1, Inside::Nothing);
    }
    Verdict::Item {
        kind: Kind::Import,
        name: head.span(i + 1, head.len()),
        inside: Inside::Nothing,
        ends: true,
    }
}

fn typedef(head: &Head<'_, '_>, i: usize, brace: bool) -> Verdict {
    if brace {
        let inside = if head.word(i + 1) == "enum" { Inside::Nothing } else { Inside::Members };
        let name = head.name(if head.is_word(i + 2) { i + 2 } else { i + 1 });
        return Verdict::Item { kind: Kind::Type, name, inside, ends: false };
    }
    // `typedef int (*name)(int);` has its name in the first parentheses, which are not kept.
    let last = (i..head.len()).rfind(|at| head.is_word(*at));
    let name = head.find(i, TokenKind::Open(b'(')).or(last).unwrap_or(i);
    head.item(Kind::Type, if head.is_word(name) { name } else { i }, Inside::Nothing)
}

/// The parenthesis of a function's parameters: the first after a name.
fn parameters(head: &Head<'_, '_>, i: usize) -> Option<usize> {
    if let Some(at) = operator(head, i) {
        // `operator()(…)`.
        let open = (at + 1..head.len()).find(|p| head.is_open(*p))?;
        return Some(if open == at + 1 && head.is_open(at + 3) { at + 3 } else { open });
    }
    let mut from = i;
    while let Some(open) = head.find(from, TokenKind::Open(b'(')) {
        let name = open.checked_sub(1).map(|n| head.word(n)).unwrap_or_default();
        if open > i && !WRAPPERS.contains(&name) && (!name.is_empty() || head.is_mark(open - 1, b'>')) {
            return Some(open);
        }
        from = open + 2;
    }
    None
}

fn operator(head: &Head<'_, '_>, i: usize) -> Option<usize> {
    head.find_word(i, "operator")
}

/// The first token of a function's name, with the names of classes before it and a `~`.
fn qualified(head: &Head<'_, '_>, i: usize, paren: usize) -> usize {
    let mut at = operator(head, i).unwrap_or(paren.saturating_sub(1));
    // `int name OF((int a));` of headers that old compilers could read.
    if at > i && matches!(head.word(at), "OF" | "__P" | "PARAMS" | "PROTO") && head.is_word(at - 1) {
        return at - 1;
    }
    if at > i && head.is_mark(at - 1, b'~') {
        at -= 1;
    }
    while at > i + 1 && head.tok(at - 1) == Some(TokenKind::Path) && head.is_word(at - 2) {
        at -= 2;
    }
    at
}

fn function(head: &Head<'_, '_>, i: usize, paren: usize, inside: Inside, brace: bool) -> Verdict {
    let at = qualified(head, i, paren);
    if at > 0 && matches!(head.tok(at - 1), Some(TokenKind::Mark(b'.') | TokenKind::Arrow)) && at <= i + 2 {
        return Verdict::Unknown;
    }
    let end =
        if head.is_word(at) && head.is_word(at + 1) && operator(head, i).is_none() { at + 1 } else { paren };
    let name = head.span(at, end);
    let item = Verdict::Item { kind: Kind::Function, name, inside: Inside::Code, ends: true };
    let alone = at == i && i == 0;
    if brace {
        // Members that a constructor's list starts with braces.
        let list = (paren + 1..head.len()).find(|t| head.is_mark(*t, b':'));
        let last = head.last();
        if list.is_some() && matches!(last, Some(TokenKind::Word | TokenKind::Mark(b'>'))) {
            return Verdict::More(Inside::Nothing);
        }
        if alone
            && head.len() == paren + 2
            && inside == Inside::Top
            && head.tok(at + 1) != Some(TokenKind::Path)
        {
            // A macro that declares, such as a test's: its name is the whole call.
            let name = head.span(at, paren + 2);
            return Verdict::Item { kind: Kind::Function, name, inside: Inside::Code, ends: true };
        }
        return item;
    }
    if !alone || inside == Inside::Members {
        // `Type name(value);` is a variable, but looks the same.
        return item;
    }
    let word = head.word(at);
    let is_macro = word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    if is_macro || head.len() > paren + 2 && head.is_word(paren + 2) {
        Verdict::Plain(Inside::Nothing)
    } else {
        Verdict::Unknown
    }
}

/// A class, struct, union or enum, or a variable of one.
fn tagged(head: &Head<'_, '_>, i: usize, assign: Option<usize>, inside: Inside, brace: bool) -> Verdict {
    if assign.is_some() && brace {
        return Verdict::More(Inside::Nothing);
    }
    if brace {
        let inner = if head.word(i) == "enum" { Inside::Nothing } else { Inside::Members };
        let end = head.find(i, TokenKind::Mark(b':')).unwrap_or(head.len());
        let name = (i + 1..end)
            .rfind(|at| head.is_word(*at) && !matches!(head.word(*at), "final" | "class" | "struct"));
        let name = head.name(name.unwrap_or(i));
        return Verdict::Item { kind: Kind::Type, name, inside: inner, ends: false };
    }
    if head.len() <= i + 2 {
        // A forward declaration.
        return Verdict::Plain(Inside::Nothing);
    }
    value(head, i, assign, inside)
}

fn value(head: &Head<'_, '_>, i: usize, assign: Option<usize>, inside: Inside) -> Verdict {
    if inside == Inside::Members {
        return Verdict::Plain(Inside::Nothing);
    }
    let end = assign.unwrap_or(head.len());
    let name = (i..end).rfind(|at| head.is_word(*at));
    match name {
        Some(name) if name > i || i > 0 => {
            let dotted =
                (i..name).any(|t| matches!(head.tok(t), Some(TokenKind::Mark(b'.') | TokenKind::Arrow)));
            if dotted { Verdict::Unknown } else { head.item(Kind::Value, name, Inside::Nothing) }
        }
        // A macro's name alone.
        Some(_) if head.len() == 1 => Verdict::Plain(Inside::Nothing),
        _ => Verdict::Unknown,
    }
}
