//! Languages that nest with braces: one parser over tokens, one small grammar a language.
//!
//! The parser keeps a stack of open brackets and the tokens of the statement that each level is in the
//! middle of. A grammar sees only those tokens. Braces that do not match are mended with the indentation
//! of the lines, so that one mistake does not swallow what follows.

mod blocks;
mod c;
mod carry;
mod go;
mod head;
mod java;
mod keywords;
mod level;
mod lex;
mod literals;
mod parse;
mod php;
mod preprocess;
mod rust;
mod script;
mod syntax;

use super::{Found, Language};

use head::{Head, Inside, Verdict};

/// A language's grammar: what a statement is, from its tokens, what it stands in, and whether a `{`
/// follows.
type Grammar = fn(&Head<'_, '_>, Inside, bool) -> Verdict;

/// The declarations of a text.
pub(super) fn scan<'a>(language: Language, lines: &[&'a str]) -> Found<'a> {
    let grammar: Grammar = match language {
        Language::Rust => rust::judge,
        Language::TypeScript => script::judge,
        Language::Go => go::judge,
        Language::Java | Language::CSharp | Language::Dart => java::judge,
        Language::Php => php::judge,
        Language::Kotlin | Language::Swift | Language::Scala => keywords::judge,
        _ => c::judge,
    };
    parse::Parser::new(language, lines, grammar).run()
}
