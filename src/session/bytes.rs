//! What a session takes in memory, as it says to the count of all sessions, and what it shares or lets go to take less.

use std::mem::size_of;
use std::sync::Arc;

use super::{Session, size};
use crate::config::PolicyPatch;
use crate::memory::size as memory;
use crate::pipeline::evidence::Evidence;
use crate::pipeline::repeat::dedup::Decision;

impl Session {
    /// A decision that calls share with the one before, where they are alike.
    pub(super) fn shared(&mut self, mut decision: Decision) -> Arc<Decision> {
        if *self.last_decision != decision {
            decision.references.shrink_to_fit();
            decision.terms.shrink_to_fit();
            decision.wrote.shrink_to_fit();
            self.held += memory::block(size_of::<Decision>() + 16) + size::decision(&decision);
            self.last_decision = Arc::new(decision);
        }
        Arc::clone(&self.last_decision)
    }

    /// The number of a tool in the session.
    pub(super) fn tool(&mut self, name: &str) -> u32 {
        if let Some(number) = self.tool_numbers.get(name) {
            return *number;
        }
        let (name, number): (Arc<str>, _) = (Arc::from(name), self.tools.len() as u32);
        // Its places in the list and in the table.
        self.held += memory::shared(&name) + 6 * size_of::<Arc<str>>();
        self.tools.push(Arc::clone(&name));
        self.tool_numbers.insert(name, number);
        number
    }

    pub(super) fn total(&mut self, tool: &str, evidence: &Evidence) {
        /// A row of the totals.
        const ROW: usize = 256;
        let rows = self.stats.by_tool.len();
        self.stats.add(tool, evidence, self.host_limit);
        self.held += (self.stats.by_tool.len() - rows) * (ROW + tool.len());
    }

    /// Settings for all requests of the session.
    pub fn set_policy(&mut self, policy: PolicyPatch) {
        self.held += 4 * serde_json::to_vec(&policy).map_or(0, |json| json.len());
        self.policy = policy;
        self.tell_size();
    }

    /// Bytes that it takes, with all that it remembers.
    pub fn bytes(&self) -> usize {
        self.kept_bytes() + self.memo.bytes() + self.index.bytes()
    }

    /// Bytes of what outcomes depend on, which stays for as long as the session.
    pub(super) fn kept_bytes(&self) -> usize {
        /// The session itself, its settings, the words of its last calls and the rows of its totals.
        const FIXED: usize = size_of::<Session>() + 16 * 1024;
        FIXED
            + self.held
            + self.calls.bytes()
            + memory::table(&self.referred)
            + memory::table(&self.wrote)
            + memory::table(&self.asked)
            + memory::table(&self.queries)
            + self.seen.bytes()
    }

    pub(super) fn tell_size(&mut self) {
        let bytes = self.bytes();
        self.share.set(bytes);
    }

    /// Forgets what can be made again or done without: the memo and the lines of earlier outputs. What was
    /// decided stays, so that every result comes again as it was.
    /// Says how many bytes that were.
    pub fn shrink(&mut self) -> usize {
        let before = self.bytes();
        self.memo = Arc::default();
        self.index = Arc::default();
        self.tell_size();
        before - self.bytes()
    }
}
