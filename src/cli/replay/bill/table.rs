//! The bills as a table.

use std::fmt::Write as _;

use super::{LENGTHS, Line, Terms};
use crate::reclaim::Prices;

/// One row for each system; savings are of the raw bill.
pub(super) fn table(lines: &[Line], terms: &Terms) -> String {
    let Prices { write, read, output } = terms.prices;
    let Some(raw) = lines.first() else { return String::new() };
    let mut out = String::new();
    let counts: Vec<String> = raw.sums.iter().map(|sum| sum.sessions.to_string()).collect();
    // Writing into a String cannot fail.
    let _ = writeln!(
        out,
        "{} whole sessions, {} answers; of at least {} answers: {}",
        raw.sums[0].sessions,
        raw.sums[0].answers,
        LENGTHS[1..].iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
        counts[1..].join(", ")
    );
    let _ = writeln!(
        out,
        "prices {}: write {write}, read {read}, output {output} of a token of input, as of {}\n",
        terms.name,
        Prices::AS_OF
    );
    let _ = writeln!(
        out,
        "{:<14} {:>22} {:>7} {:>10} {:>11} {:>8} {:>9} {:>14}",
        "system",
        "bill saved: all/30/60",
        "extra",
        "references",
        "whole needs",
        "edits",
        "rewrites",
        "batches/unpaid"
    );
    for line in lines {
        let saved: Vec<String> = line
            .sums
            .iter()
            .zip(&raw.sums)
            .map(
                |(sum, raw)| {
                    if raw.sessions == 0 { "-".to_owned() } else { format!("{:.1}", sum.saved_of(raw)) }
                },
            )
            .collect();
        let all = &line.sums[0];
        let _ = writeln!(
            out,
            "{:<14} {:>20} % {:>5.2} % {:>8.2} % {:>9.1} % {:>6.1} % {:>9} {:>14}",
            line.system.name(),
            saved.join(" / "),
            all.extra_percent(),
            all.references.percent(),
            all.whole.percent(),
            all.edits.percent(),
            all.rewrites,
            format!("{}/{}", all.batches, all.unpaid),
        );
    }
    out
}
