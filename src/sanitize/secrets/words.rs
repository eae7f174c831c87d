//! Decides whether a plain word after a name for a password, such as `correcthorsebattery`, is the password.
//!
//! In code such a word is a type, a variable or a message far more often. So it is treated as a password only in
//! data: a pair of JSON, a file with `[sections]`, a mapping of YAML with other settings around it, an environment.
//! It reads a few lines around a name.

use std::ops::Range;

use super::judge::{ByteSet, MAX_ODDITY_OF_NAMES, Sought, is_word, oddity, skip, skip_back};

const BLANK: ByteSet = ByteSet::parse(" \t");
const KEY: ByteSet = ByteSet::parse("a-zA-Z0-9_.-");

/// Shorter words, in bytes, are names, labels and values of tests.
const MIN_BYTES: usize = 8;
const MAX_BYTES: usize = 64;
/// Shortest password with a special character among the letters, in bytes. A choice.
const MIN_BYTES_WITH_SIGN: usize = 12;
/// Lines before a setting that are searched for the heading of its section.
const MAX_LINES_OF_SECTION: usize = 16;
/// Lines before and after a setting that are searched for a setting with a user or a place.
const MAX_LINES_BESIDE: usize = 6;
/// Lines before and after a setting that must be settings too. A choice.
const MAX_LINES_OF_DATA: usize = 3;
/// Pairs before and after a pair that are searched for a user or a place. A choice.
const MAX_PAIRS_BESIDE: usize = 4;
/// Bytes of these lines together.
const MAX_NEAR_BYTES: usize = 512;

/// Parts of words that describe a password but are not one: types, labels, messages, test values.
const DESCRIBING: Sought<80> = Sought::new([
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
    "accept",
    "reject",
    "allow",
    "denied",
    "inherit",
    "ignore",
    "support",
    "present",
    "absent",
    "provided",
    "given",
    "created",
    "omitted",
    "removed",
    "success",
    "failed",
]);

/// Whether the value of a name for a password is a word, at a place where only values occur. `is_field` says that the
/// value has a field of its own, as in `name: DB_PASSWORD` above `value: …`.
pub(super) fn is_password(text: &[u8], name: &Range<usize>, value: &Range<usize>, is_field: bool) -> bool {
    let bytes = &text[value.clone()];
    // `pass` may also mean a step of a compiler, or a test that passed.
    let near = &text[name.start.saturating_sub(MAX_NEAR_BYTES / 4)..name.start];
    let has_user = || memchr::memmem::find(near, b"\"user").is_some();
    let is_pass = text[name.clone()].eq_ignore_ascii_case(b"pass") && !has_user();
    // `password: !vault` is a tag of YAML, `password: *prod` an alias.
    let is_yaml = value.start > 1 && &text[value.start - 2..value.start] == b": ";
    let is_tag = is_yaml && SIGN.has(bytes[0]);
    !is_pass && !is_tag && may_be_chosen(bytes) && is_data(text, name, value, is_field) && !describes(bytes)
}

/// Whether a pair is in data, where only values occur, and not in code.
pub(super) fn is_data(text: &[u8], name: &Range<usize>, value: &Range<usize>, is_field: bool) -> bool {
    is_field
        || is_pair_of_json(text, name, value)
        || is_parameter(text, name, value)
        || is_defined(text, name.start)
        || is_setting(text, name, value)
        || is_beside_pair(text, name, value)
        || is_in_dump(text, name, value)
        || is_flag(text, name, value)
}

/// Whether letters are neither a word nor words in camel case: two runs of capitals or more among small letters, or letters
/// of alternating case.
pub(super) fn is_mixed(bytes: &[u8]) -> bool {
    // A special character between letters suggests a generated value.
    let sign = bytes.iter().position(|b| matches!(b, b'_' | b'-'));
    if let Some(at) = sign.filter(|at| (2..bytes.len() - 2).contains(at)) {
        let letters = [&bytes[..at], &bytes[at + 1..]].concat();
        return letters.len() >= MIN_BYTES_WITH_SIGN && is_mixed(&letters);
    }
    let is_long = (10..=MAX_BYTES).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_alphabetic);
    let runs = bytes.split(u8::is_ascii_lowercase).filter(|capitals| capitals.len() >= 2).count();
    is_long && (runs >= 2 || oddity(bytes) > MAX_ODDITY_OF_NAMES) && !describes(bytes)
}

/// Like [`is_mixed`], for letters with one sign before, after or between them.
pub(super) fn is_mixed_beside_sign(bytes: &[u8]) -> bool {
    if bytes.len() > MAX_BYTES + 1 {
        return false;
    }
    let mut letters = Vec::with_capacity(bytes.len());
    letters.extend(bytes.iter().filter(|b| b.is_ascii_alphabetic()));
    let sign = bytes.iter().find(|b| !b.is_ascii_alphabetic());
    sign.is_some_and(|b| b"!#@%-/.,;&|$*+~^?".contains(b))
        && letters.len() + 1 == bytes.len()
        && is_mixed(&letters)
}

/// Whether a value after a name such as `token` or `secret` is the id of something public: a contract of a
/// blockchain, the commit of a submodule, an object of a cluster.
pub(super) fn is_name_of_resource(text: &[u8], name: usize, bytes: &[u8]) -> bool {
    /// Hexadecimal digits of a contract's address, and of a commit.
    const DIGITS: usize = 40;
    let is_hex = |digits: &[u8]| digits.len() == DIGITS && digits.iter().all(u8::is_ascii_hexdigit);
    let is_contract = bytes.strip_prefix(b"0x").is_some_and(is_hex);
    let is_commit = || is_hex(bytes) && text[..name].ends_with(b"submodule ");
    is_contract || is_commit() || is_object_of_cluster(bytes)
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

/// `host=db user=app password=…`, also with commas and quotation marks: whether a pair next to it gives a user or a
/// place.
fn is_beside_pair(text: &[u8], name: &Range<usize>, value: &Range<usize>) -> bool {
    let before = &text[name.start.saturating_sub(MAX_NEAR_BYTES / 4)..name.start];
    let before = &before[memchr::memrchr(b'\n', before).map_or(0, |at| at + 1)..];
    let behind = &text[value.end..text.len().min(value.end + MAX_NEAR_BYTES / 4)];
    let behind = &behind[..memchr::memchr(b'\n', behind).unwrap_or(behind.len())];
    let quotes = |bytes: &[u8]| bytes.iter().filter(|b| matches!(b, b'"' | b'\'')).count();
    let between = &text[name.end..value.start];
    let (quoted, is_tight) = (quotes(between) == 1, between.starts_with(b"=") && between.len() < 3);
    if !is_tight || !before.last().is_none_or(|b| b" \t,;[{(".contains(b)) {
        return false;
    }
    let closed = behind.get(usize::from(quoted)..).unwrap_or_default();
    if !closed.first().is_none_or(|b| b" ,;]})\r".contains(b)) {
        return false;
    }
    // In a call, a value without quotation marks is the name of a variable.
    let is_call = memchr::memrchr(b'(', before)
        .is_some_and(|open| !before[open..].contains(&b')') && quotes(&before[open..]) % 2 == 0);
    let says = |pair: &[u8]| {
        let at = pair.iter().rposition(|b| b"[({".contains(b)).map_or(0, |at| at + 1);
        let pair = pair[at..].trim_ascii();
        let key = skip(pair, 0, KEY, MAX_BYTES);
        pair.get(key) == Some(&b'=') && is_place(&pair[..key]) && pair.len() > key + 1
    };
    let parts = |bytes: &u8| b" ,;".contains(bytes);
    (quoted || !is_call)
        && (before.rsplit(parts).take(MAX_PAIRS_BESIDE * 2).any(says)
            || closed.split(parts).take(MAX_PAIRS_BESIDE * 2).any(says))
}

/// `--password=…` of a command.
fn is_flag(text: &[u8], name: &Range<usize>, value: &Range<usize>) -> bool {
    let behind = text.get(value.end).copied().unwrap_or(b'\n');
    text[name.clone()].starts_with(b"--")
        && &text[name.end..value.start] == b"="
        && (behind.is_ascii_whitespace() || b"\"'\\".contains(&behind))
}

/// `{Host:db Password:… Port:5432}`, as Go prints a structure: the fields around begin with a letter of the same case.
fn is_in_dump(text: &[u8], name: &Range<usize>, value: &Range<usize>) -> bool {
    let before = name.start.checked_sub(1).map(|at| text[at]);
    let is_tight = &text[name.end..value.start] == b":";
    let is_upper = text[name.start].is_ascii_uppercase();
    let is_field = |behind: &[u8]| {
        let len = behind.iter().take(MAX_BYTES).take_while(|b| b.is_ascii_alphanumeric()).count();
        let is_like = |b: &u8| b.is_ascii_alphabetic() && b.is_ascii_uppercase() == is_upper;
        behind.first().is_some_and(is_like) && behind.get(len) == Some(&b':')
    };
    let is_followed = match &text[value.end..] {
        [b'}', ..] => true,
        [b' ', behind @ ..] => is_field(behind),
        _ => false,
    };
    let is_printed = || is_upper || text[..name.start].ends_with(b"&{") || is_after_field(text, name.start);
    is_tight && is_followed && matches!(before, Some(b'{' | b' ')) && is_printed()
}

/// Whether a pair of a structure, such as `host:db`, is before `at`.
fn is_after_field(text: &[u8], at: usize) -> bool {
    let near = &text[at.saturating_sub(MAX_NEAR_BYTES / 4)..at];
    let Some(before) = near.strip_suffix(b" ") else { return false };
    let from = before.iter().rposition(|b| b" {".contains(b)).map_or(0, |at| at + 1);
    let is_open = memchr::memrchr2(b'{', b'\n', before).is_some_and(|at| before[at] == b'{');
    let key = skip(before, from, KEY, MAX_BYTES);
    is_open && key > from && before.get(key) == Some(&b':') && key + 1 < before.len()
}

/// Signs that people put before, after or between the words of a password.
const SIGN: ByteSet = ByteSet::parse("!#%&@*^~+?$");

/// Whether a value is letters with one sign, as in `winter#cabin`.
pub(super) fn is_word_with_sign(bytes: &[u8]) -> bool {
    let mut signs = bytes.iter().enumerate().filter(|(_, b)| !b.is_ascii_alphabetic());
    let (first, next) = (signs.next(), signs.next());
    let Some((at, _)) = first.filter(|(_, b)| SIGN.has(**b) && next.is_none()) else { return false };
    let (head, tail) = (&bytes[..at], &bytes[at + 1..]);
    // `Password*` is a label.
    let is_small = |part: &[u8]| part.iter().all(u8::is_ascii_lowercase);
    (MIN_BYTES..=MAX_BYTES).contains(&bytes.len())
        && (is_small(head) && is_small(tail) || is_mixed_beside_sign(bytes))
}

/// `password=#wintercabin` in a file of settings: whether the text after `#` is a value. It is not a comment, because
/// the sign directly follows the operator, and must not be a colour.
pub(super) fn is_behind_hash(text: &[u8], name: &Range<usize>, value: &Range<usize>) -> bool {
    let Some(rest) = text[value.clone()].strip_prefix(b"#") else { return false };
    rest.len() >= MIN_BYTES
        && rest.iter().all(u8::is_ascii_alphanumeric)
        && !rest.iter().all(u8::is_ascii_hexdigit)
        && text[name.end..value.start].trim_ascii().starts_with(b"=")
        && !describes(rest)
        && is_setting(text, name, value)
}

/// Whether a word may be a password: only letters, perhaps with a sign, and not a label of one capitalized word.
fn may_be_chosen(bytes: &[u8]) -> bool {
    if let Some(sign) = bytes.iter().find(|b| b"-_".contains(b)) {
        return is_chain(bytes, *sign);
    }
    if is_word_with_sign(bytes) {
        return true;
    }
    (MIN_BYTES..=MAX_BYTES).contains(&bytes.len())
        && bytes.iter().all(u8::is_ascii_alphabetic)
        && bytes[1..].iter().any(u8::is_ascii_lowercase)
        && !(bytes[0].is_ascii_uppercase() && bytes[1..].iter().all(u8::is_ascii_lowercase))
}

/// `correct-horse-battery`, `Copper_Meadow`: three words or more, or two that begin with a capital. None of them is a word
/// of a message.
fn is_chain(bytes: &[u8], sign: u8) -> bool {
    /// Fewest words, those of them that begin with a capital, and fewest letters of a word. A choice.
    const MIN_WORDS: (usize, usize) = (3, 2);
    const MIN_LETTERS: usize = 3;
    const OF_MESSAGES: &[&[u8]] = &[
        b"the", b"not", b"use", b"set", b"see", b"for", b"and", b"from", b"with", b"via", b"none", b"any",
        b"env", b"new", b"old", b"this", b"that", b"here", b"user", b"admin", b"name", b"only", b"one",
        b"file",
    ];
    let is_small = |part: &[u8]| part.iter().all(u8::is_ascii_lowercase) && !OF_MESSAGES.contains(&part);
    let is_capital = |part: &[u8]| {
        part[0].is_ascii_uppercase()
            && part[1..].iter().all(u8::is_ascii_lowercase)
            && !OF_MESSAGES.iter().any(|word| part.eq_ignore_ascii_case(word))
    };
    let parts = || bytes.split(|b| *b == sign);
    let words = parts().count();
    bytes.len() <= MAX_BYTES
        && parts().all(|part| part.len() >= MIN_LETTERS)
        && (words >= MIN_WORDS.0 && parts().all(is_small) || words >= MIN_WORDS.1 && parts().all(is_capital))
}

/// `kube-api-access-7xk2p`: words, and a random suffix that a cluster appends.
pub(super) fn is_object_of_cluster(bytes: &[u8]) -> bool {
    /// The characters that Kubernetes uses for random suffixes of names.
    const SUFFIX_CHARACTERS: ByteSet = ByteSet::parse("bcdfghjklmnpqrstvwxz2456789");
    let is_word = |part: &[u8]| part.len() > 1 && part.iter().all(u8::is_ascii_lowercase);
    let is_made =
        |part: &[u8]| (5..=10).contains(&part.len()) && part.iter().all(|b| SUFFIX_CHARACTERS.has(*b));
    let mut parts = bytes.rsplit(|b| *b == b'-');
    parts.next().is_some_and(is_made)
        && parts.next().is_some_and(|part| is_word(part) || is_made(part))
        && parts.next().is_some_and(is_word)
        && parts.all(is_word)
}

/// `1:4.13+dfsg1-1+deb12u1`: the version of a package, perhaps after its epoch.
pub(super) fn is_version(bytes: &[u8]) -> bool {
    let bytes = before_escape(bytes);
    let digits = |bytes: &[u8]| bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    let epoch = digits(bytes);
    let from = if (1..=2).contains(&epoch) && bytes.get(epoch) == Some(&b':') { epoch + 1 } else { 0 };
    let major = digits(&bytes[from..]);
    let rest = &bytes[from + major..];
    let is_part = |part: &[u8]| {
        // A word and a number, or a number and a word: `deb12`, `5build1`, `el8`.
        let words = part.split(u8::is_ascii_digit).filter(|word| !word.is_empty());
        !part.is_empty() && part.len() <= 16 && words.count() <= 2
    };
    (1..=4).contains(&major)
        && rest.first() == Some(&b'.')
        && rest.get(1).is_some_and(u8::is_ascii_digit)
        && rest.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b".+~-_".contains(b))
        && rest[1..].split(|b| b".+~-_".contains(b)).all(is_part)
}

/// A word without the escaped line end at the end of its string.
fn before_escape(bytes: &[u8]) -> &[u8] {
    &bytes[..memchr::memchr(b'\\', bytes).unwrap_or(bytes.len())]
}

/// `PasswordField1Validator`: whether a value is the name of a class: `Password` and two words or more.
pub(super) fn is_name_of_class(bytes: &[u8]) -> bool {
    let Some(rest) = before_escape(bytes).strip_prefix(b"Pass") else { return false };
    let is_small = |word: &&[u8]| word.len() >= 4 && word.iter().all(u8::is_ascii_lowercase);
    let words = rest.split(|b| b.is_ascii_uppercase() || b.is_ascii_digit()).filter(is_small).count();
    words >= if rest.starts_with(b"word") { 3 } else { 2 }
        && rest.iter().all(u8::is_ascii_alphanumeric)
        && rest.iter().filter(|b| b.is_ascii_digit()).count() <= 1
}

/// Whether a part of a word describes a password.
pub(super) fn describes(bytes: &[u8]) -> bool {
    DESCRIBING.is_in(&bytes.to_ascii_lowercase())
}

/// `"password": "…"`, also escaped, before a comma, a bracket or the end of the line.
fn is_pair_of_json(text: &[u8], name: &Range<usize>, value: &Range<usize>) -> bool {
    const AROUND: ByteSet = ByteSet::parse("\\\" \t:");
    let between = &text[name.end..value.start];
    // `"Smtp:Password"`
    let start = skip_back(text, name.start, const { ByteSet::parse("a-zA-Z0-9_.:-") }, MAX_BYTES);
    let is_quoted = start > 0
        && text[start - 1] == b'"'
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
        Some(b'=') => {
            let is_plain = is_tight && (indent.is_empty() || !mark.is_empty());
            is_plain && are_settings(text, start, end, b'=') || is_in_section(&text[..start])
        }
        Some(b':') if is_capital => mark.is_empty(),
        Some(b':') => {
            let is_line = || !between.ends_with(b":  \"") && are_settings(text, start, end, b':');
            mark.is_empty() && (is_beside_settings(text, start, end, indent.len()) || is_line())
        }
        _ => false,
    }
}

/// Whether all lines around a setting are settings with the same operator, comments or blank lines, and none is
/// code. Also true if there are no such lines.
fn are_settings(text: &[u8], start: usize, end: usize, operator: u8) -> bool {
    let is_data = |line: &[u8]| {
        let line = line.trim_ascii();
        let line = [&b"- "[..], b"export "].iter().find_map(|mark| line.strip_prefix(*mark)).unwrap_or(line);
        if line.is_empty() || line[0] == b'#' || line == b"---" {
            return true;
        }
        let key = skip(line, 0, KEY, MAX_BYTES);
        let value = line.get(key + 1..).unwrap_or_default();
        let is_apart = value.is_empty() || value[0] == b' ';
        let value = value.trim_ascii();
        let is_setting = match line.get(key) {
            Some(b'=') => operator == b'=' && !is_code(value),
            // A list in YAML may have shell settings as items.
            Some(b':') => is_apart && (value.is_empty() || !is_type(value)),
            _ => false,
        };
        key > 0 && is_setting
    };
    let behind = &text[end..text.len().min(end + MAX_NEAR_BYTES)];
    let behind = behind.split(|b| *b == b'\n').skip(1);
    lines_before(&text[..start]).take(MAX_LINES_OF_DATA).all(is_data)
        && behind.take(MAX_LINES_OF_DATA).all(is_data)
}

/// Whether the value of a line is code: a call, a string of a program, an expression.
fn is_code(value: &[u8]) -> bool {
    value.iter().any(|b| b"()[]{}|;".contains(b)) || value.ends_with(b",") || value.starts_with(b"=")
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

/// Whether a line beside the setting gives a user or a place: `user: app`, `host: db.example.com`.
fn is_beside_settings(text: &[u8], start: usize, end: usize, indent: usize) -> bool {
    let behind = &text[end..text.len().min(end + MAX_NEAR_BYTES)];
    let behind = behind.split(|b| *b == b'\n').skip(1);
    says_where(lines_before(&text[..start]), indent) || says_where(behind, indent)
}

fn says_where<'t>(lines: impl Iterator<Item = &'t [u8]>, indent: usize) -> bool {
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
        if is_place(key) && !value.is_empty() && !is_type(value) {
            return true;
        }
    }
    false
}

/// Whether a name means a user or a place.
pub(super) fn is_place(key: &[u8]) -> bool {
    const KEYS: &[&str] = &[
        "user", "host", "server", "port", "db", "database", "url", "uri", "login", "email", "endpoint",
        "address", "name",
    ];
    KEYS.iter().any(|word| {
        let behind = key.len().checked_sub(word.len()).map(|from| &key[from..]);
        behind.is_some_and(|behind| behind.eq_ignore_ascii_case(word.as_bytes()))
            || key.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    })
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
            ("password: *\n", true),
            ("a: 1\npassword: *\nb: 2\n", true),
            ("app.name=demo\napp.password=*\n", true),
            ("environment:\n  - password=*\n", true),
            ("connect(\"host=db user=app password=* dbname=app\")\n", true),
            ("DataSource[username=app, password=*, pool=5]\n", true),
            ("connect(host='db', password='*')\n", true),
            ("wget --password=* https://h\n", true),
            ("{\"Smtp:Password\": \"*\"}\n", true),
            ("{\"user\": \"root\", \"pass\": \"*\"}\n", true),
            ("connect(host=host, password=*)\n", false),
            ("    password: *,\n", false),
            ("a: Text;\npassword: *\n", false),
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
        for words in ["Copper_Meadow", "Copper-Meadow-Lane", "correct_horse_battery"] {
            for text in [
                "{\"user\": \"app\", \"password\": \"*\"}\n",
                "psql 'host=db user=app password=* dbname=x'\n",
            ] {
                assert!(!redacted(&text.replace('*', words)).contains(words), "{text}");
            }
        }
        for label in [
            "Current_Password",
            "Set_New",
            "app_user",
            "Kennwort",
            "userPassword",
            "required",
            "required|min:8",
            "string",
            "encrypted",
            "tooshort",
        ] {
            let text = format!("{{\"user\": \"app\", \"password\": \"{label}\"}}\n");
            assert_eq!(redact(&text), None, "{text}");
        }
        let mixed = "const password = \"dtuBCdaeDDTXWz\";\n";
        assert!(!redacted(mixed).contains("dtuBC"));
        assert_eq!(redact("const password = \"getHTTPResponse\";\n"), None);
    }

    #[test]
    fn a_sign_beside_random_letters_is_a_part_of_the_password() {
        let hidden = "[REDACTED:generic-password]";
        for value in ["!oNHbQEPzUqs", "lZZcGjsT.tKDnup", "sScOUNuUQsr.", "Jgmse,tONwuvRR", "/QPBuWIYRtKe"] {
            let text = |value: &str| format!("{{\"user\": \"app\", \"password\": \"{value}\"}}\n");
            assert_eq!(redact(&text(value)).map(|r| r.text), Some(text(hidden)), "{value}");
        }
        for value in [
            "#password-field",
            "/auth/resetPassword",
            "%sPassword",
            "New.Password",
            "@types/password",
            "user.passwordHash",
        ] {
            let text = format!("{{\"password\": \"{value}\"}}\n");
            assert_eq!(redact(&text), None, "{value}");
        }
        let file = |value: &str| format!("[db]\nuser = app\npassword = {value}\n");
        assert_eq!(redact(&file("#wintercabin")).map(|r| r.text), Some(file(hidden)));
        for value in ["# set below", "#c0ffee", "#passwordField"] {
            assert_eq!(redact(&file(value)), None, "{value}");
        }
        let uuid = "226898af-c1f6-4e39-a004-3f0ae97397aa";
        let dump = |value: &str| format!("Config{{user=app, password={value}, port=80}}\n");
        assert_eq!(redact(&dump(uuid)).map(|r| r.text), Some(dump(hidden)));
    }

    #[test]
    fn versions_constants_and_titles_stay() {
        for text in [
            "passwd\t1:4.13+dfsg1-1+deb12u1\n",
            "pass                  1.7.4-5build1\n",
            "{\"out\": \"pass                  1.7.4-5build1\\nPASSWORD    PasswordField1Validator\\n\"}\n",
            "apt-get install passwd=1:4.13+dfsg1-1+deb12u1\n",
            "#define GL_STENCIL_PASS_DEPTH_PASS\t\t0x0B96\n",
            "secret_key_hash  8b1118b376c313ed420e5133ba91307817ed52c2\n",
            "PASSWORD    PasswordField1Validator\n",
            "Password: Pass1-Validator (3 tests)\n",
            "storageKey=uploads/2024/Ab12Cd34Ef.pdf\n",
            "To use TLS-PSK, client and server must specify the `pskCallback` option,\n",
            "const password string = \"password\"\n",
            "password: str = Field(\"The password of user1\", min_length=8)\n",
            "<apiKey>\n   ${env.API_KEY}\n</apiKey>\n",
            "<Input password={'password'} />\n",
            "  db_password = <<EOT\n${var.password2}\nEOT\n",
            "\"github\\u001b[0mpat\"\nlook^[[0m here^I\n",
        ] {
            assert_eq!(redact(text), None, "{text}");
        }
        for text in [
            "passwd=1.2Zq7pLm2Xw9\n",
            "DB_PASSWORD=Password123!\n",
            "password=9.99\"\n",
            "SECRET_KEY=ab/Zq7pLm2Xw9kT4vAq7pLm2Xw9.kT4v9Bq7\n",
        ] {
            assert_eq!(redact(text).is_some(), !text.contains("9.99"), "{text}");
        }
    }

    #[test]
    fn typed_constants_and_elements_go_whole() {
        let value = "xK9uhfJX7mQ2vWLp4tR8nB3r";
        for text in [
            "const apiKey string = \"*\"\n",
            "api_key: str = Field(default=\"*\")\n",
            "db_password: str = Field(\"*\", env=\"P\")\n",
            "<Client apiKey={'*'} />\n",
            "<client_secret>\n   *\n</client_secret>\n",
            "<ns2:apiKey xmlns:ns2='x'>*</ns2:apiKey>\n",
            "  db_password = <<EOT\n*\nEOT\n",
            "\"X-Api-Key\",\n    \"*\",\n    \"Host\"\n",
            "{\"Cookie\": [\"session=*\", \"sid=*; Path=/; Secure\"]}\n",
            "^[[36mDB_PASSWORD^[[39m=^[[32m*^[[39m\n",
            "postgres://bob:*\n@h/x\n",
        ] {
            let shown = redact(&text.replace('*', value)).map(|redacted| redacted.text).unwrap_or_default();
            let rule = shown.split_once("[REDACTED:").and_then(|(_, rest)| rest.split_once(']'));
            let rule = rule.map(|(rule, _)| rule).unwrap_or_default();
            assert_eq!(shown, text.replace('*', &format!("[REDACTED:{rule}]")));
        }
        let quoted = redact("password: 'a xK9uhfJX$mQ27v!Lp'\n").map(|redacted| redacted.text);
        assert_eq!(quoted.as_deref(), Some("password: '[REDACTED:generic-password]'\n"));
    }
}
