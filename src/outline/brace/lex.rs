//! Tokens of languages of braces: words, brackets, marks, strings, comments.
//!
//! It recognises strings, comments and literals of each language as far as they may hide braces. A string that may not span
//! lines ends with its line, so a stray quote affects only one line.

use super::literals::{char_end, lifetime_end, line_text_end, regex_end, starts_in_comment, starts_in_page};
use super::syntax::{Backtick, Quote, Syntax};

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A word or a number.
    Word,
    /// A string or character literal.
    Text,
    /// Any other character; an operator that ends in `=` counts as `%`.
    Mark(u8),
    /// `=>`, or `->` of a function's result.
    Arrow,
    /// `::`.
    Path,
    /// `(`, `[` or `{`.
    Open(u8),
    /// `)`, `]` or `}`.
    Close(u8),
    /// One line of a comment.
    Comment,
    /// A line for the preprocessor, with the lines that continue it.
    Directive,
}

/// A token: its line, and its bytes in the line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub tok: TokenKind,
    pub line: u32,
    pub start: u32,
    pub end: u32,
}

/// The construct at the current position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mode {
    Code,
    /// Inside a block comment, at this depth of nesting.
    Comment(u32),
    /// A string that runs over lines, up to this text; backslashes escape or not.
    Text {
        end: Box<[u8]>,
        escapes: bool,
    },
    Template,
    /// A here document up to the line that starts with this word.
    Heredoc(Box<[u8]>),
    /// Text outside `<?php … ?>`.
    Page,
}

/// Reads the tokens of lines one by one.
pub(super) struct Lexer<'a, 's> {
    pub(super) lines: &'s [&'a str],
    pub(super) syntax: &'static Syntax,
    pub(super) line: usize,
    pub(super) at: usize,
    pub(super) mode: Mode,
    /// Number of open braces, and the counts at which a template's `${` opened.
    pub(super) depth: u32,
    pub(super) templates: Vec<u32>,
    /// Whether the last token ended a value, so that `/` means division.
    pub(super) value: bool,
}

const BLANK_CLASS: u8 = 0;
pub(super) const WORD: u8 = 1;
const OPEN: u8 = 2;
const CLOSE: u8 = 3;
const OTHER: u8 = 4;

pub(super) const CLASSES: [u8; 256] = {
    let mut table = [OTHER; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        if b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80 {
            table[i] = WORD;
        } else if b <= b' ' {
            table[i] = BLANK_CLASS;
        } else if matches!(b, b'(' | b'[' | b'{') {
            table[i] = OPEN;
        } else if matches!(b, b')' | b']' | b'}') {
            table[i] = CLOSE;
        }
        i += 1;
    }
    table
};

impl<'a, 's> Lexer<'a, 's> {
    pub(super) fn new(lines: &'s [&'a str], syntax: &'static Syntax) -> Self {
        let mode = if starts_in_comment(lines) {
            Mode::Comment(1)
        } else if syntax.page && starts_in_page(lines) {
            Mode::Page
        } else {
            Mode::Code
        };
        Self { lines, syntax, line: 0, at: 0, mode, depth: 0, templates: Vec::new(), value: false }
    }

    /// The next token, `None` after the last.
    pub(super) fn next(&mut self) -> Option<Token> {
        loop {
            let text: &'a str = self.lines.get(self.line)?;
            let bytes = text.as_bytes();
            if self.mode != Mode::Code {
                if let Some(token) = self.resume(bytes) {
                    return Some(token);
                }
                continue;
            }
            while bytes.get(self.at).is_some_and(|b| CLASSES[*b as usize] == BLANK_CLASS) {
                self.at += 1;
            }
            let Some(byte) = bytes.get(self.at) else {
                self.line += 1;
                self.at = 0;
                continue;
            };
            let start = self.at;
            if let Some(tok) = self.code(bytes, *byte) {
                let token = self.token(tok, start);
                if tok == TokenKind::Directive {
                    self.continued();
                }
                self.next_line_unless_code(bytes);
                return Some(token);
            }
        }
    }

    /// Goes to the end of the last line of a directive.
    fn continued(&mut self) {
        while self.line + 1 < self.lines.len() && self.lines[self.line].ends_with('\\') {
            self.line += 1;
        }
        self.at = self.lines[self.line].len();
    }

    pub(super) fn token(&self, tok: TokenKind, start: usize) -> Token {
        Token { tok, line: self.line as u32, start: start as u32, end: self.at as u32 }
    }

    /// One token at the current position of a line of code; `None` if it yields no token.
    fn code(&mut self, bytes: &[u8], byte: u8) -> Option<TokenKind> {
        match CLASSES[byte as usize] {
            WORD => return self.word(bytes, byte),
            OPEN => {
                self.at += 1;
                self.value = false;
                self.depth += u32::from(byte == b'{');
                return Some(TokenKind::Open(byte));
            }
            CLOSE => return self.close(byte),
            _ => {}
        }
        match byte {
            b'/' => self.slash(bytes),
            b'"' | b'\'' | b'`' => self.quote(bytes, byte),
            b'#' if self.syntax.hash_comments && bytes.get(self.at + 1) != Some(&b'[') => {
                self.at = bytes.len();
                Some(TokenKind::Comment)
            }
            b'#' if self.syntax.directives && bytes[..self.at].iter().all(u8::is_ascii_whitespace) => {
                self.at = bytes.len();
                if let Some(open) = memchr::memmem::rfind(bytes, b"/*")
                    && memchr::memmem::find(&bytes[open..], b"*/").is_none()
                {
                    self.mode = Mode::Comment(1);
                }
                Some(TokenKind::Directive)
            }
            b'$' | b'#' | b'@' if self.syntax.sigils.contains(&byte) => self.word(bytes, byte),
            b'@' | b'$'
                if self.syntax.verbatim && matches!(bytes.get(self.at + 1), Some(b'"' | b'@' | b'$')) =>
            {
                self.verbatim(bytes)
            }
            b'?' if self.syntax.page && bytes.get(self.at + 1) == Some(&b'>') => {
                self.at += 2;
                self.mode = Mode::Page;
                Some(TokenKind::Mark(b';'))
            }
            _ => Some(self.mark(bytes, byte)),
        }
    }

    fn word(&mut self, bytes: &[u8], first: u8) -> Option<TokenKind> {
        let start = self.at;
        self.at += 1;
        while let Some(b) = bytes.get(self.at) {
            let class = CLASSES[*b as usize];
            if class != WORD && !(*b == b'$' && self.syntax.sigils.contains(&b'$')) {
                break;
            }
            self.at += 1;
        }
        let text = &bytes[start..self.at];
        if self.syntax.quote == Quote::Char && first.is_ascii_digit() && bytes.get(self.at) == Some(&b'\'') {
            // 1'000'000 of C++.
            let more =
                bytes[self.at..].iter().take_while(|b| **b == b'\'' || b.is_ascii_alphanumeric()).count();
            self.at += more;
        }
        if matches!(bytes.get(self.at), Some(b'"' | b'#')) && self.raw(bytes, text) {
            return Some(TokenKind::Text);
        }
        self.value = !super::syntax::is_operator_word(text);
        Some(TokenKind::Word)
    }

    /// Raw strings: `r"…"`, `br#"…"#` of Rust, `R"x(…)x"` of C++.
    fn raw(&mut self, bytes: &[u8], prefix: &[u8]) -> bool {
        if self.syntax.raw_rust && matches!(prefix, b"r" | b"br" | b"cr") {
            let hashes = bytes[self.at..].iter().take_while(|b| **b == b'#').count();
            if bytes.get(self.at + hashes) != Some(&b'"') {
                return false;
            }
            let mut end = vec![b'"'];
            end.resize(hashes + 1, b'#');
            self.at += hashes + 1;
            self.text(bytes, end, false);
            return true;
        }
        if self.syntax.raw_cpp && matches!(prefix, b"R" | b"LR" | b"uR" | b"UR" | b"u8R") {
            let Some(open) = memchr::memchr(b'(', &bytes[self.at..bytes.len().min(self.at + 18)]) else {
                return false;
            };
            let mut end = vec![b')'];
            end.extend_from_slice(&bytes[self.at + 1..self.at + open]);
            end.push(b'"');
            self.at += open + 1;
            self.text(bytes, end, false);
            return true;
        }
        false
    }

    fn close(&mut self, byte: u8) -> Option<TokenKind> {
        self.at += 1;
        self.value = true;
        if byte == b'}' {
            if self.templates.last() == Some(&self.depth) {
                self.templates.pop();
                self.mode = Mode::Template;
                return Some(TokenKind::Close(b')'));
            }
            self.depth = self.depth.saturating_sub(1);
        }
        Some(TokenKind::Close(byte))
    }

    fn slash(&mut self, bytes: &[u8]) -> Option<TokenKind> {
        match bytes.get(self.at + 1) {
            Some(b'/') => {
                self.at = bytes.len();
                Some(TokenKind::Comment)
            }
            Some(b'*') => {
                self.at += 2;
                self.mode = Mode::Comment(1);
                self.comment(bytes);
                Some(TokenKind::Comment)
            }
            _ if self.syntax.regex && !self.value && (self.at == 0 || bytes[self.at - 1] != b'<') => {
                if let Some(end) = regex_end(bytes, self.at) {
                    self.at = end;
                    self.value = true;
                    return Some(TokenKind::Text);
                }
                Some(self.mark(bytes, b'/'))
            }
            _ => Some(self.mark(bytes, b'/')),
        }
    }

    fn quote(&mut self, bytes: &[u8], byte: u8) -> Option<TokenKind> {
        self.value = true;
        match (byte, self.syntax.quote, self.syntax.backtick) {
            // An apostrophe in the text between tags.
            (b'\'', ..) if self.syntax.regex && self.at > 0 && bytes[self.at - 1].is_ascii_alphanumeric() => {
                self.at += 1;
                return Some(TokenKind::Mark(b'\''));
            }
            (b'\'', Quote::Char, _) => {
                self.at = char_end(bytes, self.at).unwrap_or(self.at + 1);
            }
            (b'\'', Quote::Lifetime, _) => {
                self.at = lifetime_end(bytes, self.at);
            }
            (b'`', _, Backtick::Template) => {
                self.at += 1;
                self.mode = Mode::Template;
                // The text that follows is one token with the quote.
                self.template(bytes);
            }
            (b'`', _, Backtick::Raw) => {
                self.at += 1;
                self.text(bytes, vec![b'`'], false);
            }
            (b'`', _, Backtick::Name) => {
                self.at = line_text_end(bytes, self.at, b'`').unwrap_or(self.at + 1);
                return Some(TokenKind::Word);
            }
            (b'`', _, Backtick::None) => self.at += 1,
            _ => return Some(self.double(bytes, byte)),
        }
        Some(TokenKind::Text)
    }

    /// A string in single or double quotes, or three of them.
    fn double(&mut self, bytes: &[u8], byte: u8) -> TokenKind {
        let three = [byte; 3];
        if self.syntax.triple && bytes[self.at..].starts_with(&three) {
            self.at += 3;
            self.text(bytes, three.to_vec(), self.syntax.triple_escapes);
        } else if self.syntax.text_over_lines {
            self.at += 1;
            self.text(bytes, vec![byte], true);
        } else if let Some(end) = line_text_end(bytes, self.at, byte) {
            self.at = end;
        } else {
            self.at = bytes.len();
            if bytes.last() == Some(&b'\\') {
                self.mode = Mode::Text { end: Box::new([byte]), escapes: true };
            }
        }
        TokenKind::Text
    }

    /// `@"…"` and `$@"…"`, in which `""` is a quote, and `$"…"`.
    fn verbatim(&mut self, bytes: &[u8]) -> Option<TokenKind> {
        let prefix = bytes[self.at..].iter().take_while(|b| matches!(b, b'@' | b'$')).count();
        let exact = bytes[self.at..self.at + prefix].contains(&b'@');
        self.at += prefix;
        self.value = true;
        if bytes.get(self.at) != Some(&b'"') {
            return Some(TokenKind::Mark(b'@'));
        }
        if !exact {
            return Some(self.double(bytes, b'"'));
        }
        self.at += 1;
        self.text(bytes, vec![b'"'], false);
        Some(TokenKind::Text)
    }

    fn mark(&mut self, bytes: &[u8], byte: u8) -> TokenKind {
        let next = bytes.get(self.at + 1).copied();
        self.value = false;
        self.at += 1;
        match (byte, next) {
            (b'=' | b'-', Some(b'>')) => {
                self.at += 1;
                TokenKind::Arrow
            }
            (b':', Some(b':')) => {
                self.at += 1;
                TokenKind::Path
            }
            (b'<', Some(b'<')) if self.syntax.heredoc && bytes.get(self.at + 1) == Some(&b'<') => {
                self.at += 2;
                self.heredoc(bytes)
            }
            (
                b'=' | b'!' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'|' | b'&' | b'^' | b'%' | b'?',
                Some(b'='),
            ) => {
                self.at += 1;
                if bytes.get(self.at) == Some(&b'=') {
                    self.at += 1;
                }
                TokenKind::Mark(b'%')
            }
            _ => TokenKind::Mark(byte),
        }
    }
}
