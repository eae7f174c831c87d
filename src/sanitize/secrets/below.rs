//! A value in quotation marks that is in the line below its name: after an operator or an open bracket at the end
//! of the line, in a string of many lines, or in a here-document of a shell. It also finds a value in a string
//! literal of a form that few languages have, or in a call around a string. It only finds the value; the caller
//! decides whether it is a secret.

use super::extent::is_strong;
use super::judge::{ByteSet, skip};
use std::ops::Range;

/// Longest line of a value, in bytes.
const MAX_LINE_BYTES: usize = 4 << 10;
/// Most strings, each on its own line, that form one value. A choice.
const MAX_STRINGS: usize = 16;
/// Longest word that ends a here-document, in bytes. A choice.
const MAX_WORD_BYTES: usize = 32;

const BLANK: ByteSet = ByteSet::parse(" \t");
const QUOTE: ByteSet = ByteSet::parse("\"'`");

/// The value in the line below `at`; `at` is the position after the operator of a name.
pub(super) fn value(text: &[u8], at: usize) -> Option<Range<usize>> {
    match text.get(at)? {
        b'\r' | b'\n' => string(text, next_line(text, at)?, false),
        b'(' => {
            let inside = skip(text, at + 1, BLANK, 8);
            let from = next_line(text, inside).unwrap_or(inside);
            string(text, from, true)
        }
        b'"' | b'\'' => of_many_lines(text, at).or_else(|| of_more_marks(text, at)),
        b'$' => of_shell(text, at),
        b'@' => here_string(text, at),
        b'<' => here_document(text, at),
        b'{' => in_braces(text, at),
        b'%' => of_letter(text, at + 1),
        b'q' => of_letter(text, at),
        _ => raw(text, at).or_else(|| in_call(text, at)).or_else(|| of_field(text, at)),
    }
}

/// Longest value in a form of a language, in bytes. A choice: few secrets are longer, and those have forms of their own.
const MAX_FORM_BYTES: usize = 256;

/// The bytes up to `close`, within the line.
fn up_to(text: &[u8], start: usize, close: &[u8]) -> Option<Range<usize>> {
    let near = text.get(start..text.len().min(start + MAX_FORM_BYTES))?;
    let near = &near[..memchr::memchr(b'\n', near).unwrap_or(near.len())];
    let len = memchr::memmem::find(near, close).filter(|len| *len > 0)?;
    Some(start..start + len)
}

/// `"""…"""` and `\'\'\'…\'\'\'` in one line, `\'\'…\'\'` of Nix.
fn of_more_marks(text: &[u8], at: usize) -> Option<Range<usize>> {
    let quote = *text.get(at)?;
    let count = text[at..].iter().take(4).take_while(|b| **b == quote).count();
    let first = text.get(at + count).filter(|b| b.is_ascii_graphic())?;
    // An empty string would be followed by a sign.
    let is_form = count == 3 || count == 2 && quote == b'\'' && first.is_ascii_alphanumeric();
    if !is_form {
        return None;
    }
    up_to(text, at + count, text.get(at..at + count)?)
}

/// Whether a raw string of Rust or Swift begins at `at`: `r#"`, `#"`.
pub(super) fn is_raw(text: &[u8], at: usize) -> bool {
    raw_mark(text, at).is_some()
}

/// The positions at which the number signs and the text of a raw string begin.
fn raw_mark(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let signs = skip(text, at, const { ByteSet::parse("bcr") }, 2);
    let mark = skip(text, signs, const { ByteSet::parse("#") }, 4);
    (mark > signs && text.get(mark) == Some(&b'"')).then_some((signs, mark + 1))
}

/// `r#"…"#` of Rust, `#"…"#` of Swift.
fn raw(text: &[u8], at: usize) -> Option<Range<usize>> {
    let (signs, start) = raw_mark(text, at)?;
    let mut close = text.get(signs..start)?.to_vec();
    close.reverse();
    up_to(text, start, &close)
}

/// `@\'`, a line, and `\'@` of PowerShell.
fn here_string(text: &[u8], at: usize) -> Option<Range<usize>> {
    let quote = *text.get(at + 1).filter(|b| matches!(b, b'"' | b'\''))?;
    let start = next_line(text, at + 2)?;
    let end = line_end(text, start)?;
    let close = next_line(text, end)?;
    text.get(close..)?.starts_with(&[quote, b'@']).then_some(start..end)
}

/// `%q(…)` of Ruby, `q{…}` of Perl. Round brackets after a bare `q` may be those of a call.
fn of_letter(text: &[u8], at: usize) -> Option<Range<usize>> {
    let open = skip(text, at, const { ByteSet::parse("qQ") }, 2);
    let is_bare = at == 0 || text[at - 1] != b'%';
    let close = match text.get(open)? {
        _ if open == at => return None,
        b'(' => b')',
        b'{' => b'}',
        b'[' => b']',
        b'|' => b'|',
        b'!' => b'!',
        _ => return None,
    };
    let value = up_to(text, open + 1, &[close])?;
    let bytes = text.get(value.clone())?;
    (close != b')' || !is_bare || is_strong(bytes)).then_some(value)
}

/// `{'…'}`, a string as an attribute of JSX.
fn in_braces(text: &[u8], at: usize) -> Option<Range<usize>> {
    let end = quoted(text, at + 1)?;
    (text.get(end + 1) == Some(&b'}')).then_some(at + 2..end)
}

/// `Field("…")`, `str = Field(default="…", env="X")`: the default of a field in Python, perhaps after its type.
pub(super) fn of_field(text: &[u8], at: usize) -> Option<Range<usize>> {
    const CALLS: &[&[u8]] = &[b"Field(", b"field("];
    let rest = text.get(at..)?;
    let call = CALLS.iter().find(|call| rest.starts_with(call))?;
    let from = at + call.len();
    let from = from + if text[from..].starts_with(b"default=") { b"default=".len() } else { 0 };
    let end = quoted(text, from)?;
    text.get(end + 1).is_some_and(|b| b",)".contains(b)).then_some(from + 1..end)
}

/// A string in a call that only passes it on, `String.valueOf("…")`, or that is the default of a variable,
/// `env("NAME", "…")`.
fn in_call(text: &[u8], at: usize) -> Option<Range<usize>> {
    const PASSING: &[&[u8]] = &[
        b"String.valueOf(",
        b"String::from(",
        b"std::string(",
        b"new String(",
        b"str(",
        b"SecretStr(",
        b"SecretString(",
        b"lib.mkDefault ",
        b"lib.mkForce ",
        b"mkDefault ",
        b"mkForce ",
    ];
    const WITH_DEFAULT: &[&[u8]] = &[
        b"env(",
        b"getenv(",
        b"os.getenv(",
        b"os.environ.get(",
        b"ENV.fetch(",
        b"config(",
        b"System.getProperty(",
    ];
    let rest = text.get(at..)?;
    if let Some(call) = PASSING.iter().find(|call| rest.starts_with(call)) {
        let from = at + call.len();
        let end = quoted(text, from)?;
        let is_whole = call.ends_with(b" ") || text.get(end + 1) == Some(&b')');
        return is_whole.then_some(from + 1..end);
    }
    let call = WITH_DEFAULT.iter().find(|call| rest.starts_with(call))?;
    let name = quoted(text, at + call.len())?;
    let between = text.get(name + 1..)?.strip_prefix(b",")?;
    let from = skip(text, text.len() - between.len(), BLANK, 8);
    let named = text.get(from..)?.strip_prefix(b"default=").map_or(from, |rest| text.len() - rest.len());
    let end = quoted(text, named)?;
    text.get(end + 1).is_some_and(|b| b",)".contains(b)).then_some(named + 1..end)
}

/// The position of the first character of the next line, if nothing follows in this line.
fn next_line(text: &[u8], at: usize) -> Option<usize> {
    let end = at + usize::from(text.get(at) == Some(&b'\r'));
    (text.get(end) == Some(&b'\n')).then(|| skip(text, end + 1, BLANK, 64))
}

/// A string that is the rest of its line and not the name of another value. Inside brackets, strings in the lines
/// below belong to it.
fn string(text: &[u8], at: usize, is_in_brackets: bool) -> Option<Range<usize>> {
    let mut end = quoted(text, at)?;
    let start = at + 1;
    for _ in 0..MAX_STRINGS {
        let Some(next) = next_line(text, end + 1).filter(|_| is_in_brackets) else { break };
        let Some(further) = quoted(text, next) else { break };
        end = further;
    }
    let behind = skip(text, end + 1, BLANK, 8);
    let is_whole = text.get(behind).is_none_or(|b| b",;)}]\r\n".contains(b));
    // A string before a comma in one line is an argument.
    let is_alone =
        !is_in_brackets || text.get(start..end)?.contains(&b'\n') || text.get(behind) != Some(&b',');
    (is_whole && (is_alone || next_line(text, behind).is_some())).then_some(start..end)
}

/// The end of the string that begins at `at`, within its line.
fn quoted(text: &[u8], at: usize) -> Option<usize> {
    let quote = *text.get(at).filter(|b| QUOTE.has(**b))?;
    let line = text.get(at + 1..text.len().min(at + MAX_LINE_BYTES))?;
    let len = line.iter().position(|b| *b == quote || *b == b'\n' || *b == b'\\')?;
    (line.get(len) == Some(&quote)).then_some(at + 1 + len)
}

/// `"""` and a line end, then one line, then `"""`.
fn of_many_lines(text: &[u8], at: usize) -> Option<Range<usize>> {
    let marks = text.get(at..at + 3)?;
    if !marks.iter().all(|b| Some(b) == marks.first()) {
        return None;
    }
    let start = next_line(text, at + 3)?;
    let end = line_end(text, start)?;
    let close = next_line(text, end)?;
    text.get(close..)?.starts_with(marks).then_some(start..end)
}

/// `$(cat <<EOF` and a line end, then one line, then `EOF`.
fn of_shell(text: &[u8], at: usize) -> Option<Range<usize>> {
    text.get(at..)?.strip_prefix(b"$(cat ").and_then(|rest| here_document(text, text.len() - rest.len()))
}

/// `<<EOT` and a line end, then one line, then `EOT`.
fn here_document(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?.strip_prefix(b"<<")?;
    let from = text.len() - rest.len();
    let from = skip(text, from, const { ByteSet::parse("\"'\\~-") }, 2);
    let to = skip(text, from, const { ByteSet::parse("a-zA-Z0-9_") }, MAX_WORD_BYTES);
    let word = text.get(from..to).filter(|word| !word.is_empty())?;
    let start = next_line(text, skip(text, to, const { ByteSet::parse("\"'") }, 1))?;
    let end = line_end(text, start)?;
    let close = next_line(text, end)?;
    text.get(close..)?.starts_with(word).then_some(start..end)
}

/// The end of a line, without its line end.
fn line_end(text: &[u8], start: usize) -> Option<usize> {
    let line = text.get(start..text.len().min(start + MAX_LINE_BYTES))?;
    let len = memchr::memchr(b'\n', line)?;
    let len = len - usize::from(line.get(..len)?.ends_with(b"\r"));
    (len > 0).then_some(start + len)
}

#[cfg(test)]
mod tests {
    use crate::sanitize::secrets::redact;

    #[test]
    fn a_quoted_value_below_its_name_goes() {
        let (first, second) = ("Kx9mQ2vLw7zAb4tR8nB3", "rY6cZ1sD5fH0gJ2kQ8wP");
        for (before, behind) in [
            ("{\"password\":\n \"", "\"}\n"),
            ("const apiKey =\n  \"", "\";\n"),
            ("API_KEY = (\"", "\"\n           \"MORE\")\n"),
            ("API_KEY = (\n    \"", "\"\n    \"MORE\"\n)\n"),
            ("secret = \"\"\"\n", "\n\"\"\"\n"),
            ("PASSWORD=$(cat <<EOF\n", "\nEOF\n)\n"),
            ("API_TOKEN=$(cat <<-'END'\n\t", "\nEND\n)\n"),
        ] {
            let text = format!("{before}{first}{behind}").replace("MORE", second);
            let shown = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
            assert!(!shown.contains(first) && !shown.contains(second), "{shown}");
            assert_eq!(shown.matches("[REDACTED:").count(), 1, "{shown}");
        }
    }

    #[test]
    fn a_value_in_a_form_of_a_language_goes() {
        for word in ["hT5kW9qLm2zA", "hT5kW9qLm2zAvB7nR4xQ"] {
            for text in [
                "password = \"\"\"*\"\"\"\n",
                "password = \'\'\'*\'\'\'\n",
                "val password: String = \"\"\"*\"\"\"\n",
                "let password = r#\"*\"#;\n",
                "const PASSWORD: &str = r##\"*\"##;\n",
                "let password = #\"*\"#\n",
                "  password = \'\'*\'\';\n",
                "char password[] = \"*\";\n",
                "static const char db_password[MAX_LEN] = \"*\";\n",
                "password = (\"*\")\n",
                "password = String.valueOf(\"*\")\n",
                "password: String::from(\"*\"),\n",
                "password = env(\"DB_PW\", \"*\")\n",
                "password = os.environ.get(\'DB_PW\', \'*\')\n",
                "password = config(\"DB_PW\", default=\"*\")\n",
                "password = lib.mkDefault \"*\";\n",
                "password = %q(*)\n",
                "password => q{*},\n",
                "my $password = q(*);\n",
                "$password = @\'\n*\n\'@\n",
                "$password = @\"\r\n*\r\n\"@\r\n",
                "args:\n  - --password\n  - *\n",
                "args:\n  - \"--password\"\n  - \"*\"\n",
                "\"Args\": [\n  \"--password\",\n  \"*\"\n]\n",
            ] {
                let (before, behind) = text.split_once('*').unwrap_or_default();
                let shown =
                    redact(&text.replace('*', word)).map(|redacted| redacted.text).unwrap_or_default();
                assert_eq!(shown, format!("{before}[REDACTED:generic-password]{behind}"));
            }
        }
    }

    #[test]
    fn what_is_no_value_in_such_a_form_stays() {
        for text in [
            "password = \"\"\"The password of user1 is in the vault\"\"\"\n",
            "def f(password=\'\', port2=\'\'):\n",
            "password = \'\'${pkgs.pass2word}\'\';\n",
            "password: \"\"\n",
            "let token = r#type2;\n",
            "password = (\"user2\", \"name3\")\n",
            "token = (\"the-name-of-a-token\")\n",
            "password = env(\"DB_PASSWORD2\")\n",
            "password = os.getenv(\"DB_PASSWORD2\", None)\n",
            "password = String.valueOf(user2name)\n",
            "token = q(user2name)\n",
            "password = query{user2name}\n",
            "char password[64];\n",
            "char password[MAX_LEN] = {0};\n",
            "password[i] = buffer2[i];\n",
            "args:\n  - --token\n  - --port2\n",
            "args:\n  - --password\n  - --verbose2\n",
            "args:\n  - --token\n  - the-name-of-it2\n",
            "- --password\n\nPassword2: see below\n",
            "$password = @\'\nThe password of user1\n\'@\n",
        ] {
            assert_eq!(redact(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_value_below_a_name_stays() {
        for text in [
            "password:\n  \"hunter2xyz\": 1\n",
            "secret = \"\"\"\nThe secret of this module\n\"\"\"\n",
            "PASSWORD=$(cat <<EOF\n$1\nEOF\n)\n",
            "const token =\n  \"a message of words\";\n",
            "password = (\n  first,\n)\n",
        ] {
            assert_eq!(redact(text), None, "{text}");
        }
    }
}
