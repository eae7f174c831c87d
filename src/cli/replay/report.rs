//! The totals of a replay, by kind and overall.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::child::Answer;
use super::measure::{failure_lines, fold, line_survives, survives};
use super::record::Record;

/// Sums over some results.
#[derive(Debug, Default, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    results: usize,
    tokens_before: u64,
    tokens_after: u64,
    references: usize,
    references_visible: usize,
    failure_lines: usize,
    failure_lines_visible: usize,
    grown: usize,
}

impl Row {
    fn add(&mut self, other: &Self) {
        self.results += other.results;
        self.tokens_before += other.tokens_before;
        self.tokens_after += other.tokens_after;
        self.references += other.references;
        self.references_visible += other.references_visible;
        self.failure_lines += other.failure_lines;
        self.failure_lines_visible += other.failure_lines_visible;
        self.grown += other.grown;
    }
}

/// All figures.
#[derive(Debug, Default)]
pub(super) struct Report {
    kinds: BTreeMap<String, Row>,
    agents: Row,
    standalone: Row,
    status: BTreeMap<String, usize>,
    reducers: BTreeMap<String, (usize, u64, u64)>,
    resends: usize,
    resends_identical: usize,
    resend_tokens_after: u64,
    latencies: Vec<Duration>,
}

impl Report {
    /// Adds one result; `earlier` is the text of its references. Returns what was lost.
    pub(super) fn add(
        &mut self,
        record: &Record,
        answer: &Answer,
        earlier: &str,
        latency: Duration,
    ) -> Vec<String> {
        let number = |path: &str| answer.evidence.pointer(path).and_then(Value::as_u64).unwrap_or(0);
        let visible = format!("{}{earlier}", answer.content);
        let mut lost = Vec::new();
        let mut row = Row {
            results: 1,
            tokens_before: number("/tokens/before"),
            tokens_after: number("/tokens/after"),
            references: record.refs.len(),
            ..Row::default()
        };
        for (reference, kind) in record.refs.iter().zip(&record.ref_types) {
            if survives(reference, kind, &visible) {
                row.references_visible += 1;
            } else {
                lost.push(format!("lost {kind} `{reference}`"));
            }
        }
        let failures = failure_lines(&record.output, &record.kind);
        let folded = if failures.is_empty() { String::new() } else { fold(&visible) };
        row.failure_lines = failures.len();
        for line in &failures {
            if line_survives(line, &folded) {
                row.failure_lines_visible += 1;
            } else {
                lost.push(format!("lost failure line `{line}`"));
            }
        }
        // A placeholder may be longer than the secret that it replaces; nothing else may grow.
        let redacted = answer.evidence["redactions"].as_array().is_some_and(|r| !r.is_empty());
        let grew = !redacted
            && (row.tokens_after > row.tokens_before || number("/bytes/after") > number("/bytes/before"));
        row.grown = usize::from(grew);
        if grew {
            lost.push("grew".to_owned());
        }
        self.kinds.entry(record.kind.clone()).or_default().add(&row);
        if record.is_agents() { &mut self.agents } else { &mut self.standalone }.add(&row);
        let status = answer.evidence["status"].as_str().unwrap_or("none");
        *self.status.entry(status.to_owned()).or_default() += 1;
        if let Some(reducer) = answer.evidence["reducer"].as_str() {
            let sums = self.reducers.entry(reducer.to_owned()).or_default();
            sums.0 += 1;
            sums.1 += row.tokens_before;
            sums.2 += row.tokens_after;
        }
        self.latencies.push(latency);
        lost
    }

    /// Adds one repeated result.
    pub(super) fn resent(&mut self, identical: bool, answer: &Answer) {
        self.resends += 1;
        self.resends_identical += usize::from(identical);
        self.resend_tokens_after +=
            answer.evidence.pointer("/tokens/after").and_then(Value::as_u64).unwrap_or(0);
    }

    /// Savings and visibility; of agent sessions if there are any.
    pub(super) fn point(&self) -> String {
        let row = if self.agents.results > 0 { self.agents.clone() } else { self.all() };
        let saved = percent(row.tokens_before.saturating_sub(row.tokens_after), row.tokens_before, "-");
        format!(
            "{saved:>7} {:>20} {:>20}",
            share(row.references_visible, row.references),
            share(row.failure_lines_visible, row.failure_lines)
        )
    }

    fn all(&self) -> Row {
        self.kinds.values().fold(Row::default(), |mut sum, row| {
            sum.add(row);
            sum
        })
    }

    /// The latency, in microseconds, that this share of the requests did not exceed.
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
            "status": self.status,
            "reducers": reducers,
            "resends": { "results": self.resends, "identical": self.resends_identical },
            "latencyMicroseconds": { "p50": self.latency(0.5), "p99": self.latency(0.99) },
        });
        serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
    }

    /// The figures as a table.
    pub(super) fn table(&self) -> String {
        let mut out = format!(
            "{:<12} {:>7} {:>12} {:>12} {:>7} {:>18} {:>18} {:>6}\n",
            "kind",
            "results",
            "tokens in",
            "tokens out",
            "saved",
            "references seen",
            "failures seen",
            "grown"
        );
        // Writing into a String cannot fail.
        let mut line = |name: &str, row: &Row| {
            let _ = writeln!(
                out,
                "{name:<12} {:>7} {:>12} {:>12} {:>7} {:>18} {:>18} {:>6}",
                row.results,
                row.tokens_before,
                row.tokens_after,
                percent(row.tokens_before.saturating_sub(row.tokens_after), row.tokens_before, "-"),
                share(row.references_visible, row.references),
                share(row.failure_lines_visible, row.failure_lines),
                row.grown,
            );
        };
        for (kind, row) in &self.kinds {
            line(if kind.is_empty() { "(none)" } else { kind }, row);
        }
        if self.agents.results > 0 && self.standalone.results > 0 {
            line("sessions", &self.agents);
            line("standalone", &self.standalone);
        }
        line("all", &self.all());
        let statuses: Vec<String> = self.status.iter().map(|(status, n)| format!("{n} {status}")).collect();
        let _ = writeln!(out, "\nstatus: {}", statuses.join(", "));
        for (id, (n, before, after)) in &self.reducers {
            let saved = percent(before.saturating_sub(*after), *before, "-");
            let _ = writeln!(out, "reducer {id}: {n} results, {before} -> {after} tokens ({saved} saved)");
        }
        let _ = writeln!(
            out,
            "resent at the end of each session: {} of {} byte-identical",
            self.resends_identical, self.resends
        );
        let _ =
            writeln!(out, "latency over stdio: p50 {} us, p99 {} us", self.latency(0.5), self.latency(0.99));
        out
    }
}

fn percent(part: u64, whole: u64, none: &str) -> String {
    if whole == 0 { none.to_owned() } else { format!("{:.1}%", part as f64 * 100.0 / whole as f64) }
}

fn share(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    format!("{part}/{whole} {}", percent(part as u64, whole as u64, "-"))
}
