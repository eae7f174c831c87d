//! XML by the grammar of its tags: the pieces of a document as a flat list. Text that does not balance is not a
//! document. Nothing is interpreted: a piece is a range of bytes.

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 256;
/// No parent.
pub const NONE: u32 = u32::MAX;

/// The kind of a piece of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An element: tags and what is between them.
    Element,
    /// Text, including references.
    Text,
    /// Comments, declarations, instructions, `CDATA`.
    Other,
}

/// A piece of a document.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// First byte.
    pub start: u32,
    /// After the last byte.
    pub end: u32,
    /// For an element: the place after its start tag.
    pub open: u32,
    /// For an element: where its end tag starts.
    pub close: u32,
    /// The first node after this one and all inside it.
    pub next: u32,
    /// The element around it.
    pub parent: u32,
    /// Its kind.
    pub kind: Kind,
    /// Whether it, or something inside it, must be shown.
    pub must: bool,
}

/// Reads the document that `text` is from `at` on, up to the end of its outermost element. Returns its nodes in
/// order, including those before the element, and its end; or as an error the offset of the first fault.
pub fn read(text: &str, at: usize) -> Result<(Vec<Node>, usize), usize> {
    let mut reader =
        Reader { text, bytes: text.as_bytes(), at, nodes: Vec::new(), open: Vec::new(), is_open: false };
    if text.len() >= NONE as usize || reader.document().is_none() {
        // If an end was searched up to the end of the text and not found, it is not searched again from the next
        // line.
        return Err(if reader.is_open { text.len() } else { reader.at });
    }
    Ok((reader.nodes, reader.at))
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
    open: Vec<u32>,
    /// Whether a construct was opened that has no end.
    is_open: bool,
}

impl Reader<'_> {
    /// Passes a found end on, and records if there is none.
    fn found(&mut self, at: Option<usize>) -> Option<usize> {
        self.is_open |= at.is_none();
        at
    }

    fn document(&mut self) -> Option<()> {
        loop {
            crate::stop::check_sometimes();
            let start = self.at;
            let len = self.found(memchr::memchr(b'<', &self.bytes[start..]))?;
            if len > 0 {
                let blank = self.text[start..start + len].trim().is_empty();
                if self.open.is_empty() && !blank {
                    return None;
                }
                self.push(start, start + len, Kind::Text);
                self.at += len;
            }
            let at = self.at;
            let rest = &self.bytes[at..];
            let other = match rest {
                [b'<', b'!', b'-', b'-', ..] => {
                    Some(4 + self.found(memchr::memmem::find(rest.get(4..)?, b"-->"))? + 3)
                }
                [b'<', b'!', b'[', b'C', b'D', ..] => {
                    Some(self.found(memchr::memmem::find(rest, b"]]>"))? + 3)
                }
                // An internal subset has brackets of its own.
                [b'<', b'!', ..] => {
                    let end = self.found(memchr::memchr(b'>', rest))?;
                    Some(end + 1).filter(|_| !rest[..end].contains(&b'['))
                }
                [b'<', b'?', ..] => Some(self.found(memchr::memmem::find(rest, b"?>"))? + 2),
                _ => None,
            };
            match other {
                Some(len) => {
                    self.push(at, at + len, Kind::Other);
                    self.at += len;
                }
                None if rest.get(1) == Some(&b'!') => return None,
                None if rest.get(1) == Some(&b'/') => {
                    if self.end_tag()? {
                        return Some(());
                    }
                }
                None => {
                    if self.start_tag()? {
                        return Some(());
                    }
                }
            }
        }
    }

    fn push(&mut self, start: usize, end: usize, kind: Kind) {
        let next = self.nodes.len() as u32 + 1;
        let parent = self.open.last().copied().unwrap_or(NONE);
        let (start, end) = (start as u32, end as u32);
        self.nodes.push(Node { start, end, open: end, close: end, next, parent, kind, must: false });
    }

    /// A start tag; true if it is the whole document.
    fn start_tag(&mut self) -> Option<bool> {
        let start = self.at;
        name(&self.bytes[start + 1..])?;
        let tag = tag(self.bytes, start);
        let end = self.found(tag.map(|tag| tag.end))?;
        if memchr::memchr(b'<', &self.bytes[start + 1..end]).is_some() {
            return None;
        }
        self.push(start, end, Kind::Element);
        self.at = end;
        if tag.is_some_and(|tag| tag.is_empty) {
            return Some(self.open.is_empty());
        }
        if self.open.len() == MAX_DEPTH {
            return None;
        }
        self.open.push(self.nodes.len() as u32 - 1);
        Some(false)
    }

    /// An end tag; true if it ends the document.
    fn end_tag(&mut self) -> Option<bool> {
        let start = self.at;
        let rest = &self.bytes[start + 2..];
        let ending = name(rest)?;
        let end = start + 2 + self.found(memchr::memchr(b'>', rest))? + 1;
        if !self.text[start + 2 + ending.len()..end - 1].trim().is_empty() {
            return None;
        }
        let open = self.open.pop()? as usize;
        let next = self.nodes.len() as u32;
        let node = &mut self.nodes[open];
        if name(&self.bytes[node.start as usize + 1..])? != ending {
            return None;
        }
        node.close = start as u32;
        node.end = end as u32;
        node.next = next;
        self.at = end;
        Some(self.open.is_empty())
    }
}

/// A tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag<'a> {
    /// The name of its element.
    pub name: &'a [u8],
    /// `</a>`.
    pub is_end: bool,
    /// `<a/>`: an element without content.
    pub is_empty: bool,
    /// The offset after its `>`.
    pub end: usize,
}

/// The tag whose `<` is at `at`.
pub fn tag(bytes: &[u8], at: usize) -> Option<Tag<'_>> {
    let is_end = bytes.get(at + 1) == Some(&b'/');
    let name = name(bytes.get(at + 1 + usize::from(is_end)..)?)?;
    let end = tag_end(bytes, at)?;
    Some(Tag { name, is_end, is_empty: !is_end && bytes[end - 2] == b'/', end })
}

/// The end of the tag that starts at `at`, its `>` included. A `>` in quotes does not end it.
pub fn tag_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        at += memchr::memchr3(b'>', b'"', b'\'', bytes.get(at..)?)?;
        match bytes[at] {
            b'>' => return Some(at + 1),
            quote => at += 2 + memchr::memchr(quote, bytes.get(at + 1..)?)?,
        }
    }
}

/// The name that a tag starts with.
pub fn name(bytes: &[u8]) -> Option<&[u8]> {
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':') || *b >= 0x80;
    let len = bytes.iter().take_while(|b| is_name(b)).count();
    let starts = bytes.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_' || *b >= 0x80);
    starts.then(|| &bytes[..len])
}
