//! Variables: listed environments, with `NAME=value` in every line or in the strings of a container, and commands and
//! files that declare a value after a name without an operator.
//!
//! It reads a few lines around a variable, and does not decide what is a secret.

use super::judge::{self, ByteSet, is_word, skip, skip_back};
use super::names::MAX_NAME_BYTES;
use super::{below, extent};
use std::ops::Range;

/// Lines without a setting that may be between two settings of a file.
const MAX_LINES_APART: usize = 3;

/// Whether the previous line is a setting; skips blank lines and comments. `None` if there is no previous line.
pub(super) fn setting_before(text: &[u8], start: usize) -> Option<bool> {
    let mut end = start.checked_sub(1)?;
    for _ in 0..=MAX_LINES_APART {
        let near = &text[end.saturating_sub(MAX_LINE_BYTES)..end];
        let at = memchr::memrchr(b'\n', near).map_or(end - near.len(), |at| end - near.len() + at + 1);
        let line = text[at..end].trim_ascii();
        if !line.is_empty() && line[0] != b'#' {
            return Some(is_setting(&text[at..]));
        }
        match at.checked_sub(1) {
            Some(before) => end = before,
            None => return None,
        }
    }
    Some(false)
}

/// Like `setting_before`, for the next line.
pub(super) fn setting_behind(text: &[u8], end: usize) -> Option<bool> {
    let mut at = end + 1;
    for _ in 0..=MAX_LINES_APART {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let len = rest
            .iter()
            .take(MAX_LINE_BYTES)
            .position(|&b| b == b'\n')
            .unwrap_or(rest.len().min(MAX_LINE_BYTES));
        let line = rest[..len].trim_ascii();
        if !line.is_empty() && line[0] != b'#' {
            return Some(is_setting(rest));
        }
        at += len + 1;
    }
    Some(false)
}

/// Whether `"NAME=value"` is one of the strings of `"Env": [`, as containers list their environment.
pub(super) fn is_container_variable(text: &[u8], name: usize, end: usize) -> bool {
    let quoted = name > 0 && text[name - 1] == b'"' && text.get(end) == Some(&b'"');
    let near = &text[name.saturating_sub(MAX_ENVIRONMENT_BYTES)..name];
    quoted
        && memchr::memrchr(b'[', near)
            .is_some_and(|open| near[..open].trim_ascii_end().ends_with(b"\"Env\":"))
}

/// Longest distance to the start of a container's environment, in bytes.
const MAX_ENVIRONMENT_BYTES: usize = 16 << 10;

/// Longest line before a name that is examined, in bytes.
pub(super) const MAX_LINE_BYTES: usize = 1 << 10;

/// Whether a text starts like a variable in a shell listing: `NAME=`, also after `export` and `declare -x`.
pub(super) fn is_setting(text: &[u8]) -> bool {
    let text =
        [&b"export "[..], b"declare -x "].iter().find_map(|start| text.strip_prefix(*start)).unwrap_or(text);
    let len = text.iter().take(MAX_NAME_BYTES).take_while(|&&b| is_word(b)).count();
    len > 0 && text.get(len) == Some(&b'=') && !text[0].is_ascii_digit()
}

/// Whether the value of such a name in a listed environment is a real value: these lists do not contain examples.
pub(super) fn is_given(bytes: &[u8], password: bool) -> bool {
    let plain = bytes.iter().all(|b| b.is_ascii_graphic());
    let digits = bytes.iter().filter(|b| b.is_ascii_digit()).count();
    plain
        && digits < bytes.len()
        && bytes.len()
            >= if password {
                6
            } else if digits > 0 {
                8
            } else {
                16
            }
}

const BLANK: ByteSet = ByteSet::parse(" \t");

/// `NAME 'value'` or `name "value"` as a whole line: a variable as `set` of fish lists it, a setting of Gradle.
fn is_line_of_setting(text: &[u8], name: &Range<usize>, from: usize) -> bool {
    // Signs that tools write around a line may also be around a setting.
    const AROUND: &[&[u8]] = &[b"|", "│".as_bytes(), b"$", b";", b","];
    let begins = name.start == 0 || b" \t\n".contains(&text[name.start - 1]);
    let near = &text[from..text.len().min(from + MAX_LINE_BYTES)];
    let line = near[..memchr::memchr(b'\n', near).unwrap_or(near.len())].trim_ascii_end();
    let line = AROUND.iter().find_map(|end| line.strip_suffix(*end)).unwrap_or(line).trim_ascii_end();
    let [quote @ (b'"' | b'\''), inside @ .., last] = line else { return false };
    begins && quote == last && !inside.is_empty() && !inside.iter().any(|b| b == quote || b"\\<".contains(b))
}

/// `NAME value` as a whole line, with a value that has no words: a variable in a list, or in a file without operators.
fn is_line_of_token(text: &[u8], name: &Range<usize>, from: usize) -> bool {
    /// Shortest value. A choice.
    const MIN_BYTES: usize = 12;
    let begins = name.start == 0 || text[name.start - 1] == b'\n';
    let word = &text[name.clone()];
    if !begins || !word.contains(&b'_') || word.iter().any(u8::is_ascii_lowercase) {
        return false;
    }
    let near = &text[from..text.len().min(from + MAX_LINE_BYTES)];
    let line = near[..memchr::memchr(b'\n', near).unwrap_or(near.len())].trim_ascii_end();
    line.len() >= MIN_BYTES
        && line.iter().all(u8::is_ascii_graphic)
        && extent::is_strong(line)
        && judge::is_random(line, judge::Doubt::Some)
}

/// The start of the value of a name that a command or a file declares without an operator: `ENV NAME value`,
/// `setenv NAME value`, `set -gx NAME value`, `gh secret set NAME --body value`, `name "value"` as a line, `(setq name
/// "value")`; `3) "name"` above `4) "value"` of Redis.
pub(super) fn declared(text: &[u8], name: &Range<usize>, closed: usize) -> Option<usize> {
    const WORDS: &[&[u8]] = &[
        b"ENV ",
        b"setenv ",
        b"set -gx ",
        b"set -x ",
        b"set -Ux ",
        b"set -xg ",
        b"set -xU ",
        b"set --export ",
        b"#define ",
        b"setx ",
        b"configure set ",
        b"config set ",
        b"user-secrets set ",
        b"config --global ",
        b":secret ",
        b"--secret ",
        b"SetEnv ",
        b"fastcgi_param ",
        b"uwsgi_param ",
        b"proxy_set_header ",
    ];
    /// Forms of Lisp and CMake, in which only a string is a value.
    const OPEN: &[&[u8]] = &[
        b"(setq ",
        b"(setf ",
        b"(setq-default ",
        b"(defvar ",
        b"(defconst ",
        b"(defparameter ",
        b"(define ",
        b"(def ",
        b"(def ^:private ",
        b"set(",
    ];
    const FLAGS: &[&[u8]] = &[b"--body ", b"--body=", b"-b "];
    if let Some(item) = next_item(text, name, closed) {
        return Some(item);
    }
    if let Some(from) = behind_typed(text, closed) {
        return Some(from);
    }
    let before = &text[name.start.saturating_sub(MAX_DECLARATION_BYTES)..name.start];
    let from = skip(text, name.end, BLANK, 8);
    if from > name.end {
        let is_string = text.get(from) == Some(&b'"');
        if is_line_of_setting(text, name, from)
            || is_line_of_token(text, name, from)
            || is_string && OPEN.iter().any(|word| before.ends_with(word))
        {
            return Some(from);
        }
        if !before.ends_with(b" ") {
            return None;
        }
        if before.ends_with(b"secret set ") {
            let flag = FLAGS.iter().find(|flag| text[from..].starts_with(flag))?;
            return Some(from + flag.len());
        }
        return WORDS.iter().any(|word| before.ends_with(word)).then_some(from);
    }
    if closed == name.end || !before.ends_with(b") \"") {
        return None;
    }
    let line = skip(text, closed, const { ByteSet::parse(" \r\n") }, 12);
    let number = skip(text, line, const { ByteSet::parse("0-9") }, 6);
    (line > closed && number > line && text[number..].starts_with(b") \"")).then_some(number + 2)
}

/// `const apiKey string = "…"` of Go, `Dim ApiKey As String = "…"`, `api_key VARCHAR2(40) := '…'`, `DATA api_key TYPE
/// string VALUE '…'`: the start of the string after a type; the name ends at `at`.
fn behind_typed(text: &[u8], at: usize) -> Option<usize> {
    const WORDS: &[&[u8]] = &[b"as ", b"type "];
    const OPERATORS: &[&[u8]] = &[b"= ", b":= ", b"value "];
    let behind = |at: usize, words: &[&[u8]]| {
        let fits = |word: &&&[u8]| {
            text.get(at..at + word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        words.iter().find(fits).map(|word| at + word.len())
    };
    let from = skip(text, at, BLANK, 8);
    let start = behind(from, WORDS).unwrap_or(from);
    let end = skip(text, start, const { ByteSet::parse("a-zA-Z0-9_") }, MAX_TYPE_BYTES);
    let sized = skip(text, end, const { ByteSet::parse("0-9()") }, 8);
    let operator = skip(text, sized, BLANK, 8);
    let value = behind(operator, OPERATORS).filter(|_| at < from && start < end && sized < operator)?;
    text.get(value).is_some_and(|b| b"\"'".contains(b)).then_some(value)
}

/// `"password" -> "…"` of Scala, `"password" to "…"` of Kotlin, `set password to "…"` of AppleScript,
/// `password.equals("…")`: the start of the string after such a word, which is at `at`.
pub(super) fn behind_arrow(text: &[u8], name: &Range<usize>, is_quoted: bool, at: usize) -> Option<usize> {
    const ARROWS: &[&[u8]] = &[b"->", "→".as_bytes()];
    const CALLS: &[&[u8]] = &[b".equals(", b".equalsIgnoreCase(", b".contentEquals("];
    let rest = text.get(at..)?;
    let behind = |words: &[&[u8]]| words.iter().find(|word| rest.starts_with(word)).map(|word| word.len());
    let is_set = || text[..name.start].ends_with(b"set ");
    let len = behind(ARROWS).filter(|_| is_quoted);
    let len = len.or_else(|| behind(&[b"to "]).filter(|_| at > name.end && (is_quoted || is_set())));
    let len = len.or_else(|| behind(CALLS))?;
    let from = skip(text, at + len, BLANK, 8);
    text.get(from).is_some_and(|b| b"\"'".contains(b)).then_some(from)
}

/// `<property name="db.password">…</property>`: the text of an element whose attribute gives the name. A text with a blank
/// is a label.
pub(super) fn of_attribute(text: &[u8], name: &Range<usize>, closed: usize) -> Option<Range<usize>> {
    const ATTRIBUTES: &[&[u8]] = &[b" name=", b" key=", b" id="];
    // Elements that show text to users of an application.
    const SHOWN: &[&[u8]] = &[b"<string", b"<td", b"<label", b"<span", b"<div", b"<button"];
    let before = text[..name.start].strip_suffix(b"\"").or(text[..name.start].strip_suffix(b"'"))?;
    let tag = ATTRIBUTES.iter().find_map(|word| before.strip_suffix(*word))?;
    let inside = element(text, closed).filter(|_| text.get(closed) == Some(&b'>'))?;
    let value = &text[inside.clone()];
    let is_shown = SHOWN.iter().any(|shown| tag.ends_with(shown));
    let is_value = !value.iter().any(u8::is_ascii_whitespace)
        && (!is_shown || judge::is_random(value, judge::Doubt::Some));
    is_value.then_some(inside)
}

/// `?password=…`, and ` password=… ` in a log line: between commas or brackets it is an argument of code.
pub(super) fn is_pair(text: &[u8], name: &Range<usize>, end: usize) -> bool {
    let before = name.start.checked_sub(1).map_or(b'\n', |i| text[i]);
    let behind = text.get(end).copied().unwrap_or(b'\n');
    let is_string = b"\"'".contains(&before) && behind == before;
    let is_argument = b"=:".contains(&before) && behind.is_ascii_whitespace() && is_in_flag(text, name.start);
    b"?&;".contains(&before)
        || is_string
        || is_argument
        || (before.is_ascii_whitespace() && behind.is_ascii_whitespace())
}

/// `--build-arg=` or `/p:` before a name: a flag whose argument is a pair.
fn is_in_flag(text: &[u8], name: usize) -> bool {
    let near = &text[name.saturating_sub(MAX_NAME_BYTES)..name];
    let word = near.iter().rposition(u8::is_ascii_whitespace).map_or(near, |at| &near[at + 1..]);
    word.starts_with(b"--") || word == b"/p:"
}

/// `- --api-token` above `- VALUE`: the start of the value of a flag in a list of YAML.
fn next_item(text: &[u8], name: &Range<usize>, closed: usize) -> Option<usize> {
    let end = closed + usize::from(text.get(closed) == Some(&b'\r'));
    if text.get(end) != Some(&b'\n') || !text[name.clone()].starts_with(b"--") {
        return None;
    }
    let near = &text[name.start.saturating_sub(MAX_INDENT_BYTES)..name.start];
    let mark = &near[memchr::memrchr(b'\n', near)? + 1..];
    let mark = mark.strip_suffix(b"\"").or(mark.strip_suffix(b"'")).unwrap_or(mark);
    let is_item = mark.trim_ascii_start() == b"- ";
    let next = text.get(end + 1..)?.strip_prefix(mark).filter(|next| is_item && !next.starts_with(b"-"))?;
    Some(text.len() - next.len())
}

/// Longest indent of a list, with its mark, in bytes. A choice.
const MAX_INDENT_BYTES: usize = 64;

/// `Key [None]: value`: the end of the operator after a prompt that shows the previous value. `char password[] = "…"`: the
/// end of the operator after an array.
pub(super) fn behind_brackets(text: &[u8], at: usize) -> Option<usize> {
    let inside = text.get(at..)?.strip_prefix(b"[")?;
    let len = inside.iter().take(24).position(|b| !b.is_ascii_alphanumeric() && !b"*_".contains(b))?;
    let behind = at + 1 + len;
    let rest = &inside[len..];
    if rest.starts_with(b"]:") {
        return Some(behind + 2);
    }
    let operator = skip(text, behind + 1, BLANK, 8);
    let from = skip(text, operator + 1, BLANK, 8);
    let is_array =
        rest.starts_with(b"]") && text.get(operator) == Some(&b'=') && text.get(from) == Some(&b'"');
    is_array.then_some(operator + 1)
}

/// The position after the anchor and the tag that YAML writes before a value: `&name `, `!!str `.
pub(super) fn behind_properties(text: &[u8], mut at: usize) -> usize {
    for _ in 0..2 {
        if !matches!(text.get(at), Some(b'&' | b'!')) {
            break;
        }
        let word = skip(text, at + 1, const { ByteSet::parse("a-zA-Z0-9_!-") }, 32);
        let next = skip(text, word, BLANK, 8);
        // `&str =` is a type. A password may begin with these signs too.
        if word == at + 1
            || next == word
            || text.get(next) == Some(&b'=')
            || text[..at].trim_ascii_end().ends_with(b"=")
            || extent::is_strong(&text[at + 1..word])
        {
            break;
        }
        at = next;
    }
    at
}

/// Longest type without a blank after it. A longer one is base64 that ends with `=`. A choice.
const MAX_TYPE_BYTES: usize = 16;

/// `let key: &str = "…"`: the position of the value, if a type is at `at`.
pub(super) fn behind_type(text: &[u8], at: usize) -> Option<usize> {
    let end = skip(text, at, const { ByteSet::parse("a-zA-Z0-9_&<>[].| ?") }, MAX_NAME_BYTES);
    let is_type = end > at && (text[end - 1] == b' ' || end - at <= MAX_TYPE_BYTES);
    let assigned = is_type && text.get(end) == Some(&b'=') && text.get(end + 1) != Some(&b'=');
    let from = skip(text, end + 1, BLANK, 4);
    let is_string = || {
        text.get(from).is_some_and(|b| b"\"'`".contains(b))
            || below::is_raw(text, from)
            || below::of_field(text, from).is_some()
    };
    (assigned && is_string()).then_some(from)
}

/// `Password { get; set; } = "…"`: the end of the operator after the accessors of a property of C#.
pub(super) fn behind_accessors(text: &[u8], at: usize) -> Option<usize> {
    /// Longest accessors, in bytes. A choice.
    const MAX_BYTES: usize = 64;
    let near = &text[at..text.len().min(at + MAX_BYTES)];
    let inside = near.strip_prefix(b"{")?;
    let len = memchr::memchr2(b'}', b'\n', inside).filter(|len| inside[*len] == b'}')?;
    // `private set`: the last word is the accessor.
    let is_accessor = |part: &[u8]| {
        let word = part.rsplit(|b| *b == b' ').next().unwrap_or_default();
        [&b"get"[..], b"set", b"init", b""].contains(&word)
    };
    let are_accessors = inside[..len].split(|b| *b == b';').all(is_accessor);
    let equals = skip(text, at + len + 2, BLANK, 8);
    (are_accessors && text.get(equals) == Some(&b'=')).then_some(equals + 1)
}

/// `password=[value]`: the start of a value in brackets, as logs write it. It must mix letters and digits as no name
/// does, because otherwise it may be a list of one item.
pub(super) fn inside_bracket(text: &[u8], at: usize) -> Option<usize> {
    const BEHIND: &[u8] = b" \t\r\n,;.\"'\\";
    let near = &text[at..text.len().min(at + MAX_NAME_BYTES)];
    let inside = near.strip_prefix(b"[")?;
    let len = memchr::memchr2(b']', b'\n', inside).filter(|len| inside[*len] == b']')?;
    let value = &inside[..len];
    let is_word = value.iter().all(|b| b.is_ascii_graphic() && !b"\"'`,[{(<>/\\".contains(b));
    let is_last = text.get(at + len + 2).is_none_or(|b| BEHIND.contains(b));
    let is_odd = judge::is_password(value) && judge::is_random(value, judge::Doubt::Little);
    (is_word && is_last && is_odd).then_some(at + 1)
}

/// `${NAME:-value}`: the start of the value that a shell uses if the variable is not set.
pub(super) fn behind_default(text: &[u8], name: &Range<usize>) -> Option<usize> {
    // Spring writes a colon alone.
    const SIGNS: &[&[u8]] = &[b":-", b":=", b"-", b"=", b":"];
    let is_open = text[..name.start].ends_with(b"${");
    let rest = &text[name.end..];
    let sign = SIGNS.iter().find(|sign| is_open && rest.starts_with(sign))?;
    let is_other = **sign == b":"[..] && rest.get(1).is_none_or(|b| b"?+}".contains(b));
    (!is_other).then_some(name.end + sign.len())
}

/// `NAME:STRING=value`: the position after the type of a CMake variable, if there is one at `at`; otherwise `at`.
pub(super) fn behind_type_of_cache(text: &[u8], at: usize) -> usize {
    const TYPES: &[&[u8]] =
        &[b"STRING=", b"UNINITIALIZED=", b"INTERNAL=", b"FILEPATH=", b"PATH=", b"STATIC="];
    let is_tight = text[..at].ends_with(b":");
    let found = TYPES.iter().find(|kind| is_tight && text[at..].starts_with(kind));
    at + found.map_or(0, |kind| kind.len())
}

/// The start of a value that follows a name without an operator: after a flag or a declaration, or in an element.
pub(super) fn behind_word(text: &[u8], name: &Range<usize>) -> Option<usize> {
    let before = name.start.checked_sub(1).map(|at| text[at]);
    if before == Some(b'<') {
        return (text.get(name.end) == Some(&b'>')).then_some(name.end + 1);
    }
    let from = skip(text, name.end, BLANK, 8);
    let is_flag = from > name.end && text[name.clone()].starts_with(b"--");
    if is_flag { Some(from) } else { declared(text, name, name.end) }
}

/// Whether the name at `name` is that of an element of XML, perhaps after the prefix of a namespace, and its tag
/// closes.
pub(super) fn is_tag(text: &[u8], name: &Range<usize>) -> bool {
    let open = skip_back(text, name.start, const { ByteSet::parse("a-zA-Z0-9_.:-") }, MAX_NAME_BYTES);
    open > 0 && text[open - 1] == b'<' && tag_end(text, name.end).is_some()
}

/// The end of an opening tag whose name ends at `at`.
fn tag_end(text: &[u8], at: usize) -> Option<usize> {
    let near = &text[at..text.len().min(at + MAX_TAG_BYTES)];
    let len = memchr::memchr3(b'>', b'<', b'\n', near)?;
    let is_open = near[len] == b'>' && (len == 0 || near[0] == b' ' && near[len - 1] != b'/');
    is_open.then_some(at + len + 1)
}

/// The text of the element whose name ends at `at`, in one line; the tags may be on lines of their own.
pub(super) fn element(text: &[u8], at: usize) -> Option<Range<usize>> {
    const SPACE: ByteSet = ByteSet::parse(" \t\r\n");
    let open = tag_end(text, at)?;
    let start = skip(text, open, SPACE, MAX_TAG_BYTES);
    let inside = text.get(start..)?.strip_prefix(b"<![CDATA[");
    let from = start + usize::from(inside.is_some()) * b"<![CDATA[".len();
    let near = &text[from..text.len().min(from + MAX_ELEMENT_BYTES)];
    let line = memchr::memchr2(b'<', b'\n', near)?;
    let close = skip(text, from + line, SPACE, MAX_TAG_BYTES);
    let end = from + near[..line].trim_ascii_end().len();
    let end = end - if text[..end].ends_with(b"]]>") && inside.is_some() { 3 } else { 0 };
    (text[close..].starts_with(b"</") && from <= end).then_some(from..end)
}

/// Longest tag, and longest text of an element, in bytes.
const MAX_TAG_BYTES: usize = 256;
const MAX_ELEMENT_BYTES: usize = 8 << 10;

/// Longest declaration before a name, in bytes.
const MAX_DECLARATION_BYTES: usize = 24;

#[cfg(test)]
mod tests {
    use crate::sanitize::secrets::redact;

    /// Texts with a value at `*`, which may hold these signs.
    const FORMS: &[(&str, &str)] = &[
        ("a.env:12:DSN=root:*@tcp(db)/app\n", ":@$&;!"),
        ("CREATE USER app IDENTIFIED BY '*';\n", "\"&:@$"),
        ("ALTER USER b PASSWORD '*';\n", "\"&:@$"),
        ("ALTER LOGIN app WITH PASSWORD = N'*';\n", "\"&:@$"),
        ("url=jdbc:oracle:thin:scott/*@db:1521:orcl\n", "$:@&"),
        ("sqlplus scott/*@orcl\n", "$:@;"),
        ("execve(\"/usr/bin/mysql\", [\"mysql\", \"-uroot\", \"-p*\"], 0x7ffd) = 0\n", "&$;:|"),
        ("twine upload -u bob -p '*' dist/*\n", "$&;"),
        ("lftp -u bob,* sftp://h\n", "$:@"),
        ("security add-generic-password -a ada -s x -w *\n", "$:@"),
        ("net use z: \\\\host\\share * /user:bob\n", "$:@&"),
        ("echo \"*\" | passwd --stdin bob\n", ":@&"),
        ("echo * | sudo -S ls\n", ":@"),
        ("uri ldap://h\nbindpw *\ntls on\n", "&;:@$"),
        ("get(u, auth=(\"deploy\", \"*\"))\n", "$#:@"),
        ("keyring.set_password(\"svc\", \"deploy\", \"*\")\n", "$#:@"),
        ("<input value='*' type='password'>\n", "#:@&"),
        ("      keyPassword(\"*\")\n", "#:@&"),
        ("  credentials {\n    username 'ci'\n    password '*'\n  }\n", "#:@&$"),
        ("A temporary password is generated for root@localhost: *\n", "$<(>;"),
        ("elastic:*@es:9200\n", "#$:@"),
        ("public string Password { get; set; } = \"*\";\n", "#:@&"),
        ("public string ApiKey { get; private init; } = \"*\";\n", "!#&"),
        ("password <- \"*\"\n", "#:@&$"),
        ("(setq my-password \"*\")\n", "#:@&$"),
        ("(defvar api-key \"*\")\n", "!#&"),
        ("  clientSecret \"*\"\n", "!#&"),
        ("set(DB_PASSWORD \"*\")\n", "#:@&$"),
        ("  -DDB_PASSWORD:STRING=*\n", "#@$"),
        ("DB_PASSWORD=${DB_PASSWORD:-*}\n", "#@$!"),
        ("export DB_PASSWORD=$'*'\n", "#:@&$"),
        ("SetEnv DB_PASSWORD *\n", "#:@$"),
        ("  proxy_set_header X-Api-Key \"*\";\n", "!#&"),
        ("conn: {Host:db.lan User:app Password:* Port:5432}\n", "#$@!"),
        ("requirepass *\n", "\\#$"),
        ("username ada password 0 *\n", "#$!"),
        ("ldap_bind_password: Some(\"*\"),\n", "#$!"),
        ("Use password * to log in.\n", "#$!"),
        ("the password for the admin account is *\n", "#$!"),
        ("INFO user=[ada] password=[*]\n", "#@!"),
        ("RESTIC_PASSWORD=* restic ls\n", "-#"),
        ("mapOf(\"password\" to \"*\")\n", "#:@&$"),
        ("\"password\" -> \"*\",\n", "#:@&$"),
        ("set password to \"*\"\n", "#:@&"),
        ("Dim password As String = \"*\"\n", "#:@&$"),
        ("v_password VARCHAR2(30) := '*';\n", "#:@&"),
        ("DATA password TYPE string VALUE '*'.\n", "#:@&"),
        ("if (password.equals(\"*\")) {\n", "#:@&$"),
        ("<property name=\"hibernate.connection.password\">*</property>\n", "#:@!"),
        ("string(name: 'dbPassword', defaultValue: '*')\n", "#:@&$"),
        ("{ password:: '*' }\n", "#:@!"),
        ("msbuild /p:password=* x.sln\n", "#@!"),
        ("--action_env=password=* x\n", "#@!"),
        ("&{host:db password:* port:5432}\n", "#@!"),
        ("printf '%s\\n' '*' | docker login -u bob --password-stdin\n", ":@"),
        ("redis://:*@cache:6379/0\n", "#!"),
        ("stats auth admin:*\n", "#!@"),
        ("new UsernamePasswordCredentials(\"bob\", \"*\")\n", "#!@"),
        ("username ada privilege 15 secret *\n", "#$!"),
        ("> PASS *\n", "#!"),
    ];

    #[test]
    fn a_value_in_a_form_goes_whole_over_signs() {
        let mut wrong = Vec::new();
        for (form, signs) in FORMS {
            for sign in signs.chars() {
                let value = format!("kR7mQx{sign}p4xLz9");
                let (before, behind) = form.split_once('*').unwrap_or_default();
                let text = format!("{before}{value}{behind}");
                let shown = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
                let is_whole = shown.starts_with(&format!("{before}[REDACTED:")) && shown.ends_with(behind);
                if !is_whole || shown.contains("p4xLz9") {
                    wrong.push(shown);
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join(""));
    }

    #[test]
    fn a_random_value_behind_the_short_name_of_a_token_goes() {
        let key = ["19b8f89a50f8a8e9bb8bdb5eba456bf9", "2d5d98065e5751f75143a5f61debc267"].concat();
        assert!(redact(&format!("ssid=a\nwpa_psk={key}\n")).is_some());
        let value = ["kX9mQ2vL8pRt", "TqYwZbNcVdFg"].concat();
        for before in ["PAT=", "{\"pat\": \"", "githubPat = \"", "GH_PAT: "] {
            let shown = redact(&format!("{before}{value}\n")).map(|redacted| redacted.text);
            assert!(shown.is_some_and(|shown| !shown.contains("TqYw")), "{before}");
        }
    }

    #[test]
    fn variables_without_an_operator_and_in_braces_go() {
        let value = ["kX9mQ2vL", "8pRtTqYw7B"].concat();
        for line in ["DB_PASSWORD @", "API_KEY  @", "$ENV{DB_PASSWORD} = \"@\";", "$ENV{'API_KEY'} = '@';"] {
            let text = format!("first\n{}\nlast\n", line.replace('@', &value));
            let out = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
            assert!(!out.contains(&value[..6]) && out.contains("[REDACTED:"), "{out}");
        }
        for line in [
            "DB_PASSWORD is not set",
            "API_KEY required",
            "TOKEN_LIMIT 4096000000000",
            "MAX_TOKENS some_Name_12_of_it",
            "${API_KEY}_@",
        ] {
            let text = format!("first\n{}\nlast\n", line.replace('@', &value));
            assert!(redact(&text).is_none(), "{line}");
        }
    }
}
