//! How the numbers of one column are read: with the words after them, as in `2.49% of all`, and times of the day. Finds the row
//! of a table in which the order of two columns is not that of all other rows.

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

/// The most columns that are compared in pairs. Bounds the work.
const MAX_COMPARED: usize = 8;
/// The order of two columns is only judged if there are at least `MIN_ORDERED` rows, and the two numbers are close in at
/// least `MIN_CLOSE` of them. If the columns were unrelated, about as many of these rows would have the other order. Choices.
const MIN_ORDERED: usize = 30;
const MIN_CLOSE: usize = 8;
/// Numbers are close if the smaller is at least this part of the larger.
const CLOSE: f64 = 0.8;

/// The rows in which two numbers have the same order.
#[derive(Clone, Copy, Default)]
struct SameOrder {
    rows: usize,
    /// The place of the last of them.
    last: usize,
    /// In how many of them the two numbers are close.
    close: usize,
}

impl SameOrder {
    fn add(&mut self, place: usize, is_close: bool) {
        *self = Self { rows: self.rows + 1, last: place, close: self.close + usize::from(is_close) };
    }
}

/// Two columns of numbers, such as start and end, or used and total.
struct Pair {
    columns: [usize; 2],
    /// The rows in which the first number is smaller.
    smaller: SameOrder,
    larger: SameOrder,
}

/// Reads the rows of a table and finds the only row in which two columns are in the other order.
pub(super) struct Pairs {
    columns: Vec<usize>,
    pairs: Vec<Pair>,
    rows: usize,
}

impl Pairs {
    /// The pairs of these columns, which hold numbers.
    pub(super) fn of(columns: impl Iterator<Item = usize>) -> Self {
        let columns: Vec<usize> = columns.take(MAX_COMPARED).collect();
        let of = |(at, first): (usize, &usize)| {
            let pair = |second: &usize| Pair {
                columns: [*first, *second],
                smaller: SameOrder::default(),
                larger: SameOrder::default(),
            };
            columns[at + 1..].iter().map(pair).collect::<Vec<_>>()
        };
        let pairs = columns.iter().enumerate().flat_map(of).collect();
        Self { columns, pairs, rows: 0 }
    }

    /// Adds a row, whose numbers `number` reads.
    pub(super) fn observe(&mut self, place: usize, number: impl Fn(usize) -> Option<f64>) {
        if self.pairs.is_empty() {
            return;
        }
        self.rows += 1;
        let mut numbers = [None; MAX_COMPARED];
        numbers.iter_mut().zip(&self.columns).for_each(|(free, at)| *free = number(*at));
        let of = |at: usize| self.columns.iter().position(|column| *column == at).and_then(|at| numbers[at]);
        let is_open = |pair: &mut Pair| {
            // A row that lacks a number, such as the header, has no order; negative numbers are differences.
            let [Some(first), Some(second)] = pair.columns.map(of) else { return true };
            if first < 0.0 || second < 0.0 {
                return false;
            }
            let is_close = first.min(second) > 0.0 && first.min(second) >= first.max(second) * CLOSE;
            if first < second {
                pair.smaller.add(place, is_close);
            } else if first > second {
                pair.larger.add(place, is_close);
            }
            pair.smaller.rows <= 1 || pair.larger.rows <= 1
        };
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.retain_mut(is_open);
        self.pairs = pairs;
    }

    /// For each pair of columns: the row with the other order, if it is the only one.
    pub(super) fn outlier_rows(&self) -> impl Iterator<Item = usize> + '_ {
        let is_usual = move |order: SameOrder| order.rows * 2 > self.rows && order.close >= MIN_CLOSE;
        self.pairs.iter().filter(|_| self.rows >= MIN_ORDERED).filter_map(move |pair| {
            match (pair.smaller.rows, pair.larger.rows) {
                (1, _) if is_usual(pair.larger) => Some(pair.smaller.last),
                (_, 1) if is_usual(pair.smaller) => Some(pair.larger.last),
                _ => None,
            }
        })
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
    fn a_row_in_which_two_columns_are_ordered_otherwise() {
        let odd = |of: &dyn Fn(usize) -> [f64; 3]| {
            let mut pairs = Pairs::of(0..3);
            (0..60).for_each(|place| pairs.observe(place, |at| Some(of(place)[at])));
            pairs.outlier_rows().collect::<Vec<_>>()
        };
        let row = |i: usize| [i as f64, 5000.0 + (i * 31 % 900) as f64, 4900.0 + (i * 31 % 900) as f64];
        assert_eq!(odd(&row), [0; 0]);
        assert_eq!(odd(&|i| if i == 33 { [33.0, 5000.0, 5100.0] } else { row(i) }), [33]);
        assert_eq!(odd(&|i| if i == 33 || i == 40 { [33.0, 5000.0, 5100.0] } else { row(i) }), [0; 0]);
        // The columns are far from each other, or have nothing to do with each other.
        assert_eq!(odd(&|i| if i == 33 { [9.0, 2.0, 0.0] } else { [9.0, 900.0, 0.0] }), [0; 0]);
        assert_eq!(odd(&|i| [(i * 17 % 61) as f64, (i * 29 % 67) as f64, 0.0]), [0; 0]);
    }

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
        // Different units are not numbers.
        let mixed = Reader::of([&b"2 weeks ago"[..], b"3 hours ago"].into_iter(), false);
        assert_eq!((mixed.read(b"3 hours ago"), mixed.read(b"00:01:02")), (None, None));
    }
}
