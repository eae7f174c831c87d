//! Chooses the items of a long series that stay: the first, the last, those that the request asks for, and outliers. It is
//! the same for arrays, elements, rows and documents; each format writes them itself.
//!
//! Items that report a failure are not chosen here. The code for the format says which items must stay, and they stay
//! whatever the limit. Linear in the number of fields.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::stop;
use crate::text::judge::{
    DuplicateFinder, MAX_VALUES, RARE_ONE_IN, Spread, is_few, is_only_zero, is_only_zero_far, is_small,
    is_zero_far,
};
use crate::text::series::{Affixes, Counter, Gaps, Steps};
use crate::text::unlike::Unlike;

/// Fewest numbers of a field for which outliers are searched.
const MIN_NUMBERS: usize = 8;
/// Most fields whose numbers and words are examined. A text has several: itself, its form, its unit and others.
const MAX_FIELDS: usize = 320;
/// Most fields whose texts are compared part by part.
const MAX_PARTED_FIELDS: usize = 64;
/// Most fields of elements of lists that are examined by the name of the element.
const MAX_NAMED_FIELDS: usize = 64;

/// In a series of at least `MIN_ITEMS_FOR_OUTLIERS` items, outliers stay whatever the limit: `SHOWN_OUTLIERS` of them, one
/// more for each `ITEMS_PER_MORE_OUTLIER` items of the series, and at most `MAX_OUTLIERS`.
const MIN_ITEMS_FOR_OUTLIERS: usize = 6;
const SHOWN_OUTLIERS: usize = 4;
const ITEMS_PER_MORE_OUTLIER: usize = 20;
const MAX_OUTLIERS: usize = 8;
/// Most items with the same value that still count as outliers.
const MAX_SAME_OUTLIERS: usize = 3;
/// A word that occurs once stands out among at most `MAX_COMMON_VALUES` other words, if each of these occurs at least
/// this often.
const MIN_COMMON: usize = 10;
const MAX_COMMON_VALUES: usize = 8;
/// At least this many of 4 items must have the usual value.
const USUAL_IN_FOUR: usize = 3;

/// The value of a field, for comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// The digest of anything else.
    Word(u64),
    /// The form of a word: only compared if there are many different words. Also the keys of an object.
    Form(u64),
    /// The digest of a word that is different in each item, unless one occurs twice by mistake.
    Id(u64),
}

/// The properties of one item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Item {
    /// Digest of the set of its fields.
    pub shape: u64,
    /// How well it matches the request.
    pub score: u32,
    /// Whether it reports a failure.
    pub fails: bool,
}

/// A value, the index of its item, and its position, in any unit.
type Field = (u32, Value, u32);

/// The items of a series with their fields.
#[derive(Debug, Default)]
pub struct Series {
    items: Vec<Item>,
    /// For each field, in order of appearance.
    fields: Vec<Vec<Field>>,
    places: HashMap<u64, usize, FixedState>,
    /// How many fields belong to named elements of a list.
    named: usize,
    /// Fields whose texts are compared part by part: the start of each text, and its end.
    parted: Vec<Affixes<(u32, u32)>>,
    /// The same fields, by what their texts say.
    unlike: Vec<Unlike<(u32, u32)>>,
    parted_places: HashMap<u64, usize, FixedState>,
}

impl Series {
    /// Adds an item.
    pub fn push(&mut self, item: Item) {
        stop::check_sometimes();
        self.items.push(item);
    }

    /// Adds a field of the item that is pushed next.
    pub fn field(&mut self, name: u64, value: Value) {
        self.field_at(name, value, 0);
    }

    /// The same, with the position of its value.
    pub fn field_at(&mut self, name: u64, value: Value, at: u32) {
        self.put(name, value, at, self.fields.len() - self.named < MAX_FIELDS);
    }

    /// The same, for a field of an element of a list that has a name.
    pub fn field_of_named(&mut self, name: u64, value: Value, at: u32) {
        let before = self.fields.len();
        self.put(name, value, at, self.named < MAX_NAMED_FIELDS);
        self.named += self.fields.len() - before;
    }

    /// Adds a text of a field of the item that is pushed next, to be compared part by part and by what it says.
    pub fn text_at(&mut self, name: u64, text: &str, at: u32) {
        let Some(place) = self.parted_place(name) else { return };
        let at = (self.items.len() as u32, at);
        self.parted[place].add(text.as_bytes(), at);
        self.unlike[place].add_value(text, at);
    }

    /// Adds a percentage without its sign, of a field whose name has the sign.
    pub fn percentage_at(&mut self, name: u64, percentage: f64, at: u32) {
        if let Some(place) = self.parted_place(name) {
            self.unlike[place].add_percentage(percentage, (self.items.len() as u32, at));
        }
    }

    fn parted_place(&mut self, name: u64) -> Option<usize> {
        let next = self.parted.len();
        if next == MAX_PARTED_FIELDS && !self.parted_places.contains_key(&name) {
            return None;
        }
        let place = *self.parted_places.entry(name).or_insert(next);
        if place == next {
            self.parted.push(Affixes::default());
            self.unlike.push(Unlike::default());
        }
        Some(place)
    }

    fn put(&mut self, name: u64, value: Value, at: u32, may_grow: bool) {
        stop::check_sometimes();
        let next = self.fields.len();
        let place = match self.places.get(&name) {
            Some(place) => *place,
            None if may_grow => {
                self.places.insert(name, next);
                self.fields.push(Vec::new());
                next
            }
            None => return,
        };
        self.fields[place].push((self.items.len() as u32, value, at));
    }

    /// The items in the order in which limits keep them.
    pub fn rank(&self) -> Ranking {
        let fails = (0..self.items.len()).filter(|&i| self.items[i].fails);
        let mut standouts: Vec<u32> = one_of_each(&self.items, fails);
        standouts.extend(self.rare_shapes());
        // Takes the rarest word of each field first, so that a field with many rare words does not displace others.
        let mut of_fields: Vec<(usize, usize, u32)> = Vec::new();
        for field in &self.fields {
            stop::check();
            let numbers = outliers(field).into_iter().map(|item| (1, item));
            let words = rare_words(field, self.items.len()).into_iter().enumerate();
            of_fields.extend(words.map(|(nth, (count, item))| (nth, count, item)));
            of_fields.extend(numbers.enumerate().map(|(nth, (count, item))| (nth, count, item)));
        }
        of_fields.sort_by_key(|(nth, count, _)| (*nth, *count));
        standouts.extend(of_fields.into_iter().map(|(_, _, item)| item));
        let mut seen = vec![false; self.items.len()];
        standouts.retain(|&i| !std::mem::replace(&mut seen[i as usize], true));
        let mut matches: Vec<u32> = (0..self.items.len() as u32).collect();
        let best = self.items.iter().map(|item| item.score).max().unwrap_or(0);
        matches.retain(|&i| self.items[i as usize].score * 2 >= best.max(1));
        // The sort is stable: the first of equal items comes first.
        matches.sort_by_key(|&i| std::cmp::Reverse(self.items[i as usize].score));
        Ranking { len: self.items.len(), matches, standouts, outliers: self.outliers(), best: Vec::new() }
    }

    /// Outliers: items that differ from nearly all others in one field, with the position of the odd value. It may be
    /// the only different word or number, zero among numbers far from it, or a place where a counter falls. The
    /// clearest come first.
    pub fn outliers(&self) -> Vec<(u32, u32)> {
        let mut found: Vec<(usize, usize, (u32, u32))> = Vec::new();
        for field in &self.fields {
            stop::check();
            if self.items.len() < MIN_ITEMS_FOR_OUTLIERS || field.len() * 2 < self.items.len() {
                continue;
            }
            found.extend(
                outliers_of(field).into_iter().enumerate().map(|(nth, (count, at))| (nth, count, at)),
            );
        }
        for parted in self.parted.iter().filter(|_| self.items.len() >= MIN_ITEMS_FOR_OUTLIERS) {
            // Values that are odd as a whole come first.
            let odd = parted.odd().into_iter().enumerate();
            found.extend(odd.map(|(nth, at)| (nth, 3 * MAX_SAME_OUTLIERS, at)));
        }
        for unlike in self.unlike.iter().filter(|_| self.items.len() >= MIN_ITEMS_FOR_OUTLIERS) {
            let odd = unlike.places().into_iter().enumerate();
            found.extend(odd.map(|(nth, at)| (nth, MAX_SAME_OUTLIERS, at)));
        }
        found.sort_by_key(|(nth, count, _)| (*nth, *count));
        let most = (SHOWN_OUTLIERS + self.items.len() / ITEMS_PER_MORE_OUTLIER).min(MAX_OUTLIERS);
        let mut items: Vec<u32> = Vec::new();
        let is_of_first = |(_, _, (item, at)): (usize, usize, (u32, u32))| {
            if !items.contains(&item) {
                if items.len() == most {
                    return None;
                }
                items.push(item);
            }
            Some((item, at))
        };
        found.into_iter().filter_map(is_of_first).collect()
    }

    /// The first item of each rare shape.
    fn rare_shapes(&self) -> Vec<u32> {
        let mut counts: HashMap<u64, (usize, u32), FixedState> = HashMap::default();
        for (i, item) in (0u32..).zip(&self.items) {
            counts.entry(item.shape).or_insert((0, i)).0 += 1;
        }
        // If nearly every item has its own shape, no shape is rare.
        if counts.len() * 2 > self.items.len() {
            return Vec::new();
        }
        let mut rare: Vec<(usize, u32)> = counts.into_values().collect();
        rare.sort_unstable();
        rare.into_iter().map(|(_, first)| first).collect()
    }
}

/// The first failing item of each shape, then the other failing items.
fn one_of_each(items: &[Item], which: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut seen = Vec::new();
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for i in which {
        if seen.len() < MAX_VALUES && !seen.contains(&items[i].shape) {
            seen.push(items[i].shape);
            first.push(i as u32);
        } else {
            others.push(i as u32);
        }
    }
    first.extend(others);
    first
}

/// The odd values of a field: how many items have the value, the item, and the position.
fn outliers_of(field: &[Field]) -> Vec<(usize, (u32, u32))> {
    let number = |value: &Value| match value {
        Value::Number(n) => Some(*n),
        Value::Word(_) | Value::Form(_) | Value::Id(_) => None,
    };
    if let Some((_, Value::Id(_), _)) = field.first() {
        return duplicates_of(field);
    }
    let mut out: Vec<(usize, (u32, u32))> = Vec::new();
    let few = |count: usize| count <= MAX_SAME_OUTLIERS && is_few(count, field.len(), RARE_ONE_IN);
    let all_of = |count: usize, is: &dyn Fn(&Value) -> bool, out: &mut Vec<(usize, (u32, u32))>| {
        out.extend(field.iter().filter(|(_, value, _)| is(value)).map(|(item, _, at)| (count, (*item, *at))));
    };
    // Rare values of a field that has one usual value and few others.
    let mut values: Vec<(Value, usize)> = Vec::with_capacity(MAX_VALUES);
    let is_enumerated = field.iter().all(|(_, value, _)| {
        match values.iter().position(|(known, _)| known == value) {
            Some(known) => values[known].1 += 1,
            None if values.len() == MAX_VALUES => return false,
            None => values.push((*value, 1)),
        }
        true
    });
    if is_enumerated {
        let steps = steps_of(field).map(|place| (2 * MAX_SAME_OUTLIERS, (field[place].0, field[place].2)));
        out.extend(steps);
    }
    let most = values.iter().map(|(_, count)| *count).max().unwrap_or(0);
    if is_enumerated && most * 4 >= field.len() * USUAL_IN_FOUR {
        values.retain(|(_, count)| few(*count));
        values.sort_by_key(|(_, count)| *count);
        for (value, count) in values {
            // Values that only differ in form come later.
            let behind = if matches!(value, Value::Form(_)) { MAX_SAME_OUTLIERS } else { 0 };
            all_of(count + behind, &|other| *other == value, &mut out);
        }
        return out;
    }
    if is_enumerated && let Some((value, _)) = only_one(&values) {
        all_of(1 + 2 * MAX_SAME_OUTLIERS, &|other| *other == value, &mut out);
        return out;
    }
    let numbers: Vec<f64> = field.iter().filter_map(|(_, value, _)| number(value)).collect();
    // A number among words, or a word among numbers.
    let words = field.len() - numbers.len();
    if words > 0 && few(words) {
        all_of(words, &|value| number(value).is_none(), &mut out);
    } else if !numbers.is_empty() && few(numbers.len()) {
        all_of(numbers.len(), &|value| number(value).is_some(), &mut out);
    }
    let mut sorted = numbers.clone();
    let middle = Spread::of(&mut sorted).map_or(0.0, |spread| spread.median);
    let least = numbers.iter().copied().filter(|n| *n > 0.0).reduce(f64::min);
    let zeros = numbers.iter().filter(|n| **n == 0.0).count();
    let small = numbers.iter().filter(|n| is_small(**n)).count();
    let is_far = is_zero_far(least, middle)
        || is_only_zero_far(zeros, numbers.len(), least, middle)
        || is_only_zero(zeros, numbers.len(), small);
    if zeros > 0 && few(zeros) && is_far {
        all_of(zeros, &|value| number(value) == Some(0.0), &mut out);
    }
    let negative = numbers.iter().filter(|n| **n < 0.0).count();
    if negative > 0 && few(negative) {
        all_of(negative, &|value| number(value).is_some_and(|n| n < 0.0), &mut out);
    }
    if numbers.len() == field.len() {
        let mut counter = Counter::default();
        numbers.iter().enumerate().for_each(|(place, number)| counter.observe(*number, b"", place));
        let mut gaps = Gaps::default();
        for (place, number) in numbers.iter().enumerate() {
            let above = place.checked_sub(1).filter(|above| field[*above].0 + 1 == field[place].0);
            gaps.add(place, above, Some(*number).filter(|number| number.fract() == 0.0));
        }
        let places = counter.falls(numbers.len()).chain(gaps.places());
        out.extend(places.map(|place| (1, (field[place].0, field[place].2))));
    }
    out
}

/// The places in a field where its value changes for good, such as a new version.
fn steps_of(field: &[Field]) -> impl Iterator<Item = usize> + use<> {
    let mut steps = Steps::default();
    let mut values = 0;
    for (place, (_, value, _)) in field.iter().enumerate() {
        match value {
            Value::Number(number) => steps.observe(number.to_bits(), place),
            Value::Word(word) | Value::Id(word) => steps.observe(*word, place),
            // The word itself is another field.
            Value::Form(_) => continue,
        }
        values += 1;
    }
    steps.places(values)
}

/// The items with the same word as another one, where nearly all differ: the second ones, then the first.
fn duplicates_of(field: &[Field]) -> Vec<(usize, (u32, u32))> {
    let mut words = DuplicateFinder::default();
    for (place, (_, value, _)) in field.iter().enumerate() {
        if let Value::Id(word) = value {
            words.add(*word, place);
        }
    }
    let of = |place: usize| (2, (field[place].0, field[place].2));
    let seconds = words.pairs().iter().map(|(_, second)| of(*second));
    seconds.chain(words.pairs().iter().map(|(first, _)| of(*first))).collect()
}

/// The word that occurs once while each of a few others is common, such as a permission that only one role has.
fn only_one(values: &[(Value, usize)]) -> Option<(Value, usize)> {
    let is_common = |count: usize| count >= MIN_COMMON;
    let mut ones = values.iter().filter(|(_, count)| *count == 1);
    let one = ones.next().filter(|(value, _)| matches!(value, Value::Word(_)))?;
    let others = values.iter().filter(|(_, count)| is_common(*count)).count();
    (ones.next().is_none() && others + 1 == values.len() && (2..=MAX_COMMON_VALUES).contains(&others))
        .then_some(*one)
}

/// Each rare word of an enumeration: how often it occurs, and the first item with it.
fn rare_words(field: &[Field], items: usize) -> Vec<(usize, u32)> {
    let mut words: Vec<(u64, usize, u32)> = Vec::with_capacity(MAX_VALUES);
    let mut count = 0;
    for (item, value, _) in field {
        let Value::Word(word) = value else { continue };
        count += 1;
        match words.iter().position(|(known, _, _)| known == word) {
            Some(place) => words[place].1 += 1,
            None if words.len() == MAX_VALUES => return Vec::new(),
            None => words.push((*word, 1, *item)),
        }
    }
    // If most items lack the field, its presence is already part of the shape.
    if count * 2 < items || words.len() < 2 {
        return Vec::new();
    }
    words.retain(|(_, rows, _)| is_few(*rows, count.max(items), RARE_ONE_IN));
    words.sort_by_key(|(_, count, item)| (*count, *item));
    words.into_iter().map(|(_, count, item)| (count, item)).collect()
}

/// The items with the smallest and the largest number, if these are outliers.
fn outliers(field: &[Field]) -> Vec<u32> {
    let number = |(item, value, _): &Field| match value {
        Value::Number(n) if n.is_finite() => Some((*n, *item)),
        _ => None,
    };
    let numbers: Vec<(f64, u32)> = field.iter().filter_map(number).collect();
    if numbers.len() < MIN_NUMBERS {
        return Vec::new();
    }
    let mut all: Vec<f64> = numbers.iter().map(|(n, _)| *n).collect();
    let Some(spread) = Spread::of(&mut all) else { return Vec::new() };
    let order = |a: &&(f64, u32), b: &&(f64, u32)| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1));
    let ends = [numbers.iter().max_by(order), numbers.iter().rev().min_by(order)];
    let is_far = |n: f64| (n - spread.median).abs() > spread.far();
    // If most values are equal, different ones must be rare.
    let differ = numbers.iter().filter(|(n, _)| *n != spread.median).count();
    let any = spread.deviation > 0.0 || is_few(differ, numbers.len(), RARE_ONE_IN);
    // A few negative numbers among positive ones count as far from them, however small the distance is.
    let negative = numbers.iter().filter(|(n, _)| *n < 0.0).count();
    let is_negative = |n: f64| n < 0.0 && is_few(negative, numbers.len(), RARE_ONE_IN);
    ends.into_iter()
        .flatten()
        .filter(|(n, _)| any && is_far(*n) || is_negative(*n))
        .map(|(_, item)| *item)
        .collect()
}

/// See `Series::rank`.
#[derive(Debug)]
pub struct Ranking {
    len: usize,
    matches: Vec<u32>,
    standouts: Vec<u32>,
    /// Items that stay whatever the limit, with the position of the odd value.
    outliers: Vec<(u32, u32)>,
    /// All items, the best first, for a ranking by scores alone.
    best: Vec<u32>,
}

impl Ranking {
    /// A ranking by scores alone; the first of equal items comes first.
    pub fn by_score(scores: Vec<u32>) -> Self {
        let mut best: Vec<u32> = (0..scores.len() as u32).collect();
        best.sort_by_key(|&i| std::cmp::Reverse(scores[i as usize]));
        Self { len: scores.len(), matches: Vec::new(), standouts: Vec::new(), outliers: Vec::new(), best }
    }

    /// Which items stay under a limit, including those that stay under every limit.
    pub fn keep(&self, limit: usize) -> Vec<bool> {
        let mut keep = self.chosen(limit);
        self.outliers.iter().for_each(|(item, _)| keep[*item as usize] = true);
        keep
    }

    /// The outliers, and the positions of their odd values.
    pub fn outliers(&self) -> &[(u32, u32)] {
        &self.outliers
    }

    /// Which items a limit alone would keep.
    pub fn chosen(&self, limit: usize) -> Vec<bool> {
        let mut keep = vec![false; self.len];
        if self.len <= limit {
            keep.fill(true);
            return keep;
        }
        let limit = limit.max(1);
        if !self.best.is_empty() {
            self.best.iter().take(limit).for_each(|&i| keep[i as usize] = true);
            return keep;
        }
        let tail = usize::from(limit > 1).max(limit / 6);
        let least_head = (limit / 3).max(1);
        let mut left = limit;
        let mut take = |i: usize, left: &mut usize| {
            if *left > 0 && !std::mem::replace(&mut keep[i], true) {
                *left -= 1;
                return true;
            }
            false
        };
        (0..least_head).for_each(|i| {
            take(i, &mut left);
        });
        (self.len - tail..self.len).for_each(|i| {
            take(i, &mut left);
        });
        let mut room = limit / 3;
        for list in [&self.matches, &self.standouts] {
            for &i in list {
                if room == 0 {
                    break;
                }
                room -= usize::from(take(i as usize, &mut left));
            }
            room += limit / 4;
        }
        (least_head..self.len).take(left).for_each(|i| {
            take(i, &mut left);
        });
        // Earlier choices may already be in that run.
        let mut next = least_head;
        while left > 0 && next < self.len {
            take(next, &mut left);
            next += 1;
        }
        keep
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(n: usize, of: impl Fn(usize, &mut Series) -> Item) -> Ranking {
        let mut series = Series::default();
        for i in 0..n {
            let item = of(i, &mut series);
            series.push(item);
        }
        series.rank()
    }

    fn kept(ranking: &Ranking, limit: usize) -> Vec<usize> {
        ranking.chosen(limit).iter().enumerate().filter(|(_, kept)| **kept).map(|(i, _)| i).collect()
    }

    #[test]
    fn what_stands_out_stays() {
        let ranking = series(1000, |i, series| {
            series.field(1, Value::Number(if i == 700 { 1e6 } else { (i % 90) as f64 }));
            series.field(2, Value::Word(if i == 400 { 7 } else { (i % 3) as u64 }));
            // A steadily growing number has no outliers.
            series.field(3, Value::Number(i as f64));
            series.field(4, Value::Number(if i == 250 { -4.0 } else { (i % 90) as f64 }));
            Item { shape: u64::from(i == 500), score: u32::from(i == 600), fails: i == 300 }
        });
        for limit in [12, 24, 100] {
            let kept = kept(&ranking, limit);
            assert_eq!(kept.len(), limit);
            for i in [0, 1, 300, 400, 500, 600, 999] {
                assert!(kept.contains(&i), "{i} of {kept:?}");
            }
        }
        assert!(kept(&ranking, 24).contains(&700) && kept(&ranking, 24).contains(&250));
        assert_eq!(kept(&ranking, 1), [0]);
        assert_eq!(kept(&ranking, 2), [0, 999]);
        assert_eq!(kept(&ranking, 5000).len(), 1000);
    }

    #[test]
    fn what_is_unlike_all_others_stays_under_any_limit() {
        let odd = |i: usize, series: &mut Series| {
            series.field_at(1, Value::Number(if i == 40 { 0.0 } else { 3.0 }), i as u32);
            series.field(2, Value::Word(u64::from(i == 50)));
            series.field(3, Value::Number(if i == 60 { 0.0 } else { 20.0 + (i % 9) as f64 }));
            series.field(4, Value::Number(if i < 70 { i as f64 } else { i as f64 - 50.0 }));
            series.field(5, Value::Word(i as u64));
            Item::default()
        };
        let ranking = series(99, odd);
        let keep = ranking.keep(2);
        let kept: Vec<usize> = (0..99).filter(|i| keep[*i]).collect();
        for i in [0, 40, 50, 60, 98] {
            assert!(kept.contains(&i), "{i} of {kept:?}");
        }
        assert!(kept.len() <= 2 + MAX_OUTLIERS && ranking.outliers().contains(&(40, 40)), "{kept:?}");
        // Two values are equally frequent, or there are too few items.
        assert!(
            series(99, |i, s| {
                s.field(1, Value::Word((i % 2) as u64));
                Item::default()
            })
            .outliers
            .is_empty()
        );
        assert!(
            series(4, |i, s| {
                s.field(1, Value::Word(u64::from(i == 2)));
                Item::default()
            })
            .outliers
            .is_empty()
        );
    }

    #[test]
    fn the_first_item_with_a_new_value_stays_under_any_limit() {
        let ranking = series(99, |i, series| {
            series.field(1, Value::Number(if i < 42 { 0.3 } else { 0.03 }));
            series.field(2, Value::Word((i * 7 % 31) as u64));
            Item::default()
        });
        assert!(ranking.keep(2)[42]);
    }

    #[test]
    fn a_text_that_begins_otherwise_stays_under_any_limit() {
        let registry = |odd: &str| {
            let odd = odd.to_owned();
            series(99, move |i, series| {
                let text = if i == 60 { odd.clone() } else { format!("reg.corp/app-{i}:1.{i}") };
                series.text_at(1, &text, 1000 + i as u32);
                Item::default()
            })
        };
        assert_eq!(registry("docker.io/app:1.2").outliers().first(), Some(&(60, 1060)));
        assert!(registry("reg.corp/app:1.2").outliers().is_empty());
    }

    #[test]
    fn where_all_differ_none_stands_out() {
        let ranking = series(100, |i, series| {
            series.field(1, Value::Word(i as u64));
            Item { shape: i as u64, ..Item::default() }
        });
        assert!(ranking.standouts.is_empty());
        assert_eq!(kept(&ranking, 6), [0, 1, 2, 3, 4, 99]);
    }
}
