//! Reads durations as programs write them. Which of many durations stand out is judged by `text::judge`.

/// The most digits that are read, more than any duration has in nanoseconds.
const MAX_DIGITS: usize = 15;

const MICRO: u64 = 1_000;
/// Nanoseconds of a millisecond.
pub const MILLI: u64 = 1_000 * MICRO;
const SECOND: u64 = 1_000 * MILLI;

/// The nanoseconds of `12ms`, `1.5 seconds`, `1m30s` or `1 m 30 s`; a number without a unit counts milliseconds. `None`
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
        let unit = unit(word.trim_ascii_end())?;
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
    let digits = Some(digits).filter(|d| (1..=MAX_DIGITS).contains(&d.len()))?;
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
            ("1 m 30 s", Some(90 * SECOND)),
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
}
