//! The parser's state for each level of brackets, and where line ends end statements.

use super::head::Inside;
use super::lex::TokenKind;
use crate::outline::Language;

/// A statement that is being parsed.
#[derive(Debug, Clone, Default)]
pub(super) struct Statement {
    /// Its first token in the parser's list.
    pub first: usize,
    /// Its first and last line; the first includes tokens that are not kept.
    pub lines: Option<(u32, u32)>,
    /// The comments and attributes above: first line, last line, first line with content.
    pub lead: Option<(u32, u32)>,
    pub doc: Option<u32>,
    /// Whether the lead contains an attribute, which applies to the next item at any distance.
    pub attribute: bool,
    /// The item that one of its blocks already created.
    pub item: Option<usize>,
    /// Lines of its longest bracket pair over several lines.
    pub span: Option<(u32, u32)>,
    /// The line of the bracket that is open now.
    pub open: u32,
}

/// An open bracket, or the file.
#[derive(Debug)]
pub(super) struct Frame {
    pub close: u8,
    pub inside: Inside,
    /// The outer statement, and whether the closing brace ends it.
    pub outer: Statement,
    pub ends: bool,
    pub item: Option<usize>,
    /// First line of an unrecognised block.
    pub unknown: Option<u32>,
    pub line: u32,
    /// Indentations of the bracket's line and of its statement's first line.
    pub indents: (usize, usize),
}

/// Whether a line may end after this token.
pub(super) fn ends_line(tok: TokenKind, word: &str) -> bool {
    match tok {
        TokenKind::Word => !matches!(
            word,
            "extends"
                | "implements"
                | "with"
                | "where"
                | "throws"
                | "by"
                | "as"
                | "is"
                | "in"
                | "of"
                | "return"
                | "new"
                | "typeof"
                | "instanceof"
                | "export"
                | "default"
                | "func"
                | "fun"
                | "class"
                | "function"
        ),
        TokenKind::Text | TokenKind::Close(_) | TokenKind::Mark(b'>' | b'!' | b'?' | b'*') => true,
        _ => false,
    }
}

/// Whether a line that starts with this word continues the previous statement.
pub(super) fn is_joining(word: &str) -> bool {
    matches!(
        word,
        "extends"
            | "implements"
            | "throws"
            | "where"
            | "instanceof"
            | "in"
            | "of"
            | "as"
            | "else"
            | "catch"
            | "finally"
            | "with"
            | "by"
            | "satisfies"
    )
}

/// Whether a word at the left margin starts a declaration of the file.
pub(super) fn is_starter(language: Language, word: &str) -> bool {
    match language {
        Language::Rust => matches!(word, "pub" | "fn" | "impl" | "struct" | "enum" | "trait" | "mod" | "use"),
        Language::Go => matches!(word, "func" | "type" | "package" | "import"),
        Language::TypeScript => matches!(word, "export" | "import" | "class" | "interface"),
        Language::Java | Language::CSharp => {
            matches!(word, "package" | "import" | "public" | "namespace" | "using")
        }
        _ => false,
    }
}
