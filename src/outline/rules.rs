//! CSS, SCSS and Less: rules by their braces.

use super::{Found, Item, Kind, has_word, indent_of};
use crate::formats::json;

struct Scanner<'a, 's> {
    lines: &'s [&'a str],
    items: Vec<Item<'a>>,
    /// Open braces: the rule that each opened, if any.
    open: Vec<Option<usize>>,
    /// Where the text before a `{` or `;` starts.
    head: Option<(usize, usize)>,
    /// First line and last line of the comment above.
    lead: Option<(usize, usize)>,
    unknown: usize,
}

/// The rules of a text.
pub(super) fn scan<'a>(lines: &[&'a str]) -> Found<'a> {
    let mut scanner =
        Scanner { lines, items: Vec::new(), open: Vec::new(), head: None, lead: None, unknown: 0 };
    let mut comment = false;
    for line in 0..lines.len() {
        comment = scanner.line(line, comment);
    }
    while !scanner.open.is_empty() {
        scanner.close(lines.len(), false);
    }
    Found { items: scanner.items, unknown: scanner.unknown }
}

impl<'a> Scanner<'a, '_> {
    /// Reads a line; `comment` says whether it starts inside a comment. Returns whether the next line does.
    fn line(&mut self, line: usize, comment: bool) -> bool {
        let bytes = self.lines[line].as_bytes();
        let mut at = 0;
        if comment {
            self.comment(line, 0);
            match memchr::memmem::find(bytes, b"*/") {
                Some(end) => at = end + 2,
                None => return true,
            }
        }
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'/' if bytes.get(at + 1) == Some(&b'*') => {
                    self.comment(line, at);
                    match memchr::memmem::find(&bytes[at + 2..], b"*/") {
                        Some(end) => at += end + 4,
                        None => return true,
                    }
                    continue;
                }
                b'/' if bytes.get(at + 1) == Some(&b'/') && (at == 0 || bytes[at - 1] != b':') => {
                    self.comment(line, at);
                    return false;
                }
                b'"' | b'\'' => {
                    self.head.get_or_insert((line, at));
                    at = json::string_end(bytes, at, *byte).unwrap_or(bytes.len());
                    continue;
                }
                b'{' if at > 0 && matches!(bytes[at - 1], b'#' | b'@') => self.open.push(Some(usize::MAX)),
                b'{' => self.open(line, at),
                b'}' if self.open.last() == Some(&Some(usize::MAX)) => {
                    self.open.pop();
                }
                b'}' => self.close(line, true),
                b';' => self.declaration(line, at),
                b' ' | b'\t' | b'\r' => {}
                _ => {
                    self.head.get_or_insert((line, at));
                }
            }
            at += 1;
        }
        false
    }

    fn comment(&mut self, line: usize, at: usize) {
        if self.head.is_some() || at > indent_of(self.lines[line]) {
            return;
        }
        match &mut self.lead {
            Some((_, last)) if *last + 1 >= line => *last = line,
            _ => self.lead = Some((line, line)),
        }
    }

    fn add(&mut self, kind: Kind, line: usize, at: usize) {
        let (first, start) = self.head.take().unwrap_or((line, at));
        let end = if first == line { at } else { self.lines[first].len() };
        let name = self.lines[first].get(start..end).unwrap_or_default().trim_end();
        let lead =
            self.lead.take().filter(|(_, last)| *last + 1 >= first && kind != Kind::Import).map(|l| l.0);
        let lead = lead.unwrap_or(first);
        let doc = (lead..first).find(|i| has_word(self.lines[*i]));
        let body = line + 1..line + 1;
        self.items.push(Item {
            kind,
            lines: lead..line + 1,
            signature: first..line + 1,
            body,
            doc,
            depth: 0,
            name,
        });
    }

    fn open(&mut self, line: usize, at: usize) {
        let head = self.head_text();
        let function = ["@mixin", "@function"].iter().any(|f| head.starts_with(f));
        self.add(if function { Kind::Function } else { Kind::Section }, line, at);
        self.open.push(Some(self.items.len() - 1));
    }

    fn head_text(&self) -> &'a str {
        self.head.and_then(|(line, at)| self.lines[line].get(at..)).unwrap_or_default()
    }

    fn close(&mut self, line: usize, closed: bool) {
        self.head = None;
        self.lead = None;
        match self.open.pop() {
            Some(Some(item)) => {
                if let Some(item) = self.items.get_mut(item) {
                    item.body.end = line.max(item.body.start);
                    item.lines.end = (line + usize::from(closed)).max(item.lines.end);
                }
            }
            Some(None) => {}
            // The lines so far were the inside of a rule.
            None => self.unknown = 0,
        }
    }

    fn declaration(&mut self, line: usize, at: usize) {
        let head = self.head_text();
        if self.open.is_empty() {
            let import = ["@import", "@use", "@forward", "@charset", "@tailwind", "@plugin"]
                .iter()
                .any(|i| head.starts_with(i));
            if import {
                self.add(Kind::Import, line, at);
            } else if head.starts_with(['$', '@', '-']) {
                self.add(Kind::Value, line, at);
            } else {
                self.unknown += 1;
            }
        }
        self.head = None;
        self.lead = None;
    }
}
