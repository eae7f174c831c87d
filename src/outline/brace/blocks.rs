//! Opening and closing brackets: the stack, matching braces, and the items whose bodies they enclose.

use super::head::{Head, Inside, Verdict};
use super::level::{Frame, Statement};
use super::lex::{Token, TokenKind};
use super::parse::Parser;
use crate::outline::{Kind, Language, indent_of};

/// How many open brackets are searched for one that fits a closing brace by indentation.
const MAX_OPEN: usize = 16;

impl Parser<'_, '_> {
    pub(super) fn open_paren(&mut self, token: &Token, byte: u8) {
        if !self.in_paren() {
            self.before(token);
            self.begin(token);
            self.keep(*token);
            self.now.open = token.line;
        }
        let close = if byte == b'(' { b')' } else { b']' };
        let inside = if self.inside() == Inside::Nothing { Inside::Nothing } else { Inside::Code };
        self.enter(token, close, inside, None, false);
    }

    /// Pushes a bracket. Inside parentheses the outer statement continues.
    fn enter(&mut self, token: &Token, close: u8, inside: Inside, item: Option<usize>, ends: bool) {
        let start = self.now.lines.map_or(token.line, |l| l.0);
        let indents = (indent_of(self.lines[token.line as usize]), indent_of(self.lines[start as usize]));
        let outer = if close == b'}' {
            let next = Statement { first: self.tokens.len(), ..Statement::default() };
            std::mem::replace(&mut self.now, next)
        } else {
            Statement::default()
        };
        self.frames.push(Frame {
            close,
            inside,
            outer,
            ends,
            item,
            unknown: None,
            line: token.line,
            indents,
        });
    }

    pub(super) fn open_brace(&mut self, token: &Token) {
        let inside = self.inside();
        if self.in_paren() {
            let inner = if inside == Inside::Nothing { Inside::Nothing } else { Inside::Code };
            let item = if inner == Inside::Code { self.test(token) } else { None };
            self.enter(token, b'}', inner, item, false);
            return;
        }
        self.before(token);
        self.begin(token);
        let head = Head { tokens: &self.tokens[self.now.first..], lines: self.lines };
        let verdict = match inside {
            Inside::Nothing => Verdict::Plain(Inside::Nothing),
            Inside::Enum => Verdict::More(Inside::Code),
            _ => (self.grammar)(&head, inside, true),
        };
        match verdict {
            Verdict::Item { kind, name, inside, ends } => {
                let item = self.add(kind, name, token.line);
                if !ends {
                    self.now.item = Some(item);
                }
                self.enter(token, b'}', inside, Some(item), ends);
            }
            Verdict::Plain(inside) => self.enter(token, b'}', inside, None, true),
            Verdict::More(inside) => {
                self.keep(*token);
                self.now.open = token.line;
                self.enter(token, b'}', inside, None, false);
            }
            Verdict::Unknown => {
                let line = self.now.lines.map_or(token.line, |l| l.0);
                self.enter(token, b'}', Inside::Code, None, true);
                if let Some(frame) = self.frames.last_mut() {
                    frame.unknown = Some(line);
                }
            }
        }
    }

    /// The item of a block in a test call: `it('does', () => {`.
    fn test(&mut self, token: &Token) -> Option<usize> {
        if self.language != Language::TypeScript
            || self.frames.iter().rev().take(2).filter(|f| f.close == b')').count() != 1
        {
            return None;
        }
        let head = Head { tokens: &self.tokens[self.now.first..], lines: self.lines };
        let name = super::script::test_name(&head)?;
        Some(self.add(Kind::Function, name, token.line))
    }

    pub(super) fn close(&mut self, token: &Token, byte: u8) {
        if byte != b'}' {
            if self.frames.last().is_some_and(|f| f.close == byte) {
                self.close_paren(token);
            }
            return;
        }
        match self.partner(token) {
            Some(at) => {
                // A statement that is cut off by the end of its block, with the lines up to that end.
                self.close_frames(at + 1, token.line.saturating_sub(1));
                self.close_brace(token);
            }
            None => self.stray(),
        }
    }

    /// The open brace that a closing brace matches.
    fn partner(&self, token: &Token) -> Option<usize> {
        let top = self.frames.iter().rposition(|f| f.close == b'}')?;
        let indent = token.start as usize;
        let fits = |f: &Frame| f.indents.0 == indent || f.indents.1 == indent;
        if !self.is_first(token) || fits(&self.frames[top]) || self.frames[top].line == token.line {
            return Some(top);
        }
        let floor = top.saturating_sub(MAX_OPEN);
        for i in (floor..top).rev() {
            let frame = &self.frames[i];
            if frame.close == b'}' && fits(frame) {
                return Some(i);
            }
            if frame.indents.1 < indent {
                break;
            }
        }
        Some(top)
    }

    fn close_paren(&mut self, token: &Token) {
        self.frames.pop();
        if self.in_paren() {
            return;
        }
        self.begin(token);
        self.keep(Token { tok: TokenKind::Close(b')'), ..*token });
        self.spanned(token.line);
        let head = Head { tokens: &self.tokens[self.now.first..], lines: self.lines };
        let bracket = match (self.language, head.tok(0), head.len()) {
            (Language::Rust | Language::Php, Some(TokenKind::Mark(b'#')), 3) => true,
            (Language::Rust, Some(TokenKind::Mark(b'#')), 4) => head.is_mark(1, b'!'),
            (Language::C | Language::CSharp, Some(TokenKind::Open(b'[')), 2) => true,
            _ => false,
        };
        if bracket {
            let inner = head.len() == 4;
            self.attribute();
            if inner {
                self.reset();
            }
        }
    }

    /// Records the pair of brackets that ends on `line` if it is the longest so far.
    fn spanned(&mut self, line: u32) {
        let open = self.now.open;
        if line > open && self.now.span.is_none_or(|(a, b)| line - open > b - a) {
            self.now.span = Some((open, line));
        }
    }

    fn close_brace(&mut self, token: &Token) {
        if self.now.lines.is_some() {
            self.end_statement();
        }
        let Some(frame) = self.frames.pop() else { return };
        self.tokens.truncate(self.now.first);
        if let Some(item) = frame.item {
            self.seal(item, token.line, true);
        }
        self.note_strange(&frame, token.line);
        if self.in_paren() {
            self.now = frame.outer;
            return;
        }
        self.now = frame.outer;
        if frame.ends {
            self.reset();
        } else {
            self.begin(token);
            self.keep(*token);
            self.spanned(token.line);
        }
    }

    fn note_strange(&mut self, frame: &Frame, line: u32) {
        if let Some(first) = frame.unknown
            && self.frames.is_empty()
        {
            self.unknown += (line - first) as usize + 1;
        }
    }

    /// Closes all frames from `keep` on; unfinished items end on `line`.
    pub(super) fn close_frames(&mut self, keep: usize, line: u32) {
        while self.frames.len() > keep {
            if self.now.lines.is_some() && !self.in_paren() {
                self.end_statement();
            }
            let Some(frame) = self.frames.pop() else { return };
            if let Some(item) = frame.item {
                self.seal(item, line, false);
            }
            self.note_strange(&frame, line.max(frame.line));
            if frame.close == b'}' {
                self.tokens.truncate(self.now.first);
                self.now = frame.outer;
            }
        }
    }

    /// Ends an item's block on `line`, which closes it or is its last line.
    pub(super) fn seal(&mut self, item: usize, line: u32, closed: bool) {
        if let Some(item) = self.items.get_mut(item) {
            let end = line as usize + usize::from(!closed);
            item.body.end = end.max(item.body.start);
            item.lines.end = (line as usize + 1).max(item.lines.end);
        }
    }

    /// A closing brace without an opening one: the lines so far were the inside of something.
    fn stray(&mut self) {
        if self.now.lines.is_some() && self.frames.is_empty() {
            self.end_statement();
        }
        self.frames.clear();
        self.tokens.clear();
        self.now = Statement::default();
        if self.unknown > 0 {
            // It was a function body, so apparent members are its variables.
            let last = self.items.split_off(self.stretch.min(self.items.len()));
            self.items.extend(last.into_iter().filter(|i| !i.body.is_empty() || i.kind == Kind::Import));
        }
        self.stretch = self.items.len();
        self.unknown = 0;
    }
}
