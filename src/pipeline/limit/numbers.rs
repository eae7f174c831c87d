//! How the numbers of one column are read: with the words after them, as in `2.49% of all`, and times of the day.

use crate::text::judge::number;

/// How the numbers of a column are read.
#[derive(Default)]
pub(super) struct Reader {
    /// The words after each number, with the blank before them; empty if there are none.
    after: Vec<u8>,
    /// Whether times of the day are numbers.
    has_clocks: bool,
}

impl Reader {
    /// The reader of a column with these fields.
    pub(super) fn of<'a>(fields: impl Iterator<Item = &'a [u8]>, has_clocks: bool) -> Self {
        const MOST: usize = 8;
        let after = |field: &'a [u8]| {
            let blank = memchr::memchr(b' ', field).filter(|_| field[0].is_ascii_digit())?;
            number(&field[..blank]).map(|_| field[blank..].to_vec())
        };
        let after = fields.take(MOST).filter(|field| number(field).is_none()).find_map(after);
        Self { after: after.unwrap_or_default(), has_clocks }
    }

    /// The number that a field holds.
    pub(super) fn read(&self, field: &[u8]) -> Option<f64> {
        number(field)
            .or_else(|| {
                Some(self.after.as_slice())
                    .filter(|b| !b.is_empty())
                    .and_then(|b| number(field.strip_suffix(b)?))
            })
            .or_else(|| if self.has_clocks { clock(field) } else { None })
    }
}

/// The milliseconds of a time of the day: `09:41:12`, `09:41:12.250`.
fn clock(field: &[u8]) -> Option<f64> {
    let (&[h1, h0, b':', m1, m0, b':', s1, s0], rest) = field.split_first_chunk::<8>()? else { return None };
    let is_time = [h1, h0, m1, m0, s1, s0].iter().all(u8::is_ascii_digit);
    let two = |tens: u8, ones: u8| f64::from(tens - b'0') * 10.0 + f64::from(ones - b'0');
    let rest = match rest {
        [b'.', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => number(rest)?,
        [] | [b','] => 0.0,
        _ => return None,
    };
    is_time.then(|| ((two(h1, h0) * 60.0 + two(m1, m0)) * 60.0 + two(s1, s0) + rest) * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_after_numbers_and_times() {
        let fields: [&[u8]; 3] = [b"share", b"2.49% of all", b"1.20% of all"];
        let reader = Reader::of(fields.into_iter(), true);
        for (field, expected) in [
            ("41.20% of all", Some(41.2)),
            ("7", Some(7.0)),
            ("41.20% of some", None),
            ("of all", None),
            ("00:01:02", Some(62_000.0)),
            ("00:00:00.5", Some(500.0)),
            ("00:00", None),
            ("ab:cd:ef", None),
        ] {
            assert_eq!(reader.read(field.as_bytes()), expected, "{field}");
        }
        // Different units are no numbers.
        let mixed = Reader::of([&b"2 weeks ago"[..], b"3 hours ago"].into_iter(), false);
        assert_eq!((mixed.read(b"3 hours ago"), mixed.read(b"00:01:02")), (None, None));
    }
}
