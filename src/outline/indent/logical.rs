//! Logical lines of Python: brackets and strings that run over lines.

use crate::outline::word;

/// The line after a logical line, and the line of the colon that ends its head.
pub(super) fn logical(lines: &[&str], at: usize) -> (usize, Option<usize>) {
    let (mut line, mut byte, mut depth, mut colon) = (at, 0, 0_usize, None);
    'lines: loop {
        let Some(text) = lines.get(line) else { return (lines.len(), colon) };
        let bytes = text.as_bytes();
        let mut joined = false;
        while let Some(b) = bytes.get(byte) {
            match b {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                b'#' => break,
                b':' if depth == 0 && colon.is_none() => colon = Some(line),
                b'\\' if byte + 1 == bytes.len() => joined = true,
                b'"' | b'\'' => {
                    let here = line;
                    (line, byte) = string_end(lines, line, byte, *b);
                    if line != here {
                        continue 'lines;
                    }
                    continue;
                }
                _ => {}
            }
            byte += 1;
        }
        line += 1;
        byte = 0;
        // An unclosed bracket must not include the rest of the file.
        let stuck = depth > 0 && lines.get(line).is_some_and(|l| is_start(l));
        if depth == 0 && !joined || stuck {
            return (line, colon);
        }
    }
}

/// Whether a line can only start a declaration, so that no bracket is open.
fn is_start(line: &str) -> bool {
    let text = line.trim_start();
    let text = text.strip_prefix("async ").unwrap_or(text);
    text.starts_with("def ") && text.contains('(')
        || ["class ", "import "].iter().any(|w| line.starts_with(w))
}

/// Where a string in plain quotes ends: with its line, unless a backslash carries it to the next.
fn plain_end(lines: &[&str], mut line: usize, mut at: usize, quote: u8) -> (usize, usize) {
    while let Some(text) = lines.get(line) {
        let bytes = text.as_bytes();
        while let Some(found) = memchr::memchr2(quote, b'\\', bytes.get(at..).unwrap_or_default()) {
            at += found;
            if bytes[at] == quote {
                return (line, at + 1);
            }
            at += 2;
        }
        if at <= bytes.len() {
            return (line, bytes.len());
        }
        line += 1;
        at = 0;
    }
    (lines.len(), 0)
}

/// The line and byte after the string that starts at a quote.
fn string_end(lines: &[&str], line: usize, at: usize, quote: u8) -> (usize, usize) {
    let bytes = lines[line].as_bytes();
    let three = [quote; 3];
    if !bytes[at..].starts_with(&three) {
        return plain_end(lines, line, at + 1, quote);
    }
    let (mut line, mut i) = (line, at + 3);
    loop {
        let Some(text) = lines.get(line) else { return (lines.len(), 0) };
        let bytes = text.as_bytes();
        while let Some(found) = memchr::memchr2(quote, b'\\', bytes.get(i..).unwrap_or_default()) {
            i += found;
            if bytes[i] == b'\\' {
                i += 2;
            } else if bytes[i..].starts_with(&three) {
                return (line, i + 3);
            } else {
                i += 1;
            }
        }
        line += 1;
        i = 0;
    }
}

/// Whether a line cannot be a docstring's.
fn is_code(text: &str) -> bool {
    let first = word(text);
    let rest = text[first.len()..].trim_start();
    matches!(first, "import" | "def" | "class" | "return" | "from") && word(rest).len() > 1
        || !first.is_empty() && (rest.starts_with("= ") || text[first.len()..].starts_with('('))
        || text.starts_with("self.")
        || text.starts_with('@')
        || matches!(first, "if" | "for" | "while" | "with") && text.ends_with(':')
}

/// If the window starts inside a docstring: the line after its closing quotes.
pub(super) fn start(lines: &[&str]) -> usize {
    for (i, line) in lines.iter().enumerate() {
        let text = line.trim();
        if text.starts_with("def ") || text.starts_with("class ") || text.starts_with("import ") {
            return 0;
        }
        let quotes = memchr::memmem::find_iter(text.as_bytes(), "\"\"\"").count();
        if quotes == 0 {
            continue;
        }
        let before = lines[..i].iter().rev().find(|l| !l.trim().is_empty()).map_or("", |l| l.trim());
        let next = lines[i + 1..].iter().find(|l| !l.trim().is_empty()).map_or("", |l| l.trim());
        let opener = before.starts_with('#') || before.ends_with([':', '(', '=', ',']);
        let closes = quotes == 1
            && text.ends_with("\"\"\"")
            && match (text.len() > 4, before.is_empty()) {
                (true, _) => !text.contains(['=', '(']),
                (false, true) => is_code(next),
                (false, false) => !opener,
            };
        return if closes { i + 1 } else { 0 };
    }
    0
}
