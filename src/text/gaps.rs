//! Gaps in an even series: backups of every day of which one day is missing, consecutive numbers of which one is
//! missing. Finds the rows before and after each gap: only these show that something is missing.

use crate::text::dates::day_inside;
use crate::text::judge::number;

/// A series whose steps have more different lengths than this is not even.
const MAX_LENGTHS: usize = 4;
/// At most 1 in this many steps may differ from the usual one.
const UNEVEN_ONE_IN: usize = 20;
/// The most gaps that stand out, and the most that are remembered for one length.
const MAX_GAPS: usize = 2;
/// A longer jump, in usual steps, is no gap.
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
    steps: [Step; MAX_LENGTHS],
    kinds: usize,
    rows: usize,
    misses: usize,
    is_uneven: bool,
}

impl Gaps {
    /// Adds a row. `above` is the row before it if that is the previous line of the source: lines that an earlier step
    /// left out are not missing.
    pub fn look(&mut self, place: usize, above: Option<usize>, field: &[u8]) {
        self.add(place, above, value(field));
    }

    /// As [`Self::look`], for a row whose number was read.
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

    /// The rows before and after each gap, if the series is even but for them.
    pub fn places(&self) -> Vec<usize> {
        let steps = if self.is_uneven { &[] } else { &self.steps[..self.kinds] };
        let all: usize = steps.iter().map(|step| step.count).sum();
        let Some(usual) = steps.iter().max_by_key(|step| step.count) else { return Vec::new() };
        let others = all - usual.count;
        if usual.length == 0.0 || others > MAX_GAPS || others * UNEVEN_ONE_IN > all {
            return Vec::new();
        }
        let gaps = || steps.iter().filter(|step| step.length != usual.length);
        // A series with a step back, a shorter one or a long jump is not an even series with missing values.
        let skips = |step: &Step| (1.0..=MAX_SKIPPED).contains(&(step.length / usual.length));
        if !gaps().all(skips) {
            return Vec::new();
        }
        let places = gaps().flat_map(|step| &step.places[..step.count.min(MAX_GAPS)]);
        places.flat_map(|(before, after)| [*before, *after]).collect()
    }
}

/// The day of a field with a date, or its whole number.
fn value(field: &[u8]) -> Option<f64> {
    // Without the time: a daily task does not start at the same second.
    day_inside(field).or_else(|| number(field)).filter(|value| value.fract() == 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines next to a gap in any of the columns.
    fn standing_out(text: &str) -> Vec<usize> {
        let mut columns: Vec<Gaps> = Vec::new();
        for (place, line) in text.lines().enumerate() {
            for (at, word) in line.split_whitespace().enumerate() {
                if columns.len() == at {
                    columns.push(Gaps::default());
                }
                columns[at].look(place, place.checked_sub(1), word.as_bytes());
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
            assert_eq!(standing_out(&rows(name, 17)), [15, 16]);
            assert_eq!(standing_out(&rows(name, 99)), [0; 0]);
        }
        // A month ends in the middle of the series.
        let days = |i: usize| if i < 12 { 20_240_120 + i } else { 20_240_201 + i - 12 };
        let whole: String = (0..30).map(|i| format!("copy of {} made\n", days(i))).collect();
        assert_eq!(standing_out(&whole), [0; 0], "{whole}");
    }

    #[test]
    fn series_that_are_not_even_have_no_gap() {
        let text = |of: &dyn Fn(usize) -> usize| -> String {
            (0..80).map(|i| format!("row {} of it\n", of(i))).collect()
        };
        assert_eq!(standing_out(&text(&|i| i + 3 * usize::from(i > 50))), [50, 51]);
        // Working days, numbers by chance, and one number in all rows.
        assert_eq!(standing_out(&text(&|i| i + i / 5 * 2)), [0; 0]);
        assert_eq!(standing_out(&text(&|i| i * i % 97)), [0; 0]);
        assert_eq!(standing_out(&text(&|_| 5)), [0; 0]);
    }
}
