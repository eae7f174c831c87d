//! Python: declarations by indentation.

use super::{Found, Item, Kind, MAX_STATEMENT_LINES, extend_lead, has_word, indent_of, word};

mod logical;

use logical::{logical, start};

/// A declaration whose block may continue.
struct Open {
    item: usize,
    indent: usize,
}

/// Reads one text.
struct Scanner<'a, 's> {
    lines: &'s [&'a str],
    items: Vec<Item<'a>>,
    open: Vec<Open>,
    unknown: usize,
    /// First line of the decorators and comments above the next declaration, and the line after them.
    lead: Option<(usize, usize)>,
    doc: Option<usize>,
    /// The line after the last line of code.
    end: usize,
    /// Set after a signature: its item waits for a docstring.
    docstring: Option<usize>,
}

/// The declarations of a text.
pub(super) fn scan<'a>(lines: &[&'a str]) -> Found<'a> {
    let mut scanner = Scanner {
        lines,
        items: Vec::new(),
        open: Vec::new(),
        unknown: 0,
        lead: None,
        doc: None,
        end: 0,
        docstring: None,
    };
    let mut at = start(lines);
    scanner.end = at;
    while at < lines.len() {
        at = scanner.line(at);
    }
    scanner.close(0);
    Found { items: scanner.items, unknown: scanner.unknown }
}

/// For each line, whether a statement starts there. In a statement that is too long to be kept whole these are its
/// parts: the lines after a comma or an opening bracket, and those of a text.
pub(super) fn statements(lines: &[&str]) -> Vec<bool> {
    let mut starts = vec![true; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        crate::stop::check_sometimes();
        let (next, _) = logical(lines, at);
        let text = lines[at].trim_start();
        if text.starts_with('#') {
            starts[at] = at == 0 || !lines[at - 1].trim_start().starts_with('#');
        }
        let is_text = text.starts_with(['"', '\''])
            || lines[at].ends_with("\"\"\"") && lines[at].matches("\"\"\"").count() == 1;
        let is_long = next - at > MAX_STATEMENT_LINES;
        for i in at + 1..next {
            let is_part = || {
                lines[i - 1].trim_end().ends_with([',', '(', '[', '{'])
                    || lines[i].trim_start().starts_with([')', ']', '}'])
            };
            starts[i] = is_long && (is_text || is_part());
        }
        at = next;
    }
    starts
}

impl<'a> Scanner<'a, '_> {
    /// Reads the logical line at `at`; returns the line after it.
    fn line(&mut self, at: usize) -> usize {
        let line = self.lines[at];
        let indent = indent_of(line);
        let text = &line[indent..];
        if text.is_empty() {
            if self.lead.is_some_and(|(_, end)| end == at) && !self.decorated() {
                self.lead = None;
                self.doc = None;
            }
            return at + 1;
        }
        if text.starts_with('#') {
            self.above(at, at + 1);
            if self.doc.is_none() && has_word(text) {
                self.doc = Some(at);
            }
            return at + 1;
        }
        let (next, colon) = logical(self.lines, at);
        self.close_to(indent);
        if let Some(item) = self.docstring.take() {
            self.docstring_at(item, at, next);
        }
        self.statement(at, next, indent, colon);
        self.end = next;
        next
    }

    fn decorated(&self) -> bool {
        self.lead.is_some_and(|(start, end)| {
            self.lines[start..end].iter().any(|l| l.trim_start().starts_with('@'))
        })
    }

    /// Reads lines above a declaration: comments right above, decorators at any distance.
    fn above(&mut self, at: usize, next: usize) {
        if !extend_lead(&mut self.lead, at, next) {
            self.doc = None;
        }
    }

    /// Ends the blocks that a line with this indentation is not in.
    fn close_to(&mut self, indent: usize) {
        while self.open.last().is_some_and(|o| indent <= o.indent) {
            self.close(self.open.len() - 1);
        }
    }

    fn close(&mut self, keep: usize) {
        while self.open.len() > keep {
            let Some(open) = self.open.pop() else { return };
            let end = self.end;
            if let Some(item) = self.items.get_mut(open.item) {
                item.lines.end = item.lines.end.max(end);
                item.body.end = item.body.start.max(end);
            }
        }
    }

    fn statement(&mut self, at: usize, next: usize, indent: usize, colon: Option<usize>) {
        let text = &self.lines[at][indent..];
        let first = word(text);
        let rest = text[first.len()..].trim_start();
        match first {
            "" if text.starts_with('@') => {
                self.above(at, next);
                return;
            }
            "def" | "class" => self.block(first, rest, at, next, indent, colon),
            "async" if word(rest) == "def" => {
                let rest = rest["def".len()..].trim_start();
                self.block("def", rest, at, next, indent, colon);
            }
            "cdef" | "cpdef" if colon.is_some() => {}
            "if" if indent == 0 && rest.starts_with("__name__") => {
                self.add(Kind::Section, text.trim_end_matches([':', ' ']), at, next, colon);
                self.open.push(Open { item: self.items.len() - 1, indent });
            }
            "import" | "from" if self.is_outer(indent) => {
                self.lead = None;
                let name = word_path(rest);
                self.add(Kind::Import, name, at, next, None);
                self.brackets(at, next);
            }
            _ => self.other(text, first, rest, at, next, indent),
        }
        self.lead = None;
        self.doc = None;
    }

    /// Whether a line with this indentation is outside all functions.
    fn is_outer(&self, indent: usize) -> bool {
        self.open.is_empty() && indent == 0
    }

    fn other(&mut self, text: &'a str, first: &'a str, rest: &str, at: usize, next: usize, indent: usize) {
        let field = self.open.last().is_some_and(|o| self.items[o.item].kind == Kind::Type);
        if !self.is_outer(indent) && !field {
            return;
        }
        let assigns = match rest.as_bytes() {
            [b'=', b'=', ..] => false,
            [b'=', ..] => true,
            [b':', ..] => !is_keyword(first),
            _ => false,
        };
        if assigns && !first.is_empty() {
            self.add(Kind::Value, first, at, next, None);
            self.brackets(at, next);
        } else if self.open.is_empty() && is_prose(text, first, rest) {
            self.unknown += next - at;
        }
    }

    fn block(
        &mut self,
        keyword: &str,
        rest: &'a str,
        at: usize,
        next: usize,
        indent: usize,
        colon: Option<usize>,
    ) {
        let name = word(rest);
        if name.is_empty() || colon.is_none() && next < self.lines.len() {
            self.unknown += usize::from(indent == 0);
            return;
        }
        let kind = if keyword == "class" { Kind::Type } else { Kind::Function };
        self.add(kind, name, at, next, colon);
        let item = self.items.len() - 1;
        self.open.push(Open { item, indent });
        self.docstring = Some(item);
    }

    /// Makes an item of the logical line `at..next`.
    fn add(&mut self, kind: Kind, name: &'a str, at: usize, next: usize, colon: Option<usize>) {
        let start = self.lead.filter(|(_, end)| *end == at || self.decorated()).map_or(at, |l| l.0);
        let signature = at..colon.map_or(next, |c| c + 1);
        let doc = self.doc.filter(|d| *d >= start);
        self.items.push(Item {
            kind,
            lines: start..next,
            body: signature.end..next.max(signature.end),
            signature,
            doc,
            depth: 0,
            name,
        });
    }

    /// Sets the inside of its brackets as the body of the last item.
    fn brackets(&mut self, at: usize, next: usize) {
        if let Some(item) = self.items.last_mut() {
            item.body = next..next;
            if next - at > 2 {
                item.signature = at..at + 1;
                item.body = at + 1..next - 1;
            }
        }
    }

    /// The first statement of a block: its docstring, if it is a string.
    fn docstring_at(&mut self, item: usize, at: usize, next: usize) {
        let text = self.lines[at].trim_start().trim_start_matches(['r', 'R', 'u', 'U', 'b', 'f']);
        if text.starts_with(['"', '\''])
            && at >= self.items[item].signature.end
            && self.open.last().is_some_and(|o| o.item == item)
        {
            self.items[item].doc = (at..next)
                .find(|i| has_word(self.lines[*i].trim_start().trim_start_matches(['r', 'R', '"', '\''])));
        }
    }
}

/// `a.b.c` at the start of a text.
fn word_path(text: &str) -> &str {
    let end = text
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.') || *b >= 0x80)
        .count();
    &text[..end]
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "else" | "try" | "finally" | "lambda" | "with" | "if" | "for" | "while" | "except" | "elif" | "match"
    )
}

/// Whether a line outside all declarations looks like a sentence.
fn is_prose(text: &str, first: &str, rest: &str) -> bool {
    const STATEMENTS: &[&str] = &[
        "if", "for", "while", "with", "try", "except", "finally", "else", "elif", "return", "raise",
        "assert", "del", "global", "nonlocal", "pass", "yield", "await", "async", "not", "lambda", "print",
        "exec", "match", "case", "type", "cimport", "cdef", "cpdef", "ctypedef", "from", "import", "include",
        "extern", "break", "continue",
    ];
    const JOINING: &[&str] = &["if", "in", "is", "and", "or", "not", "for", "as", "else"];
    if first.is_empty() {
        let unknown = |c: char| {
            !matches!(
                c,
                '(' | '[' | '{' | '"' | '\'' | ')' | ']' | '}' | '-' | '~' | '*' | '@' | '.' | '%' | '!'
            )
        };
        return text.starts_with(unknown);
    }
    if STATEMENTS.contains(&first) {
        return false;
    }
    let second = word(rest);
    !second.is_empty() && !JOINING.contains(&second) && rest.len() != text.len() - first.len()
        || rest.is_empty() && text.ends_with('.')
}
