//! The syntax of strings, comments and ends of statements in languages of braces: data only.

use crate::outline::Language;

/// The construct that a single quote starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    Text,
    Char,
    Lifetime,
}

/// The construct that a backtick starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backtick {
    None,
    Raw,
    Template,
    Name,
}

/// Lexical facts of one language.
#[derive(Debug)]
pub(super) struct Syntax {
    pub quote: Quote,
    pub backtick: Backtick,
    /// `"""`, and in languages with strings in single quotes also `'''`.
    pub triple: bool,
    pub triple_escapes: bool,
    /// Strings in plain quotes run over lines.
    pub text_over_lines: bool,
    pub raw_rust: bool,
    pub raw_cpp: bool,
    /// `@"…"` of C#.
    pub verbatim: bool,
    pub heredoc: bool,
    pub regex: bool,
    /// `<?php … ?>`.
    pub page: bool,
    pub hash_comments: bool,
    pub nested_comments: bool,
    /// Lines that start with `#` are for the preprocessor.
    pub directives: bool,
    /// Marks that may start a word.
    pub sigils: &'static [u8],
    /// A line's end may end a statement.
    pub newlines: bool,
}

const PLAIN: Syntax = Syntax {
    quote: Quote::Char,
    backtick: Backtick::None,
    triple: false,
    triple_escapes: true,
    text_over_lines: false,
    raw_rust: false,
    raw_cpp: false,
    verbatim: false,
    heredoc: false,
    regex: false,
    page: false,
    hash_comments: false,
    nested_comments: false,
    directives: false,
    sigils: &[],
    newlines: false,
};

static RUST: Syntax =
    Syntax { quote: Quote::Lifetime, text_over_lines: true, raw_rust: true, nested_comments: true, ..PLAIN };
static SCRIPT: Syntax = Syntax {
    quote: Quote::Text,
    backtick: Backtick::Template,
    regex: true,
    sigils: b"$#",
    newlines: true,
    ..PLAIN
};
static GO: Syntax = Syntax { backtick: Backtick::Raw, newlines: true, ..PLAIN };
static JAVA: Syntax = Syntax { triple: true, sigils: b"$", ..PLAIN };
static C: Syntax = Syntax { raw_cpp: true, directives: true, ..PLAIN };
static CSHARP: Syntax =
    Syntax { triple: true, triple_escapes: false, verbatim: true, directives: true, ..PLAIN };
static PHP: Syntax = Syntax {
    quote: Quote::Text,
    text_over_lines: true,
    heredoc: true,
    page: true,
    hash_comments: true,
    sigils: b"$",
    ..PLAIN
};
static KOTLIN: Syntax = Syntax {
    triple: true,
    triple_escapes: false,
    backtick: Backtick::Name,
    nested_comments: true,
    newlines: true,
    ..PLAIN
};
static SWIFT: Syntax = Syntax {
    triple: true,
    backtick: Backtick::Name,
    nested_comments: true,
    directives: true,
    newlines: true,
    ..PLAIN
};
static DART: Syntax =
    Syntax { quote: Quote::Text, triple: true, sigils: b"$", nested_comments: true, ..PLAIN };

/// The facts of a language.
pub(super) fn of(language: Language) -> &'static Syntax {
    match language {
        Language::Rust => &RUST,
        Language::TypeScript => &SCRIPT,
        Language::Go => &GO,
        Language::Java => &JAVA,
        Language::CSharp => &CSHARP,
        Language::Php => &PHP,
        Language::Kotlin | Language::Scala => &KOTLIN,
        Language::Swift => &SWIFT,
        Language::Dart => &DART,
        _ => &C,
    }
}

/// Words after which a value is still to come.
pub(super) fn is_operator_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"return"
            | b"typeof"
            | b"case"
            | b"in"
            | b"of"
            | b"do"
            | b"else"
            | b"new"
            | b"delete"
            | b"void"
            | b"throw"
    )
}
