//! Parses one JSON value into a flat list of nodes: by the JSON grammar (RFC 8259), or by a loose grammar for output of
//! programs: Python literals, JavaScript objects, comments, trailing commas.
//!
//! Values are not interpreted: a node is a range of bytes. Nesting uses a bounded list, not the stack.

use crate::formats::json::{self, MAX_TREE_DEPTH};

/// No parent.
pub const NONE: u32 = u32::MAX;

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `{…}`: keys and values in turn.
    Object,
    /// `[…]`, and in the loose grammar `(…)`, `{a, b}`.
    Array,
    /// A text in quotes.
    String,
    /// A number.
    Number,
    /// `true`, `false`, `null`, and in the loose grammar any other word.
    Word,
}

/// A value or a key.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Index of the first node after this one and everything inside it.
    pub next: u32,
    /// Index of its container.
    pub parent: u32,
    /// Number of nodes directly inside; for an object, keys and values both count.
    pub children: u32,
    /// What it is.
    pub kind: Kind,
    /// Whether it, or something inside it, must be shown whole.
    pub must: bool,
}

/// Parses the value that starts at `at`. Returns its nodes, the outermost first, or the offset of the first invalid byte.
pub fn read(text: &str, at: usize, loose: bool) -> Result<Vec<Node>, usize> {
    let bytes = text.as_bytes();
    let mut reader = Reader { bytes, at, loose, nodes: Vec::new(), open: Vec::new() };
    if bytes.len() >= NONE as usize {
        return Err(at);
    }
    reader.value()?;
    Ok(reader.nodes)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    loose: bool,
    nodes: Vec<Node>,
    /// Open containers, each with the byte that closes it.
    open: Vec<(u32, u8)>,
}

impl Reader<'_> {
    fn value(&mut self) -> Result<(), usize> {
        loop {
            if !self.begin()? {
                loop {
                    let Some(&(_, close)) = self.open.last() else { return Ok(()) };
                    self.skip()?;
                    match self.peek() {
                        Some(b',') => {
                            self.at += 1;
                            self.skip()?;
                            if self.loose && self.peek() == Some(close) {
                                self.close();
                                continue;
                            }
                            break;
                        }
                        Some(b) if b == close => self.close(),
                        _ => return Err(self.at),
                    }
                }
            }
            self.skip()?;
            self.key()?;
        }
    }

    /// Reads a scalar, an empty container, or the start of one; true for the last.
    fn begin(&mut self) -> Result<bool, usize> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'(') if self.loose => Kind::Array,
            _ => {
                let kind = self.scalar()?;
                self.push(start, kind);
                return Ok(false);
            }
        };
        if self.open.len() == MAX_TREE_DEPTH {
            return Err(start);
        }
        let close = match self.peek() {
            Some(b'{') => b'}',
            Some(b'[') => b']',
            _ => b')',
        };
        self.at += 1;
        self.push(start, kind);
        self.open.push((self.nodes.len() as u32 - 1, close));
        self.skip()?;
        if self.peek() == Some(close) {
            self.close();
            return Ok(false);
        }
        Ok(true)
    }

    /// A key and its colon, if an object expects one.
    fn key(&mut self) -> Result<(), usize> {
        let Some(&(top, _)) = self.open.last() else { return Ok(()) };
        if self.nodes[top as usize].kind != Kind::Object {
            return Ok(());
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'"') => self.scalar()?,
            _ if self.loose => self.scalar()?,
            _ => return Err(start),
        };
        let end = self.at;
        self.skip()?;
        if self.peek() == Some(b':') {
            self.push_to(start, end, kind);
            self.at += 1;
            return self.skip();
        }
        // `{a, b}`: a set.
        if self.loose && self.nodes[top as usize].children == 0 {
            self.nodes[top as usize].kind = Kind::Array;
            self.at = start;
            return Ok(());
        }
        Err(self.at)
    }

    fn scalar(&mut self) -> Result<Kind, usize> {
        match self.peek() {
            Some(b'"') => self.string(b'"').map(|()| Kind::String),
            Some(b'-' | b'0'..=b'9') => {
                self.at = json::number(self.bytes, self.at)?;
                Ok(Kind::Number)
            }
            Some(b'\'') if self.loose => self.string(b'\'').map(|()| Kind::String),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$') if self.loose => self.word(),
            _ => {
                self.at = json::literal(self.bytes, self.at)?;
                Ok(Kind::Word)
            }
        }
    }

    fn push(&mut self, start: usize, kind: Kind) {
        self.push_to(start, self.at, kind);
    }

    fn push_to(&mut self, start: usize, end: usize, kind: Kind) {
        let next = self.nodes.len() as u32 + 1;
        let parent = self.open.last().map_or(NONE, |(top, _)| *top);
        if let Some(parent) = self.nodes.get_mut(parent as usize) {
            parent.children += 1;
        }
        let (start, end) = (start as u32, end as u32);
        crate::stop::check_sometimes();
        self.nodes.push(Node { start, end, next, parent, children: 0, kind, must: false });
    }

    fn close(&mut self) {
        self.at += 1;
        if let Some((top, _)) = self.open.pop() {
            let next = self.nodes.len() as u32;
            let node = &mut self.nodes[top as usize];
            node.next = next;
            node.end = self.at as u32;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self) -> Result<(), usize> {
        loop {
            self.at = json::skip_blanks(self.bytes, self.at);
            if !self.loose || self.peek() != Some(b'/') {
                return Ok(());
            }
            self.at = json::comment_end(self.bytes, self.at).ok_or(self.at)?;
        }
    }

    fn word(&mut self) -> Result<Kind, usize> {
        while matches!(self.peek(), Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' | b'.')) {
            self.at += 1;
        }
        Ok(Kind::Word)
    }

    /// A string up to its closing quote. JSON escapes are validated; in the loose grammar they are skipped.
    fn string(&mut self, quote: u8) -> Result<(), usize> {
        self.at += 1;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let Some(len) = memchr::memchr2(quote, b'\\', rest) else { return Err(self.bytes.len()) };
            // JSON strings contain no raw control characters, including line ends.
            if let Some(bad) = rest[..len].iter().position(|b| *b < 0x20) {
                return Err(self.at + bad);
            }
            self.at += len;
            if rest[len] == quote {
                self.at += 1;
                return Ok(());
            }
            self.at = json::escape(self.bytes, self.at, self.loose)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nodes as text: a container with its content, a scalar as it is.
    fn written(text: &str, loose: bool) -> Result<String, usize> {
        let nodes = read(text, 0, loose)?;
        fn write(text: &str, nodes: &[Node], i: usize) -> String {
            let node = nodes[i];
            let mut inside = Vec::new();
            let mut at = i + 1;
            while at < node.next as usize {
                inside.push(write(text, nodes, at));
                at = nodes[at].next as usize;
            }
            assert_eq!(inside.len(), node.children as usize);
            match node.kind {
                Kind::Object => format!("{{{}}}", inside.join(" ")),
                Kind::Array => format!("[{}]", inside.join(" ")),
                _ => text[node.start as usize..node.end as usize].to_owned(),
            }
        }
        Ok(write(text, &nodes, 0))
    }

    #[test]
    fn json_is_read_by_its_grammar() {
        for (text, nodes) in [
            (r#"{"a": [1, -2.5e+3, {}, []], "b": {"c": null}}"#, r#"{"a" [1 -2.5e+3 {} []] "b" {"c" null}}"#),
            (r#"[ "a\"b\\", "é\u00e9", true ]"#, r#"["a\"b\\" "é\u00e9" true]"#),
            ("3", "3"),
        ] {
            assert_eq!(written(text, false).as_deref(), Ok(nodes), "{text}");
        }
        for text in [
            "[1,]",
            "{'a': 1}",
            "{a: 1}",
            "[1 2]",
            "{\"a\" 1}",
            "[01]",
            "[\"\n\"]",
            "[\"\\x\"]",
            "[",
            "{\"a\"}",
            "(1)",
        ] {
            assert!(read(text, 0, false).is_err(), "{text}");
        }
    }

    #[test]
    fn what_programs_print_is_read_loosely() {
        for (text, nodes) in [
            ("{'a': (1, 'it\\'s'), 'b': None, \"c\": {1, 2},}", "{'a' [1 'it\\'s'] 'b' None \"c\" [1 2]}"),
            ("{ a: [undefined, NaN,], // why\n b: { c: /* no */ 1 } }", "{a [undefined NaN] b {c 1}}"),
            ("[(1, 2), (3,), ()]", "[[1 2] [3] []]"),
        ] {
            assert_eq!(written(text, true).as_deref(), Ok(nodes), "{text}");
        }
        for text in ["{a}b}", "[Function: x]", "<a>", "[a b]", "{f(x)}", "['it's']"] {
            let end = |nodes: Vec<Node>| nodes[0].end as usize;
            assert!(read(text, 0, true).map(end) != Ok(text.len()), "{text}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read(&nested(MAX_TREE_DEPTH), 0, false).is_ok());
        assert!(read(&nested(MAX_TREE_DEPTH + 1), 0, false).is_err());
    }
}
