//! The stack of brackets and statements, and the items found.

use super::Grammar;
use super::head::{Head, Inside, Name, Verdict, name_text, text};
use super::level::{Frame, Statement, ends_line, is_joining, is_starter};
use super::lex::{Lexer, Token, TokenKind};
use super::syntax::{self, Syntax};
use crate::outline::{Found, Item, Kind, Language, has_word, indent_of};

/// Most tokens that are kept of a statement; a longer one is a table or an expression. A choice.
pub(super) const MAX_STATEMENT_TOKENS: usize = 96;

/// An open `#if`.
#[derive(Debug)]
pub(super) struct Condition {
    pub frames: usize,
    /// Whether lines up to the next branch are skipped.
    pub skip: bool,
    /// Whether an earlier branch changed the bracket nesting.
    pub uneven: bool,
}

/// Reads one text.
pub(super) struct Parser<'a, 's> {
    pub(super) lines: &'s [&'a str],
    pub(super) language: Language,
    pub(super) syntax: &'static Syntax,
    pub(super) grammar: Grammar,
    pub(super) tokens: Vec<Token>,
    pub(super) frames: Vec<Frame>,
    pub(super) now: Statement,
    pub(super) items: Vec<Item<'a>>,
    /// Unrecognised lines at the outermost level since the last unmatched closing brace.
    pub(super) unknown: usize,
    /// Index of the first item since then.
    pub(super) stretch: usize,
    /// The context of the outermost level.
    pub(super) base: Inside,
    pub(super) conditions: Vec<Condition>,
    last_line: u32,
}

impl<'a, 's> Parser<'a, 's> {
    pub(super) fn new(language: Language, lines: &'s [&'a str], grammar: Grammar) -> Self {
        Self {
            lines,
            language,
            syntax: syntax::of(language),
            grammar,
            tokens: Vec::with_capacity(MAX_STATEMENT_TOKENS),
            frames: Vec::new(),
            now: Statement::default(),
            items: Vec::new(),
            unknown: 0,
            stretch: 0,
            base: Inside::Top,
            conditions: Vec::new(),
            last_line: 0,
        }
    }

    pub(super) fn run(mut self) -> Found<'a> {
        let mut lexer = Lexer::new(self.lines, self.syntax);
        while let Some(token) = lexer.next() {
            if token.tok == TokenKind::Directive {
                self.directive(&token);
                continue;
            }
            if self.conditions.last().is_some_and(|c| c.skip) {
                continue;
            }
            if token.start == 0 && !self.frames.is_empty() {
                self.mend(&token);
            }
            match token.tok {
                TokenKind::Comment => self.comment(&token),
                TokenKind::Open(b'{') => self.open_brace(&token),
                TokenKind::Open(byte) => self.open_paren(&token, byte),
                TokenKind::Close(byte) => self.close(&token, byte),
                TokenKind::Mark(mark @ (b';' | b',')) => self.separator(&token, mark),
                _ => self.push(&token),
            }
            if token.tok != TokenKind::Comment {
                self.last_line = token.line;
            }
        }
        self.finish();
        Found { items: self.items, unknown: self.unknown }
    }

    /// The context of the current statement.
    pub(super) fn inside(&self) -> Inside {
        self.frames.last().map_or(self.base, |f| f.inside)
    }

    pub(super) fn in_paren(&self) -> bool {
        self.frames.last().is_some_and(|f| f.close != b'}')
    }

    pub(super) fn is_first(&self, token: &Token) -> bool {
        indent_of(self.lines[token.line as usize]) == token.start as usize
    }

    fn comment(&mut self, token: &Token) {
        if self.in_paren() || !self.is_first(token) {
            return;
        }
        if self.syntax.newlines
            && let Some(last) = self.tokens.get(self.now.first..).and_then(|t| t.last())
            && ends_line(last.tok, text(self.lines, last))
        {
            self.end_statement();
        }
        if self.now.lines.is_some() {
            return;
        }
        let words = text(self.lines, token);
        if self.language == Language::Rust && (words.starts_with("//!") || words.starts_with("/*!")) {
            return;
        }
        match &mut self.now.lead {
            Some((_, last)) if self.now.attribute || token.line <= *last + 1 => *last = token.line,
            _ => {
                self.now.lead = Some((token.line, token.line));
                self.now.doc = None;
            }
        }
        if self.now.doc.is_none() && has_word(words) {
            self.now.doc = Some(token.line);
        }
    }

    /// Adds a token to the current statement.
    fn push(&mut self, token: &Token) {
        if self.in_paren() {
            // The name of a test is the first string of its call.
            let named = self.language == Language::TypeScript && token.tok == TokenKind::Text;
            if named && self.tokens.len() < self.now.first + 8 {
                self.tokens.push(*token);
            }
            return;
        }
        self.before(token);
        self.begin(token);
        self.keep(*token);
        if token.tok == TokenKind::Mark(b':') {
            self.label();
        }
    }

    /// Stores a token of the current statement; the last slot is for the newest.
    pub(super) fn keep(&mut self, token: Token) {
        if self.tokens.len() - self.now.first >= MAX_STATEMENT_TOKENS {
            self.tokens.pop();
        }
        self.tokens.push(token);
    }

    /// Marks a token's line as part of the current statement.
    pub(super) fn begin(&mut self, token: &Token) {
        let line = token.line;
        match &mut self.now.lines {
            Some((_, last)) => *last = line,
            None => {
                if !self.now.attribute && self.now.lead.is_some_and(|(_, last)| last + 1 < line) {
                    self.now.lead = None;
                    self.now.doc = None;
                }
                self.now.lines = Some((line, line));
            }
        }
    }

    /// Ends the statement before a token if a line end does so, and removes finished annotations.
    pub(super) fn before(&mut self, token: &Token) {
        let Some(last) = self.tokens.get(self.now.first..).and_then(|t| t.last()).copied() else {
            return;
        };
        let started = self.tokens[self.now.first].tok;
        if started == TokenKind::Mark(b'@') && self.tokens.len() > self.now.first + 1 {
            let named = last.tok == TokenKind::Word
                && !matches!(token.tok, TokenKind::Mark(b'.' | b':') | TokenKind::Path)
                && !(token.tok == TokenKind::Open(b'(') && token.line == last.line)
                && text(self.lines, &self.tokens[self.now.first + 1]) != "interface";
            if named || last.tok == TokenKind::Close(b')') {
                self.attribute();
                return;
            }
        }
        if self.syntax.newlines && token.line > last.line && ends_line(last.tok, text(self.lines, &last)) {
            let continues = match token.tok {
                TokenKind::Word => is_joining(text(self.lines, token)),
                TokenKind::Open(b'{') => true,
                TokenKind::Open(_) | TokenKind::Text => false,
                TokenKind::Mark(m) => {
                    m != b'@' && m != b'#' && (m != b'*' || self.inside() != Inside::Members)
                }
                TokenKind::Arrow | TokenKind::Path | TokenKind::Close(_) => true,
                _ => false,
            };
            if !continues {
                self.end_statement();
            }
        }
    }

    /// A declaration at the left margin inside a function: a bracket before it is missing.
    fn mend(&mut self, token: &Token) {
        let Some(first) = self.frames.first().filter(|_| token.start == 0 && token.tok == TokenKind::Word)
        else {
            return;
        };
        let inside = first.item.is_some() && first.inside == Inside::Code && first.indents.1 == 0;
        let word = text(self.lines, token);
        let top = match self.language {
            Language::TypeScript => word == "export",
            Language::Go => word == "func" || word == "package",
            _ => false,
        };
        if first.inside != Inside::Top
            && (top || inside && !self.in_paren() && is_starter(self.language, word))
        {
            let lead = std::mem::take(&mut self.now);
            let keeps = lead.lines.is_none() && lead.lead.is_some();
            self.now = lead.clone();
            self.close_frames(0, token.line.saturating_sub(1));
            if self.now.lines.is_some() {
                self.end_statement();
            }
            self.tokens.clear();
            self.now = if keeps { Statement { first: 0, ..lead } } else { Statement::default() };
        }
    }

    /// The tokens so far are an attribute of the next item.
    pub(super) fn attribute(&mut self) {
        if let Some((first, last)) = self.now.lines.take() {
            let start = match self.now.lead {
                Some((start, reach)) if self.now.attribute || reach + 1 >= first => start,
                _ => first,
            };
            self.now.lead = Some((start, last));
            self.now.attribute = true;
        }
        self.tokens.truncate(self.now.first);
        self.now.span = None;
    }

    /// `public:` of C++ and labels: not part of the next statement.
    fn label(&mut self) {
        let head = &self.tokens[self.now.first..];
        if self.language == Language::C
            && head.len() <= 3
            && head[..head.len() - 1].iter().all(|t| t.tok == TokenKind::Word)
        {
            let word = text(self.lines, &head[0]);
            if matches!(
                word,
                "public" | "private" | "protected" | "signals" | "default" | "slots" | "Q_SIGNALS"
            ) {
                self.reset();
            }
        }
    }

    /// Clears the current statement.
    pub(super) fn reset(&mut self) {
        self.tokens.truncate(self.now.first);
        self.now = Statement { first: self.now.first, ..Statement::default() };
    }

    fn separator(&mut self, token: &Token, mark: u8) {
        if self.in_paren() {
            return;
        }
        let inside = self.inside();
        if mark == b',' && !matches!(inside, Inside::Object | Inside::Enum) {
            self.push(token);
            return;
        }
        self.begin(token);
        self.end_statement();
        if mark == b';'
            && inside == Inside::Enum
            && let Some(frame) = self.frames.last_mut()
        {
            frame.inside = Inside::Members;
        }
    }

    /// Creates an item from the current statement, whose signature ends on `line`.
    pub(super) fn add(&mut self, kind: Kind, name: Name, line: u32) -> usize {
        let first = self.now.lines.map_or(line, |l| l.0);
        let plain = kind == Kind::Import && !self.now.attribute;
        let start = self.now.lead.filter(|_| !plain).map_or(first, |l| l.0.min(first));
        let end = line as usize + 1;
        self.items.push(Item {
            kind,
            lines: start as usize..end,
            signature: first as usize..end,
            body: end..end,
            doc: self.now.doc.filter(|_| !plain).map(|d| d as usize),
            depth: 0,
            name: name_text(self.lines, name),
        });
        self.items.len() - 1
    }

    /// Classifies the current statement at its end.
    pub(super) fn end_statement(&mut self) {
        let Some((first, last)) = self.now.lines else {
            self.reset();
            return;
        };
        if let Some(item) = self.now.item {
            if let Some(item) = self.items.get_mut(item) {
                item.lines.end = item.lines.end.max(last as usize + 1);
            }
            self.reset();
            return;
        }
        let inside = self.inside();
        if matches!(inside, Inside::Top | Inside::Members | Inside::Object) {
            let head = Head { tokens: &self.tokens[self.now.first..], lines: self.lines };
            match if head.len() == 0 {
                Verdict::Plain(Inside::Nothing)
            } else {
                (self.grammar)(&head, inside, false)
            } {
                Verdict::Item { kind, name, .. } => {
                    let arrow =
                        head.find(0, TokenKind::Arrow).and_then(|i| head.tokens.get(i)).map(|t| t.line);
                    self.whole(kind, name, last, arrow);
                }
                Verdict::Unknown if self.frames.is_empty() => self.unknown += (last - first) as usize + 1,
                _ => {}
            }
        }
        self.reset();
    }

    /// An item without a block of its own: its longest brackets are its body, unless they hold parameters.
    fn whole(&mut self, kind: Kind, name: Name, last: u32, arrow: Option<u32>) {
        let span = self.now.span;
        let index = self.add(kind, name, last);
        let Some(item) = self.items.get_mut(index) else { return };
        let start = item.signature.start;
        match (kind, arrow, span) {
            (Kind::Function, Some(arrow), _) if arrow as usize >= start && arrow < last => {
                item.signature.end = arrow as usize + 1;
                let closed = span.filter(|(open, close)| *open >= arrow && *close == last).is_some();
                item.body = arrow as usize + 1..last as usize + usize::from(!closed);
            }
            (Kind::Function, ..) => {}
            (_, _, Some((open, close))) => {
                item.signature.end = open as usize + 1;
                item.body = open as usize + 1..close as usize;
            }
            _ => {}
        }
    }

    /// At the end of the text, open items are cut off.
    fn finish(&mut self) {
        let last = (self.lines.len() as u32).saturating_sub(1);
        self.close_frames(0, last);
        if self.now.lines.is_some() {
            self.end_statement();
        }
    }
}
