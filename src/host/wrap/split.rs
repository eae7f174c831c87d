//! Where the commands of a command line begin and end, byte for byte. Gives up on what is more than a list of
//! pipelines.

/// A piece of a command line between the operators that stand outside of quotes.
#[derive(Debug)]
pub(super) struct Part<'a> {
    pub(super) start: usize,
    /// Without white space at its ends.
    pub(super) text: &'a str,
    /// What follows: `&&`, `||`, `|`, `;`, a line end, or nothing.
    pub(super) end: &'static str,
    /// No part of a pipeline, and no redirection but `2>&1`.
    pub(super) is_simple: bool,
}

/// The parts of a command line; `None` for what is more than a list of pipelines of programs.
pub(super) fn split(command: &str) -> Option<Vec<Part<'_>>> {
    let bytes = command.as_bytes();
    let mut parts: Vec<Part<'_>> = Vec::new();
    let (mut start, mut at, mut redirects) = (0, 0, false);
    let mut follows_pipe = false;
    let mut push = |start: usize, stop: usize, end: &'static str, redirects: bool| -> Option<()> {
        let text = &command[start..stop];
        let lead = text.len() - text.trim_start().len();
        let text = text.trim();
        if text.is_empty() {
            // An operator without a command before it; blank lines and a last `;` are nothing.
            return matches!(end, "\n" | "").then_some(());
        }
        if text.starts_with('#') {
            return None;
        }
        let is_simple = !redirects && !follows_pipe && end != "|";
        follows_pipe = end == "|";
        parts.push(Part { start: start + lead, text, end, is_simple });
        Some(())
    };
    while at < bytes.len() {
        let next = bytes.get(at + 1).copied().unwrap_or(0);
        match bytes[at] {
            b'\\' => at += 2,
            b'\'' => at += memchr::memchr(b'\'', &bytes[at + 1..])? + 2,
            b'"' => at = double_quoted(bytes, at)?,
            b'$' if next == b'\'' => at = escaped_quoted(bytes, at + 1)?,
            b'$' if next == b'(' => at = bracketed(bytes, at + 1)?,
            b'$' if matches!(next, b'$' | b'!') => return None,
            b'$' if next == b'{' => at += memchr::memchr(b'}', &bytes[at..])? + 1,
            b'`' => at += memchr::memchr(b'`', &bytes[at + 1..])? + 2,
            // Groups, functions, texts in the command, substituted processes.
            b'(' | b')' => return None,
            b'<' if matches!(next, b'<' | b'(') => return None,
            b'>' if next == b'(' => return None,
            b'#' if at == 0 || bytes[at - 1].is_ascii_whitespace() => return None,
            b'>' => {
                let is_joined = command[..at].ends_with('2') && command[at..].starts_with(">&1");
                redirects |= !is_joined;
                at += if is_joined { 3 } else { 1 };
                // `>&` and `>|` are no operators between commands.
                at += usize::from(!is_joined && matches!(bytes.get(at), Some(b'&' | b'|' | b'>')));
            }
            b'<' => {
                redirects = true;
                at += 1;
            }
            b'&' if next == b'&' => {
                push(start, at, "&&", redirects)?;
                (at, redirects) = (at + 2, false);
                start = at;
            }
            // In the background, or `&>`.
            b'&' => {
                if next != b'>' {
                    return None;
                }
                (at, redirects) = (at + 2, true);
            }
            b'|' => {
                let (end, len) = if next == b'|' { ("||", 2) } else { ("|", 1) };
                if end == "|" && next == b'&' {
                    return None;
                }
                push(start, at, end, redirects)?;
                (at, redirects) = (at + len, false);
                start = at;
            }
            b';' | b'\n' => {
                if next == b';' {
                    return None;
                }
                push(start, at, if bytes[at] == b';' { ";" } else { "\n" }, redirects)?;
                (at, redirects) = (at + 1, false);
                start = at;
            }
            _ => at += 1,
        }
    }
    push(start, bytes.len(), "", redirects)?;
    // `a &&` goes on in a line that is not there.
    parts.last().filter(|last| matches!(last.end, "" | ";" | "\n"))?;
    Some(parts)
}

/// Behind a text in double quotes that begins at `at`.
fn double_quoted(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match *bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            b'$' if bytes.get(at + 1) == Some(&b'(') => at = bracketed(bytes, at + 1)?,
            b'`' => at += memchr::memchr(b'`', &bytes[at + 1..])? + 2,
            _ => at += 1,
        }
    }
}

/// Behind a text in `$'…'` whose quote is at `at`.
fn escaped_quoted(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match *bytes.get(at)? {
            b'\'' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Behind a substituted command whose bracket is at `at`.
fn bracketed(bytes: &[u8], at: usize) -> Option<usize> {
    let (mut at, mut depth) = (at, 0usize);
    loop {
        match *bytes.get(at)? {
            b'(' => (at, depth) = (at + 1, depth + 1),
            b')' => {
                (at, depth) = (at + 1, depth - 1);
                if depth == 0 {
                    return Some(at);
                }
            }
            b'\\' => at += 2,
            b'\'' => at += memchr::memchr(b'\'', &bytes[at + 1..])? + 2,
            b'"' if depth < 64 => at = double_quoted(bytes, at)?,
            b'"' => return None,
            _ => at += 1,
        }
    }
}

/// The first word, where it is written out.
pub(super) fn first_word(text: &str) -> Option<&str> {
    let end = text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len());
    let word = &text[..end];
    let is_plain = word.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-+[:@".contains(&b));
    (is_plain && !word.is_empty()).then_some(word)
}

/// Without the variables that are set for one command.
pub(super) fn without_assignments(text: &str) -> &str {
    let mut rest = text;
    loop {
        let name = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(0);
        if name == 0 || !rest[name..].starts_with('=') || rest.as_bytes()[0].is_ascii_digit() {
            return rest;
        }
        let value = &rest[name + 1..];
        // A value with quotes or brackets is not looked into.
        let end = value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len());
        if value[..end].contains(['"', '\'', '`', '$', '\\', '(']) {
            return "";
        }
        rest = value[end..].trim_start();
    }
}
