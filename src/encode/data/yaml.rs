//! YAML: flow collections without blanks around their indicators, no blanks at the end of lines, and one empty line
//! in place of several. Block scalars stay as they are, and so does the layout of blocks.
//!
//! Only documents of plain structure are changed: every line is a key, an item, a comment, a line of a block
//! scalar or the start of a document. Documents with anchors, tags, or scalars that span lines without an indicator
//! are declined.

/// White space that may be left out; other white space, such as a no-break space, is content.
const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// The document without unneeded white space; `None` if the text is not such a document or nothing changes.
pub(super) fn rewritten(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut is_blank = true;
    for (line, kind) in lines(text)? {
        match kind {
            Kind::Fixed => out.push_str(line),
            Kind::Blank if is_blank => continue,
            Kind::Blank => {}
            Kind::Flow(at) => {
                out.push_str(line.get(..at)?);
                out.push_str(&flow(line.get(at..)?)?);
            }
            Kind::Other => out.push_str(line.trim_end_matches(BLANKS)),
        }
        is_blank = kind == Kind::Blank;
        out.push('\n');
    }
    // Empty lines at the end of a block scalar may be a part of it.
    out.truncate(out.len() - if is_blank { 2.min(out.len()) } else { 1 });
    Some(out)
}

/// Whether a text is a YAML document of plain structure that has block scalars.
pub(super) fn has_block_scalars(text: &str) -> bool {
    let may_have = text.lines().any(|line| line.trim_end().ends_with(['|', '>', '-', '+']));
    may_have && lines(text).is_some_and(|lines| lines.iter().any(|(_, kind)| *kind == Kind::Fixed))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A line that stays byte for byte.
    Fixed,
    Blank,
    /// A flow collection starts at this byte.
    Flow(usize),
    Other,
}

/// Fewest lines with a key or an item.
const MIN_LINES: usize = 3;

/// The kind of each line.
fn lines(text: &str) -> Option<Vec<(&str, Kind)>> {
    // A text with too few non-empty lines is rejected early.
    text.split_terminator('\n').filter(|line| !line.is_empty()).nth(MIN_LINES - 1)?;
    let mut out: Vec<(&str, Kind)> = Vec::new();
    let mut entries = 0;
    // The column that lines of a block scalar are deeper than, and the one that nothing may be deeper than
    // below a scalar.
    let (mut scalar, mut ceiling): (Option<usize>, Option<usize>) = (None, None);
    for line in text.split_terminator('\n') {
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        let is_empty = body.trim_matches(BLANKS).is_empty();
        if scalar.is_some_and(|column| is_empty || indent > column) {
            out.push((line, Kind::Fixed));
            continue;
        }
        scalar = None;
        let kind = match body {
            _ if is_empty => Kind::Blank,
            _ if body.starts_with('#')
                || indent == 0 && matches!(body.trim_end_matches(BLANKS), "---" | "...") =>
            {
                Kind::Other
            }
            _ if ceiling.is_some_and(|column| indent > column) => return None,
            _ => {
                entries += 1;
                let entry = entry(body)?;
                ceiling = None;
                match entry.value {
                    Value::None => Kind::Other,
                    Value::Block => {
                        scalar = Some(indent + entry.column);
                        Kind::Other
                    }
                    Value::Scalar => {
                        ceiling = Some(indent + entry.column);
                        Kind::Other
                    }
                    Value::Flow(at) => {
                        ceiling = Some(indent + entry.column);
                        Kind::Flow(indent + at)
                    }
                }
            }
        };
        out.push((line, kind));
    }
    (entries >= MIN_LINES).then_some(out)
}

/// The content of a line: items, a key, a value.
struct Entry {
    /// Where the key, or the last item without one, starts.
    column: usize,
    value: Value,
}

enum Value {
    None,
    Block,
    Scalar,
    Flow(usize),
}

fn entry(body: &str) -> Option<Entry> {
    let mut at = 0;
    let mut column = 0;
    while let Some(rest) = body.get(at..).filter(|rest| *rest == "-" || rest.starts_with("- ")) {
        column = at;
        at += 1 + rest[1..].bytes().take_while(|b| *b == b' ').count();
    }
    let has_item = at > 0;
    let rest = body.get(at..)?;
    let key = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"_-./$".contains(b)).count();
    let is_key = key > 0
        && rest[key..].starts_with(':')
        && matches!(rest.as_bytes().get(key + 1), None | Some(b' ' | b'\r'));
    if is_key {
        column = at;
        at += key + 1;
        at += body[at..].bytes().take_while(|b| *b == b' ').count();
    } else if !has_item {
        return None;
    }
    let value = body.get(at..)?.trim_end_matches(BLANKS);
    let value = match value.as_bytes().first() {
        None => Value::None,
        Some(b'|' | b'>') => {
            let is_plain = value[1..].bytes().all(|b| matches!(b, b'-' | b'+' | b'1'..=b'9'));
            is_plain.then_some(Value::Block)?
        }
        Some(b'"' | b'\'') => {
            let end = quoted(value)?;
            let rest = value[end..].trim_start_matches(BLANKS);
            (rest.is_empty() || value[end..].starts_with(' ') && rest.starts_with('#'))
                .then_some(Value::Scalar)?
        }
        Some(b'[' | b'{') => {
            flow(value)?;
            Value::Flow(at)
        }
        Some(b'&' | b'!' | b'%' | b'@' | b'`' | b'?' | b'#') => return None,
        // A key of another form.
        Some(_) if value.contains(": ") || value.ends_with(':') => return None,
        Some(_) => Value::Scalar,
    };
    Some(Entry { column, value })
}

/// Bytes of the quoted scalar that a value starts with, if it ends there.
fn quoted(value: &str) -> Option<usize> {
    let bytes = value.as_bytes();
    let quote = *bytes.first()?;
    let mut at = 1;
    loop {
        match *bytes.get(at)? {
            b'\\' if quote == b'"' => at += 2,
            b if b == quote && quote == b'\'' && bytes.get(at + 1) == Some(&quote) => at += 2,
            b if b == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// A flow collection that is complete on one line, without blanks around its indicators.
fn flow(text: &str) -> Option<String> {
    let text = text.trim_end_matches(BLANKS);
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        let last = out.as_bytes().last().copied();
        match bytes[at] {
            b'"' | b'\'' if matches!(last, Some(b'[' | b'{' | b',' | b' ' | b':')) => {
                let end = at + quoted(&text[at..])?;
                out.push_str(text.get(at..end)?);
                at = end;
                continue;
            }
            b'&' | b'*' | b'!' | b'#' | b'?' | b'"' | b'\'' | b'|' | b'>' | b'%' | b'@' | b'`' | b'\t' => {
                return None;
            }
            b' ' => {
                let blanks = bytes[at..].iter().take_while(|b| **b == b' ').count();
                let next = bytes.get(at + blanks);
                let is_free = matches!(last, Some(b'[' | b'{' | b','))
                    || matches!(next, Some(b']' | b'}' | b',')) && !matches!(last, Some(b':' | b'-'));
                // Blanks inside a plain scalar are a part of it.
                let is_indicated = last == Some(b':');
                match (is_free, is_indicated) {
                    (true, _) => {}
                    (false, true) => out.push(' '),
                    (false, false) => out.push_str(&text[at..at + blanks]),
                }
                at += blanks;
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        let end = at + text[at..].chars().next()?.len_utf8();
        out.push_str(&text[at..end]);
        at = end;
        if depth == 0 && at < bytes.len() {
            return None;
        }
    }
    (depth == 0).then_some(out)
}
