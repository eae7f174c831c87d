//! Values that are secret because of their place: the data of a Kubernetes Secret, the answer of a secrets manager.
//! All values there are removed, even if they do not look like secrets; names stay.
//!
//! Examines the document around a keyword, at most `REACH_BYTES` in each direction.

use super::judge::{ByteSet, skip_back};
use super::scan::Scan;

use super::table::Rule;
use std::ops::Range;

/// How far a document is read in each direction from its `kind`, in bytes.
const REACH_BYTES: usize = 256 << 10;
/// Deepest indentation of a line with `kind`, in bytes.
const MAX_INDENT_BYTES: usize = 1 << 10;
/// Members that hold secrets.
const DATA: &[&[u8]] = &[b"data", b"stringData"];

/// `kind: Secret`, in YAML or JSON: claims every value of `data` and `stringData` beside it.
pub(super) fn kubernetes(scan: &mut Scan<'_>, rule: &Rule, index: u16, hit: Range<usize>) {
    let text = scan.text;
    if text.get(hit.end).is_some_and(|b| b.is_ascii_alphanumeric()) {
        return;
    }
    let is_json = text[hit.clone()].contains(&b'"');
    // Kubernetes keeps a copy of a Secret in its own annotation.
    let is_copy = text[hit.clone()].contains(&b'\\');
    // Each document is examined only once.
    if !is_copy && scan.state(index).seen.contains(&hit.start) {
        return;
    }
    if !scan.may_read(index, hit.end) {
        return;
    }
    let mut found = Vec::new();
    let looked_at = if is_json {
        let reach = if is_copy { REACH_BYTES / 16 } else { REACH_BYTES };
        let start = object_start(text, hit.start, reach);
        scan.add_read(index, start.map_or(reach.min(hit.start), |start| hit.start - start));
        start.map(|start| values_of_data(text, start, is_copy, &mut found))
    } else {
        lines_of_data(text, hit.start, &mut found)
    };
    scan.add_read(index, looked_at.as_ref().map_or(0, |range| range.len()));
    if let Some(range) = looked_at.filter(|_| !is_copy) {
        scan.state(index).seen = range;
    }
    for value in found {
        scan.claim(rule, index, value);
    }
}

/// `"SecretString": "…"`: claims all of it, or every value of a JSON object in it.
pub(super) fn secret_string(scan: &mut Scan<'_>, rule: &Rule, index: u16, hit: Range<usize>) {
    let text = scan.text;
    let is_between = |b: &&u8| matches!(b, b'"' | b'\\' | b':' | b' ');
    let between = text[hit.end..].iter().take(16).take_while(is_between).count();
    let start = hit.end + between;
    if !text[hit.end..start].contains(&b':') || text.get(start.saturating_sub(1)) != Some(&b'"') {
        return;
    }
    if text.get(start) != Some(&b'{') {
        // Inside a string, the closing quote is escaped once, and a quote of the value more often.
        let escaped = start >= 2 && text[start - 2] == b'\\';
        let line = &text[start..text.len().min(start + REACH_BYTES)];
        let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
        let mut end = line.len();
        let mut slashes = 0;
        for (at, b) in line.iter().enumerate() {
            match b {
                b'\\' => slashes += 1,
                b'"' if if escaped { slashes <= 1 } else { slashes % 2 == 0 } => {
                    end = at - slashes * usize::from(escaped);
                    break;
                }
                _ => slashes = 0,
            }
        }
        return scan.claim(rule, index, start..start + end);
    }
    if !scan.may_read(index, hit.end) {
        return;
    }
    let mut found = Vec::new();
    let end = text.len().min(start + REACH_BYTES);
    let mut strings = Strings { text, at: start + 1, end, is_copy: true };
    while let Some((string, between)) = strings.next() {
        let between = &text[between];
        if between.contains(&b'}') {
            break;
        }
        if between.contains(&b':') {
            found.push(string);
        }
    }
    // If there is no other string, the text was read to its end.
    scan.add_read(index, if strings.next().is_some() { strings.at - start } else { end - start });
    for value in found {
        scan.claim(rule, index, value);
    }
}

/// The start of the object that contains `at`.
fn object_start(text: &[u8], at: usize, reach: usize) -> Option<usize> {
    let from = at.saturating_sub(reach);
    let mut depth = 0usize;
    for i in (from..at).rev() {
        match text[i] {
            b'}' => depth += 1,
            b'{' if depth == 0 => return Some(i),
            b'{' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The strings of a JSON text, each with the bytes before it.
struct Strings<'a> {
    text: &'a [u8],
    at: usize,
    end: usize,
    /// Whether the text is itself inside a string, so that its quotes are escaped.
    is_copy: bool,
}

impl Strings<'_> {
    fn next(&mut self) -> Option<(Range<usize>, Range<usize>)> {
        let before = self.at;
        let open = self.quote(before)?;
        let close = self.quote(open + 1)?;
        self.at = close + 1;
        let slash = usize::from(self.is_copy);
        Some((open + 1..close - slash, before..open - slash))
    }

    /// The next quote of this text, not of a string inside it.
    fn quote(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at += memchr::memchr(b'"', self.text.get(at..self.end)?)?;
            let slashes = self.text[from..at].iter().rev().take_while(|b| **b == b'\\').count();
            let is_own = if self.is_copy { slashes == 1 } else { slashes % 2 == 0 };
            if is_own {
                return Some(at);
            }
            at += 1;
        }
    }
}

/// The strings directly in `data` and `stringData` of the object that starts here.
fn values_of_data(text: &[u8], start: usize, is_copy: bool, found: &mut Vec<Range<usize>>) -> Range<usize> {
    let end = text.len().min(start + 2 * REACH_BYTES);
    let mut strings = Strings { text, at: start + 1, end, is_copy };
    let mut depth = 1usize;
    // The depth of the open `data` member.
    let mut data: Option<usize> = None;
    let mut key: Range<usize> = 0..0;
    'strings: while let Some((string, between)) = strings.next() {
        let between = &text[between];
        for b in between {
            match b {
                b'{' => {
                    depth += 1;
                    if depth == 2 && DATA.contains(&&text[key.clone()]) {
                        data = Some(depth);
                    }
                }
                b'}' => {
                    depth = depth.saturating_sub(1);
                    data = data.filter(|data| *data <= depth);
                    if depth == 0 {
                        break 'strings;
                    }
                }
                _ => {}
            }
        }
        let is_value = between.contains(&b':') && !between.contains(&b'{') && !between.contains(&b',');
        match data {
            Some(level) if is_value && level == depth => found.push(string),
            _ if !is_value => key = string,
            _ => {}
        }
    }
    start..strings.at
}

/// The lines of a text: indentation, and content after a list sign.
fn line(text: &[u8], at: usize) -> (Range<usize>, usize, &[u8]) {
    let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |i| i + 1);
    let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |i| at + i);
    let body = &text[start..end];
    let indent = body.iter().take_while(|b| matches!(b, b' ' | b'-')).count();
    (start..end, indent, &body[indent..])
}

/// The values below `data:` and `stringData:` of the YAML document or item that contains `at`.
fn lines_of_data(text: &[u8], at: usize, found: &mut Vec<Range<usize>>) -> Option<Range<usize>> {
    // A string may begin here, with escaped line ends.
    let opened = at > 0 && matches!(text[at - 1], b'"' | b'\'' | b'`' | b'>');
    let lead = skip_back(text, at, const { ByteSet::parse(" -") }, MAX_INDENT_BYTES);
    if !opened && lead > 0 && text[lead - 1] != b'\n' {
        return None;
    }
    let (mut own, mut indent, _) = line(text, at);
    if opened {
        (own.start, indent) = (at, 0);
    } else if own.start + indent != at {
        return None;
    }
    // Go back to the first line of the document.
    let mut start = own.start;
    let starts_item = |range: &Range<usize>| text[range.clone()].trim_ascii_start().starts_with(b"- ");
    while start > 0 && !opened && own.start - start < REACH_BYTES && !starts_item(&line(text, start).0) {
        let (range, depth, body) = line(text, start - 1);
        if !body.is_empty() && depth < indent || text[range.clone()].starts_with(b"---") {
            break;
        }
        start = range.start;
    }
    let mut next = start;
    let mut is_data = false;
    while next < text.len() && next - start < 2 * REACH_BYTES {
        let (range, depth, body) =
            if opened && next == at { (at..own.end, 0, &text[at..own.end]) } else { line(text, next) };
        next = range.end + 1;
        let blank = body.iter().all(u8::is_ascii_whitespace);
        if blank {
            continue;
        }
        let is_next_item = depth <= indent && starts_item(&range);
        if range.start > own.start
            && (depth < indent || is_next_item || text[range.clone()].starts_with(b"---"))
        {
            break;
        }
        if depth <= indent {
            let key = body.iter().position(|b| *b == b':').map_or(&b""[..], |i| &body[..i]);
            is_data = depth == indent && DATA.contains(&key);
            continue;
        }
        if !is_data {
            continue;
        }
        // `name: value`, or a line of a multi-line value.
        let value = match body.windows(2).position(|w| w == b": ") {
            Some(colon) => colon + 2,
            None if body.ends_with(b":") => continue,
            None => 0,
        };
        let from = range.start + depth + value;
        let rest = text[from..range.end].trim_ascii();
        if !rest.is_empty() && !matches!(rest, b"|" | b"|-" | b">" | b">-" | b"|+") {
            let from = from + text[from..range.end].len() - text[from..range.end].trim_ascii_start().len();
            found.push(unquoted(text, from..from + in_string(rest, opened.then(|| text[at - 1]))));
        }
    }
    Some(start..next.min(text.len()))
}

/// A value without the quotation marks around it.
fn unquoted(text: &[u8], value: Range<usize>) -> Range<usize> {
    match text[value.clone()] {
        [first @ (b'"' | b'\''), .., last] if first == last && value.len() > 2 => {
            value.start + 1..value.end - 1
        }
        _ => value,
    }
}

/// Length of a value without the end of a string around the whole document, which `open` began.
fn in_string(value: &[u8], open: Option<u8>) -> usize {
    let is_quote = |b: &u8| matches!(b, b'"' | b'\'' | b'`');
    if is_quote(&value[0]) {
        let close = memchr::memchr(value[0], &value[1..]).map_or(value.len(), |n| n + 2);
        let ends = value.get(close).is_none_or(|b| b.is_ascii_whitespace() || b"\\\"'`,}]".contains(b));
        return if ends { close } else { value.len() };
    }
    // After base64 a quote ends the string, whatever follows.
    let data = value.iter().take_while(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b)).count();
    let slashes = value[data..].iter().take_while(|b| **b == b'\\').count();
    if data > 0 && open.is_some() && value.get(data + slashes).is_some_and(|b| open == Some(*b)) {
        return data;
    }
    if let Some(quote @ (b'\'' | b'`')) = open {
        return memchr::memchr(quote, value).unwrap_or(value.len());
    }
    let ends = |n: &usize| {
        value[*n - 1] != b'\\'
            && value.get(n + 1).is_none_or(|b| b",}]:".contains(b))
            && !value[..*n].contains(&b'{')
    };
    memchr::memchr_iter(b'"', value).filter(|n| *n > 0).take(MAX_QUOTES).find(ends).unwrap_or(value.len())
}

/// Most quotes in a value that may be the end of the string.
const MAX_QUOTES: usize = 8;
