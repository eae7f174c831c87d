//! Linters that write the file above its findings: eslint (stylish), stylelint, ruff (grouped), rubocop (simple),
//! yamllint, remark and others of that layout.
//!
//! A heading is a line with only a path. The lines below it start with line and column, then severity or rule, then
//! the message. Findings of one message in one file are written as one line, with all places before the message.

use std::borrow::Cow;
use std::ops::Range;

use super::group::{Block, Layout};
use super::reader::{Linter, Reading};
use crate::reduce::Meta;
use crate::reduce::diagnostic::is_path;
use crate::text::source::Source;

/// The reducer of this module.
pub static ESLINT: Linter = Linter {
    meta: Meta {
        id: "eslint",
        family: "build",
        reads: "eslint (stylish), stylelint, `ruff --output-format grouped`, `rubocop -f simple`, yamllint, remark",
        keeps: "every file, every place with its rule and the names and numbers of its message, errors as they are, totals",
        omits: "findings of one message in one file into one line with all places",
        anchors: &[],
    },
    commands: &[
        "eslint",
        "stylelint",
        "ruff check",
        "ruff",
        "rubocop",
        "yamllint",
        "remark",
        "standard",
        "xo",
        "oxlint",
        "next lint",
        "ng lint",
    ],
    content: 3,
    read,
};

fn read<'a>(source: &'a Source<'a>, lines: Range<usize>) -> Reading<'a> {
    let mut out = Reading::default();
    let mut heading: Option<(usize, &str)> = None;
    for i in lines.clone() {
        let line = source.line(i);
        if line.trim().is_empty() {
            continue;
        }
        out.all += 1;
        if let Some((_, path)) = heading
            && let Some((place, message)) = entry(line)
        {
            out.own += 1;
            out.knows(source, i..i + 1);
            let at = heading.map_or(0, |(at, _)| at);
            let place = Cow::Owned(place);
            out.blocks.push(Block { lines: i..i + 1, path, place, message, layout: Layout::Below(at) });
            continue;
        }
        let next = if i + 1 < lines.end { source.line(i + 1) } else { "" };
        match entry(next).and_then(|_| path_alone(line)) {
            Some(path) => {
                heading = Some((i, path));
                out.knows(source, i..i + 1);
            }
            // A finding that continues on more lines, such as an excerpt below it.
            None if line.starts_with(' ') && heading.is_some() => out.knows(source, i..i + 1),
            None if is_total(line) => out.knows(source, i..i + 1),
            None => heading = None,
        }
    }
    out
}

/// A line with a path alone, also `path:` and `== path ==`.
fn path_alone(line: &str) -> Option<&str> {
    let line = line.trim_end();
    let path = line.strip_prefix("== ").and_then(|l| l.strip_suffix(" ==")).unwrap_or(line);
    let path = path.strip_suffix(':').unwrap_or(path);
    is_path(path).then_some(path)
}

/// `  3:5  warning  message  rule`, `   1:1   E401 [*] message`, `C:  1:  5: Rule: message`: the place, and the rest.
fn entry(line: &str) -> Option<(String, Cow<'_, str>)> {
    let line = line.trim_end();
    let (severity, rest) = match line.as_bytes() {
        [b'C' | b'W' | b'E' | b'F' | b'R' | b'I', b':', b' ', ..] => (&line[..2], &line[2..]),
        [b' ', ..] => ("", line),
        _ => return None,
    };
    let rest = rest.trim_start();
    let (row, rest) = rest.split_once(':')?;
    let rest = rest.trim_start_matches(|c| c == ' ' && !severity.is_empty());
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (column, rest) = rest.split_at(digits);
    if row.is_empty() || column.is_empty() || !row.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    if !severity.is_empty() {
        let message = rest.strip_prefix(": ").filter(|m| !m.is_empty())?;
        return Some((format!("{row}:{column}"), Cow::Owned(format!("{severity} {message}"))));
    }
    let message = rest.strip_prefix(' ')?.trim_start();
    is_marked(message).then(|| (format!("{row}:{column}"), narrow(message)))
}

/// The message without the blanks that align its columns: two or more become two.
fn narrow(message: &str) -> Cow<'_, str> {
    if !message.contains("   ") {
        return Cow::Borrowed(message);
    }
    let columns = message.split("  ").map(str::trim).filter(|column| !column.is_empty());
    Cow::Owned(columns.collect::<Vec<_>>().join("  "))
}

/// Whether a message starts with a severity or the code of a rule.
fn is_marked(message: &str) -> bool {
    let first = message.split(' ').next().unwrap_or_default();
    let is_code = || {
        let letters = first.bytes().take_while(u8::is_ascii_uppercase).count();
        letters > 0 && letters < first.len() && first[letters..].bytes().all(|b| b.is_ascii_digit())
    };
    matches!(first, "error" | "warning" | "warn" | "info" | "✖" | "×" | "⚠" | "ℹ" | "✗" | "i" | "!")
        || is_code()
}

/// Totals.
fn is_total(line: &str) -> bool {
    const STARTS: &[&str] = &["✖ ", "✔ ", "Found ", "[*] ", "⚠ ", "  0 errors", "No fixes"];
    STARTS.iter().any(|s| line.starts_with(s))
        || line.contains(" potentially fixable with the ")
        || line.contains(" offenses detected")
        || line.contains("problem") && line.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_entries() {
        let read = |line| entry(line).map(|(place, message)| (place, message.into_owned()));
        let found = |place: &str, message: &str| Some((place.to_owned(), message.to_owned()));
        assert_eq!(read("  3:5  warning  msg  rule"), found("3:5", "warning  msg  rule"));
        assert_eq!(read("   1:1   E401 [*] msg"), found("1:1", "E401 [*] msg"));
        assert_eq!(read("C:  1:  5: Naming/X: msg"), found("1:5", "C: Naming/X: msg"));
        assert_eq!(read("  46:3   ✖  msg  rule"), found("46:3", "✖  msg  rule"));
        for line in [
            "3:5  error  msg",
            "  3:5, 4:5  warning  msg",
            "  12:30 started",
            "  a:5  error",
            "C: drive",
            "  3: x",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
        assert_eq!(path_alone("== a/b.rb =="), Some("a/b.rb"));
        assert_eq!(path_alone("a/b.py:"), Some("a/b.py"));
        assert_eq!(path_alone("Found 3 errors."), None);
    }
}
