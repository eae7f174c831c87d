//! Passwords of letters and digits inside a line: in logs, in strings, in printed objects.
//!
//! `password = hunter2xyz` is a password there, and the name of a variable in code. So the value must not be a name
//! that programs use, and the line must not be code. It reads one line and does not report secrets itself.

use super::judge::{ByteSet, Doubt, Sought, contains, is_random, oddity, skip};
use super::words::describes;
use std::ops::Range;

const BLANK: ByteSet = ByteSet::parse(" \t");
/// Shortest value and the first length that is too long, in bytes.
const BYTES: Range<usize> = 8..65;
/// Bytes of a line before the name that are read.
const MAX_LINE_BYTES: usize = 256;

/// Words with digits that occur in names in code.
const KNOWN: Sought<30> = Sought::new([
    "utf8", "utf16", "base64", "base32", "b64", "sha1", "sha2", "sha3", "sha5", "md5", "oauth2", "s3b",
    "s3cl", "s3k", "x509", "ec2", "k8s", "http2", "pkcs", "p12", "aes1", "aes2", "pbkdf2", "argon2", "rfc",
    "i18n", "int32", "int64", "ed25519", "ipv",
]);
/// Words before a name that occur only in code.
const CODE: &[&str] = &[
    "let",
    "const",
    "var",
    "def",
    "return",
    "final",
    "val",
    "public",
    "private",
    "protected",
    "static",
    "auto",
    "new",
    "my",
    "fn",
    "func",
    "function",
    "if",
    "elif",
    "else",
    "string",
    "String",
    "str",
    "char",
    "import",
];

/// Whether a word is one with digits that occurs in names in code.
pub(super) fn is_known(word: &[u8]) -> bool {
    KNOWN.is_in(&word.to_ascii_lowercase())
}

/// Whether the value of a name is a password because of its letters and the line that holds it.
pub(super) fn is_password(text: &[u8], name: &Range<usize>, value: &Range<usize>) -> bool {
    let bytes = &text[value.clone()];
    let has = |is: fn(&u8) -> bool| bytes.iter().any(is);
    let is_possible = BYTES.contains(&bytes.len())
        && bytes.iter().all(u8::is_ascii_alphanumeric)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic);
    if !is_possible {
        return false;
    }
    let odd = oddity(bytes);
    let is_strong = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && odd > 0;
    if is_known(bytes) || !is_strong && describes(bytes) {
        return false;
    }
    let near = &text[name.start.saturating_sub(MAX_LINE_BYTES)..name.start];
    let before = &near[memchr::memrchr(b'\n', near).map_or(0, |at| at + 1)..];
    let between = &text[name.end..value.start];
    if is_code(before, &text[name.clone()], between) {
        return false;
    }
    if is_argument(before) {
        return is_strong && odd > 1;
    }
    let is_tight = !between.iter().any(|b| BLANK.has(*b));
    let end = skip(text, value.end, BLANK, 32);
    let is_apart = end > value.end;
    let ends_line = text.get(end).is_none_or(|b| b"\r\n".contains(b));
    match text.get(end) {
        // The end of the string or the object that holds name and value.
        Some(b'"' | b'\'' | b'\\' | b'`' | b'}' | b']' | b'<') => true,
        Some(b',' | b';') => is_tight || text[name.start].is_ascii_uppercase() || is_strong,
        _ if ends_line => {
            is_strong
                || text[name.start].is_ascii_uppercase()
                || before.trim_ascii_end().last().is_none_or(|b| b"|]:>".contains(b))
                || is_told(before)
        }
        Some(_) => is_apart && is_strong,
        None => true,
    }
}

/// The part of a bare value that is the value: without the name of a pair (`1Password: password=…`) and without a user
/// (`credentials: ada:…`). `None` if it is not a value but, for example, the name of the next setting, a number of
/// seconds or the token of a badge.
pub(super) fn inside(text: &[u8], name: &Range<usize>, value: Range<usize>) -> Option<Range<usize>> {
    /// Longest name or user in a value.
    const MAX_WORD_BYTES: usize = 32;
    const SECRET_WORDS: &[&[u8]] = &[b"password", b"passwd", b"pwd", b"passphrase", b"secret", b"token"];
    let bytes = text.get(value.clone())?;
    if text[..name.start].ends_with(b".svg?")
        || is_next_setting(text, name, &value)
        || is_duration(text, name, bytes)
    {
        return None;
    }
    let word = skip(bytes, 0, const { ByteSet::parse("a-zA-Z_-") }, MAX_WORD_BYTES);
    let rest = bytes.get(word + 1..).unwrap_or_default();
    let from = value.start + word + 1;
    let ends_with = |end: &&&[u8]| {
        word.checked_sub(end.len()).is_some_and(|start| bytes[start..word].eq_ignore_ascii_case(end))
    };
    let has = |part: &str| contains(&text[name.clone()], part);
    match bytes.get(word) {
        Some(b'=') if rest.len() >= 6 && SECRET_WORDS.iter().any(|end| ends_with(&end)) => {
            Some(from..value.end)
        }
        Some(b':')
            if word > 1
                && bytes[..word].iter().all(u8::is_ascii_lowercase)
                && (has("cred") || has("auth"))
                && is_random(rest, Doubt::Some) =>
        {
            Some(from..value.end)
        }
        _ => Some(value),
    }
}

/// `passphrase= password= version=`: whether the word after a name is the next of several settings without values.
fn is_next_setting(text: &[u8], name: &Range<usize>, value: &Range<usize>) -> bool {
    let is_name = |word: &[u8]| {
        let len = word.iter().take_while(|b| b.is_ascii_alphabetic() || **b == b'_').count();
        len > 0 && word.get(len) == Some(&b'=') && word.get(len + 1).is_none_or(u8::is_ascii_whitespace)
    };
    let before = text[..name.start].strip_suffix(b" ");
    let behind = text[value.end..].strip_prefix(b" ");
    is_name(&text[value.clone()])
        && text[..value.start].ends_with(b"= ")
        && (before.is_some_and(|before| before.ends_with(b"="))
            || behind.is_some_and(|behind| is_name(&behind[..behind.len().min(MAX_LINE_BYTES)])))
}

/// `'password': 864000`: a number of seconds in code, of whole minutes.
fn is_duration(text: &[u8], name: &Range<usize>, bytes: &[u8]) -> bool {
    let is_quoted = text[..name.start].ends_with(b"'") && text[name.end..].starts_with(b"'");
    let number = std::str::from_utf8(bytes).ok().filter(|_| is_quoted && bytes.len() <= 7);
    number.and_then(|number| number.parse::<u32>().ok()).is_some_and(|seconds| seconds % 60 == 0)
}

/// Whether a line is program code up to a name and its operator.
fn is_code(before: &[u8], name: &[u8], between: &[u8]) -> bool {
    let behind = [&b"self."[..], b"this."].iter().any(|owner| name.starts_with(owner));
    let operator = between.trim_ascii();
    let word = before.trim_ascii_end();
    let start = word.iter().rposition(|b| !b.is_ascii_alphabetic()).map_or(0, |at| at + 1);
    let is_word = CODE.iter().any(|code| word[start..] == *code.as_bytes());
    behind || is_word || operator.starts_with(b":=") || operator.starts_with(b"?")
}

/// Whether a sentence precedes a name: `here is the password: garden1844`.
fn is_told(before: &[u8]) -> bool {
    const LEADS: &[&[u8]] = &[b"the", b"your", b"my", b"our", b"his", b"her", b"their", b"this", b"new"];
    let before = before.trim_ascii_end();
    let start = before.iter().rposition(|b| !b.is_ascii_alphabetic()).map_or(0, |at| at + 1);
    LEADS.iter().any(|lead| before[start..].eq_ignore_ascii_case(lead))
}

/// Whether a name is in the brackets of a call.
fn is_argument(before: &[u8]) -> bool {
    let mut depth = 0usize;
    for (at, b) in before.iter().enumerate().rev() {
        match b {
            b')' => depth += 1,
            b'(' if depth == 0 => {
                return at > 0 && (before[at - 1].is_ascii_alphanumeric() || before[at - 1] == b'_');
            }
            b'(' => depth -= 1,
            _ => {}
        }
    }
    false
}

/// Whether a number of tests is after the title of a suite: ` (3 tests)`.
pub(super) fn is_title(behind: &[u8]) -> bool {
    let Some(count) = behind.strip_prefix(b" (") else { return false };
    let digits = count.iter().take(9).take_while(|b| b.is_ascii_digit()).count();
    digits > 0 && count[digits..].starts_with(b" test")
}

#[cfg(test)]
mod tests {
    use crate::sanitize::secrets::redact;

    #[test]
    fn a_password_of_letters_and_digits_goes_wherever_it_stands() {
        for text in [
            "{\"level\":\"info\",\"msg\":\"connecting with password = *\"}",
            "2025-03-01T12:00:00Z INFO db: password: *",
            "level=debug msg=\"db_password = *\"",
            "web-1  | db_password   =   *",
            "[pod/web] password = *",
            "HEAD~1:conf/app.env:2:db_password = *",
            "DbConfig{host=db, password=*, port=5432}",
            "{Host:db Password:*}",
            "password=*,user=x",
            "db_password=*;",
            "Username: bob, Password: *",
            "[password: *]",
        ] {
            for word in ["Zq7pLm2Xw9", "hunter2xyz", "MyS3cretPwd", "correcthorse9"] {
                let text = text.replace('*', word);
                let shown = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
                assert!(!shown.contains(word), "{text}");
                assert_eq!(shown.matches("[REDACTED:").count(), 1, "{shown}");
            }
        }
    }

    #[test]
    fn a_name_or_a_user_inside_a_value_stays() {
        for (before, value, behind) in [
            ("1Password: password=", "ks3GJ*EICjWY^$_*3cXM", "\n"),
            ("credentials: ada:", "lZq8rj7zPtJE", "\n"),
            ("pulumi:secret dbPassword ", "rRAQoHo9JBr5AZ", "\n"),
        ] {
            let out = redact(&format!("{before}{value}{behind}")).map(|redacted| redacted.text);
            let out = out.unwrap_or_default();
            assert!(out.starts_with(&format!("{before}[REDACTED:")) && out.ends_with(behind), "{out}");
        }
    }

    #[test]
    fn code_and_counts_stay() {
        for text in [
            "opts=\"passphrase= password= scmVersion= tokenPath=\"\n",
            "    'password': 864000,\n",
            "[b]: https://c.lan/o/r/badge.svg?token=Z92NHFQ70G\n",
            "Authorization: Bearer a-token-string\n",
            "Authorization: Bearer my-token-of-tests\n",
            "headers = {\"Authorization\": \"Bearer access-token\"}\n",
            "password: ENC[AES256_GCM,data:k8sKd0vLq3==,iv:x,tag:y,type:str]\n",
            "\"password\": \"ENC[AES256_GCM,data:k8sKd0vLq3aZ9==,iv:x8Qk,tag:y,type:str]\"\n",
            "let password = user2account;\n",
            "    connect(host, password=admin2user)\n",
            "{ user, password: utf8Decoded }\n",
            "self.password = account12345, x\n",
            "password := account12345, nil\n",
            "if x: self.password = hunter2xyz\n",
            "password: string1,\n",
            "done: pass=9876543 fail=0\n",
            "| password | varchar(255) | NO |\n",
            "[\"username\", \"password\", \"remember_me2\"]\n",
            "host all all 0.0.0.0/0 \"password\", \"scram-sha-256\"\n",
            "POSTGRES_PASSWORD=postgres\nMINIO_ROOT_PASSWORD=minioadmin\nA=b\n",
            "mysql://app:secret@mysql/ mongodb://root:example@mongo redis://:redis@redis\n",
            "ftp://anonymous:anonymous@ftp.example.org/\n",
        ] {
            assert_eq!(redact(text), None, "{text}");
        }
    }
}
