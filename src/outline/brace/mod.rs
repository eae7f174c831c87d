//! Languages that nest with braces: one parser over tokens, and one small grammar for each language.
//!
//! The parser keeps a stack of open brackets, and the tokens of the current statement of each level. A grammar sees only
//! those tokens. Unmatched braces are repaired by indentation, so one mistake does not affect everything that follows.

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

/// A language's grammar: classifies a statement by its tokens, its context, and whether a `{` follows.
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

/// For each line, whether a statement starts there.
pub(super) fn statements(language: Language, lines: &[&str]) -> Vec<bool> {
    level::statements(language, lines)
}
