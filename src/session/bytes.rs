//! The memory of a session: how it is reported to the common counter, and how the session shares or frees data.

use std::mem::size_of;
use std::sync::Arc;

use super::{Session, size};
use crate::config::PolicyPatch;
use crate::memory::size as memory;
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
            decision.wrote.shrink_to_fit();
            self.held += memory::block(size_of::<Decision>() + 16) + size::decision(&decision);
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
        self.kept_bytes() + self.memo.bytes() + self.index.bytes()
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
        // The next body reports the conversation again.
        drop(self.take_conversation());
        self.forget_room();
        self.report_size();
        before - self.bytes()
    }
}
