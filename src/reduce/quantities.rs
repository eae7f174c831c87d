//! Quantities in lines that are alike but for them: durations as programs write them, and which of many
//! numbers stand out. Lines that fold stay where theirs does.

/// A number is an outlier if it is more than this many times the median.
const STANDS_OUT: u64 = 8;
/// Digits that count, more than nanoseconds of any duration have.
const DIGITS: usize = 15;

const MICRO: u64 = 1_000;
/// Nanoseconds of a millisecond.
pub const MILLI: u64 = 1_000 * MICRO;
const SECOND: u64 = 1_000 * MILLI;

/// The nanoseconds of `12ms`, `1.5 seconds` or `1m30s`; a number without a unit counts milliseconds. `None`
/// for any other text.
pub fn nanoseconds(text: &[u8]) -> Option<u64> {
    let run = |text: &[u8], is: fn(&u8) -> bool| text.iter().take_while(|b| is(b)).count();
    let (mut rest, mut sum) = (text, 0u64);
    while !rest.is_empty() {
        let (whole, behind) = rest.split_at(run(rest, u8::is_ascii_digit));
        let (part, behind) = match behind {
            [b'.', digits @ ..] => digits.split_at(run(digits, u8::is_ascii_digit)),
            _ => (&[][..], behind),
        };
        let behind = behind.strip_prefix(b" ").unwrap_or(behind);
        let (word, behind) = behind.split_at(run(behind, |b| !b.is_ascii_digit()));
        let unit = unit(word)?;
        sum = sum.saturating_add(value(whole)?.saturating_mul(unit));
        let mut digit = unit;
        for b in part {
            digit /= 10;
            sum = sum.saturating_add(u64::from(b - b'0') * digit);
        }
        rest = behind;
    }
    (!text.is_empty()).then_some(sum)
}

fn value(digits: &[u8]) -> Option<u64> {
    let digits = Some(digits).filter(|d| (1..=DIGITS).contains(&d.len()))?;
    Some(digits.iter().fold(0, |sum, b| sum * 10 + u64::from(b - b'0')))
}

/// The nanoseconds of a unit.
fn unit(word: &[u8]) -> Option<u64> {
    Some(match word {
        b"ns" => 1,
        b"us" | b"\xC2\xB5s" => MICRO,
        b"" | b"ms" | b"msec" | b"msecs" | b"milliseconds" => MILLI,
        b"s" | b"sec" | b"secs" | b"second" | b"seconds" => SECOND,
        b"m" | b"min" | b"mins" | b"minutes" => 60 * SECOND,
        b"h" | b"hours" => 3600 * SECOND,
        _ => return None,
    })
}

/// The places of the numbers that are many times what most of them are, in order: the largest, `most` at
/// most. `least` is what a median of less counts as.
pub fn outliers(numbers: &[u64], least: u64, most: usize) -> Vec<usize> {
    let mut sorted = numbers.to_vec();
    if sorted.is_empty() {
        return Vec::new();
    }
    let middle = (sorted.len() - 1) / 2;
    let (_, median, _) = sorted.select_nth_unstable(middle);
    let limit = (*median).max(least).saturating_mul(STANDS_OUT);
    let mut out: Vec<usize> = (0..numbers.len()).filter(|i| numbers[*i] > limit).collect();
    if out.len() > most {
        out.select_nth_unstable_by_key(most, |i| (u64::MAX - numbers[*i], *i));
        out.truncate(most);
        out.sort_unstable();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_durations() {
        for (text, expected) in [
            ("12ms", Some(12 * MILLI)),
            ("12 ms", Some(12 * MILLI)),
            ("12", Some(12 * MILLI)),
            ("1.5 seconds", Some(1500 * MILLI)),
            ("1m30s", Some(90 * SECOND)),
            ("0.25us", Some(250)),
            ("3\u{b5}s", Some(3 * MICRO)),
            ("2h", Some(7200 * SECOND)),
            ("999999999999999 hours", Some(u64::MAX)),
            ("", None),
            ("ms", None),
            ("10:00:01", None),
            ("0x12", None),
            ("1.2.3", None),
            ("12345678901234567", None),
        ] {
            assert_eq!(nanoseconds(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn the_largest_stand_out() {
        assert_eq!(outliers(&[12, 12, 900, 12, 13], 1, 3), [2]);
        assert_eq!(outliers(&[900, 12, 800, 12, 13, 700, 12, 12], 1, 2), [0, 2]);
        assert_eq!(outliers(&[0, 0, 0, 9], 1, 3), [3]);
        assert_eq!(outliers(&[0, 0, 0, 9], 2, 3), [0; 0]);
        // As many of these as of those: none is out of line.
        assert_eq!(outliers(&[12, 900, 12, 900, 900], 1, 3), [0; 0]);
        assert_eq!(outliers(&[5, 5, 5, 5], 1, 3), [0; 0]);
        assert_eq!(outliers(&[], 1, 3), [0; 0]);
    }
}
