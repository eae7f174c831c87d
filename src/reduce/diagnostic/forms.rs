//! The forms of headlines, one function each. Text in a log line, a stack or an address that only looks like a place
//! is not accepted.

use std::borrow::Cow;

use super::message::{
    Severity, code, digits, ends_with_link, is_marked, is_severity, severity, severity_with_code,
};
use super::{Diagnostic, Form};
use crate::reduce::lines::{MAX_LINE_BYTES, is_number};

/// `path:3: message` or `path:3:5: message`. A path may contain a colon (`C:\a.c:3:5: …`), but a text with a colon
/// and a blank after it is a message (`make: *** [Makefile:3: a.o] Error 1`).
pub(super) fn plain(line: &str) -> Option<Diagnostic<'_>> {
    if line.starts_with([' ', '\t', ':']) {
        return None;
    }
    let found = spot(line, usize::MAX, false)?;
    let fits = !found.path.contains(": ") && !found.place.contains(',');
    let message = found.rest.strip_prefix(": ").filter(|_| fits)?;
    let (severity, text) = severity(message).map_or((None, message), |(found, text)| (Some(found), text));
    let (path, place) = (found.path, Cow::Borrowed(found.place));
    Some(Diagnostic { path, place, message: message.into(), severity, text, is_marked: severity.is_some() })
}

/// The plain form with `vet: ` before it or not.
pub(super) fn go_vet(line: &str) -> Option<Diagnostic<'_>> {
    plain(line.strip_prefix("vet: ").unwrap_or(line))
}

/// The plain form with a severity that may have a code: `src/main.rs:2:9: error[E0308]: …`.
pub(super) fn rust_short(line: &str) -> Option<Diagnostic<'_>> {
    let found = plain(line)?;
    let Cow::Borrowed(message) = found.message else { return None };
    let (severity, text) = severity_with_code(message)?;
    Some(Diagnostic { severity: Some(severity), text, is_marked: true, ..found })
}

/// The plain form with the words of javac, kotlinc and scalac: errors and warnings alone. Maven and Ant put their own word before
/// the path.
pub(super) fn jvm(line: &str) -> Option<Diagnostic<'_>> {
    let found = plain(line).filter(|found| !found.path.starts_with('['))?;
    if let Some(Severity::Warning | Severity::Error) = found.severity {
        let text = found.text.strip_prefix(' ')?;
        return Some(Diagnostic { text, ..found });
    }
    let Cow::Borrowed(message) = found.message else { return None };
    let of = |words: &[&str]| words.iter().find_map(|word| message.strip_prefix(word));
    let (severity, text) = match of(&["info: ", "warning - "]) {
        Some(text) => (Severity::Warning, text),
        None => (Severity::Error, of(&["exception: "])?),
    };
    Some(Diagnostic { severity: Some(severity), text, is_marked: true, ..found })
}

/// `-- [E007] Type Mismatch Error: src/a.scala:3:5 -------`
pub(super) fn scala3(line: &str) -> Option<Diagnostic<'_>> {
    let before = line.strip_prefix("-- ")?.trim_end().trim_end_matches('-').trim_end();
    let (text, at) = before.rsplit_once(": ")?;
    let path = at.split(':').next().filter(|path| !path.is_empty() && at.len() > path.len())?;
    let severity = match () {
        () if text.ends_with("Error") => Severity::Error,
        () if text.ends_with("Warning") || text.ends_with("Info") => Severity::Warning,
        () => return None,
    };
    let found = Diagnostic::marked(path, &at[path.len() + 1..], text);
    Some(Diagnostic { severity: Some(severity), text, ..found })
}

/// `src/a.ts(3,5): error TS2322: …`, `src/a.ts:3:5 - error TS2322: …`, `error TS18003: …`
pub(super) fn typescript(line: &str) -> Option<Diagnostic<'_>> {
    /// Before the code, after `): ` or ` - `.
    const WORDS: &[(&str, Severity)] = &[
        ("): error ", Severity::Error),
        (" - error ", Severity::Error),
        ("): warning ", Severity::Warning),
        (" - warning ", Severity::Warning),
        ("): message ", Severity::Note),
        (" - message ", Severity::Note),
    ];
    const BETWEEN: usize = "): ".len();
    if !line.contains(" TS") {
        return None;
    }
    let (path, place, message, text, severity) = match line.strip_prefix("error ") {
        Some(text) => ("", "", line, text, Severity::Error),
        None => WORDS.iter().find_map(|(words, severity)| {
            let (before, text) = line.split_once(words)?;
            let (path, place) = place_before(before)?;
            Some((path, place, &line[before.len() + BETWEEN..], text, *severity))
        })?,
    };
    is_number(text.strip_prefix("TS")?.split(':').next()?).then_some(())?;
    let found = Diagnostic::marked(path, place, message);
    Some(Diagnostic { severity: Some(severity), text, ..found })
}

/// `src/a.ts(3,5` or `src/a.ts:3:5`: the path, and the numbers.
fn place_before(text: &str) -> Option<(&str, &str)> {
    let is_digit = |c: char| c.is_ascii_digit();
    let rest = Some(text.trim_end_matches(is_digit)).filter(|rest| rest.len() < text.len())?;
    let rest = rest.strip_suffix([',', ':'])?;
    let path = rest.trim_end_matches(is_digit);
    let fits =
        path.len() < rest.len() && path.len() > 1 && path.ends_with(['(', ':']) && !path.starts_with(' ');
    fits.then(|| (&path[..path.len() - 1], &text[path.len()..]))
}

/// `…: warning C4996: …`, `LINK : fatal error LNK1181: …`: the code, wherever it is on the line. TypeScript writes
/// its places in the same way.
pub(super) fn microsoft(line: &str) -> Option<Diagnostic<'_>> {
    const WORDS: &[(&str, Severity)] = &[
        (": warning ", Severity::Warning),
        (": error ", Severity::Error),
        (": fatal error ", Severity::Error),
        (": Command line warning ", Severity::Warning),
        (": Command line error ", Severity::Error),
    ];
    let found = WORDS.iter().filter_map(|(word, severity)| line.find(word).map(|at| (at, *word, *severity)));
    let (at, word, severity) = found.min_by_key(|(at, word, _)| (*at, *word))?;
    let text = &line[at + word.len()..];
    code(text).filter(|(code, _)| !code.starts_with("TS"))?;
    let found = Diagnostic::marked("", "", &line[at + 2..]);
    Some(Diagnostic { severity: Some(severity), text, ..found })
}

/// Words that may be before the path.
const BEFORE: &[&str] =
    &["[WARN] ", "[ERROR] ", "[INFO] ", "[WARNING] ", "ERROR: ", "WARNING: ", "warning: ", "  "];

/// The forms that linters use, in the order in which they are tried.
const LINTERS: &[Form] = &[compact, colon, bracketed, bug];

/// A line of a linter in any of its forms.
pub(super) fn linter(line: &str) -> Option<Diagnostic<'_>> {
    let line = line.trim_end();
    if line.len() > MAX_LINE_BYTES || !line.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    // None of them starts with a digit, as the lines of most logs do.
    let before = match line.as_bytes() {
        [b'0'..=b'9', ..] => "",
        _ => BEFORE.iter().find(|b| line.starts_with(**b)).copied().unwrap_or(""),
    };
    let rest = &line[before.len()..];
    let mut found = LINTERS.iter().find_map(|form| form(rest))?;
    // Reek writes its findings below their file, with a link after each.
    if before == "  " && !is_severity(&found.message) && !ends_with_link(&found.message) {
        return None;
    }
    if !before.trim().is_empty() {
        found.message = Cow::Owned(format!("{before}{}", found.message));
        found.is_marked = true;
    }
    Some(found)
}

/// A warning of a compiler that fills one line.
pub(super) fn one_line(line: &str) -> Option<Diagnostic<'_>> {
    let text = line.trim_end();
    if text.len() > MAX_LINE_BYTES || text.is_empty() {
        return None;
    }
    if let Some(rest) = text.strip_prefix("w: ") {
        return kotlin(rest);
    }
    let is_warning = |found: &Diagnostic<'_>| {
        ["warning: ", "[WARNING] "].iter().any(|word| found.message.starts_with(word))
    };
    msvc(text).or_else(|| linter(text).filter(is_warning).filter(|_| !text.starts_with(' ')))
}

/// Reads `path:3:5` at the end of a text: the path, and the place.
pub fn at_end(text: &str) -> Option<(&str, &str)> {
    let (rest, column) = text.rsplit_once(':')?;
    let (path, row) = rest.rsplit_once(':')?;
    (is_number(row) && is_number(column)).then(|| (path, &text[path.len() + 1..]))
}

/// A line of MSBuild without its indentation and the number of the node that wrote it: `     1>`, `   1:2>`.
pub fn without_node(line: &str) -> &str {
    let text = line.trim();
    match text.split_once('>') {
        Some((node, rest)) if !node.is_empty() && node.bytes().all(|b| b.is_ascii_digit() || b == b':') => {
            rest.trim_start()
        }
        _ => text,
    }
}

/// A path with the numbers after it.
struct Spot<'a> {
    path: &'a str,
    /// The line, with the column after a colon or a comma.
    place: &'a str,
    is_bracketed: bool,
    /// What follows.
    rest: &'a str,
}

/// Reads up to the first number after one of the first `most` colons; with `brackets` also `path:[3,5]`.
fn spot(line: &str, most: usize, brackets: bool) -> Option<Spot<'_>> {
    let bytes = line.as_bytes();
    for at in memchr::memchr_iter(b':', bytes).take(most) {
        let is_bracketed = brackets && bytes.get(at + 1) == Some(&b'[');
        let start = at + 1 + usize::from(is_bracketed);
        let mut end = start + digits(&bytes[start..]);
        if end == start {
            continue;
        }
        if let Some(b':' | b',') = bytes.get(end) {
            let column = digits(&bytes[end + 1..]);
            end += if column > 0 { 1 + column } else { 0 };
        }
        let (path, place, rest) = (&line[..at], &line[start..end], &line[end..]);
        let rest = rest.strip_prefix(']').filter(|_| is_bracketed).unwrap_or(rest);
        return Some(Spot { path, place, is_bracketed, rest });
    }
    None
}

/// The number that a text starts with, and what follows it.
fn number(text: &str) -> Option<(&str, &str)> {
    let digits = digits(text.as_bytes());
    (digits > 0).then(|| text.split_at(digits))
}

/// `path:3:5: message`, with what linters write in place of the last colon.
fn colon(line: &str) -> Option<Diagnostic<'_>> {
    let Spot { path, place, is_bracketed, rest } = spot(line, 8, true).filter(|found| is_path(found.path))?;
    let (message, needs_mark) = match rest {
        _ if rest.starts_with(": ") => {
            (rest[2..].trim_start(), !place.contains([':', ',']) || rest.starts_with(":  "))
        }
        _ if rest.starts_with(" - ") => (&rest[3..], true),
        _ if rest.starts_with(' ') => (&rest[1..], !is_bracketed),
        _ if rest.starts_with(':') => (&rest[1..], true),
        _ => return None,
    };
    let is_marked = is_marked(message);
    if message.is_empty() || needs_mark && !is_marked {
        return None;
    }
    let place = if is_bracketed { Cow::Owned(place.replace(',', ":")) } else { Cow::Borrowed(place) };
    let found = Diagnostic::marked(path, place, message);
    Some(Diagnostic { is_marked, ..found })
}

/// `path: line 3, col 5, Warning - message`
fn compact(line: &str) -> Option<Diagnostic<'_>> {
    let (path, rest) = line.split_once(": line ")?;
    let (row, rest) = number(rest)?;
    let (column, rest) = number(rest.strip_prefix(", col ")?)?;
    let message = rest.strip_prefix(", ")?;
    let fits = is_path(path) && !message.is_empty();
    fits.then(|| Diagnostic::marked(path, format!("{row}:{column}"), message))
}

/// `path(3):  message  [category/rule] [5]`
fn bracketed(line: &str) -> Option<Diagnostic<'_>> {
    let (path, rest) = line.split_once('(')?;
    let (place, rest) = number(rest)?;
    let message = rest.strip_prefix("):")?.trim_start();
    (is_path(path) && is_marked(message)).then(|| Diagnostic::marked(path, place, message))
}

/// `M D NP: message  At A.java:[line 3]`, as SpotBugs writes a bug.
fn bug(line: &str) -> Option<Diagnostic<'_>> {
    let head = line.as_bytes().get(..4)?;
    if !matches!(head, [b'H' | b'M' | b'L', b' ', b'A'..=b'Z', b' ']) {
        return None;
    }
    let (before, at) = line.rsplit_once(":[line")?;
    let (message, path) = before.rsplit_once(' ')?;
    let place = at.trim_start_matches('s').strip_prefix(' ')?.strip_suffix(']')?;
    let fits = is_path(path) && place.bytes().all(|b| b.is_ascii_digit() || b == b'-') && !place.is_empty();
    let message = message.strip_suffix(" At").unwrap_or(message).trim_end();
    fits.then(|| Diagnostic::marked(path, place, message))
}

/// `a.cpp(3,5): warning C4996: … [p.vcxproj]`, indented or after the number of a node, `1>`.
fn msvc(text: &str) -> Option<Diagnostic<'_>> {
    let at = memchr::memmem::find(text.as_bytes(), b"): warning ")?;
    let open = text[..at].rfind('(')?;
    let place = &text[open + 1..at];
    let mut numbers = place.split(',');
    let is_place = place.len() <= 40 && numbers.by_ref().all(|n| n.len() < 10 && is_number(n));
    let before = &text[..open];
    let node = before.bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b' ' | b'\t' | b':')).count();
    let node = if before[node..].starts_with('>') { node + 1 } else { 0 };
    let path = before[node..].trim_start();
    let message = &text[at + 3..];
    let fits = is_place && !path.is_empty() && !path.contains(['"', '\t']);
    let message = match before.len() - path.len() {
        0 => Cow::Borrowed(message),
        end => Cow::Owned(format!("{}{message}", &before[..end])),
    };
    fits.then(|| Diagnostic::marked(path, place.replace(',', ":"), message))
}

/// `a.kt:3:5 …`, before Kotlin 1.8 `a.kt: (3, 5): …`.
fn kotlin(text: &str) -> Option<Diagnostic<'_>> {
    let end = [".kt:", ".kts:"].iter().filter_map(|end| text.find(end).map(|at| at + end.len() - 1)).min()?;
    let path = &text[..end];
    let rest = &text[end + 1..];
    let (place, message) = match rest.strip_prefix(" (") {
        Some(old) => {
            let (row, old) = number(old)?;
            let (column, old) = number(old.strip_prefix(", ")?)?;
            (Cow::Owned(format!("{row}:{column}")), old.strip_prefix("): ")?)
        }
        None => {
            let (row, new) = number(rest)?;
            let (column, new) = number(new.strip_prefix(':')?)?;
            let place = &rest[..row.len() + 1 + column.len()];
            (Cow::Borrowed(place), new.strip_prefix(": ").or_else(|| new.strip_prefix(' '))?)
        }
    };
    let fits = !path.contains(": ") && !message.is_empty();
    fits.then(|| Diagnostic::marked(path, place, format!("w: {message}")))
}

/// Whether a text can be the path of a file, and is not a time, an address or a word of a sentence.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(String, String, String, bool)> {
        linter(line).map(|h| (h.path.into(), h.place.into_owned(), h.message.into_owned(), h.is_marked))
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

    #[test]
    fn warnings_of_one_line_are_read() {
        for (line, path, place, message) in [
            (
                "C:\\x\\a.cpp(3,5): warning C4996: 'f': no [C:\\p.vcxproj]",
                "C:\\x\\a.cpp",
                "3:5",
                "warning C4996: 'f': no [C:\\p.vcxproj]",
            ),
            ("  1>a (b).c(3): warning C1: x", "a (b).c", "3", "  1>warning C1: x"),
            ("/p/A.cs(7,5,7,9): warning CS0618: old", "/p/A.cs", "7:5:7:9", "warning CS0618: old"),
            ("src/a.c:3:5: warning: x [-Wy]", "src/a.c", "3:5", "warning: x [-Wy]"),
            ("C:\\a.c:3: warning: x", "C:\\a.c", "3", "warning: x"),
            ("w: file:///p/A.kt:7:5 'f' is deprecated.", "file:///p/A.kt", "7:5", "w: 'f' is deprecated."),
            ("w: /p/A.kt: (7, 5): unused", "/p/A.kt", "7:5", "w: unused"),
            ("[WARNING] /p/A.java:[3,5] old", "/p/A.java", "3:5", "[WARNING] old"),
        ] {
            let found = one_line(line).unwrap();
            assert_eq!((found.path, &*found.place, &*found.message), (path, place, message));
        }
        for line in [
            "a.c:3:5: error: x",
            "make: warning: jobserver unavailable",
            "LINK : warning LNK4099: no place",
            "w: Kotlin plugin is old",
            "[WARNING] Using platform encoding: UTF-8",
            "f(x): warning signs",
            "",
        ] {
            assert!(one_line(line).is_none(), "{line}");
        }
    }

    #[test]
    fn reads_what_compilers_write() {
        let place = |line| plain(line).map(|found| (found.path, found.message.into_owned()));
        assert_eq!(place("src/a.c:3:5: error: x"), Some(("src/a.c", "error: x".to_owned())));
        assert_eq!(place("C:\\a.c:3: warning: y"), Some(("C:\\a.c", "warning: y".to_owned())));
        assert_eq!(place("12:30:01 started"), None);
        assert_eq!(place(" a.c:3:5: error: x"), None);
        assert_eq!(place("a.c:3:5:error"), None);
        assert_eq!(place("make: *** [Makefile:3: a.o] Error 1"), None);
        assert_eq!(place("no place at all"), None);
    }

    #[test]
    fn nodes_of_msbuild_are_taken_off() {
        assert_eq!(without_node("   1:2>a.cs(1,2): error CS1: x"), "a.cs(1,2): error CS1: x");
        assert_eq!(without_node("  a > b"), "a > b");
    }

    #[test]
    fn reads_places_at_the_end() {
        assert_eq!(at_end("C:\\a b.py:3:5"), Some(("C:\\a b.py", "3:5")));
        assert_eq!((at_end("a.py:3"), at_end("a.py:3:"), at_end("a.py:x:5")), (None, None, None));
    }
}
