//! Statements of Go.

use super::head::{Head, Inside, Verdict};
use super::lex::TokenKind;
use crate::outline::Kind;

pub(super) fn judge(head: &Head<'_, '_>, inside: Inside, brace: bool) -> Verdict {
    if inside != Inside::Top {
        return Verdict::Plain(Inside::Code);
    }
    match head.word(0) {
        // `func f() interface{} {`: the first brace is part of the result.
        "func" if brace && matches!(head.word(head.len() - 1), "interface" | "struct") && head.len() > 2 => {
            Verdict::More(Inside::Nothing)
        }
        "func" => function(head),
        "type" if brace => match head.word(head.len() - 1) {
            "struct" | "interface" if head.len() >= 3 => {
                Verdict::Item { kind: Kind::Type, name: head.name(1), inside: Inside::Nothing, ends: false }
            }
            _ => Verdict::More(Inside::Nothing),
        },
        "type" => group(head, Kind::Type),
        "var" | "const" if brace => Verdict::More(Inside::Code),
        "var" | "const" => group(head, Kind::Value),
        "import" => group(head, Kind::Import),
        "package" if head.is_word(1) => head.item(Kind::Import, 1, Inside::Nothing),
        _ => Verdict::Unknown,
    }
}

/// `func Name(…)` or `func (r *T) Name(…)`; the name of a method holds the receiver when on one line.
fn function(head: &Head<'_, '_>) -> Verdict {
    if head.is_word(1) {
        return head.item(Kind::Function, 1, Inside::Code);
    }
    if head.is_open(1) && head.tok(2) == Some(TokenKind::Close(b')')) && head.is_word(3) {
        return Verdict::Item {
            kind: Kind::Function,
            name: head.span(1, 4),
            inside: Inside::Code,
            ends: true,
        };
    }
    Verdict::Unknown
}

/// One declaration, or a group of them in parentheses, which is named by its keyword.
fn group(head: &Head<'_, '_>, kind: Kind) -> Verdict {
    match head.tok(1) {
        Some(TokenKind::Open(_)) => head.item(kind, 0, Inside::Nothing),
        Some(TokenKind::Word) if kind == Kind::Import && head.tok(2) == Some(TokenKind::Text) => {
            head.item(kind, 2, Inside::Nothing)
        }
        Some(TokenKind::Word | TokenKind::Text | TokenKind::Mark(b'.')) => {
            head.item(kind, 1, Inside::Nothing)
        }
        _ => Verdict::Unknown,
    }
}
