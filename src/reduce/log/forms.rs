//! `aggressive`: lines of one form, which differ only in values. Kept are the first and the last line of a form, the
//! one whose largest number stands out, and those with rare words (`variants`) or values (`columns`). The marker
//! counts the others and lists the numbers of orders and the like (`numbers`) that they name. A form with few lines
//! is kept whole, and so are severe lines.

use super::columns;
use super::layout::Level;
use super::record::{self, MAX_KEY_WORDS, Record};
use super::variants;
use crate::text::judge;
use crate::text::source::Source;

/// Fewest lines of a form of which some are left out. A choice: the first, the last and a marker are three.
const MIN_FORM_LINES: usize = 4;

/// Writes the form of a record as a key: the text between stamp and message, the first words of the message with
/// words that have digits left open, and the number of words. Empty for a record that consists of values, because
/// rows of data have no form.
pub fn key(source: &Source<'_>, record: &Record, key: &mut Vec<u8>) {
    let line = source.line(record.lines.start).as_bytes();
    let from = record::message(line, record.head);
    let after_stamp = record.head.map_or(0, |h| h.end);
    let is_object = line.first() == Some(&b'{');
    let mut says_something = false;
    for (i, word) in
        line[from..].split(|b| matches!(b, b' ' | b'\t' | b',')).filter(|w| !w.is_empty()).enumerate()
    {
        let is_value = word.iter().any(|b| b.is_ascii_digit() || matches!(b, b'/' | b'@'));
        // The status code of an answer is not a value: `"GET / HTTP/1.1" 404`.
        let is_code = word.len() == 3 && line[..from + offset(&line[from..], word)].ends_with(b"\" ");
        if i < MAX_KEY_WORDS || is_object || is_code {
            says_something |= !is_value && word.iter().filter(|b| b.is_ascii_alphabetic()).count() >= 3;
            key.extend_from_slice(if is_value && !is_code { b"*" } else { word });
        }
        key.push(b' ');
    }
    if !says_something && !line.contains(&b'"') {
        key.clear();
        return;
    }
    key.push(b'\n');
    for &b in &line[after_stamp.min(from)..from] {
        if !b.is_ascii_digit() {
            key.push(b);
        }
    }
    key.push(record.level as u8);
    // Records of one form have the same number of lines.
    key.extend_from_slice(&record.lines.len().to_le_bytes());
}

/// Where a part of a slice starts in it.
fn offset(whole: &[u8], part: &[u8]) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len())
}

/// The records to leave out: of each form all except the first, the last, the one whose number stands out and those
/// with rare words.
pub fn middles(source: &Source<'_>, records: &[Record], keys: usize) -> Vec<usize> {
    let mut of_key: Vec<Vec<usize>> = vec![Vec::new(); keys];
    let near = around_first_errors(records);
    for (i, record) in records.iter().enumerate() {
        if let Some(form) = record.key.filter(|_| record.level < Level::Error && !near[i]) {
            of_key[form].push(i);
        }
    }
    let mut gone = Vec::new();
    for form in of_key.iter().filter(|form| form.len() >= MIN_FORM_LINES) {
        let outlier = outlier(source, records, form);
        let rare = variants::rare(source, records, form);
        let heads = variants::rare_heads(source, records, form);
        let odd = variants::outlier_values(source, records, form);
        let unlike = columns::outliers(source, records, form);
        let stays = |i: &usize| {
            Some(*i) == outlier
                || [&rare, &heads, &odd, &unlike].iter().any(|stay| stay.binary_search(i).is_ok())
        };
        gone.extend(form[1..form.len() - 1].iter().filter(|i| !stays(i)));
    }
    gone.sort_unstable();
    gone
}

/// Which records are next to the first error of a form.
fn around_first_errors(records: &[Record]) -> Vec<bool> {
    let mut near = vec![false; records.len()];
    let mut seen = std::collections::HashSet::new();
    for (i, record) in records.iter().enumerate().filter(|(_, r)| r.level == Level::Error) {
        if record.key.is_none_or(|key| seen.insert(key)) {
            near[i.saturating_sub(1)..(i + 2).min(records.len())].fill(true);
        }
    }
    near
}

/// The record of a form whose largest number is many times the median.
fn outlier(source: &Source<'_>, records: &[Record], form: &[usize]) -> Option<usize> {
    let largest = |i: usize| {
        let record = &records[i];
        let line = source.line(record.lines.start).as_bytes();
        let from = record.head.map_or(0, |h| h.end).min(line.len());
        line[from..].split(|b| !b.is_ascii_digit()).filter_map(number).max().unwrap_or(0)
    };
    let numbers: Vec<u64> = form.iter().map(|&i| largest(i)).collect();
    judge::much_larger(&numbers, 1, 1).first().map(|place| form[*place])
}

/// A number short enough to be a quantity.
fn number(digits: &[u8]) -> Option<u64> {
    const MAX_QUANTITY_DIGITS: usize = 9;
    let digits = Some(digits).filter(|d| (1..=MAX_QUANTITY_DIGITS).contains(&d.len()))?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}
