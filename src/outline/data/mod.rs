//! YAML, TOML and JSON: keys of the first two levels.

use super::{Found, Item, Kind, Language, has_word, indent_of, word};

mod json;

/// The keys of a text.
pub(super) fn scan<'a>(language: Language, lines: &[&'a str]) -> Found<'a> {
    match language {
        Language::Json => json::scan(lines),
        Language::Toml => toml(lines),
        _ => yaml(lines),
    }
}

/// Most lines of a long string.
const MAX_STRING_LINES: usize = 2000;

/// A key or an entry of a list, at an indentation.
struct Open {
    item: usize,
    indent: usize,
    entry: bool,
}

/// Comment lines right above: the first, the line after the last, and the first with text.
#[derive(Default)]
struct Lead(Option<(usize, usize, Option<usize>)>);

impl Lead {
    fn take(&mut self, at: usize) -> (usize, Option<usize>) {
        match self.0.take() {
            Some((start, end, doc)) if end == at => (start, doc),
            _ => (at, None),
        }
    }

    fn add(&mut self, at: usize, text: &str) {
        let says = has_word(text).then_some(at);
        self.0 = match self.0 {
            Some((start, end, doc)) if end == at => Some((start, at + 1, doc.or(says))),
            _ => Some((at, at + 1, says)),
        };
    }
}

fn item<'a>(kind: Kind, at: usize, lead: (usize, Option<usize>), name: &'a str) -> Item<'a> {
    Item {
        kind,
        lines: lead.0..at + 1,
        signature: at..at + 1,
        body: at + 1..at + 1,
        doc: lead.1,
        depth: 0,
        name,
    }
}

fn yaml<'a>(lines: &[&'a str]) -> Found<'a> {
    let (mut items, mut open, mut lead) = (Vec::new(), Vec::<Open>::new(), Lead::default());
    let (mut unknown, mut end, mut scalar) = (0, 0, None);
    let margin = margin(lines);
    for (at, line) in lines.iter().enumerate() {
        let indent = indent_of(line);
        let text = line[indent..].trim_end();
        if text.is_empty() || scalar.is_some_and(|s| indent > s) {
            end = if text.is_empty() { end } else { at + 1 };
            continue;
        }
        scalar = None;
        if text.starts_with('#') {
            lead.add(at, text);
            continue;
        }
        let entry = text.starts_with("- ") || text == "-";
        let name = if entry { Some(text[1..].trim_start()) } else { key(text) };
        let is_rule = text == "---" || text == "..." || text.starts_with('%');
        if is_rule || name.is_some() || indent <= margin {
            close_keys(&mut items, &mut open, end, |o| {
                is_rule || o.indent > indent || o.indent == indent && (!entry || o.entry)
            });
        }
        end = at + 1;
        let Some(name) = name else {
            unknown += usize::from(
                indent <= margin && !is_rule && !text.starts_with([']', '}', '{', '[', '"', '\'']),
            );
            continue;
        };
        let above = lead.take(at);
        if open.len() < 2 {
            items.push(item(Kind::Section, at, above, name));
            open.push(Open { item: items.len() - 1, indent, entry });
        }
        scalar = opens_scalar(text).then_some(indent);
    }
    close_keys(&mut items, &mut open, end, |_| true);
    Found { items, unknown }
}

/// The smallest indentation of a text.
fn margin(lines: &[&str]) -> usize {
    lines.iter().filter(|l| !l.trim_start().is_empty()).map(|l| indent_of(l)).min().unwrap_or(0)
}

fn close_keys(items: &mut [Item<'_>], open: &mut Vec<Open>, end: usize, leaves: impl Fn(&Open) -> bool) {
    while open.last().is_some_and(&leaves) {
        if let Some(key) = open.pop()
            && let Some(item) = items.get_mut(key.item)
        {
            item.lines.end = item.lines.end.max(end);
            item.body.end = item.lines.end;
        }
    }
}

/// The key that a line starts with.
fn key(text: &str) -> Option<&str> {
    if let Some(quote @ (b'"' | b'\'')) = text.as_bytes().first() {
        let end = 1 + memchr::memchr(*quote, &text.as_bytes()[1..])?;
        return text[end + 1..].trim_start().starts_with(':').then(|| &text[1..end]);
    }
    let end = memchr::memchr_iter(b':', text.as_bytes())
        .find(|i| matches!(text.as_bytes().get(i + 1), None | Some(b' ' | b'\t')))?;
    (end > 0 && !text[..end].contains(" #") && text[..end].bytes().filter(|b| *b == b' ').count() < 4)
        .then(|| text[..end].trim_end())
}

/// Whether a line ends in `|`, `>` and the like: deeper lines are text.
fn opens_scalar(text: &str) -> bool {
    let text = text.split(" #").next().unwrap_or(text).trim_end();
    let mark = text.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+'));
    mark.strip_suffix(['|', '>']).is_some_and(|t| t.ends_with(": ") || t.ends_with("- "))
}

fn toml<'a>(lines: &[&'a str]) -> Found<'a> {
    let (mut items, mut lead, mut unknown) = (Vec::<Item<'a>>::new(), Lead::default(), 0);
    let (mut table, mut end, mut at): (Option<usize>, usize, usize) = (None, 0, 0);
    while at < lines.len() {
        let line = lines[at];
        let text = line.trim();
        let here = at;
        at += 1;
        if text.is_empty() {
            continue;
        }
        if text.starts_with(['#', ';']) {
            lead.add(here, text);
            continue;
        }
        if let Some(name) =
            text.strip_prefix('[').and_then(|t| t.split(']').next()).filter(|_| text.contains(']'))
        {
            let above = lead.take(here);
            close_table(&mut items, table, end);
            end = at;
            table = Some(items.len());
            items.push(item(Kind::Section, here, above, name.trim_start_matches('[').trim()));
            continue;
        }
        let name = text.split(['=', ':']).next().unwrap_or_default().trim_end();
        if name.len() < text.len() && !name.is_empty() && !line.starts_with([' ', '\t'])
            || table.is_none() && name.len() < text.len() && text.contains('=')
        {
            let above = lead.take(here);
            at = value_end(lines, here, text);
            let mut key = item(Kind::Value, here, above, name);
            key.lines.end = at;
            key.body.end = key.body.start.max(at - 1);
            items.push(key);
        } else if let Some(last) =
            items.last_mut().filter(|i| line.starts_with([' ', '\t']) && i.kind == Kind::Value)
        {
            // INI continues with a value on indented lines.
            last.lines.end = at;
            last.body.end = at;
        } else {
            unknown += usize::from(table.is_none() || text.contains(' '));
        }
        end = at;
    }
    close_table(&mut items, table, end);
    Found { items, unknown }
}

fn close_table(items: &mut [Item<'_>], table: Option<usize>, end: usize) {
    if let Some(item) = table.and_then(|t| items.get_mut(t)) {
        item.lines.end = item.lines.end.max(end);
        item.body.end = item.lines.end;
    }
}

/// The line after a value: arrays, inline tables and long strings run over lines.
fn value_end(lines: &[&str], at: usize, text: &str) -> usize {
    let value = text.split_once('=').map_or("", |v| v.1).trim_start();
    for quote in ["\"\"\"", "'''"] {
        if let Some(rest) = value.strip_prefix(quote) {
            let closed = rest.contains(quote);
            let end = (at + 1..lines.len().min(at + MAX_STRING_LINES)).find(|i| lines[*i].contains(quote));
            return if closed { at + 1 } else { end.map_or(at + 1, |i| i + 1) };
        }
    }
    if !value.starts_with(['[', '{']) {
        return at + 1;
    }
    let mut depth = brackets(value);
    let mut i = at + 1;
    while depth > 0 && i < lines.len() {
        let text = lines[i];
        // The head of a table shows that the bracket was never closed.
        if text.starts_with('[') && word(&text[1..]).len() > 1 && text.trim_end().ends_with(']') {
            return at + 1;
        }
        depth += brackets(text);
        i += 1;
    }
    i
}

/// How many more brackets a text opens than it closes, outside strings and comments.
fn brackets(text: &str) -> isize {
    let (mut depth, mut quote) = (0, None);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (Some(b'"'), b'\\') => {
                bytes.next();
            }
            (Some(q), b) if q == b => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'#') => break,
            (None, b'[' | b'{') => depth += 1,
            (None, b']' | b'}') => depth -= 1,
            _ => {}
        }
    }
    depth
}
