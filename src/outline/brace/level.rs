//! The parser's state for each level of brackets, and where line ends end statements.

use super::head::{Inside, text};
use super::lex::{Lexer, Token, TokenKind};
use super::syntax;
use crate::outline::{Language, MAX_STATEMENT_LINES, indent_of};

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

/// A pair of brackets.
struct Pair {
    open: u8,
    /// Whether statements follow each other in it. In other brackets one statement goes on.
    is_block: bool,
    /// Its first and its last line.
    lines: (u32, u32),
    /// Whether the current statement directly in it has a word such as `if`, so that its `{` opens a block.
    has_head: bool,
}

/// Where a line starts.
#[derive(Clone, Copy)]
struct Start {
    /// The innermost pair of brackets.
    pair: u32,
    /// Whether it continues the line before: by an operator, or inside a string.
    joins: bool,
    /// Whether it follows a comma or an opening bracket, or starts with a closing one.
    is_part: bool,
}

/// The pair around the text as a whole.
const OUTERMOST: u32 = 0;
/// How many open brackets are searched for the partner of a closing one.
const MAX_OPEN: usize = 16;

/// Finds the lines at which statements start.
struct Statements<'a, 's> {
    lines: &'s [&'a str],
    language: Language,
    pairs: Vec<Pair>,
    open: Vec<u32>,
    starts: Vec<Start>,
    /// The last token that is not a comment, and whether the last token is one.
    last: Option<Token>,
    after_comment: bool,
}

/// For each line, whether a statement starts there. The lines of a block are statements of their own; so are the parts of
/// brackets over more lines than a statement may have.
pub(super) fn statements(language: Language, lines: &[&str]) -> Vec<bool> {
    let all = Pair { open: b'{', is_block: true, lines: (0, u32::MAX), has_head: false };
    let mut found = Statements {
        lines,
        language,
        pairs: vec![all],
        open: vec![OUTERMOST],
        starts: Vec::with_capacity(lines.len()),
        last: None,
        after_comment: false,
    };
    let mut lexer = Lexer::new(lines, syntax::of(language));
    while let Some(token) = lexer.next() {
        found.push(&token);
    }
    found.up_to(lines.len(), false);
    let Statements { pairs, starts, .. } = found;
    let is_start = |start: &Start| {
        let pair = &pairs[start.pair as usize];
        let is_long = (pair.lines.1 - pair.lines.0) as usize >= MAX_STATEMENT_LINES;
        !start.joins && (pair.is_block || is_long && start.is_part)
    };
    starts.iter().map(is_start).collect()
}

impl Statements<'_, '_> {
    fn innermost(&self) -> u32 {
        self.open.last().copied().unwrap_or(OUTERMOST)
    }

    /// Notes the lines without tokens before a line: they are inside a string, or blank.
    fn up_to(&mut self, line: usize, in_text: bool) {
        let pair = self.innermost();
        for i in self.starts.len()..line {
            let joins = in_text || !self.lines[i].trim_start().is_empty();
            self.starts.push(Start { pair, joins, is_part: true });
        }
    }

    fn push(&mut self, token: &Token) {
        let line = token.line as usize;
        let is_comment = token.tok == TokenKind::Comment;
        if line >= self.starts.len() {
            let in_text = token.start as usize > indent_of(self.lines[line]);
            let is_next = line == self.starts.len();
            self.up_to(line, in_text);
            let joins = in_text || if is_comment { self.after_comment && is_next } else { self.joins(token) };
            let is_part = matches!(token.tok, TokenKind::Close(_))
                || self
                    .last
                    .is_none_or(|last| matches!(last.tok, TokenKind::Open(_) | TokenKind::Mark(b',')));
            self.starts.push(Start { pair: self.innermost(), joins, is_part });
            self.after_comment = is_comment;
            if !joins && !is_comment {
                self.note_head(false);
            }
        }
        match token.tok {
            TokenKind::Comment => return,
            TokenKind::Open(open) => {
                let is_block = open == b'{' && self.opens_block(token);
                self.open.push(self.pairs.len() as u32);
                let lines = (token.line, u32::MAX);
                self.pairs.push(Pair { open, is_block, lines, has_head: false });
            }
            TokenKind::Close(close) => self.close(close, token.line),
            TokenKind::Mark(b';') => self.note_head(false),
            TokenKind::Word if is_head(text(self.lines, token)) => self.note_head(true),
            _ => {}
        }
        self.last = Some(*token);
    }

    fn note_head(&mut self, has_head: bool) {
        let pair = self.innermost() as usize;
        self.pairs[pair].has_head = has_head;
    }

    fn close(&mut self, close: u8, line: u32) {
        let is_partner = |pair: u32| {
            matches!((self.pairs[pair as usize].open, close), (b'(', b')') | (b'[', b']') | (b'{', b'}'))
        };
        let near = self.open.len().saturating_sub(MAX_OPEN).max(1);
        let Some(at) = (near..self.open.len()).rev().find(|at| is_partner(self.open[*at])) else { return };
        for pair in self.open.drain(at..) {
            self.pairs[pair as usize].lines.1 = line;
        }
    }

    /// Whether the first token of a line continues the statement before it.
    fn joins(&self, token: &Token) -> bool {
        let Some(last) = self.last else { return false };
        let first = text(self.lines, token);
        match last.tok {
            TokenKind::Open(_) | TokenKind::Mark(b';' | b',' | b':') | TokenKind::Directive => return false,
            TokenKind::Mark(b'>' | b'!' | b'?' | b'*') => {}
            TokenKind::Mark(_) | TokenKind::Arrow | TokenKind::Path => return true,
            TokenKind::Word
                if matches!(text(self.lines, &last), "throw" | "new" | "extends" | "implements") =>
            {
                return true;
            }
            TokenKind::Text if token.tok == TokenKind::Text => return true,
            _ => {}
        }
        let is_end =
            matches!(last.tok, TokenKind::Close(b'}')) && !matches!(token.tok, TokenKind::Mark(b'.'));
        match token.tok {
            TokenKind::Open(b'{') => !is_end,
            TokenKind::Mark(b'*') => false,
            TokenKind::Mark(mark) => !is_end && b".=+-/%&|^?:<>".contains(&mark),
            TokenKind::Arrow | TokenKind::Path => !is_end,
            TokenKind::Word => is_joining(first) && !matches!(first, "else" | "catch" | "finally" | "with"),
            _ => false,
        }
    }

    /// Whether a `{` opens a block, and not a value such as an object.
    fn opens_block(&self, token: &Token) -> bool {
        let pair = &self.pairs[self.innermost() as usize];
        let Some(last) = self.last else { return true };
        let is_adjacent = last.line == token.line && last.end == token.start;
        let word = text(self.lines, &last);
        match last.tok {
            TokenKind::Open(b'{') => pair.is_block,
            TokenKind::Open(_) | TokenKind::Close(b']') => false,
            TokenKind::Mark(b';') => true,
            TokenKind::Mark(b',') => {
                pair.is_block && pair.open == b'{' && self.language != Language::TypeScript
            }
            TokenKind::Mark(b':') => pair.has_head,
            TokenKind::Mark(b'>') => true,
            TokenKind::Mark(b'|') => self.language == Language::Rust,
            TokenKind::Mark(_) => false,
            TokenKind::Close(b'}') => !(is_adjacent && self.language == Language::Go),
            TokenKind::Word if matches!(word, "return" | "yield" | "default") => false,
            TokenKind::Word => match self.language {
                Language::Go => !is_adjacent,
                Language::Rust => pair.has_head || !word.starts_with(|c: char| c.is_ascii_uppercase()),
                _ => true,
            },
            _ => true,
        }
    }
}

/// Whether a statement with this word has a block.
fn is_head(word: &str) -> bool {
    matches!(
        word,
        "if" | "else"
            | "for"
            | "while"
            | "do"
            | "loop"
            | "switch"
            | "match"
            | "case"
            | "default"
            | "try"
            | "catch"
            | "unsafe"
            | "impl"
            | "struct"
            | "enum"
            | "trait"
            | "union"
            | "mod"
            | "fn"
            | "func"
            | "fun"
            | "function"
            | "class"
            | "interface"
            | "namespace"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statements of more than one line, each as its lines.
    fn long(language: Language, text: &str) -> Vec<String> {
        let lines: Vec<&str> = text.lines().collect();
        let starts = statements(language, &lines);
        assert_eq!(starts.len(), lines.len());
        let mut out: Vec<(usize, String)> = Vec::new();
        for (line, is_start) in lines.iter().zip(starts) {
            match out.last_mut().filter(|_| !is_start) {
                Some((count, statement)) => {
                    *count += 1;
                    *statement += "|";
                    *statement += line.trim();
                }
                None => out.push((1, line.trim().to_owned())),
            }
        }
        out.into_iter().filter(|(count, _)| *count > 1).map(|(_, statement)| statement).collect()
    }

    #[test]
    fn statements_over_lines() {
        let cases: [(Language, &str, &[&str]); 9] = [
            (
                Language::TypeScript,
                "function f() {\n  if (a &&\n      b) {\n    throw new Error(\n      `no ${a}\n more`,\n    );\n  }\n\
                 \x20 items.map((x) => {\n    g(x);\n  });\n  return { a, b };\n}\n",
                &["if (a &&|b) {", "throw new Error(|`no ${a}|more`,|);"],
            ),
            (
                Language::Go,
                "func f() error {\n\tdata := Sync{\n\t\tID: id,\n\t}\n\tif err != nil {\n\t\treturn\n\t}\n\
                 \treturn fmt.Errorf(\n\t\t\"a\",\n\t\terr)\n}\n",
                &["data := Sync{|ID: id,|}", "return fmt.Errorf(|\"a\",|err)"],
            ),
            (
                Language::Rust,
                "fn f<'a>(x: &'a str) -> Result<(), E> {\n    match x {\n        \"a\" => {}\n    }\n    \
                 let all = x\n        .lines()\n        .count();\n    Err(E::new(\n        \"long\",\n    ))\n}\n",
                &["let all = x|.lines()|.count();", "Err(E::new(|\"long\",|))"],
            ),
            (
                Language::Java,
                "void f()\n{\n    throw\n        new E(\"a\"\n            + b);\n    // one\n    // two\n    g();\n}\n",
                &["void f()|{", "throw|new E(\"a\"|+ b);", "// one|// two"],
            ),
            (
                Language::C,
                "int f(void)\n{\n    if (x)\n        return -1;\n    fprintf(stderr,\n            \"a\"\n            \
                 \"b\");\n}\n",
                &["int f(void)|{", "fprintf(stderr,|\"a\"|\"b\");"],
            ),
            // A string that ends with its line.
            (
                Language::Go,
                "func f() {\n\thelp := `\nuse it\nas this`\n\n\tif x {\n\t\tg()\n\t}\n}\n",
                &["help := `|use it|as this`"],
            ),
            (Language::CSharp, "switch (x) {\n  case A:\n    f();\n  default:\n    g();\n}\n", &[]),
            // Long brackets are taken apart.
            (
                Language::TypeScript,
                "f([\n  1,\n  2,\n  3,\n  4,\n  {\n    a: 5,\n  },\n  6,\n]);\n",
                &["{|a: 5,|},"],
            ),
            // A bracket without a partner.
            (Language::Kotlin, "fun f() {\n  g(\n  h()\n}\nfun k() {\n}\n", &["g(|h()|}"]),
        ];
        for (language, text, expected) in cases {
            assert_eq!(long(language, text), expected, "{}", language.name());
        }
    }
}
