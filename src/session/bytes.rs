//! The memory of a session: how much its decisions and evidence take, how it is reported to the common counter, and
//! how the session shares or frees data.

use std::mem::size_of;
use std::sync::Arc;

use super::Session;
use crate::config::PolicyPatch;
use crate::memory::size::{self as memory, block, list};
use crate::pipeline::evidence::Evidence;
use crate::pipeline::repeat::dedup::Decision;

impl Session {
    /// Bytes of the lines of earlier outputs.
    pub fn index_bytes(&self) -> usize {
        self.index.bytes()
    }

    /// Shares a decision with the previous call if both are equal.
    pub(super) fn share_decision(&mut self, mut decision: Decision) -> Arc<Decision> {
        if *self.last_decision != decision {
            decision.references.shrink_to_fit();
            decision.terms.shrink_to_fit();
            decision.edited.shrink_to_fit();
            decision.pointed.shrink_to_fit();
            decision.new_lines.shrink_to_fit();
            decision.wrote.shrink_to_fit();
            self.held += memory::block(size_of::<Decision>() + 16) + decision_bytes(&decision);
            self.last_decision = Arc::new(decision);
        }
        Arc::clone(&self.last_decision)
    }

    /// The number of a tool in the session, assigned on first use.
    pub(super) fn tool_number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.tool_numbers.get(name) {
            return *number;
        }
        let (name, number): (Arc<str>, _) = (Arc::from(name), self.tools.len() as u32);
        // Memory of its entries in the list and in the table.
        self.held += memory::shared(&name) + 6 * size_of::<Arc<str>>();
        self.tools.push(Arc::clone(&name));
        self.tool_numbers.insert(name, number);
        number
    }

    pub(super) fn count_total(&mut self, tool: &str, evidence: &Evidence) {
        /// Approximate bytes of one row of the totals.
        const ROW_BYTES: usize = 256;
        let rows = self.stats.by_tool.len();
        self.stats.add(tool, evidence, self.host_limit);
        self.held += (self.stats.by_tool.len() - rows) * (ROW_BYTES + tool.len());
    }

    /// Sets the settings for all requests of the session.
    pub fn set_policy(&mut self, policy: PolicyPatch) {
        self.held += 4 * serde_json::to_vec(&policy).map_or(0, |json| json.len());
        self.policy = policy;
        self.report_size();
    }

    /// Bytes of memory of everything that the session remembers.
    pub fn bytes(&self) -> usize {
        self.kept_bytes() + self.memo.bytes() + self.index.bytes() + self.answers.bytes()
    }

    /// Bytes of the data that outcomes depend on; this data stays as long as the session.
    pub(super) fn kept_bytes(&self) -> usize {
        /// The session itself, its settings, the words of its last calls and the rows of its totals.
        const FIXED_BYTES: usize = size_of::<Session>() + 16 * 1024;
        FIXED_BYTES
            + self.held
            + self.calls.bytes()
            + memory::table(&self.referred)
            + memory::table(&self.wrote)
            + memory::table(&self.asked)
            + memory::table(&self.queries)
            + self.seen.bytes()
            + self.last_results.bytes()
            + self.conversation_bytes
            + self.room_bytes
    }

    pub(super) fn report_size(&mut self) {
        let bytes = self.bytes();
        self.share.set(bytes);
    }

    /// Frees data that can be rebuilt or done without: the memo and the lines of earlier outputs. Decisions stay, so repeated
    /// requests still get the same answer. Returns the number of freed bytes.
    pub fn shrink(&mut self) -> usize {
        let before = self.bytes();
        self.memo = Arc::default();
        self.index = Arc::default();
        self.answers = Arc::default();
        // The next body reports the conversation again.
        drop(self.take_conversation());
        self.forget_room();
        self.report_size();
        before - self.bytes()
    }
}

fn texts<'a>(all: impl IntoIterator<Item = &'a String>) -> usize {
    all.into_iter().map(|text| block(text.capacity())).sum()
}

/// Bytes of the data to which a decision points. Data shared with other decisions counts for each.
pub(super) fn decision_bytes(decision: &Decision) -> usize {
    let Decision { duplicate_of, references, terms, edited, pointed, new_lines, wrote, .. } = decision;
    let first =
        duplicate_of.as_ref().map_or(0, |first| texts([&first.call, &first.tool]) + texts(&first.label));
    let origins = references.iter().map(|r| {
        let origin = &r.origin;
        block(size_of_val(&**origin) + 2 * size_of::<usize>())
            + texts([&origin.call, &origin.tool])
            + texts(&origin.argument)
            + texts(&origin.label)
    });
    first
        + list(references)
        + origins.sum::<usize>()
        + list(terms)
        + list(edited)
        + list(pointed)
        + list(new_lines)
        + list(wrote)
}

/// Bytes of the data to which evidence points.
pub(super) fn evidence_bytes(evidence: &Evidence) -> usize {
    let Evidence { steps, omissions, redactions, removals, .. } = evidence;
    let named = [&evidence.family, &evidence.reducer, &evidence.rule, &evidence.dictionary_method];
    let named = named.into_iter().chain([&evidence.externalized, &evidence.duplicate_of]);
    let shown = omissions.iter().filter_map(|omission| omission.shown_by.as_ref());
    texts(named.flatten())
        + texts([&evidence.tokens.counter, &evidence.digest])
        + (list(steps) + texts(steps.iter().map(|step| &step.id)))
        + (list(omissions) + shown.map(|by| texts([&by.tool_call_id]) + texts(&by.argument)).sum::<usize>())
        + (list(redactions)
            + texts(redactions.iter().map(|redaction| &redaction.rule))
            + redactions.iter().map(|r| list(&r.fingerprints) + texts(&r.fingerprints)).sum::<usize>())
        + (list(removals) + texts(removals.iter().map(|removal| &removal.class)))
}
