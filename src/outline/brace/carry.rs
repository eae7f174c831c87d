//! Constructs that span lines: comments, long strings, templates, here documents, pages.

use super::lex::{CLASSES, Lexer, Mode, Token, TokenKind, WORD};
use super::literals::text_end;

impl Lexer<'_, '_> {
    pub(super) fn heredoc(&mut self, bytes: &[u8]) -> TokenKind {
        let rest = bytes[self.at..].trim_ascii();
        let rest = rest.strip_prefix(b"'").or_else(|| rest.strip_prefix(b"\"")).unwrap_or(rest);
        let end = rest.iter().take_while(|b| CLASSES[**b as usize] == WORD).count();
        if end > 0 {
            self.mode = Mode::Heredoc(rest[..end].into());
            self.at = bytes.len();
        }
        self.value = true;
        TokenKind::Text
    }

    /// Continues a string to its end, on this line or a later one.
    pub(super) fn text(&mut self, bytes: &[u8], end: Vec<u8>, escapes: bool) {
        match text_end(bytes, self.at, &end, escapes) {
            Some(at) => self.at = at,
            None => {
                self.at = bytes.len();
                self.mode = Mode::Text { end: end.into(), escapes };
            }
        }
        self.value = true;
    }

    /// Continues a block comment; nested comments count in languages that allow them.
    pub(super) fn comment(&mut self, bytes: &[u8]) {
        let Mode::Comment(mut depth) = self.mode else { return };
        while let Some(found) = memchr::memchr2(b'*', b'/', bytes.get(self.at..).unwrap_or_default()) {
            let i = self.at + found;
            match (bytes[i], bytes.get(i + 1)) {
                (b'*', Some(b'/')) => {
                    self.at = i + 2;
                    depth -= 1;
                    if depth == 0 {
                        self.mode = Mode::Code;
                        return;
                    }
                }
                (b'/', Some(b'*')) if self.syntax.nested_comments => {
                    self.at = i + 2;
                    depth += 1;
                }
                _ => self.at = i + 1,
            }
        }
        self.at = bytes.len();
        self.mode = Mode::Comment(depth);
    }

    /// Continues a template literal to its end, the line end or a `${`.
    pub(super) fn template(&mut self, bytes: &[u8]) {
        while let Some(found) = memchr::memchr3(b'`', b'\\', b'$', bytes.get(self.at..).unwrap_or_default()) {
            let i = self.at + found;
            match bytes[i] {
                b'`' => {
                    self.at = i + 1;
                    self.mode = Mode::Code;
                    self.value = true;
                    return;
                }
                b'$' if bytes.get(i + 1) == Some(&b'{') => {
                    self.at = i;
                    return;
                }
                b'\\' => self.at = i + 2,
                _ => self.at = i + 1,
            }
        }
        self.at = bytes.len();
    }

    /// Continues what started on an earlier line.
    pub(super) fn resume(&mut self, bytes: &[u8]) -> Option<Token> {
        let start = self.at;
        match &self.mode {
            Mode::Comment(_) => {
                let start = start.max(crate::outline::indent_of(self.lines[self.line]).min(bytes.len()));
                self.at = start;
                self.comment(bytes);
                let token = self.token(TokenKind::Comment, start);
                self.next_line_unless_code(bytes);
                return Some(token);
            }
            Mode::Text { end, escapes } => match text_end(bytes, start, end, *escapes) {
                Some(at) => {
                    self.at = at;
                    self.mode = Mode::Code;
                    self.value = true;
                }
                None => self.at = bytes.len(),
            },
            Mode::Template => {
                if bytes.get(start..).is_some_and(|b| b.starts_with(b"${")) {
                    self.at += 2;
                    self.templates.push(self.depth);
                    self.mode = Mode::Code;
                    self.value = false;
                    return Some(self.token(TokenKind::Open(b'('), start));
                }
                self.template(bytes);
                if self.mode == Mode::Template && self.at < bytes.len() {
                    return None;
                }
            }
            Mode::Heredoc(word) => {
                let text = bytes.trim_ascii_start();
                let after = text
                    .strip_prefix(&**word)
                    .filter(|r| r.first().is_none_or(|b| CLASSES[*b as usize] != WORD));
                self.at = after.map_or(bytes.len(), |rest| bytes.len() - rest.len());
                if after.is_some() {
                    self.mode = Mode::Code;
                }
            }
            Mode::Page => {
                let open = bytes.get(start..).and_then(|b| memchr::memmem::find(b, b"<?"));
                self.at = open.map_or(bytes.len(), |o| start + o + 2);
                if open.is_some() {
                    self.at += bytes[self.at..]
                        .iter()
                        .take_while(|b| b.is_ascii_alphabetic() || **b == b'=')
                        .count();
                    self.mode = Mode::Code;
                }
            }
            Mode::Code => {}
        }
        self.next_line_unless_code(bytes);
        None
    }

    pub(super) fn next_line_unless_code(&mut self, bytes: &[u8]) {
        if self.mode != Mode::Code && self.at >= bytes.len() {
            self.line += 1;
            self.at = 0;
        }
    }
}
