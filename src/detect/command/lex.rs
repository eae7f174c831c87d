//! Words, operators and redirections of a command line, as the shell that runs it would split it.
//!
//! Nothing is expanded: `$x`, `$(…)`, globs and the like stay in the words as they were written. Linear in the
//! text; a construct that is not closed ends with the text.
//!
//! There are two readings. [`lex`] is for finding out which programs ran: it reads as much as it can of any text,
//! even one that is not a command. [`read`] is for changing a command line: it gives the place of each token, and
//! records constructs that it skipped. Where the two differ, the exact one does as a POSIX shell does; the comments
//! say where.

mod nested;
mod quotes;
mod redirects;
#[cfg(test)]
mod tests;

use std::ops::Range;

/// Which shell reads the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// `sh` and related shells.
    #[default]
    Posix,
    /// Windows PowerShell and `pwsh`.
    PowerShell,
    /// The Windows command interpreter.
    Cmd,
}

/// A word without its quotes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// The text.
    pub text: String,
    /// Whether any part was quoted: then it is not a keyword.
    pub is_quoted: bool,
}

/// Where a stream goes or comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A file, by its name.
    File(String),
    /// Another stream: `2>&1`.
    Stream(u8),
    /// Text in the command itself: a heredoc or a here-string.
    Text(String),
}

/// A piece of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// A word.
    Word(Word),
    /// `|`, `&&`, `||`, `;`, `;;`, `&`, `(`, `)` or a line end.
    Op(&'static str),
    /// Streams (0 to 2; 9 for both outputs) and where they go.
    Redirect(u8, Target),
}

/// Constructs that an exact reading skips: a list of pipelines of programs has none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkippedConstruct {
    /// An unclosed quotation, command substitution or name in braces.
    Unclosed,
    /// A comment.
    Comment,
    /// `(` or `)`: a group, a function, an arithmetic expression.
    Group,
    /// `<<`: a text in the command itself.
    HereText,
    /// `<(…)` or `>(…)`: a process in place of a file.
    Process,
    /// `&`: a command in the background.
    Background,
    /// `|&`: a pipe for both outputs.
    PipeOfBoth,
    /// `;;`: the end of a branch of `case`; or a `;` that begins a line.
    BranchEnd,
    /// `$$` or `$!`: the number of a process.
    ProcessNumber,
}

/// A token and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spanned {
    /// The token.
    pub token: Token,
    /// Its place in the text.
    pub range: Range<usize>,
}

/// An exact reading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Read {
    /// The tokens. Text in double quotes is in words as it was written.
    pub tokens: Vec<Spanned>,
    /// Skipped constructs, and where each begins.
    pub passed: Vec<(SkippedConstruct, usize)>,
}

/// Stands for standard output and standard error together.
pub const STDOUT_AND_STDERR: u8 = 9;

/// Tokens above which a command line is not read: far more than anybody types or a program may be given.
const MAX_TOKENS: usize = 1 << 14;

/// The tokens of a command line; none if there are too many. Never fails: an unclosed construct ends with the text.
pub fn lex(text: &str, dialect: Dialect) -> Vec<Token> {
    let mut lexer = Lexer::new(text, dialect, false);
    lexer.run();
    if lexer.out.len() > MAX_TOKENS {
        return Vec::new();
    }
    lexer.out.into_iter().map(|spanned| spanned.token).collect()
}

/// The exact reading of a POSIX command line. Tokens after the first skipped construct may be wrong.
pub fn read(text: &str) -> Read {
    let mut lexer = Lexer::new(text, Dialect::Posix, true);
    lexer.run();
    Read { tokens: lexer.out, passed: lexer.passed }
}

/// The position after a command substitution whose bracket is at `at`; `None` if it is not closed.
pub fn substitution_end(bytes: &[u8], at: usize) -> Option<usize> {
    nested::bracketed(bytes, at)
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    dialect: Dialect,
    /// Whether this is an exact reading.
    is_exact: bool,
    out: Vec<Spanned>,
    passed: Vec<(SkippedConstruct, usize)>,
    /// Heredocs whose text starts on the next line: the token, the word that ends it, and whether tabs are removed.
    heredocs: Vec<(usize, String, bool)>,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str, dialect: Dialect, is_exact: bool) -> Self {
        let (out, passed, heredocs) = (Vec::new(), Vec::new(), Vec::new());
        Self { bytes: text.as_bytes(), at: 0, dialect, is_exact, out, passed, heredocs }
    }

    /// Adds a token that begins at `start` and ends here.
    fn push(&mut self, token: Token, start: usize) {
        self.out.push(Spanned { token, range: start..self.at });
    }

    /// Records a skipped construct.
    fn pass(&mut self, what: SkippedConstruct, at: usize) {
        if self.is_exact {
            self.passed.push((what, at));
        }
    }

    /// Whether white space, or nothing, is before this place.
    fn is_behind_space(&self) -> bool {
        self.at.checked_sub(1).is_none_or(|at| self.bytes[at].is_ascii_whitespace())
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn run(&mut self) {
        while self.at < self.bytes.len() && (self.is_exact || self.out.len() <= MAX_TOKENS) {
            let b = self.peek(0);
            match b {
                b'\n' => {
                    if self.peek(1) == b';' {
                        self.pass(SkippedConstruct::BranchEnd, self.at);
                    }
                    self.at += 1;
                    self.push(Token::Op("\n"), self.at - 1);
                    self.heredoc_texts();
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                _ if self.is_escape(b) && matches!(self.peek(1), b'\n') => self.at += 2,
                // In an exact reading it is a comment only where a word could begin: not after `2>&1`.
                b'#' if self.dialect != Dialect::Cmd
                    && !(self.is_exact && !self.is_behind_space() && !self.starts_command()) =>
                {
                    self.pass(SkippedConstruct::Comment, self.at);
                    self.at +=
                        memchr::memchr(b'\n', &self.bytes[self.at..]).unwrap_or(self.bytes.len() - self.at);
                }
                b'(' if self.dialect == Dialect::PowerShell => self.word(),
                b'|' | b'&' | b';' | b'(' | b')' => self.operator(b),
                b'<' | b'>' => self.redirect(None, self.at),
                _ => self.word(),
            }
        }
        self.heredocs.clear();
    }

    fn is_escape(&self, b: u8) -> bool {
        b == match self.dialect {
            Dialect::Posix => b'\\',
            Dialect::PowerShell => b'`',
            Dialect::Cmd => b'^',
        }
    }

    fn operator(&mut self, b: u8) {
        let (start, next) = (self.at, self.peek(1));
        match (b, next) {
            (b'(' | b')', _) => self.pass(SkippedConstruct::Group, start),
            (b'|', b'&') => self.pass(SkippedConstruct::PipeOfBoth, start),
            (b'&', next) if !matches!(next, b'&' | b'>') => self.pass(SkippedConstruct::Background, start),
            (b';', b';') => self.pass(SkippedConstruct::BranchEnd, start),
            _ => {}
        }
        let (op, len) = match (b, next) {
            (b'&', b'>') => return self.both(),
            (b'|', b'|') => ("||", 2),
            (b'|', b'&') => ("|", 2),
            (b'|', _) => ("|", 1),
            (b'&', b'&') => ("&&", 2),
            // In PowerShell, `&` calls the command after it.
            (b'&', _) if self.dialect == Dialect::PowerShell && self.starts_command() => ("", 1),
            (b'&', _) => ("&", 1),
            (b';', _) if self.dialect == Dialect::Cmd => return self.word(),
            (b';', b';') => (";;", 2),
            (b';', _) => (";", 1),
            (b'(', b'(') if self.dialect == Dialect::Posix && self.starts_command() => {
                let mut word = Vec::new();
                self.balanced(&mut word, b'(', b')');
                return self.push_word(word, true, start);
            }
            (b'(', _) => ("(", 1),
            _ => (")", 1),
        };
        self.at += len;
        if !op.is_empty() {
            self.push(Token::Op(op), start);
        }
    }

    /// Whether the next word is the first of a command.
    fn starts_command(&self) -> bool {
        matches!(self.out.last(), None | Some(Spanned { token: Token::Op(_), .. }))
    }

    fn push_word(&mut self, word: Vec<u8>, is_quoted: bool, start: usize) {
        let text = String::from_utf8_lossy(&word).into_owned();
        self.push(Token::Word(Word { text, is_quoted }), start);
    }

    fn word(&mut self) {
        let start = self.at;
        let mut word: Vec<u8> = Vec::new();
        let mut is_quoted = false;
        while self.at < self.bytes.len() {
            let b = self.peek(0);
            match b {
                b' ' | b'\t' | b'\r' | b'\n' | b'|' | b'&' | b')' => break,
                b';' if self.dialect != Dialect::Cmd => break,
                b'(' if self.dialect == Dialect::Posix => break,
                b'<' | b'>' => {
                    let is_stream = word.len() == 1 && word[0].is_ascii_digit() && !is_quoted;
                    if is_stream {
                        let stream = word[0] - b'0';
                        return self.redirect(Some(stream.min(2)), start);
                    }
                    break;
                }
                b'\'' if self.dialect != Dialect::Cmd => {
                    is_quoted = true;
                    self.single(&mut word);
                }
                b'"' => {
                    is_quoted = true;
                    self.double(&mut word);
                }
                _ if self.is_escape(b) => self.escape(&mut word),
                b'#' if self.is_exact && self.is_behind_space() => {
                    self.pass(SkippedConstruct::Comment, self.at);
                    word.push(b);
                    self.at += 1;
                }
                b'$' | b'`' | b'@' | b'{' | b'(' => is_quoted |= self.special(&mut word, b),
                _ => {
                    word.push(b);
                    self.at += 1;
                }
            }
        }
        if word == b"[[" && self.dialect == Dialect::Posix && !self.is_exact {
            // A condition: text in it that looks like an operator is not one.
            let rest = &self.bytes[self.at..];
            let end = memchr::memmem::find(rest, b"]]").map_or(rest.len(), |i| i + 2);
            word.extend_from_slice(&rest[..end]);
            self.at += end;
        }
        if !word.is_empty() || is_quoted {
            self.push_word(word, is_quoted, start);
        }
    }
}
