//! Parses `rules.toml` without a TOML parser, which would slow down the first request too much.
//!
//! It supports the part of TOML that the file uses: `[[rule]]`, one key per line, strings, numbers, booleans, and arrays of
//! strings or numbers. It skips the examples, which only tests use. A test compares it with a full parser.

/// One entry of `rules.toml`, without its examples.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Entry {
    pub(super) id: String,
    /// The kind of secret that it finds.
    pub(super) description: String,
    /// Lower-case literals; every match contains at least one of them. Default: the prefixes.
    pub(super) keywords: Vec<String>,
    /// Literal prefixes of a token, case-sensitive; part of the value.
    pub(super) prefix: Vec<String>,
    /// The inside of a regex class: the bytes after a prefix, or of an assigned value. With a `regex`: the first bytes of its
    /// value, which then must be after a name with a keyword in it, an operator and quotation marks; see
    /// `shapes::value_behind`.
    pub(super) charset: String,
    /// Smallest and largest number of bytes of `charset`; without a second number there is no upper limit. With a `regex`: how
    /// many bytes its value begins with.
    pub(super) length: Vec<usize>,
    /// Whether a token may start inside a word.
    pub(super) inside_words: bool,
    /// Whether the value must look random, for prefixes that also occur in names.
    pub(super) random: bool,
    /// Fewest dots in a token.
    pub(super) dots: usize,
    /// A regex; the first of its groups that matches, if it has any, is the value.
    pub(super) regex: String,
    /// How many bytes before and after a keyword a match of `regex` may reach.
    pub(super) reach: Vec<usize>,
    /// Whether `regex` requires the end of a word, or a byte that no word has, after each keyword.
    pub(super) ends_word: bool,
    /// The byte with which a match of `regex` begins, if the name that ends with the keyword directly follows it.
    pub(super) opening: String,
    /// The name of a matcher written in Rust: `private-key`, `url-password`, `cookie`, `password`, `random`,
    /// `kubernetes-secret`, `secret-string`, `terraform-random`, `terraform-attributes`.
    pub(super) matcher: String,
    /// Lowest entropy of the value, in bits per byte.
    pub(super) entropy: f32,
    /// Lower-case literals; a value that contains one is not a secret.
    pub(super) allow: Vec<String>,
}

/// The rules of `source`; the error is the number and text of the line that cannot be parsed.
pub(super) fn read(source: &str) -> Result<Vec<Entry>, String> {
    let mut entries: Vec<Entry> = Vec::new();
    for (number, line) in source.lines().enumerate() {
        let examples =
            line.starts_with(['#', ' ', ']']) || line.starts_with("match = ") || line.starts_with("spare = ");
        if line.is_empty() || examples {
            continue;
        }
        let read = match line {
            "[[rule]]" => {
                entries.push(Entry::default());
                Some(())
            }
            _ => entries.last_mut().and_then(|entry| set(entry, line)),
        };
        read.ok_or_else(|| format!("rules.toml:{}: {line}", number + 1))?;
    }
    Ok(entries)
}

/// Sets the field that `line` names.
fn set(entry: &mut Entry, line: &str) -> Option<()> {
    let (key, value) = line.split_once(" = ")?;
    match key {
        "id" => entry.id = string(value)?,
        "description" => entry.description = string(value)?,
        "keywords" => entry.keywords = strings(value)?,
        "prefix" => entry.prefix = strings(value)?,
        "charset" => entry.charset = string(value)?,
        "length" => entry.length = numbers(value)?,
        "inside_words" => entry.inside_words = value.parse().ok()?,
        "random" => entry.random = value.parse().ok()?,
        "dots" => entry.dots = value.parse().ok()?,
        "regex" => entry.regex = string(value)?,
        "reach" => entry.reach = numbers(value)?,
        "ends_word" => entry.ends_word = value.parse().ok()?,
        "opening" => entry.opening = string(value)?,
        "matcher" => entry.matcher = string(value)?,
        "entropy" => entry.entropy = value.parse().ok()?,
        "allow" => entry.allow = strings(value)?,
        _ => return None,
    }
    Some(())
}

fn string(value: &str) -> Option<String> {
    if let Some(literal) = value.strip_prefix("'''") {
        return literal.strip_suffix("'''").map(str::to_owned);
    }
    let (text, rest) = quoted(value)?;
    rest.is_empty().then_some(text)
}

fn strings(value: &str) -> Option<Vec<String>> {
    let mut rest = value.strip_prefix('[')?;
    let mut all = Vec::new();
    while rest.starts_with('"') {
        let (text, behind) = quoted(rest)?;
        all.push(text);
        rest = behind.strip_prefix(", ").unwrap_or(behind);
    }
    (rest == "]").then_some(all)
}

fn numbers(value: &str) -> Option<Vec<usize>> {
    value.strip_prefix('[')?.strip_suffix(']')?.split(", ").map(|n| n.parse().ok()).collect()
}

/// The string at the start of `value`, and the text after it.
fn quoted(value: &str) -> Option<(String, &str)> {
    let body = value.strip_prefix('"')?;
    let mut text = String::new();
    let mut chars = body.char_indices();
    loop {
        match chars.next()? {
            (end, '"') => return Some((text, &body[end + 1..])),
            (_, '\\') => text.push(match chars.next()?.1 {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                c @ ('"' | '\\') => c,
                _ => return None,
            }),
            (_, c) => text.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitize::secrets::table::SOURCE;

    #[test]
    fn reads_what_a_toml_parser_reads() {
        let parsed: toml::Table = toml::from_str(SOURCE).unwrap();
        let rules = parsed["rule"].as_array().unwrap();
        let entries = read(SOURCE).unwrap();
        assert_eq!(entries.len(), rules.len());
        let list = |v: &toml::Value, key: &str| -> Vec<toml::Value> {
            v.get(key).and_then(|v| v.as_array().cloned()).unwrap_or_default()
        };
        for (entry, rule) in entries.iter().zip(rules) {
            let text = |key: &str| rule.get(key).and_then(|v| v.as_str()).unwrap_or_default().to_owned();
            let strings = |key: &str| -> Vec<String> {
                list(rule, key).iter().map(|v| v.as_str().unwrap().to_owned()).collect()
            };
            let numbers = |key: &str| -> Vec<usize> {
                list(rule, key).iter().map(|v| v.as_integer().unwrap() as usize).collect()
            };
            let expected = Entry {
                id: text("id"),
                description: text("description"),
                keywords: strings("keywords"),
                prefix: strings("prefix"),
                charset: text("charset"),
                length: numbers("length"),
                inside_words: rule.get("inside_words").is_some_and(|v| v.as_bool().unwrap()),
                random: rule.get("random").is_some_and(|v| v.as_bool().unwrap()),
                dots: rule.get("dots").map_or(0, |v| v.as_integer().unwrap() as usize),
                regex: text("regex"),
                reach: numbers("reach"),
                ends_word: rule.get("ends_word").is_some_and(|v| v.as_bool().unwrap()),
                opening: text("opening"),
                matcher: text("matcher"),
                entropy: rule.get("entropy").map_or(0.0, |v| v.as_float().unwrap() as f32),
                allow: strings("allow"),
            };
            assert_eq!(entry, &expected);
            let known: usize = ["match", "spare"].iter().filter(|key| rule.get(**key).is_some()).count();
            assert_eq!(known, 2, "{} lacks examples", entry.id);
        }
    }

    #[test]
    fn names_the_line_that_it_cannot_read() {
        let error = read("[[rule]]\nid = \"a\"\ncolour = \"red\"\n").unwrap_err();
        assert_eq!(error, "rules.toml:3: colour = \"red\"");
        assert!(read("id = \"a\"\n").is_err());
    }
}
