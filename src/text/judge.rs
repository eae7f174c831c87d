//! Judges which of many values stand out: the rare ones, and the numbers that are far from the others.
//!
//! Every step that keeps outliers asks here, so that "rare" and "far" mean the same in tables, logs and data. What the values
//! are, and how many of them stay, is decided by the step. Linear in the number of values.

/// A value of an enumeration is rare if at most 1 in this many has it.
pub const RARE_ONE_IN: usize = 20;
/// Of values that are not enumerated, and of all rare values together, at most 1 in this many may be exceptions.
pub const EXCEPTION_ONE_IN: usize = 10;
/// Most different values of an enumeration. With more, the values name something, and none of them is rare.
pub const MAX_VALUES: usize = 16;
/// A number is far from others if it is more than this many median deviations from their median.
const FAR_DEVIATIONS: f64 = 12.0;
/// A quantity is much larger than others if it is more than this many times their median.
const MUCH_LARGER: u64 = 8;

/// Whether `count` of `all` are at most 1 in `one_in`.
pub fn is_share(count: usize, all: usize, one_in: usize) -> bool {
    count * one_in <= all
}

/// Whether `count` of `all` are few: at most 1 in `one_in`, or a single one, however few there are.
pub fn is_few(count: usize, all: usize, one_in: usize) -> bool {
    count == 1 || is_share(count, all, one_in)
}

/// The median of some numbers and how far they are from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The median of the distances from the median.
    pub deviation: f64,
}

impl Spread {
    /// The spread of at least one number; `None` without any. Changes the numbers and their order.
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

/// The number in the middle, the upper one of two. Changes the order.
fn middle(numbers: &mut [f64]) -> Option<f64> {
    let half = numbers.len() / 2;
    (!numbers.is_empty()).then(|| *numbers.select_nth_unstable_by(half, f64::total_cmp).1)
}

/// The places of the quantities that are many times what most are, in order: the largest, `most` at most. A median below
/// `least` counts as `least`.
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

/// The number of a field: `12`, `-3.5`, `size=12`, `grad_norm 1.2`; with a unit in bytes or milliseconds: `1.5GB`, `12ms`.
pub fn number(field: &[u8]) -> Option<f64> {
    const MAX_NUMBER_BYTES: usize = 32;
    // A label before it is part of each field where something else than a blank divides them.
    let is_named = field.first()?.is_ascii_alphabetic();
    let is_before = |b: &u8| *b == b'=' || is_named && *b == b' ';
    let value = field.iter().rev().take(MAX_NUMBER_BYTES + 1).position(is_before).unwrap_or(field.len());
    let value = &field[field.len() - value..];
    let value = value.strip_prefix(b"$").unwrap_or(value);
    let starts = matches!(value.first()?, b'0'..=b'9' | b'-' | b'+' | b'.');
    if !starts || value.len() > MAX_NUMBER_BYTES {
        return None;
    }
    let is_unit = |b: &&u8| b.is_ascii_alphabetic() || matches!(b, b'%' | b',' | b';');
    let unit = value.iter().rev().take_while(is_unit).count();
    let (digits, unit) = value.split_at_checked(value.len() - unit).filter(|_| unit <= 3)?;
    if !digits.is_empty() && digits.len() <= 15 && digits.iter().all(u8::is_ascii_digit) {
        // Exact in a float, and faster than by the standard library.
        let number = digits.iter().fold(0, |sum, b| sum * 10 + u64::from(b - b'0'));
        return Some(number as f64 * scale(unit));
    }
    let number: f64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some(number * scale(unit)).filter(|n| n.is_finite())
}

/// How many bytes or milliseconds a unit is; 1 for one that is neither. One column may have several: `812MB`, `6.4GB`.
fn scale(unit: &[u8]) -> f64 {
    let unit = unit.strip_suffix(b",").or_else(|| unit.strip_suffix(b";")).unwrap_or(unit);
    match unit {
        b"us" => 1e-3,
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
    fn the_largest_stand_out() {
        assert_eq!(much_larger(&[12, 12, 900, 12, 13], 1, 3), [2]);
        assert_eq!(much_larger(&[900, 12, 800, 12, 13, 700, 12, 12], 1, 2), [0, 2]);
        assert_eq!(much_larger(&[0, 0, 0, 9], 1, 3), [3]);
        assert_eq!(much_larger(&[0, 0, 0, 9], 2, 3), [0; 0]);
        // As many of these as of those: none stands out.
        assert_eq!(much_larger(&[12, 900, 12, 900, 900], 1, 3), [0; 0]);
        assert_eq!(much_larger(&[5, 5, 5, 5], 1, 3), [0; 0]);
        assert_eq!(much_larger(&[], 1, 3), [0; 0]);
    }
}
