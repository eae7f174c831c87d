//! Finds rows of a table (lines of which most have the same number of fields) that hold a rare value, or a number far
//! from the others in its column.

use std::ops::RangeInclusive;

use crate::pipeline::limit::candidate::{Candidate, MAX_LINES_PER_VALUE, digest};
use crate::text::details::likeness;
use crate::text::source::Source;

/// Fewer lines are no table.
const MIN_ROWS: usize = 20;
/// Longer texts are not looked at, in bytes.
const MAX_TEXT_BYTES: usize = 8 << 20;
/// Columns that are looked at.
const MAX_COLUMNS: usize = 24;
/// Lines by which the way of dividing is chosen, and the spread of numbers judged.
const SAMPLE_LINES: usize = 64;
/// Different values of a column above which they are no enumeration.
const MAX_VALUES: usize = 16;
/// A value or number is rare if at most 1 in 20 rows has it.
const RARE_ONE_IN: usize = 20;
/// A rare value has at most a fifth of the rows that a value of the column has on average.
const UNLIKE: usize = 5;
/// The rare rows of a column are at most 1 in 10 of its rows, all together.
const RARE_TOGETHER_ONE_IN: usize = 10;
/// A column is numeric if at most 1 in 10 of its fields, the header aside, is not a number.
const OTHERS_ONE_IN: usize = 10;
/// How far from the median, in median deviations, a number stands out.
const FAR_DEVIATIONS: f64 = 12.0;
/// How many times as far as the next one the farthest number is where many are far.
const MUCH_FARTHER: f64 = 8.0;

/// What divides the fields of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Divider {
    Bar(char),
    Tab,
    /// Two blanks or more.
    Wide,
    Blank,
}

impl Divider {
    /// The fields of a line, without blanks around them.
    fn fields<'a>(self, line: &'a str, out: &mut Vec<&'a [u8]>) {
        let trimmed = |field: &'a str| field.trim().as_bytes();
        out.clear();
        match self {
            Self::Bar(bar) => out.extend(line.split(bar).map(trimmed)),
            Self::Tab => out.extend(line.split('\t').map(trimmed)),
            Self::Wide => {
                out.extend(line.split("  ").map(trimmed).filter(|field| !field.is_empty()));
            }
            Self::Blank => words(line.as_bytes(), out),
        }
    }

    /// Whether a line has more than one field.
    fn divides(self, line: &str) -> bool {
        match self {
            Self::Bar(bar) => line.contains(bar),
            Self::Tab => line.contains('\t'),
            Self::Wide => line.contains("  "),
            Self::Blank => true,
        }
    }
}

/// The words of a line: what stands between blanks and other control characters of ASCII.
fn words<'a>(line: &'a [u8], out: &mut Vec<&'a [u8]>) {
    const LOW: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = LOW << 7;
    let mut start = 0;
    let mut add = |end: usize| {
        if end > start {
            out.push(&line[start..end]);
        }
        start = end + 1;
    };
    let (eights, rest) = line.as_chunks::<8>();
    for (at, eight) in eights.iter().enumerate() {
        let eight = u64::from_le_bytes(*eight);
        // The highest bit of each byte below 0x21: no borrow crosses, since the highest bits are set before.
        let mut found = !eight & HIGH & !((eight | HIGH) - LOW * 0x21);
        while found != 0 {
            add(at * 8 + found.trailing_zeros() as usize / 8);
            found &= found - 1;
        }
    }
    for (at, _) in rest.iter().enumerate().filter(|(_, b)| **b <= b' ') {
        add(eights.len() * 8 + at);
    }
    add(line.len());
}

/// A value of a column.
struct Value {
    rows: usize,
    /// The first of them.
    places: [usize; MAX_LINES_PER_VALUE],
}

impl Value {
    fn places(&self) -> &[usize] {
        &self.places[..self.rows.min(MAX_LINES_PER_VALUE)]
    }
}

/// What is known of a column.
#[derive(Default)]
struct Column {
    /// The different values, unless there are too many, and their keys, which are searched.
    values: Vec<Value>,
    keys: Vec<u64>,
    is_open: bool,
    /// Numbers inside it are common.
    range: Option<RangeInclusive<f64>>,
    /// Rows with other numbers, and the two farthest on both sides: how far, and the row.
    outside: usize,
    below: [(f64, usize); 2],
    above: [(f64, usize); 2],
}

impl Column {
    /// What the numbers in some rows have in common.
    fn with_sample(mut numbers: Vec<f64>, rows: usize) -> Self {
        let mut range = None;
        // A header is no number.
        if numbers.len() >= MIN_ROWS && (rows - numbers.len()).saturating_sub(1) * OTHERS_ONE_IN <= rows {
            let is_positive = numbers.iter().filter(|n| **n < 0.0).count() * RARE_ONE_IN <= numbers.len();
            let median = middle(&mut numbers);
            numbers.iter_mut().for_each(|n| *n = (*n - median).abs());
            let far = middle(&mut numbers) * FAR_DEVIATIONS;
            let least = if is_positive && median > 0.0 { (median - far).max(0.0) } else { median - far };
            range = Some(least..=median + far);
        }
        Self { range, ..Self::default() }
    }

    /// Whether a row can tell more of it.
    fn is_done(&self) -> bool {
        self.is_open && self.range.is_none()
    }

    /// Notes a row.
    fn look(&mut self, place: usize, field: &[u8], column: usize) {
        if !self.is_open {
            let key = key(field, column);
            match self.keys.iter().position(|known| *known == key) {
                Some(known) => {
                    let value = &mut self.values[known];
                    if let Some(free) = value.places.get_mut(value.rows) {
                        *free = place;
                    }
                    value.rows += 1;
                }
                None if self.values.len() == MAX_VALUES => {
                    self.is_open = true;
                    (self.values, self.keys) = (Vec::new(), Vec::new());
                }
                None => {
                    self.keys.push(key);
                    self.values.push(Value { rows: 1, places: [place; MAX_LINES_PER_VALUE] });
                }
            }
        }
        if let Some(range) = &self.range
            && let Some(number) = number(field).filter(|n| !range.contains(n))
        {
            self.outside += 1;
            let (side, far) = match number > *range.end() {
                true => (&mut self.above, number - range.end()),
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
    fn rare(&self, rows: usize) -> impl Iterator<Item = (u64, &Value)> {
        // Where many values are equally common, some are rarer by chance.
        let unlike = RARE_ONE_IN.max(self.values.len() * UNLIKE);
        let rare = move |(_, value): &(u64, &Value)| value.rows * unlike <= rows;
        let all = || self.keys.iter().copied().zip(&self.values);
        let together: usize = all().filter(rare).map(|(_, value)| value.rows).sum();
        let tells = self.values.len() > 1 && together * RARE_TOGETHER_ONE_IN <= rows;
        all().filter(move |value| tells && rare(value))
    }

    /// The rows with the farthest numbers: where many are far, only those that are much farther.
    fn farthest(&self, rows: usize) -> impl Iterator<Item = usize> {
        let is_rare = self.outside * RARE_ONE_IN <= rows;
        let stands_out = move |side: &[(f64, usize); 2]| {
            let [(first, place), (second, _)] = *side;
            (first > 0.0 && (is_rare || first > second * MUCH_FARTHER)).then_some(place)
        };
        [&self.above, &self.below].into_iter().filter_map(stands_out)
    }
}

/// Adds the rows that stand out.
pub fn find(source: &Source<'_>, lines: &[usize], out: &mut Vec<Candidate>) {
    if lines.len() < MIN_ROWS || source.text().len() > MAX_TEXT_BYTES {
        return;
    }
    let trials: Vec<&str> =
        lines.iter().step_by(lines.len().div_ceil(SAMPLE_LINES)).map(|line| source.line(*line)).collect();
    let Some((divider, count)) = divider(&trials) else { return };
    let mut columns = sampled(&trials, divider, count);
    let mut active: Vec<usize> = (0..columns.len()).collect();
    let mut fields = Vec::new();
    let (mut odd, mut others, mut rows) = (Vec::new(), 0, 0);
    for (place, line) in lines.iter().enumerate() {
        let line = source.line(*line);
        divider.fields(line, &mut fields);
        if fields.len() != count {
            if line.bytes().any(|b| b.is_ascii_alphabetic()) || !line.is_ascii() {
                others += 1;
                if odd.len() < MAX_LINES_PER_VALUE {
                    odd.push(place);
                }
            }
            continue;
        }
        rows += 1;
        let mut is_done = false;
        for &at in &active {
            columns[at].look(place, fields[at], at);
            is_done |= columns[at].is_done();
        }
        if is_done {
            active.retain(|at| !columns[*at].is_done());
        }
    }
    if rows < MIN_ROWS || rows * 4 < lines.len() * 3 {
        return;
    }
    let like = |place: usize| likeness(source.line(lines[place]));
    for (at, column) in columns.iter().enumerate() {
        for (key, value) in column.rare(rows) {
            let candidate = |(nth, &place)| {
                let key = like(place) ^ digest(&key.to_le_bytes(), at);
                Candidate { place, nth, count: value.rows, key, is_word: false }
            };
            out.extend(value.places().iter().enumerate().map(candidate));
        }
        out.extend(column.farthest(rows).map(|place| Candidate {
            place,
            nth: 0,
            count: 1,
            key: digest(&place.to_le_bytes(), at),
            is_word: false,
        }));
    }
    if others * RARE_TOGETHER_ONE_IN <= lines.len() {
        let candidate =
            |(nth, place)| Candidate { place, nth, count: others, key: like(place), is_word: true };
        out.extend(odd.into_iter().enumerate().map(candidate));
    }
}

/// The columns with what some lines tell of their numbers.
fn sampled(lines: &[&str], divider: Divider, count: usize) -> Vec<Column> {
    let mut numbers: Vec<Vec<f64>> = vec![Vec::new(); count.min(MAX_COLUMNS)];
    let mut fields = Vec::new();
    let mut rows = 0;
    for line in lines {
        divider.fields(line, &mut fields);
        if fields.len() == count {
            rows += 1;
            for (numbers, field) in numbers.iter_mut().zip(&fields) {
                // Not where too many were none.
                if (rows - numbers.len()) * OTHERS_ONE_IN <= lines.len() + 2 * OTHERS_ONE_IN {
                    numbers.extend(number(field));
                }
            }
        }
    }
    numbers.into_iter().map(|numbers| Column::with_sample(numbers, rows)).collect()
}

/// What divides most lines into as many fields, and how many.
fn divider(trials: &[&str]) -> Option<(Divider, usize)> {
    let mut fields = Vec::new();
    let mut most = |divider: Divider, least: usize| {
        if trials.iter().filter(|line| divider.divides(line)).count() * 4 < trials.len() * 3 {
            return None;
        }
        let mut counts: Vec<usize> = Vec::with_capacity(trials.len());
        for line in trials {
            divider.fields(line, &mut fields);
            counts.push(fields.len());
        }
        counts.sort_unstable();
        let (count, len) = counts.chunk_by(|a, b| a == b).map(|c| (c[0], c.len())).max_by_key(|c| c.1)?;
        (count >= least && len * 4 >= trials.len() * 3).then_some((divider, count))
    };
    most(Divider::Bar('|'), 2)
        .or_else(|| most(Divider::Bar('│'), 2))
        .or_else(|| most(Divider::Tab, 2))
        .or_else(|| most(Divider::Wide, 4))
        .or_else(|| most(Divider::Blank, 3))
        .or_else(|| most(Divider::Wide, 2))
        .or_else(|| most(Divider::Blank, 2))
}

/// What equal fields of a column share, and no two others but by chance.
fn key(field: &[u8], column: usize) -> u64 {
    // Most fields are short: those are their own key, with their length in the highest byte. They are read as
    // two halves: to read eight bytes right after fewer were copied there waits for the copy.
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

/// The number of a field: `12`, `-3.5`, `12ms`, `size=12`.
fn number(field: &[u8]) -> Option<f64> {
    const MAX_NUMBER_BYTES: usize = 32;
    let value = field.iter().rev().take(MAX_NUMBER_BYTES + 1).position(|b| *b == b'=').unwrap_or(field.len());
    let value = &field[field.len() - value..];
    let value = value.strip_prefix(b"$").unwrap_or(value);
    let starts = matches!(value.first()?, b'0'..=b'9' | b'-' | b'+' | b'.');
    if !starts || value.len() > MAX_NUMBER_BYTES {
        return None;
    }
    let is_unit = |b: &&u8| b.is_ascii_alphabetic() || matches!(b, b'%' | b',' | b';');
    let unit = value.iter().rev().take_while(is_unit).count();
    let digits = Some(&value[..value.len() - unit]).filter(|_| unit <= 3)?;
    if !digits.is_empty() && digits.len() <= 15 && digits.iter().all(u8::is_ascii_digit) {
        // Exact in a float, and faster than by the standard library.
        return Some(digits.iter().fold(0, |sum, b| sum * 10 + u64::from(b - b'0')) as f64);
    }
    std::str::from_utf8(digits).ok()?.parse().ok().filter(|n: &f64| n.is_finite())
}

/// The value in the middle. Changes the order.
fn middle(numbers: &mut [f64]) -> f64 {
    let half = numbers.len() / 2;
    *numbers.select_nth_unstable_by(half, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::maps::Set;

    /// The lines that stand out, in order.
    fn standing_out(text: &str) -> Vec<usize> {
        let source = Source::new(text);
        let lines: Vec<usize> = (0..source.len()).collect();
        let mut found = Vec::new();
        find(&source, &lines, &mut found);
        let mut places: Vec<usize> = found.iter().map(|c| c.place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    fn rows(odd: usize, row: &str, line: impl Fn(usize) -> String) -> String {
        (0..200).map(|i| if i == odd { format!("{row}\n") } else { line(i) + "\n" }).collect()
    }

    proptest! {
        #[test]
        fn words_are_what_stands_between_blanks(line in "(\\PC|[a-z]{0,9}|[ \t\r]){0,40}") {
            let mut found = Vec::new();
            words(line.as_bytes(), &mut found);
            let expected = line.as_bytes().split(|b| *b <= b' ').filter(|word| !word.is_empty());
            prop_assert_eq!(found, expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn fields_of_all_lengths_have_keys_of_their_own() {
        let fields = ["", "a", "b", "aa", "ab", "aaa", "aba", "aab", "baa", "aaaa", "aaab", "aaaaa", "aabaa"];
        let longer = ["aaaaaa", "baaaaa", "aaaaab", "aaaaaaa", "aaabaaa", "aaaaaab", "aaaaaaaa", "aaaaaaab"];
        let keys: Set<u64> = fields.iter().chain(&longer).map(|field| key(field.as_bytes(), 1)).collect();
        assert_eq!(keys.len(), fields.len() + longer.len());
    }

    #[test]
    fn rare_values_and_far_numbers() {
        for (row, of) in [
            ("prod    a-120     1/2    Running     0", "prod    a-{i}     1/1    Running     0"),
            ("| 120 | name 120 | frozen | 12 |", "| {i} | name {i} | active | 12 |"),
            ("| 120 | name 120 | active | -5000 |", "| {i} | name {i} | active | {i} |"),
            ("step 120 loss 999.0 time 1ms", "step {i} loss 0.{i} time 1ms"),
            ("120\tb\t90000kB", "{i}\tb\t{i}kB"),
            ("GET /a status=500 in 3ms", "GET /a status=200 in 3ms"),
            ("cannot say how many fields this has", "file {i} done"),
        ] {
            let text = rows(120, row, |i| of.replace("{i}", &i.to_string()));
            assert_eq!(standing_out(&text), [120], "{row}");
        }
    }

    #[test]
    fn what_is_common_or_never_the_same_does_not_stand_out() {
        for of in ["a {i} b", "name-{i} up {i}s", "| {i} | x{i} |"] {
            let text = rows(200, "", |i| of.replace("{i}", &i.to_string()));
            assert_eq!(standing_out(&text), [0; 0], "{of}");
        }
        // Sixteen values, each as common as the others.
        let text = rows(200, "", |i| format!("do {} now", i * 7 % 16));
        assert_eq!(standing_out(&text), [0; 0]);
        // Prose has no columns.
        let text: String = (0..100).map(|i| "word ".repeat(i % 9 + 1) + "\n").collect();
        assert_eq!(standing_out(&text), [0; 0]);
    }
}
