//! Finds the end of a value without quotation marks that contains characters which also end values:
//! `DB_PASSWORD=Kp7mQ2xR)t9zQ`.
//!
//! If a setting is the whole line, the value ends with the line; in a log line or after a flag it ends with the word.
//! `password=get(user2)` is code and `password=abc1,host=db` is a list: there these characters end the value. It
//! reads one word and makes no claims.

use super::judge::{ByteSet, Doubt, is_random, is_random_with_signs, is_word, oddity, skip};
use std::ops::Range;

/// Longest word that is read. A choice.
const MAX_WORD_BYTES: usize = 128;
/// Shortest word of a natural language that is searched for in a value. A choice.
const MIN_LETTERS_OF_WORD: usize = 4;

const OPEN: ByteSet = ByteSet::parse("([{<");
const CLOSE: ByteSet = ByteSet::parse(")]}>");
const QUOTE: ByteSet = ByteSet::parse("\"'`");
/// Characters that may follow a value at the end of its word.
const BEHIND: ByteSet = ByteSet::parse(",;&|)]}>\"'`");
/// Characters between the items of a list.
const BETWEEN: ByteSet = ByteSet::parse(",;&|");

/// The end of a bare value that `first` begins, if it continues after `first`. `is_line` says that its name begins
/// the line, `is_environment` that it is `name=value`, and `is_capital` that the name is in capitals.
pub(super) fn end(
    text: &[u8],
    first: &Range<usize>,
    is_line: bool,
    is_environment: bool,
    is_capital: bool,
) -> Option<usize> {
    let start = first.start;
    let near = &text[start..text.len().min(start + MAX_WORD_BYTES)];
    let len = near.iter().position(u8::is_ascii_whitespace).unwrap_or(near.len());
    if len == MAX_WORD_BYTES || len <= first.len() {
        return None;
    }
    let is_whole = is_line && is_last(text, start + len);
    let all = up_to_escape(&near[..len]);
    if is_whole && is_random_with_signs(all) {
        return Some(start + all.len());
    }
    if is_environment && is_whole && is_list_of_keys(all) {
        return Some(start + all.len());
    }
    // If the value is the whole line, it is not inside a bracket of code. It may still be a list.
    let is_shell = is_environment && is_whole;
    let word = if is_shell && is_capital { all } else { up_to_item(all) };
    let core = word.len() - word.iter().rev().take_while(|b| BEHIND.has(**b)).count();
    if core < first.len() {
        return None;
    }
    let (core, behind) = word.split_at(core);
    if core.len() > first.len() && is_random_with_signs(core) {
        return Some(start + core.len());
    }
    if core.is_empty() || is_code(core, behind, is_shell) {
        return None;
    }
    if is_whole {
        let is_closed = is_shell && !behind.is_empty() && behind.iter().all(|b| CLOSE.has(*b));
        let len = if is_closed && is_strong(core) { word.len() } else { core.len() };
        return (len > first.len()).then_some(start + len);
    }
    let rest = &core[first.len()..];
    let goes_on = !rest.is_empty() && is_strong(core) && !has_word(rest);
    goes_on.then_some(start + core.len())
}

/// The end of a bare value in `"NAME=value"`, a string that holds nothing else.
pub(super) fn end_in_string(text: &[u8], name: usize, first: &Range<usize>) -> Option<usize> {
    let quote = *text[..name].last().filter(|b| matches!(b, b'"' | b'\''))?;
    let near = &text[first.start..text.len().min(first.start + MAX_WORD_BYTES)];
    let len = near.iter().position(|b| *b == quote || b.is_ascii_whitespace() || *b == b'\\')?;
    let value = &near[..len];
    let is_value =
        near[len] == quote && len > first.len() && (is_strong(value) || is_random_with_signs(value));
    is_value.then_some(first.start + len)
}

/// `APP_KEYS=…,…`: keys, with commas between.
fn is_list_of_keys(word: &[u8]) -> bool {
    let mut keys = word.split(|b| *b == b',');
    word.contains(&b',') && keys.all(|key| key.len() >= 16 && is_random(key, Doubt::Some))
}

/// Whether nothing but blanks and a comment is after a value in its line.
fn is_last(text: &[u8], end: usize) -> bool {
    let at = skip(text, end, const { ByteSet::parse(" \t") }, 8);
    text.get(at).is_none_or(|b| b"\r\n".contains(b) || *b == b'#' && at > end)
}

/// The part of a word before an escape of the surrounding string: a line end, a quotation mark.
fn up_to_escape(word: &[u8]) -> &[u8] {
    let is_escape = |at: &usize| word.get(at + 1).is_none_or(|b| b"nrtu\"'`\\".contains(b));
    let end = memchr::memchr_iter(b'\\', word).find(is_escape).unwrap_or(word.len());
    &word[..end]
}

/// The part of a word before the next `name=value` or `name: value` of a list.
fn up_to_item(word: &[u8]) -> &[u8] {
    let is_item = |at: &usize| {
        let name = skip(word, at + 1, const { ByteSet::parse("\"' ") }, 2);
        let end = skip(word, name, const { ByteSet::parse("a-zA-Z0-9_.-") }, MAX_WORD_BYTES);
        BETWEEN.has(word[*at]) && end > name && word.get(end).is_some_and(|b| b"=:".contains(b))
    };
    let end = (0..word.len()).filter(|at| BETWEEN.has(word[*at])).take(MAX_ITEMS).find(is_item);
    &word[..end.unwrap_or(word.len())]
}

/// Most separators that are examined in a word.
const MAX_ITEMS: usize = 16;

/// Whether a word is code, a pattern or a list of names; `behind` follows it. Shell code never ends in an open
/// bracket.
fn is_code(word: &[u8], behind: &[u8], is_shell: bool) -> bool {
    const PAIRS: &[&[u8; 2]] =
        &[b"::", b"=>", b"->", b"==", b"&&", b"||", b"()", b"[]", b"{}", b"(\"", b"('", b"[\"", b"['", b"]("];
    let next = |at: usize| word.get(at + 1).copied();
    if word.windows(2).any(|two| PAIRS.iter().any(|pair| two == *pair)) {
        return true;
    }
    let quotes = word.iter().filter(|b| QUOTE.has(**b)).count();
    let is_string = |at: usize| {
        let before = at.checked_sub(1).map(|before| word[before]);
        before.is_none_or(|b| b",(=:[{+".contains(&b)) || next(at).is_none_or(|b| b",:;)]}+.".contains(&b))
    };
    if quotes > 1 || (0..word.len()).any(|at| QUOTE.has(word[at]) && is_string(at)) {
        return true;
    }
    let (mut depth, mut pairs, mut inside) = (0usize, 0usize, false);
    for (at, b) in word.iter().enumerate() {
        if OPEN.has(*b) {
            depth += 1;
        } else if CLOSE.has(*b) {
            pairs += usize::from(depth > 0);
            // A name does not follow the closing bracket of a call.
            inside |= next(at).is_some_and(is_word);
            if depth == 0 && !is_shell && next(at).is_none_or(|b| b",;.)]}".contains(&b)) {
                return true;
            }
            depth = depth.saturating_sub(1);
        }
    }
    let is_call = pairs > 0 && depth == 0 && !inside;
    // The call continues in the next line, or ends after the word.
    let is_open =
        depth > 0 && (behind.iter().any(|b| b",)]}>".contains(b)) || OPEN.has(word[word.len() - 1]));
    is_call || is_open && !is_shell || is_list(word)
}

/// `required|min:8`, `files,systemd`: a list of words.
fn is_list(word: &[u8]) -> bool {
    let is_plain = |piece: &[u8]| {
        let name = piece.iter().take_while(|b| b.is_ascii_alphabetic() || b"_.-".contains(b)).count();
        let rest = &piece[name..];
        name > 0 && (rest.is_empty() || rest[0] == b':' && rest[1..].iter().all(|b| is_word(*b)))
    };
    word.iter().any(|b| BETWEEN.has(*b)) && word.split(|b| BETWEEN.has(*b)).all(is_plain)
}

/// Whether letters of both cases and digits are mixed in a way that no name has.
pub(super) fn is_strong(word: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| word.iter().any(is);
    has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit) && oddity(word) > 0
}

/// Whether the rest of a value contains a word of a natural language.
fn has_word(rest: &[u8]) -> bool {
    rest.split(|b| !b.is_ascii_lowercase()).any(|word| word.len() >= MIN_LETTERS_OF_WORD)
}

/// Whether a string of several words is a password: most of the words have letters and digits, and none is a common
/// word of messages.
pub(super) fn is_phrase(value: &[u8]) -> bool {
    /// Most words. A choice.
    const MAX_WORDS: usize = 12;
    const OF_MESSAGES: &[&[u8]] = &[
        b"the", b"at", b"must", b"least", b"with", b"and", b"or", b"to", b"is", b"of", b"for", b"in", b"than",
    ];
    let is_text = |b: &u8| b.is_ascii_graphic() || *b == b' ';
    if value.trim_ascii().len() != value.len() || value.len() > MAX_WORD_BYTES || !value.iter().all(is_text) {
        return false;
    }
    let (mut words, mut mixed) = (0, 0);
    for word in value.split(|b| *b == b' ').filter(|word| !word.is_empty()) {
        words += 1;
        let letters = word.iter().filter(|b| b.is_ascii_alphabetic()).count();
        let digits = word.iter().filter(|b| b.is_ascii_digit()).count();
        mixed += usize::from(letters > 0 && digits > 0 && !super::in_line::is_known(word));
        if OF_MESSAGES.iter().any(|known| word.eq_ignore_ascii_case(known)) || word.ends_with(b":") {
            return false;
        }
    }
    (2..=MAX_WORDS).contains(&words) && mixed >= 2 && mixed * 2 >= words
}

#[cfg(test)]
mod tests {
    use crate::sanitize::secrets::redact;

    /// Values with blanks, escapes, and characters that also end values.
    const SIGNED: &[&str] = &[
        "Kp7mQ2xR)t9zQ",
        "Kp7mQ2xR]t9zQ",
        "Kp7mQ2xR}t9zQ",
        "Kp7mQ2xR>t9zQ",
        "Kp7mQ2(xRt9zQ",
        "Kp7mQ2[xRt9zQ",
        "Kp7mQ2{xRt9zQ",
        "Kp7mQ2<xRt9zQ",
        "Kp7,mQ2x;Rt9z",
        "Kp7&mQ2xRt9zQ",
        "Kp7|mQ2xRt9zQ",
        "Kp7%smQ2xRt9z",
        "@Sommer2024x",
        "#Sommer2024x",
    ];

    /// Texts in which a value ends with its line, its word or its string.
    const WHOLE: &[&str] = &[
        "A=1\nDB_PASSWORD=*\nB=2\n",
        "db:\n  user: app\n  password: *\n  host: h\n",
        "[db]\npassword = *\n",
        "export DB_PASSWORD=\"*\"\n",
        "{\"password\": \"*\"}\n",
        "\"Env\": [\"DB_PASSWORD=*\", \"A=1\"]\n",
        "ENV DB_PASSWORD *\n",
        "INSERT INTO users (id, password) VALUES (1, '*'), (2, '*');\n",
        "COPY users (id, password) FROM stdin;\n1\t*\n\\.\n",
        "1) \"password\"\n2) \"*\"\n",
    ];

    #[test]
    fn a_value_goes_whole_over_signs() {
        let mut wrong = Vec::new();
        for place in WHOLE {
            for value in SIGNED {
                let shown = redact(&place.replace('*', value)).map_or_else(String::new, |r| r.text);
                let expected = place.replace('*', "[REDACTED:generic-password]");
                if shown != expected {
                    wrong.push(format!("{value} in {place}{shown}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn code_and_lists_end_a_value() {
        for text in [
            "password = get(user2)\n",
            "    password=admin2user),\n",
            "password: Optional[Str2],\n",
            "password = encode(user2,\n",
            "passwd: files,systemd\n",
            "password: string|min:8\n",
            "password: /^(?=.*[A-Z])(?=.*[0-9]).{8,}$/\n",
            "#password2 { color: red }\n",
            "password: @Password1\n",
            "token: /run/secrets/Db2Token9Xy\n",
            "secret = \"#/components/schemas/Secret2\"\n",
            "const USDC_TOKEN = \"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\";\n",
            "submodule secrets: 3f786850e387550fdab836ed7e6dc881de23001b\n",
            "Mounted secret: kube-api-access-7xk2p\n",
            "password: must have 8 characters\n",
            "\"password\": \"at least 1 digit2 and a3 sign\"\n",
            "INSERT INTO users (id, password) VALUES ($1, $2);\n",
            "token: 3f2504e0-4f89-41d3-9a0c-0305e82c3301\n",
            "curl -b cookies.txt -c cookies.txt https://h/\n",
        ] {
            assert_eq!(redact(text), None, "{text}");
        }
        let shown = |text: &str| redact(text).unwrap().text;
        assert_eq!(shown("password=hunter2xyz,host=db\n"), "password=[REDACTED:generic-password],host=db\n");
        let text = "A=1\nbindpw=s3cr3tLdap\n&bindpw=s3cr3tLdap&\n<x>\n";
        assert_eq!(shown(text), text.replace("s3cr3tLdap", "[REDACTED:ldap-password]"));
    }

    #[test]
    fn a_key_of_many_signs_goes() {
        let key = ["8$w@k3(7n!x_q2&z^m0p5", "=jr#t+6yv9h*4bu1-cg)se%fl"].concat();
        for place in [
            "SECRET_KEY = '*'\n",
            "SECRET_KEY=*\n",
            "  \"SECRET_KEY\": \"*\",\n",
            "SECRET_KEY = 'django-insecure-*'\n",
        ] {
            let shown = redact(&place.replace('*', &key)).unwrap().text;
            assert!(!shown.contains("se%fl") && !shown.contains("8$w@"), "{shown}");
        }
        let coded = ["/MULghOlvmP9opjy3aG3", "xlh0qfapRjDlFA1rFWbhHU4="].concat();
        assert!(!redact(&format!("JWT_SECRET={coded}\n")).unwrap().text.contains("MULgh"));
        let id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
        for name in ["client_secret", "api_key", "\"authToken\"", "ACCESS_TOKEN"] {
            assert!(!redact(&format!("{name}: \"{id}\"\n")).unwrap().text.contains(id), "{name}");
        }
    }

    #[test]
    fn a_quoted_value_of_a_command_goes_with_its_blanks() {
        for (before, behind) in [
            ("gpg --passphrase '", "' -d x\n"),
            ("openssl enc -k '", "' -in a\n"),
            ("openssl pkcs12 -passin \"pass:", "\" -in a\n"),
            ("zip -P '", "' a b\n"),
            ("curl -u 'ada:", "' https://h\n"),
            ("sshpass -p '", "' ssh h\n"),
            ("mysql -u root -p'", "' shop\n"),
            ("docker login -u bob -p \"", "\"\n"),
            ("ldapsearch -x -w '", "' -b dc=h\n"),
            ("keytool -list -storepass \"", "\"\n"),
            ("requirepass \"", "\"\n"),
            ("export DB_PASSWORD=\"", "\"\n"),
            ("CREATE USER app IDENTIFIED BY '", "';\n"),
        ] {
            let shown =
                redact(&format!("{before}Kp7x mQ2x W9z{behind}")).map_or_else(String::new, |r| r.text);
            assert!(
                shown.starts_with(before) && shown.ends_with(behind) && !shown.contains("W9z"),
                "{before}{shown}"
            );
        }
    }
}
