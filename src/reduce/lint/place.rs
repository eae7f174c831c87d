//! The line with which a linter names a place and says what is wrong there, in the variants that linters
//! write: `a.py:3:5: E501 …`, `a.py:3: [W0611] …`, `a.js: line 3, col 5, Warning - …`, `[WARN] A.java:3:5: …`,
//! `Dockerfile:3 DL3008 …`, `a.cpp(3):  …  [x/y] [1]`, `M D NP: … At A.java:[line 3]`.
//!
//! Nothing here knows a single tool's rules; what looks like a place in a log line, a stack or an address is none.

use std::borrow::Cow;

/// What such a line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline<'a> {
    /// The file.
    pub path: &'a str,
    /// Line and column as `3:5`, or the line alone.
    pub place: Cow<'a, str>,
    /// All else that the line says.
    pub message: Cow<'a, str>,
    /// Whether the message has a severity or a rule, which only a tool writes.
    pub is_marked: bool,
}

/// Longest line that is read, in bytes.
const LONGEST: usize = 4000;
/// What may stand before the path.
const BEFORE: &[&str] =
    &["[WARN] ", "[ERROR] ", "[INFO] ", "[WARNING] ", "ERROR: ", "WARNING: ", "warning: ", "  "];

/// Reads a line.
pub fn headline(line: &str) -> Option<Headline<'_>> {
    let line = line.trim_end();
    if line.len() > LONGEST || !line.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    // None of them starts with a digit, as the lines of most logs do.
    let before = match line.as_bytes() {
        [b'0'..=b'9', ..] => "",
        _ => BEFORE.iter().find(|b| line.starts_with(**b)).copied().unwrap_or(""),
    };
    let rest = &line[before.len()..];
    let mut found =
        compact(rest).or_else(|| colon(rest)).or_else(|| bracketed(rest)).or_else(|| bug(rest))?;
    // Reek writes its findings below their file, with a link behind each.
    if before == "  " && !is_severity(&found.message) && !ends_with_link(&found.message) {
        return None;
    }
    if !before.trim().is_empty() {
        found.message = Cow::Owned(format!("{before}{}", found.message));
        found.is_marked = true;
    }
    Some(found)
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| b.is_ascii_digit()).count()
}

/// `path:3:5: message`, with what linters write in place of the last colon.
fn colon(line: &str) -> Option<Headline<'_>> {
    let bytes = line.as_bytes();
    for at in memchr::memchr_iter(b':', bytes).take(8) {
        let mut end = at + 1;
        let opened = usize::from(bytes.get(end) == Some(&b'['));
        end += opened;
        let row = digits(bytes.get(end..)?);
        if row == 0 {
            continue;
        }
        end += row;
        let mut has_column = false;
        if matches!(bytes.get(end), Some(b':' | b',')) && digits(&bytes[end + 1..]) > 0 {
            end += 1 + digits(&bytes[end + 1..]);
            has_column = true;
        }
        let place = &line[at + 1 + opened..end];
        if opened == 1 {
            end += usize::from(bytes.get(end) == Some(&b']'));
        }
        let path = Some(&line[..at]).filter(|path| is_path(path))?;
        let rest = &line[end..];
        let (message, needs_mark) = match rest {
            _ if rest.starts_with(": ") => (rest[2..].trim_start(), !has_column || rest.starts_with(":  ")),
            _ if rest.starts_with(" - ") => (&rest[3..], true),
            _ if rest.starts_with(' ') => (&rest[1..], opened == 0),
            _ if rest.starts_with(':') => (&rest[1..], true),
            _ => return None,
        };
        let is_marked = is_marked(message);
        if message.is_empty() || needs_mark && !is_marked {
            return None;
        }
        let place = if opened == 1 { Cow::Owned(place.replace(',', ":")) } else { Cow::Borrowed(place) };
        return Some(Headline { path, place, message: Cow::Borrowed(message), is_marked });
    }
    None
}

/// `path: line 3, col 5, Warning - message`
fn compact(line: &str) -> Option<Headline<'_>> {
    let (path, rest) = line.split_once(": line ")?;
    let (row, rest) = rest.split_at(digits(rest.as_bytes()));
    let rest = rest.strip_prefix(", col ")?;
    let (column, rest) = rest.split_at(digits(rest.as_bytes()));
    let message = rest.strip_prefix(", ")?;
    let fits = is_path(path) && !row.is_empty() && !column.is_empty() && !message.is_empty();
    fits.then(|| Headline {
        path,
        place: Cow::Owned(format!("{row}:{column}")),
        message: Cow::Borrowed(message),
        is_marked: true,
    })
}

/// `path(3):  message  [category/rule] [5]`
fn bracketed(line: &str) -> Option<Headline<'_>> {
    let open = line.find('(')?;
    let rest = &line[open + 1..];
    let place = &rest[..digits(rest.as_bytes())];
    let message = rest[place.len()..].strip_prefix("):")?.trim_start();
    let fits = is_path(&line[..open]) && !place.is_empty() && is_marked(message);
    fits.then(|| Headline {
        path: &line[..open],
        place: Cow::Borrowed(place),
        message: Cow::Borrowed(message),
        is_marked: true,
    })
}

/// `M D NP: message  At A.java:[line 3]`, as SpotBugs writes a bug.
fn bug(line: &str) -> Option<Headline<'_>> {
    let head = line.as_bytes().get(..4)?;
    if !matches!(head, [b'H' | b'M' | b'L', b' ', b'A'..=b'Z', b' ']) {
        return None;
    }
    let (before, at) = line.rsplit_once(":[line")?;
    let (message, path) = before.rsplit_once(' ')?;
    let place = at.trim_start_matches('s').strip_prefix(' ')?.strip_suffix(']')?;
    let fits = is_path(path) && place.bytes().all(|b| b.is_ascii_digit() || b == b'-') && !place.is_empty();
    fits.then(|| Headline {
        path,
        place: Cow::Borrowed(place),
        message: Cow::Borrowed(message.strip_suffix(" At").unwrap_or(message).trim_end()),
        is_marked: true,
    })
}

/// Whether a text can be a file's path: no time, no address, no word of a sentence.
pub fn is_path(text: &str) -> bool {
    const BARE: &[&str] = &["Dockerfile", "Makefile", "Gemfile", "Rakefile", "Containerfile", "<stdin>", "-"];
    let has_folder = text.contains(['/', '\\']);
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    let starts = text
        .bytes()
        .next()
        .is_some_and(|b| b.is_ascii_alphanumeric() || b"/.~_-<@".contains(&b) || b >= 0x80);
    BARE.contains(&name)
        || starts
            && text.len() < 300
            && (has_folder || !text.contains(' ') && text.contains('.'))
            && text.bytes().any(|b| b.is_ascii_alphabetic())
            && !text.contains("://")
            && !text.contains(": ")
            && !text.contains(['"', '(', '\t', '|', '='])
            && !name.is_empty()
}

const SEVERITIES: &[&str] = &[
    "error",
    "warning",
    "note",
    "info",
    "information",
    "style",
    "performance",
    "portability",
    "convention",
    "refactor",
    "hint",
    "fatal error",
    "severe",
    "warn",
    "Error",
    "Warning",
    "Info",
    "ERROR",
    "WARNING",
    "E",
    "W",
    "C",
    "R",
    "F",
    "I",
];

/// `warning: …`, `error[…`, `W: …`
fn is_severity(message: &str) -> bool {
    SEVERITIES.iter().any(|s| {
        message.strip_prefix(s).is_some_and(|rest| {
            rest.starts_with([':', '[']) || rest.starts_with(" - ") || s.len() > 3 && rest.starts_with(' ')
        })
    })
}

/// Whether a message starts with a severity or a code, or ends with the name of a rule.
fn is_marked(message: &str) -> bool {
    is_severity(message) || starts_with_code(message) || ends_with_rule(message) || ends_with_link(message)
}

/// `E501 …`, `[F401] …`, `SC2086: …`, `MD041/first-line …`
fn starts_with_code(message: &str) -> bool {
    let body = message.strip_prefix('[').unwrap_or(message);
    let bytes = body.as_bytes();
    let letters = bytes.iter().take_while(|b| b.is_ascii_uppercase()).count();
    let numbers = digits(&bytes[letters..]);
    let next = bytes.get(letters + numbers);
    if (1..=8).contains(&letters) && (1..=6).contains(&numbers) {
        return matches!(next, Some(b' ' | b':' | b'/' | b']' | b'(' | b',') | None);
    }
    // `[W] …`, `[error] …`
    body.len() < message.len()
        && body.split_once(']').is_some_and(|(word, _)| {
            (1..=12).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'*')
        })
}

/// `… [https://…]`
pub fn ends_with_link(message: &str) -> bool {
    let link = message.strip_suffix(".md]").and_then(|m| m.rsplit_once(" [https://"));
    link.is_some_and(|(_, link)| !link.contains([' ', '[']))
}

/// `… (line-too-long)`, `… [arg-type]`, `… [whitespace/tab] [5]`
fn ends_with_rule(message: &str) -> bool {
    let Some((message, close)) = message.strip_suffix([']', ')']).map(|m| (m, message.ends_with(']'))) else {
        return false;
    };
    let open = if close { '[' } else { '(' };
    let Some((before, rule)) = message.rsplit_once(open) else { return false };
    if close && rule.len() == 1 && rule.bytes().all(|b| b.is_ascii_digit()) {
        return ends_with_rule(before.trim_end());
    }
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"-_./:@,= ".contains(&b);
    before.ends_with(' ')
        && (2..=80).contains(&rule.len())
        && rule.bytes().all(fits)
        && rule.bytes().any(|b| b.is_ascii_alphabetic())
        && (!rule.contains(' ') || rule.starts_with("Rule:") || rule.contains(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(String, String, String, bool)> {
        headline(line).map(|h| (h.path.into(), h.place.into_owned(), h.message.into_owned(), h.is_marked))
    }

    #[test]
    fn reads_what_linters_write() {
        for (line, path, place, message) in [
            ("a/b.py:3:5: E501 line too long", "a/b.py", "3:5", "E501 line too long"),
            ("a.py:3: [F401] 'os' imported", "a.py", "3", "[F401] 'os' imported"),
            (
                "a.py:3:0: C0301: Line too long (1/2) (line-too-long)",
                "a.py",
                "3:0",
                "C0301: Line too long (1/2) (line-too-long)",
            ),
            ("C:\\x\\a.cpp:3:5: style: msg [rule]", "C:\\x\\a.cpp", "3:5", "style: msg [rule]"),
            ("a.cpp:3:  Tab found  [whitespace/tab] [1]", "a.cpp", "3", "Tab found  [whitespace/tab] [1]"),
            (
                "c:\\a.cpp(824):  Tab found  [whitespace/tab] [1]",
                "c:\\a.cpp",
                "824",
                "Tab found  [whitespace/tab] [1]",
            ),
            ("/p/a.js: line 2, col 3, Warning - x (semi)", "/p/a.js", "2:3", "Warning - x (semi)"),
            ("Dockerfile:3 DL3008 warning: Pin versions", "Dockerfile", "3", "DL3008 warning: Pin versions"),
            ("[WARN] /p/A.java:3:5: Missing. [Javadoc]", "/p/A.java", "3:5", "[WARN] Missing. [Javadoc]"),
            (
                "[WARN] src/A.java:[3,5] (javadoc) JavadocMethod: Missing",
                "src/A.java",
                "3:5",
                "[WARN] (javadoc) JavadocMethod: Missing",
            ),
            ("  /p/a.py:3:5 - warning: msg (rule)", "/p/a.py", "3:5", "warning: msg (rule)"),
            (
                "M D DLS: Dead store in A.f()  At A.java:[line 12]",
                "A.java",
                "12",
                "M D DLS: Dead store in A.f()",
            ),
            ("a.rb:1:1: C: [Correctable] Style/X: msg", "a.rb", "1:1", "C: [Correctable] Style/X: msg"),
            (
                "  a/b.rb:3: FeatureEnvy: B#c refers to 'd' [https://x.org/docs/Feature-Envy.md]",
                "a/b.rb",
                "3",
                "FeatureEnvy: B#c refers to 'd' [https://x.org/docs/Feature-Envy.md]",
            ),
            ("README.md:1 MD041/first-line msg", "README.md", "1", "MD041/first-line msg"),
        ] {
            assert_eq!(read(line), Some((path.into(), place.into(), message.into(), true)), "{line}");
        }
        assert_eq!(
            read("./a.go:3:5: exported x"),
            Some(("./a.go".into(), "3:5".into(), "exported x".into(), false))
        );
    }

    #[test]
    fn declines_what_is_none() {
        for line in [
            "2024-01-01 12:30:45 started",
            "10.0.0.1:8080: refused [x]",
            "http://localhost:3000: up [ok]",
            "src/a.rs:12:let x = 1;",
            "src/a.rs:12:5:    let x = 1;",
            "at foo (a.js:3:5)",
            "INFO org.foo.Bar:123 - said (hello)",
            "  a.py:3:5 - said (hello)",
            "no place at all",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
