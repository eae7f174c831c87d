//! Gaps in an even series: backups of every day of which one day is missing, numbers that follow each other but for one.
//! The rows on both sides of a gap are what tells of it.

use crate::text::dates::{date, day_inside};
use crate::text::judge::number;

/// A series with more different steps than this is not even.
const MAX_STEPS: usize = 4;
/// At most 1 in this many steps may differ from the usual one.
const UNEVEN_ONE_IN: usize = 20;
/// The fewest steps of a series.
const MIN_STEPS: usize = 18;
/// The most gaps that stand out, and the most that are remembered for one length.
const MAX_GAPS: usize = 2;
/// A longer jump, in usual steps, is no gap.
const MAX_SKIPPED: f64 = 100.0;
/// At most this many fields, and 1 in `MISSES_ONE_IN`, may hold no number.
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
pub(super) struct Gaps {
    last: Option<f64>,
    steps: [Step; MAX_STEPS],
    kinds: usize,
    rows: usize,
    misses: usize,
    is_uneven: bool,
}

impl Gaps {
    /// Adds a row. `above` is the row before it if that stands right above it: what an earlier step left out is no
    /// gap.
    pub(super) fn look(&mut self, place: usize, above: Option<usize>, field: &[u8]) {
        if self.is_uneven {
            return;
        }
        self.rows += 1;
        let Some(value) = value(field) else {
            self.last = None;
            self.misses += 1;
            self.is_uneven = self.misses > MAX_MISSES && self.misses * MISSES_ONE_IN > self.rows;
            return;
        };
        let (Some(last), Some(above)) = (self.last.replace(value), above) else { return };
        let length = value - last;
        let known = self.steps[..self.kinds].iter().position(|step| step.length == length);
        match known {
            None if self.kinds == MAX_STEPS => self.is_uneven = true,
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
    pub(super) fn places(&self) -> Vec<usize> {
        let steps = if self.is_uneven { &[] } else { &self.steps[..self.kinds] };
        let all: usize = steps.iter().map(|step| step.count).sum();
        let Some(usual) = steps.iter().max_by_key(|step| step.count) else { return Vec::new() };
        let others = all - usual.count;
        if usual.length == 0.0 || all < MIN_STEPS || others > MAX_GAPS || others * UNEVEN_ONE_IN > all {
            return Vec::new();
        }
        let gaps = || steps.iter().filter(|step| step.length != usual.length);
        // A series with a step back, a shorter one or a long jump does not skip something: it is of another kind.
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
    let value = match date(field) {
        None => number(field).or_else(|| day_inside(field)),
        // A task of every day starts a little earlier or later.
        Some(_) => day_inside(field),
    };
    value.filter(|value| value.fract() == 0.0)
}

#[cfg(test)]
mod tests {
    use crate::pipeline::limit::columns::{MIN_ROWS, find};
    use crate::text::source::Source;

    fn standing_out(text: &str) -> Vec<usize> {
        let source = Source::new(text);
        let mut found = Vec::new();
        find(&source, &(0..source.len()).collect::<Vec<_>>(), MIN_ROWS, &mut found);
        let mut places: Vec<usize> = found.iter().map(|c| c.place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    #[test]
    fn a_day_without_its_file() {
        let rows = |name: &dyn Fn(usize, usize) -> String, missing: usize| -> String {
            (0..60).filter(|i| *i != missing).map(|i| name(1 + i / 28, 1 + i % 28) + "\n").collect()
        };
        let names: [&dyn Fn(usize, usize) -> String; 3] = [
            &|_, day| format!("2024-02-{day:02} 03:0{}:10 80{}1 a{day}.gz", day % 7, day * 7 % 10),
            &|_, day| format!("-rw-r--r-- 1 root root 80{}1 Mar {day} db-2024-02-{day:02}.gz", day * 7 % 10),
            &|_, day| format!("copied db_202402{day:02}.tar to the store"),
        ];
        for name in names {
            let name = |month: usize, day: usize| if month == 1 { name(month, day) } else { "x".to_owned() };
            let text: String = rows(&name, 16).lines().take(27).map(|line| format!("{line}\n")).collect();
            assert_eq!(standing_out(&text), [15, 16], "{text}");
            let whole: String = rows(&name, 99).lines().take(28).map(|line| format!("{line}\n")).collect();
            assert_eq!(standing_out(&whole), [0; 0], "{whole}");
        }
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
