//! HTML and components written in it: elements that give a page its structure.

use super::{Found, Item, Kind};
use crate::formats::xml;

/// Elements that are listed.
const TAGS: &[&str] = &[
    "html",
    "head",
    "body",
    "header",
    "nav",
    "main",
    "section",
    "article",
    "aside",
    "footer",
    "form",
    "table",
    "thead",
    "tbody",
    "ul",
    "ol",
    "dl",
    "div",
    "script",
    "style",
    "template",
    "svg",
    "dialog",
    "fieldset",
    "figure",
    "select",
    "details",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "title",
    "video",
    "canvas",
    "blockquote",
    "pre",
];

/// Most open elements that are searched for the one that a tag closes.
const MAX_OPEN: usize = 64;

struct Open {
    item: usize,
    tag: &'static str,
}

struct Scanner<'a, 's> {
    lines: &'s [&'a str],
    items: Vec<Item<'a>>,
    open: Vec<Open>,
    line: usize,
    at: usize,
}

/// The elements of a text.
pub(super) fn scan<'a>(lines: &[&'a str]) -> Found<'a> {
    let mut scanner = Scanner { lines, items: Vec::new(), open: Vec::new(), line: 0, at: 0 };
    let mut unknown = 0;
    let mut seen = 0;
    while scanner.find(b"<") {
        // Lines outside all elements that do not open one.
        if scanner.open.is_empty() {
            unknown += (seen..scanner.line).filter(|i| !lines[*i].trim().is_empty()).count();
        }
        scanner.tag();
        seen = scanner.line + 1;
    }
    scanner.close(0, lines.len(), false);
    Found { items: scanner.items, unknown }
}

impl<'a> Scanner<'a, '_> {
    /// Moves to the next occurrence of a text, over lines; returns false at the end.
    fn find(&mut self, text: &[u8]) -> bool {
        while let Some(line) = self.lines.get(self.line) {
            match line.as_bytes().get(self.at..).and_then(|b| memchr::memmem::find(b, text)) {
                Some(found) => {
                    self.at += found;
                    return true;
                }
                None => {
                    self.line += 1;
                    self.at = 0;
                }
            }
        }
        false
    }

    fn tag(&mut self) {
        let (line, start) = (self.line, self.at + 1);
        self.at = start;
        let rest = self.lines[line].get(start..).unwrap_or_default();
        if rest.starts_with("!--") {
            if self.find(b"-->") {
                self.at += 3;
            }
            return;
        }
        let (closing, name) = rest.strip_prefix('/').map_or((false, rest), |r| (true, r));
        let Some(name) = xml::name(name.as_bytes()) else { return };
        let Some(tag) = TAGS.iter().find(|t| name.eq_ignore_ascii_case(t.as_bytes())) else { return };
        if closing {
            let floor = self.open.len().saturating_sub(MAX_OPEN);
            if let Some(keep) = self.open[floor..].iter().rposition(|o| o.tag == *tag).map(|i| i + floor) {
                self.close(keep + 1, line, false);
                self.close(keep, line, true);
            }
            return;
        }
        let empty = self.skip_attributes();
        let last = self.line.min(self.lines.len() - 1);
        let name_end =
            if last == line { self.at.saturating_sub(1).max(start) } else { self.lines[line].len() };
        let name = self.lines[line].get(start..name_end).unwrap_or_default().trim_end();
        let body = last + 1..last + 1;
        self.items.push(Item {
            kind: Kind::Section,
            lines: line..last + 1,
            signature: line..last + 1,
            body,
            doc: None,
            depth: 0,
            name,
        });
        if empty {
            return;
        }
        self.open.push(Open { item: self.items.len() - 1, tag });
        if matches!(*tag, "script" | "style") {
            let end: &[u8] = if *tag == "script" { b"</script" } else { b"</style" };
            self.find(end);
        }
    }

    /// Moves after the `>` of a tag; returns whether the element has no content.
    fn skip_attributes(&mut self) -> bool {
        let mut quote = None;
        let mut before = 0;
        while let Some(line) = self.lines.get(self.line) {
            while let Some(byte) = line.as_bytes().get(self.at) {
                self.at += 1;
                match (quote, byte) {
                    (None, b'>') => return before == b'/',
                    (None, b'"' | b'\'') => quote = Some(*byte),
                    (Some(q), b) if q == *b => quote = None,
                    _ => {}
                }
                before = *byte;
            }
            if self.line + 1 == self.lines.len() {
                return false;
            }
            self.line += 1;
            self.at = 0;
        }
        false
    }

    fn close(&mut self, keep: usize, line: usize, closed: bool) {
        while self.open.len() > keep {
            let Some(open) = self.open.pop() else { return };
            if let Some(item) = self.items.get_mut(open.item) {
                item.body.end = line.max(item.body.start);
                item.lines.end = (line + usize::from(closed)).max(item.lines.end);
            }
        }
    }
}
