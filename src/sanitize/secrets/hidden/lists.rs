//! Values in a list or a block that belongs to the name of a secret: `"api_keys": ["…", "…"]`, a list of YAML, a default
//! below a name.
//!
//! It reads up to the end of the list: `fields` writes the pairs, and the rules judge them.

use super::strings::{line, string};
use super::view::{blanks, line_start};
use crate::sanitize::secrets::judge::{ByteSet, skip};
use std::ops::Range;

/// Most items of a list. A choice.
const MAX_ITEMS: usize = 256;
/// Bytes of blanks and line ends between two items.
const MAX_BETWEEN_BYTES: usize = 256;
/// Longest line of a list of YAML, in bytes.
const MAX_LINE_BYTES: usize = 4 << 10;
/// Most lines of a block that are searched for its value. A choice.
const MAX_LINES_OF_BLOCK: usize = 10;
/// Deepest indentation, in bytes.
const MAX_INDENT_BYTES: usize = 64;

const SPACE: ByteSet = ByteSet::parse(" \t\r\n");
const BLANK: ByteSet = ByteSet::parse(" \t");

/// The values of the name in `name`, whose quotation marks end at `closed`.
pub(super) fn values(text: &[u8], name: &Range<usize>, closed: usize) -> Vec<Range<usize>> {
    let at = skip(text, closed, BLANK, 8);
    let from = match text.get(at..at + 2) {
        Some(b"=>") => at + 2,
        Some([b':' | b'=', _]) => at + 1,
        _ => return Vec::new(),
    };
    let at = skip(text, from, BLANK, 8);
    match text.get(at) {
        Some(b'[') => items(text, at + 1),
        Some(b'\r' | b'\n') if text[from - 1] == b':' => {
            let lines = lines(text, at);
            if lines.is_empty() { default(text, name, at).into_iter().collect() } else { lines }
        }
        _ => Vec::new(),
    }
}

/// The strings of a list that begins at `at`. Empty if the list has anything but strings.
fn items(text: &[u8], mut at: usize) -> Vec<Range<usize>> {
    let mut items = Vec::new();
    while items.len() < MAX_ITEMS {
        at = skip(text, at, SPACE, MAX_BETWEEN_BYTES);
        let Some(item) = string(text, at) else { break };
        // Inside another string, there is a backslash before the closing quote too.
        at = skip(text, item.end, const { ByteSet::parse("\\") }, 3) + 1;
        items.push(item);
        at = skip(text, at, SPACE, MAX_BETWEEN_BYTES);
        if text.get(at) != Some(&b',') {
            break;
        }
        at += 1;
    }
    items.retain(|item| !is_rule(&text[item.clone()]));
    items
}

/// `min:12`, `same:password2`, `regex:/…/`: a rule for the values of a form.
fn is_rule(item: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', item) else { return false };
    let (name, rest) = item.split_at(colon);
    !name.is_empty()
        && name.iter().all(|b| b.is_ascii_lowercase() || *b == b'_')
        && (rest.starts_with(b":/") || !rest.iter().any(u8::is_ascii_uppercase))
}

/// The items of a list of YAML below the line that ends at `end`. Each is a single word or a string.
fn lines(text: &[u8], end: usize) -> Vec<Range<usize>> {
    let (mut values, mut at, mut indent) = (Vec::new(), next_line(text, end), None);
    while let Some(start) = at.filter(|_| values.len() < MAX_ITEMS) {
        let mark = blanks(text, start, MAX_INDENT_BYTES);
        if !text[mark..].starts_with(b"- ") || indent.is_some_and(|indent| indent != mark - start) {
            break;
        }
        indent = Some(mark - start);
        let from = blanks(text, mark + 2, MAX_INDENT_BYTES);
        let Some(value) = string(text, from).or_else(|| line(text, from)) else { break };
        let bytes = &text[value.clone()];
        if bytes.contains(&b' ') || bytes.ends_with(b":") || is_rule(bytes) {
            break;
        }
        at = next_line(text, value.end);
        values.push(value);
    }
    values
}

/// The start of the line after that of `at`.
fn next_line(text: &[u8], at: usize) -> Option<usize> {
    let near = text.get(at..text.len().min(at + MAX_LINE_BYTES))?;
    let end = memchr::memchr(b'\n', near)?;
    (at + end + 1 < text.len()).then_some(at + end + 1)
}

/// The default, or the value, in the block of YAML below the line of a name, which ends at `end`.
fn default(text: &[u8], name: &Range<usize>, end: usize) -> Option<Range<usize>> {
    const KEYS: &[&[u8]] = &[b"Default", b"default", b"Value", b"value"];
    let first = line_start(text, name.start, MAX_INDENT_BYTES);
    let own = blanks(text, first, MAX_INDENT_BYTES);
    (own == name.start).then_some(())?;
    let (mut at, mut indent) = (next_line(text, end)?, None);
    for _ in 0..MAX_LINES_OF_BLOCK {
        let key = blanks(text, at, MAX_INDENT_BYTES);
        let depth = key - at;
        if depth <= own - first || indent.is_some_and(|indent| depth < indent) {
            return None;
        }
        let is_member = *indent.get_or_insert(depth) == depth;
        let word = skip(text, key, const { ByteSet::parse("a-zA-Z") }, MAX_INDENT_BYTES);
        if is_member && text[word..].starts_with(b": ") && KEYS.contains(&&text[key..word]) {
            let from = blanks(text, word + 2, MAX_INDENT_BYTES);
            return string(text, from).or_else(|| line(text, from));
        }
        at = next_line(text, key)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::sanitize::secrets::{goes, redact};

    #[test]
    fn each_value_of_a_list_goes() {
        for text in [
            "{\"passwords\": [\"*\", \"*\"]}\n",
            "{\"api_keys\": [\n  \"*\",\n  \"*\"\n]}\n",
            "{\"a\": \"{\\\"api_keys\\\": [\\\"*\\\"]}\"}\n",
            "{\"X-Api-Key\": [\"*\"], \"Accept\": [\"*/_\"]}\n",
            "passwords = ['*', '*']\n",
            "db:\n  passwords:\n    - *\n    - '*'\n  port: 1\n",
            "api_keys:\n- *\n",
            "Parameters:\n  DBPassword:\n    Type: String\n    NoEcho: true\n    Default: *\n",
            "? DB_PASSWORD\n: *\nother: 1\n",
        ] {
            goes(&text.replace("*/_", "a/b"), "xK9uhfJX7mQ2vWLp4tR8nB3r");
        }
    }

    #[test]
    fn lists_of_rules_names_and_words_stay() {
        for text in [
            "{\"password\": [\"required\", \"min:12\", \"regex:/[0-9]{3}/\", \"same:password2\"]}\n",
            "{\"password\": [\"This field is required.\", \"At least 8 characters, 1 digit\"]}\n",
            "{\"tokens\": [\"the\", \"##ing\", \"token2\"]}\n",
            "secrets:\n  - db_password\n  - source: api_key\n",
            "passwords:\n  - min 8 characters\n  - one digit\n",
            "password:\n  type: string\n  minLength: 8\n  default: ${DB_PASSWORD}\n",
            "token:\n  description: the token2 of it\n  default: ${{ github.token }}\n",
            "{\"passwords\": [1, 2], \"required\": [\"password\", \"token\"]}\n",
            "passwords: [user2.password, user3.password]\n",
            "password:\ndefault: Value2x\n",
        ] {
            assert_eq!(redact(text), None, "{text}");
        }
    }
}
