//! Decides which of many values stand out: rare values, and numbers that are far from the others.
//!
//! Every step that keeps outliers uses this module, so that "rare" and "far" mean the same in tables, logs and data.
//! The step decides what the values are, and how many outliers are kept. Time is linear in the number of values.

use std::hash::Hash;

use crate::text::dates::{Date, date, has_impossible};
use crate::text::maps::Map;

/// A value of an enumeration is rare if at most 1 in this many values equals it.
pub const RARE_ONE_IN: usize = 20;
/// Of values that are not an enumeration, and of all rare values together, at most 1 in this many may be exceptions.
pub const EXCEPTION_ONE_IN: usize = 10;
/// The most different values of an enumeration. If there are more, they are names, and none of them is rare.
pub const MAX_VALUES: usize = 16;
/// A number is far from the others if its distance to their median is more than this many median deviations.
const FAR_DEVIATIONS: f64 = 12.0;
/// A quantity is much larger than the others if it is more than this many times their median.
const MUCH_LARGER: u64 = 8;

/// Whether `count` is at most 1 in `one_in` of `all`.
pub fn is_share(count: usize, all: usize, one_in: usize) -> bool {
    count * one_in <= all
}

/// Whether `count` of `all` are few: at most 1 in `one_in`, or just one.
pub fn is_few(count: usize, all: usize, one_in: usize) -> bool {
    count == 1 || is_share(count, all, one_in)
}

/// The median of some numbers and their typical distance from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The median of the distances from the median.
    pub deviation: f64,
}

impl Spread {
    /// The spread of the numbers; `None` if there are none. Changes the numbers and their order.
    pub fn of(numbers: &mut [f64]) -> Option<Self> {
        let median = middle(numbers)?;
        numbers.iter_mut().for_each(|n| *n = (*n - median).abs());
        Some(Self { median, deviation: middle(numbers)? })
    }

    /// The distance from the median above which a number is far from the others.
    pub fn far(&self) -> f64 {
        self.deviation * FAR_DEVIATIONS
    }
}

/// The median; the upper one of two middle numbers. Changes the order.
fn middle(numbers: &mut [f64]) -> Option<f64> {
    let half = numbers.len() / 2;
    (!numbers.is_empty()).then(|| *numbers.select_nth_unstable_by(half, f64::total_cmp).1)
}

/// The indexes, in order, of the quantities that are much larger than the median: the `most` largest of them. A
/// median below `least` counts as `least`.
pub fn much_larger(quantities: &[u64], least: u64, most: usize) -> Vec<usize> {
    let mut sorted = quantities.to_vec();
    if sorted.is_empty() {
        return Vec::new();
    }
    let middle = (sorted.len() - 1) / 2;
    let (_, median, _) = sorted.select_nth_unstable(middle);
    let limit = (*median).max(least).saturating_mul(MUCH_LARGER);
    let mut out: Vec<usize> = (0..quantities.len()).filter(|i| quantities[*i] > limit).collect();
    if out.len() > most {
        out.select_nth_unstable_by_key(most, |i| (u64::MAX - quantities[*i], *i));
        out.truncate(most);
        out.sort_unstable();
    }
    out
}

/// The most places of a value that are remembered, and so the most that a rare value may have.
const MAX_RARE_PLACES: usize = 2;
/// A rare value occurs at most as often as the average value, divided by this: among many common values, some are
/// rarer by chance.
const RARE_SHARE: usize = 5;

/// How often each key occurs, with its first `N` places.
#[derive(Debug)]
pub struct Occurrences<K, const N: usize> {
    of: Map<K, (usize, [usize; N])>,
    most: usize,
}

impl<K: Eq + Hash, const N: usize> Occurrences<K, N> {
    /// Counts at most `keys` keys, which bounds the memory for a hostile text.
    pub fn at_most(keys: usize) -> Self {
        Self { of: Map::default(), most: keys }
    }

    /// Adds a key at a place. Returns false if it is not counted, because there are too many keys.
    pub fn add(&mut self, key: K, place: usize) -> bool {
        if self.of.len() >= self.most && !self.of.contains_key(&key) {
            return false;
        }
        let (count, places) = self.of.entry(key).or_insert((0, [place; N]));
        if let Some(free) = places.get_mut(*count) {
            *free = place;
        }
        *count += 1;
        true
    }

    /// The keys that occur at most `N` times: how often, and where. The rarest first, then in the order of places.
    pub fn into_rare(self) -> Vec<(usize, [usize; N])> {
        let mut rare: Vec<_> = self.of.into_values().filter(|(count, _)| *count <= N).collect();
        rare.sort_unstable();
        rare
    }
}

/// Counts the values of a column, as long as they are few enough to be an enumeration.
#[derive(Debug)]
pub struct Counted<V> {
    values: Vec<CountedValue<V>>,
    all: usize,
    is_open: bool,
}

#[derive(Debug)]
struct CountedValue<V> {
    value: V,
    count: usize,
    places: [usize; MAX_RARE_PLACES],
}

impl<V> Default for Counted<V> {
    fn default() -> Self {
        Self { values: Vec::new(), all: 0, is_open: false }
    }
}

impl<V: PartialEq> Counted<V> {
    /// Counts a value at a place.
    pub fn add(&mut self, value: V, place: usize) {
        if self.is_open {
            return;
        }
        self.all += 1;
        match self.values.iter().position(|known| known.value == value) {
            Some(known) => {
                let known = &mut self.values[known];
                if let Some(free) = known.places.get_mut(known.count) {
                    *free = place;
                }
                known.count += 1;
            }
            None if self.values.len() == MAX_VALUES => {
                self.is_open = true;
                self.values = Vec::new();
            }
            None => {
                self.values.push(CountedValue { value, count: 1, places: [place; MAX_RARE_PLACES] });
            }
        }
    }

    /// How many values were counted; 0 if they are not an enumeration.
    pub fn all(&self) -> usize {
        if self.is_open { 0 } else { self.all }
    }

    /// How many different values there are; 0 if they are not an enumeration.
    pub fn kinds(&self) -> usize {
        self.values.len()
    }

    /// The place of the only value that occurs once, if there is exactly one such value.
    pub fn single(&self) -> Option<usize> {
        let mut singles = self.values.iter().filter(|known| known.count == 1);
        singles.next().filter(|_| singles.next().is_none()).map(|known| known.places[0])
    }

    /// The places of values that occur once or twice, in order; none if too many values are that rare.
    pub fn rare(&self) -> Vec<usize> {
        let unlike = RARE_ONE_IN.max(self.values.len() * RARE_SHARE);
        let is_rare = |known: &&CountedValue<V>| {
            known.count <= MAX_RARE_PLACES
                && (is_share(known.count, self.all, unlike)
                    || known.count == 1 && is_share(1, self.all, RARE_ONE_IN))
        };
        let rare = self.values.iter().filter(is_rare);
        let mut out: Vec<usize> = rare.flat_map(|known| &known.places[..known.count]).copied().collect();
        if !is_few(out.len(), self.all, EXCEPTION_ONE_IN) {
            out.clear();
        }
        out.sort_unstable();
        out
    }
}

/// Zero is far from the other numbers if the smallest of them is more than the median divided by this.
const ZERO_ONE_IN: f64 = 10.0;
/// If the median is smaller, zero is not far.
const MIN_MEDIAN: f64 = 10.0;

/// Whether zero is far from numbers with this median, of which `least` is the smallest above zero.
pub fn is_zero_far(least: Option<f64>, median: f64) -> bool {
    median >= MIN_MEDIAN && least.is_some_and(|least| least * ZERO_ONE_IN > median)
}

/// A single zero is far from the other numbers if the smallest of them is at least `MIN_LEAST` and more than the
/// median divided by this, or by `ONLY_ZERO_ONE_IN_EACH` times their count if that is more: the smallest of many
/// numbers is small by chance.
const ONLY_ZERO_ONE_IN: f64 = 100.0;
const ONLY_ZERO_ONE_IN_EACH: f64 = 8.0;
const MIN_LEAST: f64 = 2.0;

/// Whether the only zero among `numbers` is far from them; `least` is the smallest above zero.
pub fn is_only_zero_far(zeros: usize, numbers: usize, least: Option<f64>, median: f64) -> bool {
    zeros == 1
        && is_share(zeros, numbers, RARE_ONE_IN)
        && median >= MIN_MEDIAN
        && least.is_some_and(|least| {
            let one_in = ONLY_ZERO_ONE_IN.max(numbers as f64 * ONLY_ZERO_ONE_IN_EACH);
            least >= MIN_LEAST && least * one_in > median
        })
}

/// Among at least this many numbers, a single zero also stands out if at least `MIN_SMALL` of them are from 1 to
/// `MAX_SMALL`.
const MIN_COUNTED: usize = 100;
/// The largest small number, and how many small numbers make them common.
const MAX_SMALL: f64 = 5.0;
const MIN_SMALL: usize = 8;

/// Whether a number is from 1 to `MAX_SMALL`.
pub fn is_small(number: f64) -> bool {
    (1.0..=MAX_SMALL).contains(&number)
}

/// Whether a zero is the only one although small numbers are common, such as the one empty shelf among shelves with 1
/// to 50 goods. `small` counts the `numbers` for which [`is_small`] holds.
pub fn is_only_zero(zeros: usize, numbers: usize, small: usize) -> bool {
    zeros == 1 && numbers >= MIN_COUNTED && small >= MIN_SMALL
}

/// The most bytes of a text that count for its form.
const MAX_FORM_BYTES: usize = 64;
/// A run of at least this many hexadecimal digits is an id.
const MIN_HEX_BYTES: usize = 7;

/// A run of at least this many equal digits means "no value": the commit or the digest that is all zeros. A text that has
/// zeros only needs fewer.
const MIN_EQUAL_BYTES: usize = 16;
const MIN_ZEROS: usize = 8;

/// Whether a run of letters and digits is a hexadecimal id, such as `908e986`, `EB855D0CA8` or `0x55d0aa10`, or a
/// number of that length.
pub fn is_id(run: &[u8]) -> bool {
    let (digits, least) = match run {
        [b'0', b'x', digits @ ..] => (digits, 1),
        _ => (run, MIN_HEX_BYTES),
    };
    digits.len() >= least
        && digits.iter().any(u8::is_ascii_digit)
        && (digits.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            || digits.iter().all(|b| matches!(b, b'0'..=b'9' | b'A'..=b'F')))
}

/// Whether a name consists of pieces of ids, such as `f7035d97-deed`, also after the letter that conda writes before
/// them, as in `hbb2b787_3`.
pub fn is_made_of_ids(name: &[u8]) -> bool {
    let is_id = |part: &[u8]| is_id(part) || part.strip_prefix(b"h").is_some_and(is_id);
    let parts = || name.split(|b| matches!(b, b'.' | b'-' | b'_'));
    parts().any(is_id) && parts().all(|part| is_id(part) || part.iter().all(u8::is_ascii_hexdigit))
}

/// Whether a name may be half of a hardware address: `e8bb.a551`.
pub fn is_half_address(name: &[u8]) -> bool {
    let mut parts = name.split(|b| matches!(b, b'.' | b'-'));
    parts.all(|part| matches!(part.len(), 2 | 4) && part.iter().all(u8::is_ascii_hexdigit))
}

/// Shortest text that may name one single thing. A choice: shorter ones are the same by chance.
const MIN_UNIQUE_BYTES: usize = 8;

/// Whether a text may name one single thing, so that it should not occur twice: an address, a digest, a name with a
/// number. Dates, times and numbers may be equal by chance.
pub fn may_be_unique(text: &[u8]) -> bool {
    let is_time = |b: &u8| b.is_ascii_digit() || matches!(b, b':' | b'-' | b',' | b'+' | b'.');
    text.len() >= MIN_UNIQUE_BYTES
        && text.iter().any(u8::is_ascii_digit)
        && !(text.contains(&b':') && text.iter().all(is_time))
        && number(text).is_none()
        && date(text).is_none()
}

/// The fewest different texts among which one equal pair stands out, and among which two do; the most pairs; and the
/// most texts that are remembered. Choices.
const MIN_DIFFERENT: [usize; MAX_PAIRS] = [20, 100];
const MAX_PAIRS: usize = 2;
const MAX_DIFFERENT: usize = 1 << 16;

/// Reads texts that should all be different, and finds the few that occur twice.
#[derive(Debug, Default)]
pub struct DuplicateFinder {
    seen: Map<u64, usize>,
    pairs: Vec<(usize, usize)>,
    is_closed: bool,
}

impl DuplicateFinder {
    /// Adds a text at a place, by its digest.
    pub fn add(&mut self, digest: u64, place: usize) {
        if self.is_closed {
            return;
        }
        if let Some(first) = self.seen.insert(digest, place) {
            self.pairs.push((first, place));
        }
        if self.pairs.len() > MAX_PAIRS || self.seen.len() == MAX_DIFFERENT {
            *self = Self { is_closed: true, ..Self::default() };
        }
    }

    /// Whether there may still be few pairs.
    pub fn is_open(&self) -> bool {
        !self.is_closed
    }

    /// The places of the two texts of each pair; empty if there are too few texts.
    pub fn pairs(&self) -> &[(usize, usize)] {
        let least = self.pairs.len().checked_sub(1).map_or(0, |at| MIN_DIFFERENT[at]);
        if self.seen.len() + 1 < least { &[] } else { &self.pairs }
    }
}

/// For each byte of a run of letters and digits its kind, 0 for others.
const KINDS: [u8; 256] = {
    let (mut kinds, mut b) = ([0; 256], 0);
    while b < kinds.len() {
        kinds[b] = match b as u8 {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'f' => LOWER_HEX,
            b'A'..=b'F' => UPPER_HEX,
            b'g'..=b'z' | b'G'..=b'Z' | 0x80.. => OTHER_LETTER,
            _ => 0,
        };
        b += 1;
    }
    kinds
};
const DIGIT: u8 = 1;
const LOWER_HEX: u8 = 2;
const UPPER_HEX: u8 = 4;
const OTHER_LETTER: u8 = 8;
const LOWER_ID: u8 = DIGIT | LOWER_HEX;
const UPPER_ID: u8 = DIGIT | UPPER_HEX;

/// The form of a text: its pattern of letters, digits and signs. `2024-03-22` and `2024-03-23` have the same form,
/// `03/22/2024` has another one. All texts with hexadecimal ids have the same form, and so have all with a date that no
/// calendar has, and all with an id of one digit only. Addresses of IPv4 have the same form if they begin with the same
/// number and have the same prefix length.
pub fn form(text: &[u8]) -> u64 {
    let text = &text[..text.len().min(MAX_FORM_BYTES)];
    let mix = |state: u64, byte: u8| (state.rotate_left(5) ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let (mut state, mut by_chance, mut is_empty) = (0xcbf2_9ce4_8422_2325_u64, false, false);
    let mut at = 0;
    while at < text.len() {
        let start = at;
        let (mut digits, mut kinds) = (0, 0);
        while let Some(kind) = text.get(at).map(|b| KINDS[usize::from(*b)]).filter(|kind| *kind != 0) {
            digits += usize::from(kind == DIGIT);
            kinds |= kind;
            at += 1;
        }
        if at == start {
            state = mix(state, text[at]);
            at += 1;
            continue;
        }
        let run = &text[start..at];
        // What `is_id` says, by what was seen already.
        by_chance |= match run {
            [b'0', b'x', ..] => is_id(run),
            _ => run.len() >= MIN_HEX_BYTES && matches!(kinds, DIGIT | LOWER_ID | UPPER_ID),
        };
        is_empty |=
            run.len() >= MIN_EQUAL_BYTES && run[0].is_ascii_digit() && run.iter().all(|b| *b == run[0]);
        state = mix(
            state,
            match digits {
                0 => b'a',
                _ if digits == run.len() => b'9',
                _ => b'x',
            },
        );
    }
    let value = value_of(text);
    is_empty |= value.len() >= MIN_ZEROS
        && value.iter().filter(|b| **b == b'0').count() >= MIN_ZEROS
        && !value.iter().any(|b| b.is_ascii_alphanumeric() && *b != b'0');
    match () {
        () if is_empty => 3,
        // The other parts of a text with an id or a date vary by chance too.
        () if by_chance => 1,
        () if has_impossible(text) => 2,
        () => network(text).map_or(state, |(first, length)| mix(mix(state, first), length)),
    }
}

/// The value of a field with a name, `ip=10.0.0.1`, or the field itself.
pub fn value_of(field: &[u8]) -> &[u8] {
    // Most fields are so short that a plain search is faster.
    let at = match field.len() {
        0..32 => field.iter().position(|b| *b == b'='),
        _ => memchr::memchr(b'=', field),
    };
    at.map_or(field, |at| &field[at + 1..])
}

/// The first number of an IPv4 address, which most addresses of one organization share, and its prefix length, 0 if
/// there is none. The address may have a port, quotation marks or a name.
fn network(text: &[u8]) -> Option<(u8, u8)> {
    let text = match value_of(text) {
        [b'"' | b'\'', inner @ .., b'"' | b'\''] => inner,
        value => value,
    };
    if !text.first()?.is_ascii_digit() {
        return None;
    }
    let end = text.iter().position(|b| matches!(b, b'/' | b':')).unwrap_or(text.len());
    let (address, behind) = text.split_at_checked(end)?;
    let is_number = |part: &[u8]| matches!(part.len(), 1..=3) && part.iter().all(u8::is_ascii_digit);
    let parts = || address.split(|b| *b == b'.');
    let is_address = parts().count() == 4 && parts().all(is_number);
    let is_end = behind.is_empty() || behind.len() > 1 && behind[1..].iter().all(u8::is_ascii_digit);
    let first = std::str::from_utf8(parts().next()?).ok()?;
    let length = behind.strip_prefix(b"/").and_then(|length| std::str::from_utf8(length).ok()?.parse().ok());
    (is_address && is_end).then(|| Some((first.parse().ok()?, length.unwrap_or(0))))?
}

/// The number in a field: `12`, `-3.5`, `size=12`, `grad_norm 1.2`; with units of bytes, time or others: `1.5GB`, `12ms`, `61.0°C`; in brackets:
/// `<0.000123>`, also of several words, as in `(12 kB)`; the days of a date.
pub fn number(field: &[u8]) -> Option<f64> {
    const MAX_NUMBER_BYTES: usize = 32;
    // A word without a value behind it.
    if field.first()?.is_ascii_alphabetic() && !field.iter().any(|b| matches!(b, b'=' | b' ')) {
        return None;
    }
    match date(value_of(field)) {
        Some(Date::Day(days)) => return Some(days),
        Some(Date::Impossible) => return None,
        None => {}
    }
    let field = match field {
        [b'<', inner @ .., b'>'] | [b'(', inner @ .., b')'] => inner,
        // The first or the last word in brackets: `[SELECT 910 in 6.40s]`, `(12 kB)`.
        [b'(' | b'[', inner @ ..] | [inner @ .., b')' | b']'] => inner,
        _ => field,
    };
    // If fields are not separated by blanks, a label may be part of each field: `Memory Size: 512 MB`.
    let is_named = field.first()?.is_ascii_alphabetic();
    let behind_label = if is_named { label_end(field) } else { None };
    let (field, is_named) = behind_label.map_or((field, is_named), |at| (&field[at + 2..], false));
    let is_before = |b: &u8| *b == b'=' || is_named && *b == b' ';
    let end = &field[field.len().saturating_sub(MAX_NUMBER_BYTES + 1)..];
    let value = end.iter().rposition(is_before).map_or(field, |before| &end[before + 1..]);
    let value = value.strip_prefix(b"$").unwrap_or(value);
    let starts = matches!(value.first()?, b'0'..=b'9' | b'-' | b'+' | b'.');
    if !starts || value.len() > MAX_NUMBER_BYTES {
        return None;
    }
    let value = value.strip_suffix(b",").or_else(|| value.strip_suffix(b";")).unwrap_or(value);
    // Also of other letters: `°C`, `µs`.
    let is_unit = |b: &u8| b.is_ascii_alphabetic() || *b == b'%' || !b.is_ascii();
    let digits = value.iter().rposition(|b| !is_unit(b)).map_or(0, |last| last + 1);
    let (digits, unit) = value.split_at_checked(digits).filter(|(_, unit)| unit.len() <= 3)?;
    // `214 GB`
    let digits = if unit.is_empty() { digits } else { digits.strip_suffix(b" ").unwrap_or(digits) };
    if !digits.is_empty() && digits.len() <= 15 && digits.iter().all(u8::is_ascii_digit) {
        // Exact in a float, and faster than the parser of the standard library.
        let number = digits.iter().fold(0, |sum, b| sum * 10 + u64::from(b - b'0'));
        return Some(number as f64 * scale(unit));
    }
    if let Some(number) = grouped(digits) {
        return Some(number * scale(unit));
    }
    // A test of the bytes rules out most words: no number that ends with a letter gets here.
    let may_be_float = digits.iter().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'));
    let float = || std::str::from_utf8(digits).ok()?.parse::<f64>().ok();
    match may_be_float.then(float).flatten() {
        Some(number) => Some(number * scale(unit)).filter(|n| n.is_finite()),
        None => duration(value),
    }
}

/// The place of the last `: `.
fn label_end(field: &[u8]) -> Option<usize> {
    memchr::memrchr_iter(b':', field).find(|at| field.get(at + 1) == Some(&b' '))
}

/// The milliseconds of a duration of several units, the largest first: `5m12s`, `1d3h`.
fn duration(text: &[u8]) -> Option<f64> {
    let (mut rest, mut sum, mut above) = (text, 0.0, f64::INFINITY);
    while !rest.is_empty() {
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let unit = rest[digits..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let is_time = matches!(&rest[digits..digits + unit], b"d" | b"h" | b"m" | b"s" | b"ms");
        let size = scale(&rest[digits..digits + unit]);
        if !(1..=9).contains(&digits) || !is_time || size >= above {
            return None;
        }
        sum += rest[..digits].iter().fold(0.0, |sum, b| sum * 10.0 + f64::from(b - b'0')) * size;
        (rest, above) = (&rest[digits + unit..], size);
    }
    Some(sum)
}

/// The unit after a number: `Mi` of `512Mi`.
pub fn unit(field: &[u8]) -> Option<&[u8]> {
    let is_unit = |b: &&u8| b.is_ascii_alphabetic() || **b == b'%' || !b.is_ascii();
    let len = field.iter().rev().take_while(is_unit).count();
    let (digits, unit) = field.split_at_checked(field.len() - len)?;
    let is_number =
        digits.iter().any(u8::is_ascii_digit) && digits.iter().all(|b| b.is_ascii_digit() || *b == b'.');
    (is_number && matches!(len, 1..=3)).then_some(unit)
}

/// A whole number with a comma between thousands: `93,086,800`.
fn grouped(digits: &[u8]) -> Option<f64> {
    digits.contains(&b',').then_some(())?;
    let mut number = 0.0;
    for (nth, group) in digits.split(|b| *b == b',').enumerate() {
        let is_group = if nth == 0 { (1..=3).contains(&group.len()) } else { group.len() == 3 };
        if !is_group || !group.iter().all(u8::is_ascii_digit) {
            return None;
        }
        number = group.iter().fold(number, |sum, b| sum * 10.0 + f64::from(b - b'0'));
    }
    Some(number)
}

/// The factor of a unit to bytes or milliseconds; 1 for other units. A column may mix units: `812MB`, `6.4GB`.
fn scale(unit: &[u8]) -> f64 {
    match unit {
        b"us" | b"\xc2\xb5s" | b"\xce\xbcs" => 1e-3,
        b"ns" => 1e-6,
        b"s" | b"sec" => 1e3,
        b"m" | b"min" => 60e3,
        b"h" => 3600e3,
        b"d" => 24.0 * 3600e3,
        [b'K' | b'k'] | [b'K' | b'k', b'B'] | [b'K' | b'k', b'i', ..] => 1024.0,
        [b'M'] | b"MB" | [b'M', b'i', ..] => 1024.0 * 1024.0,
        [b'G'] | b"GB" | [b'G', b'i', ..] => 1024.0 * 1024.0 * 1024.0,
        [b'T'] | b"TB" | [b'T', b'i', ..] => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_should_not_occur_twice() {
        for text in ["10.42.17.0/24", "d41d8cd98f00b204e9800998ecf8427e", "a90@example.com", "web-0001"] {
            assert!(may_be_unique(text.as_bytes()), "{text}");
        }
        for text in
            ["12345678", "2024-02-11", "09:41:12", "09:41:12.250", "web-1", "a long text", "12.345678ms"]
        {
            assert!(!may_be_unique(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn the_few_pairs() {
        let pairs = |all: u64, odd: &[(u64, u64)]| {
            let mut twice = DuplicateFinder::default();
            let text = |i: u64| odd.iter().find(|(place, _)| *place == i).map_or(i, |(_, text)| *text);
            (0..all).for_each(|i| twice.add(text(i), i as usize));
            twice.pairs().to_vec()
        };
        assert_eq!(pairs(30, &[(20, 4)]), [(4, 20)]);
        assert_eq!(pairs(120, &[(20, 4), (33, 9)]), [(4, 20), (9, 33)]);
        for (all, odd) in [(30, vec![]), (12, vec![(9, 4)]), (30, vec![(20, 4), (22, 9)])] {
            assert_eq!(pairs(all, &odd), [], "{odd:?}");
        }
        assert_eq!(pairs(400, &[(20, 4), (22, 4), (30, 4)]), []);
    }

    #[test]
    fn units_and_durations() {
        for (text, expected) in
            [("512Mi", Some("Mi")), ("41kB", Some("kB")), ("7%", Some("%")), ("1.5s", Some("s"))]
        {
            assert_eq!(unit(text.as_bytes()), expected.map(str::as_bytes), "{text}");
        }
        for text in ["512", "Mi", "web1", "1-2s", "2026-11-28T10:00:00Z", "12 apples"] {
            assert_eq!(unit(text.as_bytes()), None, "{text}");
        }
        for (text, expected) in [("5m12s", 312e3), ("1d3h", 27.0 * 3600e3), ("took=1h2m", 3720e3)] {
            assert_eq!(number(text.as_bytes()), Some(expected), "{text}");
        }
        for text in ["5m12", "5s12m", "m5s", "5x3y", "5m5m"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
        assert_eq!(number(b"Max Memory Used: 114 MB"), Some(114.0 * 1024.0 * 1024.0));
    }

    #[test]
    fn a_single_zero_beside_common_small_numbers() {
        assert!(is_only_zero(1, 120, 12) && !is_only_zero(2, 120, 12));
        assert!(!is_only_zero(1, 60, 12) && !is_only_zero(1, 120, 3));
        assert!(is_small(1.0) && is_small(5.0) && !is_small(0.0) && !is_small(0.5) && !is_small(6.0));
    }

    #[test]
    fn a_single_one_is_always_few() {
        for (count, all, few) in [(0, 5, true), (1, 5, true), (2, 5, false), (2, 40, true), (3, 40, false)] {
            assert_eq!(is_few(count, all, RARE_ONE_IN), few, "{count} of {all}");
        }
        assert!(!is_share(1, 19, RARE_ONE_IN) && is_share(1, 20, RARE_ONE_IN));
    }

    #[test]
    fn the_spread_is_that_of_most() {
        let spread = Spread::of(&mut [5.0, 4.0, 6.0, 1e9, 5.0]).unwrap();
        assert_eq!((spread.median, spread.deviation, spread.far()), (5.0, 1.0, 12.0));
        assert_eq!(Spread::of(&mut [7.0; 9]).unwrap().far(), 0.0);
        assert_eq!(Spread::of(&mut []), None);
    }

    proptest! {
        #[test]
        fn the_spread_does_not_depend_on_order(mut numbers in proptest::collection::vec(-1e6..1e6f64, 1..40)) {
            let mut reversed: Vec<f64> = numbers.iter().rev().copied().collect();
            prop_assert_eq!(Spread::of(&mut numbers), Spread::of(&mut reversed));
        }

        #[test]
        fn at_most_half_are_much_larger(quantities in proptest::collection::vec(0..1000u64, 0..40), most in 0..9usize) {
            let found = much_larger(&quantities, 1, most);
            prop_assert!(found.len() <= most.min(quantities.len() / 2) && found.is_sorted());
        }
    }

    #[test]
    fn values_that_one_or_two_have_are_rare() {
        let rare = |of: &dyn Fn(usize) -> usize| {
            let mut counted = Counted::default();
            (0..80).for_each(|place| counted.add(of(place), place));
            counted.rare()
        };
        assert_eq!(rare(&|i| if i == 7 { 9 } else { i % 4 }), [7]);
        assert_eq!(rare(&|i| if i % 40 == 7 { 9 } else { 0 }), [7, 47]);
        assert_eq!(rare(&|i| i % 4), [0; 0]);
        assert_eq!(rare(&|i| i), [0; 0]);
        // Many different values: none of them is an exception.
        assert_eq!(rare(&|i| if i % 6 == 0 { i } else { 0 }), [0; 0]);
    }

    #[test]
    fn forms_of_texts() {
        let same = |a: &str, b: &str| form(a.as_bytes()) == form(b.as_bytes());
        for (a, b) in [
            ("2024-03-22", "1999-12-01"),
            ("feat/00-events", "feat/12-billing"),
            ("908e986a", "17283940"),
            ("550e8400-e29b-41d4", "12345678-1234-9999"),
            ("Ünal", "Ana"),
            ("10.2.3.4", "10.20.30.40"),
        ] {
            assert!(same(a, b), "{a} {b}");
        }
        assert!(
            is_id(b"908e986")
                && is_id(b"0x1f")
                && is_id(b"EB855D0CA8")
                && !is_id(b"Ab12345")
                && !is_id(b"abcdefab")
                && !is_id(b"1234")
                && !is_id(b"a1b2c3g")
        );
        for (a, b) in [
            ("2024-03-22", "03/22/2024"),
            ("v1.44", "v1.44-rc1-broken"),
            ("EUR", "EUR "),
            ("", "a"),
            ("12", "twelve"),
            ("2024-03-22", "2024-13-22"),
            ("0f2cc575c29358d3ad0022eb930d2bbc", "00000000000000000000000000000000"),
            ("0f2cc575-c293-58d3-ad00-22eb930d2bbc", "00000000-0000-0000-0000-000000000000"),
            ("10.2.3.4", "203.0.113.9"),
            ("\"10.2.3.0/24\"", "\"0.0.0.0/0\""),
            ("ip=10.2.3.4", "ip=203.0.113.9"),
            ("id=0f2cc575-c293", "id=00000000-0000"),
        ] {
            assert!(!same(a, b), "{a} {b}");
        }
    }

    #[test]
    fn numbers_of_fields() {
        for (field, expected) in [
            ("12", 12.0),
            ("size=1.5K", 1536.0),
            ("<0.000123>", 0.000_123),
            ("<31.000211>", 31.000_211),
            ("(12ms)", 12.0),
            ("2 kB", 2048.0),
            ("1970-01-03", 2.0),
            ("93,086,800", 93_086_800.0),
            ("1,024K", 1_048_576.0),
        ] {
            assert_eq!(number(field.as_bytes()), Some(expected), "{field}");
        }
        for (field, expected) in [("+61.0\u{b0}C", 61.0), ("80.0\u{b0}C,", 80.0), ("9000\u{b5}s", 9.0)] {
            assert_eq!(number(field.as_bytes()), Some(expected), "{field}");
        }
        for field in ["", "<>", "<a>", "2024-13-05", "0000-00-00", "1.2.3", "1,2", "1000,200", ",100"] {
            assert_eq!(number(field.as_bytes()), None, "{field}");
        }
    }

    #[test]
    fn zero_among_numbers_far_from_it() {
        assert!(is_zero_far(Some(20.0), 25.0) && !is_zero_far(Some(1.0), 25.0) && !is_zero_far(None, 25.0));
        let is_zero = |zeros, numbers, least| is_only_zero_far(zeros, numbers, Some(least), 50.0);
        assert!(is_only_zero_far(1, 300, Some(2.0), 4000.0) && !is_only_zero_far(1, 30, Some(2.0), 4000.0));
        assert!(is_zero(1, 20, 2.0) && !is_zero(2, 90, 2.0) && !is_zero(1, 9, 2.0) && !is_zero(1, 20, 1.0));
    }

    #[test]
    fn the_largest_stand_out() {
        assert_eq!(much_larger(&[12, 12, 900, 12, 13], 1, 3), [2]);
        assert_eq!(much_larger(&[900, 12, 800, 12, 13, 700, 12, 12], 1, 2), [0, 2]);
        assert_eq!(much_larger(&[0, 0, 0, 9], 1, 3), [3]);
        assert_eq!(much_larger(&[0, 0, 0, 9], 2, 3), [0; 0]);
        // The large numbers are as many as the small ones: none stands out.
        assert_eq!(much_larger(&[12, 900, 12, 900, 900], 1, 3), [0; 0]);
        assert_eq!(much_larger(&[5, 5, 5, 5], 1, 3), [0; 0]);
        assert_eq!(much_larger(&[], 1, 3), [0; 0]);
    }
}
