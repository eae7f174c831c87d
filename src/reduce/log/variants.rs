//! Variants of a form: records that differ in words, not only in values, such as the one `user=root` among hundreds
//! of `user=ada`. A variant is known by a hash of the words without digits. A variant does not count as rare if other
//! records have a word with digits at its place: an id such as `c-fee` among `c-1e4` lacks digits by chance.

use crate::text::judge::{EXCEPTION_ONE_IN, is_share};
use crate::text::maps::Map;
use crate::text::source::Source;

use super::record::{self, Record};

/// Most rare variants of a form that are searched for. A choice.
const MAX_VARIANTS: usize = 4;
/// Most records of a rare variant. A choice.
const MAX_RARE_RECORDS: usize = 2;
/// At least 1 record in this many of the form has words with digits where a rare variant has them.
const SHAPE_ONE_IN: usize = 4;

/// The number of records from which the usual value of a form is taken, and how many of these must agree. A choice:
/// they show whether values differ from record to record; at most 1 in `EXCEPTION_ONE_IN` may be an exception.
const SAMPLE_RECORDS: usize = 16;
const MIN_AGREEING_RECORDS: usize = 12;
/// Words of a record that are compared with those of other records, at most.
const MAX_WORDS: usize = 40;

/// The words of a text, without its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Words {
    /// A hash of the words without digits.
    said: u64,
    /// A hash of which words have digits.
    shape: u64,
}

/// The first record of each rare variant of a form, in order: the first four. None where words differ from
/// record to record.
pub fn rare(source: &Source<'_>, records: &[Record], form: &[usize]) -> Vec<usize> {
    if form.len() < EXCEPTION_ONE_IN {
        return Vec::new();
    }
    // How many records a variant has, and the first.
    let mut variants: Map<Words, (usize, usize)> = Map::default();
    for &i in form {
        let record = &records[i];
        let line = source.line(record.lines.start).as_bytes();
        let from = record::message(line, record.head);
        variants.entry(words(&line[from..])).or_insert((0, i)).0 += 1;
    }
    let is_rare = |count: usize| count <= MAX_RARE_RECORDS && is_share(count, form.len(), EXCEPTION_ONE_IN);
    let usual: usize = variants.values().map(|(count, _)| *count).filter(|count| !is_rare(*count)).sum();
    if usual * 2 <= form.len() {
        return Vec::new();
    }
    let mut shapes: Map<u64, usize> = Map::default();
    for (words, (count, _)) in &variants {
        *shapes.entry(words.shape).or_default() += count;
    }
    let is_shape = |shape: u64| shapes.get(&shape).is_some_and(|count| count * SHAPE_ONE_IN >= form.len());
    let mut out: Vec<usize> = variants
        .into_iter()
        .filter(|(words, (count, _))| is_rare(*count) && is_shape(words.shape))
        .map(|(_, (_, first))| first)
        .collect();
    out.sort_unstable();
    out.truncate(MAX_VARIANTS);
    out
}

/// The first record of each rare word before the stamps: the only alert of a name, the only host. At most four, and only
/// where most records of the form begin with one word.
pub fn rare_heads(source: &Source<'_>, records: &[Record], form: &[usize]) -> Vec<usize> {
    let mut words: Map<&str, (usize, usize)> = Map::default();
    for &i in form {
        let line = source.line(records[i].lines.start);
        let first = line.split_ascii_whitespace().next().unwrap_or_default();
        // A stamp, or text between signs.
        if !first.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_' | b'.')) {
            return Vec::new();
        }
        words.entry(first).or_insert((0, i)).0 += 1;
    }
    let is_rare = |count: usize| count <= MAX_RARE_RECORDS && is_share(count, form.len(), EXCEPTION_ONE_IN);
    let most = words.values().map(|(count, _)| *count).max().unwrap_or(0);
    if most * 2 <= form.len() {
        return Vec::new();
    }
    let rare = words.into_values().filter(|(count, _)| is_rare(*count));
    let mut out: Vec<usize> = rare.map(|(_, first)| first).collect();
    out.sort_unstable();
    out.truncate(MAX_VARIANTS);
    out
}

/// The first four records of a form that have another value with digits where nearly all have the same one, such as the
/// only record with `scheduler-3`.
pub fn outlier_values(source: &Source<'_>, records: &[Record], form: &[usize]) -> Vec<usize> {
    if form.len() < EXCEPTION_ONE_IN {
        return Vec::new();
    }
    let values = |i: usize| {
        let record = &records[i];
        let line = source.line(record.lines.start);
        let from = record::message(line.as_bytes(), record.head);
        let words = line.as_bytes().get(from..).unwrap_or_default().split(|b| b" \t,;&\"".contains(b));
        words.take(MAX_WORDS).map(|word| if word.iter().any(u8::is_ascii_digit) { word } else { &[] })
    };
    // For each place, the value of most records of a sample. If there is none, no record is an exception.
    let mut most: Vec<&[u8]> = Vec::new();
    let sample = || (0..SAMPLE_RECORDS).map(|nth| form[nth * form.len() / SAMPLE_RECORDS]);
    for (place, first) in values(form[form.len() / 2]).enumerate() {
        let has = |value: &[u8]| sample().filter(|i| values(*i).nth(place) == Some(value)).count();
        // The record in the middle may be an exception itself.
        let common = [first, values(form[0]).nth(place).unwrap_or_default()]
            .into_iter()
            .find(|v| !v.is_empty() && has(v) >= MIN_AGREEING_RECORDS);
        most.push(common.unwrap_or_default());
    }
    let last = most.iter().rposition(|value| !value.is_empty()).map_or(0, |place| place + 1);
    most.truncate(last);
    if most.is_empty() {
        return Vec::new();
    }
    let mut others: Vec<(usize, Option<usize>)> = vec![(0, None); most.len()];
    let mut held = vec![0; most.len()];
    for &i in form {
        for (place, (value, most)) in values(i).zip(&most).enumerate() {
            if value == *most {
                held[place] += 1;
            } else {
                others[place].0 += 1;
                others[place].1.get_or_insert(i);
            }
        }
    }
    let is_odd = |place: &usize| {
        !most[*place].is_empty()
            && others[*place].0 <= MAX_RARE_RECORDS
            && is_share(form.len() - held[*place], form.len(), EXCEPTION_ONE_IN)
    };
    let mut out: Vec<usize> = (0..most.len()).filter(is_odd).filter_map(|place| others[place].1).collect();
    out.sort_unstable();
    out.dedup();
    out.truncate(MAX_VARIANTS);
    out
}

fn words(text: &[u8]) -> Words {
    const START: u64 = 0xCBF2_9CE4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01B3;
    let mix = |all: u64, word: u64| (all.rotate_left(5) ^ word).wrapping_mul(PRIME);
    let mut all = Words { said: START, shape: START };
    let (mut word, mut has_digit) = (START, false);
    let mut start = 0;
    for (at, &b) in text.iter().chain(b" ").enumerate() {
        match b {
            b' ' | b'\t' | b',' | b';' | b'&' | b'"' => {
                if word != START {
                    // A text in place of a number is an exception, but not another shape.
                    all.shape = mix(all.shape, u64::from(has_digit || is_no_number(&text[start..at])));
                }
                if word != START && !has_digit {
                    all.said = mix(all.said, word);
                }
                (word, has_digit, start) = (START, false, at + 1);
            }
            _ => {
                has_digit |= b.is_ascii_digit();
                word = (word ^ u64::from(b)).wrapping_mul(PRIME);
            }
        }
    }
    all
}

/// Whether a word means that there is no number: `nan`, `loss=NaN`, `null`.
fn is_no_number(word: &[u8]) -> bool {
    const WORDS: &[&[u8]] = &[b"nan", b"inf", b"-inf", b"null", b"none", b"n/a"];
    let longest = word.len() <= 40;
    let value = word.rsplit(|b| matches!(b, b'=' | b':')).find(|value| !value.is_empty()).filter(|_| longest);
    value.is_some_and(|value| value.len() <= 4 && WORDS.iter().any(|word| value.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use super::super::record::records;
    use super::*;

    fn rare_of(line: impl Fn(usize) -> String) -> Vec<usize> {
        let text: String = (0..60).map(|i| format!("10:00:{i:02} {}\n", line(i))).collect();
        let source = Source::new(&text);
        let records = records(&source);
        rare(&source, &records, &(0..records.len()).collect::<Vec<_>>())
    }

    #[test]
    fn a_variant_with_few_records_is_rare() {
        let user = |i| if i == 7 { "root" } else { ["ada", "bob"][i % 2] };
        assert_eq!(rare_of(|i| format!("login of number {i} user={}", user(i))), [7]);
        assert_eq!(rare_of(|i| format!("{{\"n\":{i},\"user\":\"{}\"}}", user(i))), [7]);
        let kinds = |i: usize| if i % 10 == 3 { "abcdefgh".get(i / 10..i / 10 + 1) } else { None };
        assert_eq!(rare_of(|i| format!("login {i} {}", kinds(i).unwrap_or("usual"))), [3, 13, 23, 33]);
    }

    #[test]
    fn a_rare_word_before_the_stamp_is_found() {
        let heads = |name: &dyn Fn(usize) -> &'static str| {
            let text: String =
                (0..60).map(|i| format!("{} 2026-05-04 10:00:{i:02} web-{i} down\n", name(i))).collect();
            let source = Source::new(&text);
            let records = records(&source);
            assert_eq!(records.len(), 60);
            rare_heads(&source, &records, &(0..60).collect::<Vec<_>>())
        };
        assert_eq!(heads(&|i| if i == 41 { "DiskFull" } else { "InstanceDown" }), [41]);
        assert_eq!(heads(&|i| ["web", "db", "mail"][i % 3]), [0; 0]);
    }

    #[test]
    fn what_stands_in_place_of_a_number_is_rare() {
        for word in ["nan", "NaN", "null", "-inf"] {
            let loss = |i: usize| if i == 7 { word.to_owned() } else { format!("2.{i}") };
            assert_eq!(rare_of(|i| format!("step {i} | loss {} | lr 3e-4", loss(i))), [7], "{word}");
            assert_eq!(rare_of(|i| format!("step={i} loss={} lr=3e-4", loss(i))), [7], "{word}");
        }
    }

    #[test]
    fn a_value_that_only_one_record_has_is_found() {
        let odd = |line: &dyn Fn(usize) -> String| {
            let text: String = (0..60).map(|i| format!("10:00:{i:02} {}\n", line(i))).collect();
            let source = Source::new(&text);
            let records = records(&source);
            outlier_values(&source, &records, &(0..records.len()).collect::<Vec<_>>())
        };
        let to = |i: usize| if i == 7 { 3 } else { 1 };
        assert_eq!(odd(&|i| format!("lease-{i} handed to scheduler-{}", to(i))), [7]);
        assert_eq!(odd(&|i| format!("lease-{i} handed to scheduler-{}", i % 2)), [0; 0]);
        assert_eq!(odd(&|i| format!("lease-{i} took {i}ms")), [0; 0]);
    }

    #[test]
    fn words_that_differ_everywhere_are_values() {
        let name = |i: usize| "abcdefghij".get(i % 8..i % 8 + 2).unwrap_or("");
        assert_eq!(rare_of(|i| format!("login {i} {}{}", name(i / 8), name(i))), [0; 0]);
        assert_eq!(rare_of(|i| format!("login {i} ok")), [0; 0]);
        let id = |i: usize| if i % 20 == 3 { "bead".to_owned() } else { format!("b{i}") };
        assert_eq!(rare_of(|i| format!("login {i} of {}", id(i))), [0; 0]);
    }
}
