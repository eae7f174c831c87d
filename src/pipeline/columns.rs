//! Rows of columns in a text: lines of which most have as many fields. Which of them hold a value that few have
//! in its column, or a number far from the others.

use std::ops::RangeInclusive;

use super::details::likeness;
use super::outstanding::{Candidate, EACH, digest};
use super::source::Source;

/// Fewer lines are no table.
const LEAST_ROWS: usize = 20;
/// Longer texts are not looked at, in bytes.
const LIMIT: usize = 8 << 20;
/// Columns that are looked at.
const MAX_COLUMNS: usize = 24;
/// Lines by which the way of dividing is chosen.
const TRIALS: usize = 128;
/// Different values of a column above which they are no enumeration.
const MAX_VALUES: usize = 16;
/// A value or a number that at most one row in so many has is rare.
const RARE: usize = 20;
/// A rare value has at most one part in so many of what each value has on average.
const UNLIKE: usize = 5;
/// What is rare in a column is no more than one row in so many, together.
const RARE_TOGETHER: usize = 10;
/// Numbers by which the spread of a column is judged.
const SAMPLE: usize = 512;
/// How far from the median, in median deviations, a number stands out.
const FAR: f64 = 12.0;
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
    fn fields<'a>(self, line: &'a str, out: &mut Vec<&'a str>) {
        out.clear();
        match self {
            Self::Bar(bar) => out.extend(line.split(bar).map(str::trim)),
            Self::Tab => out.extend(line.split('\t').map(str::trim)),
            Self::Wide => {
                out.extend(line.split("  ").map(str::trim).filter(|field| !field.is_empty()));
            }
            Self::Blank => out.extend(line.split_ascii_whitespace()),
        }
    }
}

/// What is known of a column.
#[derive(Default)]
struct Column {
    /// Digests of the different values and how many rows have each, unless there are too many.
    values: Vec<(u64, usize)>,
    is_open: bool,
    sample: Vec<f64>,
    /// Numbers inside it are common.
    range: Option<RangeInclusive<f64>>,
    /// Rows with other numbers, and the two farthest on both sides: how far, and the row.
    outside: usize,
    below: [(f64, usize); 2],
    above: [(f64, usize); 2],
    /// Rows with each of the rare values: digest, how many have it, some of them.
    rare: Vec<(u64, usize, Vec<usize>)>,
}

impl Column {
    fn count(&mut self, value: u64) {
        if self.is_open {
            return;
        }
        match self.values.iter().position(|(known, _)| *known == value) {
            Some(known) => self.values[known].1 += 1,
            None if self.values.len() == MAX_VALUES => self.is_open = true,
            None => self.values.push((value, 1)),
        }
    }

    /// Judges the column by what was counted.
    fn judge(&mut self, rows: usize, sampled: usize) {
        if !self.is_open && self.values.len() > 1 {
            // Of many values that are as common as each other some are less so by chance.
            let unlike = RARE.max(self.values.len() * UNLIKE);
            let is_rare = |count: usize| count * unlike <= rows;
            let together: usize = self.values.iter().map(|(_, n)| *n).filter(|n| is_rare(*n)).sum();
            if together * RARE_TOGETHER <= rows {
                let rare = self.values.iter().filter(|(_, count)| is_rare(*count));
                self.rare = rare.map(|(value, count)| (*value, *count, Vec::new())).collect();
            }
        }
        // A header is no number.
        if self.sample.len() >= LEAST_ROWS && (self.sample.len() + 1) * 10 >= sampled * 9 {
            let is_positive = self.sample.iter().filter(|n| **n < 0.0).count() * RARE <= self.sample.len();
            let median = middle(&mut self.sample);
            self.sample.iter_mut().for_each(|n| *n = (*n - median).abs());
            let far = middle(&mut self.sample) * FAR;
            let least = if is_positive && median > 0.0 { (median - far).max(0.0) } else { median - far };
            self.range = Some(least..=median + far);
        }
        self.sample = Vec::new();
    }

    /// Notes what is rare about a row.
    fn look(&mut self, place: usize, field: &str, value: impl FnOnce() -> u64) {
        if !self.rare.is_empty() {
            let value = value();
            if let Some((_, _, places)) = self.rare.iter_mut().find(|(known, _, _)| *known == value)
                && places.len() < EACH
            {
                places.push(place);
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

    /// The rows with the farthest numbers: where many are far, only those that are much farther.
    fn farthest(&self, rows: usize) -> impl Iterator<Item = usize> {
        let is_rare = self.outside * RARE <= rows;
        let stands_out = move |side: &[(f64, usize); 2]| {
            let [(first, place), (second, _)] = *side;
            (first > 0.0 && (is_rare || first > second * MUCH_FARTHER)).then_some(place)
        };
        [&self.above, &self.below].into_iter().filter_map(stands_out)
    }
}

/// Adds the rows that stand out.
pub fn find(source: &Source<'_>, lines: &[usize], out: &mut Vec<Candidate>) {
    if lines.len() < LEAST_ROWS || source.text().len() > LIMIT {
        return;
    }
    let Some((divider, count)) = divider(source, lines) else { return };
    let mut columns: Vec<Column> = Vec::new();
    columns.resize_with(count.min(MAX_COLUMNS), Column::default);
    let step = lines.len().div_ceil(SAMPLE);
    let mut fields = Vec::new();
    let (mut rows, mut sampled) = (0, 0);
    for line in lines {
        divider.fields(source.line(*line), &mut fields);
        if fields.len() != count {
            continue;
        }
        let is_sampled = rows % step == 0;
        rows += 1;
        sampled += usize::from(is_sampled);
        for (place, (column, field)) in columns.iter_mut().zip(&fields).enumerate() {
            if !column.is_open {
                column.count(digest(field.as_bytes(), place));
            }
            if is_sampled {
                column.sample.extend(number(field));
            }
        }
    }
    if rows < LEAST_ROWS || rows * 4 < lines.len() * 3 {
        return;
    }
    columns.iter_mut().for_each(|column| column.judge(rows, sampled));
    let mut odd = Vec::new();
    let mut others = 0;
    for (place, line) in lines.iter().enumerate() {
        let line = source.line(*line);
        divider.fields(line, &mut fields);
        if fields.len() != count {
            if line.bytes().any(|b| b.is_ascii_alphabetic()) || !line.is_ascii() {
                others += 1;
                if odd.len() < EACH {
                    odd.push(place);
                }
            }
            continue;
        }
        for (i, (column, field)) in columns.iter_mut().zip(&fields).enumerate() {
            column.look(place, field, || digest(field.as_bytes(), i));
        }
    }
    let like = |place: usize| likeness(source.line(lines[place]));
    for (i, column) in columns.iter_mut().enumerate() {
        for (value, count, places) in std::mem::take(&mut column.rare) {
            let candidate = |(nth, place)| {
                let key = like(place) ^ value;
                Candidate { place, nth, count, key, is_word: false }
            };
            out.extend(places.into_iter().enumerate().map(candidate));
        }
        out.extend(column.farthest(rows).map(|place| Candidate {
            place,
            nth: 0,
            count: 1,
            key: digest(&place.to_le_bytes(), i),
            is_word: false,
        }));
    }
    if others * RARE_TOGETHER <= lines.len() {
        let candidate =
            |(nth, place)| Candidate { place, nth, count: others, key: like(place), is_word: true };
        out.extend(odd.into_iter().enumerate().map(candidate));
    }
}

/// What divides most lines into as many fields, and how many.
fn divider(source: &Source<'_>, lines: &[usize]) -> Option<(Divider, usize)> {
    let trials: Vec<&str> =
        lines.iter().step_by(lines.len().div_ceil(TRIALS)).map(|line| source.line(*line)).collect();
    let mut fields = Vec::new();
    let mut most = |divider: Divider, least: usize| {
        let mut counts: Vec<usize> = Vec::with_capacity(trials.len());
        for line in &trials {
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

/// The number of a field: `12`, `-3.5`, `12ms`, `size=12`.
fn number(field: &str) -> Option<f64> {
    let text = field.rsplit_once('=').map_or(field, |(_, value)| value);
    let text = text.strip_prefix('$').unwrap_or(text);
    let bytes = text.as_bytes();
    let starts = bytes.first().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.'));
    if !starts || bytes.len() > 32 {
        return None;
    }
    let unit = |c: char| c.is_ascii_alphabetic() || matches!(c, '%' | ',' | ';');
    let digits = text.trim_end_matches(unit);
    (text.len() - digits.len() <= 3).then(|| digits.parse().ok()).flatten().filter(|n: &f64| n.is_finite())
}

/// The value in the middle. Changes the order.
fn middle(numbers: &mut [f64]) -> f64 {
    let half = numbers.len() / 2;
    *numbers.select_nth_unstable_by(half, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

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
