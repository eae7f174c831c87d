//! Finds records of one form with a value that no other record has, if the others share a few values, and with
//! numbers that are many times larger or far smaller than the others: the answer that took a minute, the one negative
//! reading, the one request for another path, the one check of another target. Compares records word by word, and
//! numbers joined by slashes one by one.
//!
//! Its memory does not grow with the number of records.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::record::Record;
use crate::text::judge::{
    Counted, EXCEPTION_ONE_IN, RARE_ONE_IN, Spread, form, is_only_zero_far, is_share, number, value_of,
};
use crate::text::series::{Affixes, Ends, Steps};
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
    /// The words with digits and those without, and the forms of those that are paths or values of a name.
    values: Counted<&'a [u8]>,
    words: Counted<&'a [u8]>,
    forms: Counted<u64>,
    /// The forms of addresses; addresses of one network have the same form.
    shapes: Counted<u64>,
    /// The first folders of paths, and the names in their queries.
    folders: Counted<&'a [u8]>,
    queries: Counted<u64>,
    /// How words with several parts begin and end.
    affixes: Affixes<usize>,
    /// The largest and the smallest number, which may be far from all others although they are not many times as large.
    ends: Ends,
    /// Where a word changes for good, such as the process of a restarted service.
    steps: Steps,
    /// The median of the numbers, how many there are, the smallest above zero, and those that are zero: how many, and the first.
    middle: f64,
    numbers: usize,
    least: Option<f64>,
    zeros: (usize, usize),
    /// Records with a path that leads upwards or to a hidden file.
    dotted: (usize, [usize; MAX_PATHS]),
}

/// The records of a form with a value or a number that stands out, in order.
pub fn outliers<'a>(source: &'a Source<'_>, records: &[Record], form: &[usize]) -> Vec<usize> {
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
        crate::stop::check_sometimes();
        let record = &records[i];
        if let Some(year) = year(source, record) {
            years.add(year, i);
        }
        for (word, column) in words(source, record).zip(&mut columns) {
            column.observe(word, i);
        }
    }
    let mut out = years.rare();
    for column in &columns {
        let (count, places) = &column.dotted;
        if *count <= MAX_PATHS {
            out.extend(&places[..*count]);
        }
        out.extend([column.largest, column.smallest].into_iter().flatten().map(|(_, i)| i));
        let counted = [&column.forms, &column.shapes, &column.queries];
        out.extend(counted.into_iter().flat_map(Counted::rare));
        let counted = [&column.values, &column.words, &column.folders];
        out.extend(counted.into_iter().flat_map(Counted::rare));
        out.extend(column.only_zero());
        out.extend(column.affixes.odd());
        out.extend(column.ends.alone());
        out.extend(column.steps.places(form.len()));
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
        let middle = Spread::of(&mut positive).map(|spread| spread.median);
        let limit = middle.map(|median| if median > 0.0 { median * MUCH_LARGER } else { MUCH_LARGER });
        // If negative numbers are common, a negative sign is not unusual.
        let spread = if is_share(negative, numbers.len(), RARE_ONE_IN) { Spread::of(numbers) } else { None };
        // If nearly all numbers are equal, a rare one is found as a value.
        let least = |spread: Spread| if spread.deviation > 0.0 { spread.median - spread.far() } else { 0.0 };
        let floor = spread.map(|spread| least(spread).max(0.0));
        Self { limit, floor, middle: middle.unwrap_or_default(), ..Self::default() }
    }

    /// The record with the only zero, if the other numbers are far from zero.
    fn only_zero(&self) -> Option<usize> {
        let (zeros, first) = self.zeros;
        is_only_zero_far(zeros, self.numbers, self.least, self.middle).then_some(first)
    }

    fn observe(&mut self, word: &'a [u8], i: usize) {
        let is_numeric = self.limit.is_some() || self.floor.is_some();
        if let Some(number) = Some(word).filter(|_| is_numeric).and_then(number) {
            self.numbers += 1;
            self.ends.observe(number, i);
            if number == 0.0 {
                self.zeros = (self.zeros.0 + 1, if self.zeros.0 == 0 { i } else { self.zeros.1 });
            } else if number > 0.0 && self.least.is_none_or(|least| number < least) {
                self.least = Some(number);
            }
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
        // Only equality of the hashes matters.
        self.steps.observe(FixedState::with_seed(0).hash_one(word), i);
        let is_path = word.contains(&b'/');
        let has_digit = word.iter().any(u8::is_ascii_digit);
        match has_digit {
            true => self.values.add(word, i),
            false => self.words.add(word, i),
        }
        if !is_numeric && self.affixes.is_open() {
            self.affixes.add(word, i);
        }
        if !is_numeric && is_address(value_of(word)) {
            self.shapes.add(form(word), i);
        }
        if is_path || word.contains(&b'=') {
            self.forms.add(masked(word), i);
        }
        if word.first() == Some(&b'/') {
            let (path, query) = word.split_at(memchr::memchr(b'?', word).unwrap_or(word.len()));
            let end = memchr::memchr(b'/', &path[1..]).map_or(path.len(), |at| at + 1);
            self.folders.add(&path[..end], i);
            self.queries.add(names(query), i);
        }
        if is_path && memchr::memmem::find_iter(word, b"/.").any(|at| word.get(at + 2).is_some_and(is_name)) {
            if let Some(free) = self.dotted.1.get_mut(self.dotted.0) {
                *free = i;
            }
            self.dotted.0 += 1;
        }
    }
}

/// Whether a word is an address, a date or another value that starts with a number.
fn is_address(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_digit) || memchr::memmem::find(word, b"::").is_some()
}

/// A digest of the names of a query: `?id=3&page=2` has the same as `?id=4&page=9`.
fn names(query: &[u8]) -> u64 {
    let names = query.split(|b| *b == b'&').map(|part| part.split(|b| *b == b'=').next().unwrap_or_default());
    names.fold(0, |state, name| FixedState::with_seed(state).hash_one(name))
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
        outliers(&source, &records, &(0..records.len()).collect::<Vec<_>>())
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
        // A spike of a few times the usual, and the fastest by far.
        for odd in [700, 1] {
            let latency = |i: usize| if i == 70 { odd } else { 80 + i * 13 % 60 };
            assert_eq!(found(|i| check(i, &target(i), latency(i))), [70], "{odd}");
        }
        // Values that are all different, one of which begins or ends otherwise.
        for (usual, odd) in [("@corp.test", "@other.test"), (".int.test", ".ext.test"), (":1.2", ":latest")] {
            let value =
                |i: usize| format!("box-{}{}{}", i * 7, ["a", "b"][i % 2], if i == 70 { odd } else { usual });
            assert_eq!(found(|i| format!("{} INFO sync to={} ok", time(i), value(i))), [70], "{odd}");
        }
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
    fn the_only_other_client_user_folder_and_parameter_stand_out() {
        let request = |i: usize, client: &str, user: &str, path: &str| {
            let time = format!("28/Nov/2025:08:{:02}:{:02} +0000", i / 60, i % 60);
            format!("{client} - {user} [{time}] \"GET {path} HTTP/1.1\" 200 {}", 500 + i * 7_919 % 400)
        };
        let client = |i: usize| format!("10.0.4.{}", i % 50);
        let path = |i: usize| format!("/{}/{}?page={}", ["goods", "help"][i % 2], i * 31 % 97, i % 7);
        let usual = |i: usize| request(i, &client(i), "-", &path(i));
        assert_eq!(found(usual), [0; 0]);
        for odd in [
            request(70, "91.200.12.9", "-", &path(70)),
            request(70, "2001:db8::1", "-", &path(70)),
            request(70, &client(70), "root", &path(70)),
            request(70, &client(70), "-", "/admin/7?page=3"),
            request(70, &client(70), "-", "/help/7?id=3"),
        ] {
            assert_eq!(found(|i| if i == 70 { odd.clone() } else { usual(i) }), [70], "{odd}");
        }
    }

    #[test]
    fn the_only_zero_stands_out() {
        let bill = |i: usize, total: usize| {
            format!("2025-11-14 08:{:02}:{:02} INFO bill {i} total {total}.00 sent", i / 60, i % 60)
        };
        assert_eq!(found(|i| bill(i, if i == 70 { 0 } else { 40 + i * 37 % 300 })), [70]);
        assert_eq!(found(|i| bill(i, i % 9)), [0; 0]);
    }

    #[test]
    fn the_first_record_of_another_process_stands_out() {
        assert_eq!(
            found(|i| {
                let process = if i < 37 { 71 } else { 99 };
                format!(
                    "2025-11-14T08:{:02}:{:02}Z h ledgerd[{process}]: wrote {} rows",
                    i / 60,
                    i % 60,
                    i * 7 % 31
                )
            }),
            [37]
        );
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
