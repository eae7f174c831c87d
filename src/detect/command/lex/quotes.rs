//! Quotations, escapes and substitutions: the text that they add to a word, and their ends.

use super::{Dialect, Lexer, SkippedConstruct, nested};

impl Lexer<'_> {
    /// Copies up to `end`, or all the rest if it is not closed.
    fn copy(&mut self, word: &mut Vec<u8>, end: Option<usize>) {
        if end.is_none() {
            self.pass(SkippedConstruct::Unclosed, self.at);
        }
        let end = end.unwrap_or(self.bytes.len()).min(self.bytes.len());
        word.extend_from_slice(&self.bytes[self.at..end]);
        self.at = end;
    }

    /// `$'…'`, `$"…"`, `$(…)`, `${…}`, backticks; script blocks of PowerShell. Returns whether it was a quotation.
    pub(super) fn special(&mut self, word: &mut Vec<u8>, b: u8) -> bool {
        let next = self.peek(1);
        match (self.dialect, b, next) {
            (Dialect::Posix, b'$', b'\'') => {
                self.at += 1;
                self.ansi(word);
                return true;
            }
            (Dialect::Posix, b'$', b'"') => self.at += 1,
            (_, b'$', b'$' | b'!') if self.is_exact => {
                self.pass(SkippedConstruct::ProcessNumber, self.at);
                word.push(b);
                self.at += 1;
            }
            (_, b'$', b'(') if self.is_exact => self.copy(word, nested::bracketed(self.bytes, self.at + 1)),
            (_, b'$', b'{') if self.is_exact => {
                self.copy(word, nested::closed(self.bytes, self.at + 1, b'}'))
            }
            (_, b'`', _) if self.is_exact => self.copy(word, nested::closed(self.bytes, self.at, b'`')),
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

    pub(super) fn single(&mut self, word: &mut Vec<u8>) {
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let len = memchr::memchr(b'\'', rest).unwrap_or(rest.len());
            word.extend_from_slice(&rest[..len]);
            if len == rest.len() {
                self.pass(SkippedConstruct::Unclosed, self.at);
            }
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

    pub(super) fn double(&mut self, word: &mut Vec<u8>) {
        if self.is_exact {
            return self.copy(word, nested::double_quoted(self.bytes, self.at));
        }
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
        self.pass(SkippedConstruct::Unclosed, self.at);
    }

    pub(super) fn escape(&mut self, word: &mut Vec<u8>) {
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

    /// Copies from an opening bracket to the one that closes it, with quotations inside unchanged.
    pub(super) fn balanced(&mut self, word: &mut Vec<u8>, open: u8, close: u8) {
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
