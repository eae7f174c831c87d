//! Readers that take the values of a series one by one and find those that stand out by their place in it.
//!
//! [`Gaps`] finds missing values, such as a day without a daily backup or a number in a sequence; only the rows
//! before and after show that one is missing. [`Counter`] finds where a counter starts again, [`Steps`] where a
//! setting changes for good, [`Ends`] a largest or smallest number that is far from all others, [`Affixes`] texts
//! that begin or end differently from the others. Their memory does not grow with the series.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use crate::text::dates::day_inside;
use crate::text::judge::{RARE_ONE_IN, is_few, is_id, number, value_of};

/// A series whose steps have more different lengths than this is not even.
const MAX_LENGTHS: usize = 4;
/// At most 1 in this many steps may differ from the usual one.
const UNEVEN_ONE_IN: usize = 20;
/// The most gaps that stand out, and the most that are remembered for one length.
const MAX_GAPS: usize = 2;
/// A longer jump, in usual steps, is not a gap.
const MAX_SKIPPED: f64 = 100.0;
/// A series may have this many fields without a number, or 1 in `MISSES_ONE_IN` if that is more.
const MAX_MISSES: usize = 4;
const MISSES_ONE_IN: usize = 16;

/// Steps of one length.
#[derive(Clone, Copy, Default)]
struct Step {
    length: f64,
    count: usize,
    /// The rows before and after the first steps of this length.
    places: [(usize, usize); MAX_GAPS],
}

/// Reads the fields of a column one by one and finds where its series skips some.
#[derive(Default)]
pub struct Gaps {
    last: Option<f64>,
    /// The name before the last number.
    name: u64,
    steps: [Step; MAX_LENGTHS],
    kinds: usize,
    rows: usize,
    misses: usize,
    is_uneven: bool,
}

impl Gaps {
    /// Adds a row. `above` is the row before it if that is the previous line of the source: lines that an earlier step
    /// left out are not missing.
    pub fn observe(&mut self, place: usize, above: Option<usize>, field: &[u8]) {
        let (name, number) = named_value(field);
        // Numbers that start again below another name are another series: `public[9]`, `private[0]`.
        if name != self.name && number <= self.last {
            self.last = None;
        }
        self.name = name;
        self.add(place, above, number);
    }

    /// Like [`Self::observe`], for a row whose number was already read.
    pub fn add(&mut self, place: usize, above: Option<usize>, number: Option<f64>) {
        if self.is_uneven {
            return;
        }
        self.rows += 1;
        let Some(value) = number else {
            self.last = None;
            self.misses += 1;
            self.is_uneven = self.misses > MAX_MISSES && self.misses * MISSES_ONE_IN > self.rows;
            return;
        };
        let (Some(last), Some(above)) = (self.last.replace(value), above) else { return };
        let length = value - last;
        let known = self.steps[..self.kinds].iter().position(|step| step.length == length);
        match known {
            None if self.kinds == MAX_LENGTHS => self.is_uneven = true,
            _ => {
                let at = known.unwrap_or(self.kinds);
                self.kinds = self.kinds.max(at + 1);
                let step = &mut self.steps[at];
                step.length = length;
                if let Some(free) = step.places.get_mut(step.count) {
                    *free = (above, place);
                }
                step.count += 1;
            }
        }
    }

    /// The rows before and after each gap, and those with the same number, if the series is even apart from them.
    pub fn places(&self) -> Vec<usize> {
        let steps = if self.is_uneven { &[] } else { &self.steps[..self.kinds] };
        let all: usize = steps.iter().map(|step| step.count).sum();
        let Some(usual) = steps.iter().max_by_key(|step| step.count) else { return Vec::new() };
        let others = all - usual.count;
        if let Some((before, after)) = swapped(steps, usual, all) {
            return vec![before, after];
        }
        if usual.length == 0.0 || others > MAX_GAPS || others * UNEVEN_ONE_IN > all {
            return Vec::new();
        }
        let gaps = || steps.iter().filter(|step| step.length != usual.length);
        // A series with a step back, a shorter one or a long jump is not an even series with missing values. A number may
        // occur twice.
        let skips =
            |step: &Step| step.length == 0.0 || (1.0..=MAX_SKIPPED).contains(&(step.length / usual.length));
        if !gaps().all(skips) {
            return Vec::new();
        }
        let places = gaps().flat_map(|step| &step.places[..step.count.min(MAX_GAPS)]);
        places.flat_map(|(before, after)| [*before, *after]).collect()
    }
}

/// The two rows that are swapped, if the series is even apart from them: `7 8 10 9 11`.
fn swapped(steps: &[Step], usual: &Step, all: usize) -> Option<(usize, usize)> {
    let of = |length: f64| steps.iter().find(|step| step.length == length);
    let (back, over) = (of(-usual.length)?, of(2.0 * usual.length)?);
    let is_even = (back.count, over.count) == (1, 2) && usual.count + 3 == all && 3 * UNEVEN_ONE_IN <= all;
    is_even.then(|| back.places[0])
}

/// The day of a field with a date, or its whole number; and a digest of the name before a number at its end.
fn named_value(field: &[u8]) -> (u64, Option<f64>) {
    let is_whole = |value: &f64| value.fract() == 0.0;
    // The day without the time, because a daily task does not start at the same second every day.
    match day_inside(field).or_else(|| number(field)) {
        Some(value) => (0, Some(value).filter(is_whole)),
        None => match last_number(field) {
            Some((name, value)) => (FixedState::with_seed(2).hash_one(name), Some(value).filter(is_whole)),
            None => (0, None),
        },
    }
}

/// The name and the number at its end: `shard-089`, `private[78]`, `subnet["az-7"]:`.
fn last_number(field: &[u8]) -> Option<(&[u8], f64)> {
    const MAX_DIGITS: usize = 9;
    const MAX_SIGNS: usize = 4;
    let is_closing = |b: &&u8| matches!(b, b']' | b')' | b'>' | b'}' | b'"' | b'\'' | b':' | b',' | b';');
    let signs = field.iter().rev().take(MAX_SIGNS).take_while(is_closing).count();
    let field = &field[..field.len() - signs];
    let digits = field.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let is_name = field.first()?.is_ascii_alphabetic() && (1..=MAX_DIGITS).contains(&digits);
    let (name, digits) = field.split_at(field.len() - digits);
    is_name.then(|| Some((name, number(digits)?))).flatten()
}

/// The largest or the smallest number is alone if its distance to the next one is at least this share of the range
/// of all others.
const ALONE_SHARE: f64 = 0.75;

/// Reads numbers one by one and finds the largest and the smallest if they are alone, such as the volume that is 99 % full among
/// volumes that are 20 to 60 % full.
#[derive(Debug, Default)]
pub struct Ends {
    /// The two largest and the two smallest numbers, each with its place.
    largest: [Option<(f64, usize)>; 2],
    smallest: [Option<(f64, usize)>; 2],
    count: usize,
}

impl Ends {
    /// Adds a number at a place.
    pub fn observe(&mut self, number: f64, place: usize) {
        self.count += 1;
        let put = |ends: &mut [Option<(f64, usize)>; 2], is_further: fn(f64, f64) -> bool| {
            let further = |end: Option<(f64, usize)>| end.is_none_or(|(end, _)| is_further(number, end));
            if further(ends[0]) {
                *ends = [Some((number, place)), ends[0]];
            } else if further(ends[1]) {
                ends[1] = Some((number, place));
            }
        };
        put(&mut self.largest, |a, b| a > b);
        put(&mut self.smallest, |a, b| a < b);
    }

    /// The places of the largest and the smallest number, if they are alone and there are at least `RARE_ONE_IN`
    /// numbers.
    pub fn alone(&self) -> impl Iterator<Item = usize> + use<> {
        let [largest, smallest] = [self.largest, self.smallest];
        let gap = |[end, next]: [Option<(f64, usize)>; 2], other: Option<(f64, usize)>| {
            let ((end, place), (next, _), (other, _)) = (end?, next?, other?);
            let range = (next - other).abs();
            (range > 0.0 && (end - next).abs() >= range * ALONE_SHARE).then_some(place)
        };
        let alone = [gap(largest, smallest[0]), gap(smallest, largest[0])];
        alone.into_iter().flatten().take(if self.count >= RARE_ONE_IN { 2 } else { 0 })
    }
}

/// The most places where a counter decreases; numbers with more of them are not a counter.
const MAX_FALLS: usize = 2;
/// Numbers are a counter if at most 1 in this many is not larger than the number before it.
const COUNTER_ONE_IN: usize = 20;

/// Reads numbers one by one and finds where a counter decreases, as after a restart.
#[derive(Debug, Default)]
pub struct Counter {
    /// The last number and its place; the increases; the decreases, whose first places are in `places`.
    last: Option<(f64, usize)>,
    /// Whether the last number has three decimals or more, as a time in seconds.
    is_exact: bool,
    ups: usize,
    falls: usize,
    /// The number before the last one; and, if the last number was a decrease, the number before it.
    before_last: Option<f64>,
    before_fall: Option<f64>,
    places: [(usize, usize); MAX_FALLS],
    /// Places with a number that is lower than both its neighbours.
    dips: usize,
    dip_places: [usize; MAX_FALLS],
}

impl Counter {
    /// Adds the next number, which the field writes.
    pub fn observe(&mut self, number: f64, field: &[u8], place: usize) {
        let is_exact = std::mem::replace(&mut self.is_exact, has_thousandths(field));
        let Some((last, before)) = self.last.replace((number, place)) else { return };
        self.ups += usize::from(number > last);
        // If the next number is as high again, the counter did not restart: only one row is odd. Nor did it if the
        // decrease follows a single high number. Only whole numbers and times count: 1.10 may well follow 1.9.
        let is_dip = self.before_fall.take().is_some_and(|high| number >= high);
        if is_dip {
            self.falls -= 1;
            if let Some(free) = self.dip_places.get_mut(self.dips) {
                *free = before;
            }
            self.dips += 1;
        }
        let is_whole = number.fract() == 0.0 && last.fract() == 0.0;
        if number < last
            && (is_whole || is_exact && self.is_exact)
            && self.before_last.is_none_or(|before| number < before)
        {
            if let Some(free) = self.places.get_mut(self.falls) {
                *free = (before, place);
            }
            self.falls += 1;
            self.before_fall = Some(last);
        }
        self.before_last = Some(last);
    }

    /// Whether nearly all numbers are larger than the number before them.
    pub fn is_counter(&self, numbers: usize) -> bool {
        self.falls + self.dips <= MAX_FALLS
            && (self.ups + self.dips + 1) * COUNTER_ONE_IN >= numbers * (COUNTER_ONE_IN - 1)
    }

    /// The places before and after each decrease, and those of single lower numbers, if the numbers are a counter.
    pub fn falls(&self, numbers: usize) -> impl Iterator<Item = usize> + use<> {
        let (falls, dips) = if self.is_counter(numbers) { (self.falls, self.dips) } else { (0, 0) };
        let falls = self.places.into_iter().take(falls).flat_map(|(before, after)| [before, after]);
        falls.chain(self.dip_places.into_iter().take(dips))
    }
}

/// Whether a number has three decimals or more: `12.000`, unlike the version `1.10`.
fn has_thousandths(field: &[u8]) -> bool {
    let is_digit = |b: &u8| b.is_ascii_digit();
    let digits = memchr::memchr(b'.', field)
        .map_or(0, |at| field[at + 1..].iter().take_while(|b| is_digit(b)).count());
    digits >= 3
}

/// The most changes of a setting, and the fewest values between two changes on average.
const MAX_STEPS: usize = 3;
const MIN_STEP_LENGTH: usize = 10;

/// Reads values one by one and finds where a constant value changes for good, such as a learning rate that is
/// lowered.
#[derive(Debug, Default)]
pub struct Steps {
    last: Option<u64>,
    changes: usize,
    /// The different values so far, if they are few; for each except the first, the place where it first occurred.
    seen: [u64; MAX_STEPS + 1],
    values: usize,
    places: [usize; MAX_STEPS],
}

impl Steps {
    /// Adds the next value, by its key.
    pub fn observe(&mut self, key: u64, place: usize) {
        self.changes += usize::from(self.last.replace(key).is_some_and(|last| last != key));
        if self.changes > MAX_STEPS || self.seen[..self.values].contains(&key) {
            return;
        }
        self.seen[self.values] = key;
        // The very first value is not a change.
        if let Some(free) = self.values.checked_sub(1).and_then(|at| self.places.get_mut(at)) {
            *free = place;
        }
        self.values += 1;
    }

    /// The first place of each new value.
    pub fn places(&self, values: usize) -> impl Iterator<Item = usize> + use<> {
        let is_setting = self.changes <= MAX_STEPS && values >= (self.changes + 1) * MIN_STEP_LENGTH;
        self.places.into_iter().take(if is_setting { self.values.saturating_sub(1) } else { 0 })
    }
}

/// The longest value whose parts are compared, in bytes, and how many parts are compared from its start and from its
/// end.
const MAX_PARTED_BYTES: usize = 256;
const FIRST_PARTS: usize = 6;
const LAST_PARTS: usize = 3;
/// The most different parts at one place, if nearly all are the same.
const MAX_PART_KINDS: usize = 4;
/// The fewest values that are compared; at least this many of 10 must have the usual part, and at most this many
/// another part. Choices.
const MIN_PARTED: usize = 12;
const USUAL_IN_TEN: usize = 9;
const MAX_ODD_PARTS: usize = 3;
/// A shorter number in a value is there by chance; a longer one may be an account or a project.
const MIN_ACCOUNT_BYTES: usize = 6;

/// Compares the parts of values that are all different, and finds the few that begin or end differently from nearly
/// all others: another scheme, server, account, first folder or domain.
#[derive(Debug)]
pub struct Affixes<P> {
    all: usize,
    parts: Vec<Part<P>>,
    is_closed: bool,
}

/// The parts at one place of the values.
#[derive(Debug)]
struct Part<P> {
    /// The different ones: how many values have each, and the places of the first of these.
    kinds: Vec<(u64, usize, [Option<P>; MAX_ODD_PARTS])>,
    count: usize,
    is_closed: bool,
}

impl<P> Default for Affixes<P> {
    fn default() -> Self {
        Self { all: 0, parts: Vec::new(), is_closed: false }
    }
}

impl<P> Default for Part<P> {
    fn default() -> Self {
        Self { kinds: Vec::new(), count: 0, is_closed: false }
    }
}

impl<P: Copy> Affixes<P> {
    /// Adds a value at a place.
    pub fn add(&mut self, value: &[u8], place: P) {
        if self.is_closed {
            return;
        }
        self.all += 1;
        if has_parts(value) {
            if self.parts.is_empty() {
                self.parts.resize_with(FIRST_PARTS + LAST_PARTS, Part::default);
            }
            let is_sign = |b: &u8| matches!(b, b':' | b'/' | b'@' | b'.' | b'=' | b'\\');
            let (first, last) = self.parts.split_at_mut(FIRST_PARTS);
            first.iter_mut().zip(value.split(is_sign)).for_each(|(part, text)| part.add(text, place));
            last.iter_mut().zip(value.rsplit(is_sign)).for_each(|(part, text)| part.add(text, place));
        }
        // No part is the same in nearly all values: the rest cannot change that.
        let is_hopeless = |part: &Part<P>| part.is_closed || part.count * 2 < self.all;
        if self.all.is_power_of_two() && self.all > MIN_PARTED && self.parts.iter().all(is_hopeless) {
            *self = Self { is_closed: true, ..Self::default() };
        }
    }

    /// Whether there may be values that begin or end differently.
    pub fn is_open(&self) -> bool {
        !self.is_closed
    }

    /// The places of the values that begin or end differently from nearly all others; a place may be listed twice.
    pub fn odd(&self) -> Vec<P> {
        let mut out = Vec::new();
        if self.all < MIN_PARTED {
            return out;
        }
        for part in self.parts.iter().filter(|part| !part.is_closed) {
            let Some(usual) = part.kinds.iter().map(|(_, count, _)| *count).max() else { continue };
            let others = part.count - usual;
            if usual * 10 >= self.all * USUAL_IN_TEN
                && others <= MAX_ODD_PARTS
                && is_few(others, self.all, RARE_ONE_IN)
            {
                let odd = part.kinds.iter().filter(|(_, count, _)| *count < usual);
                out.extend(odd.flat_map(|(_, _, places)| places.iter().flatten().copied()));
            }
        }
        out
    }
}

impl<P: Copy> Part<P> {
    fn add(&mut self, text: &[u8], place: P) {
        if self.is_closed {
            return;
        }
        self.count += 1;
        let is_short = text.len() < MIN_ACCOUNT_BYTES && text.iter().all(u8::is_ascii_digit);
        let is_by_chance =
            !text.is_empty() && (is_short || is_id(text) && !text.iter().all(u8::is_ascii_digit));
        let key = if is_by_chance { 0 } else { FixedState::with_seed(1).hash_one(text) | 1 };
        if let Some((_, count, places)) = self.kinds.iter_mut().find(|(known, _, _)| *known == key) {
            if let Some(free) = places.get_mut(*count) {
                *free = Some(place);
            }
            *count += 1;
        } else if self.kinds.len() == MAX_PART_KINDS {
            *self = Self { is_closed: true, ..Self::default() };
        } else {
            let mut places = [None; MAX_ODD_PARTS];
            places[0] = Some(place);
            self.kinds.push((key, 1, places));
        }
    }
}

/// Whether a value starts like a time: `10:02`, `[14/Nov/2025:10:02`.
fn starts_with_digit(value: &[u8]) -> bool {
    value.strip_prefix(b"[").unwrap_or(value).first().is_some_and(u8::is_ascii_digit)
}

/// Whether a value has parts worth comparing: it is not a sentence, a time or a number.
fn has_parts(value: &[u8]) -> bool {
    value.len() <= MAX_PARTED_BYTES
        && value.iter().any(|b| matches!(b, b':' | b'/' | b'@' | b'.'))
        && value.iter().any(u8::is_ascii_alphabetic)
        && !value.iter().any(u8::is_ascii_whitespace)
        && !(value.contains(&b':') && starts_with_digit(value_of(value)))
        && number(value).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_begin_or_end_otherwise() {
        let odd = |usual: &dyn Fn(usize) -> String, odd: &str| {
            let mut affixes = Affixes::default();
            (0..80).for_each(|i| affixes.add(if i == 33 { odd.to_owned() } else { usual(i) }.as_bytes(), i));
            let mut places = affixes.odd();
            places.dedup();
            places
        };
        let name = |i: usize| {
            ["elm", "oak", "fir", "ash", "yew", "birch"].map(|tree| format!("{tree}-{}", i / 6))[i % 6]
                .clone()
        };
        let cases: [(&dyn Fn(usize) -> String, &str); 9] = [
            (&|i| format!("{}@corp.test", name(i)), "pine@other.test"),
            (&|i| format!("/srv/{}/data", name(i)), "/tmp/pine/data"),
            (&|i| format!("{}.int.test", name(i)), "pine.ext.test"),
            (&|i| format!("reg.corp/{}:1.{i}.0", name(i)), "docker.io/pine:1.2.3"),
            (&|i| format!("reg.corp/{}:1.{i}.0", name(i)), "reg.corp/pine:latest"),
            (
                &|i| format!("arn:aws:iam::123456789012:role/{}", name(i)),
                "arn:aws:iam::999900001111:role/pine",
            ),
            (&|i| format!("https://{}.x.test/api", name(i)), "http://pine.x.test/api"),
            (&|i| format!("https://{}.x.test/api", name(i)), "https://pine.x.test:8443/api"),
            (&|i| format!("mail={}@corp.test", name(i)), "mail=pine@other.test"),
        ];
        for (usual, other) in cases {
            assert_eq!(odd(usual, other), [33], "{other}");
            assert_eq!(odd(usual, &usual(33)), [0; 0], "{other}");
        }
        // Times, numbers, sentences and ids; and two kinds that are both common.
        let none: [(&dyn Fn(usize) -> String, &str); 5] = [
            (&|i| format!("2026-11-28T10:{i:02}:00Z"), "2026-11-28T11:00:00Z"),
            (&|i| format!("{i}.5MB"), "7.25GB"),
            (&|i| format!("the path /srv/{i}"), "a path /tmp/1"),
            (&|i| format!("blob/{:07x}a1", i * 7919), "blob/0f1e2d3"),
            (&|i| format!("/{}/x{}", ["srv", "opt"][i % 2], name(i)), "/srv/x"),
        ];
        for (usual, other) in none {
            assert_eq!(odd(usual, other), [0; 0], "{other}");
        }
    }

    /// The lines next to a gap in any of the columns.
    fn outliers(text: &str) -> Vec<usize> {
        let mut columns: Vec<Gaps> = Vec::new();
        for (place, line) in text.lines().enumerate() {
            for (at, word) in line.split_whitespace().enumerate() {
                if columns.len() == at {
                    columns.push(Gaps::default());
                }
                columns[at].observe(place, place.checked_sub(1), word.as_bytes());
            }
        }
        let mut places: Vec<usize> = columns.iter().flat_map(Gaps::places).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    #[test]
    fn a_day_without_its_file() {
        let rows = |name: &dyn Fn(usize) -> String, missing: usize| -> String {
            (1..=28).filter(|day| *day != missing).map(|day| name(day) + "\n").collect()
        };
        let names: [&dyn Fn(usize) -> String; 3] = [
            &|day| format!("2024-02-{day:02} 03:0{}:10 80{}1 a{day}.gz", day % 7, day * 7 % 10),
            &|day| format!("-rw-r--r-- 1 root root 80{}1 Mar {day} db-2024-02-{day:02}.gz", day * 7 % 10),
            &|day| format!("copied db_202402{day:02}.tar to the store"),
        ];
        for name in names {
            assert_eq!(outliers(&rows(name, 17)), [15, 16]);
            assert_eq!(outliers(&rows(name, 99)), [0; 0]);
        }
        // A month ends in the middle of the series.
        let days = |i: usize| if i < 12 { 20_240_120 + i } else { 20_240_201 + i - 12 };
        let whole: String = (0..30).map(|i| format!("copy of {} made\n", days(i))).collect();
        assert_eq!(outliers(&whole), [0; 0], "{whole}");
    }

    #[test]
    fn a_number_missing_from_names() {
        let names: [&dyn Fn(usize) -> String; 4] = [
            &|i| format!("private[{i}]"),
            &|i| format!("node({i}): up"),
            &|i| format!("subnet[\"az-{i}\"] {}", i * i % 97),
            &|i| format!("ok shard<{i}>, fine"),
        ];
        for name in names {
            let rows = |to: usize, missing: usize| -> String {
                (0..to).filter(|i| *i != missing).map(|i| name(i) + "\n").collect()
            };
            assert_eq!(outliers(&rows(90, 40)), [39, 40], "{}", name(0));
            assert_eq!(outliers(&rows(90, 99)), [0; 0], "{}", name(0));
        }
        // Another name starts another series.
        let part = |name: &str, to: usize| (0..to).map(|i| format!("{name}[{i}]\n")).collect::<String>();
        let both = part("public", 30) + &part("private", 90);
        assert_eq!(outliers(&both), [0; 0]);
        assert_eq!(outliers(&both.replace("private[40]\n", "")), [69, 70]);
    }

    #[test]
    fn two_rows_in_each_others_place() {
        let number = |i: usize| match i {
            40 => 41,
            41 => 40,
            i => i,
        };
        let rows: String = (0..90).map(|i| format!("step-{:03}\n", number(i))).collect();
        assert_eq!(outliers(&rows), [40, 41]);
    }

    #[test]
    fn series_that_are_not_even_have_no_gap() {
        let text = |of: &dyn Fn(usize) -> usize| -> String {
            (0..80).map(|i| format!("row {} of it\n", of(i))).collect()
        };
        assert_eq!(outliers(&text(&|i| i + 3 * usize::from(i > 50))), [50, 51]);
        assert_eq!(outliers(&text(&|i| i - usize::from(i > 50))), [50, 51]);
        let named: String =
            (0..80).map(|i| format!("ok shard-{:03} rows={}\n", i - i / 60, i * i % 97)).collect();
        assert_eq!(outliers(&named), [59, 60]);
        // Working days, numbers by chance, and one number in all rows.
        assert_eq!(outliers(&text(&|i| i + i / 5 * 2)), [0; 0]);
        assert_eq!(outliers(&text(&|i| i * i % 97)), [0; 0]);
        assert_eq!(outliers(&text(&|_| 5)), [0; 0]);
    }

    #[test]
    fn a_setting_that_changes_for_good() {
        let places = |of: &dyn Fn(usize) -> u64| {
            let mut steps = Steps::default();
            (0..90).for_each(|i| steps.observe(of(i), i));
            steps.places(90).collect::<Vec<_>>()
        };
        assert_eq!(places(&|i| u64::from(i >= 40)), [40]);
        assert_eq!(places(&|i| (i / 30) as u64), [30, 60]);
        // The value after the change back was seen before.
        assert_eq!(places(&|i| u64::from(i == 40)), [40]);
        // It changes too often, or never.
        assert_eq!(places(&|i| (i / 9) as u64), [0; 0]);
        assert_eq!(places(&|_| 4), [0; 0]);
    }

    #[test]
    fn a_counter_that_falls() {
        let falls = |of: &dyn Fn(usize) -> f64| {
            let mut counter = Counter::default();
            (0..60).for_each(|i| counter.observe(of(i), b"", i));
            counter.falls(60).collect::<Vec<_>>()
        };
        assert_eq!(falls(&|i| if i < 30 { i as f64 } else { i as f64 - 25.0 }), [29, 30]);
        assert_eq!(falls(&|i| if i == 40 { 12.0 } else { i as f64 }), [40]);
        assert_eq!(falls(&|i| i as f64), [0; 0]);
        let times = |field: &str| {
            let mut counter = Counter::default();
            let of = |i: usize| i as f64 * 0.4 - if i == 40 { 9.0 } else { 0.0 };
            (0..60).for_each(|i| counter.observe(of(i), field.as_bytes(), i));
            counter.falls(60).collect::<Vec<_>>()
        };
        assert_eq!((times("0.400"), times("0.4")), (vec![40], vec![]), "only times have three decimals");
        assert_eq!(falls(&|i| (i % 7) as f64), [0; 0]);
    }

    #[test]
    fn a_number_alone_at_an_end() {
        let alone = |of: &dyn Fn(usize) -> f64| {
            let mut ends = Ends::default();
            (0..60).for_each(|i| ends.observe(of(i), i));
            ends.alone().collect::<Vec<_>>()
        };
        let usual = |i: usize| 20.0 + (i * 7 % 40) as f64;
        assert_eq!(alone(&usual), [0; 0]);
        assert_eq!(alone(&|i| if i == 30 { 99.98 } else { usual(i) }), [30]);
        assert_eq!(alone(&|i| if i == 30 { -20.0 } else { usual(i) }), [30]);
        // All others are equal, or there are two of them.
        assert_eq!(alone(&|i| if i == 30 { 99.0 } else { 1.0 }), [0; 0]);
        assert_eq!(alone(&|i| if i == 30 || i == 40 { 99.0 } else { usual(i) }), [0; 0]);
    }
}
