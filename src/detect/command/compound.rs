//! Compound commands: loops, cases, functions and the blocks of PowerShell.

use super::Pipeline;
use super::lex::Token;
use super::parse::{Element, MAX_DEPTH, MAX_PIPELINES, Parser, script};

/// Most words that a loop is unrolled for. Bounds the work.
const MAX_LOOP_WORDS: usize = 32;

impl Parser<'_, '_> {
    /// The blocks of a condition, a loop or a `try` of PowerShell.
    pub(super) fn script_blocks(&mut self) -> Vec<Pipeline> {
        let mut out = Vec::new();
        while let Some(token) = self.tokens.get(self.at) {
            match token {
                Token::Word(word) => {
                    if let Some(text) = word.text.strip_prefix('{') {
                        let text = text.strip_suffix('}').unwrap_or(text);
                        if self.depth < MAX_DEPTH {
                            out.extend(script(text, self.dialect, self.depth + 1, self.functions));
                        }
                    }
                }
                Token::Op("\n") => {}
                _ => break,
            }
            self.at += 1;
        }
        out
    }

    /// A list after a keyword, up to another one.
    pub(super) fn block(&mut self, stop: &[&str]) -> Vec<Pipeline> {
        self.at += 1;
        let list = self.list(stop);
        self.at += usize::from(self.keyword().is_some_and(|word| stop.contains(&word)));
        list
    }

    /// `for x in a b c; do …; done`: once for each word that is written out.
    pub(super) fn loop_over(&mut self) -> Vec<Pipeline> {
        self.at += 1;
        let name = self.keyword().map(str::to_owned);
        let mut words: Vec<String> = Vec::new();
        while self.at < self.tokens.len() && self.keyword() != Some("do") && self.keyword() != Some("{") {
            if let Some(Token::Word(word)) = self.tokens.get(self.at) {
                words.push(word.text.clone());
            }
            self.at += 1;
        }
        let end = if self.keyword() == Some("{") { "}" } else { "done" };
        let body = self.block(&[end]);
        let words = match words.get(..2) {
            Some([_, is_in]) if is_in == "in" => words.split_off(2),
            _ => Vec::new(),
        };
        let is_plain = |word: &String| !word.contains(['$', '*', '?', '`', '[', '{']);
        let Some(name) = name.filter(|_| {
            (1..=MAX_LOOP_WORDS).contains(&words.len())
                && words.iter().all(is_plain)
                && body.len() * words.len() <= MAX_PIPELINES
        }) else {
            return body;
        };
        let mut out = Vec::with_capacity(body.len() * words.len());
        for word in &words {
            for pipeline in &body {
                let mut pipeline = pipeline.clone();
                for argument in pipeline.parts.iter_mut().flat_map(|s| &mut s.argv) {
                    filled(argument, &name, word);
                }
                out.push(pipeline);
            }
        }
        out
    }

    pub(super) fn case(&mut self) -> Vec<Pipeline> {
        let mut out = Vec::new();
        while self.at < self.tokens.len() && self.keyword() != Some("in") {
            self.at += 1;
        }
        self.at += 1;
        while self.at < self.tokens.len() && self.keyword() != Some("esac") {
            // The patterns before the bracket.
            while self.at < self.tokens.len() && self.op() != Some(")") && self.keyword() != Some("esac") {
                self.at += 1;
            }
            self.at += usize::from(self.op() == Some(")"));
            let before = self.at;
            loop {
                out.extend(self.pipeline());
                match self.op() {
                    Some(";;") | None => break,
                    Some(")") => break,
                    Some(_) => self.at += 1,
                }
                if self.keyword() == Some("esac") || self.at >= self.tokens.len() {
                    break;
                }
            }
            self.at += usize::from(self.op() == Some(";;") || self.at == before);
            while self.op() == Some("\n") {
                self.at += 1;
            }
        }
        self.at += usize::from(self.at < self.tokens.len());
        out
    }

    /// `name() { …; }`: nothing runs before the name is called.
    pub(super) fn function(&mut self, name: &str) -> Option<Element> {
        self.at += 2;
        while self.op() == Some("\n") {
            self.at += 1;
        }
        let body = match self.element() {
            Some(Element::Known(list)) => list,
            _ => Vec::new(),
        };
        self.functions.insert(name.to_owned(), body);
        None
    }
}

/// Replaces a variable by a word.
fn filled(argument: &mut String, name: &str, word: &str) {
    if argument.contains('$') {
        *argument = argument.replace(&format!("${{{name}}}"), word);
        let plain = format!("${name}");
        let mut out = String::with_capacity(argument.len());
        let mut rest = argument.as_str();
        while let Some(at) = rest.find(&plain) {
            let after = &rest[at + plain.len()..];
            let is_longer = after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            out.push_str(&rest[..at]);
            out.push_str(if is_longer { &plain } else { word });
            rest = after;
        }
        out.push_str(rest);
        *argument = out;
    }
}
