//! Totals of a session or of a file of events.

use std::collections::{BTreeMap, BTreeSet};

use crate::config::Price;
use crate::pipeline::evidence::Evidence;
use crate::protocol::session::{Cost, Spent, Stats, Totals};
use crate::text::reason::Reason;

/// The most tools with their own totals; later tools share a row.
const MAX_TOOLS: usize = 1024;
/// Prices are per this many tokens.
const MILLION: f64 = 1e6;

/// Tokens of a result before and after compression, as shown by a host that cuts at `limit` bytes.
pub fn within(evidence: &Evidence, limit: Option<usize>) -> (usize, usize) {
    let Evidence { tokens, bytes, .. } = evidence;
    (cut(tokens.before, bytes.before, limit), cut(tokens.after, bytes.after, limit))
}

/// Tokens of a text of `bytes` bytes after a host cut it at `limit` bytes.
fn cut(tokens: usize, bytes: usize, limit: Option<usize>) -> usize {
    match limit {
        Some(limit) if bytes > limit => (tokens as u128 * limit as u128 / bytes as u128) as usize,
        _ => tokens,
    }
}

impl Totals {
    fn add(&mut self, evidence: &Evidence, host_limit: Option<usize>) {
        let Evidence { tokens, bytes, .. } = evidence;
        self.results += 1;
        self.tokens_before += tokens.before;
        self.tokens_after += tokens.after;
        self.bytes_before += bytes.before;
        self.bytes_after += bytes.after;
        let (baseline, shown) = within(evidence, host_limit);
        self.baseline_tokens += baseline;
        self.shown_tokens += shown;
    }
}

impl Stats {
    /// Counts a result. `host_limit` is the size in bytes above which the host cuts a result itself.
    pub fn add(&mut self, tool: &str, evidence: &Evidence, host_limit: Option<usize>) {
        let add = |totals: &mut Totals| totals.add(evidence, host_limit);
        add(&mut self.total);
        let is_listed = self.by_tool.len() < MAX_TOOLS || self.by_tool.contains_key(tool);
        add(self.by_tool.entry(if is_listed { tool } else { "other" }.to_owned()).or_default());
        let family = evidence.family.as_deref().unwrap_or("other");
        add(self.by_family.entry(family.to_owned()).or_default());
        if let Some(reducer) = &evidence.reducer {
            add(self.by_reducer.entry(reducer.clone()).or_default());
        }
        *self.by_status.entry(evidence.status.name().to_owned()).or_default() += 1;
        let mut reasons = BTreeSet::new();
        for omission in &evidence.omissions {
            let code = omission.reason.code();
            *self.omitted_lines.entry(code.to_owned()).or_default() += omission.count;
            let totals = self.by_reason.entry(code.to_owned()).or_default();
            totals.results += usize::from(reasons.insert(omission.reason));
            totals.lines += omission.count;
            totals.bytes += omission.bytes;
        }
        for step in evidence.steps.iter().filter(|step| step.reason != Reason::Applied) {
            *self.skipped.entry(step.reason.code().to_owned()).or_default() += 1;
        }
        for redaction in &evidence.redactions {
            *self.redactions.entry(redaction.rule.clone()).or_default() += redaction.count;
        }
    }

    /// Counts a repeated result.
    pub fn resent(&mut self, evidence: &Evidence, from_memo: bool, host_limit: Option<usize>) {
        self.resends.add(evidence, host_limit);
        self.cache.stable_tokens += within(evidence, host_limit).1;
        self.memo_hits += usize::from(from_memo);
    }

    /// Counts a call that came again with other bytes or another policy, in addition to the result itself.
    pub fn changed(&mut self, evidence: &Evidence, host_limit: Option<usize>) {
        self.memo_changed += 1;
        self.cache.changed_tokens += within(evidence, host_limit).1;
    }

    /// Adds the cost for each model that has a price.
    pub fn price(&mut self, prices: &BTreeMap<String, Price>) {
        let spent = |totals: &Totals, price: f64| Spent {
            baseline: totals.baseline_tokens as f64 / MILLION * price,
            shown: totals.shown_tokens as f64 / MILLION * price,
        };
        let cost = |price: &Price| Cost {
            results: spent(&self.total, price.cache_write.unwrap_or(price.input)),
            resends: spent(&self.resends, price.input),
            resends_cached: price.cached_input.map(|price| spent(&self.resends, price)),
        };
        self.cost = prices.iter().map(|(model, price)| (model.clone(), cost(price))).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::evidence::{BeforeAfter, Tokens};

    fn evidence(tokens: [usize; 2], bytes: [usize; 2]) -> Evidence {
        let [before, after] = tokens;
        let tokens = Tokens { before, after, ..Tokens::default() };
        let [before, after] = bytes;
        Evidence { tokens, bytes: BeforeAfter { before, after }, ..Evidence::default() }
    }

    #[test]
    fn what_the_host_cuts_anyway_is_no_saving() {
        let mut stats = Stats::default();
        stats.add("a", &evidence([1000, 400], [4000, 1600]), Some(2000));
        assert_eq!((stats.total.baseline_tokens, stats.total.shown_tokens), (500, 400));
        stats.add("a", &evidence([1000, 800], [4000, 3200]), Some(2000));
        assert_eq!((stats.total.baseline_tokens, stats.total.shown_tokens), (1000, 900));
        stats.add("a", &evidence([100, 50], [400, 200]), Some(2000));
        assert_eq!((stats.total.baseline_tokens, stats.total.shown_tokens), (1100, 950));
        assert_eq!((stats.total.tokens_before, stats.total.tokens_after), (2100, 1250));
    }

    #[test]
    fn costs_are_those_of_the_user() {
        let mut stats = Stats::default();
        stats.add("a", &evidence([2_000_000, 1_000_000], [1, 1]), None);
        stats.resent(&evidence([2_000_000, 1_000_000], [1, 1]), true, None);
        stats.price(&BTreeMap::new());
        assert!(stats.cost.is_empty());
        let price = Price { input: 2.0, cached_input: Some(0.5), cache_write: Some(3.0) };
        let plain = Price { input: 2.0, ..Price::default() };
        stats.price(&BTreeMap::from([("a".into(), price), ("b".into(), plain)]));
        let cost = stats.cost["a"];
        assert_eq!(cost.results, Spent { baseline: 6.0, shown: 3.0 });
        assert_eq!(cost.resends, Spent { baseline: 4.0, shown: 2.0 });
        assert_eq!(cost.resends_cached, Some(Spent { baseline: 1.0, shown: 0.5 }));
        assert_eq!(stats.cost["b"].results, Spent { baseline: 4.0, shown: 2.0 });
        assert_eq!(stats.cost["b"].resends_cached, None);
    }
}
