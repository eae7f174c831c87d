//! Time stamps as logs write them, read byte by byte: no regular expression runs at every position of a line.
//!
//! A stamp has seconds: `Jan  2 10:00` is what listings write, not logs.

fn is_month(name: &[u8]) -> bool {
    matches!(
        name,
        b"Jan"
            | b"Feb"
            | b"Mar"
            | b"Apr"
            | b"May"
            | b"Jun"
            | b"Jul"
            | b"Aug"
            | b"Sep"
            | b"Oct"
            | b"Nov"
            | b"Dec"
    )
}

fn is_day(name: &[u8]) -> bool {
    matches!(name, b"Mon" | b"Tue" | b"Wed" | b"Thu" | b"Fri" | b"Sat" | b"Sun")
}

/// The end of the time stamp that starts at `at`, if one does.
pub fn end(line: &[u8], at: usize) -> Option<usize> {
    let first = *line.get(at)?;
    match first {
        b'0'..=b'9' => {
            // Characters that continue neither a clock nor a date.
            if !matches!(line.get(digits(line, at).1)?, b':' | b'-' | b'/' | b'.' | b' ' | b'T' | b'_') {
                return None;
            }
            if let Some(end) = clock(line, at) {
                return Some(end);
            }
            let date = date(line, at)?;
            clock(line, separator(line, date)?)
        }
        b'A'..=b'Z' => {
            let name = line.get(at..at + 3).filter(|name| name[1].is_ascii_lowercase())?;
            let at = match is_day(name) {
                true => blanks(line, at + 3 + usize::from(line.get(at + 3) == Some(&b',')))?,
                false => at,
            };
            let date = match is_month(line.get(at..at + 3)?) {
                true => {
                    let day = blanks(line, at + 3)?;
                    let (1..=2, end) = digits(line, day) else { return None };
                    end
                }
                false => date(line, at)?,
            };
            let end = clock(line, separator(line, date)?)?;
            // `Sun Dec 04 04:47:44 2005`
            let year = blanks(line, end).map(|year| (year, digits(line, year)));
            Some(
                year.filter(|(year, (n, _))| *n == 4 && line[*year] == b'2').map_or(end, |(_, (_, end))| end),
            )
        }
        _ => None,
    }
}

/// The end of `12:30:01`, with a fraction and a zone.
fn clock(line: &[u8], at: usize) -> Option<usize> {
    let (1..=2, hour) = digits(line, at) else { return None };
    let minute = two_after(line, hour, b':')?;
    let second = two_after(line, minute, b':')?;
    let mut end = second;
    if matches!(line.get(end), Some(b'.' | b',' | b':')) {
        let (n, after) = digits(line, end + 1);
        if n > 0 {
            end = after;
        }
    }
    if line.get(end).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    Some(zone(line, end))
}

/// The end of a zone, `AM` or `PM` after a clock, else `at`.
fn zone(line: &[u8], at: usize) -> usize {
    let start = at + usize::from(line.get(at) == Some(&b' '));
    let rest = line.get(start..).unwrap_or_default();
    match rest {
        [b'Z', ..] if start == at => at + 1,
        [b'+' | b'-', ..] => match digits(line, start + 1) {
            (4, end) => end,
            (2, end) if line.get(end) == Some(&b':') => match digits(line, end + 1) {
                (2, end) => end,
                _ => at,
            },
            (2, end) => end,
            _ => at,
        },
        [b'A' | b'P', b'M', ..] => start + 2,
        [b'U', b'T', b'C', ..] | [b'G', b'M', b'T', ..] => start + 3,
        _ => at,
    }
}

/// The end of a date that starts with a digit.
fn date(line: &[u8], at: usize) -> Option<usize> {
    let (n, end) = digits(line, at);
    let sign = line.get(end).copied();
    match (n, sign) {
        (8 | 6, Some(b'-' | b' ' | b'T' | b'_')) => Some(end),
        (1 | 2 | 4, Some(sign @ (b'-' | b'/' | b'.' | b' '))) => {
            if n < 4
                && let Some(month) = line.get(end + 1..end + 4)
                && is_month(month)
                && line.get(end + 4) == Some(&sign)
            {
                let (4, end) = digits(line, end + 5) else { return None };
                return Some(end);
            }
            if sign == b' ' {
                return None;
            }
            let (1..=2, second) = digits(line, end + 1) else { return None };
            if line.get(second) != Some(&sign) {
                return (n < 4).then_some(second);
            }
            let (1..=4, third) = digits(line, second + 1) else { return None };
            Some(third)
        }
        _ => None,
    }
}

/// Where the clock starts after a date.
fn separator(line: &[u8], at: usize) -> Option<usize> {
    match line.get(at)? {
        b'T' | b'_' | b'-' | b':' => Some(at + 1),
        b',' => blanks(line, at + 1),
        _ => blanks(line, at),
    }
}

/// The first byte after one or two blanks.
fn blanks(line: &[u8], at: usize) -> Option<usize> {
    let n = line.get(at..)?.iter().take(2).take_while(|b| **b == b' ').count();
    (n > 0).then_some(at + n)
}

/// How many digits start at `at`, and where they end.
pub fn digits(line: &[u8], at: usize) -> (usize, usize) {
    let mut end = at;
    while line.get(end).is_some_and(u8::is_ascii_digit) {
        end += 1;
    }
    (end - at, end)
}

fn two_after(line: &[u8], at: usize, sign: u8) -> Option<usize> {
    let (2, end) = digits(line, at + 1) else { return None };
    (line.get(at) == Some(&sign)).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_stamps() {
        for stamp in [
            "2024-01-02T10:00:01.123456Z",
            "2024-01-02 10:00:01,123",
            "2024-01-02T10:00:01+02:00",
            "2024/01/02 10:00:01",
            "Jan  2 10:00:01",
            "Jun 14 15:16:01",
            "Sun Dec 04 04:47:44 2005",
            "10/Oct/2000:13:55:36 -0700",
            "02 Jan 2024 10:00:01",
            "01-02 10:00:01.123",
            "10.30 16:49:06",
            "1/2/2024 10:00:01 AM",
            "17/06/09 20:10:40",
            "20171223-22:15:29:606",
            "10:00:01",
            "10:00:01.5",
        ] {
            assert_eq!(end(stamp.as_bytes(), 0), Some(stamp.len()), "{stamp}");
        }
        for other in ["Jan  2 10:00", "2024-01-02", "1.2.3.4", "12:30", "a.c:12:34:56", "Mar 3 apples", "May"]
        {
            assert_eq!(end(other.as_bytes(), 0), None, "{other}");
        }
    }
}
