//! The tokens of one statement up to its `{` or its end, and the result of a grammar.

use super::lex::{Token, TokenKind};
use crate::outline::Kind;

/// What a pair of braces contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    /// The file, a module, a namespace.
    Top,
    /// A class or anything with methods.
    Members,
    /// Constants of an enum, then members.
    Enum,
    /// An object literal: names with functions.
    Object,
    /// Statements; only declarations by keyword are recognised.
    Code,
    /// Nothing of interest.
    Nothing,
}

/// The position of a name: a line, and bytes in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Name {
    pub line: u32,
    pub start: u32,
    pub end: u32,
}

/// The classification of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// A declaration. With a brace: what is inside, and whether the closing brace ends the statement.
    Item { kind: Kind, name: Name, inside: Inside, ends: bool },
    /// Something else that the language allows here. With a brace, the closing one ends it.
    Plain(Inside),
    /// A brace in the middle of a statement.
    More(Inside),
    /// Not recognised.
    Unknown,
}

/// The tokens of a statement at its own level, without the content of parentheses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head<'t, 'a> {
    pub tokens: &'t [Token],
    pub lines: &'t [&'a str],
}

impl<'t, 'a> Head<'t, 'a> {
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn tok(&self, i: usize) -> Option<TokenKind> {
        self.tokens.get(i).map(|t| t.tok)
    }

    pub(super) fn last(&self) -> Option<TokenKind> {
        self.tokens.last().map(|t| t.tok)
    }

    /// The text of token `i` when it is a word, else nothing.
    pub(super) fn word(&self, i: usize) -> &'a str {
        match self.tokens.get(i) {
            Some(t) if t.tok == TokenKind::Word => text(self.lines, t),
            _ => "",
        }
    }

    pub(super) fn is_word(&self, i: usize) -> bool {
        self.tok(i) == Some(TokenKind::Word)
    }

    pub(super) fn is_mark(&self, i: usize, mark: u8) -> bool {
        self.tok(i) == Some(TokenKind::Mark(mark))
    }

    pub(super) fn is_open(&self, i: usize) -> bool {
        self.tok(i) == Some(TokenKind::Open(b'('))
    }

    /// The first token from `from` that is `tok`, outside angle brackets.
    pub(super) fn find(&self, from: usize, tok: TokenKind) -> Option<usize> {
        let mut angle = 0_usize;
        for i in from..self.len() {
            let here = self.tokens[i].tok;
            if angle == 0 && here == tok {
                return Some(i);
            }
            match here {
                TokenKind::Mark(b'<') => angle += 1,
                TokenKind::Mark(b'>') => angle = angle.saturating_sub(1),
                _ => {}
            }
        }
        // Comparison operators are not brackets.
        if angle > 0 { (from..self.len()).find(|i| self.tokens[*i].tok == tok) } else { None }
    }

    pub(super) fn find_word(&self, from: usize, word: &str) -> Option<usize> {
        (from..self.len()).find(|i| self.word(*i) == word)
    }

    /// The place after a group of angle brackets that starts at `i`; `i` if there is none.
    pub(super) fn after_angles(&self, i: usize) -> usize {
        if !self.is_mark(i, b'<') {
            return i;
        }
        let mut depth = 0_usize;
        for at in i..self.len() {
            match self.tokens[at].tok {
                TokenKind::Mark(b'<') => depth += 1,
                TokenKind::Mark(b'>') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at + 1;
            }
        }
        i
    }

    /// Skips words of a list.
    pub(super) fn skip(&self, mut i: usize, words: &[&str]) -> usize {
        while self.is_word(i) && words.contains(&self.word(i)) {
            i += 1;
        }
        i
    }

    /// The name at token `i`.
    pub(super) fn name(&self, i: usize) -> Name {
        self.tokens.get(i).map_or_else(Name::default, |t| Name { line: t.line, start: t.start, end: t.end })
    }

    /// The text of the tokens `from..to`, as far as it is on one line.
    pub(super) fn span(&self, from: usize, to: usize) -> Name {
        let mut name = self.name(from);
        for token in self.tokens.get(from + 1..to).unwrap_or_default() {
            if token.line == name.line {
                name.end = token.end;
            }
        }
        name
    }

    /// Whether two plain words follow one another, as in a sentence.
    pub(super) fn is_prose(&self, keywords: &[&str]) -> bool {
        let plain = |i: usize| self.is_word(i) && !keywords.contains(&self.word(i));
        (1..self.len()).any(|i| plain(i - 1) && plain(i))
    }

    /// An item whose braces hold `inside` and end the statement.
    pub(super) fn item(&self, kind: Kind, name: usize, inside: Inside) -> Verdict {
        Verdict::Item { kind, name: self.name(name), inside, ends: true }
    }
}

/// The text of a token.
pub(super) fn text<'a>(lines: &[&'a str], token: &Token) -> &'a str {
    slice(lines, token.line, token.start, token.end)
}

/// The text of a name.
pub(super) fn name_text<'a>(lines: &[&'a str], name: Name) -> &'a str {
    slice(lines, name.line, name.start, name.end)
}

fn slice<'a>(lines: &[&'a str], line: u32, start: u32, end: u32) -> &'a str {
    lines.get(line as usize).and_then(|l| l.get(start as usize..end as usize)).unwrap_or_default()
}
