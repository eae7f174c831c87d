//! Words, operators and redirections of a command line, as the shell that runs it would split it.
//!
//! Nothing is expanded: `$x`, `$(…)`, globs and the like stay in the words as they were written.
//! Linear in the text; what is never closed ends with it.

/// Which shell reads the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// `sh` and its kin.
    #[default]
    Posix,
    /// Windows PowerShell and `pwsh`.
    PowerShell,
    /// The Windows command interpreter.
    Cmd,
}

/// A word with its quotes taken off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// The text.
    pub text: String,
    /// Whether some of it was quoted: then it is no keyword.
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

/// Stands for standard output and standard error together.
pub const BOTH: u8 = 9;

/// Splits a command line.
pub fn lex(text: &str, dialect: Dialect) -> Vec<Token> {
    let mut lexer = Lexer { bytes: text.as_bytes(), at: 0, dialect, out: Vec::new(), heredocs: Vec::new() };
    lexer.run();
    lexer.out
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    dialect: Dialect,
    out: Vec<Token>,
    /// Heredocs whose text starts on the next line: the token, the word that ends it, whether tabs go.
    heredocs: Vec<(usize, String, bool)>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn run(&mut self) {
        while self.at < self.bytes.len() {
            let b = self.peek(0);
            match b {
                b'\n' => {
                    self.at += 1;
                    self.out.push(Token::Op("\n"));
                    self.heredoc_texts();
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                _ if self.is_escape(b) && matches!(self.peek(1), b'\n') => self.at += 2,
                b'#' if self.dialect != Dialect::Cmd => {
                    self.at +=
                        memchr::memchr(b'\n', &self.bytes[self.at..]).unwrap_or(self.bytes.len() - self.at);
                }
                b'(' if self.dialect == Dialect::PowerShell => self.word(),
                b'|' | b'&' | b';' | b'(' | b')' => self.operator(b),
                b'<' | b'>' => self.redirect(None),
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
        let next = self.peek(1);
        let (op, len) = match (b, next) {
            (b'&', b'>') => return self.both(),
            (b'|', b'|') => ("||", 2),
            (b'|', b'&') => ("|", 2),
            (b'|', _) => ("|", 1),
            (b'&', b'&') => ("&&", 2),
            // PowerShell calls what follows.
            (b'&', _) if self.dialect == Dialect::PowerShell && self.starts_command() => ("", 1),
            (b'&', _) => ("&", 1),
            (b';', _) if self.dialect == Dialect::Cmd => return self.word(),
            (b';', b';') => (";;", 2),
            (b';', _) => (";", 1),
            (b'(', b'(') if self.dialect == Dialect::Posix && self.starts_command() => {
                let mut word = Vec::new();
                self.balanced(&mut word, b'(', b')');
                return self.push_word(word, true);
            }
            (b'(', _) => ("(", 1),
            _ => (")", 1),
        };
        self.at += len;
        if !op.is_empty() {
            self.out.push(Token::Op(op));
        }
    }

    /// Whether what comes next is the first word of a command.
    fn starts_command(&self) -> bool {
        matches!(self.out.last(), None | Some(Token::Op(_)))
    }

    /// `&>file` and `&>>file`.
    fn both(&mut self) {
        self.at += 1;
        self.redirect(Some(BOTH));
    }

    /// Reads from `<` or `>` on; `stream` is what stood before it.
    fn redirect(&mut self, stream: Option<u8>) {
        let is_in = self.peek(0) == b'<';
        let next = self.peek(1);
        if next == b'(' && self.dialect == Dialect::Posix && stream.is_none() {
            let mut word = vec![self.peek(0)];
            self.at += 1;
            self.balanced(&mut word, b'(', b')');
            return self.push_word(word, true);
        }
        if is_in && next == b'<' {
            self.at += 2;
            return self.here();
        }
        self.at += 1;
        if matches!(self.peek(0), b'>' | b'|') {
            self.at += 1;
        }
        let stream = stream.unwrap_or(u8::from(!is_in));
        if self.peek(0) == b'&' {
            self.at += 1;
            match self.peek(0) {
                b @ b'0'..=b'9' => {
                    self.at += 1;
                    return self.out.push(Token::Redirect(stream, Target::Stream(b - b'0')));
                }
                b'-' => {
                    self.at += 1;
                    return self.out.push(Token::Redirect(stream, Target::File("/dev/null".into())));
                }
                // `>&file` takes both.
                _ => return self.file(BOTH),
            }
        }
        self.file(stream);
    }

    fn file(&mut self, stream: u8) {
        let name = self.next_word().unwrap_or_default().text;
        self.out.push(Token::Redirect(stream, Target::File(name)));
    }

    /// The word that must follow on the same line.
    fn next_word(&mut self) -> Option<Word> {
        while matches!(self.peek(0), b' ' | b'\t') {
            self.at += 1;
        }
        let ends = matches!(self.peek(0), 0 | b'\n' | b'|' | b'&' | b';' | b'<' | b'>' | b')');
        if ends || self.at >= self.bytes.len() {
            return None;
        }
        let before = self.out.len();
        self.word();
        match self.out.len() > before {
            true => match self.out.pop() {
                Some(Token::Word(word)) => Some(word),
                _ => None,
            },
            false => None,
        }
    }

    /// After `<<`: a here-string, or a heredoc whose text is read at the end of the line.
    fn here(&mut self) {
        if self.peek(0) == b'<' {
            self.at += 1;
            let text = self.next_word().unwrap_or_default().text;
            return self.out.push(Token::Redirect(0, Target::Text(text)));
        }
        let tabs = self.peek(0) == b'-';
        self.at += usize::from(tabs);
        let Some(end) = self.next_word() else { return };
        self.heredocs.push((self.out.len(), end.text, tabs));
        self.out.push(Token::Redirect(0, Target::Text(String::new())));
    }

    fn heredoc_texts(&mut self) {
        for (token, end, tabs) in std::mem::take(&mut self.heredocs) {
            let start = self.at;
            let mut stop = self.bytes.len();
            while self.at < self.bytes.len() {
                let rest = &self.bytes[self.at..];
                let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                let line = &rest[..len];
                let from = self.at;
                self.at = (self.at + len + 1).min(self.bytes.len());
                let line = match tabs {
                    true => line.trim_ascii_start(),
                    false => line,
                };
                if line.trim_ascii_end() == end.as_bytes() {
                    stop = from;
                    break;
                }
            }
            let text = String::from_utf8_lossy(&self.bytes[start.min(stop)..stop]).into_owned();
            if let Some(Token::Redirect(_, target)) = self.out.get_mut(token) {
                *target = Target::Text(text);
            }
        }
    }

    fn push_word(&mut self, word: Vec<u8>, is_quoted: bool) {
        let text = String::from_utf8_lossy(&word).into_owned();
        self.out.push(Token::Word(Word { text, is_quoted }));
    }

    fn word(&mut self) {
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
                        return self.redirect(Some(stream.min(2)));
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
                b'$' | b'`' | b'@' | b'{' | b'(' => is_quoted |= self.special(&mut word, b),
                _ => {
                    word.push(b);
                    self.at += 1;
                }
            }
        }
        if word == b"[[" && self.dialect == Dialect::Posix {
            // A condition: what looks like an operator in it is none.
            let rest = &self.bytes[self.at..];
            let end = memchr::memmem::find(rest, b"]]").map_or(rest.len(), |i| i + 2);
            word.extend_from_slice(&rest[..end]);
            self.at += end;
        }
        if !word.is_empty() || is_quoted {
            self.push_word(word, is_quoted);
        }
    }

    /// `$'…'`, `$"…"`, `$(…)`, `${…}`, backticks; script blocks of PowerShell. Whether it was a quotation.
    fn special(&mut self, word: &mut Vec<u8>, b: u8) -> bool {
        let next = self.peek(1);
        match (self.dialect, b, next) {
            (Dialect::Posix, b'$', b'\'') => {
                self.at += 1;
                self.ansi(word);
                return true;
            }
            (Dialect::Posix, b'$', b'"') => self.at += 1,
            (Dialect::Posix | Dialect::PowerShell, b'$', b'(') | (Dialect::PowerShell, b'@', b'(') => {
                word.push(b);
                self.at += 1;
                self.balanced(word, b'(', b')');
            }
            (Dialect::Posix | Dialect::PowerShell, b'$', b'{') | (Dialect::PowerShell, b'@', b'{') => {
                word.push(b);
                self.at += 1;
                self.balanced(word, b'{', b'}');
            }
            (Dialect::PowerShell, b'{', _) => self.balanced(word, b'{', b'}'),
            (Dialect::PowerShell, b'(', _) => self.balanced(word, b'(', b')'),
            (Dialect::Posix, b'`', _) => {
                word.push(b);
                self.at += 1;
                while self.at < self.bytes.len() {
                    let b = self.peek(0);
                    word.push(b);
                    self.at += 1;
                    if b == b'`' {
                        break;
                    }
                    if b == b'\\' && self.at < self.bytes.len() {
                        word.push(self.peek(0));
                        self.at += 1;
                    }
                }
            }
            _ => {
                word.push(b);
                self.at += 1;
            }
        }
        false
    }

    fn single(&mut self, word: &mut Vec<u8>) {
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let len = memchr::memchr(b'\'', rest).unwrap_or(rest.len());
            word.extend_from_slice(&rest[..len]);
            self.at = (self.at + len + 1).min(self.bytes.len());
            // PowerShell doubles a quote to quote it.
            if self.dialect == Dialect::PowerShell && len < rest.len() && self.peek(0) == b'\'' {
                word.push(b'\'');
                self.at += 1;
                continue;
            }
            return;
        }
    }

    fn double(&mut self, word: &mut Vec<u8>) {
        self.at += 1;
        while self.at < self.bytes.len() {
            let b = self.peek(0);
            let next = self.peek(1);
            match b {
                b'"' => {
                    self.at += 1;
                    if self.dialect == Dialect::PowerShell && self.peek(0) == b'"' {
                        word.push(b'"');
                        self.at += 1;
                        continue;
                    }
                    return;
                }
                b'\\' if self.dialect == Dialect::Posix => {
                    self.at += 2;
                    match next {
                        b'"' | b'\\' | b'$' | b'`' => word.push(next),
                        b'\n' => {}
                        _ => {
                            word.push(b);
                            self.at -= 1;
                        }
                    }
                }
                b'`' if self.dialect == Dialect::PowerShell => {
                    if next != 0 {
                        word.push(next);
                    }
                    self.at += 2;
                }
                b'$' if next == b'(' && self.dialect != Dialect::Cmd => {
                    word.push(b);
                    self.at += 1;
                    self.balanced(word, b'(', b')');
                }
                _ => {
                    word.push(b);
                    self.at += 1;
                }
            }
        }
        self.at = self.bytes.len();
    }

    /// `$'…'` with its escapes.
    fn ansi(&mut self, word: &mut Vec<u8>) {
        self.at += 1;
        while self.at < self.bytes.len() {
            let b = self.peek(0);
            self.at += 1;
            match b {
                b'\'' => return,
                b'\\' => {
                    let next = self.peek(0);
                    self.at += 1;
                    match next {
                        b'n' => word.push(b'\n'),
                        b't' => word.push(b'\t'),
                        b'\'' | b'\\' | b'"' => word.push(next),
                        0 => {}
                        _ => word.extend([b'\\', next]),
                    }
                }
                _ => word.push(b),
            }
        }
        self.at = self.bytes.len();
    }

    fn escape(&mut self, word: &mut Vec<u8>) {
        let escape = self.peek(0);
        let next = self.peek(1);
        self.at += 1;
        if self.at >= self.bytes.len() {
            return;
        }
        if next == b'\n' {
            self.at += 1;
            return;
        }
        // A Windows path keeps its separators, and so does a pattern such as `\bname`.
        if escape == b'\\' && next.is_ascii_alphanumeric() {
            word.push(escape);
        }
        if next.is_ascii() {
            word.push(next);
            self.at += 1;
        }
    }

    /// Copies from an opening bracket to the one that closes it, quotations inside as they are.
    fn balanced(&mut self, word: &mut Vec<u8>, open: u8, close: u8) {
        let mut depth = 0usize;
        let mut quote = 0;
        while self.at < self.bytes.len() {
            let b = self.peek(0);
            word.push(b);
            self.at += 1;
            match b {
                _ if quote != 0 => {
                    if b == quote {
                        quote = 0;
                    } else if b == b'\\' && quote == b'"' && self.at < self.bytes.len() {
                        word.push(self.peek(0));
                        self.at += 1;
                    }
                }
                b'\'' | b'"' => quote = b,
                _ if b == open => depth += 1,
                _ if b == close => {
                    depth -= 1;
                    if depth == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }
}
