//! The totals as tables for a person.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Totals;
use crate::protocol::session::{self, Spent};

/// Longest name that a table shows, in characters.
const MAX_NAME: usize = 40;

/// All tables that have rows.
pub(super) fn table(totals: &Totals) -> String {
    let stats = &totals.stats;
    let mut out = String::new();
    let all = [("all results", &stats.total), ("resends", &stats.resends)];
    rows(
        "totals",
        all.into_iter().filter(|(_, row)| row.results > 0).map(|(n, row)| (n.to_owned(), row)),
        &mut out,
    );
    for (title, map) in
        [("tool", &stats.by_tool), ("family", &stats.by_family), ("reducer", &stats.by_reducer)]
    {
        let mut sorted: Vec<_> = map.iter().collect();
        sorted.sort_by_key(|(name, row)| (std::cmp::Reverse(saved(row)), name.as_str()));
        let named = |name: &str| if name.is_empty() { "(no name)".to_owned() } else { name.to_owned() };
        rows(title, sorted.into_iter().map(|(name, row)| (named(name), row)), &mut out);
    }
    if !stats.by_reason.is_empty() {
        head(&mut out, "not shown", &["results", "lines", "bytes"]);
        for (reason, row) in &stats.by_reason {
            line(&mut out, reason, &[row.results, row.lines, row.bytes].map(number));
        }
    }
    counts("steps not taken", &stats.skipped, &mut out);
    counts("status", &stats.by_status, &mut out);
    counts("secrets removed", &stats.redactions, &mut out);
    counts("not given", &totals.failures, &mut out);
    if stats.resends.results + stats.memo_changed > 0 {
        head(&mut out, "prompt cache", &["tokens"]);
        line(&mut out, "came again as they were", &[number(stats.cache.stable_tokens)]);
        line(&mut out, "came again changed", &[number(stats.cache.changed_tokens)]);
    }
    for (model, cost) in &stats.cost {
        head(&mut out, &format!("cost of {model}"), &["baseline", "shown", "saved"]);
        money(&mut out, "results", &cost.results);
        money(&mut out, "resends, no cache", &cost.resends);
        if let Some(cached) = &cost.resends_cached {
            money(&mut out, "resends, cached", cached);
        }
    }
    let notes = [
        (totals.events as u64, ["event", "events"]),
        (totals.alerts as u64, ["alert", "alerts"]),
        (
            totals.dropped,
            [
                "event was dropped before it was written: the totals lack it",
                "events were dropped before they were written: the totals lack them",
            ],
        ),
        (
            totals.shortened as u64,
            [
                "event was too long: its details are missing",
                "events were too long: their details are missing",
            ],
        ),
        (
            totals.torn as u64,
            ["last line is not whole and was left out", "last lines are not whole and were left out"],
        ),
    ];
    out.push('\n');
    for (count, what) in notes.into_iter().filter(|(count, what)| *count > 0 || what[0] == "event") {
        let what = what[usize::from(count != 1)];
        // Writing into a String cannot fail.
        let _ = writeln!(out, "{count} {what}");
    }
    out.trim_start_matches('\n').to_owned()
}

/// Tokens saved compared with what the host would have shown; negative if more is shown.
fn saved(row: &session::Totals) -> i64 {
    row.baseline_tokens as i64 - row.shown_tokens as i64
}

fn rows<'a>(title: &str, rows: impl Iterator<Item = (String, &'a session::Totals)>, out: &mut String) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return;
    }
    head(out, title, &["results", "tokens in", "tokens out", "baseline", "shown", "saved", "%"]);
    for (name, row) in rows {
        let share = percent(saved(row) as f64, row.baseline_tokens as f64);
        let figures =
            [row.results, row.tokens_before, row.tokens_after, row.baseline_tokens, row.shown_tokens];
        let mut cells: Vec<String> = figures.into_iter().map(number).collect();
        cells.extend([grouped(saved(row)), share]);
        line(out, &name, &cells);
    }
}

/// A share in percent.
pub(super) fn percent(part: f64, all: f64) -> String {
    if all > 0.0 { format!("{:.1}", part * 100.0 / all) } else { "-".to_owned() }
}

fn counts(title: &str, map: &BTreeMap<String, usize>, out: &mut String) {
    if !map.is_empty() {
        head(out, title, &["count"]);
    }
    for (name, count) in map {
        line(out, name, &[number(*count)]);
    }
}

pub(super) fn money(out: &mut String, name: &str, spent: &Spent) {
    let figures = [spent.baseline, spent.shown, spent.baseline - spent.shown];
    line(out, name, &figures.map(|n| format!("{n:.4}")));
}

pub(super) fn head(out: &mut String, title: &str, columns: &[&str]) {
    out.push('\n');
    line(out, title, &columns.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>());
}

pub(super) fn line(out: &mut String, name: &str, cells: &[String]) {
    let short: String = name.chars().map(|c| if c.is_control() { '?' } else { c }).take(MAX_NAME).collect();
    let _ = write!(out, "{short:<MAX_NAME$}");
    for cell in cells {
        let _ = write!(out, " {cell:>13}");
    }
    out.push('\n');
}

fn number(n: usize) -> String {
    grouped(i64::try_from(n).unwrap_or(i64::MAX))
}

/// With a comma between groups of three digits.
pub(super) fn grouped(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut out = String::from(if n < 0 { "-" } else { "" });
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_grouped() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567")] {
            assert_eq!(grouped(n), text);
        }
    }
}
