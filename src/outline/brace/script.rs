//! Statements of TypeScript and JavaScript.

use super::head::{Head, Inside, Name, Verdict};
use super::lex::TokenKind;
use crate::outline::Kind;

const MODIFIERS: &[&str] = &[
    "export",
    "default",
    "declare",
    "async",
    "abstract",
    "public",
    "private",
    "protected",
    "static",
    "readonly",
    "override",
    "accessor",
];

/// Modifiers that do not occur at the top level of a file.
const MEMBER: &[&str] = &["public", "private", "protected", "static", "readonly", "override"];

const CONTROL: &[&str] = &[
    "if", "for", "while", "do", "switch", "try", "catch", "finally", "else", "return", "throw", "with",
    "new", "await", "yield", "case", "default", "break", "continue", "delete", "typeof", "void",
];

/// Calls whose block is a test or a group of tests.
const TESTS: &[&str] = &[
    "describe",
    "it",
    "test",
    "suite",
    "context",
    "specify",
    "beforeEach",
    "afterEach",
    "beforeAll",
    "afterAll",
    "before",
    "after",
    "setup",
    "teardown",
    "fdescribe",
    "xdescribe",
    "fit",
    "xit",
    "bench",
];

/// Words that may be adjacent to other words in expressions.
const EXPRESSION_WORDS: &[&str] = &[
    "new",
    "await",
    "typeof",
    "void",
    "delete",
    "in",
    "of",
    "instanceof",
    "return",
    "as",
    "from",
    "async",
    "yield",
    "throw",
    "else",
    "case",
    "let",
    "const",
    "var",
    "function",
    "class",
    "extends",
    "if",
    "for",
    "while",
    "do",
    "is",
    "satisfies",
    "import",
    "export",
    "default",
    "static",
    "get",
    "set",
    "keyof",
    "readonly",
    "declare",
    "type",
    "abstract",
];

pub(super) fn judge(head: &Head<'_, '_>, inside: Inside, brace: bool) -> Verdict {
    let i = modifiers(head);
    let exported = head.word(0) == "export";
    let word = head.word(i);
    if brace && is_type_brace(head) && !matches!(word, "import" | "export") {
        return Verdict::More(Inside::Nothing);
    }
    if inside == Inside::Top && i > 0 && MEMBER.contains(&head.word(0)) {
        // A member of a class whose start was cut off.
        return member(head, i, brace);
    }
    if inside == Inside::Members || inside == Inside::Object {
        return if inside == Inside::Members { member(head, i, brace) } else { property(head, i, brace) };
    }
    match word {
        "function" => return function(head, i, exported, brace),
        "class" if brace => {
            let at = if head.is_word(i + 1) && head.word(i + 1) != "extends" { i + 1 } else { i };
            return head.item(Kind::Type, at, Inside::Members);
        }
        "interface" if head.is_word(i + 1) && brace => return head.item(Kind::Type, i + 1, Inside::Nothing),
        "enum" if head.is_word(i + 1) && brace => return head.item(Kind::Type, i + 1, Inside::Nothing),
        "const" if head.word(i + 1) == "enum" && brace => {
            return head.item(Kind::Type, i + 2, Inside::Nothing);
        }
        "namespace" | "module"
            if matches!(head.tok(i + 1), Some(TokenKind::Word | TokenKind::Text)) && brace =>
        {
            return Verdict::Item {
                kind: Kind::Type,
                name: head.span(i + 1, head.len()),
                inside: Inside::Top,
                ends: true,
            };
        }
        "global" if i > 0 && brace => return head.item(Kind::Type, i, Inside::Top),
        "type" if head.is_word(i + 1) => return alias(head, i, inside, brace),
        "const" | "let" | "var" => return variable(head, i, inside, brace),
        _ if inside == Inside::Code => return assigned(head, inside, brace),
        "import" if !head.is_open(i + 1) && !head.is_mark(i + 1, b'.') => return import(head, i, brace),
        _ => {}
    }
    if exported
        && (i == 1 && matches!(head.tok(1), Some(TokenKind::Open(b'{') | TokenKind::Mark(b'*')))
            || head.len() == 1)
    {
        return import(head, 0, brace);
    }
    if exported {
        return default(head, i, brace);
    }
    assigned(head, inside, brace)
}

/// The place after modifiers, unless they are names themselves.
fn modifiers(head: &Head<'_, '_>) -> usize {
    let mut i = 0;
    while MODIFIERS.contains(&head.word(i)) {
        let names = match head.tok(i + 1) {
            Some(TokenKind::Word | TokenKind::Text | TokenKind::Mark(b'*')) => false,
            Some(TokenKind::Open(b'[')) => false,
            Some(TokenKind::Open(b'{')) | None => !matches!(head.word(i), "export" | "default"),
            _ => !matches!(head.word(i), "export" | "default"),
        };
        if names {
            break;
        }
        i += 1;
    }
    i
}

/// Whether the brace that follows opens an object type or pattern.
fn is_type_brace(head: &Head<'_, '_>) -> bool {
    match head.last() {
        Some(TokenKind::Mark(b'<' | b'|' | b'&')) => true,
        // The default of a type parameter.
        Some(TokenKind::Mark(b'=')) => {
            let count = |mark| head.tokens.iter().filter(|t| t.tok == TokenKind::Mark(mark)).count();
            count(b'<') > count(b'>')
        }
        Some(TokenKind::Mark(b':')) => {
            // After a name it is a property's value; after parameters a result's type.
            head.len() >= 2 && head.tok(head.len() - 2) == Some(TokenKind::Close(b')')) || is_variable(head)
        }
        Some(TokenKind::Word) => {
            head.len() == 1 && matches!(head.word(0), "const" | "let" | "var")
                || matches!(head.word(head.len() - 1), "is" | "extends" if head.len() > 3 && head.find(0, TokenKind::Mark(b'<')).is_some())
        }
        _ => false,
    }
}

fn is_variable(head: &Head<'_, '_>) -> bool {
    let i = modifiers(head);
    matches!(head.word(i), "const" | "let" | "var") && head.find(i, TokenKind::Mark(b'=')).is_none()
}

fn function(head: &Head<'_, '_>, i: usize, exported: bool, brace: bool) -> Verdict {
    let at = if head.is_mark(i + 1, b'*') { i + 2 } else { i + 1 };
    match (head.is_word(at), exported) {
        (true, _) => head.item(Kind::Function, at, Inside::Code),
        (false, true) => head.item(Kind::Function, i.saturating_sub(1), Inside::Code),
        _ if brace => Verdict::More(Inside::Code),
        _ => Verdict::Plain(Inside::Nothing),
    }
}

fn alias(head: &Head<'_, '_>, i: usize, inside: Inside, brace: bool) -> Verdict {
    match (brace, inside) {
        (true, _) => Verdict::More(Inside::Nothing),
        (_, Inside::Code) => Verdict::Plain(Inside::Nothing),
        _ => head.item(Kind::Type, i + 1, Inside::Nothing),
    }
}

fn import(head: &Head<'_, '_>, i: usize, brace: bool) -> Verdict {
    if brace {
        return Verdict::More(Inside::Nothing);
    }
    let text = (i..head.len()).rfind(|at| head.tok(*at) == Some(TokenKind::Text));
    head.item(Kind::Import, text.unwrap_or(i), Inside::Nothing)
}

/// The kind of the value after an `=`, a `:` or `export default`.
enum Made {
    Function,
    Class,
    Object,
    Other,
}

/// The kind of the value that starts at `from`, if a brace follows.
fn made(head: &Head<'_, '_>, from: usize) -> Made {
    let at = head.skip(from, &["async"]);
    match head.word(at) {
        "function" => return Made::Function,
        "class" => return Made::Class,
        _ => {}
    }
    if head.last() == Some(TokenKind::Arrow) && is_arrow(head, from) {
        return Made::Function;
    }
    if head.len() == from { Made::Object } else { Made::Other }
}

/// Whether the value at `from` is an arrow function: parameters, an arrow.
fn is_arrow(head: &Head<'_, '_>, from: usize) -> bool {
    let at = head.skip(from, &["async"]);
    let at = if at == head.len() { from } else { at };
    let at = head.after_angles(at);
    head.is_open(at) && head.find(at, TokenKind::Arrow).is_some()
        || head.is_word(at) && head.tok(at + 1) == Some(TokenKind::Arrow)
}

fn variable(head: &Head<'_, '_>, i: usize, inside: Inside, brace: bool) -> Verdict {
    // The name of a pattern is its text on this line.
    let assign = value_of(head, i);
    let end = assign.unwrap_or(head.len());
    let name = if head.is_word(i + 1) { head.name(i + 1) } else { head.span(i + 1, end) };
    if brace {
        let Some(assign) = assign else { return Verdict::More(Inside::Nothing) };
        return match made(head, assign + 1) {
            Made::Function => Verdict::Item { kind: Kind::Function, name, inside: Inside::Code, ends: false },
            Made::Class => Verdict::Item { kind: Kind::Type, name, inside: Inside::Members, ends: false },
            Made::Object if inside == Inside::Top => Verdict::More(Inside::Object),
            _ => Verdict::More(Inside::Code),
        };
    }
    if inside == Inside::Code {
        return Verdict::Plain(Inside::Code);
    }
    let kind = match assign {
        Some(a) if is_arrow(head, a + 1) => Kind::Function,
        Some(a) if head.word(a + 1) == "require" => Kind::Import,
        _ => Kind::Value,
    };
    Verdict::Item { kind, name, inside: Inside::Nothing, ends: true }
}

/// The `=` of a variable, not one inside its type.
fn value_of(head: &Head<'_, '_>, i: usize) -> Option<usize> {
    head.find(i, TokenKind::Mark(b'='))
}

/// `export default …`.
fn default(head: &Head<'_, '_>, i: usize, brace: bool) -> Verdict {
    let at = i.saturating_sub(1);
    if !brace {
        let kind = if is_arrow(head, i) { Kind::Function } else { Kind::Value };
        return head.item(kind, at, Inside::Nothing);
    }
    match made(head, i) {
        Made::Function => {
            Verdict::Item { kind: Kind::Function, name: head.name(at), inside: Inside::Code, ends: false }
        }
        Made::Object => Verdict::More(Inside::Object),
        _ => Verdict::More(Inside::Code),
    }
}

/// `a.b.c = …` and other statements.
fn assigned(head: &Head<'_, '_>, inside: Inside, brace: bool) -> Verdict {
    let assign = head.find(0, TokenKind::Mark(b'='));
    let path = assign
        .filter(|a| (0..*a).all(|i| matches!(head.tok(i), Some(TokenKind::Word | TokenKind::Mark(b'.')))));
    let Some(assign) = path else {
        return statement(head, inside, brace);
    };
    let name = head.span(0, assign);
    if brace {
        return match made(head, assign + 1) {
            Made::Function => Verdict::Item { kind: Kind::Function, name, inside: Inside::Code, ends: false },
            Made::Class => Verdict::Item { kind: Kind::Type, name, inside: Inside::Members, ends: false },
            Made::Object if inside == Inside::Top => Verdict::More(Inside::Object),
            _ => Verdict::More(Inside::Code),
        };
    }
    let exports = matches!(head.word(0), "module" | "exports" | "window" | "global" | "globalThis");
    if exports && inside == Inside::Top {
        let kind = if is_arrow(head, assign + 1) { Kind::Function } else { Kind::Value };
        return Verdict::Item { kind, name, inside: Inside::Nothing, ends: true };
    }
    statement(head, inside, brace)
}

fn statement(head: &Head<'_, '_>, inside: Inside, brace: bool) -> Verdict {
    if brace
        && inside == Inside::Top
        && !CONTROL.contains(&head.word(0))
        && head.find(0, TokenKind::Open(b'(')).is_some()
    {
        // A method of a class whose start was cut off.
        let method = member(head, modifiers(head), brace);
        let indented = head.tokens.first().is_some_and(|t| t.start > 0);
        return if indented { method } else { Verdict::More(Inside::Code) };
    }
    if inside == Inside::Top && head.is_prose(EXPRESSION_WORDS) {
        return Verdict::Unknown;
    }
    match (brace, head.word(0)) {
        (true, word) if head.len() == 0 || CONTROL.contains(&word) => Verdict::Plain(Inside::Code),
        (true, _) => Verdict::More(Inside::Code),
        _ => Verdict::Plain(Inside::Code),
    }
}

/// A method or field of a class.
fn member(head: &Head<'_, '_>, i: usize, brace: bool) -> Verdict {
    let paren = head.find(i, TokenKind::Open(b'('));
    let assign = head.find(i, TokenKind::Mark(b'='));
    let i = if matches!(head.word(i), "get" | "set") && head.is_word(i + 1) { i + 1 } else { i };
    let i = if head.is_mark(i, b'*') { i + 1 } else { i };
    let name = if head.tok(i) == Some(TokenKind::Open(b'[')) { head.span(i, i + 2) } else { head.name(i) };
    let item = |kind, ends| Verdict::Item { kind, name, inside: Inside::Code, ends };
    let before = |a: Option<usize>, b: Option<usize>| a.is_some_and(|a| b.is_none_or(|b| a < b));
    if before(paren, assign)
        && head.find(i, TokenKind::Mark(b':')).is_none_or(|c| paren.is_some_and(|p| p < c))
    {
        if CONTROL.contains(&head.word(i)) && !head.is_open(i + 1) || head.is_mark(i + 1, b'.') {
            return Verdict::Unknown;
        }
        return item(Kind::Function, true);
    }
    match (brace, assign) {
        (true, Some(a)) => match made(head, a + 1) {
            Made::Function => item(Kind::Function, false),
            Made::Object => Verdict::More(Inside::Object),
            _ => Verdict::More(Inside::Code),
        },
        (true, None) if head.word(i) == "static" => item(Kind::Function, true),
        (true, None) => Verdict::More(Inside::Nothing),
        (false, Some(a)) if is_arrow(head, a + 1) => item(Kind::Function, true),
        (false, _) => item(Kind::Value, true),
    }
}

/// A property of an object literal.
fn property(head: &Head<'_, '_>, i: usize, brace: bool) -> Verdict {
    if !brace {
        return Verdict::Plain(Inside::Nothing);
    }
    let colon = head.find(i, TokenKind::Mark(b':'));
    match colon {
        Some(colon) if colon == i + 1 => match made(head, colon + 1) {
            Made::Function => {
                Verdict::Item { kind: Kind::Function, name: head.name(i), inside: Inside::Code, ends: false }
            }
            Made::Object => {
                Verdict::Item { kind: Kind::Value, name: head.name(i), inside: Inside::Object, ends: false }
            }
            _ => Verdict::More(Inside::Code),
        },
        None if head.find(i, TokenKind::Open(b'(')).is_some_and(|p| p > i)
            && head.last() == Some(TokenKind::Close(b')')) =>
        {
            member(head, i, brace)
        }
        _ => Verdict::More(Inside::Code),
    }
}

/// The name of the test that a call declares: its first string, else the call's own word.
pub(super) fn test_name(head: &Head<'_, '_>) -> Option<Name> {
    if !TESTS.contains(&head.word(0)) {
        return None;
    }
    let open = (1..head.len().min(4)).find(|i| head.is_open(*i))?;
    if (1..open).any(|i| !head.is_word(i) && !head.is_mark(i, b'.')) {
        return None;
    }
    let text = (open + 1..head.len()).find(|i| head.tok(*i) == Some(TokenKind::Text));
    Some(head.name(text.unwrap_or(0)))
}
