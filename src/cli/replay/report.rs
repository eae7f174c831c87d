//! The totals of a replay, by kind and overall.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::child::Answer;
use super::edits::Edits;
use super::markers;
use super::measure::{failure_lines, fold, line_survives, survives};
use super::record::{Record, Session};
use super::row::{Row, Seen, percent, share};
use super::words;
use crate::cli::out::counted;
use crate::tokens::{Tokenizer, counter};

/// Figures in percent.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Figures {
    /// The share of tokens that was left out.
    pub saved: f64,
    /// The share of later used references that is shown outside of markers; `None` if there are none.
    pub shown: Option<f64>,
    /// The share of edits with all lines visible; `None` if there are none.
    pub edits: Option<f64>,
}

/// The columns of the curve.
const POINT_COLUMNS: [&str; 9] =
    ["saved", "references", "shown", "quotes", "lines", "values", "whole", "edits", "failures"];

/// All figures.
#[derive(Debug, Default)]
pub(in crate::cli) struct Report {
    kinds: BTreeMap<String, Row>,
    agents: Row,
    standalone: Row,
    /// References by type: all of them, those that are visible, and those that are visible outside of markers.
    types: BTreeMap<String, [usize; 3]>,
    /// What the agents of whole sessions used from results at any distance.
    needs: Seen,
    /// Those that a single word does not satisfy.
    whole_needs: Seen,
    status: BTreeMap<String, usize>,
    reducers: BTreeMap<String, (usize, u64, u64)>,
    resends: usize,
    resends_identical: usize,
    resend_tokens_after: u64,
    latencies: Vec<Duration>,
}

impl Report {
    /// Adds one result; `earlier` is the text of the results to which it refers. Returns what was lost.
    pub(in crate::cli) fn add(
        &mut self,
        record: &Record,
        answer: &Answer,
        earlier: &str,
        edits: &mut Edits,
        latency: Duration,
    ) -> Vec<String> {
        let number = |path: &str| answer.evidence.pointer(path).and_then(Value::as_u64).unwrap_or(0);
        let counter = counter(Tokenizer::default());
        let own = markers::take_apart(&answer.content, counter);
        let visible = format!("{}{earlier}", answer.content);
        let shown = format!("{}{}", own.shown, markers::take_apart(earlier, counter).shown);
        let mut lost = Vec::new();
        let mut row = Row {
            results: 1,
            tokens_before: number("/tokens/before"),
            tokens_after: number("/tokens/after"),
            marker_tokens: own.tokens,
            ..Row::default()
        };
        for (reference, kind) in record.refs.iter().zip(&record.ref_types) {
            let is_seen = survives(reference, kind, &visible);
            let is_shown = is_seen && survives(reference, kind, &shown);
            row.references.add(is_seen);
            row.references_shown += usize::from(is_shown);
            let sums = self.types.entry(kind.clone()).or_default();
            sums.iter_mut().zip([true, is_seen, is_shown]).for_each(|(sum, is)| *sum += usize::from(is));
            match (is_seen, is_shown) {
                (true, true) => {}
                (true, false) => lost.push(format!("only named {kind} `{reference}`")),
                _ => lost.push(format!("lost {kind} `{reference}`")),
            }
        }
        let failures = failure_lines(&record.output, &record.kind);
        let folded = if failures.is_empty() { String::new() } else { fold(&visible) };
        for line in &failures {
            let is_seen = line_survives(line, &folded);
            row.failure_lines.add(is_seen);
            if !is_seen {
                lost.push(format!("lost failure line `{line}`"));
            }
        }
        if let Some(is_visible) = edits.check(record) {
            row.edits.add(is_visible);
            if !is_visible {
                lost.push("edits lines that are not visible".to_owned());
            }
        }
        edits.add(&record.output, &own.shown);
        if let Some(case) = &record.case {
            let missing = case.missing_in(&answer.content);
            row.clues.all += case.clues.len();
            row.clues.seen += case.clues.len().saturating_sub(missing.len());
            lost.extend(missing.into_iter().map(|clue| format!("lost clue {clue}")));
        }
        // A placeholder may be longer than the secret that it replaces; no other result may grow.
        let redacted = answer.evidence["redactions"].as_array().is_some_and(|r| !r.is_empty());
        let grew = !redacted
            && (row.tokens_after > row.tokens_before || number("/bytes/after") > number("/bytes/before"));
        row.grown = usize::from(grew);
        if grew {
            lost.push("grew".to_owned());
        }
        self.kinds.entry(record.kind.clone()).or_default().add(&row);
        if record.is_agents() { &mut self.agents } else { &mut self.standalone }.add(&row);
        self.count_step(answer, &row);
        self.latencies.push(latency);
        lost
    }

    fn count_step(&mut self, answer: &Answer, row: &Row) {
        let status = answer.evidence["status"].as_str().unwrap_or("none");
        *self.status.entry(status.to_owned()).or_default() += 1;
        if let Some(reducer) = answer.evidence["reducer"].as_str() {
            let sums = self.reducers.entry(reducer.to_owned()).or_default();
            sums.0 += 1;
            sums.1 += row.tokens_before;
            sums.2 += row.tokens_after;
        }
    }

    /// Adds what the agent of a whole session used at any distance. Returns what was lost.
    pub(super) fn add_needs(&mut self, session: &Session, answers: &[Option<Answer>]) -> Vec<String> {
        let mut lost = Vec::new();
        let texts: Vec<String> = match session.needs.is_empty() {
            true => Vec::new(),
            false => {
                let texts = answers.iter().map(|answer| answer.as_ref().map_or("", |a| a.content.as_str()));
                texts.map(|text| markers::take_apart(text, counter(Tokenizer::default())).shown).collect()
            }
        };
        for need in &session.needs {
            let shows = |at: &usize| texts.get(*at).is_some_and(|text| text.contains(&need.text));
            let is_seen = need.results.iter().any(shows);
            self.needs.add(is_seen);
            if need.is_whole() {
                self.whole_needs.add(is_seen);
            }
            if !is_seen {
                lost.push(format!("lost at any distance: {} `{}`", need.kind, need.text));
            }
        }
        lost
    }

    /// Adds one result that was sent a second time.
    pub(super) fn resent(&mut self, identical: bool, answer: &Answer) {
        self.resends += 1;
        self.resends_identical += usize::from(identical);
        self.resend_tokens_after +=
            answer.evidence.pointer("/tokens/after").and_then(Value::as_u64).unwrap_or(0);
    }

    /// The figures by which a limit is judged.
    pub(in crate::cli) fn figures(&self) -> Figures {
        let row = self.all();
        let share = |part: usize, all: usize| (all > 0).then(|| 100.0 * part as f64 / all as f64);
        let saved = row.tokens_before.saturating_sub(row.tokens_after) as f64;
        Figures {
            saved: 100.0 * saved / row.tokens_before.max(1) as f64,
            shown: share(row.references_shown, row.references.all),
            edits: share(row.edits.seen, row.edits.all),
        }
    }

    /// The headings for the columns of [`Report::point`].
    pub(super) fn heading_of_points() -> String {
        POINT_COLUMNS.map(|column| format!("{column:>11}")).concat()
    }

    /// Savings and visibility as columns; only of agent sessions if there are any.
    pub(super) fn point(&self) -> String {
        let row = if self.agents.results > 0 { self.agents.clone() } else { self.all() };
        let shown = |kind: &str| {
            let [all, _, shown] = self.types.get(kind).copied().unwrap_or_default();
            percent(shown as u64, all as u64, "-")
        };
        let of = |seen: Seen| percent(seen.seen as u64, seen.all as u64, "-");
        let columns = [
            percent(row.tokens_before.saturating_sub(row.tokens_after), row.tokens_before, "-"),
            of(row.references),
            percent(row.references_shown as u64, row.references.all as u64, "-"),
            shown("quote"),
            shown("line"),
            shown("value"),
            of(self.whole_needs),
            of(row.edits),
            of(row.failure_lines),
        ];
        columns.map(|column| format!("{column:>11}")).concat()
    }

    fn all(&self) -> Row {
        self.kinds.values().fold(Row::default(), |mut sum, row| {
            sum.add(row);
            sum
        })
    }

    /// The latency, in microseconds, that this share of the requests did not exceed (a percentile).
    fn latency(&self, share: f64) -> u128 {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        let at = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
        sorted.get(at).map_or(0, Duration::as_micros)
    }

    /// The figures as JSON.
    pub(super) fn json(&self) -> String {
        let reducers: BTreeMap<&String, Value> = self
            .reducers
            .iter()
            .map(|(id, (n, before, after))| {
                (id, json!({ "results": n, "tokensBefore": before, "tokensAfter": after }))
            })
            .collect();
        let value = json!({
            "all": self.all(),
            "agents": self.agents,
            "standalone": self.standalone,
            "kinds": self.kinds,
            "referenceTypes": self.reference_types(),
            "needs": { "all": self.needs.all, "visible": self.needs.seen },
            "wholeNeeds": { "all": self.whole_needs.all, "visible": self.whole_needs.seen },
            "status": self.status,
            "reducers": reducers,
            "resends": { "results": self.resends, "identical": self.resends_identical },
            "latencyMicroseconds": { "p50": self.latency(0.5), "p99": self.latency(0.99) },
        });
        serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
    }

    fn reference_types(&self) -> Value {
        let row = |(kind, [all, seen, shown]): (&String, &[usize; 3])| {
            (kind.clone(), json!({ "references": all, "visible": seen, "shown": shown }))
        };
        Value::Object(self.types.iter().map(row).collect())
    }

    /// The figures as a table.
    pub(super) fn table(&self) -> String {
        let mut out = Row::heading();
        for (kind, row) in &self.kinds {
            row.line(if kind.is_empty() { "(none)" } else { kind }, &mut out);
        }
        if self.agents.results > 0 && self.standalone.results > 0 {
            self.agents.line("sessions", &mut out);
            self.standalone.line("standalone", &mut out);
        }
        self.all().line("all", &mut out);
        out.push('\n');
        // Writing into a String cannot fail.
        for (kind, [all, seen, shown]) in &self.types {
            let _ = writeln!(
                out,
                "references, {kind}: seen {}, shown {}",
                share(*seen, *all),
                share(*shown, *all)
            );
        }
        for (what, seen) in [("all", self.needs), ("quotes, places and values", self.whole_needs)] {
            if seen.all > 0 {
                let _ = writeln!(out, "used at any distance, {what}: {} shown", share(seen.seen, seen.all));
            }
        }
        let statuses: Vec<String> = self.status.iter().map(|(status, n)| format!("{n} {status}")).collect();
        let _ = writeln!(out, "status: {}", statuses.join(", "));
        for (id, (n, before, after)) in &self.reducers {
            let saved = percent(before.saturating_sub(*after), *before, "-");
            let _ = writeln!(
                out,
                "reducer {id}: {}, {before} -> {after} tokens ({saved} saved)",
                counted(*n, "result")
            );
        }
        let _ = writeln!(
            out,
            "resent at the end of each session: {} of {} byte-identical",
            self.resends_identical, self.resends
        );
        let _ =
            writeln!(out, "latency over stdio: p50 {} us, p99 {} us", self.latency(0.5), self.latency(0.99));
        out + &words::explained(&self.all())
    }
}
