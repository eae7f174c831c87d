//! Outcomes that were returned, and the lines of answers, as long as there is space. First in, first out.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::{Bounds, Fingerprint, Stored, bytes};
use crate::memory::size as memory;
use crate::pipeline::repeat::answer::Answer;

/// The bytes of answers that a session remembers.
const ANSWER_BYTES: usize = 256 << 10;

/// For each question, the lines of its last answer that left some out.
#[derive(Debug, Default, Clone)]
pub(super) struct Answers {
    entries: HashMap<[u8; 16], Arc<Answer>>,
    order: VecDeque<[u8; 16]>,
    /// Bytes of the entries, without the tables.
    bytes: usize,
}

impl Answers {
    pub(super) fn of(&self, question: [u8; 16]) -> Option<&Answer> {
        self.entries.get(&question).map(|answer| &**answer)
    }

    pub(super) fn note(&mut self, question: [u8; 16], answer: Answer) {
        self.bytes += answer.bytes();
        match self.entries.insert(question, Arc::new(answer)) {
            Some(old) => self.bytes -= old.bytes(),
            None => self.order.push_back(question),
        }
        while self.bytes > ANSWER_BYTES {
            let Some(oldest) = self.order.pop_front() else { break };
            if let Some(answer) = self.entries.remove(&oldest) {
                self.bytes -= answer.bytes();
            }
        }
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + memory::table(&self.entries) + memory::queue(&self.order)
    }
}

/// The number of the call, and the fingerprint of the request.
type MemoKey = (u32, Fingerprint);

/// The memo; see the module.
#[derive(Debug, Default, Clone)]
pub(super) struct Memo {
    entries: HashMap<MemoKey, (Arc<Stored>, usize)>,
    order: VecDeque<MemoKey>,
    /// Bytes of the entries, without the tables.
    bytes: usize,
}

impl Memo {
    pub(super) fn get(&self, call: u32, fingerprint: Fingerprint) -> Option<&Stored> {
        self.entries.get(&(call, fingerprint)).map(|(stored, _)| &**stored)
    }

    pub(super) fn put(&mut self, call: u32, fingerprint: Fingerprint, mut stored: Stored, bounds: &Bounds) {
        // The artifact store keeps the original, and the session keeps its own data about the result.
        stored.outcome.retain = None;
        let texts: usize = stored.outcome.texts.iter().map(String::len).sum();
        if texts > bounds.memo_entry_bytes {
            return;
        }
        stored.outcome.texts.iter_mut().for_each(String::shrink_to_fit);
        let bytes = cost(&stored);
        let key = (call, fingerprint);
        if let Some((_, old)) = self.entries.insert(key, (Arc::new(stored), bytes)) {
            self.bytes -= old;
        } else {
            self.order.push_back(key);
        }
        self.bytes += bytes;
        while self.bytes > bounds.memo_bytes {
            let Some(oldest) = self.order.pop_front() else { break };
            if let Some((_, bytes)) = self.entries.remove(&oldest) {
                self.bytes -= bytes;
            }
        }
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + memory::table(&self.entries) + memory::queue(&self.order)
    }
}

/// Bytes of an entry, without its places in the tables.
fn cost(stored: &Stored) -> usize {
    let Stored { outcome, artifact, reclaimed: _ } = stored;
    let texts: usize = outcome.texts.iter().map(|text| memory::block(text.capacity())).sum();
    let ids = artifact.iter().flat_map(|a| [Some(&a.id), a.original_id.as_ref()]).flatten();
    memory::block(size_of::<Stored>())
        + memory::list(&outcome.texts)
        + texts
        + memory::list(&outcome.mentions)
        + memory::list(&outcome.places)
        + bytes::decision_bytes(&outcome.decision)
        + bytes::evidence_bytes(&outcome.evidence)
        + ids.map(|id| memory::block(id.capacity())).sum::<usize>()
}
