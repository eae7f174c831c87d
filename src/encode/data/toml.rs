//! TOML: no indentation, one blank in place of aligned padding, arrays without comments on one line, and one empty
//! line in place of several.

/// The document without unneeded white space. The result is parsed again and must hold the same values.
pub(super) fn rewritten(text: &str) -> Option<String> {
    if !may_be(text) {
        return None;
    }
    let before: toml::Table = toml::from_str(text).ok()?;
    let out = squeezed(text)?;
    (toml::from_str::<toml::Table>(&out).ok()? == before).then_some(out)
}

/// Whether a text is a TOML document.
pub(super) fn is_toml(text: &str) -> bool {
    may_be(text) && toml::from_str::<toml::Table>(text).is_ok()
}

/// A cheap check of the first line that is not a comment: parsing a whole log would take long.
fn may_be(text: &str) -> bool {
    // Blanks above the first line are skipped at once.
    let first =
        text.trim_start().lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| is_header(line) || is_entry(line))
}

/// `[a]`, `[[a . "b"]] # why`
fn is_header(line: &str) -> bool {
    let inside = line.trim_start_matches('[');
    let brackets = line.len() - inside.len();
    let start = inside.trim_start();
    let behind = key(start).and_then(|end| start[end..].strip_prefix(&"]]"[..brackets.min(2)]));
    (1..=2).contains(&brackets)
        && behind.map(str::trim_start).is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
}

/// `a = 1`, up to where the value starts.
fn is_entry(line: &str) -> bool {
    let value = key(line).and_then(|end| line[end..].strip_prefix('=')).map(str::trim_start);
    value.is_some_and(|value| value.starts_with(|c: char| c.is_ascii_digit() || "\"'[{+-tfin".contains(c)))
}

/// The end of the key that a text starts with, bare, quoted or dotted, and of the blanks after it.
fn key(text: &str) -> Option<usize> {
    let mut rest = text;
    loop {
        let bare = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        let end = match rest.bytes().next()? {
            b'"' | b'\'' => string(rest)?,
            _ => rest.bytes().take_while(bare).count(),
        };
        rest = rest.get(end..).filter(|_| end > 0)?.trim_start_matches([' ', '\t']);
        match rest.strip_prefix('.') {
            Some(next) => rest = next.trim_start_matches([' ', '\t']),
            None => return Some(text.len() - rest.len()),
        }
    }
}

/// Rewrites what is outside of strings and comments.
fn squeezed(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        let rest = text.get(at..)?;
        match bytes[at] {
            b'"' | b'\'' => {
                let end = string(rest)?;
                out.push_str(rest.get(..end)?);
                at += end;
            }
            b'#' => {
                let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
                out.push_str(rest.get(..end)?.trim_end());
                at += end;
                // The comment ends with its line, also inside an array.
                if depth > 0 {
                    out.push('\n');
                }
            }
            b' ' | b'\t' | b'\r' | b'\n' => {
                let blank = rest.bytes().take_while(u8::is_ascii_whitespace).count();
                let next = bytes.get(at + blank);
                let lines = rest.bytes().take(blank).filter(|b| *b == b'\n').count();
                let last = out.as_bytes().last().copied();
                let is_edge = last.is_none() || next.is_none();
                let is_start = matches!(last, Some(b'\n'));
                match depth {
                    0 if is_edge => {}
                    0 if lines > 0 => out.push_str(if lines > 1 { "\n\n" } else { "\n" }),
                    0 => out.push(' '),
                    // A comment inside an array is on a line of its own, or after what it is about.
                    _ if next == Some(&b'#') => {
                        if !is_start {
                            out.push(if lines > 0 { '\n' } else { ' ' });
                        }
                    }
                    _ if is_start || matches!(last, Some(b'[' | b'{' | b',')) => {}
                    _ if matches!(next, Some(b']' | b'}' | b',')) => {}
                    _ => out.push(' '),
                }
                at += blank;
            }
            byte => {
                match byte {
                    b'[' | b'{' => depth += 1,
                    b']' | b'}' => depth = depth.checked_sub(1)?,
                    _ => {}
                }
                let end = rest.chars().next()?.len_utf8();
                out.push_str(rest.get(..end)?);
                at += end;
            }
        }
    }
    Some(out)
}

/// Bytes of the string that a text starts with.
fn string(text: &str) -> Option<usize> {
    let quote = text.get(..1)?;
    let long = quote.repeat(3);
    let escapes = quote == "\"";
    let end = if text.starts_with(&long) { long.as_str() } else { quote };
    let mut at = end.len();
    loop {
        let rest = text.get(at..)?;
        if escapes && rest.starts_with('\\') {
            at += 1 + rest.get(1..)?.chars().next()?.len_utf8();
        } else if rest.starts_with(end) {
            // Up to two quotes may be before the end of a long string.
            let more = if end.len() == 3 {
                rest[3..].bytes().take_while(|b| *b == end.as_bytes()[0]).take(2).count()
            } else {
                0
            };
            return Some(at + end.len() + more);
        } else {
            at += rest.chars().next()?.len_utf8();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_tells() {
        for text in ["# why\n\na = 1", "[a]\n", "[[ a . \"b c\" ]] # why", "'a b'.c-d=[", "  x\t= true"] {
            assert!(may_be(text), "{text}");
        }
        for text in [
            "[2024-01-02 10:00:01] a=1",
            "[INFO] x = 1",
            "2024-01-02 10:00:01 INFO n=1",
            "PATH=/usr/bin",
            "a == b",
            "key: value",
            "[1, 2]",
            "",
        ] {
            assert!(!may_be(text), "{text}");
        }
    }
}
