//! Other occurrences of a found secret: without its name, in a comment, in the echo of a command.
//!
//! Only values that look random and occur as separate words are searched, so a weak password does not remove ordinary
//! words.

use std::collections::HashSet;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use super::judge::{ByteSet, Doubt, is_random, is_word, skip};
use super::{Finding, PLACEHOLDER};

/// Shortest value that is searched for, in bytes.
const MIN_VALUE_BYTES: usize = 16;
/// Longest value; a longer one is a block of lines.
const MAX_VALUE_BYTES: usize = 256;
/// Most values that are searched for in a text.
const MAX_VALUES: usize = 256;

/// Adds the occurrences to the findings, which stay in order and without overlap.
pub(super) fn add(text: &[u8], findings: &mut Vec<Finding>) {
    add_matches(text, findings);
    add_random(text, findings);
}

/// Adds the parts of values that `rg --json` shows beside a line: `"submatches":[{"match":{"text":"…"}`.
fn add_matches(text: &[u8], findings: &mut Vec<Finding>) {
    /// Most values of a line, and most matches in it, that are compared.
    const MAX_COMPARED: usize = 32;
    /// Shortest match, in bytes. A choice: shorter ones are the start of many words.
    const MIN_MATCH_BYTES: usize = 4;
    let mut more: Vec<Finding> = Vec::new();
    let mut first = 0;
    if findings.is_empty() {
        return;
    }
    for at in memchr::memmem::find_iter(text, b"\"submatches\"") {
        crate::stop::check_sometimes();
        let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |n| n + 1);
        let line = at..memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |n| at + n);
        first += findings[first..].iter().take_while(|found| found.end <= start).count();
        let values = findings[first..].iter().take_while(|found| found.start < at).take(MAX_COMPARED);
        let values: Vec<&Finding> = values.collect();
        for key in memchr::memmem::find_iter(&text[line.clone()], b"\"text\"").take(MAX_COMPARED) {
            let Some(shown) = string_behind(text, line.start + key + b"\"text\"".len()) else { continue };
            let is_part = |found: &&&Finding| {
                let value = &text[found.start..found.end];
                shown.len() >= MIN_MATCH_BYTES && memchr::memmem::find(value, &text[shown.clone()]).is_some()
            };
            if let Some(found) = values.iter().find(is_part) {
                more.push(Finding { start: shown.start, end: shown.end, rule: found.rule });
            }
        }
    }
    more.retain(|new| !findings.iter().any(|found| found.start < new.end && new.start < found.end));
    findings.append(&mut more);
    findings.sort_unstable_by_key(|found| found.start);
}

/// The string after a colon at `at`, without its quotation marks.
fn string_behind(text: &[u8], at: usize) -> Option<Range<usize>> {
    const AROUND: ByteSet = ByteSet::parse(" :");
    let start = skip(text, at, AROUND, 3) + 1;
    let near = text.get(start..text.len().min(start + MAX_VALUE_BYTES))?;
    let len = memchr::memchr(b'"', near).filter(|_| text[start - 1] == b'"')?;
    Some(start..start + len)
}

/// Adds the occurrences of values that look random.
fn add_random(text: &[u8], findings: &mut Vec<Finding>) {
    let mut known: HashSet<&[u8]> = HashSet::new();
    let values: Vec<(&[u8], &'static str)> = findings
        .iter()
        .map(|found| {
            crate::stop::check_sometimes();
            (&text[found.start..found.end], found.rule)
        })
        .filter(|(value, _)| (MIN_VALUE_BYTES..=MAX_VALUE_BYTES).contains(&value.len()))
        .filter(|(value, _)| known.insert(value) && is_random(value, Doubt::Little))
        .take(MAX_VALUES)
        .collect();
    if values.is_empty() {
        return;
    }
    let words = values.iter().map(|(value, _)| value);
    let Ok(search) = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(words) else {
        return;
    };
    let mut more = Vec::new();
    let mut next = 0;
    for hit in search.find_iter(text) {
        crate::stop::check_sometimes();
        let (start, end) = (hit.start(), hit.end());
        while findings.get(next).is_some_and(|found| found.end <= start) {
            next += 1;
        }
        let is_known = findings.get(next).is_some_and(|found| found.start < end);
        let stands_alone = !start.checked_sub(1).is_some_and(|before| is_word(text[before]))
            && !text.get(end).is_some_and(|behind| is_word(*behind));
        if !is_known && stands_alone && !text[..start].ends_with(PLACEHOLDER.as_bytes()) {
            more.push(Finding { start, end, rule: values[hit.pattern().as_usize()].1 });
        }
    }
    findings.append(&mut more);
    findings.sort_unstable_by_key(|found| found.start);
}

#[cfg(test)]
mod tests {
    use crate::sanitize::secrets::redact;

    #[test]
    fn the_matches_beside_a_line_go() {
        let value = "Tr0ubPvdR#dor";
        for part in [value, "ubPvdR"] {
            let before = "{\"lines\":{\"text\":\"password=";
            let between = "\\n\"},\"submatches\":[{\"match\":{\"text\":\"";
            let behind = "\"},\"start\":9}]}\n{\"text\":\"other\"}\n";
            let hidden = "[REDACTED:generic-password]";
            let shown = redact(&format!("{before}{value}{between}{part}{behind}")).map(|r| r.text);
            assert_eq!(shown, Some(format!("{before}{hidden}{between}{hidden}{behind}")));
        }
        let other = "\"password=Tr0ubPvdR#dor\",\"submatches\":[{\"match\":{\"text\":\"name\"}}]\n";
        assert!(redact(other).is_some_and(|redacted| redacted.text.contains("\"name\"")));
    }
}
