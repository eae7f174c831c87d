//! The bills as a table.

use std::fmt::Write as _;

use super::{LENGTHS, Line, Terms};
use crate::cli::out::counted;
use crate::cli::replay::row::percent;
use crate::reclaim::Prices;

/// What the columns count.
const COLUMN_HELP: &str = "
In words
  results      Tokens of results that were left out, each result counted once, as it was first sent.
  bill saved   What all requests of a session cost less, with the cache; of all sessions, and of the longer ones. An
               answer that is needed because something had gone is charged with the context that it reads again.
  extra        Such answers, for each answer of the agent.
  references   Names that the agent used later: whether some result in its context shows them.
  whole needs  Those of them that a word does not satisfy: quotes, places in files, measured values.
  edits        Edits of which all replaced lines were visible.
  rewrites     Requests in which earlier messages had changed, which the cache then does not hold.
  batches      Results that left together, and how often that did not pay until the session ended.
";

/// One row for each system; savings are compared with the first bill, of unchanged results.
pub(super) fn table(lines: &[Line], terms: &Terms) -> String {
    let Prices { write, read, output } = terms.prices;
    let Some(raw) = lines.first() else { return String::new() };
    let width = lines.iter().map(|line| line.name.len()).max().unwrap_or(0).max(14);
    let mut out = String::new();
    let counts: Vec<String> = raw.sums.iter().map(|sum| sum.sessions.to_string()).collect();
    // Writing into a String cannot fail.
    let _ = writeln!(
        out,
        "{}, {}; of at least {} answers: {}",
        counted(raw.sums[0].sessions, "whole session"),
        counted(raw.sums[0].answers, "answer"),
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
        "{:<width$} {:>7} {:>22} {:>7} {:>10} {:>11} {:>8} {:>9} {:>14}",
        "system",
        "results",
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
            "{:<width$} {:>7} {:>20} % {:>5.2} % {:>8.2} % {:>9.1} % {:>6.1} % {:>9} {:>14}",
            line.name,
            percent(raw.sums[0].tokens.saturating_sub(all.tokens), raw.sums[0].tokens, "-"),
            saved.join(" / "),
            all.extra_percent(),
            all.references.percent(),
            all.whole.percent(),
            all.edits.percent(),
            all.rewrites,
            format!("{}/{}", all.batches, all.unpaid),
        );
    }
    out + COLUMN_HELP
}
