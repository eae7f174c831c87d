//! Words as passwords: whether `correcthorsebattery` behind a name for a password is the password.
//!
//! In code such a word is a type, a variable or a message far more often. So it counts only where a text is data and not
//! code: a pair of JSON, a file with `[sections]`, a mapping of YAML with other settings around it, an environment.
//! It reads a few lines around a name and claims nothing.

use std::ops::Range;

use super::judge::{ByteSet, MAX_ODDITY_OF_NAMES, Sought, is_word, oddity, skip};

const BLANK: ByteSet = ByteSet::parse(" \t");
const KEY: ByteSet = ByteSet::parse("a-zA-Z0-9_.-");

/// Shorter words are names, labels and what tests use.
const MIN_BYTES: usize = 8;
const MAX_BYTES: usize = 64;
/// Lines before a setting that are searched for the heading of its section.
const MAX_LINES_OF_SECTION: usize = 16;
/// Lines before and after a setting that are searched for one that says who or where.
const MAX_LINES_BESIDE: usize = 6;
/// Bytes of these lines together.
const MAX_NEAR_BYTES: usize = 512;

/// Parts of words that describe a password but are not one: types, labels, messages, test values.
const DESCRIBING: Sought<64> = Sought::new([
    "pass",
    "pwd",
    "secret",
    "example",
    "sample",
    "requir",
    "string",
    "text",
    "type",
    "field",
    "input",
    "valid",
    "incorrect",
    "wrong",
    "missing",
    "empty",
    "hidden",
    "mask",
    "crypt",
    "hash",
    "plain",
    "null",
    "true",
    "false",
    "default",
    "option",
    "prompt",
    "enter",
    "your",
    "login",
    "auth",
    "label",
    "error",
    "match",
    "char",
    "keyword",
    "undefined",
    "unknown",
    "able",
    "change",
    "expire",
    "reset",
    "forgot",
    "confirm",
    "update",
    "test",
    "value",
    "token",
    "object",
    "bytes",
    "number",
    "setting",
    "config",
    "variable",
    "protect",
    "sensitive",
    "credential",
    "short",
    "length",
    "weak",
    "strong",
    "exist",
    "found",
    "need",
]);

/// Whether the value of a name for a password is a word, and stands where only values stand. `is_field` says that the value has
/// a field of its own, as in `name: DB_PASSWORD` above `value: …`.
pub(super) fn is_password(text: &[u8], name: &Range<usize>, value: &Range<usize>, is_field: bool) -> bool {
    let bytes = &text[value.clone()];
    let is_value = || {
        is_field
            || is_pair_of_json(text, name, value)
            || is_parameter(text, name, value)
            || is_defined(text, name.start)
            || is_setting(text, name, value)
    };
    // A pass is a step of a compiler, or a test that passed.
    let is_pass = text[name.clone()].eq_ignore_ascii_case(b"pass");
    !is_pass && may_be_chosen(bytes) && is_value() && !describes(bytes)
}

/// Whether letters are neither a word nor words in camel case: two runs of capitals or more among small letters, or letters
/// of alternating case.
pub(super) fn is_mixed(bytes: &[u8]) -> bool {
    let is_long = (10..=MAX_BYTES).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_alphabetic);
    let runs = bytes.split(u8::is_ascii_lowercase).filter(|capitals| capitals.len() >= 2).count();
    is_long && (runs >= 2 || oddity(bytes) > MAX_ODDITY_OF_NAMES) && !describes(bytes)
}

/// `define('DB_PASSWORD', '…')`, the constants of PHP.
pub(super) fn is_defined(text: &[u8], name: usize) -> bool {
    let before = &text[name.saturating_sub(12)..name];
    let before = before.strip_suffix(b"'").or(before.strip_suffix(b"\"")).unwrap_or_default();
    before.trim_ascii_end().ends_with(b"define(")
}

/// `?password=…` and `&password=…`, up to the end of the parameter.
fn is_parameter(text: &[u8], name: &Range<usize>, value: &Range<usize>) -> bool {
    let before = name.start.checked_sub(1).map(|at| text[at]);
    let behind = text.get(value.end).copied().unwrap_or(b'\n');
    matches!(before, Some(b'?' | b'&'))
        && value.start == name.end + 1
        && text[name.end] == b'='
        && (b"&#\"'\\<>);,".contains(&behind) || behind.is_ascii_whitespace())
}

/// Whether a word may be a password: letters alone, no label in one capitalized word.
fn may_be_chosen(bytes: &[u8]) -> bool {
    (MIN_BYTES..=MAX_BYTES).contains(&bytes.len())
        && bytes.iter().all(u8::is_ascii_alphabetic)
        && bytes[1..].iter().any(u8::is_ascii_lowercase)
        && !(bytes[0].is_ascii_uppercase() && bytes[1..].iter().all(u8::is_ascii_lowercase))
}

/// Whether a part of a word describes a password.
pub(super) fn describes(bytes: &[u8]) -> bool {
    DESCRIBING.is_in(&bytes.to_ascii_lowercase())
}

/// `"password": "…"`, also escaped, before a comma, a bracket or the end of the line.
fn is_pair_of_json(text: &[u8], name: &Range<usize>, value: &Range<usize>) -> bool {
    const AROUND: ByteSet = ByteSet::parse("\\\" \t:");
    let between = &text[name.end..value.start];
    let is_quoted = name.start > 0
        && text[name.start - 1] == b'"'
        && between.iter().all(|b| AROUND.has(*b))
        && between.iter().filter(|b| **b == b'"').count() == 2
        && between.ends_with(b"\"");
    let closed = skip(text, value.end, const { ByteSet::parse("\\") }, 3);
    if !is_quoted || text.get(closed) != Some(&b'"') {
        return false;
    }
    let at = skip(text, closed + 1, BLANK, 8);
    text.get(at).is_none_or(|b| b",}\r\n\\".contains(b))
}

/// `password = …` or `password: …` as a line of its own, in a file of settings.
fn is_setting(text: &[u8], name: &Range<usize>, value: &Range<usize>) -> bool {
    let near = &text[name.start.saturating_sub(MAX_NEAR_BYTES)..name.start];
    let start = name.start - near.iter().rev().take_while(|b| **b != b'\n').count();
    let indent = &text[start..name.start];
    let mark = indent.trim_ascii_start();
    let is_capital =
        !text[name.clone()].iter().any(u8::is_ascii_lowercase) && text[name.clone()].contains(&b'_');
    let between = &text[name.end..value.start];
    let is_tight = matches!(between, b"=" | b"=\"" | b"='");
    if is_capital
        && is_tight
        && [&b" -e "[..], b" --env ", b" --build-arg "].iter().any(|flag| indent.ends_with(flag))
    {
        return true;
    }
    if !matches!(mark, b"" | b"- " | b"- \"" | b"export " | b"ENV ") {
        return false;
    }
    let quote = skip(text, value.end, const { ByteSet::parse("\"'") }, 2);
    let end = skip(text, quote, BLANK, 8);
    if text.get(end).is_some_and(|b| !b"\r\n".contains(b)) {
        return false;
    }
    match between.trim_ascii_start().first() {
        Some(b'=') if is_capital && is_tight => true,
        Some(b'=') => is_in_section(&text[..start]),
        Some(b':') if is_capital => mark.is_empty(),
        Some(b':') => mark.is_empty() && is_beside_settings(text, start, end, indent.len()),
        _ => false,
    }
}

/// The lines before a place, the nearest first.
fn lines_before(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let near = &text[text.len().saturating_sub(MAX_NEAR_BYTES)..];
    let near = near.strip_suffix(b"\n").unwrap_or(near);
    near.rsplit(|b| *b == b'\n').filter(|_| !near.is_empty())
}

/// Whether the lines before are settings, comments and blanks up to the heading of a section.
fn is_in_section(before: &[u8]) -> bool {
    for line in lines_before(before).take(MAX_LINES_OF_SECTION) {
        let line = line.trim_ascii();
        if line.starts_with(b"[") && line.ends_with(b"]") {
            let name = &line[1..line.len() - 1];
            return name.first().is_some_and(u8::is_ascii_alphabetic)
                && name.iter().all(|b| is_word(*b) || b" .:-\"'/".contains(b));
        }
        let is_passed_over = line.is_empty() || line.starts_with(b"#") || line.starts_with(b";");
        let is_setting = || {
            let at = skip(line, skip(line, 0, KEY, MAX_BYTES), BLANK, 32);
            at > 0 && line.get(at).is_some_and(|b| b"=:".contains(b)) && line.get(at + 1) != Some(&b'=')
        };
        if !is_passed_over && !is_setting() {
            return false;
        }
    }
    false
}

/// Whether a line beside the setting says who or where, with a value: `user: app`, `host: db.example.com`.
fn is_beside_settings(text: &[u8], start: usize, end: usize, indent: usize) -> bool {
    let behind = &text[end..text.len().min(end + MAX_NEAR_BYTES)];
    let behind = behind.split(|b| *b == b'\n').skip(1);
    says_where(lines_before(&text[..start]), indent) || says_where(behind, indent)
}

fn says_where<'t>(lines: impl Iterator<Item = &'t [u8]>, indent: usize) -> bool {
    const KEYS: &[&str] = &[
        "user", "host", "server", "port", "db", "database", "url", "uri", "login", "email", "endpoint",
        "address", "name",
    ];
    for line in lines.take(MAX_LINES_BESIDE) {
        let line = line.trim_ascii_end();
        let at = skip(line, 0, BLANK, MAX_BYTES);
        if line.len() > at && line[at] == b'#' {
            continue;
        }
        let key = skip(line, at, KEY, MAX_BYTES);
        if at != indent
            || key == at
            || line.get(key) != Some(&b':')
            || line.get(key + 1).is_some_and(|b| *b != b' ')
        {
            return false;
        }
        let value = line.get(key + 2..).unwrap_or_default().trim_ascii();
        let key = &line[at..key];
        let is_place = KEYS.iter().any(|word| {
            let behind = key.len().checked_sub(word.len()).map(|from| &key[from..]);
            behind.is_some_and(|behind| behind.eq_ignore_ascii_case(word.as_bytes()))
                || key.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
        });
        if is_place && !value.is_empty() && !is_type(value) {
            return true;
        }
    }
    false
}

/// Whether the value of a field is the name of a type, as in a class or an interface.
fn is_type(value: &[u8]) -> bool {
    const TYPES: &[&[u8]] =
        &[b"str", b"string", b"int", b"integer", b"number", b"bool", b"bytes", b"any", b"text", b"float"];
    value[0].is_ascii_uppercase()
        || value.ends_with(b";")
        || value.ends_with(b",")
        || value.iter().any(|b| b"([|=!?".contains(b))
        || TYPES.iter().any(|word| value.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use crate::sanitize::secrets::redact;

    #[test]
    fn a_word_is_a_password_where_a_text_is_data() {
        let redacted = |text: &str| redact(text).map_or_else(|| text.to_owned(), |redacted| redacted.text);
        for (text, shown) in [
            ("{\"user\": \"app\", \"password\": \"*\"}\n", true),
            ("{\"log\": \"{\\\"password\\\": \\\"*\\\"}\"}\n", true),
            ("[{\"name\": \"DB_PASSWORD\", \"value\": \"*\"}]\n", true),
            ("<property name=\"password\" value=\"*\"/>\n", true),
            ("[client]\nuser = app\npassword = *\n", true),
            ("[database]\n# the one of tests\npassword = \"*\"\n", true),
            ("datasource:\n  username: app\n  password: *\n", true),
            ("environment:\n  POSTGRES_PASSWORD: *\n", true),
            ("DB_PASSWORD=\"*\"\n", true),
            ("docker run -e MYSQL_ROOT_PASSWORD=* mysql\n", true),
            ("GET /login?user=joe&password=* HTTP/1.1\n", true),
            ("define('DB_PASSWORD', '*');\n", true),
            ("{\"pass\": \"*\", \"function\": \"main\"}\n", false),
            ("    user: str\n    password: *\n", false),
            ("password = *\n", false),
            ("def login(user, password=*):\n", false),
            ("call(password, \"*\")\n", false),
            ("the password: *\n", false),
        ] {
            for word in ["correcthorsebattery", "openSesame"] {
                let text = text.replace('*', word);
                assert_eq!(!redacted(&text).contains(word), shown, "{text}");
            }
        }
        for label in
            ["Kennwort", "userPassword", "required", "required|min:8", "string", "encrypted", "tooshort"]
        {
            let text = format!("{{\"user\": \"app\", \"password\": \"{label}\"}}\n");
            assert_eq!(redact(&text), None, "{text}");
        }
        let mixed = "const password = \"dtuBCdaeDDTXWz\";\n";
        assert!(!redacted(mixed).contains("dtuBC"));
        assert_eq!(redact("const password = \"getHTTPResponse\";\n"), None);
    }
}
