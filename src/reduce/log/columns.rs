//! Finds values that only one record of a form has, while the others share a few, and numbers that are many times
//! larger or far smaller than the others: the answer that took a minute, the one negative reading, the one request
//! for another path, the one check of another target. Compares records word by word, and numbers joined by slashes
//! one by one.
//!
//! Its memory does not grow with the number of records.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::record::Record;
use crate::text::judge::{Counted, EXCEPTION_ONE_IN, RARE_ONE_IN, Spread, is_share, number};
use crate::text::source::Source;

/// Words of a record that are compared. Bounds the work.
const MAX_WORDS: usize = 40;
/// The median of a column is taken from this many records. Bounds the memory.
const SAMPLE_RECORDS: usize = 256;
/// At least this many of 10 records have a number in a column of numbers.
const NUMBERS_IN_TEN: usize = 8;
/// A number stands out if it is more than this many times the median of its column. As in `text::judge`.
const MUCH_LARGER: f64 = 8.0;
/// Most records that are kept.
const MAX_RECORDS: usize = 6;
/// Most records that are kept for one kind of path.
const MAX_PATHS: usize = 2;

/// The words at one position of the records.
#[derive(Default)]
struct Column<'a> {
    /// The number above which one stands out, and the largest of those, with its record.
    limit: Option<f64>,
    largest: Option<(f64, usize)>,
    /// The number below which one stands out, and the smallest of those, with its record.
    floor: Option<f64>,
    smallest: Option<(f64, usize)>,
    /// The words with digits, and the forms of those that are paths or values of a name.
    values: Counted<&'a [u8]>,
    forms: Counted<u64>,
    /// Records with a path that leads upwards or to a hidden file.
    dotted: (usize, [usize; MAX_PATHS]),
}

/// The records of a form with a value or a number that stands out, in order.
pub fn standing_out<'a>(source: &'a Source<'_>, records: &[Record], form: &[usize]) -> Vec<usize> {
    if form.len() < EXCEPTION_ONE_IN {
        return Vec::new();
    }
    let mut columns: Vec<Column<'a>> = Vec::new();
    let sample = form.len().min(SAMPLE_RECORDS);
    let mut numbers: Vec<Vec<f64>> = Vec::new();
    for nth in 0..sample {
        for (place, word) in words(source, &records[form[nth * form.len() / sample]]).enumerate() {
            if numbers.len() == place {
                numbers.push(Vec::new());
            }
            numbers[place].extend(number(word));
        }
    }
    for of_column in &mut numbers {
        let is_numeric = of_column.len() * 10 >= sample * NUMBERS_IN_TEN;
        columns.push(if is_numeric { Column::of_numbers(of_column) } else { Column::default() });
    }
    let mut years: Counted<&[u8]> = Counted::default();
    for &i in form {
        crate::stop::tick();
        let record = &records[i];
        if let Some(year) = year(source, record) {
            years.add(year, i);
        }
        for (word, column) in words(source, record).zip(&mut columns) {
            column.look(word, i);
        }
    }
    let mut out = years.rare();
    for column in &columns {
        let (count, places) = &column.dotted;
        if *count <= MAX_PATHS {
            out.extend(&places[..*count]);
        }
        out.extend([column.largest, column.smallest].into_iter().flatten().map(|(_, i)| i));
        out.extend(column.values.rare());
        out.extend(column.forms.rare());
    }
    out.sort_unstable();
    out.dedup();
    out.truncate(MAX_RECORDS);
    out
}

impl<'a> Column<'a> {
    /// A column with these numbers in some of its records.
    fn of_numbers(numbers: &mut [f64]) -> Self {
        let mut positive: Vec<f64> = numbers.iter().copied().filter(|n| *n >= 0.0).collect();
        let negative = numbers.len() - positive.len();
        let limit = Spread::of(&mut positive)
            .map(|Spread { median, .. }| if median > 0.0 { median * MUCH_LARGER } else { MUCH_LARGER });
        // If negative numbers are usual, their sign means nothing.
        let spread = if is_share(negative, numbers.len(), RARE_ONE_IN) { Spread::of(numbers) } else { None };
        // If nearly all numbers are equal, a rare one is found as a value.
        let least = |spread: Spread| if spread.deviation > 0.0 { spread.median - spread.far() } else { 0.0 };
        Self { limit, floor: spread.map(|spread| least(spread).max(0.0)), ..Self::default() }
    }

    fn look(&mut self, word: &'a [u8], i: usize) {
        let is_numeric = self.limit.is_some() || self.floor.is_some();
        if let Some(number) = Some(word).filter(|_| is_numeric).and_then(number) {
            if self.limit.is_some_and(|limit| number > limit)
                && self.largest.is_none_or(|(largest, _)| number > largest)
            {
                self.largest = Some((number, i));
            }
            if self.floor.is_some_and(|floor| number < floor)
                && self.smallest.is_none_or(|(smallest, _)| number < smallest)
            {
                self.smallest = Some((number, i));
            }
        }
        let is_path = word.contains(&b'/');
        let has_digit = word.iter().any(u8::is_ascii_digit);
        if has_digit {
            self.values.add(word, i);
        }
        if is_path || word.contains(&b'=') {
            self.forms.add(masked(word), i);
        }
        if is_path && memchr::memmem::find_iter(word, b"/.").any(|at| word.get(at + 2).is_some_and(is_name)) {
            if let Some(free) = self.dotted.1.get_mut(self.dotted.0) {
                *free = i;
            }
            self.dotted.0 += 1;
        }
    }
}

/// A byte of a name, or the second dot of `..`.
fn is_name(byte: &u8) -> bool {
    byte.is_ascii_alphabetic() || *byte == b'.'
}

/// The words of a record's first line, without its time.
fn words<'a>(source: &'a Source<'_>, record: &Record) -> impl Iterator<Item = &'a [u8]> {
    let line = source.line(record.lines.start).as_bytes();
    let (start, end) = record.head.map_or((0, 0), |head| (head.start.min(line.len()), head.end));
    let parts = [&line[..start], line.get(end.max(start)..).unwrap_or_default()];
    let words = parts.into_iter().flat_map(|part| part.split(|b| b" \t,;&\"".contains(b)));
    // `0/0/1/8/23`: numbers with different meanings.
    let numbers = |word: &'a [u8]| {
        let are_joined =
            word.contains(&b'/') && word.iter().all(|b| b.is_ascii_digit() || b"/-+.".contains(b));
        word.split(move |b| are_joined && *b == b'/')
    };
    words.filter(|word| !word.is_empty()).flat_map(numbers).filter(|word| !word.is_empty()).take(MAX_WORDS)
}

/// The year in the time of a record.
fn year<'a>(source: &'a Source<'_>, record: &Record) -> Option<&'a [u8]> {
    let head = record.head?;
    let stamp = source.line(record.lines.start).as_bytes().get(head.start..head.end)?;
    let mut runs = stamp.split(|b| !b.is_ascii_digit());
    runs.find(|run| run.len() == 4 && (run.starts_with(b"19") || run.starts_with(b"20")))
}

/// A digest of a word in which each run of digits counts as one digit.
fn masked(word: &[u8]) -> u64 {
    const MAX_BYTES: usize = 128;
    let mut text = [0; MAX_BYTES];
    let mut len = 0;
    for &b in word.iter().take(MAX_BYTES) {
        let b = if b.is_ascii_digit() { b'0' } else { b };
        if b != b'0' || len == 0 || text[len - 1] != b'0' {
            text[len] = b;
            len += 1;
        }
    }
    // The same in every process: only equality counts, and no map is filled with it.
    FixedState::with_seed(0).hash_one(&text[..len])
}

#[cfg(test)]
mod tests {
    use super::super::record::records;
    use super::*;

    fn found(line: impl Fn(usize) -> String) -> Vec<usize> {
        let text: String = (0..120).map(|i| line(i) + "\n").collect();
        let source = Source::new(&text);
        let records = records(&source);
        standing_out(&source, &records, &(0..records.len()).collect::<Vec<_>>())
    }

    #[test]
    fn values_and_numbers_that_stand_out() {
        let time = |i: usize| format!("2025-11-14T08:{:02}:{:02}Z", i / 60, i % 60);
        let check = |i: usize, target: &str, latency: usize| {
            format!(
                "{} INFO check ok target={target} latency={latency}ms conn={}",
                time(i),
                30_000 + i * 7_919 % 30_000
            )
        };
        let target = |i: usize| format!("db{}", i % 4);
        assert_eq!(found(|i| check(i, &target(i), if i == 70 { 483 } else { 2 + i % 5 })), [70]);
        for odd in ["db9", "cache"] {
            let target = |i: usize| if i == 70 { odd.to_owned() } else { target(i) };
            assert_eq!(found(|i| check(i, &target(i), 2 + i % 5)), [70], "{odd}");
        }
        assert_eq!(found(|i| check(i, &target(i), 2 + i % 5)), [0; 0]);
        let get = |i: usize, path: &str, rt: &str| {
            let clock = format!("14/Nov/2025:08:{:02}:{:02} +0000", i / 60, i % 60);
            format!(
                "10.0.3.{} - - [{clock}] \"GET {path} HTTP/1.1\" 200 {} \"-\" rt={rt}",
                i * 7 % 250,
                900 + i
            )
        };
        let path = |i: usize| format!("/api/items/{}", i * 7_919 % 10_000);
        let rt = |i: usize| format!("0.0{}", 10 + i * 13 % 50);
        assert_eq!(found(|i| get(i, &path(i), &if i == 70 { "59.012".into() } else { rt(i) })), [70]);
        assert_eq!(found(|i| get(i, &if i == 70 { "/.git/config".into() } else { path(i) }, &rt(i))), [70]);
        assert_eq!(found(|i| get(i, &path(i), &rt(i))), [0; 0]);
    }

    #[test]
    fn a_number_far_below_the_others_stands_out() {
        let draw = |i: usize, watts: &str| {
            format!("2025-11-14 08:{:02}:{:02} rack A{} draws {watts} W", i / 60, i % 60, i % 4)
        };
        let usual = |i: usize| format!("{}.{}", 300 + i * 7 % 80, i % 10);
        for odd in ["-12.4", "0", "3.5"] {
            assert_eq!(found(|i| draw(i, &if i == 70 { odd.into() } else { usual(i) })), [70], "{odd}");
        }
        assert_eq!(found(|i| draw(i, &usual(i))), [0; 0]);
        // Signs that are usual.
        assert_eq!(found(|i| draw(i, &format!("{}", i as i64 * 7 % 80 - 40))), [0; 0]);
    }

    #[test]
    fn numbers_that_slashes_join_are_compared_one_by_one() {
        let timers = |i: usize, of: &str| {
            format!("2025-11-14 08:{:02}:{:02} front back/web {of} 200 sent", i / 60, i % 60)
        };
        let usual = |i: usize| format!("0/0/1/{}/{}", 3 + i % 17, 20 + i % 9);
        assert_eq!(found(|i| timers(i, &if i == 70 { "0/0/1/29981/29982".into() } else { usual(i) })), [70]);
        assert_eq!(found(|i| timers(i, &usual(i))), [0; 0]);
    }

    #[test]
    fn the_only_other_year_stands_out() {
        let date = |i: usize, year: usize| {
            format!("/etc/ssl/{i}.pem: notAfter=Mar {} 12:00:00 {year} GMT", 10 + i % 19)
        };
        assert_eq!(found(|i| date(i, if i == 70 { 2025 } else { 2026 })), [70]);
        assert_eq!(found(|i| date(i, 2026)), [0; 0]);
    }
}
