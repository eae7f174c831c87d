//! Reads a message: its severity, its code, and its rule.

use crate::reduce::lines::is_number;

/// The number of digits that some bytes start with.
pub(super) fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| b.is_ascii_digit()).count()
}

/// How severe a diagnostic of a compiler is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Includes fatal errors.
    Error,
    /// A warning.
    Warning,
    /// A note on another diagnostic.
    Note,
}

/// The severity that a message starts with, and what follows its colon: `fatal error: …`.
pub fn severity(message: &str) -> Option<(Severity, &str)> {
    let (word, rest) = message.split_once(':')?;
    let severity = match word {
        "error" | "fatal error" => Severity::Error,
        "warning" => Severity::Warning,
        "note" | "remark" => Severity::Note,
        _ => return None,
    };
    Some((severity, rest))
}

/// Like [`severity`], with the code that rustc writes after the word: `error[E0308]: …`, `warning[E0170]: …`.
pub fn severity_with_code(message: &str) -> Option<(Severity, &str)> {
    let (severity, rest) = [("warning", Severity::Warning), ("error", Severity::Error)]
        .into_iter()
        .find_map(|(word, severity)| Some((severity, message.strip_prefix(word)?)))?;
    let is_error_code = severity == Severity::Warning && rest.starts_with('[') || rest.starts_with("[E");
    (rest.starts_with(": ") || is_error_code).then_some((severity, rest))
}

/// The code that a message of a compiler starts with, of one to eight letters and at least three digits, and what follows it:
/// `C4996: …`, `TS2322: …`, `xUnit1026: …`.
pub fn code(message: &str) -> Option<(&str, &str)> {
    let end = message.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(message.len());
    let (code, rest) = message.split_at(end);
    let letters = code.bytes().take_while(u8::is_ascii_alphabetic).count();
    let digits = &code[letters..];
    let is_code = (1..=8).contains(&letters) && digits.len() >= 3 && is_number(digits);
    (is_code && rest.trim_start().starts_with(':')).then_some((code, rest))
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
pub(super) fn is_severity(message: &str) -> bool {
    SEVERITIES.iter().any(|s| {
        message.strip_prefix(s).is_some_and(|rest| {
            rest.starts_with([':', '[']) || rest.starts_with(" - ") || s.len() > 3 && rest.starts_with(' ')
        })
    })
}

/// Whether a message starts with a severity or a code, or ends with the name of a rule.
pub(super) fn is_marked(message: &str) -> bool {
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
    if close && rule.len() == 1 && is_number(rule) {
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

    #[test]
    fn severities_are_read() {
        assert_eq!(severity("fatal error: x.h: none"), Some((Severity::Error, " x.h: none")));
        assert_eq!(severity("warning: x"), Some((Severity::Warning, " x")));
        assert_eq!(severity("remark:x"), Some((Severity::Note, "x")));
        assert_eq!((severity("warnings: x"), severity("an error: x"), severity("error")), (None, None, None));
        assert_eq!(severity_with_code("error[E0308]: x"), Some((Severity::Error, "[E0308]: x")));
        assert_eq!(severity_with_code("error: x"), Some((Severity::Error, ": x")));
        assert_eq!((severity_with_code("error[x]: y"), severity_with_code("errors: y")), (None, None));
    }

    #[test]
    fn codes_are_read() {
        assert_eq!(code("C4996: 'x': old"), Some(("C4996", ": 'x': old")));
        assert_eq!(code("LNK1181 : no file"), Some(("LNK1181", " : no file")));
        assert_eq!((code("C49: x"), code("errorcode123: x"), code("C4996 is a code")), (None, None, None));
    }
}
