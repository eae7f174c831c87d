//! Redirections: to files, to other streams, and from text in the command itself.

use super::{Dialect, Lexer, STDOUT_AND_STDERR, SkippedConstruct, Target, Token, Word};

impl Lexer<'_> {
    /// `&>file` and `&>>file`.
    pub(super) fn both(&mut self) {
        self.at += 1;
        self.redirect(Some(STDOUT_AND_STDERR), self.at - 1);
    }

    /// Reads from `<` or `>` on; `stream` is the number before it, from `start` on.
    pub(super) fn redirect(&mut self, stream: Option<u8>, start: usize) {
        let is_in = self.peek(0) == b'<';
        let next = self.peek(1);
        if next == b'(' && self.dialect == Dialect::Posix && stream.is_none() {
            self.pass(SkippedConstruct::Process, start);
            let mut word = vec![self.peek(0)];
            self.at += 1;
            self.balanced(&mut word, b'(', b')');
            return self.push_word(word, true, start);
        }
        if is_in && next == b'<' {
            self.pass(SkippedConstruct::HereText, start);
            self.at += 2;
            return self.here(start);
        }
        self.at += 1;
        // `<|` and `&>|` are pipes after a redirection without a file; `>>&` and `>|&` do not name streams.
        let is_single = !self.is_exact || (!is_in && stream != Some(STDOUT_AND_STDERR));
        let is_double = is_single && matches!(self.peek(0), b'>' | b'|');
        self.at += usize::from(is_double);
        let may_be_stream = is_single && !(self.is_exact && is_double);
        let stream = stream.unwrap_or(u8::from(!is_in));
        if may_be_stream && self.peek(0) == b'&' {
            self.at += 1;
            match self.peek(0) {
                b @ b'0'..=b'9' => {
                    self.at += 1;
                    return self.push(Token::Redirect(stream, Target::Stream(b - b'0')), start);
                }
                b'-' => {
                    self.at += 1;
                    return self.push(Token::Redirect(stream, Target::File("/dev/null".into())), start);
                }
                // `>&file` redirects both streams.
                _ => return self.file(STDOUT_AND_STDERR, start),
            }
        }
        self.file(stream, start);
    }

    fn file(&mut self, stream: u8, start: usize) {
        let name = self.next_word().unwrap_or_default().text;
        self.push(Token::Redirect(stream, Target::File(name)), start);
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
            true => match self.out.pop().map(|spanned| spanned.token) {
                Some(Token::Word(word)) => Some(word),
                _ => None,
            },
            false => None,
        }
    }

    /// After `<<`: a here-string, or a heredoc whose text is read at the end of the line.
    fn here(&mut self, start: usize) {
        if self.peek(0) == b'<' {
            self.at += 1;
            let text = self.next_word().unwrap_or_default().text;
            return self.push(Token::Redirect(0, Target::Text(text)), start);
        }
        let tabs = self.peek(0) == b'-';
        self.at += usize::from(tabs);
        let Some(end) = self.next_word() else { return };
        self.heredocs.push((self.out.len(), end.text, tabs));
        self.push(Token::Redirect(0, Target::Text(String::new())), start);
    }

    pub(super) fn heredoc_texts(&mut self) {
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
            if let Some(Token::Redirect(_, target)) =
                self.out.get_mut(token).map(|spanned| &mut spanned.token)
            {
                *target = Target::Text(text);
            }
        }
    }
}
