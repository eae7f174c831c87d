//! Secrets that are known by the shape around them: vendor name = value, passwords in URLs, cookie headers.
//!
//! Also reads operators for the other matchers. It does not decide whether a name means a secret; `named` does.

use super::environment::behind_word;
use super::extent;
use super::judge::{self, ByteSet, Doubt, is_word, skip, skip_back};
use super::names::MAX_NAME_BYTES;
use super::scan::Scan;
use super::table::Rule;
use std::ops::Range;

/// Bytes of an identifier to look back over from a keyword.
const LOOK_BACK_BYTES: usize = 24;
/// Bytes of a name, spaces included, that may follow a vendor's keyword.
const NAME_TAIL_BYTES: usize = 32;
/// Longest user information of a URL, in bytes.
const MAX_USER_INFO_BYTES: usize = 1024;
/// Longest cookie header, in bytes.
const MAX_COOKIE_LINE_BYTES: usize = 16 << 10;

const NAME: ByteSet = ByteSet::parse("a-zA-Z0-9_.-");
const TAIL: ByteSet = ByteSet::parse("a-zA-Z0-9_. \t-");
const CLOSERS: ByteSet = ByteSet::parse("\"'`\\ \t])");
const OPENERS: ByteSet = ByteSet::parse("\"'`\\ \t");
const COOKIE_VALUE_END: ByteSet = ByteSet::parse("; \t\r\n\"',\\]");

/// The end of an assignment, comparison or mapping operator at `at`.
pub(super) fn operator(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at..text.len().min(at + 4)];
    let len = match rest {
        [b':', b':', b'=', ..] => 3,
        // A field of Jsonnet, a line of AsciiDoc or LDIF. In a path of code, such as `a::b`, no blank follows the colons;
        // before a type, as in `name :: Type`, there is a blank before them.
        [b':', b':', b' ', ..] if at > 0 && !text[at - 1].is_ascii_whitespace() => 2,
        [b':', b':', ..] => return None,
        [b':', b'=', ..]
        | [b'=', b'>', ..]
        | [b'?', b':' | b'=', ..]
        | [b'!' | b'+' | b'~', b'=', b' ' | b'"' | b'\'', ..] => 2,
        [b'=', b'=', b'=', ..] | [b'!', b'=', b'=', ..] | [b'|', b'|', b'=', ..] | [b'?', b'?', b'=', ..] => {
            3
        }
        [b'=', b'=', ..] => 2,
        // The assignment of R.
        [b'<', b'-', b'"' | b'\'', ..] | [b'<', b'-', b' ', b'"' | b'\''] => 2,
        [b':' | b'=', ..] => 1,
        // `：` and `＝`, the full-width forms of East Asian texts.
        [0xEF, 0xBC, 0x9A | 0x9D, ..] => 3,
        _ => return None,
    };
    Some(at + len)
}

/// The position at which a value may begin, if it is assigned to the name whose keyword ends at `end`, as in
/// `"smtp_pass": "` and `password is = `. A keyword may end with the operator itself.
pub(super) fn value_behind(text: &[u8], end: usize) -> Option<usize> {
    const QUOTES: ByteSet = ByteSet::parse("\"'\\");
    const BLANK: ByteSet = ByteSet::parse(" \t");
    let end = end - usize::from(text[end - 1] == b'=');
    let closed = skip(text, skip(text, end, NAME, MAX_NAME_BYTES), QUOTES, 4);
    let mut at = skip(text, closed, BLANK, 16);
    if text.get(at..at + 2).is_some_and(|word| word.eq_ignore_ascii_case(b"is")) {
        at = skip(text, at + 2, BLANK, 16);
    }
    let is_operator = matches!(text.get(at), Some(b':' | b'='));
    is_operator.then(|| skip(text, skip(text, at + 1, BLANK, 16), QUOTES, 5))
}

/// The start of the value that is assigned to a name with the vendor keyword `hit`.
///
/// The name must also hold a word such as "key" or "token": `linear: <40 hex digits>` is more often a commit.
pub(super) fn assigned_value(text: &[u8], hit: Range<usize>) -> Option<usize> {
    const SECRET_WORDS: &[&str] =
        &["key", "token", "secret", "api", "auth", "pass", "pwd", "pat", "cred", "licen"];
    let tail = skip(text, hit.end, TAIL, NAME_TAIL_BYTES);
    let closed = skip(text, tail, CLOSERS, 4);
    let start = skip_back(text, hit.start, NAME, LOOK_BACK_BYTES);
    let from = operator(text, closed).or_else(|| {
        let end = skip(text, hit.end, NAME, MAX_NAME_BYTES);
        behind_word(text, &(start..end))
    })?;
    if !SECRET_WORDS.iter().any(|word| judge::contains(&text[start..tail], word)) {
        return None;
    }
    let value = skip(text, from, OPENERS, 5);
    let scheme = text[value..].iter().take(8).position(|&b| b == b' ').map_or(0, |n| n + 1);
    let scheme_word = &text[value..value + scheme];
    let has_scheme =
        [&b"bearer "[..], b"basic ", b"token "].iter().any(|s| scheme_word.eq_ignore_ascii_case(s));
    Some(if has_scheme { value + scheme } else { value })
}

/// `scheme://user:password@host`: the password; or a long random user without a password.
pub(super) fn url_password(scan: &mut Scan<'_>, rule: &Rule, index: u16, hit: Range<usize>) {
    const DELIMITERS: ByteSet = ByteSet::parse(" \t\r\n\"'`<>/?#\\|");
    const WORDS: &[&str] = &["password", "passwd", "pass", "pwd", "pw", "token", "p"];
    let text = scan.text;
    if !hit.start.checked_sub(1).is_some_and(|i| text[i].is_ascii_alphanumeric()) {
        return;
    }
    let authority = &text[hit.end..text.len().min(hit.end + MAX_USER_INFO_BYTES)];
    let authority =
        &authority[..authority.iter().position(|&b| DELIMITERS.has(b)).unwrap_or(authority.len())];
    let Some(at) = memchr::memrchr(b'@', authority) else {
        if let Some(password) = password_before_line(text, hit.end, authority) {
            scan.claim(rule, index, password);
        }
        if let Some(password) = password_with_slash(text, hit.end, authority.len()) {
            scan.claim(rule, index, password);
        }
        return;
    };
    if let Some(password) = password_with_at(text, hit.end, authority, at) {
        scan.claim(rule, index, password);
        return;
    }
    let user_info = &authority[..at];
    let Some(colon) = memchr::memchr(b':', user_info) else {
        if judge::is_random(user_info, Doubt::Strong) {
            scan.claim(rule, index, hit.end..hit.end + at);
        }
        return;
    };
    let password = &user_info[colon + 1..];
    // `https://token:@host`, `https://token:x-oauth-basic@host`
    if password.is_empty() || password == b"x-oauth-basic" {
        if judge::is_random(&user_info[..colon], Doubt::Strong) {
            scan.claim(rule, index, hit.end..hit.end + colon);
        }
        return;
    }
    let is_word = WORDS.iter().any(|word| password.eq_ignore_ascii_case(word.as_bytes()));
    let is_code = password.windows(2).any(|w| w == b"[^" || w == b"(." || w == b"$(")
        || password.first() == Some(&b'$');
    // A default password for a server on the local machine.
    let host = &authority[at + 1..];
    let is_container = host.iter().all(|b| b.is_ascii_alphanumeric() || b"-_:".contains(b));
    let user = &user_info[..colon];
    let is_local = (is_this_machine(host) || is_container) && judge::is_default(user, password)
        || user == b"anonymous" && password == user;
    if !is_word && !is_code && !is_local {
        scan.claim(rule, index, hit.end + colon + 1..hit.end + at);
    }
}

/// Whether `host`, possibly with a port, is the local machine.
fn is_this_machine(host: &[u8]) -> bool {
    const HOSTS: &[&str] =
        &["localhost", "127.0.0.1", "0.0.0.0", "[::1]", "host.docker.internal", "localhost.localdomain"];
    HOSTS.iter().any(|name| {
        host.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
            && host.get(name.len()).is_none_or(|&b| !is_word(b) && b != b'.' && b != b'-')
    })
}

/// `scheme://user:p@ss/word@host`: a password with an `@` and a sign that ends an address. In that case the text
/// after the first `@` is not a host: it has letters of both cases and digits.
fn password_with_at(text: &[u8], start: usize, authority: &[u8], at: usize) -> Option<Range<usize>> {
    let colon = memchr::memchr(b':', &authority[..at])?;
    let from = start + colon + 1;
    let rest = &text[from..text.len().min(from + MAX_SLASHED_BYTES)];
    let end = rest.iter().position(|b| END_OF_SLASHED.has(*b)).unwrap_or(rest.len());
    let last = memchr::memrchr(b'@', &rest[..end])?;
    let is_host = rest.get(last + 1).is_some_and(u8::is_ascii_alphanumeric);
    // A host without a dot may be before a query, and a host with a dot after a password.
    let first = &authority[at + 1..];
    let is_query = text.get(start + authority.len()).is_some_and(|b| b"?#".contains(b));
    let is_dotted = rest[last + 1..].iter().take_while(|b| !b"/:?".contains(b)).any(|b| *b == b'.');
    let is_part = is_query && is_dotted && !first.iter().any(|b| b".:".contains(b));
    (is_host && from + last > start + at && (extent::is_strong(first) || is_part))
        .then_some(from..from + last)
}

/// `scheme://user:password` above `@host`: the password of an address that was wrapped after the password.
fn password_before_line(text: &[u8], start: usize, authority: &[u8]) -> Option<Range<usize>> {
    let end = start + authority.len();
    let next = text.get(end..)?;
    let next = next.strip_prefix(b"\r").unwrap_or(next).strip_prefix(b"\n@")?;
    let colon = memchr::memchr(b':', authority).filter(|colon| *colon > 0)?;
    let password = &authority[colon + 1..];
    let is_password = password.len() > 5 && !password.iter().all(u8::is_ascii_digit);
    (is_password && next.first().is_some_and(u8::is_ascii_alphanumeric)).then_some(start + colon + 1..end)
}

/// Whether a value after `Basic` is a word of a text, and not a login in base64.
pub(super) fn is_word_behind_basic(text: &[u8], value: &Range<usize>) -> bool {
    /// Longest such word, in bytes. A choice.
    const MAX_WORD_BYTES: usize = 24;
    let before = text[value.start.saturating_sub(8)..value.start].trim_ascii_end();
    let bytes = &text[value.clone()];
    let ends = before.len().checked_sub(5).is_some_and(|at| before[at..].eq_ignore_ascii_case(b"basic"));
    ends && bytes.len() <= MAX_WORD_BYTES
        && bytes.iter().all(|b| b.is_ascii_alphabetic() || b"-_.,;:/".contains(b))
        && !is_login(bytes)
}

/// Whether base64 decodes to `user:password`.
fn is_login(digits: &[u8]) -> bool {
    let decoded =
        base64::Engine::decode(&base64::prelude::BASE64_STANDARD_NO_PAD, digits).unwrap_or_default();
    decoded.contains(&b':') && decoded.iter().all(|b| (b' '..0x7f).contains(b))
}

/// Longest password with a slash, in bytes. A choice.
const MAX_SLASHED_BYTES: usize = 64;
const END_OF_SLASHED: ByteSet = ByteSet::parse(" \t\r\n\"'`<>\\|,;(){}");

/// `scheme://user:pa/ss@host`: a password with an unencoded slash. A number after the colon is a port.
fn password_with_slash(text: &[u8], start: usize, len: usize) -> Option<Range<usize>> {
    let user = memchr::memchr(b':', &text[start..start + len])?;
    let from = start + user + 1;
    let first = &text[from..start + len];
    if first.is_empty() || first.iter().all(u8::is_ascii_digit) || !b"/?#".contains(text.get(start + len)?) {
        return None;
    }
    let near = &text[from..text.len().min(from + MAX_SLASHED_BYTES)];
    let near = &near[..near.iter().position(|b| END_OF_SLASHED.has(*b)).unwrap_or(near.len())];
    let first = memchr::memchr(b'@', near)?;
    // The password may hold the sign too; behind a slash, it belongs to a path.
    let end = memchr::memchr(b'/', &near[first..]).map_or(near.len(), |slash| first + slash);
    let at = memchr::memrchr(b'@', &near[..end])?;
    let is_host = near.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
    let has = |is: fn(&u8) -> bool| near[..at].iter().any(is);
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && !near[..at].contains(&b'/');
    let is_password = at > 5 && (has(u8::is_ascii_digit) || is_mixed);
    (is_host && is_password).then_some(from..from + at)
}

/// The values of `Cookie:` and `Set-Cookie:` headers, of cookies on a command line and in JSON that look random; names and
/// attributes stay.
pub(super) fn cookie(scan: &mut Scan<'_>, rule: &Rule, index: u16, hit: Range<usize>) {
    let text = scan.text;
    if scan.state(index).seen.contains(&hit.start) {
        return;
    }
    let Some(from) = behind_cookie(text, &hit) else { return };
    let mut at = skip(text, from, OPENERS, 5);
    let end = text.len().min(at + MAX_COOKIE_LINE_BYTES);
    // A list of values, as Go prints headers and writes them as JSON.
    let inside = skip(text, at + 1, OPENERS, 4);
    let is_list = text.get(at) == Some(&b'[')
        && (inside == at + 1 || text.get(skip(text, inside, NAME, 64)) == Some(&b'='));
    if is_list && text.get(inside).is_some_and(|&b| NAME.has(b)) {
        at = inside;
    }
    if at < end && b"{[".contains(&text[at]) {
        let read = cookie_members(text, at..end, |value| scan.claim(rule, index, value));
        scan.state(index).seen = hit.start..read.max(hit.end);
        return;
    }
    loop {
        let between =
            if is_list { const { ByteSet::parse(" \t\r\n;,\"'") } } else { const { ByteSet::parse(" \t;") } };
        at = skip(text, at, between, 8);
        let name = at;
        at = skip(text, at, NAME, 64);
        // `Secure`, `HttpOnly`
        if is_list && at > name && text.get(at).is_some_and(|b| b";\"'".contains(b)) {
            continue;
        }
        if at == name || at >= end || text[at] != b'=' {
            break;
        }
        let name = name..at;
        let value = skip(text, at + 1, const { ByteSet::parse("\\\"") }, 2);
        let rest = text.get(value..end).unwrap_or_default();
        at = value + rest.iter().position(|&b| COOKIE_VALUE_END.has(b)).unwrap_or(rest.len());
        if is_session_value(&text[name.clone()], &text[value..at]) {
            scan.claim(rule, index, value..at);
        }
        if value > name.end + 1 {
            at = skip(text, at, const { ByteSet::parse("\\\"") }, 2);
        }
    }
    scan.state(index).seen = hit.start..at.max(hit.end);
}

/// The start of the cookies that a keyword announces: after an operator, a flag, or the member of a header with
/// that name.
fn behind_cookie(text: &[u8], hit: &Range<usize>) -> Option<usize> {
    let word = &text[hit.clone()];
    if !word.ends_with(b"e") && !word.ends_with(b"E") {
        return Some(hit.end);
    }
    let plural = hit.end + usize::from(text.get(hit.end).is_some_and(|b| b.eq_ignore_ascii_case(&b's')));
    let closed = skip(text, plural, CLOSERS, 4);
    let behind_flag = || (text[..hit.start].ends_with(b"--") && closed > hit.end).then_some(closed);
    operator(text, closed).or_else(behind_flag).or_else(|| value_field(text, hit.end))
}

/// Calls `found` with the values of members that look like those of cookies: `{"sid": "…"}` and
/// `{"name": "sid", "value": "…"}`. Returns where it stopped reading.
fn cookie_members(text: &[u8], range: Range<usize>, mut found: impl FnMut(Range<usize>)) -> usize {
    const BETWEEN: ByteSet = ByteSet::parse(" \t\r\n,{}[");
    let string = |at: usize| {
        let quote = *text.get(at).filter(|b| matches!(b, b'"' | b'\''))?;
        let len = memchr::memchr2(quote, b'\n', text.get(at + 1..range.end)?)?;
        (text[at + 1 + len] == quote).then_some(at + 1..at + 1 + len)
    };
    let (mut at, mut named) = (range.start, 0..0);
    loop {
        at = skip(text, at, BETWEEN, MAX_COOKIE_LINE_BYTES);
        let Some(name) = string(at) else { return at };
        at = name.end + 1;
        let Some(from) = operator(text, skip(text, at, OPENERS, 4)) else { return at };
        at = skip(text, from, const { ByteSet::parse(" \t") }, 8);
        let Some(value) = string(at) else {
            let rest = text.get(at..range.end).unwrap_or_default();
            at += rest.iter().position(|b| b"\n,}".contains(b)).unwrap_or(rest.len());
            continue;
        };
        at = value.end + 1;
        match &text[name.clone()] {
            b"name" => named = value,
            b"value" if is_session_value(&text[named.clone()], &text[value.clone()]) => found(value),
            b"value" => {}
            name if is_session_value(name, &text[value.clone()]) => found(value),
            _ => {}
        }
    }
}

/// `name: DB_PASSWORD` followed by `value: …` or `defaultValue: …`, on one line or two, in YAML, JSON or XML: the end of
/// the operator after `value`.
pub(super) fn value_field(text: &[u8], from: usize) -> Option<usize> {
    const DEFAULT: &[u8] = b"default";
    let at = skip(text, from, const { ByteSet::parse(" \t\r\n\"',\\") }, 48);
    let is_default = text.get(at..at + DEFAULT.len()).is_some_and(|word| word.eq_ignore_ascii_case(DEFAULT));
    let word = at + if is_default { DEFAULT.len() } else { 0 };
    let end = word + b"value".len();
    if at == from || !text.get(word..end)?.eq_ignore_ascii_case(b"value") {
        return None;
    }
    let closed = skip(text, end, const { ByteSet::parse("\"'\\ \t") }, 4);
    operator(text, closed)
}

fn is_session_value(name: &[u8], value: &[u8]) -> bool {
    const ATTRIBUTES: &[&str] = &["path", "domain", "expires", "max-age", "samesite", "priority", "version"];
    const SESSIONS: &[&str] = &["sess", "sid", "auth", "token", "jwt", "login", "remember"];
    if ATTRIBUTES.iter().any(|a| name.eq_ignore_ascii_case(a.as_bytes())) {
        return false;
    }
    let telling = SESSIONS.iter().any(|s| judge::contains(name, s)) || judge::is_uuid(value);
    judge::is_random(value, Doubt::Some)
        || (telling && value.len() >= 6 && value.iter().any(u8::is_ascii_digit))
}

/// Whether a token may begin at `at`: not inside a word. An escape (`\n`, `%3D`, a colour) is not part of a word.
pub(super) fn starts_word(text: &[u8], at: usize) -> bool {
    let Some(&last) = text[..at].last() else { return true };
    let before = |n: usize| at.checked_sub(n).map(|i| text[i]);
    !is_word(last)
        || (matches!(last, b'n' | b't' | b'r') && before(2) == Some(b'\\'))
        // A tab as `cat -A` shows it.
        || (last == b'I' && before(2) == Some(b'^'))
        || (last.is_ascii_hexdigit() && before(3) == Some(b'%'))
        || (last.is_ascii_hexdigit() && before(6) == Some(b'\\') && before(5) == Some(b'u'))
        || (last == b'm'
            && text[at.saturating_sub(16)..at].windows(2).any(|w| w == b"\x1b[" || w == b"b[" || w == b"3["))
}

/// `uploads/2024/Ab12Cd34Ef.pdf`: the name of a file in a folder.
pub(super) fn is_name_of_file(bytes: &[u8]) -> bool {
    let Some(slash) = memchr::memchr(b'/', bytes) else { return false };
    let Some(dot) = memchr::memrchr(b'.', bytes).filter(|dot| *dot > slash) else { return false };
    let folder = &bytes[..slash];
    folder.len() >= 3
        && folder.iter().all(|b| b.is_ascii_lowercase() || *b == b'_')
        && (2..=5).contains(&bytes[dot + 1..].len())
        && bytes[dot + 1..].iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}
