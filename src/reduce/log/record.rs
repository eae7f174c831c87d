//! The records of a log: a line with a head and the lines below it that have none.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::layout::{self, Head, Level, Severe};
use super::mask;
use super::numbers::Numbers;
use crate::reduce::lines::MAX_LINE_BYTES;
use crate::text::ledger::Reduction;
use crate::text::maps::Map;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// Records of one key belong together if at most this many other records are between two of them.
pub const WINDOW: usize = 200;
/// Omissions with more shown lines than this between them have separate markers. A choice: about a screen.
const MAX_LINES_BETWEEN: usize = 24;
/// Folding is used if it saves at least the bytes of the text divided by this. A choice: less does not pay for its
/// markers.
const MIN_SAVED_ONE_IN: usize = 20;
/// Most keys that a marker counts separately. A choice: a marker stays one line.
const MAX_COUNTED_KEYS: usize = 6;
/// Most labels of one key that a marker counts separately. A choice: with more, it says what they have in common.
const MAX_LABELS_OF_KEY: usize = 4;
/// The most words by which a marker names a key: no more than a form has (`forms`).
pub const MAX_KEY_WORDS: usize = 4;
/// Longest text by which a marker names a key, in bytes. A choice: a marker stays one line.
const MAX_LABEL_BYTES: usize = 48;

/// Characters that no label begins or ends with.
const LABEL_ENDS: [char; 7] = [':', ',', ' ', '-', '.', '=', '*'];

/// Longest value that a label may skip, in bytes.
const MAX_VALUE_BYTES: usize = 8;

/// A record.
#[derive(Debug)]
pub struct Record {
    /// Its lines.
    pub lines: Range<usize>,
    /// The head of the first; `None` for lines before any head.
    pub head: Option<Head>,
    /// Whether it reports a failure in some line or calls itself a warning or worse.
    pub level: Level,
    /// The number of its key; `None` if no other record can have it.
    pub key: Option<usize>,
}

/// All records of a text, in order.
pub fn records(source: &Source<'_>) -> Vec<Record> {
    let mut next_failure = source.failures().iter().peekable();
    // Most logs have one record per line: growing the list would cost more than the records.
    let mut out: Vec<Record> = Vec::with_capacity(source.len());
    let mut severe = Severe::new(source.text());
    for i in 0..source.len() {
        let line = source.line(i);
        let is_failure = next_failure.next_if(|f| **f == i).is_some();
        let head = layout::head_with(line, || severe.hints(&source.byte_range(i..i + 1)));
        let level = if is_failure { Level::Error } else { head.map_or(Level::Plain, |h| h.level) };
        match out.last_mut() {
            Some(last) if head.is_none() => {
                last.lines.end = i + 1;
                last.level = last.level.max(level);
            }
            _ => out.push(Record { lines: i..i + 1, head, level, key: None }),
        }
    }
    out
}

/// Gives each record the number of its key, which `write` makes of its lines. Equal keys get equal numbers.
pub fn number(
    source: &Source<'_>,
    records: &mut [Record],
    mut write: impl FnMut(&Record, &mut Vec<u8>),
) -> usize {
    // For each digest the first number. If two keys share a digest, the second one uses the next digest.
    let mut numbers: Map<u64, usize> = Map::default();
    // All keys, one after the other, and where each ends.
    let (mut keys, mut ends): (Vec<u8>, Vec<usize>) =
        (Vec::with_capacity(source.text().len()), Vec::with_capacity(records.len()));
    let mut key = Vec::new();
    for record in records.iter_mut() {
        if record.head.is_none() || source.byte_range(record.lines.clone()).len() > MAX_LINE_BYTES {
            continue;
        }
        key.clear();
        write(record, &mut key);
        if key.is_empty() {
            record.key = None;
            continue;
        }
        let mut digest = numbers.hasher().hash_one(&key);
        record.key = loop {
            match numbers.get(&digest) {
                Some(&number) => {
                    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
                    if keys[start..ends[number]] == key {
                        break Some(number);
                    }
                    digest = digest.wrapping_add(1);
                }
                None => {
                    let number = ends.len();
                    numbers.insert(digest, number);
                    keys.extend_from_slice(&key);
                    ends.push(keys.len());
                    break Some(number);
                }
            }
        };
    }
    ends.len()
}

/// The key for records with the same message: all lines, with varying values masked.
pub fn strict_key(source: &Source<'_>, record: &Record, key: &mut Vec<u8>) {
    for i in record.lines.clone() {
        let head = record.head.filter(|_| i == record.lines.start);
        mask::strict(source.line(i).as_bytes(), head, key);
        key.push(b'\n');
    }
}

/// Leaves records out. Those near each other share a marker, which counts them by message.
pub fn omit(source: &Source<'_>, records: &[Record], gone: &[usize], reason: Reason, out: &mut Reduction) {
    let bytes: usize = gone.iter().map(|&i| source.byte_range(records[i].lines.clone()).len()).sum();
    if bytes * MIN_SAVED_ONE_IN < source.text().len() {
        return;
    }
    let far = |a: &usize, b: &usize| records[*b].lines.start - records[*a].lines.end > MAX_LINES_BETWEEN;
    for (group, near) in (1..).zip(gone.chunk_by(|a, b| !far(a, b))) {
        let mut names = names(source, records, near);
        if reason == Reason::LogForm {
            append_numbers(source, records, near, &mut names);
        }
        for &i in near {
            out.omit_named(records[i].lines.clone(), reason, group, &std::mem::take(&mut names));
        }
    }
}

/// Appends the numbers of orders and the like that the records name.
fn append_numbers(source: &Source<'_>, records: &[Record], gone: &[usize], names: &mut String) {
    let mut numbers = Numbers::default();
    for line in gone.iter().flat_map(|&i| records[i].lines.clone()) {
        numbers.read(source.line(line));
    }
    for text in numbers.texts() {
        if !names.is_empty() {
            names.push_str("; ");
        }
        names.push_str(&text);
    }
}

/// The number of records for each message, the most frequent first.
fn names(source: &Source<'_>, records: &[Record], gone: &[usize]) -> String {
    // For each key, the words with which its records begin, and how many begin with them.
    let mut keys: Vec<Vec<(String, usize)>> = Vec::new();
    let mut places: Map<Option<usize>, usize> = Map::default();
    for &i in gone {
        let record = &records[i];
        let line = source.line(record.lines.start);
        let place = *places.entry(record.key).or_insert_with(|| {
            keys.push(Vec::new());
            keys.len() - 1
        });
        let labels = &mut keys[place];
        if let Some((_, count)) = labels.iter_mut().find(|(own, _)| begins_with(line, record.head, own)) {
            *count += 1;
            continue;
        }
        let new = label(line, record.head);
        match labels.iter_mut().find(|(own, _)| *own == new) {
            Some((_, count)) => *count += 1,
            None => labels.push((new, 1)),
        }
        // With this many labels, the marker has only what they share.
        if labels.len() > MAX_LABELS_OF_KEY {
            let count = labels.iter().map(|(_, count)| count).sum();
            let (mut common, _) = labels.swap_remove(0);
            labels.drain(..).for_each(|(other, _)| shorten(&mut common, &other));
            labels.push((common, count));
        }
    }
    let mut counts: Vec<(String, usize)> = Vec::new();
    let mut index: Map<String, usize> = Map::default();
    for (label, count) in keys.into_iter().flatten() {
        match index.get(&label) {
            Some(at) => counts[*at].1 += count,
            None => {
                index.insert(label.clone(), counts.len());
                counts.push((label, count));
            }
        }
    }
    let mut others: usize = counts.iter().filter(|(label, _)| label.is_empty()).map(|(_, count)| count).sum();
    counts.retain(|(label, _)| !label.is_empty());
    // The sort is stable: equal counts keep their order.
    counts.sort_by_key(|(_, count)| usize::MAX - count);
    others += counts.iter().skip(MAX_COUNTED_KEYS).map(|(_, count)| count).sum::<usize>();
    counts.truncate(MAX_COUNTED_KEYS);
    let mut parts: Vec<String> = counts.iter().map(|(label, count)| format!("{count} {label}")).collect();
    if others > 0 && !parts.is_empty() {
        parts.push(format!("{others} others"));
    }
    parts.join("; ")
}

/// Whether the message of a line begins with the words of a label.
fn begins_with(line: &str, head: Option<Head>, label: &str) -> bool {
    let rest = line.get(message(line.as_bytes(), head)..).and_then(|text| text.strip_prefix(label));
    rest.is_some_and(|rest| !rest.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric()))
}

/// Shortens a label to the words with which another one begins too.
fn shorten(label: &mut String, other: &str) {
    let words = label.split(' ').zip(other.split(' '));
    let common: Vec<&str> = words.take_while(|(a, b)| a == b).map(|(word, _)| word).collect();
    *label = common.join(" ").trim_end_matches(LABEL_ENDS).to_owned();
}

/// The first words of a line's message, for a marker. It ends at a word with digits, because that may differ from
/// line to line.
fn label(line: &str, head: Option<Head>) -> String {
    let from = message(line.as_bytes(), head);
    let mut text = line.get(from..).unwrap_or_default();
    // The end of a value: another field follows.
    if from > 0 && line.as_bytes()[from - 1] == b'"' {
        text = text.split('"').next().unwrap_or(text);
    }
    let mut out = String::new();
    for word in text.split_whitespace().take(MAX_KEY_WORDS) {
        let is_plain = word.bytes().all(|b| b.is_ascii_alphabetic() || b"-_.,/:'\"()=*".contains(&b));
        // `code 404, message File not found`: one word is too little.
        let is_value = !is_plain && !out.is_empty() && !out.contains(' ') && word.len() <= MAX_VALUE_BYTES;
        if is_value {
            out.push_str(" *");
            continue;
        }
        if !is_plain || out.len() + word.len() >= MAX_LABEL_BYTES {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().filter(|c| *c != '"'));
        out.truncate(out.trim_end().len());
    }
    let out = out.trim_matches(LABEL_ENDS);
    if out.bytes().any(|b| b.is_ascii_alphabetic()) { out.to_owned() } else { String::new() }
}

/// Keys before a message, with their prepared searches: preparing one takes longer than searching a line.
static KEYS: LazyLock<[(&[u8], Finder<'static>); 5]> = LazyLock::new(|| {
    [&b"\"msg\":\""[..], b"\"message\":\"", b"msg=\"", b"msg=", b"\"event\":\""]
        .map(|key| (key, Finder::new(key)))
});

/// Where the message of a record starts: after the first word that ends the names of host, thread,
/// level and program; else after the stamp.
pub fn message(line: &[u8], head: Option<Head>) -> usize {
    const MAX_NAME_WORDS: usize = 8;
    let start = head.map_or(0, |h| h.end);
    // No key is in a line without these.
    if memchr::memchr2(b'"', b'=', line).is_some() {
        for (key, finder) in KEYS.iter() {
            if let Some(at) = finder.find(line) {
                return at + key.len();
            }
        }
    }
    let mut end = start;
    let mut words = 0;
    let mut at = start;
    while at < line.len() && words < MAX_NAME_WORDS {
        let length = line[at..].iter().take_while(|b| **b != b' ').count();
        if length == 0 {
            at += 1;
            continue;
        }
        words += 1;
        let word = &line[at..at + length];
        at += length;
        // At the end of a line it means an unknown value.
        let is_dash = word == b"-" && at < line.len();
        if is_dash || matches!(word, [.., b':' | b']']) {
            end = at;
            if word.ends_with(b":") {
                break;
            }
        }
    }
    end + line[end..].iter().take_while(|b| **b == b' ').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_says_nothing_that_is_not_so_of_all_its_records() {
        let named = |programs: &[&str]| {
            let line =
                |program| format!("Mar 14 09:26:54 web-3 CRON[16607]: (app) CMD (/srv/{program} >x)\n");
            let text: String = programs.iter().map(line).collect();
            let source = Source::new(&text);
            let mut records = records(&source);
            records.iter_mut().for_each(|record| record.key = Some(0));
            let gone: Vec<usize> = (0..records.len()).collect();
            names(&source, &records, &gone)
        };
        assert_eq!(named(&["audit", "audit"]), "2 (app) CMD (/srv/audit");
        assert_eq!(named(&["audit", "audits", "audit"]), "2 (app) CMD (/srv/audit; 1 (app) CMD (/srv/audits");
        assert_eq!(named(&["a", "b", "c", "d", "e", "a"]), "6 (app) CMD");
    }
}
