//! Loads `rules.toml` once: the rules, and one search for all their keywords.
//!
//! Regexes are compiled one by one, when a text first needs them. This file judges no text.

use super::judge::ByteSet;
use super::keywords::Keywords;
use super::read::{Entry, read};
use super::{PLACEHOLDER, RuleInfo};
use regex_automata::meta::{self, Regex};
use regex_automata::util::syntax;
use std::sync::OnceLock;

pub(super) const SOURCE: &str = include_str!("rules.toml");

/// A compiled regex takes at most this many bytes.
const REGEX_SIZE_LIMIT: usize = 4 << 20;

/// How a rule looks at the text near one of its keywords.
#[derive(Debug)]
pub(super) enum Form {
    /// A literal prefix, then bytes of one class; the whole token is the value.
    Token { prefix: Vec<String>, set: ByteSet, min: usize, max: usize, inside_words: bool, dots: usize },
    /// A name that holds a keyword and a word for "key", an operator, then a value of one class.
    Assigned { set: ByteSet, min: usize, max: usize },
    /// A regex, run over the bytes within reach of a keyword.
    Pattern {
        regex: String,
        compiled: OnceLock<Option<Regex>>,
        before: usize,
        after: usize,
        place: Place,
        is_free: bool,
    },
    /// Key blocks: everything between the BEGIN line and the END line.
    PrivateKey,
    /// `scheme://user:password@host`.
    UrlPassword,
    /// `Cookie:` and `Set-Cookie:` headers.
    Cookie,
    /// The data of a Kubernetes Secret.
    KubernetesSecret,
    /// The secret of a secrets manager.
    SecretString,
    /// Random values in Terraform's state.
    TerraformRandom,
    /// Attributes with names of secrets, of a resource in Terraform's state.
    TerraformAttributes,
    /// The table of a secret of Vault.
    VaultData,
    /// The name of a secret, an operator and a value. With `password`, values that people choose are accepted, otherwise
    /// only random values.
    Named { password: bool },
}

/// The part of a regex that matches the value: its first group, or all of it.
fn value_of(regex: &str) -> &str {
    let bytes = regex.as_bytes();
    let opens = |at: &usize| bytes.get(at + 1) != Some(&b'?') && (*at == 0 || bytes[at - 1] != b'\\');
    let Some(open) = memchr::memchr_iter(b'(', bytes).find(opens) else { return regex };
    let (mut depth, mut in_class, mut at) = (0usize, false, open);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'(' if !in_class => depth += 1,
            b')' if !in_class => {
                depth -= 1;
                if depth == 0 {
                    return &regex[open + 1..at];
                }
            }
            _ => {}
        }
        at += 1;
    }
    regex
}

/// Whether every repetition in a part of a regex has a fixed number, and there is at least one.
fn has_one_length(part: &str) -> bool {
    let (mut repeats, mut in_class) = (false, false);
    let mut bytes = part.bytes();
    while let Some(b) = bytes.next() {
        match b {
            b'\\' => _ = bytes.next(),
            b'[' => in_class = true,
            b']' => in_class = false,
            _ if in_class => {}
            b'+' | b'*' => return false,
            b'{' => {
                let count: Vec<u8> = bytes.by_ref().take_while(|b| *b != b'}').collect();
                if count.contains(&b',') {
                    return false;
                }
                repeats = true;
            }
            _ => {}
        }
    }
    repeats
}

/// Where a match of a regex may be, relative to a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Anywhere in reach.
    Near,
    /// Anywhere in reach, if the keyword ends a word.
    NearWord,
    /// At the keyword, if its name and an operator are followed by a value that begins with this many bytes of a set.
    Assigned(ByteSet, usize),
    /// At this byte, which is directly before the name that ends with the keyword.
    Opening(u8),
}

impl Form {
    /// Whether all values have the same length, so that nothing can follow one.
    pub(super) fn has_one_length(&self) -> bool {
        match self {
            Self::Token { min, max, .. } | Self::Assigned { min, max, .. } => min == max,
            Self::Pattern { regex, .. } => has_one_length(value_of(regex)),
            _ => false,
        }
    }

    /// Whether its values may have nearly any characters, like passwords that people choose.
    pub(super) fn is_free(&self) -> bool {
        matches!(self, Self::Pattern { is_free: true, .. })
    }

    /// Whether it reads many lines, or all of a long one.
    pub(super) fn is_wide(&self) -> bool {
        match self {
            Self::PrivateKey
            | Self::KubernetesSecret
            | Self::SecretString
            | Self::TerraformRandom
            | Self::TerraformAttributes
            | Self::VaultData
            | Self::Cookie => true,
            Self::Pattern { after, .. } => *after > 256,
            Self::Token { .. } | Self::Assigned { .. } | Self::Named { .. } | Self::UrlPassword => false,
        }
    }
}

#[derive(Debug)]
pub(super) struct Rule {
    pub(super) form: Form,
    pub(super) keywords: Vec<String>,
    pub(super) random: bool,
    pub(super) entropy: f32,
    pub(super) allow: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Table {
    pub(super) rules: Vec<Rule>,
    pub(super) infos: Vec<RuleInfo>,
    /// Names of the rules, sorted.
    pub(super) ids: Vec<&'static str>,
    pub(super) keywords: Keywords,
    /// For each keyword the rules that look near it.
    pub(super) users: Vec<Vec<u16>>,
    /// For each keyword whether names hold it: an assigned value or the name of a secret.
    pub(super) names: Vec<bool>,
    /// For each keyword whether a rule that reads many lines looks near it.
    pub(super) wide: Vec<bool>,
    /// For each keyword whether it is a word in names of secrets.
    pub(super) named: Vec<bool>,
    /// The keyword that is the placeholder itself.
    pub(super) placeholder: usize,
}

/// The rules, loaded at the first call; `None` when they cannot be, which a test rules out.
pub(super) fn table() -> Option<&'static Table> {
    static TABLE: OnceLock<Option<Table>> = OnceLock::new();
    TABLE.get_or_init(|| load(SOURCE).ok()).as_ref()
}

/// Reads the rules and prepares the keyword search; the error says what is wrong, for the tests.
pub(super) fn load(source: &str) -> Result<Table, String> {
    let (mut rules, mut infos) = (Vec::new(), Vec::new());
    for entry in read(source)? {
        let form = form(&entry).map_err(|e| format!("{}: {e}", entry.id))?;
        let keywords = match entry.keywords.is_empty() {
            true => entry.prefix.iter().map(|p| p.to_ascii_lowercase()).collect(),
            false => entry.keywords,
        };
        // An ordinary word is not a vendor's key. Values of hexadecimal digits and UUIDs are never words, so they
        // need no test.
        let words = matches!(&form, Form::Assigned { set, .. } if set.has(b'g') || set.has(b'G'));
        let random = entry.random || words;
        rules.push(Rule { form, keywords, random, entropy: entry.entropy, allow: entry.allow });
        infos.push(RuleInfo { id: entry.id.leak(), description: entry.description.leak() });
    }
    let (mut words, mut users): (Vec<String>, Vec<Vec<u16>>) = (Vec::new(), Vec::new());
    let mut pairs: Vec<(&str, u16)> = rules
        .iter()
        .zip(0u16..)
        .flat_map(|(rule, index)| rule.keywords.iter().map(move |word| (word.as_str(), index)))
        .collect();
    pairs.sort_unstable();
    for (word, index) in pairs {
        if words.last().is_none_or(|last| last != word) {
            words.push(word.to_owned());
            users.push(Vec::new());
        }
        users.last_mut().ok_or("no keyword")?.push(index);
    }
    let is_name = |word: &str, rule: u16| match rules[usize::from(rule)].form {
        Form::Assigned { .. } | Form::Named { .. } => true,
        Form::Pattern { .. } => word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'),
        _ => false,
    };
    let mut names: Vec<bool> =
        words.iter().zip(&users).map(|(word, users)| users.iter().any(|&rule| is_name(word, rule))).collect();
    let is_named = |rule: &u16| matches!(rules[usize::from(*rule)].form, Form::Named { .. });
    let mut named: Vec<bool> = users.iter().map(|users| users.iter().any(is_named)).collect();
    let is_wide = |rule: &u16| rules[usize::from(*rule)].form.is_wide();
    let mut wide: Vec<bool> = users.iter().map(|users| users.iter().any(is_wide)).collect();
    wide.push(false);
    let placeholder = words.len();
    names.push(false);
    named.push(false);
    words.push(PLACEHOLDER.to_ascii_lowercase());
    users.push(Vec::new());
    let keywords = Keywords::new(words);
    let mut ids: Vec<&'static str> = infos.iter().map(|info| info.id).collect();
    ids.sort_unstable();
    Ok(Table { rules, infos, ids, keywords, users, names, wide, named, placeholder })
}

fn form(entry: &Entry) -> Result<Form, &'static str> {
    let set = ByteSet::parse(&entry.charset);
    let min = entry.length.first().copied().unwrap_or(1);
    let max = entry.length.get(1).copied().unwrap_or(usize::MAX);
    Ok(match entry.matcher.as_str() {
        "private-key" => Form::PrivateKey,
        "url-password" => Form::UrlPassword,
        "cookie" => Form::Cookie,
        "kubernetes-secret" => Form::KubernetesSecret,
        "secret-string" => Form::SecretString,
        "terraform-random" => Form::TerraformRandom,
        "terraform-attributes" => Form::TerraformAttributes,
        "vault-data" => Form::VaultData,
        "password" => Form::Named { password: true },
        "random" => Form::Named { password: false },
        "" if !entry.regex.is_empty() => match entry.reach[..] {
            [before, after] => {
                let place = match entry.opening.as_bytes() {
                    [byte, ..] => Place::Opening(*byte),
                    [] if entry.ends_word => Place::NearWord,
                    [] if entry.charset.is_empty() => Place::Near,
                    [] => Place::Assigned(set, min),
                };
                let is_free = entry.regex.contains("([^");
                let regex = entry.regex.clone();
                Form::Pattern { regex, compiled: OnceLock::new(), before, after, place, is_free }
            }
            _ => return Err("a regex needs `reach`"),
        },
        "" if entry.charset.is_empty() || entry.length.is_empty() => return Err("no charset or no length"),
        "" if entry.prefix.is_empty() => Form::Assigned { set, min, max },
        "" => Form::Token {
            prefix: entry.prefix.clone(),
            set,
            min,
            max,
            inside_words: entry.inside_words,
            dots: entry.dots,
        },
        _ => return Err("unknown matcher"),
    })
}

/// Without Unicode a regex of this table takes a hundredth of the memory, and every secret is ASCII. The prefilter
/// for literals of a regex is off: a regex runs only near a keyword, and where keywords are dense the prefilter costs
/// more than the automaton.
pub(super) fn compile(regex: &str) -> Result<Regex, Box<meta::BuildError>> {
    let config = meta::Config::new()
        .utf8_empty(false)
        .nfa_size_limit(Some(REGEX_SIZE_LIMIT))
        .hybrid_cache_capacity(1 << 20)
        .auto_prefilter(false);
    let syntax = syntax::Config::new().unicode(false).utf8(false);
    Ok(Regex::builder().configure(config).syntax(syntax).build(regex)?)
}
