//! Languages that close blocks with a word: Ruby, Lua, Elixir, shells. A block ends at a closing word with the
//! indentation of its declaration.

use super::{Found, Item, Kind, Language, extend_lead, has_word, indent_of, word};
use crate::text::maps::Map;

mod declare;

use declare::{Declared, declare, is_close};

/// Most lines of a here document.
const MAX_HEREDOC_LINES: usize = 500;

struct Open {
    item: usize,
    indent: usize,
}

struct Scanner<'a, 's> {
    language: Language,
    lines: &'s [&'a str],
    items: Vec<Item<'a>>,
    open: Vec<Open>,
    lead: Option<(usize, usize)>,
    doc: Option<usize>,
    /// The line after the last one with text.
    end: usize,
    unknown: usize,
    /// Ends of here documents and long strings that were not found, each with the last line that was searched.
    missing: Map<&'a str, usize>,
}

/// The declarations of a text.
pub(super) fn scan<'a>(language: Language, lines: &[&'a str]) -> Found<'a> {
    let mut scanner = Scanner {
        language,
        lines,
        items: Vec::new(),
        open: Vec::new(),
        lead: None,
        doc: None,
        end: 0,
        unknown: 0,
        missing: Map::default(),
    };
    let mut at = 0;
    while at < lines.len() {
        at = scanner.line(at);
    }
    scanner.close(0, None);
    Found { items: scanner.items, unknown: scanner.unknown }
}

/// For each line, whether a statement starts there: not after an open bracket, a comma or an operator, nor with one.
pub(super) fn statements(language: Language, lines: &[&str]) -> Vec<bool> {
    const BEFORE: [&str; 11] = [",", "(", "[", "\\", "&&", "||", "|>", "=", "..", "<>", " +"];
    const FIRST: [&str; 8] = [")", "]", ".", "&&", "||", "|>", "..", "<>"];
    let comment = if language == Language::Lua || language == Language::Sql { "--" } else { "#" };
    let is_comment = |text: &str| text.starts_with(comment);
    let mut starts = vec![true; lines.len()];
    for i in 1..lines.len() {
        let (before, text) = (lines[i - 1].trim(), lines[i].trim_start());
        starts[i] = match (is_comment(before), is_comment(text)) {
            (true, true) => false,
            (true, false) | (false, true) => true,
            _ => {
                !BEFORE.iter().any(|end| before.ends_with(end))
                    && !FIRST.iter().any(|sign| text.starts_with(sign))
            }
        };
    }
    starts
}

impl<'a> Scanner<'a, '_> {
    /// Reads the line at `at` and the lines that belong to it; returns the line after them.
    fn line(&mut self, at: usize) -> usize {
        let indent = indent_of(self.lines[at]);
        let text = &self.lines[at][indent..];
        if text.is_empty() {
            return at + 1;
        }
        if let Some(next) = self.comment(text, at) {
            return next;
        }
        let next = self.after_quoted(at);
        if self.is_attribute(text) {
            self.above(at, next);
            return next;
        }
        if is_close(self.language, text) {
            self.closing(at, indent);
        } else {
            self.leave(indent);
            if let Some(declared) = declare(self.language, text, self.in_function(indent)) {
                return self.declare(&declared, at, next, indent);
            }
            if self.open.is_empty() && is_sentence(text) {
                self.unknown += 1;
            }
        }
        self.lead = None;
        self.doc = None;
        self.end = next;
        next
    }

    fn in_function(&self, indent: usize) -> bool {
        self.open.last().map_or(indent > 0, |o| self.items[o.item].kind == Kind::Function)
    }

    fn is_attribute(&self, text: &str) -> bool {
        self.language == Language::Elixir
            && ["@doc", "@spec", "@impl", "@tag", "@moduletag"].iter().any(|a| text.starts_with(a))
    }

    /// Reads a comment; returns the line after it.
    fn comment(&mut self, text: &str, at: usize) -> Option<usize> {
        let (mark, block) = match self.language {
            Language::Lua => ("--", text.starts_with("--[[").then_some("]]")),
            Language::Ruby if text.starts_with("=begin") => ("=", Some("=end")),
            _ => ("#", None),
        };
        if !text.starts_with(mark) {
            return None;
        }
        let next = match block {
            Some(end) => (at..self.lines.len())
                .find(|i| self.lines[*i].contains(end))
                .map_or(self.lines.len(), |i| i + 1),
            None => at + 1,
        };
        if !text.starts_with("#!") {
            self.above(at, next);
            if self.doc.is_none() {
                self.doc =
                    (at..next).find(|i| has_word(self.lines[*i].trim_start().trim_start_matches("=begin")));
            }
        }
        Some(next)
    }

    /// The line after the here document or long string that a line opens.
    fn after_quoted(&mut self, at: usize) -> usize {
        let line = self.lines[at];
        let bytes = line.as_bytes();
        match self.language {
            Language::Lua => match memchr::memmem::rfind(bytes, b"[[") {
                Some(open) if !line[open..].contains("]]") => {
                    self.after(at, "]]", |line, end| line.contains(end))
                }
                _ => at + 1,
            },
            Language::Elixir => {
                const QUOTES: &str = "\"\"\"";
                let opens = memchr::memmem::find_iter(bytes, QUOTES).count() == 1;
                match opens && line.trim_end().ends_with(QUOTES) {
                    true => self.after(at, QUOTES, |line, end| line.trim_start().starts_with(end)),
                    false => at + 1,
                }
            }
            _ => match heredoc(line) {
                Some(end) => self.after(at, end, |line, end| line.trim() == end),
                None => at + 1,
            },
        }
    }

    /// The line after the first end below `at`; without one the line below `at`. No line is examined twice for the
    /// same end.
    fn after(&mut self, at: usize, end: &'a str, is_end: impl Fn(&str, &str) -> bool) -> usize {
        let reach = self.lines.len().min(at + 1 + MAX_HEREDOC_LINES);
        let from = self.missing.get(end).copied().unwrap_or(0).max(at + 1);
        match (from..reach).find(|line| is_end(self.lines[*line], end)) {
            Some(found) => found + 1,
            None => {
                self.missing.insert(end, reach);
                at + 1
            }
        }
    }

    fn above(&mut self, at: usize, next: usize) {
        if !extend_lead(&mut self.lead, at, next) {
            self.doc = None;
        }
    }

    /// A closing word: it ends the block whose declaration has its indentation.
    fn closing(&mut self, at: usize, indent: usize) {
        let Some(keep) = self.open.iter().rposition(|o| o.indent <= indent) else {
            self.close(0, None);
            return;
        };
        self.close(keep + 1, None);
        if self.open[keep].indent == indent {
            self.close(keep, Some(at));
        }
    }

    /// A line left of a block's declaration: the block lost its end.
    fn leave(&mut self, indent: usize) {
        while self.open.last().is_some_and(|o| indent < o.indent) {
            self.close(self.open.len() - 1, None);
        }
    }

    /// Ends blocks; the last of them on the line that closes it, if there is one.
    fn close(&mut self, keep: usize, line: Option<usize>) {
        while self.open.len() > keep {
            let Some(open) = self.open.pop() else { return };
            if let Some(item) = self.items.get_mut(open.item) {
                item.body.end = line.unwrap_or(self.end).max(item.body.start);
                item.lines.end = line.map_or(self.end, |l| l + 1).max(item.lines.end);
            }
        }
    }

    fn declare(&mut self, declared: &Declared<'a>, at: usize, next: usize, indent: usize) -> usize {
        if self.open.last().is_some_and(|o| o.indent == indent) {
            self.close(self.open.len() - 1, None);
        }
        let next = if declared.block { signature_end(self.lines, at).max(next) } else { next };
        let plain = declared.kind == Kind::Import;
        let start = self.lead.filter(|(_, end)| *end == at && !plain).map_or(at, |l| l.0);
        let doc = self.doc.filter(|d| *d >= start && start < at);
        let signature = at..if declared.block { next } else { at + 1 };
        self.items.push(Item {
            kind: declared.kind,
            lines: start..next,
            body: signature.end..next,
            signature,
            doc,
            depth: 0,
            name: declared.name,
        });
        if declared.block {
            self.open.push(Open { item: self.items.len() - 1, indent });
        }
        self.lead = None;
        self.doc = None;
        self.end = next;
        next
    }
}

/// The line after a signature whose parentheses run over lines.
fn signature_end(lines: &[&str], at: usize) -> usize {
    const MAX_SIGNATURE_LINES: usize = 40;
    let mut depth = 0_isize;
    for (i, line) in lines.iter().enumerate().skip(at).take(MAX_SIGNATURE_LINES) {
        depth += line.bytes().map(|b| isize::from(b == b'(') - isize::from(b == b')')).sum::<isize>();
        if depth <= 0 {
            return i + 1;
        }
    }
    at + 1
}

/// The word that ends the here document that a line opens.
fn heredoc(line: &str) -> Option<&str> {
    let open = memchr::memmem::find(line.as_bytes(), b"<<")?;
    let rest = line[open + 2..].trim_start_matches(['-', '~']).trim_start_matches(' ');
    if rest.starts_with('<') || line[..open].ends_with('<') {
        return None;
    }
    let rest = rest.trim_start_matches(['\'', '"', '\\']);
    let end = word(rest);
    (end.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') && end.len() > 1).then_some(end)
}

/// Whether a line looks like prose.
fn is_sentence(text: &str) -> bool {
    let code = memchr::memchr3(b'=', b'(', b'$', text.as_bytes()).is_some()
        || text.contains(['"', '[', '{', ';', '|']);
    !code
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().filter(|b| *b == b' ').count() >= 3
}
