//! Other occurrences of a found secret: without its name, in a comment, in the echo of a command.
//!
//! Only values that look random and occur as separate words are searched, so a weak password does not remove ordinary
//! words.

use std::collections::HashSet;

use aho_corasick::{AhoCorasick, MatchKind};

use super::judge::{Doubt, is_random, is_word};
use super::{Finding, PLACEHOLDER};

/// Shortest value that is searched for, in bytes.
const MIN_VALUE_BYTES: usize = 16;
/// Longest value; a longer one is a block of lines.
const MAX_VALUE_BYTES: usize = 256;
/// Most values that are searched for in a text.
const MAX_VALUES: usize = 256;

/// Adds the occurrences to the findings, which stay in order and without overlap.
pub(super) fn add(text: &[u8], findings: &mut Vec<Finding>) {
    let mut known: HashSet<&[u8]> = HashSet::new();
    let values: Vec<(&[u8], &'static str)> = findings
        .iter()
        .map(|found| {
            crate::stop::tick();
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
        crate::stop::tick();
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
