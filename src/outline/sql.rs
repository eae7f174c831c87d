//! SQL: statements.

use super::{Found, Item, Kind, has_word, indent_of, word};

/// Words that a statement starts with.
const STATEMENTS: &[&str] = &[
    "create",
    "alter",
    "drop",
    "insert",
    "update",
    "delete",
    "select",
    "with",
    "grant",
    "revoke",
    "set",
    "use",
    "begin",
    "commit",
    "rollback",
    "comment",
    "truncate",
    "merge",
    "replace",
    "lock",
    "unlock",
    "pragma",
    "explain",
    "analyze",
    "vacuum",
    "do",
    "call",
    "exec",
    "execute",
    "declare",
    "if",
    "go",
    "delimiter",
    "start",
    "copy",
    "values",
    "end",
    "refresh",
    "attach",
    "detach",
    "reindex",
    "show",
    "print",
    "return",
    "load",
    "savepoint",
    "release",
    "rename",
];

/// Statements whose name is their object.
const NAMED: &[&str] =
    &["create", "alter", "drop", "insert", "update", "delete", "truncate", "replace", "copy", "merge", "use"];

/// Objects of `CREATE` other than routines.
const TYPES: &[&str] = &[
    "table",
    "view",
    "index",
    "type",
    "schema",
    "sequence",
    "domain",
    "extension",
    "database",
    "role",
    "policy",
];

/// Words between a statement's first and its name.
const FILLERS: &[&str] = &[
    "or",
    "replace",
    "if",
    "not",
    "exists",
    "temp",
    "temporary",
    "unique",
    "materialized",
    "into",
    "from",
    "only",
    "global",
    "local",
    "concurrently",
    "recursive",
    "unlogged",
    "virtual",
    "definer",
    "constraint",
];

struct Scanner<'a, 's> {
    lines: &'s [&'a str],
    items: Vec<Item<'a>>,
    /// First line of the statement, and the depth of its `BEGIN … END`.
    first: Option<usize>,
    depth: usize,
    /// Whether it may hold a block.
    routine: bool,
    lead: Option<(usize, usize)>,
    unknown: usize,
}

/// The statements of a text.
pub(super) fn scan<'a>(lines: &[&'a str]) -> Found<'a> {
    let mut scanner =
        Scanner { lines, items: Vec::new(), first: None, depth: 0, routine: false, lead: None, unknown: 0 };
    // The text that ends a string, a comment or a dollar quote which runs over lines.
    let mut until: Option<String> = None;
    for line in 0..lines.len() {
        until = scanner.line(line, until);
    }
    if let Some(last) = lines.len().checked_sub(1) {
        scanner.end(last);
    }
    Found { items: scanner.items, unknown: scanner.unknown }
}

impl<'a> Scanner<'a, '_> {
    fn line(&mut self, line: usize, until: Option<String>) -> Option<String> {
        let text = self.lines[line];
        let bytes = text.as_bytes();
        let mut at = match self.resume(line, until) {
            Ok(at) => at,
            Err(until) => return until,
        };
        while let Some(byte) = bytes.get(at) {
            let rest = &bytes[at..];
            match byte {
                b'-' if rest.starts_with(b"--") => {
                    self.comment(line);
                    return None;
                }
                b'#' | b'\\' if at == indent_of(text) && self.first.is_none() => return None,
                b'/' if rest.starts_with(b"/*") => {
                    self.comment(line);
                    match memchr::memmem::find(&rest[2..], b"*/") {
                        Some(end) => at += end + 4,
                        None => return Some("*/".to_owned()),
                    }
                    continue;
                }
                b'\'' | b'"' | b'`' => {
                    self.first.get_or_insert(line);
                    match memchr::memchr(*byte, &rest[1..]) {
                        Some(end) => at += end + 2,
                        None => return Some((*byte as char).to_string()),
                    }
                    continue;
                }
                b'$' => {
                    if let Some(tag) = dollar_tag(&text[at..]) {
                        match memchr::memmem::find(&rest[tag.len()..], tag.as_bytes()) {
                            Some(end) => at += end + 2 * tag.len(),
                            None => return Some(tag.to_owned()),
                        }
                        continue;
                    }
                }
                b';' if self.depth == 0 => self.end(line),
                b if b.is_ascii_alphabetic() || *b == b'_' => {
                    let here = word(&text[at..]);
                    self.word(here, &text[at + here.len()..], line);
                    at += here.len();
                    continue;
                }
                b if !b.is_ascii_whitespace() && *b != b';' => {
                    self.first.get_or_insert(line);
                }
                _ => {}
            }
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
        None
    }

    /// The start of the code in a line; otherwise the construct that continues on the next line.
    fn resume(&mut self, line: usize, until: Option<String>) -> Result<usize, Option<String>> {
        let text = self.lines[line];
        if let Some(end) = until {
            if self.first.is_none() {
                self.comment(line);
            }
            return match memchr::memmem::find(text.as_bytes(), end.as_bytes()) {
                Some(found) => Ok(found + end.len()),
                None => Err(Some(end)),
            };
        }
        if text.trim().eq_ignore_ascii_case("go") {
            if let Some(last) = line.checked_sub(1) {
                self.depth = 0;
                self.end(last);
            }
            return Err(None);
        }
        Ok(0)
    }

    fn word(&mut self, here: &str, after: &str, line: usize) {
        let is = |w: &str| here.eq_ignore_ascii_case(w);
        if self.first.is_none() {
            self.first = Some(line);
            self.routine = false;
        }
        if is("procedure") || is("function") || is("trigger") || is("package") {
            self.routine = true;
        }
        if !self.routine {
            return;
        }
        if is("begin") || is("case") {
            self.depth += 1;
        } else if is("end") {
            let next = word(after.trim_start());
            if !["if", "loop", "while", "repeat", "for"].iter().any(|w| next.eq_ignore_ascii_case(w)) {
                self.depth = self.depth.saturating_sub(1);
            }
        }
    }

    fn comment(&mut self, line: usize) {
        if self.first.is_some() {
            return;
        }
        match &mut self.lead {
            Some((_, last)) if *last + 1 >= line => *last = line,
            _ => self.lead = Some((line, line)),
        }
    }

    /// Ends the statement on a line.
    fn end(&mut self, last: usize) {
        let lead = self.lead.take();
        self.depth = 0;
        let Some(first) = self.first.take() else { return };
        let text = self.lines[first].trim_start();
        let Some((kind, name)) = judge(text) else {
            self.unknown += last + 1 - first;
            return;
        };
        let start = lead.filter(|(_, l)| *l + 1 >= first && *l < first).map_or(first, |l| l.0);
        let doc = (start..first).find(|i| has_word(self.lines[*i]));
        let closing = self.lines[last].trim_start();
        let closes = last > first
            && (closing.starts_with([')', '$', ';', '}']) || word(closing).eq_ignore_ascii_case("end"));
        let body = first + 1..last + usize::from(!closes && last > first);
        self.items.push(Item {
            kind,
            lines: start..last + 1,
            signature: first..first + 1,
            body,
            doc,
            depth: 0,
            name,
        });
    }
}

/// The kind of a statement by its first line, and its name.
fn judge(text: &str) -> Option<(Kind, &str)> {
    let first = word(text);
    if !STATEMENTS.iter().any(|s| s.eq_ignore_ascii_case(first)) {
        return None;
    }
    let mut kind = Kind::Section;
    let mut named = None;
    let mut at = first.len();
    let create = first.eq_ignore_ascii_case("create") || first.eq_ignore_ascii_case("alter");
    loop {
        let rest = &text[at..];
        let gap = rest.len() - rest.trim_start().len();
        let token = rest[gap..].split([' ', '\t', '(', ';', ',']).next().unwrap_or_default();
        if token.is_empty() {
            break;
        }
        let is = |words: &[&str]| words.iter().any(|w| w.eq_ignore_ascii_case(token));
        at += gap + token.len();
        if is(&["function", "procedure", "trigger"]) && create {
            kind = Kind::Function;
        } else if is(TYPES) && create {
            kind = Kind::Type;
        } else if !is(FILLERS) {
            named = Some(&text[at - token.len()..at]);
            break;
        }
    }
    let object = kind != Kind::Section || NAMED.iter().any(|n| n.eq_ignore_ascii_case(first));
    Some((kind, named.filter(|_| object).unwrap_or(first)))
}

/// `$$` or `$tag$` at the start of a text.
fn dollar_tag(text: &str) -> Option<&str> {
    let end = 1 + word(&text[1..]).len();
    text[end..].starts_with('$').then(|| &text[..=end])
}
