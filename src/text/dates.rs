//! Dates in fields, so that they can be compared like numbers: `2024-03-16`, `2024/03/16`, `2024-03-16T08:30:00Z`.

/// Bytes of a date without its time.
const DATE_BYTES: usize = b"2024-03-16".len();
/// Longest time after a date, with its zone, in bytes.
const MAX_TIME_BYTES: usize = 40;

/// The meaning of a field that has the form of a date.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Date {
    /// Days since the first of January 1970, with the time of the day as a fraction.
    Day(f64),
    /// No calendar has this date: `2024-13-05`, `0000-00-00`.
    Impossible,
}

/// The date that a field holds, with or without quotes and a time after it.
pub fn date(field: &[u8]) -> Option<Date> {
    let field = match field {
        [b'\'', inner @ .., b'\''] | [b'"', inner @ .., b'"'] => inner,
        _ => field,
    };
    let (head, rest) = field.split_first_chunk::<DATE_BYTES>()?;
    let date = day(head)?;
    match rest {
        [] => Some(date),
        [b'T' | b't' | b' ', time @ ..] if time.first()?.is_ascii_digit() && !has_words(time) => match date {
            Date::Day(day) => Some(Date::Day(day + time_of_day(time))),
            Date::Impossible => Some(date),
        },
        _ => None,
    }
}

/// Whether the text after a date is more than a time with its zone: the message of a log.
fn has_words(time: &[u8]) -> bool {
    time.len() > MAX_TIME_BYTES || time.iter().any(|b| b.is_ascii_lowercase() && *b != b'z')
}

/// The days of the first date in a text, such as the name of a file: `db-2024-03-16.sql`, `db_20240316.tar`.
pub fn day_inside(text: &[u8]) -> Option<f64> {
    const MIN_DATE_BYTES: usize = 8;
    if text.len() < MIN_DATE_BYTES {
        return None;
    }
    let runs = text.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    let mut at = 0;
    for run in runs {
        let start = at;
        at += run.len();
        let is_digits = run.first().is_some_and(u8::is_ascii_digit);
        let found = match (run, text.get(start..start + DATE_BYTES)) {
            ([y0, y1, y2, y3, m0, m1, d0, d1], _)
                if is_digits && matches!((y0, y1), (b'1', b'9') | (b'2', b'0')) =>
            {
                day(&[*y0, *y1, *y2, *y3, b'-', *m0, *m1, b'-', *d0, *d1])
            }
            ([_, _, _, _], Some(date))
                if is_digits && !text.get(start + DATE_BYTES).is_some_and(u8::is_ascii_digit) =>
            {
                date.first_chunk().and_then(day)
            }
            _ => None,
        };
        if let Some(Date::Day(day)) = found {
            return Some(day);
        }
    }
    None
}

/// Whether some date in a text is impossible.
pub fn has_impossible(text: &[u8]) -> bool {
    let is_digit = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(u8::is_ascii_digit);
    memchr::memchr_iter(b'-', text).any(|dash| {
        let start = dash.checked_sub(4);
        let found = start.and_then(|start| text.get(start..)?.first_chunk::<DATE_BYTES>());
        found.and_then(day) == Some(Date::Impossible)
            && !is_digit(start.and_then(|start| start.checked_sub(1)))
            && !is_digit(Some(dash + DATE_BYTES - 4))
    })
}

fn day(text: &[u8; DATE_BYTES]) -> Option<Date> {
    let [y0, y1, y2, y3, first, m0, m1, second, d0, d1] = *text;
    let digits = [y0, y1, y2, y3, m0, m1, d0, d1];
    if first != second || !matches!(first, b'-' | b'/') || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = |digits: &[u8]| digits.iter().fold(0_i64, |sum, b| sum * 10 + i64::from(b - b'0'));
    let (year, month, day) = (number(&digits[..4]), number(&digits[4..6]), number(&digits[6..]));
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(is_leap),
        _ => return Some(Date::Impossible),
    };
    if !(1..=days).contains(&day) {
        return Some(Date::Impossible);
    }
    // Years that start in March, so that the day of a leap year is the last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * month + 2) / 5 + day - 1;
    let since_march_0000 = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(Date::Day((since_march_0000 + of_year - 719_468) as f64))
}

/// A time of day such as `08:30:00` as a fraction of a day; seconds and minutes may be missing.
fn time_of_day(time: &[u8]) -> f64 {
    const UNITS: [f64; 3] = [24.0, 24.0 * 60.0, 24.0 * 3600.0];
    let parts = time.split(|b| *b == b':').zip(UNITS);
    let number = |part: &[u8]| {
        part.iter()
            .take_while(|b| b.is_ascii_digit())
            .take(2)
            .fold(0.0, |n, b| n * 10.0 + f64::from(b - b'0'))
    };
    parts.map(|(part, unit)| number(part) / unit).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_dates() {
        for (text, days) in [
            ("1970-01-01", 0.0),
            ("1969-12-31", -1.0),
            ("2000-02-29", 11_016.0),
            ("2024/03/16", 19_798.0),
            ("'2024-03-16'", 19_798.0),
            ("2024-03-16T12:00:00Z", 19_798.5),
            ("2024-03-16 06:00", 19_798.25),
            ("2024-03-16 12:00:00.5 +0200 CEST", 19_798.5),
        ] {
            assert_eq!(date(text.as_bytes()), Some(Date::Day(days)), "{text}");
        }
        for text in ["0000-00-00", "2024-13-05", "2023-02-29", "2024-04-31T08:00:00Z"] {
            assert_eq!(date(text.as_bytes()), Some(Date::Impossible), "{text}");
        }
        for text in [
            "",
            "2024-03",
            "2024-03/16",
            "2024-03-167",
            "2024-03-16-a",
            "a024-03-16",
            "2024-03-16T",
            "2024-03-16 06:00 INFO it went well",
        ] {
            assert_eq!(date(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn the_date_inside_a_name() {
        for name in ["db-2024-03-16.sql.gz", "2024-03-16", "/a1/db_20240316.tar", "v12-2024/03/16"] {
            assert_eq!(day_inside(name.as_bytes()), Some(19_798.0), "{name}");
        }
        for name in ["", "db-2024-13-16", "120240316", "2024-03-161", "31121999", "2024"] {
            assert_eq!(day_inside(name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn an_impossible_date_inside_a_text() {
        assert!(has_impossible(b"(417,'SKU-1',5,'2024-13-05'),"));
        for text in ["(417,'SKU-1',5,'2024-12-05'),", "12024-13-05", "2024-13-051", "a-b-c", ""] {
            assert!(!has_impossible(text.as_bytes()), "{text}");
        }
    }
}
