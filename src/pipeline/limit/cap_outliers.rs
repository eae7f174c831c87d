//! Keeps outliers when a text is cut to bytes.

use std::ops::Range;

use crate::pipeline::limit::cap::Picked;
use crate::pipeline::limit::outliers::{OUTLIERS_ONE_IN, Outliers, single};
use crate::pipeline::limit::unit::UnitFate;
use crate::text::maps::Set;
use crate::text::source::Source;

/// Under a small cap, outliers may still take this many bytes, but at most the cap divided by
/// `MIN_OUTLIERS_ONE_IN`. A choice: three lines of a log.
const MIN_OUTLIERS_BYTES: usize = 600;
const MIN_OUTLIERS_ONE_IN: usize = 3;
/// Beyond a cap that failure lines fill, outliers may take their share of it divided by this. A choice.
const BEYOND_ONE_IN: usize = 4;

impl Picked<'_> {
    /// Keeps outliers, within a share of `budget`. If they need more room than is left, the tail gets shorter. `gone`
    /// are the units between head and tail.
    pub(super) fn keep_outliers(
        &mut self,
        source: &Source<'_>,
        outliers: &Outliers,
        signals: &[usize],
        gone: Range<usize>,
        budget: usize,
    ) {
        let units = self.units;
        let fails = |unit: usize| {
            let lines = &units[unit].lines;
            signals.get(signals.partition_point(|line| *line < lines.start)).is_some_and(|l| *l < lines.end)
        };
        // Bytes of the tail that may be given up for outliers.
        let mut free = 0;
        let mut end = gone.end;
        // Enough for a few lines, even if the cap is small.
        let most = (budget / OUTLIERS_ONE_IN).max(MIN_OUTLIERS_BYTES.min(budget / MIN_OUTLIERS_ONE_IN));
        while free < most && end < units.len() && (fails(end) || free + units[end].bytes <= 2 * most) {
            free += if fails(end) { 0 } else { units[end].bytes };
            end += 1;
        }
        let tail = gone.end..end;
        let is_safe = |unit: usize, keep: &[UnitFate]| {
            keep[unit] != UnitFate::No && (!tail.contains(&unit) || fails(unit))
        };
        let single: Vec<usize> = single(units).collect();
        let before = self.bytes();
        let is_shown = |place: usize| is_safe(single[place], &self.keep);
        let mut cost = |place: usize| units[single[place]].bytes;
        // Failure lines that fill the cap leave no room, but a line unlike them may be what matters.
        // Nor does a long line of the tail, which cannot be given up for a few short ones.
        let is_long = free < most && units.get(end).is_some_and(|unit| unit.bytes > most);
        let beyond = if is_long { most } else { most / BEYOND_ONE_IN };
        let room = if self.is_strict { free } else { free.max(beyond) };
        let chosen = outliers.choose(source, &is_shown, &mut cost, most.min(room));
        let mut chosen: Set<usize> = chosen.into_iter().map(|place| single[place]).collect();
        // The lines around a failure in this part of the tail may be dropped. The line that names its record stays.
        let names = tail
            .clone()
            .filter(|unit| fails(*unit))
            .filter_map(|unit| outliers.name(units[unit].lines.start));
        let of_name = names.map(|line| units.partition_point(|unit| unit.lines.end <= line));
        let fits = |unit: &usize| single.binary_search(unit).is_ok() && units[*unit].bytes <= most;
        chosen.extend(of_name.filter(fits));
        let new = chosen.iter().filter(|&&unit| self.keep[unit] == UnitFate::No);
        let added: usize = new.map(|&unit| units[unit].bytes).sum();
        for &unit in chosen.iter().filter(|unit| !tail.contains(unit)) {
            self.keep[unit] = UnitFate::Single;
        }
        let mut over = (before + added).saturating_sub(budget).min(added);
        for unit in tail {
            // Lines of a window make room for a mark; an outlier does not.
            if chosen.contains(&unit) || over > 0 && fails(unit) {
                self.keep[unit] = UnitFate::Single;
            } else if over > 0 {
                self.keep[unit] = UnitFate::No;
                over = over.saturating_sub(units[unit].bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::limit::cap::{Cap, apply};
    use crate::text::ledger::Ledger;
    use crate::text::reason::Reason;

    fn cut(text: &str, signals: &[usize], bytes: usize, strict: bool) -> String {
        let source = Source::new(text);
        let cap = Cap { bytes, strict, reason: Reason::HeadTail, samples: true, outliers: true, names: 0 };
        apply(&source, &Ledger::new(&source), signals, cap).unwrap().render(&source, None)
    }

    #[test]
    fn a_line_among_failures_that_fill_the_cap_stays() {
        let line =
            |i: usize| format!("open(\"/proc/{i}/fd\") = -1 EACCES (Permission denied), try {}\n", i * 7);
        let odd = "connect(3, 45.9.148.3:4444) = 0\n";
        let text = |of: &dyn Fn(usize) -> String| (0..400).map(of).collect::<String>();
        // Nothing else could be left out.
        let one = text(&|i| if i == 200 { odd.to_owned() } else { line(i) });
        let signals: Vec<usize> = (0..400).filter(|i| *i != 200).collect();
        assert_eq!(cut(&one, &signals, 16_000, false), one);
        // Many other lines: the one unlike them stays beside all failures.
        let plain = |i: usize| format!("read(5, step {i} of the long way, 4096) = {}\n", i % 9);
        let many = text(&|i| match i {
            201 => odd.to_owned(),
            _ if i % 2 == 0 => line(i),
            _ => plain(i),
        });
        let signals: Vec<usize> = (0..400).step_by(2).collect();
        let out = cut(&many, &signals, 12_000, false);
        assert!(
            out.contains(odd) && out.contains("head_tail") && out.matches("EACCES").count() == 200,
            "{out}"
        );
    }

    #[test]
    fn a_cut_keeps_what_stands_out_and_its_size() {
        let plain = |i: usize| format!("2024-05-01 step {i} of the long way is done and all is well\n");
        let odd = |i: usize| match i {
            700 => "2024-05-01 WARN the pool is empty\n".to_owned(),
            900 => format!("2024-05-01 step {i} of the long way is LATE and all is well\n"),
            1500 => "error: no more\n".to_owned(),
            _ => plain(i),
        };
        let text: String = (0..3000).map(odd).collect();
        for strict in [false, true] {
            let out = cut(&text, &[1500], 6000, strict);
            assert!(out.len() <= 6000 && out.matches("head_tail").count() <= 2, "{out}");
            for part in ["step 0 ", "WARN the pool", "is LATE", "error: no more", "step 2999 "] {
                assert!(out.contains(part), "{part}\n{out}");
            }
        }
        // Too many outliers for the share: head and tail are kept.
        let many: String = (0..3000)
            .map(|i| if i % 11 == 5 { format!("WARN {}\n", "x".repeat(i % 97)) } else { plain(i) })
            .collect();
        let out = cut(&many, &[], 6000, true);
        assert!(out.len() <= 6000 && out.starts_with(&plain(0)) && out.ends_with(&plain(2999)), "{out}");
    }

    #[test]
    fn of_counters_that_are_zero_for_most_the_largest_is_shown() {
        let counter = |i: usize| match i {
            40..53 => i - 39,
            110 => 726_952,
            _ => 0,
        };
        let text: String =
            (0..200).map(|i| format!("flow-{i:03}   Static   {:<8} up\n", counter(i))).collect();
        let out = cut(&text, &[], 2400, false);
        assert!(out.contains("flow-110   Static   726952"), "{out}");
    }

    #[test]
    fn what_stands_out_at_the_start_of_the_tail_stays() {
        // The line is one of the window that makes room for the marks of the gaps.
        let queue = |i: usize| match i {
            47 => "q.view.47\t914002\t2\trunning\n".to_owned(),
            77 => "q.view.77\t1\t0\trunning\n".to_owned(),
            97 => "q.view.97\t1\t2\tflow\n".to_owned(),
            i => format!("q.view.{i}\t{}\t2\trunning\n", i % 4),
        };
        let text: String = (0..140).map(queue).collect();
        for bytes in 1200..2600 {
            let out = cut(&text, &[], bytes, false);
            for odd in [47, 77, 97] {
                assert!(out.contains(&queue(odd)), "{bytes} {odd}\n{out}");
            }
        }
    }

    #[test]
    fn an_indented_line_comes_with_the_one_above() {
        let thread = |i: usize| {
            format!("\"pool-{i}\" prio=5\n   State: {}\n\n", if i == 150 { "BLOCKED" } else { "WAITING" })
        };
        let text: String = (0..400).map(thread).collect();
        let out = cut(&text, &[], 5000, false);
        assert!(out.contains("\"pool-150\" prio=5\n   State: BLOCKED\n"), "{out}");
    }
}
