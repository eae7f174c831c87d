//! Collects the values and numbers of one table column, and finds the outliers among them.

use std::ops::RangeInclusive;

use crate::pipeline::limit::numbers::Reader;
use crate::pipeline::limit::unit::{MAX_LINES_PER_VALUE, digest};
use crate::text::judge::{
    Counted, EXCEPTION_ONE_IN, MAX_VALUES, RARE_ONE_IN, Spread, form, is_few, is_only_zero, is_only_zero_far,
    is_share, is_small, is_zero_far, unit,
};
use crate::text::series::{Affixes, Counter, Ends, Steps};

/// A rare value occurs at most as often as the average value of the column, divided by this.
const RARE_SHARE: usize = 5;
/// A column is numeric if at most 1 in 10 of its fields, apart from the header, is not a number.
pub(super) const NON_NUMBERS_ONE_IN: usize = 10;
/// If most fields of a column are the same number, at most 1 in this many other numbers may be outliers.
const EXTREMES_ONE_IN: usize = 5;
/// A verdict in capitals stands out if at most 1 in this many rows has it.
const VERDICT_ONE_IN: usize = 4;
/// The most values of a column of verdicts.
const MAX_VERDICTS: usize = 6;
/// If many numbers are far from the median, the farthest is an outlier only if it is more than this many times as far
/// as the next one.
const MUCH_FARTHER: f64 = 8.0;
/// From this percentage on a share stands out among smaller ones. A choice: disks this full soon fail.
const FULL_SHARE: f64 = 95.0;
/// The largest number of a column is an outlier if it is at least this many times the median.
const MUCH_LARGER: f64 = 8.0;
/// Words for a missing value, in lower case.
const NO_VALUES: &[&[u8]] = &[
    b"null", b"nan", b"none", b"nil", b"n/a", b"-", b"--", b"<none>", b"<nil>", b"(null)", b"never",
    b"missing",
];
/// The most rows that differ from all others and still count as exceptions.
const MAX_EXCEPTION_ROWS: usize = 3;
/// With fewer rows, a single row that differs is not an exception.
pub(super) const MIN_ROWS_FOR_EXCEPTION: usize = 5;

/// A value of a column.
#[derive(Default)]
pub(super) struct Value {
    pub(super) rows: usize,
    /// The first rows with this value.
    places: [usize; MAX_LINES_PER_VALUE],
    /// Whether it is in capitals, as verdicts are.
    is_all_caps: bool,
}

impl Value {
    fn add(&mut self, place: usize) {
        if let Some(free) = self.places.get_mut(self.rows) {
            *free = place;
        }
        self.rows += 1;
    }

    pub(super) fn places(&self) -> &[usize] {
        &self.places[..self.rows.min(MAX_LINES_PER_VALUE)]
    }
}

/// The values and numbers of a column so far.
#[derive(Default)]
pub(super) struct Column {
    /// The different values (none if there were too many) and their keys, which are searched.
    values: Vec<Value>,
    keys: Vec<u64>,
    /// Whether there were too many.
    has_many_values: bool,
    /// How its numbers are read.
    reader: Reader,
    /// The range of usual numbers.
    range: Option<RangeInclusive<f64>>,
    /// The median, and the smallest number above zero.
    middle: f64,
    least: Option<f64>,
    /// Rows with a word for a missing value (in a numeric column: all rows without a number), and rows with zero.
    words: Value,
    zeros: Value,
    /// How many numbers are next to zero.
    small: usize,
    /// How many numbers are outside the range, and on each side the two farthest: their distance and their row.
    outside: usize,
    below: [(f64, usize); 2],
    above: [(f64, usize); 2],
    ends: Ends,
    counter: Counter,
    steps: Steps,
    /// The different forms of values, for a column with many different texts; of numbers their units.
    forms: Option<Box<Column>>,
    /// How texts begin and end, where forms are collected.
    affixes: Affixes<usize>,
    /// What the values are, where forms are collected and the values are not numbers.
    kinds: Counted<ValueKind>,
}

impl Column {
    /// A column whose range of common numbers is computed from a sample of its numbers.
    pub(super) fn with_sample(mut numbers: Vec<f64>, rows: usize, least_rows: usize) -> Self {
        let (mut range, mut in_middle) = (None, 0.0);
        // One field may be the header, which is not a number.
        if numbers.len() >= least_rows
            && (rows - numbers.len()).saturating_sub(1) * NON_NUMBERS_ONE_IN <= rows
        {
            let negative = numbers.iter().filter(|n| **n < 0.0).count();
            let is_positive = is_share(negative, numbers.len(), RARE_ONE_IN);
            if let Some(spread) = Spread::of(&mut numbers) {
                let (median, far) = (spread.median, spread.far());
                let least = if is_positive && median > 0.0 { (median - far).max(0.0) } else { median - far };
                range = Some(least..=median + far);
                in_middle = median;
            }
        }
        Self { range, middle: in_middle, ..Self::default() }.with_forms()
    }

    /// The same column, which also collects the forms of texts.
    pub(super) fn with_forms(self) -> Self {
        Self { forms: Some(Box::default()), ..self }
    }

    /// The same column, whose numbers are read in this way.
    pub(super) fn read_by(self, reader: Reader) -> Self {
        Self { reader, ..self }
    }

    /// Whether it holds numbers.
    pub(super) fn has_numbers(&self) -> bool {
        self.range.is_some()
    }

    /// The number that a field of it holds.
    pub(super) fn number(&self, field: &[u8]) -> Option<f64> {
        self.reader.read(field)
    }

    /// Whether the findings are final: further rows cannot change them.
    pub(super) fn is_done(&self) -> bool {
        self.has_many_values
            && self.range.is_none()
            && self.words.rows > MAX_LINES_PER_VALUE
            && self.forms.as_ref().is_none_or(|forms| forms.has_many_values)
            && (self.forms.is_none() || !self.affixes.is_open() && self.kinds.all() >= MAX_OF_KINDS)
    }

    /// Adds a row.
    pub(super) fn observe(&mut self, place: usize, field: &[u8], column: usize) {
        if !self.has_many_values {
            let key = key(field, column);
            self.steps.observe(key, place);
            self.observe_key(place, key, is_all_caps(field));
        }
        if let Some(forms) = &mut self.forms {
            let is_number = self.range.is_some();
            if !is_number && self.affixes.is_open() {
                self.affixes.add(field, place);
            }
            if !is_number && self.kinds.all() < MAX_OF_KINDS {
                self.kinds.add(ValueKind::of(field), place);
            }
            let key =
                if is_number { unit(field).map(|unit| digest(unit, column)) } else { Some(form(field)) };
            if let Some(key) = key.filter(|_| !forms.has_many_values) {
                forms.observe_key(place, key, false);
            }
        }
        self.observe_number(place, field);
    }

    /// Adds the value of a row, by its key.
    fn observe_key(&mut self, place: usize, key: u64, is_all_caps: bool) {
        match self.keys.iter().position(|known| *known == key) {
            Some(known) => self.values[known].add(place),
            None if self.values.len() == MAX_VALUES => {
                self.has_many_values = true;
                (self.values, self.keys) = (Vec::new(), Vec::new());
            }
            None => {
                self.keys.push(key);
                let places = [place; MAX_LINES_PER_VALUE];
                self.values.push(Value { rows: 1, places, is_all_caps });
            }
        }
    }

    /// Adds the number of a row, or that it has none.
    fn observe_number(&mut self, place: usize, field: &[u8]) {
        let Some(range) = &self.range else {
            // A column with few different values reports rare ones in `rare`.
            if self.has_many_values && is_no_value(field) {
                self.words.add(place);
            }
            return;
        };
        let Some(number) = self.reader.read(field) else { return self.words.add(place) };
        self.counter.observe(number, field, place);
        self.ends.observe(number, place);
        self.small += usize::from(is_small(number));
        if number == 0.0 {
            self.zeros.add(place);
        } else if number > 0.0 && self.least.is_none_or(|least| number < least) {
            self.least = Some(number);
        }
        // A full disk counts as far from the others, however much these vary.
        let is_full = number >= FULL_SHARE && self.middle < FULL_SHARE && field.ends_with(b"%");
        if is_full || !range.contains(&number) {
            self.outside += 1;
            let (side, far) = match is_full || number > *range.end() {
                true => (&mut self.above, number - if is_full { 0.0 } else { *range.end() }),
                false => (&mut self.below, range.start() - number),
            };
            if far > side[0].0 {
                *side = [(far, place), side[0]];
            } else if far > side[1].0 {
                side[1] = (far, place);
            }
        }
    }

    /// The values that few rows have, with their keys.
    pub(super) fn rare(&self, rows: usize) -> impl Iterator<Item = (u64, &Value)> {
        // If many values are equally common, some are rarer by chance.
        let unlike = RARE_ONE_IN.max(self.values.len() * RARE_SHARE);
        // In a column with two values, a value of one or a few rows is rare even among few rows.
        let is_one_of_few = move |value: &Value| {
            value.rows <= MAX_EXCEPTION_ROWS && is_share(value.rows, rows, EXCEPTION_ONE_IN)
        };
        let is_only = move |value: &Value| {
            self.values.len() == 2
                && (is_one_of_few(value) || value.rows == 1 && rows >= MIN_ROWS_FOR_EXCEPTION)
        };
        let rare = move |(_, value): &(u64, &Value)| is_share(value.rows, rows, unlike) || is_only(value);
        let all = || self.keys.iter().copied().zip(&self.values);
        let together: usize = all().filter(rare).map(|(_, value)| value.rows).sum();
        // Of many rare values those that occur once still stand out.
        let most = if is_few(together, rows, EXCEPTION_ONE_IN) { usize::MAX } else { 1 };
        let rare = move |value: &(u64, &Value)| rare(value) && value.1.rows <= most;
        let together: usize = all().filter(rare).map(|(_, value)| value.rows).sum();
        let tells = self.values.len() > 1 && is_few(together, rows, EXCEPTION_ONE_IN);
        all().filter(move |value| tells && rare(value))
    }

    /// Verdicts in capitals, such as `INCONSISTENT` if most rows say `consistent`, with their keys.
    pub(super) fn verdicts(&self, rows: usize) -> impl Iterator<Item = (u64, &Value)> {
        let is_usual = |value: &Value| !value.is_all_caps && value.rows * 2 >= rows;
        let is_calm = self.values.len() <= MAX_VERDICTS && self.values.iter().any(is_usual);
        let is_verdict =
            move |value: &Value| is_calm && value.is_all_caps && is_share(value.rows, rows, VERDICT_ONE_IN);
        self.keys.iter().copied().zip(&self.values).filter(move |(_, value)| is_verdict(value))
    }

    /// The rows with the two farthest numbers on each side, each with its rank (0 or 1). If many numbers are far,
    /// only a number that is much farther than the next.
    pub(super) fn farthest(&self, rows: usize) -> impl Iterator<Item = (usize, usize)> {
        let is_rare = is_few(self.outside, rows, RARE_ONE_IN);
        let stands_out = move |side: &[(f64, usize); 2]| {
            let [(first, place), (second, other)] = *side;
            let is_first = first > 0.0 && (is_rare || first > second * MUCH_FARTHER);
            [is_first.then_some((0, place)), (is_rare && second > 0.0).then_some((1, other))]
        };
        [&self.above, &self.below].into_iter().flat_map(stands_out).flatten()
    }

    /// The rows with the farthest numbers of a column in which at least four fifths are the same number, such as a
    /// counter that is mostly zero; and the row with the largest number if that is many times the median, such as the
    /// size of a file.
    pub(super) fn extremes(&self, rows: usize) -> impl Iterator<Item = usize> {
        let is_constant = self.range.as_ref().is_some_and(|range| range.start() == range.end());
        let is_extreme = is_constant && is_few(self.outside, rows, EXTREMES_ONE_IN);
        let end = self.range.as_ref().map_or(0.0, |range| *range.end());
        let is_largest = self.middle > 0.0 && end + self.above[0].0 >= self.middle * MUCH_LARGER;
        let farthest =
            |(side, is_asked): (&[(f64, usize); 2], bool)| (is_asked && side[0].0 > 0.0).then_some(side[0].1);
        [(&self.above, is_extreme || is_largest), (&self.below, is_extreme)].into_iter().filter_map(farthest)
    }

    /// The rows with the largest and the smallest number, if it is far from the next one.
    pub(super) fn alone(&self) -> impl Iterator<Item = usize> + use<> {
        self.ends.alone()
    }

    /// The rows before and after a counter decreases, as after a restart.
    pub(super) fn falls(&self, rows: usize) -> impl Iterator<Item = usize> {
        self.counter.falls(rows)
    }

    /// The first row of each new value of a column that is otherwise constant.
    pub(super) fn steps(&self, rows: usize) -> impl Iterator<Item = usize> {
        let is_enumerated = !self.has_many_values && self.values.len() > 1;
        self.steps.places(if is_enumerated { rows } else { 0 })
    }

    /// The rows with a form that few rows have, in a column of many different texts, with the keys of the forms.
    pub(super) fn outlier_forms(&self, rows: usize) -> impl Iterator<Item = (u64, &Value)> {
        let forms = self.forms.as_ref().filter(|forms| self.has_many_values && !forms.has_many_values);
        forms.into_iter().flat_map(move |forms| forms.rare(rows))
    }

    /// The rows with texts that begin or end differently from nearly all others.
    pub(super) fn affixes(&self) -> Vec<usize> {
        self.affixes.odd()
    }

    /// The rows with a value of another kind than nearly all others, such as the only address of a server.
    pub(super) fn other_kinds(&self) -> Vec<usize> {
        if self.has_many_values && self.kinds.all() >= RARE_ONE_IN { self.kinds.rare() } else { Vec::new() }
    }

    /// The rows without a number in a numeric column, and those with zero if all other numbers are far from zero.
    pub(super) fn outlier_numbers(&self, rows: usize) -> impl Iterator<Item = &Value> {
        let is_rare = |value: &Value| is_few(value.rows, rows, RARE_ONE_IN);
        let is_far = is_zero_far(self.least, self.middle)
            || self.range.is_some()
                && !self.counter.is_counter(rows)
                && (is_only_zero_far(self.zeros.rows, rows, self.least, self.middle)
                    || is_only_zero(self.zeros.rows, rows, self.small));
        let zeros = Some(&self.zeros).filter(|zeros| is_far && is_rare(zeros));
        let words = Some(&self.words).filter(|words| is_rare(words));
        zeros.into_iter().chain(words).filter(|value| value.rows > 0)
    }
}

/// The most values of a column that are sorted by kind. Bounds the work.
const MAX_OF_KINDS: usize = 1 << 12;

/// What a value names, by its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    /// `https://example.com`
    Address,
    /// `/usr/lib`, `~/x`
    Path,
    /// `ann@example.com`
    Mail,
    /// `[1, 2]`, `{a: 1}`, `|sort`, `$(date)`
    Code,
    Other,
}

impl ValueKind {
    fn of(field: &[u8]) -> Self {
        let text = match field {
            [b'"' | b'\'', inner @ ..] => inner,
            field => field,
        };
        match text {
            [b'/', b'a'..=b'z' | b'A'..=b'Z' | b'.', ..] | [b'~', b'/', ..] => Self::Path,
            [b'[' | b'{' | b'|', _, ..] | [b'$', b'(' | b'{', ..] => Self::Code,
            _ => match memchr::memchr2(b'@', b':', text) {
                Some(at) if text[at] == b':' && text[at..].starts_with(b"://") => Self::Address,
                Some(at) if text[at] == b'@' && at > 0 && text[at..].contains(&b'.') => Self::Mail,
                _ => Self::Other,
            },
        }
    }
}

/// Whether a field is one or more words in capitals.
fn is_all_caps(field: &[u8]) -> bool {
    const MIN_CAPITALS: usize = 3;
    field.iter().all(|b| b.is_ascii_uppercase() || matches!(b, b' ' | b'_' | b'-'))
        && field.iter().filter(|b| b.is_ascii_uppercase()).count() >= MIN_CAPITALS
}

/// Whether a field stands for a missing value.
fn is_no_value(field: &[u8]) -> bool {
    const MAX_WORD_BYTES: usize = 7;
    field.len() <= MAX_WORD_BYTES && NO_VALUES.iter().any(|word| field.eq_ignore_ascii_case(word))
}

/// The key of a field: equal for equal fields of a column, and almost certainly different for others.
fn key(field: &[u8], column: usize) -> u64 {
    // Most fields are short and are their own key, with the length in the highest byte. They are read as two halves:
    // reading eight bytes right after fewer were written there would stall.
    let len = field.len();
    let short = match (field.first_chunk::<4>(), field.last_chunk::<4>()) {
        (Some(first), Some(last)) if len < 8 => {
            let last = u64::from(u32::from_le_bytes(*last)) << ((len - 4) * 8);
            u64::from(u32::from_le_bytes(*first)) | last
        }
        (None, None) => match field {
            [] => 0,
            _ => u64::from(field[0]) | u64::from(field[len / 2]) << 8 | u64::from(field[len - 1]) << 16,
        },
        _ => return digest(field, column),
    };
    short | (len as u64) << 56
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::judge::number;
    use crate::text::maps::Set;

    #[test]
    fn fields_of_all_lengths_have_keys_of_their_own() {
        let fields = ["", "a", "b", "aa", "ab", "aaa", "aba", "aab", "baa", "aaaa", "aaab", "aaaaa", "aabaa"];
        let longer = ["aaaaaa", "baaaaa", "aaaaab", "aaaaaaa", "aaabaaa", "aaaaaab", "aaaaaaaa", "aaaaaaab"];
        let keys: Set<u64> = fields.iter().chain(&longer).map(|field| key(field.as_bytes(), 1)).collect();
        assert_eq!(keys.len(), fields.len() + longer.len());
    }

    /// The rows that stand out in a column of numbers.
    fn outliers(fields: &[String]) -> Vec<usize> {
        let numbers = fields.iter().filter_map(|field| number(field.as_bytes())).collect();
        let mut column = Column::with_sample(numbers, fields.len(), MIN_ROWS_FOR_EXCEPTION);
        fields.iter().enumerate().for_each(|(place, field)| column.observe(place, field.as_bytes(), 0));
        column.outlier_numbers(fields.len()).flat_map(|value| value.places().to_vec()).collect()
    }

    #[test]
    fn a_value_of_another_kind_stands_out() {
        let odd = |odd: &str| {
            let mut column = Column::default().with_forms();
            for place in 0..60 {
                let usual = [
                    "true".to_owned(),
                    format!("\"word {place}\""),
                    format!("{}", place * 7),
                    format!("x-{place}.y"),
                ];
                let field = if place == 33 { odd } else { &usual[place % 4] };
                column.observe(place, field.as_bytes(), 0);
            }
            column.other_kinds()
        };
        for other in ["\"http://registry.test/\"", "/tmp/x", "|/bin/core %p", "ann@corp.test", "$(date)"] {
            assert_eq!(odd(other), [33], "{other}");
        }
        assert_eq!(odd("word"), [0; 0]);
        assert_eq!(odd("12/24"), [0; 0]);
    }

    #[test]
    fn verdicts_in_capitals_stand_out() {
        let rare = |of: &dyn Fn(usize) -> &'static str| {
            let mut column = Column::default();
            (0..60).for_each(|place| column.observe(place, of(place).as_bytes(), 0));
            column.verdicts(60).map(|(_, value)| value.rows).collect::<Vec<_>>()
        };
        let verdict = |place: usize| match place % 6 {
            0 => "INCONSISTENT",
            1 if place < 30 => "NOT DERIVABLE",
            _ => "consistent",
        };
        assert_eq!(rare(&verdict), [10, 5]);
        // Not if all values are in capitals, or none.
        assert_eq!(rare(&|place| if place % 6 == 0 { "ERROR" } else { "INFO" }), [0; 0]);
        assert_eq!(rare(&|place| if place % 6 == 0 { "odd" } else { "even" }), [0; 0]);
    }

    #[test]
    fn a_word_or_a_zero_among_numbers() {
        let with = |odd: &str| -> Vec<String> {
            (0..30).map(|i| if i == 9 { odd.to_owned() } else { (70_000 + i * 31).to_string() }).collect()
        };
        for odd in ["NaN", "NULL", "-", "n/a", "0"] {
            assert_eq!(outliers(&with(odd)), [9], "{odd}");
        }
        assert_eq!(outliers(&with("70100")), [0; 0]);
        let times = |odd: &str| -> Vec<String> {
            (0..30).map(|i| if i == 29 { odd.to_owned() } else { format!("2025-10-{i:02}T") }).collect()
        };
        assert_eq!((outliers(&times("NULL")), outliers(&times("2025-11-02T"))), (vec![29], Vec::new()));
        // In a counter that starts at zero, zero is not odd.
        assert_eq!(outliers(&(0..30).map(|i| i.to_string()).collect::<Vec<_>>()), [0; 0]);
    }
}
