//! JSON, with comments and trailing commas allowed.

use crate::formats::json;
use crate::outline::{Found, Item, Kind, word};

/// Levels of keys that are reported.
const LEVELS: usize = 2;

/// An open bracket: whether it is an object, and the item whose value it is.
struct Open {
    item: Option<usize>,
    line: usize,
}

struct Scanner<'a, 's> {
    lines: &'s [&'a str],
    items: Vec<Item<'a>>,
    open: Vec<Open>,
    /// The last string: its line and bytes.
    text: Option<(usize, usize, usize)>,
    /// The key that waits for its value.
    key: Option<usize>,
    /// Brackets that are open but were opened before the first line.
    base: usize,
    comment: bool,
    unknown: usize,
}

/// The keys of a text.
pub(super) fn scan<'a>(lines: &[&'a str]) -> Found<'a> {
    let first = lines.iter().find_map(|l| l.trim_start().bytes().next());
    // A text that starts with a bracket or a comment is a whole document; otherwise it is the inside of an object.
    let base = usize::from(!matches!(first, Some(b'{' | b'[' | b'/')));
    let mut scanner = Scanner {
        lines,
        items: Vec::new(),
        open: Vec::new(),
        text: None,
        key: None,
        base,
        comment: false,
        unknown: 0,
    };
    for line in 0..lines.len() {
        scanner.line(line);
    }
    while !scanner.open.is_empty() {
        scanner.close(lines.len(), false);
    }
    Found { items: scanner.items, unknown: scanner.unknown }
}

impl<'a> Scanner<'a, '_> {
    fn line(&mut self, line: usize) {
        let text = self.lines[line];
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut odd = false;
        while let Some(byte) = bytes.get(at) {
            if self.comment {
                let Some(end) = json::block_comment_end(bytes, at) else { break };
                at = end;
                self.comment = false;
                continue;
            }
            match byte {
                b'"' | b'\'' => {
                    // It ends with its line at the latest.
                    let end = json::string_end(bytes, at, *byte).unwrap_or(bytes.len() + 1);
                    self.text = Some((line, at + 1, end - 1));
                    at = end;
                    continue;
                }
                b'/' if bytes.get(at + 1) == Some(&b'/') => break,
                b'/' if bytes.get(at + 1) == Some(&b'*') => {
                    self.comment = true;
                    at += 1;
                }
                b':' => self.key(line),
                b',' => self.end_value(line),
                b'{' | b'[' => self.open(line),
                b'}' | b']' => self.close(line, true),
                b' ' | b'\t' | b'\r' => {}
                _ => {
                    let bare = word(&text[at..]);
                    let after = text[at + bare.len()..].trim_start();
                    let known = matches!(bare, "true" | "false" | "null" | "Infinity" | "NaN")
                        || byte.is_ascii_digit();
                    if after.starts_with(':') && !bare.is_empty() {
                        self.text = Some((line, at, at + bare.len()));
                    } else if !known && !matches!(byte, b'-' | b'+' | b'.') {
                        odd = true;
                    }
                    at += bare.len().max(text[at..].chars().next().map_or(1, char::len_utf8));
                    continue;
                }
            }
            at += 1;
        }
        self.unknown += usize::from(odd);
    }

    fn level(&self) -> usize {
        self.base + self.open.len()
    }

    fn key(&mut self, line: usize) {
        let Some((at, start, end)) = self.text.take().filter(|(at, ..)| *at == line) else { return };
        if (1..=LEVELS).contains(&self.level()) {
            let name = self.lines[at].get(start..end).unwrap_or_default();
            self.key = Some(self.items.len());
            self.add(at, name);
        }
    }

    fn add(&mut self, at: usize, name: &'a str) {
        crate::stop::check_sometimes();
        let one = at..at + 1;
        self.items.push(Item {
            kind: Kind::Section,
            lines: one.clone(),
            signature: one,
            body: at + 1..at + 1,
            doc: None,
            depth: 0,
            name,
        });
    }

    fn end_value(&mut self, line: usize) {
        if let Some(item) = self.key.take().and_then(|k| self.items.get_mut(k)) {
            item.lines.end = item.lines.end.max(line + 1);
        }
        self.text = None;
    }

    fn open(&mut self, line: usize) {
        let mut item = self.key.take();
        if item.is_none() && (1..LEVELS).contains(&self.level()) {
            // The name of a list entry is its next line.
            let name = self.lines.get(line + 1).copied().unwrap_or_default().trim();
            item = Some(self.items.len());
            self.add(line, name);
        }
        self.open.push(Open { item, line });
    }

    fn close(&mut self, line: usize, closed: bool) {
        self.end_value(line.saturating_sub(1));
        let Some(open) = self.open.pop() else {
            // The items so far are deeper than the following ones.
            self.items.clear();
            self.base = 1;
            return;
        };
        if let Some(item) = open.item.and_then(|i| self.items.get_mut(i)) {
            item.signature.end = item.signature.end.max(open.line + 1);
            item.body = item.signature.end..line.max(item.signature.end);
            item.lines.end = (line + usize::from(closed)).max(item.lines.end);
        }
    }
}
