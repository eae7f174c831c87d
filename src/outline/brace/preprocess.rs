//! Preprocessor lines of C, and of languages with the same conditions.
//!
//! Of the branches of an `#if` the first is parsed. Each further branch is parsed as long as all earlier ones left the
//! bracket nesting unchanged. The content of `#if 0` is skipped.

use super::head::text;
use super::head::{Inside, Name};
use super::lex::Token;
use super::parse::{Condition, Parser};
use crate::outline::{Kind, Language};

impl Parser<'_, '_> {
    pub(super) fn directive(&mut self, token: &Token) {
        let line = text(self.lines, token);
        let rest = line[1..].trim_start();
        let name = crate::outline::word(rest);
        let skipping = self.conditions.last().is_some_and(|c| c.skip);
        match name {
            "if" | "ifdef" | "ifndef" => {
                let never = rest[name.len()..].trim() == "0";
                let frames = self.frames.len();
                self.conditions.push(Condition { frames, skip: skipping || never, uneven: skipping });
            }
            "else" | "elif" | "elifdef" | "elifndef" => {
                if let Some(condition) = self.conditions.last_mut() {
                    condition.uneven |= self.frames.len() != condition.frames;
                    condition.skip = condition.uneven;
                }
            }
            "endif" => {
                self.conditions.pop();
            }
            _ if skipping => {}
            "include" | "import" | "define" if self.language == Language::C && !self.in_paren() => {
                self.preprocess(token, name);
            }
            _ => {}
        }
    }

    /// An `#include` or a `#define`, which is a separate statement at any place.
    fn preprocess(&mut self, token: &Token, word: &str) {
        if !matches!(self.inside(), Inside::Top | Inside::Members) || self.now.lines.is_some() {
            return;
        }
        let line = self.lines[token.line as usize];
        let at = line.find(word).map_or(0, |i| i + word.len());
        let rest = &line[at..];
        let start = at + (rest.len() - rest.trim_start().len());
        let name =
            if word == "define" { crate::outline::word(&line[start..]) } else { line[start..].trim_end() };
        let kind = match (word, line.as_bytes().get(start + name.len())) {
            ("define", Some(b'(')) => Kind::Function,
            ("define", _) => Kind::Value,
            _ => Kind::Import,
        };
        let mut last = token.line;
        while self.lines[last as usize].ends_with('\\') && (last as usize) + 1 < self.lines.len() {
            last += 1;
        }
        self.begin(token);
        let name = Name { line: token.line, start: start as u32, end: (start + name.len()) as u32 };
        let index = self.add(kind, name, token.line);
        self.seal(index, last, false);
        self.reset();
    }
}
