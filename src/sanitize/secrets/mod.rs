//! Finds secrets in bytes, by rules that are data, and replaces each value by a named placeholder.
//!
//! [`rules.toml`](./rules.toml) holds the rules, `read` and `table` load them, `matcher` and `scan` run them, `judge`
//! distinguishes secrets from look-alikes. `keywords` finds the keywords of all rules in one pass; a rule reads only
//! near its own. Other occurrences of a found value are removed too (`repeats`).
//!
//! It never removes key names, quotes or the text around a value. It reads only the given bytes, and lets no text through if
//! the rules cannot be loaded.

mod bare;
mod below;
mod clean;
mod cloud;
mod environment;
mod extent;
mod hidden;
mod in_line;
mod judge;
mod keywords;
mod matcher;
mod named;
mod names;
mod open;
mod pem;
mod read;
mod repeats;
mod scan;
mod sets;
mod shapes;
mod table;
mod terraform;
#[cfg(test)]
mod tests;
mod vault;
mod words;

pub use open::{Divided, divided, open, open_to_look_at};
use table::table;

use crate::stop;

/// Opens the placeholder; the rule's id and `]` follow.
pub(super) const PLACEHOLDER: &str = "[REDACTED:";

/// Most rounds of searching a text again after secrets were removed.
const MAX_ROUNDS: usize = 3;

/// The rule name if the rule table cannot be loaded: then the whole text is one finding.
const UNAVAILABLE: &str = "rules-unavailable";

/// One secret: the bytes `start..end` of the searched text are the value to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Offset of the first byte of the secret value.
    pub start: usize,
    /// Offset after the last byte of the secret value.
    pub end: usize,
    /// Name of the rule, for example `github-pat`.
    pub rule: &'static str,
}

/// A text with its secrets removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted {
    /// The text, with `[REDACTED:rule-id]` where a value was.
    pub text: String,
    /// How many values each rule removed, in the order of the rule table.
    pub hits: Hits,
}

/// Rule ids with the number of values each removed, in the order of the rule table.
pub type Hits = Vec<(&'static str, usize)>;

/// One rule, for the documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleInfo {
    /// Stable name, as it is in the placeholder.
    pub id: &'static str,
    /// The kind of secret that it finds, in a few words.
    pub description: &'static str,
}

/// All secrets in `text`, in order, without overlap.
///
/// A range covers the value only. Where several rules claim overlapping bytes the range is their union and
/// the name is that of the rule that stands first in the table. Linear in the length of `text`.
pub fn find(text: &[u8]) -> Vec<Finding> {
    match table() {
        Some(_) if clean::is_known(text) => Vec::new(),
        Some(table) => {
            let found = findings(table, hidden::claims(table, text));
            if found.is_empty() {
                clean::remember(text);
            }
            found
        }
        None if text.is_empty() => Vec::new(),
        None => vec![Finding { start: 0, end: text.len(), rule: UNAVAILABLE }],
    }
}

fn findings(table: &'static table::Table, claims: Vec<scan::Claim>) -> Vec<Finding> {
    let named =
        |c: scan::Claim| Finding { start: c.start, end: c.end, rule: table.infos[c.rule as usize].id };
    claims.into_iter().map(named).collect()
}

/// `text` with every secret replaced, or `None` when there is none. Redacting the result finds nothing.
pub fn redact(text: &str) -> Option<Redacted> {
    let (bytes, hits) = redact_bytes(text.as_bytes())?;
    // Values begin and end at ASCII bytes, so the lossy branch is only reached by a defect; even then nothing leaks.
    let text =
        String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    Some(Redacted { text, hits })
}

/// Like [`redact`], for bytes that need not be UTF-8.
pub fn redact_bytes(text: &[u8]) -> Option<(Vec<u8>, Hits)> {
    redact_bytes_but(text, &mut |_, _| false)
}

/// Like [`redact`], but keeps the values for which `keeps` returns true, given the name of their rule.
pub fn redact_but(text: &str, keeps: &mut dyn FnMut(&'static str, &[u8]) -> bool) -> Option<Redacted> {
    let (bytes, hits) = redact_bytes_but(text.as_bytes(), keeps)?;
    let text =
        String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    Some(Redacted { text, hits })
}

/// Longest output, in bytes, that can be the value of one name. A choice: certificates and keys have rules of their own.
const MAX_VALUE_BYTES: usize = 4 << 10;

/// Whether a text can be one value: a single word that is not structured data.
pub fn is_value(text: &str) -> bool {
    let value = text.trim();
    !value.is_empty()
        && !value.starts_with(['{', '[', '<'])
        && text.len() <= MAX_VALUE_BYTES
        && !value.contains(char::is_whitespace)
}

/// Whether a word is more than a secret: it has a key, a path or a host before the secret, as in
/// `conf/a.env:3:API_TOKEN=…`.
fn has_secret_inside(value: &str) -> bool {
    let first = find(value.as_bytes()).into_iter().next();
    first.is_some_and(|found| {
        let before = &value.as_bytes()[..found.start];
        let is_behind_sign = before.last().is_some_and(|b| b"=:/\"'@>{".contains(b));
        let is_address = memchr::memmem::find(before, b"://").is_some();
        (is_behind_sign || is_address) && before.iter().any(u8::is_ascii_alphabetic)
    })
}

/// Like [`redact_but`], for a text that consists only of the value of `name`; the command that wrote it shows that
/// name (`printenv DB_PASSWORD`). The whole value is removed if it would be a secret beside that name. `None` for
/// any other text, and for a text with something else before the secret.
pub fn redact_value(
    text: &str,
    name: &str,
    keeps: &mut dyn FnMut(&'static str, &[u8]) -> bool,
) -> Option<Redacted> {
    let value = text.trim();
    if !is_value(text) || value.starts_with(PLACEHOLDER) {
        return None;
    }
    if has_secret_inside(value) {
        return None;
    }
    let line = format!("{name}: \"{value}\"");
    let start = line.len() - value.len() - 1;
    let found = find(line.as_bytes()).into_iter().find(|finding| finding.end > start)?;
    if keeps(found.rule, value.as_bytes()) {
        return None;
    }
    let hidden = placeholder(value.as_bytes(), &Finding { start: 0, end: value.len(), ..found });
    let text = text.replacen(value, &String::from_utf8_lossy(&hidden), 1);
    Some(Redacted { text, hits: vec![(found.rule, 1)] })
}

/// Like [`redact_but`], for bytes that need not be UTF-8.
pub fn redact_bytes_but(
    text: &[u8],
    keeps: &mut dyn FnMut(&'static str, &[u8]) -> bool,
) -> Option<(Vec<u8>, Hits)> {
    let (mut text, mut hits) = replaced(text, keeps)?;
    // Removing a value may reveal another one that was encoded together with it.
    for _ in 0..MAX_ROUNDS {
        let Some((next, more)) = replaced(&text, keeps) else { break };
        text = next;
        for (rule, count) in more {
            match hits.iter_mut().find(|(known, _)| *known == rule) {
                Some((_, sum)) => *sum += count,
                None => hits.push((rule, count)),
            }
        }
    }
    Some((text, in_order(hits)))
}

/// One round of redaction.
fn replaced(text: &[u8], keeps: &mut dyn FnMut(&'static str, &[u8]) -> bool) -> Option<(Vec<u8>, Hits)> {
    let mut findings = find(text);
    findings.retain(|f| {
        stop::check_sometimes();
        !keeps(f.rule, &text[f.start..f.end])
    });
    repeats::add(text, &mut findings);
    if findings.is_empty() {
        return None;
    }
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    for finding in &findings {
        stop::check_sometimes();
        let quote = bare::quote(text, &(finding.start..finding.end)).unwrap_or_default();
        out.extend_from_slice(&text[at..finding.start]);
        out.extend_from_slice(quote);
        out.extend_from_slice(&placeholder(text, finding));
        out.extend_from_slice(quote);
        at = finding.end;
    }
    out.extend_from_slice(&text[at..]);
    Some((out, count(&findings)))
}

/// The text that replaces a finding, with letters as wide as those of the value.
pub fn placeholder(text: &[u8], finding: &Finding) -> Vec<u8> {
    let narrow = format!("{PLACEHOLDER}{}]", finding.rule).into_bytes();
    match hidden::nulls::padding(&text[finding.start..finding.end]) {
        0 => narrow,
        count => narrow.iter().map(std::slice::from_ref).collect::<Vec<_>>().join(&[0, 0, 0][..count]),
    }
}

/// Counts in the order of the rule table.
fn in_order(mut hits: Hits) -> Hits {
    hits.sort_by_key(|(rule, _)| rules().iter().position(|info| info.id == *rule));
    hits
}

/// Every rule, in the order of the table.
pub fn rules() -> &'static [RuleInfo] {
    table().map_or(&[], |table| &table.infos)
}

fn count(findings: &[Finding]) -> Hits {
    let mut hits = Hits::new();
    for finding in findings {
        stop::check_sometimes();
        match hits.iter_mut().find(|(rule, _)| std::ptr::eq(*rule, finding.rule)) {
            Some((_, count)) => *count += 1,
            None => hits.push((finding.rule, 1)),
        }
    }
    hits
}

/// Checks that of `text`, with a value at each `*`, exactly these values are removed.
#[cfg(test)]
fn goes(text: &str, value: &str) {
    let shown = redact(&text.replace('*', value)).map(|redacted| redacted.text).unwrap_or_default();
    let rule = shown.split_once(PLACEHOLDER).and_then(|(_, rest)| rest.split_once(']')).map(|(rule, _)| rule);
    let expected = text.replace('*', &format!("{PLACEHOLDER}{}]", rule.unwrap_or_default()));
    assert_eq!(shown, expected);
}
