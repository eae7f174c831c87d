//! Totals of a session.

use crate::pipeline::evidence::Evidence;
use crate::protocol::session::{Stats, Totals};

/// Tools with totals of their own; later ones share a row.
const MAX_TOOLS: usize = 1024;

impl Totals {
    fn add(&mut self, evidence: &Evidence) {
        self.results += 1;
        self.tokens_before += evidence.tokens.before;
        self.tokens_after += evidence.tokens.after;
        self.bytes_before += evidence.bytes.before;
        self.bytes_after += evidence.bytes.after;
    }
}

impl Stats {
    /// Counts a result.
    pub(super) fn add(&mut self, tool: &str, evidence: &Evidence) {
        self.total.add(evidence);
        let is_listed = self.by_tool.len() < MAX_TOOLS || self.by_tool.contains_key(tool);
        self.by_tool.entry(if is_listed { tool } else { "other" }.to_owned()).or_default().add(evidence);
        let family = evidence.family.as_deref().unwrap_or("other");
        self.by_family.entry(family.to_owned()).or_default().add(evidence);
        if let Some(reducer) = &evidence.reducer {
            self.by_reducer.entry(reducer.clone()).or_default().add(evidence);
        }
        *self.by_status.entry(evidence.status.name().to_owned()).or_default() += 1;
        for omission in &evidence.omissions {
            *self.omitted_lines.entry(omission.reason.code().to_owned()).or_default() += omission.count;
        }
        for redaction in &evidence.redactions {
            *self.redactions.entry(redaction.rule.clone()).or_default() += redaction.count;
        }
    }

    /// Counts a result that came again.
    pub(super) fn resent(&mut self, evidence: &Evidence, from_memo: bool) {
        self.resends.add(evidence);
        self.memo_hits += usize::from(from_memo);
    }
}
