//! The sums of a replay over results of one kind, and how they are printed.

use std::fmt::Write as _;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A number of things, and how many of them are visible.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Seen {
    /// All things.
    pub all: usize,
    /// The visible ones.
    pub seen: usize,
}

impl Seen {
    pub(super) fn add(&mut self, is_seen: bool) {
        self.all += 1;
        self.seen += usize::from(is_seen);
    }

    fn sum(&mut self, other: Self) {
        self.all += other.all;
        self.seen += other.seen;
    }
}

/// Sums over some results.
#[derive(Debug, Default, Clone)]
pub(super) struct Row {
    pub results: usize,
    pub tokens_before: u64,
    pub tokens_after: u64,
    /// Tokens of markers, a part of `tokens_after`.
    pub marker_tokens: u64,
    /// References of agents to these results.
    pub references: Seen,
    /// References that are visible outside of markers.
    pub references_shown: usize,
    pub failure_lines: Seen,
    /// Edits, and those whose lines were all visible.
    pub edits: Seen,
    pub clues: Seen,
    /// Results that became longer.
    pub grown: usize,
}

impl Row {
    pub(super) fn add(&mut self, other: &Self) {
        self.results += other.results;
        self.tokens_before += other.tokens_before;
        self.tokens_after += other.tokens_after;
        self.marker_tokens += other.marker_tokens;
        self.references.sum(other.references);
        self.references_shown += other.references_shown;
        self.failure_lines.sum(other.failure_lines);
        self.edits.sum(other.edits);
        self.clues.sum(other.clues);
        self.grown += other.grown;
    }

    /// The heading of the columns.
    pub(super) fn heading() -> String {
        format!(
            "{:<12} {:>7} {:>10} {:>10} {:>6} {:>7} {:>17} {:>6} {:>17} {:>15} {:>15} {:>5}\n",
            "kind",
            "results",
            "tokens in",
            "tokens out",
            "saved",
            "markers",
            "references seen",
            "shown",
            "failures seen",
            "edits seen",
            "clues seen",
            "grown"
        )
    }

    /// Writes the row with its name.
    pub(super) fn line(&self, name: &str, out: &mut String) {
        let Seen { all, seen } = self.references;
        // Writing into a String cannot fail.
        let _ = writeln!(
            out,
            "{name:<12} {:>7} {:>10} {:>10} {:>6} {:>7} {:>17} {:>6} {:>17} {:>15} {:>15} {:>5}",
            self.results,
            self.tokens_before,
            self.tokens_after,
            percent(self.tokens_before.saturating_sub(self.tokens_after), self.tokens_before, "-"),
            percent(self.marker_tokens, self.tokens_after, "-"),
            share(seen, all),
            percent(self.references_shown as u64, all as u64, "-"),
            share(self.failure_lines.seen, self.failure_lines.all),
            share(self.edits.seen, self.edits.all),
            share(self.clues.seen, self.clues.all),
            self.grown,
        );
    }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let figures = [
            ("results", self.results as u64),
            ("tokensBefore", self.tokens_before),
            ("tokensAfter", self.tokens_after),
            ("markerTokens", self.marker_tokens),
            ("references", self.references.all as u64),
            ("referencesVisible", self.references.seen as u64),
            ("referencesShown", self.references_shown as u64),
            ("failureLines", self.failure_lines.all as u64),
            ("failureLinesVisible", self.failure_lines.seen as u64),
            ("edits", self.edits.all as u64),
            ("editsVisible", self.edits.seen as u64),
            ("clues", self.clues.all as u64),
            ("cluesVisible", self.clues.seen as u64),
            ("grown", self.grown as u64),
        ];
        let mut map = serializer.serialize_map(Some(figures.len()))?;
        for (name, figure) in figures {
            map.serialize_entry(name, &figure)?;
        }
        map.end()
    }
}

/// A part of a whole in percent; `none` if the whole is 0.
pub(super) fn percent(part: u64, whole: u64, none: &str) -> String {
    if whole == 0 { none.to_owned() } else { format!("{:.1}%", part as f64 * 100.0 / whole as f64) }
}

/// `part/whole percent`
pub(super) fn share(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    format!("{part}/{whole} {}", percent(part as u64, whole as u64, "-"))
}
